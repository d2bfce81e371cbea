//! What a terminal gets: words without quotes, exit statuses, colors, links, lines of its own width.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use serde_json::json;

use crate::desk::{Desk, Ran};
use crate::terminal::on_terminal;

const QUESTION: &str = "What is the treatment threshold for varroa in August";

/// The text without the escapes that are ours: emphasis, links, and the line that goes away.
fn without_own_escapes(text: &str) -> String {
    let mut plain = text.replace("\r\u{1b}[K", "");
    for code in ["1", "2", "32", "1;31", "0"] {
        plain = plain.replace(&format!("\u{1b}[{code}m"), "");
    }
    while let Some(start) = plain.find("\u{1b}]8;;") {
        let end = start + plain[start..].find("\u{1b}\\").unwrap() + 2;
        plain.replace_range(start..end, "");
    }
    plain
}

fn terminal(desk: &Desk, args: &[&str]) -> Command {
    let mut command = desk.here();
    command.env("TERM", "xterm").args(args);
    command
}

#[test]
fn words_need_no_quotes() {
    let desk = Desk::new();
    let words: Vec<&str> = QUESTION.split(' ').collect();
    let quoted = desk.run(["ask", "--json", QUESTION]).done();
    let plain = desk.run([vec!["ask", "--json"], words].concat()).done();
    assert_eq!((&quoted["answer"], &quoted["source"]), (&plain["answer"], &plain["source"]));
    let found = |args: &[&str]| desk.search(args)["results"].clone();
    assert_eq!(found(&["varroa threshold", "-k", "3"]), found(&["varroa", "threshold", "-k", "3"]));
}

#[test]
fn an_empty_question_is_wrong_usage_and_nothing_found_is_status_3() {
    let desk = Desk::new();
    for wrong in [vec!["ask", ""], vec!["ask", "  ", ""], vec!["ask"], vec!["search", ""], vec!["search"]] {
        let ran = desk.run(&wrong);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(2), ""), "{wrong:?}: {ran:?}");
        desk.run([vec!["--json"], wrong].concat()).failed(2);
    }
    let ran = desk.run(["ask", "--json", "Which zeppelins crossed Patagonia before breakfast?"]);
    assert_eq!(ran.status, Some(3), "{ran:?}");
    assert_eq!((&ran.json()["kind"], &ran.json()["source"]), (&json!("unsure"), &json!(null)));
    assert_eq!(desk.run(["search", "zeppelins"]).status, Some(3));
}

#[test]
fn a_chat_without_a_model_says_so_before_anything_is_typed() {
    let desk = Desk::new();
    let shown = on_terminal(&terminal(&desk, &["chat"]), 80, &[]);
    assert_eq!(shown.status, 5, "{shown:?}");
    assert!(shown.text.contains("no model is set up"), "{shown:?}");
}

#[test]
fn colors_are_for_terminals_unless_somebody_says_otherwise() {
    let desk = Desk::new();
    let search = ["search", "varroa threshold"];
    let piped = |more: &[&str], variables: &[(&str, &str)]| {
        let mut command = desk.here();
        Ran::of(command.envs(variables.iter().copied()).args(more).args(search)).stdout
    };
    assert!(!piped(&[], &[]).contains('\u{1b}'));
    assert!(piped(&["--color", "always"], &[]).contains("\u{1b}[1m"));
    assert!(piped(&["--color", "always"], &[("NO_COLOR", "1")]).contains("\u{1b}[1m"), "a flag wins");
    assert!(!piped(&["--color", "always", "--json"], &[]).contains('\u{1b}'));
    let shown = |more: &[&str], variable: Option<(&str, &str)>| {
        let mut command = terminal(&desk, &[more, &search].concat());
        command.envs(variable);
        on_terminal(&command, 100, &[]).text
    };
    assert!(shown(&[], None).contains("\u{1b}[1m"));
    for (more, variable) in [
        (&["--color", "never"][..], None),
        (&["--no-color"], None),
        (&[], Some(("NO_COLOR", "1"))),
        (&[], Some(("TERM", "dumb"))),
    ] {
        let text = shown(more, variable).replace("\r\u{1b}[K", "");
        assert!(!text.contains('\u{1b}'), "{more:?} {variable:?}: {text:?}");
    }
    assert_eq!(desk.run(["--color", "red", "status"]).status, Some(2));
    assert_eq!(desk.run(["--color", "never", "--no-color", "status"]).status, Some(2));
}

#[test]
fn places_are_links_where_the_terminal_has_them() {
    let desk = Desk::new();
    let link = format!("\u{1b}]8;;file://{}/Bees/Varroa%20mite.md\u{1b}\\", desk.vault().display());
    for args in [&["ask", QUESTION][..], &["search", "treatment threshold for varroa in August"]] {
        let mut command = terminal(&desk, args);
        assert!(!on_terminal(&command, 100, &[]).text.contains("\u{1b}]8"), "{args:?}");
        command.env("FORCE_HYPERLINK", "1");
        let shown = on_terminal(&command, 100, &[]);
        assert!(shown.text.contains(&link), "{args:?}: {shown:?}");
        let piped = Ran::of(desk.here().env("FORCE_HYPERLINK", "1").args(args));
        assert!(!piped.stdout.contains('\u{1b}'), "{piped:?}");
    }
}

#[test]
fn lines_are_wrapped_to_the_width_of_the_terminal_and_not_in_a_pipe() {
    let desk = Desk::new();
    let piped = desk.run(["ask", QUESTION]).stdout;
    assert!(piped.lines().any(|line| line.chars().count() > 40), "{piped}");
    let shown = on_terminal(&terminal(&desk, &["-q", "ask", QUESTION]), 40, &[]);
    let text = without_own_escapes(&shown.text);
    for line in text.lines() {
        assert!(line.chars().count() <= 40 || !line.contains(' '), "{line:?} in {text}");
    }
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&text), words(&piped), "the words are the same");
}

#[test]
fn what_others_wrote_does_nothing_on_a_terminal_with_colors_and_links() {
    let desk = Desk::bare();
    let hostile = "\u{1b}[2J\u{1b}]8;;http://evil\u{1b}\\click\u{9b}31m";
    desk.save("Honey.md", format!("# Honey {hostile}\n\nHoney is made by bees {hostile} in the hive.\n"));
    for args in [&["search", "honey"][..], &["ask", "what is honey made by bees"], &["doctor"]] {
        let mut command = terminal(&desk, args);
        command.env("FORCE_HYPERLINK", "1");
        let shown = on_terminal(&command, 60, &[]);
        let rest = without_own_escapes(&shown.text);
        assert!(!rest.contains(['\u{1b}', '\u{9b}']), "{args:?}: {rest:?}");
        assert!(!shown.text.contains("]8;;http://evil\u{1b}"), "{args:?}: {shown:?}");
    }
}

#[test]
fn an_argument_that_is_not_unicode_gets_a_message() {
    let desk = Desk::bare();
    let odd = OsStr::from_bytes(b"caf\xe9");
    let ran = Ran::of(desk.here().args(["repo", "add"]).arg(odd));
    assert!(ran.complains(3).contains("there is no folder"), "{ran:?}");
    let ran = Ran::of(desk.here().arg("search").arg(odd));
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
}

#[test]
fn the_commands_are_listed_in_groups() {
    let help = Ran::of(Desk::bare().command().arg("--help")).stdout;
    let at = |words: &str| help.find(words).unwrap_or_else(|| panic!("{words} in {help}"));
    assert!(at("\nStart here\n  init ") < at("\nFind and ask\n  search "), "{help}");
    assert!(at("\nCode\n") < at("\nServe and automate\n") && at("  man ") < at("Options:"), "{help}");
}
