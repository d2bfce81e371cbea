//! Looking into code that has just been changed, and within a scope: what is told is what stands there now.

use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::domain::corpus::CorpusName;
use wellread_core::library::search::Searcher;
use wellread_testkit::{MemoryFiles, World, parse_script};

fn world(code: &str) -> World {
    let world = World::new("-- Home.md\n# Home\n").with_repository("shop", code);
    world.index();
    world
}

fn called(world: &World, tool: &str, arguments: Value) -> Value {
    let answer = world.call_tool(tool, arguments);
    assert_eq!(answer["success"], true, "{answer}");
    answer
}

/// Every text that an answer tells with its place stands there.
fn stands(world: &World, row: &Value) {
    let path = wellread_core::domain::corpus::VaultPath::from_index(row["path"].as_str().unwrap().to_owned());
    let corpus = CorpusName::Repository("shop".to_owned());
    let text = String::from_utf8(world.search.library.read(&corpus, &path).unwrap().bytes).unwrap();
    let told = row["text"].as_str().unwrap();
    assert!(text.contains(told) && !told.is_empty(), "{row}");
}

#[test]
fn a_definition_is_shown_with_the_lines_that_it_has_in_its_file() {
    let world = world(
        "-- a.py\n# First.\ndef first_fn():\n    pass\n\n\n# Second.\ndef second_fn():\n    return 2\n",
    );
    let found = called(&world, "find_symbol", json!({ "name": "second_fn" }));
    let row = &found["definitions"][0];
    assert_eq!(
        (&row["name"], &row["start_line"], &row["end_line"]),
        (&json!("second_fn"), &json!(7), &json!(8))
    );
    assert_eq!(row["text"], "# Second.\ndef second_fn():\n    return 2");
    stands(&world, row);
}

#[test]
fn a_name_that_very_many_definitions_have_is_counted_and_not_listed_whole() {
    let many: String = (0..3_000).map(|_| "def run_it():\n    pass\n").collect();
    let world = world(&format!("-- a.py\n{many}"));
    let found = called(&world, "find_symbol", json!({ "name": "run_it" }));
    assert_eq!(found["definitions"].as_array().unwrap().len(), 50);
    assert!(found["notice"].as_str().unwrap().contains("3000 match"), "{}", found["notice"]);
    let several = world.call_tool("graph_expand", json!({ "symbol": "run_it" }));
    assert!(several["error"].as_str().unwrap().contains("is the name of"), "{several}");
}

#[test]
fn an_id_that_was_told_is_that_symbol_whatever_else_is_called_so() {
    let world = world(
        "-- @app/A.java\nclass Adder {\n    int add(int a) { return a; }\n    int add(int a, int b) { return add(a) + b; }\n}\n",
    );
    let found = called(&world, "find_symbol", json!({ "name": "add" }));
    let ids: Vec<&str> =
        found["definitions"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 2, "{found}");
    for id in ids {
        let expanded = called(&world, "graph_expand", json!({ "symbol": id, "kinds": ["calls"] }));
        assert!(
            expanded["nodes"].as_array().unwrap().iter().any(|node| node["id"] == id),
            "{id}: {expanded}"
        );
    }
}

#[test]
fn edges_come_with_the_line_that_says_so() {
    let world = world(
        "-- a.py\ndef target_fn():\n    pass\n-- b.py\nfrom a import target_fn\n\ndef caller_fn():\n    return target_fn()\n",
    );
    let found = called(
        &world,
        "graph_expand",
        json!({ "symbol": "target_fn", "direction": "in", "kinds": ["calls"] }),
    );
    let edge = &found["edges"][0];
    assert_eq!(
        (&edge["path"], &edge["line"], &edge["text"]),
        (&json!("b.py"), &json!(4), &json!("    return target_fn()"))
    );
    assert_eq!(edge["certainty"], "certain");
}

/// A world with a repository whose files can be changed.
fn changing_world(code: &str) -> (World, Arc<MemoryFiles>) {
    let mut world = World::new("-- Home.md\n# Home\n");
    let texts = parse_script(code).into_iter();
    let files = texts.map(|(path, text)| (world.path(&path), text.into_bytes()));
    let files = Arc::new(MemoryFiles::new(world.vault.clock.now().timestamp(), files));
    let mut library = (*world.search.library).clone();
    library.corpora.push((CorpusName::Repository("shop".to_owned()), files.clone()));
    world.search = Arc::new(Searcher { library: Arc::new(library), ..(*world.search).clone() });
    world.index();
    (world, files)
}

fn callers(world: &World, symbol: &str) -> Vec<String> {
    let found =
        called(world, "graph_expand", json!({ "symbol": symbol, "direction": "in", "kinds": ["calls"] }));
    let edges = found["edges"].as_array().unwrap().iter();
    edges.map(|edge| edge["from"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_asked_again_is_answered_from_what_stands_there_now() {
    let caller = |name: &str| format!("from a import target_fn\n\ndef {name}():\n    return target_fn()\n");
    let (world, files) =
        changing_world(&format!("-- a.py\ndef target_fn():\n    pass\n-- b.py\n{}", caller("first_fn")));
    for _ in 0..2 {
        assert_eq!(callers(&world, "target_fn"), ["b.py::first_fn"]);
    }
    let path = world.path("b.py");
    files.save(&path, caller("second_fn").as_bytes());
    assert_eq!(callers(&world, "target_fn"), ["b.py::second_fn"], "a change that nobody told of");
    files.save(&world.path("c.py"), caller("third_fn").as_bytes());
    world.index();
    assert_eq!(callers(&world, "target_fn"), ["b.py::second_fn", "c.py::third_fn"]);
    files.remove(&path);
    world.index();
    assert_eq!(callers(&world, "target_fn"), ["c.py::third_fn"]);
    let missing = world.call_tool("graph_expand", json!({ "symbol": "b.py::second_fn" }));
    assert_eq!(missing["success"], false, "{missing}");
}

#[test]
fn a_manifest_that_changed_counts_at_once() {
    let (world, files) = changing_world(
        "-- wax/Cargo.toml\n[package]\nname = \"wax\"\n-- wax/src/lib.rs\npub fn melt_it() {}\n\
         -- app/src/lib.rs\npub fn run_it() {\n    wax::melt_it()\n}\n",
    );
    for _ in 0..2 {
        assert_eq!(callers(&world, "melt_it"), ["app/src/lib.rs::run_it"]);
    }
    files.save(&world.path("wax/Cargo.toml"), b"[package]\nname = \"honey\"\n");
    world.index();
    assert_eq!(callers(&world, "melt_it"), [""; 0]);
}

#[test]
fn a_large_neighborhood_is_returned_in_pages() {
    let mut code = "-- a.py\ndef target_fn():\n    pass\n".to_owned();
    for number in 0..95 {
        code.push_str(&format!("\ndef caller_{number}():\n    return target_fn()\n"));
    }
    let world = world(&code);
    let page = |more: Value| {
        let mut asked = json!({ "symbol": "target_fn", "direction": "in", "kinds": ["calls"] });
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        called(&world, "graph_expand", asked)
    };
    let first = page(json!({}));
    assert_eq!(first["edges"].as_array().unwrap().len(), 40);
    assert_eq!(first["nodes"].as_array().unwrap().len(), 41, "the symbol itself and its callers");
    assert_eq!(first["notice"], "40 of 95 edges are listed; `offset` 40 continues");
    let last = page(json!({ "offset": 80 }));
    assert_eq!(last["edges"].as_array().unwrap().len(), 15);
    assert_eq!(last["notice"], "15 of 95 edges are listed");
    let whole = page(json!({ "limit": 200 }));
    assert_eq!(whole["edges"].as_array().unwrap().len(), 95);
    assert!(whole["notice"].is_null(), "{}", whole["notice"]);
}

#[test]
fn the_depth_is_as_the_schema_says() {
    let world = world("-- a.py\ndef target_fn():\n    pass\n");
    for depth in [0, 7, 99] {
        let refused = world.call_tool("graph_expand", json!({ "symbol": "target_fn", "depth": depth }));
        assert_eq!(refused["error"], format!("the depth is {depth}"), "{refused}");
        assert_eq!(refused["hint"], "give a depth from 1 to 6");
    }
    let tools = wellread_core::faces::tools::catalog();
    let tool = wellread_core::faces::tools::find_tool(&tools, "graph_expand").unwrap();
    let depth = &tool.declaration().input["properties"]["depth"];
    assert_eq!((&depth["minimum"], &depth["maximum"]), (&json!(1), &json!(6)), "{depth}");
}
