//! Where an issue text or a stack trace leads, over a small repository in memory.

use serde_json::{Value, json};
use wellread_core::ErrorKind;
use wellread_core::code::codebase::{Codebase, Scope};
use wellread_core::code::locate::{LONGEST, LocateAnswer, locate};
use wellread_testkit::World;

use crate::ask::{fails, ok};

const CODE: &str = "\
-- src/store.py
\"\"\"Where frames are kept.\"\"\"

class StoreError(Exception):
    pass

class Store:
    def open(self, path):
        try:
            return self.read(path)
        except OSError as error:
            raise StoreError(f\"could not open '{path}': {error}\")

    def read(self, path):
        return parse_header(path)
-- src/header.py
MAGIC = 7

def parse_header(data):
    if len(data) < 10:
        raise ValueError(f\"expected {MAGIC} bytes, got {len(data)}\")
    return data[0]
-- src/app/main.py
from store import Store

def main():
    Store().open(\"frames.log\")
-- lib/main.py
def run():
    pass
-- tests/test_store.py
def test_open():
    assert \"could not open 'x'\" and Store().open(\"x\")
-- README.md
# Frames

A frame is parsed with `parse_header` after the store was opened: could not open is what it says else.
-- settings.toml
frames = 3
";

fn world() -> World {
    let world =
        World::new("-- Bees.md\nparse_header stands in a note, too.\n").with_repository("frames", CODE);
    world.index();
    world
}

fn led_to(text: &str) -> LocateAnswer {
    within(text, "")
}

fn within(text: &str, scope: &str) -> LocateAnswer {
    let world = world();
    let library = world.search.library.clone();
    let codebase = Codebase::new(library, "frames", Scope::parse(scope).unwrap()).unwrap();
    locate(&world.search, &codebase, text, 10).unwrap()
}

fn paths(located: &LocateAnswer) -> Vec<&str> {
    located.files.iter().map(|file| file.path.as_str()).collect()
}

fn reasons(located: &LocateAnswer, path: &str) -> String {
    let file = located
        .files
        .iter()
        .find(|file| file.path == path)
        .unwrap_or_else(|| panic!("no {path}: {located:?}"));
    file.reasons.join(" | ")
}

const TRACE: &str = "Traceback (most recent call last):
  File \"/usr/lib/python3.12/runpy.py\", line 88, in _run_code
  File \"/home/ci/build/src/app/main.py\", line 4, in main
    Store().open(\"frames.log\")
  File \"/home/ci/build/src/store.py\", line 13, in open
    return self.read(path)
  File \"/home/ci/build/venv/lib/python3.12/site-packages/src/header.py\", line 1, in x
";

#[test]
fn the_innermost_frame_that_is_ours_comes_first_and_the_definition_is_named() {
    let located = led_to(TRACE);
    assert_eq!(paths(&located)[..2], ["src/store.py", "src/app/main.py"]);
    // The line is in `read` by now, and the trace says `open`.
    assert_eq!(
        reasons(&located, "src/store.py").split(" | ").next(),
        Some("named in the stack trace, frame 2: line 13 in `Store.open`")
    );
    let symbol = &located.files[0].symbols[0];
    assert_eq!(
        (symbol.id.0.as_str(), symbol.name.as_str(), symbol.kind.name(), symbol.start_line, symbol.end_line),
        ("src/store.py::Store.open", "open", "method", 7, 11)
    );
    // A file of another package that happens to be called the same: at most its words match, far below.
    let other = located.files.iter().find(|file| file.path.as_str() == "lib/main.py");
    assert!(other.is_none_or(|file| file.score < 0.1), "{located:?}");
    assert!(
        other.is_none_or(|file| file.reasons.iter().all(|why| !why.contains("stack trace"))),
        "{located:?}"
    );
}

#[test]
fn a_message_leads_to_the_line_that_says_it_whatever_values_are_in_it() {
    for (text, path, line) in [
        ("It fails with \"could not open '/tmp/x.log': denied\" each time", "src/store.py", 11),
        ("ValueError: expected 7 bytes, got 3", "src/header.py", 5),
    ] {
        let located = led_to(text);
        assert_eq!(paths(&located)[0], path, "{located:?}");
        assert!(reasons(&located, path).contains("contains the message"), "{located:?}");
        assert!(reasons(&located, path).contains(&format!("line {line}")), "{located:?}");
    }
    // The test and the read-me hold the message as well, and come after.
    let located = led_to("It says \"could not open 'x'\"");
    let at = |path: &str| paths(&located).iter().position(|known| *known == path).unwrap();
    assert!(at("src/store.py") < at("tests/test_store.py"), "{located:?}");
}

#[test]
fn names_lead_to_their_definitions_however_they_are_written() {
    for (text, path, symbol) in [
        ("`parse_header` is slow", "src/header.py", "parse_header"),
        ("parse_header is slow", "src/header.py", "parse_header"),
        ("Store::open hangs", "src/store.py", "Store.open"),
        ("Store.open() hangs", "src/store.py", "Store.open"),
        ("store.Store.open hangs", "src/store.py", "Store.open"),
        ("a StoreError is raised", "src/store.py", "StoreError"),
    ] {
        let located = led_to(text);
        assert_eq!(paths(&located)[0], path, "{text}: {located:?}");
        assert_eq!(located.files[0].symbols[0].qualified_name, symbol, "{text}");
        assert!(
            reasons(&located, path).contains(&format!("defines `{symbol}`, which the text names")),
            "{located:?}"
        );
    }
    let located = led_to("`parse_head` is slow");
    assert!(reasons(&located, "src/header.py").contains("similar to `parse_head`"), "{located:?}");
}

#[test]
fn paths_in_sentences_are_files_and_a_test_that_is_named_is_no_longer_behind() {
    let located =
        led_to("Something is wrong in header.py, see also settings.toml and C:\\x\\src\\store.py(8).");
    for (path, reason) in [
        ("src/header.py", "the text names `header.py`"),
        ("settings.toml", "the text names `settings.toml`"),
        ("src/store.py", "line 8"),
    ] {
        assert!(reasons(&located, path).contains(reason), "{located:?}");
    }
    let located = led_to("tests/test_store.py fails");
    assert_eq!(paths(&located)[0], "tests/test_store.py", "{located:?}");
    assert!(led_to("see https://evil.example/src/header.py").files.iter().all(|file| file.score < 0.7));
}

#[test]
fn words_alone_lead_somewhere_and_a_test_stands_behind() {
    let located = led_to("The header of the data has fewer bytes than are expected");
    assert!(reasons(&located, "src/header.py").contains("its words match"), "{located:?}");
    assert!(located.files.iter().all(|file| file.score <= 0.5), "{located:?}");
    let scores: Vec<f32> = located.files.iter().map(|file| file.score).collect();
    assert!(scores.is_sorted_by(|one, next| one >= next), "{scores:?}");
}

#[test]
fn nothing_outside_the_scope_is_named_and_notes_are_no_code() {
    let text =
        format!("{TRACE}\nparse_header, src/header.py, \"could not open 'x'\", settings.toml, Bees.md");
    let located = within(&text, "src/app");
    assert_eq!(paths(&located), ["src/app/main.py"], "{located:?}");
    assert!(!format!("{located:?}").contains("store.py"), "{located:?}");
    assert!(!paths(&led_to(&text)).iter().any(|path| path.contains("Bees")));
}

#[test]
fn the_same_text_gives_the_same_answer() {
    let text = format!("{TRACE} `open` Store main parse_header \"could not open\"");
    assert_eq!(led_to(&text), led_to(&text));
}

#[test]
fn what_is_empty_or_binary_is_an_error_and_what_is_huge_is_cut() {
    let world = world();
    for text in ["", "   \n", "\u{1b}[31m\u{1b}[0m", "\0\0\0\0"] {
        let answer = fails(&world, "locate", json!({ "text": text }));
        assert!(answer["hint"].as_str().unwrap().contains("stack trace"), "{answer}");
    }
    let huge = format!("parse_header {}", "x".repeat(LONGEST));
    let located = led_to(&huge);
    assert_eq!(paths(&located)[0], "src/header.py");
    assert!(located.notice.unwrap().contains("only the first 200000"));
    let frames = TRACE.repeat(10_000);
    assert_eq!(paths(&led_to(&frames))[..2], ["src/store.py", "src/app/main.py"]);
    let colored = TRACE.replace("File", "\u{1b}[35mFile\u{1b}[0m").replace('\n', "\r\n");
    assert_eq!(paths(&led_to(&colored))[..2], ["src/store.py", "src/app/main.py"]);
}

#[test]
fn what_leads_nowhere_says_so() {
    let located = led_to("zzzz qqqq");
    assert!(located.files.is_empty(), "{located:?}");
    assert!(located.notice.unwrap().contains("another repository"));
}

#[test]
fn the_repository_is_named_or_the_only_one() {
    let one = world();
    let text = json!({ "text": "parse_header" });
    let first = |answer: &Value| answer["files"][0]["path"].as_str().map(str::to_owned);
    assert_eq!(first(&ok(&one, "locate", text.clone())).as_deref(), Some("src/header.py"));
    let scoped = json!({ "text": "parse_header", "scope": "frames:src/**" });
    assert_eq!(first(&ok(&one, "locate", scoped)).as_deref(), Some("src/header.py"));
    let unknown = fails(&one, "locate", json!({ "text": "x y", "repository": "wax" }));
    assert_eq!(unknown["hint"], "choose one of: frames");

    let two = one.with_repository("wax", "-- press.py\ndef press():\n    pass\n");
    two.index();
    let several = fails(&two, "locate", text);
    assert_eq!(several["error"], "there are 2 repositories, and none was named: frames, wax");
    let named = json!({ "text": "press()", "repository": "wax" });
    assert_eq!(first(&ok(&two, "locate", named)).as_deref(), Some("press.py"));
    let by_scope = json!({ "text": "`press`", "scope": "wax:*.py" });
    assert_eq!(first(&ok(&two, "locate", by_scope)).as_deref(), Some("press.py"));
    let both = json!({ "text": "press", "scope": "wax:*.py", "repository": "frames" });
    assert!(fails(&two, "locate", both)["error"].as_str().unwrap().contains("the scope is one of `wax`"));
    let library = World::new("").search.library.clone();
    assert_eq!(Codebase::select(&library, None, None).unwrap_err().kind(), ErrorKind::NotFound);
}

/// Where a text leads in a repository of its own.
fn led_in(code: &str, text: &str) -> LocateAnswer {
    let world = World::new("-- Home.md\n# Home\n").with_repository("hive", code);
    world.index();
    let codebase = Codebase::new(world.search.library.clone(), "hive", Scope::parse("").unwrap()).unwrap();
    locate(&world.search, &codebase, text, 10).unwrap()
}

#[test]
fn what_a_template_or_a_package_list_names_is_not_meant() {
    let code = "-- hive/search_issues.py\ndef search_issues():\n    pass\n\
                -- hive/attrs_strict.py\ndef attrs_strict():\n    pass\n\
                -- hive/queen.py\ndef read_all():\n    pass\n";
    let text = "Reading hangs\n<!-- see `search_issues` -->\nIt hangs in `read_all`.\n\
                attrs_strict 1.0.2\nnumpy 1.24.0\nurllib3 2.0.1\n";
    assert_eq!(paths(&led_in(code, text)), ["hive/queen.py"]);
}

#[test]
fn a_plain_word_with_one_definition_is_a_weak_sign() {
    let code = "-- hive/a_tool.py\ndef open():\n    pass\n-- hive/frames.py\ndef parse_frame():\n    pass\n";
    let located = led_in(code, "With `open` files, `parse_frame` fails");
    assert_eq!(paths(&located), ["hive/frames.py", "hive/a_tool.py"], "{located:?}");
}

#[test]
fn an_option_leads_to_the_line_that_has_it_and_its_words_are_no_names() {
    let code = "-- hive/cli.py\ndef arguments(parser):\n    parser.add_argument(\"--fork-timeout\", type=float)\n\
                -- hive/fork.py\ndef fork():\n    pass\n\ndef timeout():\n    pass\n";
    let located = led_in(code, "Nothing changes with `--fork-timeout 5`");
    assert_eq!(paths(&located)[0], "hive/cli.py", "{located:?}");
    assert!(reasons(&located, "hive/cli.py").contains("contains the option `--fork-timeout`, line 2"));
}

#[test]
fn an_installed_copy_of_the_package_leads_to_its_source() {
    let code = "-- src/hive/queen.py\ndef lay():\n    raise ValueError\n";
    let trace = "Traceback (most recent call last):\n  \
                 File \"/venv/lib/python3.12/site-packages/hive/queen.py\", line 2, in lay\nValueError\n";
    assert_eq!(paths(&led_in(code, trace)), ["src/hive/queen.py"]);
}

#[test]
fn sources_come_before_tests_documents_and_scripts_unless_these_are_meant() {
    let body = "def weigh_hive(scale):\n    return scale.weight\n";
    let code = format!(
        "-- docs/weigh.rst\nweigh_hive weighs a hive on the scale\n-- hive/weigh.py\n{body}\
         -- hive/testing/weigh.py\n{body}-- scripts/weigh.py\n{body}"
    );
    let located = led_in(&code, "weigh_hive gives the wrong weight of the hive on a scale");
    assert_eq!(paths(&located)[0], "hive/weigh.py", "{located:?}");
    let located = led_in(&code, "Documentation of weigh_hive: weighs a hive on the scale");
    assert!(paths(&located)[..2].contains(&"docs/weigh.rst"), "{located:?}");
}

#[test]
fn a_file_counts_by_its_best_definitions_and_not_by_one() {
    let code = "-- hive/one.py\ndef swarm_alarm():\n    \"\"\"The alarm of a swarm.\"\"\"\n\
                -- hive/three.py\ndef alarm_on():\n    \"\"\"Turns the alarm of a swarm on.\"\"\"\n\n\
                def alarm_off():\n    \"\"\"Turns the alarm of a swarm off.\"\"\"\n\n\
                def alarm_state():\n    \"\"\"Whether the alarm of a swarm is on.\"\"\"\n";
    let located = led_in(code, "the alarm of a swarm stays on");
    assert_eq!(paths(&located)[0], "hive/three.py", "{located:?}");
}
