//! `wellread mcp` while other programs write: it answers at once, and the index follows the files.

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use wellread_testkit::large_vault;

use crate::desk::{Desk, PATIENCE, column};
use crate::talk::{Revision, Talk};

/// A process that does not outlive a test that fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn found(talk: &mut Talk, query: &str) -> Value {
    let args = json!({ "query": query, "mode": "keyword", "n_results": 1000 });
    talk.call("search_vault", &args)["structuredContent"].clone()
}

/// Asks again until the answer is right.
#[track_caller]
fn until<T: PartialEq + std::fmt::Debug>(right: &T, mut ask: impl FnMut() -> T) {
    let begun = Instant::now();
    loop {
        let answer = ask();
        if answer == *right {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{answer:?} after {PATIENCE:?}, not {right:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[track_caller]
fn until_found(talk: &mut Talk, query: &str, sources: &[&str]) {
    until(&sources.iter().map(|source| (*source).to_owned()).collect(), || {
        let mut sources = column(&found(talk, query)["results"], "source");
        sources.sort();
        sources.dedup();
        sources
    });
}

#[test]
fn it_answers_before_the_index_is_made_and_finds_soon_after() {
    let desk = Desk::bare();
    large_vault::write_vault(&desk.vault(), 2000).unwrap();
    desk.save("Rare.md", "The spoonbill is rare.\n");
    let mut talk = Talk::start(&desk, Revision::June2025);
    let tools = talk.ask("tools/list", json!({}));
    assert!(tools["tools"].as_array().unwrap().len() > 20);
    // The index can't be whole yet, and the answer says so where that matters.
    let early = found(&mut talk, "spoonbill");
    assert!(
        !early["results"].as_array().unwrap().is_empty()
            || early["notice"].as_str().is_some_and(|notice| notice.contains("still being built")),
        "{early}"
    );
    // Links are right from the first moment on.
    let links = talk.call("find_backlinks", &json!({ "note_name": "Hub", "limit": 1000 }));
    assert_eq!(links["structuredContent"]["total"], 500);
    until_found(&mut talk, "spoonbill", &["Rare.md"]);
    until(&Value::Null, || found(&mut talk, "spoonbill")["notice"].clone());
    let links = talk.call("find_backlinks", &json!({ "note_name": "Hub", "limit": 1000 }));
    assert_eq!(links["structuredContent"]["total"], 500);
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn what_another_program_does_to_a_note_is_found() {
    let desk = Desk::new();
    for revision in Revision::BOTH {
        let mut talk = Talk::start(&desk, revision);
        until_found(&mut talk, "quack", &["Inbox/Untitled idea.md"]);
        desk.save("New/Bird.md", "A spoonbill.\n");
        until_found(&mut talk, "spoonbill", &["New/Bird.md"]);
        desk.save("New/Bird.md", "An egret.\n");
        until_found(&mut talk, "egret", &["New/Bird.md"]);
        until_found(&mut talk, "spoonbill", &[]);
        // As editors save: beside it, and over it.
        desk.save("New/.Bird.md.tmp", "A bittern.\n");
        fs::rename(desk.vault().join("New/.Bird.md.tmp"), desk.vault().join("New/Bird.md")).unwrap();
        until_found(&mut talk, "bittern", &["New/Bird.md"]);
        fs::rename(desk.vault().join("New"), desk.vault().join("Moved")).unwrap();
        until_found(&mut talk, "bittern", &["Moved/Bird.md"]);
        fs::remove_dir_all(desk.vault().join("Moved")).unwrap();
        until_found(&mut talk, "bittern", &[]);
        assert_eq!(talk.end().0, Some(0));
    }
}

#[test]
fn what_a_tool_wrote_is_found_at_once() {
    let desk = Desk::new();
    let mut talk = Talk::start(&desk, Revision::June2025);
    until_found(&mut talk, "quack", &["Inbox/Untitled idea.md"]);
    until(&Value::Null, || {
        found(&mut talk, "varroa")["notice"].clone().as_str().filter(|notice| notice.contains("still")).into()
    });
    let sources = |talk: &mut Talk, query: &str| column(&found(talk, query)["results"], "source");
    talk.call("create_file", &json!({ "path": "Bird", "content": "A spoonbill. [[Home]]\n" }));
    assert_eq!(sources(&mut talk, "spoonbill"), ["Bird.md"]);
    let links = talk.call("find_backlinks", &json!({ "note_name": "Bird" }));
    assert_eq!(links["structuredContent"]["total"], 0);
    talk.call("append_to_file", &json!({ "path": "Bird", "content": "And an egret." }));
    assert_eq!(sources(&mut talk, "egret"), ["Bird.md"]);
    talk.call("move_file", &json!({ "source": "Bird", "destination": "Birds/Wader" }));
    assert_eq!(sources(&mut talk, "egret"), ["Birds/Wader.md"]);
    talk.call("delete_file", &json!({ "path": "Birds/Wader" }));
    assert_eq!(sources(&mut talk, "egret"), Vec::<String>::new());
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn a_link_that_another_program_wrote_is_followed_back() {
    let desk = Desk::new();
    let mut talk = Talk::start(&desk, Revision::June2025);
    let back = |talk: &mut Talk| {
        let answer = talk.call("find_backlinks", &json!({ "note_name": "Knots" }));
        answer["structuredContent"].clone()
    };
    assert_eq!(back(&mut talk)["total"], 0);
    desk.save("Rope.md", "See [[knots|how to tie it]].\n");
    until(&json!(1), || back(&mut talk)["total"].clone());
    assert!(back(&mut talk).to_string().contains("Rope.md"));
    desk.save("Rope.md", "No link.\n");
    until(&json!(0), || back(&mut talk)["total"].clone());
    assert_eq!(talk.end().0, Some(0));
}

fn listed(talk: &mut Talk, tool: &str, args: &Value) -> Vec<String> {
    let answer = talk.call(tool, args)["structuredContent"].clone();
    let results = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
    results.iter().map(|path| path.as_str().unwrap().to_owned()).collect()
}

/// A server on this desk that has indexed everything.
fn level(desk: &Desk, variable: &str, value: &str) -> Talk {
    let mut command = desk.here();
    command.env(variable, value);
    let mut talk = Talk::of(command, Revision::July2026, &[]);
    talk.ask("tools/list", json!({}));
    until(&Value::Null, || {
        found(&mut talk, "varroa")["notice"].clone().as_str().filter(|notice| notice.contains("still")).into()
    });
    talk
}

#[test]
fn what_another_program_did_is_in_the_very_next_answer() {
    let desk = Desk::new();
    let mut talk = level(&desk, "WELLREAD_MCP_PRIVATE", "true");
    let folder =
        |talk: &mut Talk| listed(talk, "search_by_folder", &json!({ "folder": "New", "recursive": true }));
    let field = |talk: &mut Talk, value: &str| {
        listed(talk, "list_files_by_frontmatter", &json!({ "field": "mood", "value": value }))
    };
    let back = |talk: &mut Talk| listed(talk, "find_backlinks", &json!({ "path": "Knots" }));
    let words = |talk: &mut Talk, query: &str| column(&found(talk, query)["results"], "source");
    for round in 0..10 {
        desk.save("New/Rope.md", format!("---\nmood: calm{round}\n---\n[[Knots]] hemp{round}\n"));
        assert_eq!(words(&mut talk, &format!("hemp{round}")), ["New/Rope.md"]);
        assert_eq!(folder(&mut talk), ["New/Rope.md"]);
        assert_eq!(field(&mut talk, &format!("calm{round}")), ["New/Rope.md"]);
        assert_eq!(back(&mut talk), ["New/Rope.md"]);
        // The same length, in the same moment.
        desk.save("New/Rope.md", format!("---\nmood: wild{round}\n---\n[[Knuts]]\n"));
        assert_eq!(field(&mut talk, &format!("calm{round}")), [""; 0]);
        assert_eq!(field(&mut talk, &format!("wild{round}")), ["New/Rope.md"]);
        assert_eq!(back(&mut talk), [""; 0]);
        fs::rename(desk.vault().join("New/Rope.md"), desk.vault().join("New/Cord.md")).unwrap();
        assert_eq!(folder(&mut talk), ["New/Cord.md"]);
        fs::create_dir(desk.vault().join("New/Empty")).unwrap();
        assert_eq!(listed(&mut talk, "search_by_folder", &json!({ "folder": "New/Empty" })), [""; 0]);
        desk.save("New/Cord.md", format!("---\nmood: wild{round}\n---\nsisal{round}\n"));
        fs::rename(desk.vault().join("New"), desk.vault().join("Old")).unwrap();
        // Everything is looked at, and waited for.
        assert_eq!(words(&mut talk, &format!("sisal{round}")), ["Old/Cord.md"]);
        assert!(talk.call("search_by_folder", &json!({ "folder": "New" })).to_string().contains("not found"));
        assert_eq!(field(&mut talk, &format!("wild{round}")), ["Old/Cord.md"]);
        fs::remove_dir_all(desk.vault().join("Old")).unwrap();
        assert_eq!(field(&mut talk, &format!("wild{round}")), [""; 0]);
        assert!(talk.call("search_by_folder", &json!({ "folder": "Old" })).to_string().contains("not found"));
    }
    assert_eq!(talk.end().0, Some(0));
}

/// Keeps every process from writing to the index, as long as it is not dropped.
fn hold_index(desk: &Desk) -> rusqlite::Connection {
    let mut vaults = fs::read_dir(desk.data().join("vaults")).unwrap();
    let index = vaults.next().unwrap().unwrap().path().join("index.db");
    let connection = rusqlite::Connection::open(index).unwrap();
    connection.busy_timeout(PATIENCE).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection
}

fn says_behind(answer: &Value) -> bool {
    answer["notice"].as_str().is_some_and(|notice| notice.contains("the latest changes"))
}

#[test]
fn an_answer_that_can_not_wait_for_changes_says_so() {
    let desk = Desk::new();
    let mut talk = level(&desk, "WELLREAD_MCP_PRIVATE", "true");
    until(&false, || says_behind(&found(&mut talk, "spoonbill")));
    let held = hold_index(&desk);
    desk.save("Bird.md", "A spoonbill.\n");
    let answer = found(&mut talk, "spoonbill");
    assert!(says_behind(&answer) && answer["results"] == json!([]), "{answer}");
    drop(held);
    until(&false, || says_behind(&found(&mut talk, "spoonbill")));
    assert_eq!(column(&found(&mut talk, "spoonbill")["results"], "source"), ["Bird.md"]);
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn the_first_answers_of_a_server_say_that_the_files_are_still_being_looked_at() {
    let desk = Desk::new();
    desk.run(["index", "--json"]).done();
    desk.save("Bird.md", "A spoonbill.\n");
    let held = hold_index(&desk);
    let mut talk = Talk::start(&desk, Revision::June2025);
    let answer = found(&mut talk, "spoonbill");
    assert!(says_behind(&answer) && answer["results"] == json!([]), "{answer}");
    drop(held);
    until(&false, || says_behind(&found(&mut talk, "spoonbill")));
    assert_eq!(column(&found(&mut talk, "spoonbill")["results"], "source"), ["Bird.md"]);
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn research_waits_for_changes_that_are_being_written() {
    let desk = Desk::new();
    let mut talk = level(&desk, "WELLREAD_MCP_PRIVATE", "true");
    let held = hold_index(&desk);
    desk.save("Bird.md", "# Spoonbill\n\nThe spoonbill weighs 1300 grams.\n");
    std::thread::scope(|scope| {
        // Longer than a search waits.
        scope.spawn(move || {
            std::thread::sleep(Duration::from_secs(3));
            drop(held);
        });
        let answer = talk.call("research", &json!({ "query": "How much does the spoonbill weigh?" }));
        assert!(answer.to_string().contains("1300"), "{answer}");
    });
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn where_changes_are_not_heard_of_any_more_a_search_looks_at_the_files() {
    let desk = Desk::new();
    let mut talk = level(&desk, "WELLREAD_MCP_PRIVATE", "true");
    until(&false, || says_behind(&found(&mut talk, "spoonbill")));
    // The vault that is open is the folder, whatever it is called.
    let moved = desk.folder().join("moved");
    fs::rename(desk.vault(), &moved).unwrap();
    for name in ["spoonbill", "egret", "heron"] {
        fs::write(moved.join("Bird.md"), format!("One {name}.\n")).unwrap();
        assert_eq!(column(&found(&mut talk, name)["results"], "source"), ["Bird.md"]);
    }
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn what_comes_in_another_place_or_by_another_name_is_in_the_very_next_answer() {
    let desk = Desk::new();
    desk.save("A/Rope.md", "[[Knots]] hemp\n");
    desk.save("B/Rope.md", "sisal\n");
    desk.save("A/Cord.md", "jute\n");
    std::os::unix::fs::symlink("Later.md", desk.vault().join("Alias.md")).unwrap();
    let mut talk = level(&desk, "WELLREAD_MCP_PRIVATE", "true");
    let at = |path: &str| desk.vault().join(path);
    let back = |talk: &mut Talk| listed(talk, "find_backlinks", &json!({ "path": "Knots" }));
    let words = |talk: &mut Talk, query: &str| {
        let mut sources = column(&found(talk, query)["results"], "source");
        sources.sort();
        sources
    };
    assert_eq!(back(&mut talk), ["A/Rope.md"]);
    // Two folders change places: the files in them keep their times.
    rustix::fs::renameat_with(
        rustix::fs::CWD,
        at("A"),
        rustix::fs::CWD,
        at("B"),
        rustix::fs::RenameFlags::EXCHANGE,
    )
    .unwrap();
    assert_eq!(
        (back(&mut talk), words(&mut talk, "hemp")),
        (vec!["B/Rope.md".to_owned()], vec!["B/Rope.md".to_owned()])
    );
    assert_eq!(words(&mut talk, "sisal"), ["A/Rope.md"]);
    desk.save("A/Rope.md", "[[Knots]] sisal\n");
    desk.save("B/Rope.md", "hemp\n");
    assert_eq!(back(&mut talk), ["A/Rope.md"]);
    // Another case.
    fs::rename(at("B/Cord.md"), at("B/CORD.md")).unwrap();
    assert_eq!(words(&mut talk, "jute"), ["B/CORD.md"]);
    // A link that led nowhere.
    desk.save("Later.md", "[[Knots]]\n");
    assert_eq!(back(&mut talk), ["A/Rope.md", "Alias.md", "Later.md"]);
    // A note with another name outside, by which it is written.
    fs::hard_link(at("B/Rope.md"), desk.folder().join("outside.md")).unwrap();
    fs::set_permissions(at("B/Rope.md"), fs::metadata(at("B/Rope.md")).unwrap().permissions()).unwrap();
    assert_eq!(back(&mut talk), ["A/Rope.md", "Alias.md", "Later.md"]);
    fs::write(desk.folder().join("outside.md"), "[[Knots]] again\n").unwrap();
    talk.call("move_file", &json!({ "source": "Reading/Knots", "destination": "Reading/Bends" }));
    assert_eq!(desk.text("B/Rope.md"), "[[Bends]] again\n");
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn what_becomes_private_is_gone_from_the_very_next_answer() {
    let desk = Desk::new();
    let marked = |private: &str| format!("---\nmood: calm\n{private}---\n[[Knots]]\n");
    for name in ["One.md", "Two.md", "Three.md"] {
        desk.save(&format!("Open/{name}"), marked(""));
    }
    desk.save("Private/Key.md", "x\n");
    std::os::unix::fs::symlink("Three.md", desk.vault().join("Open/Alias.md")).unwrap();
    let mut talk = level(&desk, "WELLREAD_VAULT_PRIVATE_FOLDERS", "Private");
    let check = |talk: &mut Talk, names: &[&str]| {
        let paths: Vec<String> = names.iter().map(|name| format!("Open/{name}.md")).collect();
        assert_eq!(listed(talk, "search_by_folder", &json!({ "folder": "Open" })), paths);
        let by_field = json!({ "field": "mood", "value": "calm" });
        assert_eq!(listed(talk, "list_files_by_frontmatter", &by_field), paths);
        assert_eq!(listed(talk, "find_backlinks", &json!({ "path": "Knots" })), paths);
    };
    check(&mut talk, &["Alias", "One", "Three", "Two"]);
    desk.save("Open/One.md", marked("private: true\n"));
    check(&mut talk, &["Alias", "Three", "Two"]);
    desk.save("Open/One.md", marked(""));
    check(&mut talk, &["Alias", "One", "Three", "Two"]);
    // Another name in a private folder makes the note private, under each of its names.
    fs::hard_link(desk.vault().join("Open/Two.md"), desk.vault().join("Private/Two.md")).unwrap();
    check(&mut talk, &["Alias", "One", "Three"]);
    fs::remove_file(desk.vault().join("Private/Two.md")).unwrap();
    check(&mut talk, &["Alias", "One", "Three", "Two"]);
    // A link shows what it leads to, which changes at another path.
    desk.save("Open/Three.md", marked("private: true\n"));
    check(&mut talk, &["One", "Two"]);
    desk.save("Open/Three.md", marked(""));
    check(&mut talk, &["Alias", "One", "Three", "Two"]);
    fs::rename(desk.vault().join("Open/Three.md"), desk.vault().join("Private/Three.md")).unwrap();
    check(&mut talk, &["One", "Two"]);
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn changes_to_a_repository_beside_the_vault_are_followed() {
    let desk = Desk::new();
    desk.add_code();
    fs::create_dir(desk.code().join("Private")).unwrap();
    fs::create_dir_all(desk.home().join(".config/wellread")).unwrap();
    let settings = desk.home().join(".config/wellread/config.toml");
    let kept = fs::read_to_string(&settings).unwrap();
    // What is excluded from the vault is not excluded from code.
    fs::write(&settings, format!("{kept}\n[vault]\nexcluded = [\"Private\"]\n")).unwrap();
    let mut talk = Talk::start(&desk, Revision::June2025);
    until_found(&mut talk, "quack", &["Inbox/Untitled idea.md"]);
    until(&Value::Null, || {
        found(&mut talk, "varroa")["notice"].clone().as_str().filter(|notice| notice.contains("still")).into()
    });
    fs::write(desk.code().join("Private/bird.py"), "def spoonbill():\n    pass\n").unwrap();
    // The index is one for all processes. The state of a file in it is what the server made of it.
    until(&json!("indexed"), || {
        let status = desk.run(["status", "--files", "--json"]).done();
        let rows = status["file_list"].as_array().unwrap();
        let row = rows.iter().find(|row| row["path"] == "hivelog:Private/bird.py");
        row.map_or(Value::Null, |row| row["index"].clone())
    });
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn a_storm_of_changes_ends_in_a_right_index() {
    let desk = Desk::bare();
    for n in 0..5000 {
        desk.save(&format!("Notes {}/{n}.md", n / 100), format!("old{n} stale\n"));
    }
    let mut talk = Talk::start(&desk, Revision::June2025);
    until(&1000, || found(&mut talk, "stale")["results"].as_array().unwrap().len());
    for n in 0..5000 {
        let path = format!("Notes {}/{n}.md", n / 100);
        match n % 5 {
            0 => fs::remove_file(desk.vault().join(path)).unwrap(),
            1 => fs::rename(desk.vault().join(&path), desk.vault().join(format!("{path}.moved.md"))).unwrap(),
            _ => desk.save(&path, format!("new{n} fresh\n")),
        }
    }
    fs::rename(desk.vault().join("Notes 7"), desk.vault().join("Elsewhere")).unwrap();
    desk.save("Last.md", "spoonbill\n");
    until_found(&mut talk, "spoonbill", &["Last.md"]);
    // 702 is one that was changed and then moved with its folder, 51 was renamed, 50 is gone.
    until_found(&mut talk, "new702", &["Elsewhere/702.md"]);
    until_found(&mut talk, "old51", &["Notes 0/51.md.moved.md"]);
    until_found(&mut talk, "old50", &[]);
    until_found(&mut talk, "new4999", &["Notes 49/4999.md"]);
    until_found(&mut talk, "old4999", &[]);
    assert_eq!(talk.end().0, Some(0));
    // Nothing is left to be done by a run that looks at every file.
    let answer = desk.run(["index", "--json"]).done();
    assert_eq!(
        (&answer["added"], &answer["changed"], &answer["removed"], &answer["unchanged"]),
        (&json!(0), &json!(0), &json!(0), &json!(4001)),
        "{answer}"
    );
}

#[test]
fn an_index_run_that_watches_follows_the_files_until_it_is_told_to_end() {
    let desk = Desk::new();
    let mut command = desk.here();
    command.args(["index", "--watch", "--json"]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running = Running(command.spawn().unwrap());
    let stdout = running.0.stdout.take().unwrap();
    let answer = serde_json::Deserializer::from_reader(stdout).into_iter::<Value>().next().unwrap().unwrap();
    assert_eq!(answer["added"], 60, "{answer}");
    let state = || {
        let status = desk.run(["status", "--files", "--json"]).done();
        let rows = status["file_list"].as_array().unwrap();
        rows.iter().find(|row| row["path"] == "Bird.md").map_or(Value::Null, |row| row["index"].clone())
    };
    desk.save("Bird.md", "A spoonbill.\n");
    until(&json!("indexed"), state);
    kill_process(Pid::from_child(&running.0), Signal::INT).unwrap();
    until(&Some(130), || running.0.try_wait().unwrap().and_then(|status| status.code()));
    assert_eq!(desk.search(&["spoonbill"])["results"][0]["path"], "Bird.md");
}

#[test]
fn a_server_that_is_hung_up_on_while_it_indexes_ends_and_the_next_goes_on() {
    let desk = Desk::bare();
    large_vault::write_vault(&desk.vault(), 3000).unwrap();
    let mut talk = Talk::start(&desk, Revision::June2025);
    talk.ask("tools/list", json!({}));
    // Ends within the patience of `end`, with the work not done.
    let (status, _, errors) = talk.end();
    assert_eq!(status, Some(0), "{errors}");
    let mut talk = Talk::start(&desk, Revision::June2025);
    until(&Value::Null, || {
        found(&mut talk, "varroa")["notice"].clone().as_str().filter(|notice| notice.contains("still")).into()
    });
    assert_eq!(talk.end().0, Some(0));
    assert_eq!(desk.run(["index", "--json"]).done()["unchanged"], 3001);
}

#[test]
fn a_server_that_is_hung_up_on_while_it_embeds_ends_and_keeps_what_was_made() {
    let desk = Desk::bare().with_model();
    // Short ones, so that even a slow machine has some vectors soon, and many, so that it has not all of them.
    for n in 0..4000 {
        desk.save(&format!("{}/{n}.md", n / 100), format!("Honey and wax, {n}.\n"));
    }
    let mut talk = Talk::start(&desk, Revision::June2025);
    // Searches are answered meanwhile, and say how far it has come.
    until(&true, || {
        let answer =
            talk.call("search_vault", &json!({ "query": "honey and wax" }))["structuredContent"].clone();
        assert_eq!(answer["mode"], "hybrid");
        let notice = answer["notice"].as_str().unwrap_or_else(|| panic!("all are made: {answer}"));
        notice.contains("passages have vectors") && !notice.starts_with("0 of")
    });
    let (status, _, errors) = talk.end();
    assert_eq!(status, Some(0), "{errors}");
    let kept = desk.run(["status", "--json"]).done()["vectors"].clone();
    assert!(kept["done"].as_u64() > Some(0) && kept["pending"].as_u64() > Some(0), "{kept}");
}
