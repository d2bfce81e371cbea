//! `wellread outline`, `symbol` and `graph` over the example code: shapes, names that are not one symbol's, files as they stand.

use std::fs;

use serde_json::{Value, json};

use crate::desk::{Desk, column, copy};

fn desk() -> Desk {
    let desk = Desk::bare();
    desk.add_code();
    desk
}

fn done(desk: &Desk, args: &[&str]) -> Value {
    desk.run(args.iter().chain(&["--json"])).done()
}

fn has(row: &Value, fields: &[&str]) {
    for field in fields {
        assert!(row.get(field).is_some(), "no {field}: {row}");
    }
}

const DEFINITION: [&str; 8] =
    ["name", "qualified_name", "kind", "path", "start_line", "end_line", "signature", "children"];
const NODE: [&str; 6] = ["id", "name", "kind", "path", "start_line", "end_line"];
const EDGE: [&str; 6] = ["from", "to", "kind", "path", "line", "certainty"];

/// Nodes, edges and what is not known, as every answer about the graph has them.
fn graph(answer: &Value) {
    for node in answer["nodes"].as_array().unwrap() {
        let fields: Vec<&String> = node.as_object().unwrap().keys().collect();
        assert_eq!(fields.len(), NODE.len(), "{node}");
        has(node, &NODE);
    }
    let nodes = column(&answer["nodes"], "id");
    for edge in answer["edges"].as_array().unwrap() {
        has(edge, &EDGE);
        assert!(["certain", "likely", "unknown"].contains(&edge["certainty"].as_str().unwrap()), "{edge}");
        assert!(nodes.contains(&edge["from"].as_str().unwrap().to_owned()), "{edge}");
        assert!(nodes.contains(&edge["to"].as_str().unwrap().to_owned()), "{edge}");
    }
    assert!(answer["unknown"].is_array(), "{answer}");
}

/// `from kind to`, by the names alone.
fn edges(answer: &Value) -> Vec<String> {
    let name = |id: &Value| id.as_str().unwrap().rsplit("::").next().unwrap().to_owned();
    let shown = |edge: &Value| {
        format!("{} {} {}", name(&edge["from"]), edge["kind"].as_str().unwrap(), name(&edge["to"]))
    };
    answer["edges"].as_array().unwrap().iter().map(shown).collect()
}

#[test]
fn an_outline_nests_what_a_file_defines() {
    let desk = desk();
    let answer = done(&desk, &["outline", "python/calibrate.py"]);
    let rows = answer["definitions"].as_array().unwrap();
    rows.iter().for_each(|row| has(row, &DEFINITION));
    let line = rows.iter().find(|row| row["name"] == "Calibration").unwrap();
    assert_eq!(
        (&line["kind"], &line["signature"]),
        (&json!("class"), &json!("class Calibration:")),
        "{line}"
    );
    let apply = &line["children"].as_array().unwrap()[2];
    has(apply, &DEFINITION);
    assert_eq!(
        (&apply["qualified_name"], &apply["kind"], &apply["start_line"], &apply["end_line"]),
        (&json!("Calibration.apply"), &json!("method"), &json!(27), &json!(29)),
        "{line}"
    );
    // What is implemented apart from its type stands where it stands, by its whole name.
    let rust = done(&desk, &["outline", "rust/src/calendar.rs"]);
    assert!(column(&rust["definitions"], "qualified_name").contains(&"Day.from_ymd".to_owned()), "{rust}");
    let shown = desk.run(["outline", "python/clean.py"]).stdout;
    assert!(shown.contains("17  class Row:\n  21"), "{shown}");
}

#[test]
fn a_file_is_outlined_as_it_stands_in_a_repository_or_outside_any() {
    let desk = desk();
    let path = desk.code().join("python/payload.py");
    let by_path = done(&desk, &["outline", path.to_str().unwrap()]);
    let by_name = done(&desk, &["outline", "python/payload.py", "--repo", "hivelog"]);
    let names = |answer: &Value| column(&answer["definitions"], "qualified_name");
    assert_eq!(names(&by_path), names(&by_name));
    let outside = desk.folder().join("alone.go");
    fs::write(&outside, "package a\n\nfunc Fly() int { return 1 }\n").unwrap();
    let alone = Desk::bare();
    assert_eq!(names(&done(&alone, &["outline", outside.to_str().unwrap()])), ["Fly"]);
    fs::write(&path, "def brand_new():\n    pass\n").unwrap();
    assert_eq!(names(&done(&desk, &["outline", "python/payload.py"])), ["brand_new"]);
}

#[test]
fn what_was_saved_a_moment_ago_is_found_at_once() {
    let desk = desk();
    assert_eq!(done(&desk, &["symbol", "decode"])["definitions"][0]["start_line"], 58);
    let path = desk.code().join("python/payload.py");
    let text = fs::read_to_string(&path).unwrap();
    let more = "\n\ndef decode_twice(frame):\n    return decode(frame)\n";
    fs::write(&path, format!("# One line more.\n{text}{more}")).unwrap();
    assert_eq!(done(&desk, &["symbol", "decode"])["definitions"][0]["start_line"], 59);
    assert_eq!(
        column(&done(&desk, &["symbol", "decode_twice"])["definitions"], "path"),
        ["python/payload.py"]
    );
    let callers = done(&desk, &["graph", "expand", "decode", "--direction", "in"]);
    graph(&callers);
    assert!(edges(&callers).contains(&"decode_twice calls decode".to_owned()), "{callers}");
    fs::remove_file(&path).unwrap();
    let gone = desk.run(["symbol", "decode_twice", "--json"]);
    assert_eq!(gone.failed(3)["success"], false);
}

#[test]
fn a_symbol_is_found_by_name_by_qualified_name_and_by_path() {
    let desk = desk();
    for written in ["compensate", "calibrate.py::compensate", "python/calibrate.py::compensate"] {
        let answer = done(&desk, &["symbol", written]);
        assert_eq!(column(&answer["definitions"], "qualified_name"), ["compensate"], "{written}");
        has(&answer["definitions"][0], &DEFINITION);
    }
    for written in ["Calibration.apply", "Calibration::apply", "apply"] {
        let answer = done(&desk, &["symbol", written, "--kind", "method"]);
        assert_eq!(column(&answer["definitions"], "qualified_name"), ["Calibration.apply"], "{written}");
    }
    // Several are all listed.
    let main = done(&desk, &["symbol", "main"]);
    assert_eq!(column(&main["definitions"], "path"), ["python/export.py", "rust/src/main.rs"]);
    let scoped = done(&desk, &["symbol", "main", "--repo", "hivelog", "--scope", "rust"]);
    assert_eq!(column(&scoped["definitions"], "path"), ["rust/src/main.rs"]);
}

#[test]
fn what_is_not_there_is_told_with_what_is_near() {
    let desk = desk();
    for name in ["detect_swarmz", "detect_swarm", "deteckt_swarms"] {
        for args in [vec!["symbol", name], vec!["graph", "expand", name], vec!["graph", "pack", name]] {
            let answer = desk.run(args.iter().chain(&["--json"])).failed(3);
            assert_eq!(answer["error"], format!("there is no symbol `{name}`"), "{args:?}");
            assert!(answer["hint"].as_str().unwrap().contains("`detect_swarms`"), "{args:?}: {answer}");
        }
    }
    for (args, status, error) in [
        (vec!["symbol", ""], 2, "the symbol is empty"),
        (vec!["symbol", "main", "--kind", "widget"], 2, "there is no kind `widget`"),
        (vec!["graph", "expand", "main"], 4, "`main` is the name of 2 symbols"),
        (vec!["graph", "trace", "main", "crc8"], 4, "`main` is the name of 2 symbols"),
        (vec!["graph", "pack", "crc8", "--tokens", "0"], 2, "zero tokens"),
        (vec!["outline", "python/nothing.py"], 3, "nothing.py"),
        (vec!["outline", "python"], 2, "folder"),
        (vec!["outline", "README.md"], 2, "no language whose definitions are known"),
        (vec!["outline", "/nowhere/a.py"], 3, "there is no file `/nowhere/a.py`"),
        (vec!["outline", "../vault/a.py", "--repo", "hivelog"], 4, "../vault/a.py"),
        (vec!["symbol", "main", "--repo", "hive"], 3, "there is no repository `hive`"),
    ] {
        let answer = desk.run(args.iter().chain(&["--json"])).failed(status);
        assert!(answer["error"].as_str().unwrap().contains(error), "{args:?}: {answer}");
    }
    let several = desk.run(["graph", "expand", "main", "--json"]).failed(4);
    assert_eq!(several["candidates"], json!(["python/export.py::main", "rust/src/main.rs::main"]));
    let missing = Desk::bare().run(["outline", "python/payload.py", "--json"]).failed(3);
    assert_eq!(missing["error"], "there is no file `python/payload.py`");
}

#[test]
fn the_graph_says_what_calls_what_and_how_sure_that_is() {
    let desk = desk();
    let answer = done(&desk, &["graph", "expand", "stays_down"]);
    graph(&answer);
    let found = edges(&answer);
    for edge in [
        "detect_swarms calls stays_down",
        "stays_down calls Moment.minutes_since",
        "<module> contains stays_down",
    ] {
        assert!(found.contains(&edge.to_owned()), "{edge}: {found:?}");
    }
    let inward = done(
        &desk,
        &["graph", "expand", "stays_down", "--direction", "in", "--kinds", "calls", "--depth", "3"],
    );
    graph(&inward);
    let found = edges(&inward);
    assert!(found.contains(&"analyse calls detect_swarms".to_owned()), "{found:?}");
    assert!(
        !found.iter().any(|edge| edge.starts_with("stays_down ") || edge.contains(" contains ")),
        "{found:?}"
    );
    let shown = desk.run(["graph", "expand", "stays_down"]).stdout;
    assert!(shown.starts_with("stays_down rust/src/swarm.rs:61\n"), "{shown}");
    let module = done(
        &desk,
        &["graph", "expand", "python/export.py::<module>", "--direction", "out", "--kinds", "imports"],
    );
    graph(&module);
    assert!(edges(&module).iter().any(|edge| edge.ends_with("imports decode_hex")), "{module}");
}

#[test]
fn a_path_leads_from_one_symbol_to_the_other_hop_by_hop() {
    let desk = desk();
    let answer = done(&desk, &["graph", "trace", "read_log", "crc8"]);
    graph(&answer);
    assert_eq!(
        edges(&answer),
        [
            "read_log calls parse_log_line",
            "parse_log_line calls decode_hex",
            "decode_hex calls decode",
            "decode calls crc8"
        ]
    );
    for edge in answer["edges"].as_array().unwrap() {
        let file = fs::read_to_string(desk.code().join(edge["path"].as_str().unwrap())).unwrap();
        let line = file.lines().nth(edge["line"].as_u64().unwrap() as usize - 1).unwrap();
        assert_eq!(edge["text"], line);
    }
    let shown = desk.run(["graph", "trace", "read_log", "crc8"]).stdout;
    assert!(
        shown.contains("python/payload.py::decode calls python/payload.py::crc8\n    python/payload.py:63"),
        "{shown}"
    );
    let back = done(&desk, &["graph", "trace", "crc8", "read_log"]);
    graph(&back);
    assert_eq!((&back["found"], edges(&back).len()), (&json!(false), 0), "{back}");
}

#[test]
fn a_pack_keeps_to_its_budget_and_to_the_files() {
    let desk = desk();
    let answer = done(&desk, &["graph", "pack", "detect_swarms", "stays_down", "--tokens", "300"]);
    let spans = answer["spans"].as_array().unwrap();
    assert!(spans.len() > 1 && answer["tokens"].as_u64().unwrap() <= 300, "{answer}");
    for span in spans {
        has(span, &["path", "start_line", "end_line", "symbol", "kind", "why", "text"]);
        let file = fs::read_to_string(desk.code().join(span["path"].as_str().unwrap())).unwrap();
        let (first, last) = (span["start_line"].as_u64().unwrap(), span["end_line"].as_u64().unwrap());
        let lines: Vec<&str> = file.split('\n').collect();
        assert_eq!(lines[first as usize - 1..last as usize].join("\n"), span["text"]);
    }
}

#[test]
fn the_tools_give_what_the_commands_give() {
    let desk = desk();
    let folder = desk.folder().join("other");
    copy(&desk.code(), &folder);
    for (tool, input, args) in [
        (
            "outline",
            json!({ "file_path": "python/clean.py" }),
            vec!["outline", "python/clean.py", "--repo", "hivelog"],
        ),
        ("find_symbol", json!({ "name": "decode" }), vec!["symbol", "decode"]),
        (
            "graph_expand",
            json!({ "symbol": "crc8", "direction": "in" }),
            vec!["graph", "expand", "crc8", "--direction", "in"],
        ),
        (
            "graph_trace",
            json!({ "from": "read_log", "to": "crc8" }),
            vec!["graph", "trace", "read_log", "crc8"],
        ),
        ("graph_pack", json!({ "symbols": ["crc8"] }), vec!["graph", "pack", "crc8"]),
    ] {
        assert_eq!(desk.tool(tool, &input).done(), done(&desk, &args), "{tool}");
        // A folder that was not added is looked at the same way.
        let by_folder: Vec<&str> = match args[..] {
            ["outline", ..] => continue,
            ["graph", "pack", ..] => [&args[..], &["--dir", "other"]].concat(),
            _ => [&args[..], &["other"]].concat(),
        };
        assert_eq!(done(&desk, &by_folder), done(&desk, &args), "{tool}");
    }
}

#[test]
fn an_outline_says_each_thing_once() {
    let desk = desk();
    let file = desk.folder().join("hive.js");
    let text = "function weigh (hive) {}\nclass Hive {\n  get weight () { return 1 }\n}\nconst open = hive => hive\n";
    fs::write(&file, text).unwrap();
    let shown = desk.run(["outline", file.to_str().unwrap()]);
    assert_eq!(
        shown.stdout,
        "1  function weigh (hive)\n2  class Hive\n  3  method get weight ()\n5  function const open = hive =>\n"
    );
    let missing = Desk::bare().run(["outline", "nowhere.py"]);
    assert!(missing.complains(3).contains("there is no file `nowhere.py`"), "{missing:?}");
}
