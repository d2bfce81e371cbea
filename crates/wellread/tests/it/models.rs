//! `wellread model`: models are installed from this machine, listed, and never fetched where that is forbidden.

use std::fs;

use serde_json::json;
use wellread_testkit::model_folder;

use crate::desk::{Desk, column};

#[test]
fn a_model_is_installed_from_a_folder_and_used_from_then_on() {
    let desk = Desk::bare();
    desk.save("Swarming.md", "Half of the bees leave with the old queen to found a new home.\n");
    let none = desk.run(["model", "list", "--json"]).done();
    assert_eq!((&none["models"], &none["in_use"]), (&json!([]), &json!("all-MiniLM-L6-v2")));
    let shown = desk.run(["model", "list"]);
    assert_eq!(shown.stdout, "  wellread-encoder-l3  built in  ready\n");
    assert!(shown.stderr.contains("wellread model install"), "{shown:?}");

    let folder = model_folder().display().to_string();
    let installed = desk.run(["--offline", "model", "install", "--from", &folder, "--json"]).done();
    assert_eq!((&installed["name"], &installed["dimension"]), (&json!("all-MiniLM-L6-v2"), &json!(384)));
    assert!(installed["bytes"].as_u64() > Some(80_000_000), "{installed}");
    let listed = desk.run(["model", "list", "--json"]).done();
    assert_eq!(column(&listed["models"], "name"), ["all-MiniLM-L6-v2"]);
    assert!(desk.run(["model", "list"]).stdout.contains("ready"));
    // It is there: nothing has to be fetched.
    desk.run(["--offline", "model", "install", "--json"]).done();

    let indexed = desk.run(["index", "--json"]).done();
    assert_eq!((&indexed["vectors_pending"], indexed.get("notice")), (&json!(0), None));
    let status = desk.run(["status", "--json"]).done();
    assert_eq!(
        (&status["model"], &status["vectors"]),
        (&json!("all-MiniLM-L6-v2"), &json!({ "done": 1, "pending": 0 }))
    );
    let answer = desk.search(&["colony reproduction"]);
    assert_eq!((&answer["mode"], &answer["results"][0]["path"]), (&json!("hybrid"), &json!("Swarming.md")));
    // It can be switched off again.
    let mut command = desk.here();
    command.env("WELLREAD_EMBEDDING_PROVIDER", "none").args(["search", "queen", "--json"]);
    let answer = crate::desk::Ran::of(&mut command).done();
    assert!(answer["notice"].as_str().unwrap().contains("switched off"), "{answer}");
}

#[test]
fn nothing_is_fetched_offline() {
    let desk = Desk::bare();
    let said = desk.run(["--offline", "model", "install", "--json"]).failed(4);
    assert!(said["error"].as_str().unwrap().contains("offline"), "{said}");
    assert!(said["hint"].as_str().unwrap().contains("from a folder"), "{said}");
    assert_eq!(desk.run(["model", "list", "--json"]).done()["models"], json!([]));
}

#[test]
fn what_is_no_model_is_not_installed() {
    let desk = Desk::bare();
    let folder = desk.folder().join("model");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("config.json"), "{}").unwrap();
    let from = folder.display().to_string();
    for (args, status) in [
        (vec!["--from", "/nowhere/at/all"], 3),
        (vec!["mine", "--from", &from], 3),
        (vec!["../mine", "--from", &from], 2),
        (vec!["no-such-model"], 3),
    ] {
        let mut all = vec!["--offline", "model", "install", "--json"];
        all.extend(&args);
        let ran = desk.run(all);
        assert_eq!(ran.status, Some(status), "{args:?}: {ran:?}");
        ran.failed(status);
    }
    assert_eq!(desk.run(["model", "list", "--json"]).done()["models"], json!([]));
}
