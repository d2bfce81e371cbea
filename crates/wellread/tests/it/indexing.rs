//! `wellread index` and `wellread status`: what the index knows, what it could not take in, and that it mends itself.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::thread;

use serde_json::{Value, json};
use wellread_testkit::large_vault;
use wellread_testkit::skip;

use crate::desk::{Desk, Ran, column, fifo};

fn index(desk: &Desk, args: &[&str]) -> Value {
    desk.run(["index", "--json"].iter().chain(args)).done()
}

/// Added, changed, removed, unchanged.
fn counts(answer: &Value) -> [u64; 4] {
    ["added", "changed", "removed", "unchanged"].map(|name| answer[name].as_u64().unwrap())
}

fn found(desk: &Desk, query: &str) -> Vec<String> {
    column(&desk.search(&[query, "--mode", "keyword", "-k", "100"])["results"], "path")
}

/// The index' own file.
fn file(desk: &Desk) -> PathBuf {
    let vaults: Vec<PathBuf> =
        fs::read_dir(desk.data().join("vaults")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [only] = vaults.as_slice() else { panic!("{vaults:?}") };
    only.join("index.db")
}

#[test]
fn an_index_run_says_what_it_did() {
    let desk = Desk::bare();
    for name in ["a", "b", "c"] {
        desk.save(&format!("{name}.md"), format!("# {name}\n\nThe {name} heron.\n"));
    }
    desk.save("picture.png", [1, 2, 3]);
    let first = index(&desk, &[]);
    let mut fields: Vec<&str> = first.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "added",
            "changed",
            "chunks",
            "notice",
            "removed",
            "skipped",
            "success",
            "took_ms",
            "unchanged",
            "vectors_pending"
        ]
    );
    assert_eq!(counts(&first), [4, 0, 0, 0]);
    assert_eq!(
        (&first["chunks"], &first["vectors_pending"], &first["skipped"]),
        (&json!(3), &json!(3), &json!([]))
    );
    assert!(first["notice"].as_str().unwrap().contains("wellread model install"), "{first}");

    assert_eq!(counts(&index(&desk, &[])), [0, 0, 0, 4]);
    desk.save("a.md", "# a\n\nNow an egret.\n");
    fs::remove_file(desk.vault().join("b.md")).unwrap();
    desk.save("Deep/er/d.md", "A bittern.\n");
    assert_eq!(counts(&index(&desk, &[])), [1, 1, 1, 2]);
    assert_eq!(
        (found(&desk, "heron"), found(&desk, "egret")),
        (vec!["c.md".to_owned()], vec!["a.md".to_owned()])
    );
    fs::rename(desk.vault().join("c.md"), desk.vault().join("Deep/c.md")).unwrap();
    assert_eq!(counts(&index(&desk, &[])), [1, 0, 1, 3]);
    assert_eq!(found(&desk, "heron"), ["Deep/c.md"]);

    let shown = desk.run(["index"]);
    assert!(
        shown.stdout.starts_with("0 added, 0 changed, 0 removed, 4 unchanged: 3 passages, in "),
        "{shown:?}"
    );
}

#[test]
fn everything_read_again_comes_to_the_same() {
    let desk = Desk::new();
    let first = index(&desk, &[]);
    let again = index(&desk, &["--full"]);
    assert_eq!(counts(&again), [0, 0, 0, counts(&first)[0]]);
    assert_eq!(again["chunks"], first["chunks"]);
    assert_eq!(found(&desk, "KESTREL-88"), ["Inbox/Honey sales.md"]);
}

#[test]
fn a_change_is_found_by_content_and_not_by_date() {
    let desk = Desk::bare();
    desk.save("a.md", "one heron\n");
    let path = desk.vault().join("a.md");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
    index(&desk, &[]);
    // The same size and the same date.
    fs::write(&path, "one egret\n").unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
    assert_eq!(counts(&index(&desk, &[])), [0, 1, 0, 0]);
    // Another date and the same content.
    fs::File::options().write(true).open(&path).unwrap().set_modified(std::time::SystemTime::now()).unwrap();
    assert_eq!(counts(&index(&desk, &[])), [0, 0, 0, 1]);
    assert_eq!(found(&desk, "egret"), ["a.md"]);
}

#[test]
fn the_status_tells_how_much_can_be_found() {
    let desk = Desk::new();
    desk.add_code();
    let before = desk.run(["status", "--json"]).done();
    assert_eq!(
        (&before["notes"], &before["files"], &before["pending"]),
        (&json!(59), &json!(60), &before["pending"])
    );
    assert!(before["pending"].as_u64() >= Some(60), "{before}");
    let made = index(&desk, &[]);
    let status = desk.run(["status", "--json"]).done();
    assert_eq!(
        (&status["chunks"], &status["pending"], &status["skipped"]),
        (&made["chunks"], &json!(0), &json!([]))
    );
    assert_eq!((&status["vectors"]["done"], &status["model"]), (&json!(0), &Value::Null));
    assert_eq!(status["vectors"]["pending"], made["vectors_pending"]);
    assert!(status["index_bytes"].as_u64() > Some(10_000), "{status}");
    let repos = status["repos"].as_array().unwrap();
    assert_eq!((repos.len(), &repos[0]["name"]), (1, &json!("hivelog")));
    assert!(repos[0]["files"].as_u64() > Some(10) && repos[0]["path"].is_string(), "{status}");
    assert!(status.get("file_list").is_none());
    let listed = desk.run(["status", "--files", "--json"]).done();
    let rows = listed["file_list"].as_array().unwrap();
    let state = |path: &str| rows.iter().find(|row| row["path"] == path).unwrap()["index"].clone();
    assert_eq!((state("Home.md"), state("Attachments/hive.png")), (json!("indexed"), json!("named")));
    assert_eq!(state("hivelog:rust/src/swarm.rs"), "indexed");
    desk.save("Home.md", "changed\n");
    assert_eq!(desk.run(["status", "--json"]).done()["pending"], 1);
}

#[test]
fn every_bad_file_is_listed_with_its_reason_and_all_others_are_indexed() {
    let desk = Desk::new();
    let vault = desk.vault();
    desk.save("Bad/one line.md", "heron ".repeat(10 << 20 >> 1));
    desk.save("Bad/nine.md", "heron and egret\n".repeat((9 << 20) / 16));
    desk.save("Bad/binary.md", [b'h', b'e', 0, 159, 146, 150]);
    desk.save("Bad/zeros.md", "heron\0heron");
    desk.save("Bad/latin1.md", b"heron caf\xe9 [[Home]]");
    fifo(&vault.join("Bad/pipe.md"));
    symlink("loop b.md", vault.join("Bad/loop a.md")).unwrap();
    symlink("loop a.md", vault.join("Bad/loop b.md")).unwrap();
    symlink("..", vault.join("Bad/up")).unwrap();
    // These are text like any other, however hard they are to take apart: they are found.
    let bomb = "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]\ng: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f]\nh: [*g, *g, *g, *g, *g, *g, *g, *g, *g]\n";
    desk.save("Hard/aliases.md", format!("---\n{bomb}---\nspoonbill\n"));
    desk.save(
        "Hard/deep yaml.md",
        format!("---\na: {}{}\n---\nspoonbill\n", "[".repeat(50_000), "]".repeat(50_000)),
    );
    desk.save("Hard/twice.md", "---\na: 1\na: 2\n---\nspoonbill\n");
    desk.save("Hard/broken.md", "---\ntags: [a, b\nkey: : :\n---\nspoonbill\n");
    desk.save("Hard/open.md", "---\ntags: [a]\nspoonbill\n");
    desk.save("Hard/quotes.md", format!("{} spoonbill\n", ">".repeat(50_000)));
    desk.save("Hard/brackets.md", format!("{} spoonbill\n", "[".repeat(100_000)));
    desk.save("Hard/links.md", format!("{} spoonbill\n", "[[a".repeat(50_000)));
    desk.save("Hard/emphasis.md", format!("{} spoonbill\n", "*a_".repeat(50_000)));
    desk.save("Hard/headings.md", format!("{}spoonbill\n", "# h\n".repeat(20_000)));
    desk.save("Hard/fences.md", format!("{}spoonbill\n", "```\n".repeat(20_001)));
    desk.save("Hard/html.md", format!("{} spoonbill\n", "<div>".repeat(50_000)));
    desk.save("Hard/empty.md", "");
    desk.save("Hard/mark alone.md", "\u{feff}");
    let answer = index(&desk, &[]);
    let status = desk.run(["status", "--files", "--json"]).done();
    for (path, reason) in [
        ("Bad/one line.md", "larger than 8 MiB"),
        ("Bad/nine.md", "larger than 8 MiB"),
        ("Bad/binary.md", "binary"),
        ("Bad/zeros.md", "binary"),
        ("Bad/latin1.md", "not UTF-8"),
        ("Bad/pipe.md", "not a regular file"),
        ("Bad/loop a.md", "too many links"),
        ("Bad/loop b.md", "too many links"),
        ("Bad/up", "a link to a folder"),
    ] {
        for (said, by) in [(&answer["skipped"], "index"), (&status["skipped"], "status")] {
            let row = said.as_array().unwrap().iter().find(|row| row["path"] == path);
            let row = row.unwrap_or_else(|| panic!("{path} is not in {by}: {said:#}"));
            assert!(row["reason"].as_str().unwrap().contains(reason), "{by}: {row}");
        }
    }
    let mut spoonbills = found(&desk, "spoonbill");
    spoonbills.sort();
    let mut hard: Vec<String> = fs::read_dir(vault.join("Hard"))
        .unwrap()
        .map(|entry| format!("Hard/{}", entry.unwrap().file_name().to_str().unwrap()))
        .filter(|path| !["Hard/empty.md", "Hard/mark alone.md"].contains(&path.as_str()))
        .collect();
    hard.sort();
    spoonbills.dedup();
    assert_eq!(spoonbills, hard);
    assert_eq!(found(&desk, "KESTREL-88"), ["Inbox/Honey sales.md"]);
    assert_eq!(found(&desk, "heron"), Vec::<String>::new());
    // Where a note that is not UTF-8 links to is known all the same.
    let links = desk.tool("find_backlinks", &json!({ "note_name": "Home" })).done();
    assert!(links.to_string().contains("Bad/latin1.md"), "{links}");
    let rows = status["file_list"].as_array().unwrap();
    let indexed = rows.iter().filter(|row| row["index"] == "indexed").count();
    assert_eq!(indexed, 59 + hard.len() + 2, "{rows:#?}");
}

#[test]
fn a_line_of_ten_megabytes_in_small_enough_a_note_is_found() {
    let desk = Desk::bare();
    desk.save("long.md", format!("{} spoonbill\n", "heron ".repeat(1_000_000)));
    desk.save("short.md", "A spoonbill.\n");
    let answer = desk.search(&["spoonbill", "--mode", "keyword"]);
    let rows = answer["results"].as_array().unwrap();
    let mut paths = column(&answer["results"], "path");
    paths.sort();
    assert_eq!(paths, ["long.md", "short.md"]);
    for row in rows {
        let text = row["text"].as_str().unwrap();
        assert!(text.contains("spoonbill") && text.len() < 10_000, "{} bytes", text.len());
        let (start, end) =
            (row["start_byte"].as_u64().unwrap() as usize, row["end_byte"].as_u64().unwrap() as usize);
        assert_eq!(&desk.text(row["path"].as_str().unwrap())[start..end], text);
    }
}

#[test]
fn what_can_not_be_read_is_listed_and_found_once_it_can() {
    if rustix::process::geteuid().is_root() {
        skip("an administrator may read every file");
        return;
    }
    let desk = Desk::bare();
    desk.save("shut.md", "heron\n");
    desk.save("open.md", "heron\n");
    let mode =
        |mode| fs::set_permissions(desk.vault().join("shut.md"), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o000);
    let answer = index(&desk, &[]);
    assert!(answer["skipped"][0]["reason"].as_str().unwrap().contains("permission denied"), "{answer}");
    assert_eq!(found(&desk, "heron"), ["open.md"]);
    mode(0o644);
    assert_eq!(found(&desk, "heron").len(), 2);
}

#[test]
fn a_bad_file_that_was_mended_is_found() {
    let desk = Desk::bare();
    desk.save("a.md", b"caf\xe9 heron");
    assert_eq!(index(&desk, &[])["skipped"][0]["path"], "a.md");
    desk.save("a.md", "café heron");
    let answer = index(&desk, &[]);
    assert_eq!((&answer["skipped"], found(&desk, "heron")), (&json!([]), vec!["a.md".to_owned()]));
    desk.save("a.md", b"caf\xe9 heron");
    assert_eq!(index(&desk, &[])["skipped"][0]["path"], "a.md");
    assert_eq!(found(&desk, "heron"), Vec::<String>::new());
}

/// Writes over a part of the file.
fn damage(path: &PathBuf, at: u64, bytes: &[u8]) {
    let mut file = fs::File::options().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn a_damaged_index_is_noticed_and_made_anew() {
    let desk = Desk::new();
    index(&desk, &[]);
    let path = file(&desk);
    let size = fs::metadata(&path).unwrap().len();
    assert!(size > 40_000, "{size}");
    let junk = vec![0xa5; 8192];
    for (what, at) in [("head", 0), ("schema", 100), ("middle", size / 2 / 4096 * 4096), ("end", size - 8192)]
    {
        damage(&path, at, &junk);
        let ran = desk.run(["index", "--json"]);
        let answer = ran.done();
        assert!(ran.stderr.contains("the index was rebuilt"), "{what}: {ran:?}");
        assert_eq!(counts(&answer), [60, 0, 0, 0], "{what}");
        assert_eq!(found(&desk, "KESTREL-88"), ["Inbox/Honey sales.md"], "{what}");
        assert_eq!(counts(&index(&desk, &[])), [0, 0, 0, 60], "{what}");
    }
    // One bit in the middle of a page breaks no structure, and is noticed all the same.
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.len() / 2 + 1000;
    bytes[at] ^= 4;
    fs::write(&path, &bytes).unwrap();
    let ran = desk.run(["index", "--json"]);
    assert!(ran.done().is_object() && ran.stderr.contains("the index was rebuilt"), "{ran:?}");
}

#[test]
fn an_index_run_reads_the_whole_index_even_if_nobody_touched_it() {
    let desk = Desk::new();
    index(&desk, &[]);
    // A seal that is wrong about the content and right about everything that the file system says.
    let seal = file(&desk).with_extension("db.seal");
    let text = fs::read_to_string(&seal).unwrap();
    let (_, stamp) = text.split_once(' ').unwrap();
    fs::write(&seal, format!("{} {stamp}", "0".repeat(64))).unwrap();
    let ran = desk.run(["index", "--json"]);
    assert!(ran.done().is_object() && ran.stderr.contains("the index was rebuilt"), "{ran:?}");
}

#[test]
fn other_exclusions_count_from_the_next_search_on_however_many_files_there_are() {
    let desk = Desk::bare();
    // More than a search looks at before it answers.
    for n in 0..3100 {
        desk.save(&format!("{}/{n}.md", n / 100), format!("note {n}\n"));
    }
    desk.save("Diary/Day.md", "A spoonbill.\n");
    desk.save("Attic/Box.md", "A bittern.\n");
    let found = |excluded: &str, query: &str| {
        let mut command = desk.here();
        command.env("WELLREAD_VAULT_EXCLUDED", excluded).args(["search", "--json", query]);
        column(&Ran::of(&mut command).json()["results"], "path")
    };
    assert_eq!(found("Attic", "spoonbill"), ["Diary/Day.md"]);
    assert_eq!(found("Attic", "bittern"), [""; 0]);
    assert_eq!(found("Diary", "spoonbill"), [""; 0]);
    assert_eq!(found("Diary", "bittern"), ["Attic/Box.md"]);
}

#[test]
fn a_search_in_a_damaged_index_answers_from_a_new_one() {
    let desk = Desk::new();
    let right = column(&desk.search(&["varroa", "-k", "20"])["results"], "path");
    let path = file(&desk);
    for (what, act) in [
        ("the head is gone", (|path| damage(path, 0, &[0; 200])) as fn(&PathBuf)),
        ("no database", |path| {
            fs::write(path, "not a database, and not short either ".repeat(1000)).unwrap();
        }),
        ("cut in half", |path| {
            let size = fs::metadata(path).unwrap().len();
            fs::File::options().write(true).open(path).unwrap().set_len(size / 2).unwrap();
        }),
        ("empty", |path| fs::write(path, "").unwrap()),
        ("pages of junk", |path| {
            let size = fs::metadata(path).unwrap().len();
            damage(path, 4096, &vec![0x5a; size as usize - 4096]);
        }),
    ] {
        act(&path);
        let ran = desk.run(["search", "varroa", "-k", "20", "--json"]);
        assert_eq!(column(&ran.done()["results"], "path"), right, "{what}");
        if what != "empty" {
            assert!(ran.stderr.contains("the index was rebuilt"), "{what}: {ran:?}");
        }
        let again = desk.run(["search", "varroa", "-k", "20", "--json"]);
        assert!(!again.stderr.contains("rebuilt"), "{what}: {again:?}");
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(column(&desk.search(&["varroa", "-k", "20"])["results"], "path"), right);
}

#[test]
fn each_vault_has_an_index_of_its_own() {
    let (desk, other) = (Desk::bare(), Desk::bare());
    desk.save("a.md", "heron here\n");
    other.save("b.md", "heron there\n");
    let search = |vault: &Desk| {
        let mut command = vault.command();
        command.arg("--vault").arg(vault.vault()).arg("--data").arg(desk.data());
        column(&Ran::of(command.args(["search", "heron", "--json"])).done()["results"], "path")
    };
    for _ in 0..2 {
        assert_eq!((search(&desk), search(&other)), (vec!["a.md".to_owned()], vec!["b.md".to_owned()]));
    }
}

#[test]
fn the_index_of_another_vault_is_not_taken_for_this_ones() {
    let (desk, other) = (Desk::bare(), Desk::bare());
    desk.save("a.md", "heron here\n");
    other.save("b.md", "heron there\n");
    assert_eq!((found(&desk, "heron").len(), found(&other, "heron").len()), (1, 1));
    let (own, foreign) = (file(&desk), file(&other));
    let _ = fs::remove_file(own.with_extension("db.seal"));
    fs::copy(foreign, &own).unwrap();
    let ran = desk.run(["search", "heron", "--json"]);
    assert_eq!(column(&ran.done()["results"], "path"), ["a.md"]);
    assert!(ran.stderr.contains("belongs to another vault"), "{ran:?}");
}

#[test]
fn a_repository_that_was_taken_off_the_list_leaves_the_index() {
    let desk = Desk::new();
    desk.add_code();
    assert_eq!(desk.search(&["SWARM_DROP_KG", "-k", "1"])["results"][0]["repo"], "hivelog");
    desk.run(["repo", "remove", "hivelog", "--json"]).done();
    assert!(found(&desk, "SWARM_DROP_KG").iter().all(|path| path.ends_with(".md")));
    assert_eq!(desk.run(["status", "--json"]).done()["repos"], json!([]));
}

#[test]
fn a_repository_that_is_away_is_named_and_kept_for_later() {
    let desk = Desk::new();
    desk.add_code();
    let chunks = index(&desk, &[])["chunks"].clone();
    let away = desk.folder().join("unplugged");
    fs::rename(desk.code(), &away).unwrap();
    let ran = desk.run(["index", "--json"]);
    assert_eq!(counts(&ran.done())[2], 0, "{ran:?}");
    assert!(ran.stderr.contains("`hivelog` is skipped"), "{ran:?}");
    assert!(found(&desk, "swarm").iter().all(|path| path.ends_with(".md")));
    fs::rename(&away, desk.code()).unwrap();
    let back = index(&desk, &[]);
    assert_eq!((counts(&back)[0], &back["chunks"]), (0, &chunks));
}

#[test]
fn several_processes_index_and_search_at_once() {
    let desk = Desk::bare();
    large_vault::write_vault(&desk.vault(), 600).unwrap();
    desk.save("Rare.md", "The spoonbill is rare.\n");
    thread::scope(|scope| {
        for round in 0..2 {
            for args in [vec!["index", "--json"], vec!["index", "--full", "--json"], vec!["status", "--json"]]
            {
                let desk = &desk;
                scope.spawn(move || desk.run(args).done());
            }
            for _ in 0..2 {
                let desk = &desk;
                // Each sees to it that the index is complete before it looks.
                scope.spawn(move || assert_eq!(found(desk, "spoonbill"), ["Rare.md"], "{round}"));
            }
        }
    });
    let answer = index(&desk, &[]);
    assert_eq!(counts(&answer), [0, 0, 0, 602]);
    let fresh = Desk::bare();
    large_vault::write_vault(&fresh.vault(), 600).unwrap();
    fresh.save("Rare.md", "The spoonbill is rare.\n");
    assert_eq!(index(&fresh, &[])["chunks"], answer["chunks"]);
    assert_eq!(found(&fresh, "\"linden orchard\""), found(&desk, "\"linden orchard\""));
}

#[test]
fn an_index_run_that_is_ended_is_completed_by_the_next() {
    let desk = Desk::bare();
    large_vault::write_vault(&desk.vault(), 1500).unwrap();
    for wait in [5, 40, 150] {
        let mut command = desk.here();
        let command = command.args(["index", "--json"]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = command.spawn().unwrap();
        // At whatever moment it is caught, the rest must hold.
        thread::sleep(std::time::Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let answer = index(&desk, &[]);
    let [added, changed, removed, unchanged] = counts(&answer);
    assert_eq!((added + unchanged, changed, removed), (1501, 0, 0), "{answer}");
    assert_eq!(counts(&index(&desk, &[])), [0, 0, 0, 1501]);
    assert_eq!(answer["skipped"], json!([]));
}
