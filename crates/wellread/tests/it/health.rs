//! `wellread health` over the example vault, and the same by the server.

use serde_json::{Value, json};

use crate::desk::{Desk, column};
use crate::served::Served;
use crate::server_routes::until;

/// A report without what differs each time.
fn settled(mut report: Value) -> Value {
    assert!(report["tookMs"].take().is_u64() && report["at"].take().is_string(), "{report}");
    report
}

#[test]
fn the_report_is_readable_and_true_of_the_example_vault() {
    let desk = Desk::new();
    desk.save("Bare.md", "Nothing but [[Nowhere at all]].\n");
    desk.save("Copy.md", desk.text("Bees/Varroa mite.md"));
    let ran = desk.run(["health"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let report = desk.run(["health", "--json"]).done();
    let first = format!(
        "{} notes, {} links between them, {} words\n",
        report["notes"], report["links"], report["words"]
    );
    assert!(ran.stdout.starts_with(&first), "{ran:?}");
    assert!(ran.stdout.contains("\nOrphans: no link in or out ("), "{ran:?}");
    assert!(ran.stdout.contains("\n  Bare.md:1: Nowhere at all\n"), "{ran:?}");
    assert!(ran.stdout.contains("\n  Bees/Varroa mite.md and Copy.md: the same text\n"), "{ran:?}");
    assert!(ran.stdout.contains("more (--json has all)\n"), "{ran:?}");
    assert!(ran.stderr.contains("note: near-duplicates were searched by words only"), "{ran:?}");
    assert!(column(&report["deadLinks"], "target").contains(&"Nowhere at all".to_owned()), "{report}");
    assert!(report["orphans"].as_array().unwrap().contains(&json!("Bare.md")), "{report}");
}

#[test]
fn a_file_that_is_no_text_is_named_and_the_rest_is_told() {
    let desk = Desk::bare();
    desk.save("Good.md", "[[Bad]]\n");
    desk.save("Bad.md", b"\xff\xfe\x00b");
    let report = desk.run(["health", "--json"]).done();
    assert_eq!(column(&report["skipped"], "path"), ["Bad.md"]);
    assert_eq!(report["deadLinks"], json!([]));
}

#[test]
fn the_server_answers_as_the_command_line_does_and_hears_of_changes() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    until(|| served.get("/readyz").done()["index"] == "level");
    let by_command = settled(desk.run(["health", "--json"]).done());
    let first = served.get("/api/kb/health").done();
    assert_eq!(settled(first.clone()), by_command);
    assert_eq!(served.get("/api/kb/health").done(), first, "nothing has changed: it is the same report");

    let graph = served.get("/api/kb/graph").done();
    let nodes = graph["nodes"].as_array().unwrap();
    assert_eq!(first["notes"], nodes.len());
    let alone: Vec<&Value> =
        nodes.iter().filter(|node| node["links"] == 0).map(|node| &node["path"]).collect();
    assert!(first["orphans"].as_array().unwrap().iter().all(|orphan| alone.contains(&orphan)), "{graph}");
    for edge in graph["edges"].as_array().unwrap() {
        let (one, other) = (edge[0].as_u64().unwrap(), edge[1].as_u64().unwrap());
        assert!(one < other && (other as usize) < nodes.len(), "{edge}");
    }

    served.tool("create_file", &json!({ "path": "Fresh.md", "content": "[[Nowhere at all]]\n" })).done();
    let after = served.get("/api/kb/health").done();
    assert_eq!(after["notes"], first["notes"].as_u64().unwrap() + 1);
    assert!(column(&after["deadLinks"], "target").contains(&"Nowhere at all".to_owned()), "{after}");
    served.end();
}
