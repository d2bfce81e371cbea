//! Open Knowledge Format: fields that research writes, `wellread okf check` and `export`, and what `verify` and `recheck` make
//! of such notes.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::agenda_bench::{Bench, Trap};
use crate::desk::{Desk, Ran, borne_out, column, repository};

const NOTE: &str = "Bees/Varroa mite.md";

/// The binary on this desk, with the fields switched on.
fn with_fields(desk: &Desk, args: &[&str]) -> Ran {
    Ran::of(desk.here().env("WELLREAD_OKF_FIELDS", "on").args(args))
}

fn research(desk: &Desk, note: &str) -> Value {
    with_fields(desk, &["--offline", "note", note, "--apply", "--json"]).done()
}

fn check(desk: &Desk, path: &str) -> (i32, Vec<String>) {
    let ran = desk.run(["okf", "check", path, "--json"]);
    let answer = ran.json();
    let problems = answer["problems"].as_array().unwrap().iter();
    let shown = |one: &Value| {
        format!("{}:{}: {}", one["path"].as_str().unwrap(), one["line"], one["message"].as_str().unwrap())
    };
    (ran.status.unwrap(), problems.map(shown).collect())
}

/// The frontmatter and the rest.
fn parts(text: &str) -> (&str, &str) {
    text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap()
}

#[test]
fn a_researched_note_gets_fields_and_keyed_footnotes_and_one_undo_takes_both_back() {
    let desk = Desk::new();
    let before = desk.text(NOTE);
    let answer = research(&desk, "Bees/Varroa mite");
    let text = desk.text(NOTE);
    let (fields, body) = parts(&text);
    assert!(fields.starts_with(parts(&before).0), "the user's fields stay as they are:\n{fields}");
    assert!(body.starts_with(parts(&before).1.trim_end()), "{body}");
    for part in [
        "\ntype: Note\n",
        "\nsources:\n  - id: ",
        "\n    resource: /",
        "\ngenerated:\n  by: wellread/",
        "\nverified:\n  - by: process:wellread-gate\n    at: ",
        "\nstale_after: ",
    ] {
        assert!(fields.contains(part), "`{part}` is not in\n{fields}");
    }
    let ids: Vec<&str> = fields.lines().filter_map(|line| line.trim_start().strip_prefix("- id: ")).collect();
    assert!(!ids.is_empty());
    for id in &ids {
        assert!(
            body.contains(&format!("[^{id}]: [[")) && body.matches(&format!("[^{id}]")).count() > 1,
            "{id}\n{body}"
        );
    }
    assert_eq!(body.matches("\n[^").count(), ids.len(), "each footnote has its source:\n{text}");
    assert_eq!(check(&desk, NOTE), (0, vec![]), "{text}");
    let verified = desk.run(["verify", "Bees/Varroa mite", "--json"]).done();
    assert!(verified["coverage"]["sentences"].as_u64() > Some(0), "{verified}");
    assert_eq!(borne_out(&verified["coverage"]), verified["coverage"]["sentences"], "{verified}");
    // The fields moved the note's own text, which is quoted in the section: no citation is lost.
    let counts = desk.run(["recheck", "--json"]).done()["counts"].clone();
    let known = counts.as_object().unwrap().keys().all(|state| ["holds", "moved"].contains(&state.as_str()));
    assert!(known && counts["moved"].as_u64() > Some(0), "{counts}");
    // Once more: the sources of the section that is replaced go with it.
    research(&desk, "Bees/Varroa mite");
    let again = desk.text(NOTE);
    let lasting = |text: &str| {
        let lines = parts(text).0.lines();
        let lines = lines.filter(|line| !line.contains(" at: ") && !line.starts_with("stale_after"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lasting(&again), lasting(&text));
    assert_eq!((again.matches("## Research").count(), check(&desk, NOTE)), (1, (0, vec![])), "{again}");
    desk.run(["undo", "--json"]).done();
    assert_eq!(desk.text(NOTE), text);
    desk.run(["undo", answer["operation"].as_str().unwrap(), "--json"]).done();
    assert_eq!(desk.text(NOTE), before);
}

#[test]
fn without_the_setting_nothing_of_it_is_written() {
    let desk = Desk::new();
    let before = desk.text(NOTE);
    desk.run(["--offline", "note", "Bees/Varroa mite", "--apply", "--json"]).done();
    let text = desk.text(NOTE);
    assert!(
        text.starts_with(before.trim_end()) && !text.contains("[^") && !text.contains("wellread/"),
        "{text}"
    );
}

#[test]
fn what_a_dry_run_showed_is_written_with_its_fields() {
    let desk = Desk::new();
    let shown = with_fields(&desk, &["--offline", "note", "Bees/Varroa mite", "--dry-run", "--json"]).done();
    let diff = shown["diff"].as_str().unwrap();
    assert!(diff.contains("+generated:\n") && diff.contains("+## Research\n"), "{diff}");
    // Whatever is set by then.
    let run = shown["run_id"].as_str().unwrap();
    desk.run(["note", "Bees/Varroa mite", "--preview-run", run, "--json"]).done();
    let text = desk.text(NOTE);
    for line in diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++")) {
        assert!(text.contains(&line[1..]), "{line}\n{text}");
    }
}

#[test]
fn fields_of_the_user_stay_and_footnotes_keep_away_from_their_ids() {
    let desk = Desk::new();
    let own = "---\ntype: Parasite # mine\nsources:\n  # the handbook\n  - {id: oxalic-acid, resource: 'https://bees.example/oxalic'}\ngenerated: { by: human:ana, at: 2025-01-01T00:00:00Z }\nstale_after: 2099-01-01\n---\n";
    let (_, body) = desk.text(NOTE).split_once("\n---\n").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    desk.save(NOTE, format!("{own}{body}"));
    research(&desk, "Bees/Varroa mite");
    let text = desk.text(NOTE);
    let kept = own
        .trim_end_matches("---\n")
        .replace("generated: ", "SPLIT")
        .split_once("SPLIT")
        .map(|(head, _)| head.to_owned());
    assert!(text.starts_with(&kept.unwrap()), "{text}");
    assert!(
        text.contains("\ngenerated: { by: human:ana, at: 2025-01-01T00:00:00Z }\nstale_after: 2099-01-01\n"),
        "{text}"
    );
    assert!(!text.contains("[^oxalic-acid]:"), "the id is the user's: {text}");
    let (status, problems) = check(&desk, NOTE);
    assert_eq!((status, problems.len()), (0, 1), "{problems:?}");
    assert!(problems[0].contains("`stale_after` has no UTC offset"), "{problems:?}");
    let verified = desk.run(["verify", "Bees/Varroa mite", "--json"]).done();
    assert_eq!(borne_out(&verified["coverage"]), verified["coverage"]["sentences"], "{verified}");
}

#[test]
fn crlf_comments_and_a_missing_frontmatter_are_kept_and_a_broken_one_is_refused_first() {
    let desk = Desk::new();
    let body = desk.text(NOTE).split_once("\n---\n").unwrap().1.to_owned();
    let crlf = format!("---\n# about it\ntags: [bees] # all\n---\n{body}").replace('\n', "\r\n");
    desk.save(NOTE, &crlf);
    research(&desk, "Bees/Varroa mite");
    let text = desk.text(NOTE);
    assert!(
        text.starts_with("---\r\n# about it\r\ntags: [bees] # all\r\ntype: Note\r\nsources:\r\n"),
        "{text}"
    );
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    assert_eq!(check(&desk, NOTE), (0, vec![]));
    desk.save(NOTE, &body);
    research(&desk, "Bees/Varroa mite");
    assert!(desk.text(NOTE).starts_with("---\ntype: Note\n"));
    let broken = format!("---\ntags: [bees\n---\n{body}");
    desk.save(NOTE, &broken);
    let refused =
        with_fields(&desk, &["--offline", "note", "Bees/Varroa mite", "--apply", "--json"]).failed(4);
    assert!(refused["hint"].as_str().unwrap().contains("okf.fields off"), "{refused}");
    assert_eq!(desk.text(NOTE), broken);
    assert_eq!(with_fields(&desk, &["--offline", "note", "Bees/Varroa mite", "--dry-run"]).status, Some(4));
    // Whatever the write would refuse: a new field behind the end of the YAML, and fields behind as much as is researched.
    let ended =
        "type: x\ngenerated: {by: human:a}\nverified: [{by: human:a}]\nstale_after: 2099-01-01\n...\n";
    let long = format!("a: {}\nb: [\n", "x".repeat(210_000));
    let full = format!("a: {}\n", "x".repeat(256 * 1024 - 1000));
    for fields in [ended, &long, &full, "a: 1\na: 2\n", "{a: 1}\n"] {
        let text = format!("---\n{fields}---\n{body}");
        desk.save(NOTE, &text);
        let refused =
            with_fields(&desk, &["--offline", "note", "Bees/Varroa mite", "--apply", "--json"]).failed(4);
        assert!(refused["hint"].as_str().unwrap().starts_with("nothing was asked or changed"), "{refused}");
        assert_eq!(desk.text(NOTE), text);
    }
}

#[test]
fn one_undo_gives_back_every_byte_whatever_the_note_begins_and_ends_with() {
    let desk = Desk::new();
    let note = desk.text(NOTE);
    let body = note.split_once("\n---\n").unwrap().1;
    for before in [
        format!("\u{feff}{note}"),
        note.replace('\n', "\r\n"),
        format!("\u{feff}{body}").replace('\n', "\r\n"),
        note.trim_end().to_owned(),
        body.trim_end().to_owned(),
        format!("---\n---\n{body}"),
        format!("---\nunclosed: x\n\n{body}"),
    ] {
        desk.save(NOTE, &before);
        let first = research(&desk, "Bees/Varroa mite");
        let once = desk.text(NOTE);
        assert_eq!(check(&desk, NOTE), (0, vec![]), "{once}");
        research(&desk, "Bees/Varroa mite");
        let again = desk.text(NOTE);
        let count = |text: &str| (text.matches("- id: ").count(), text.matches("\n").count());
        assert_eq!(count(&again), count(&once), "{again}");
        desk.run(["undo", "--json"]).done();
        assert_eq!(desk.text(NOTE), once);
        desk.run(["undo", first["operation"].as_str().unwrap(), "--json"]).done();
        assert_eq!(desk.text(NOTE), before);
    }
}

#[test]
fn what_can_not_be_continued_is_left_and_said_and_a_source_of_the_user_stays() {
    let desk = Desk::new();
    let body = desk.text(NOTE).split_once("\n---\n").unwrap().1.to_owned();
    let own = "type: [a, b]\nverified: { by: human:ana, at: '2025-01-01', n: 1.10 } # she did\nsources: [{resource: x}]\n";
    desk.save(NOTE, format!("---\n{own}---\n{body}"));
    let answer = research(&desk, "Bees/Varroa mite");
    let notice = answer["notice"].as_str().unwrap();
    for field in
        ["`type` is not a text", "`verified` is a single mapping", "`sources` is not written with one"]
    {
        assert!(notice.contains(field), "{notice}");
    }
    let text = desk.text(NOTE);
    assert!(text.starts_with(&format!("---\n{own}generated:\n")), "{text}");
    // An entry that the user changed is the user's.
    desk.save(NOTE, &body);
    research(&desk, "Bees/Varroa mite");
    let text = desk.text(NOTE);
    let title = text.lines().find(|line| line.starts_with("    title: ")).unwrap().to_owned();
    desk.save(NOTE, text.replacen(&title, "    title: My words # read twice", 1));
    research(&desk, "Bees/Varroa mite");
    let text = desk.text(NOTE);
    assert!(text.contains("    title: My words # read twice\n"), "{text}");
    assert_eq!(check(&desk, NOTE), (0, vec![]), "{text}");
}

#[test]
fn an_accepted_finding_is_a_note_of_the_format() {
    let bench = Bench::with_model(Trap::nowhere());
    let proposed = bench.run(&["agenda", "new", "--note", "Bees", "--json"]).done();
    bench.run(&["agenda", "approve", proposed["id"].as_str().unwrap(), "--block", "2", "--json"]).done();
    assert_eq!(bench.run(&["agenda", "run"]).status, Some(0));
    let inbox = bench.run(&["inbox", "--json"]).done();
    let ids = column(&inbox["findings"], "id");
    let accept = |id: &str, more: &[&str]| {
        let mut command = bench.here();
        command.env("WELLREAD_OKF_FIELDS", "on").env("WELLREAD_OKF_STALE_AFTER_DAYS", "0");
        let accepted = Ran::of(command.args(["inbox", "accept", id, "--json"]).args(more)).done();
        accepted["notePath"].as_str().unwrap().to_owned()
    };
    let path = accept(&ids[0], &[]);
    let text = bench.desk.text(&path);
    for part in ["\nfinding: ", "\ntype: Finding\n", "\n    resource: http://", "process:wellread-gate"] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    assert!(!text.contains("stale_after"), "0 is never: {text}");
    let id = text.lines().find_map(|line| line.strip_prefix("  - id: ")).unwrap();
    assert!(text.contains(&format!("[^{id}]")) && text.contains(&format!("\n[^{id}]: [")), "{text}");
    assert_eq!(check(&bench.desk, &path), (0, vec![]), "{text}");
    let verified = bench.desk.run(["verify", &path, "--json"]).done();
    assert_eq!(borne_out(&verified["coverage"]), verified["coverage"]["sentences"], "{verified}");
    bench.run(&["inbox", "undo", &ids[0], "--json"]).done();
    assert!(!bench.desk.vault().join(&path).exists());
    // In the user's own words nothing was confirmed, and the page is still the source.
    let path = accept(&ids[1], &["--summary", "My own words."]);
    let text = bench.desk.text(&path);
    assert!(text.contains("\nsources:\n  - id: ") && !text.contains("verified:"), "{text}");
    assert_eq!(check(&bench.desk, &path), (0, vec![]), "{text}");
}

#[test]
fn problems_are_told_with_their_places_and_an_exit_status() {
    let desk = Desk::bare();
    let nothing = desk.run(["okf", "check"]);
    assert_eq!((nothing.status, nothing.stdout.as_str()), (Some(0), ""), "{nothing:?}");
    desk.save("Plain.md", "---\ntype: book\n---\nNot of the format.\n");
    desk.save("Good.md", "---\ntype: Note\ngenerated: {by: wellread/1, at: 2026-01-01T00:00:00Z}\n---\n");
    desk.save("Bad.md", "---\r\nsources:\r\n- title: x\r\nstale_after: 2020-01-01T00:00:00Z\r\n---\r\n");
    desk.save("Broken.md", "---\ntype: x\nsources: [\n---\n");
    desk.save("Binary.md", b"---\nsources: [{resource: a}]\n---\n\xff\xfe\n");
    let ran = desk.run(["okf", "check"]);
    assert_eq!(ran.status, Some(6), "{ran:?}");
    for line in [
        "Bad.md:1: error: `type` is missing\n",
        "Bad.md:3: error: this entry of `sources` has no `resource`\n",
        "Bad.md:4: warning: stale since 2020-01-01T00:00:00Z\n",
        "Binary.md:1: error: it is not UTF-8 text\n",
        "error: the frontmatter can't be read",
        "4 notes: 4 errors, 1 warning\n",
    ] {
        assert!(ran.stdout.contains(line), "`{line}` is not in\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("Plain.md") && !ran.stdout.contains("Good.md"), "{}", ran.stdout);
    assert_eq!(check(&desk, "Good"), (0, vec![]));
    // What is named is checked, whatever it has: notes, folders, and files elsewhere.
    desk.save("Folder/Empty.md", "");
    desk.save("Folder/index.md", "# Contents\n");
    desk.save("Folder/picture.png", b"\x89PNG\0");
    assert_eq!(
        check(&desk, "Folder"),
        (6, vec!["Folder/Empty.md:1: there is no frontmatter: `type` is required".to_owned()])
    );
    let outside = desk.folder().join("outside");
    fs::create_dir_all(outside.join("deep/.hidden")).unwrap();
    fs::write(outside.join("deep/a.md"), b"---\ntype: x\nstatus: new\n---\n").unwrap();
    fs::write(outside.join("deep/.hidden/b.md"), b"x").unwrap();
    fs::write(outside.join("log.md"), b"---\ntype: x\n---\n").unwrap();
    let (status, problems) = check(&desk, outside.to_str().unwrap());
    assert_eq!((status, problems.len()), (6, 2), "{problems:?}");
    desk.run(["okf", "check", "No such note", "--json"]).failed(3);
    desk.run(["okf", "check", "", "--json"]).failed(2);
    // Nothing to check is said, and a folder without notes is none that passed.
    assert!(nothing.stderr.contains("nothing to check"), "{nothing:?}");
    desk.save("Void/picture.png", b"\x89PNG\0");
    let void = desk.folder().join("outside/deep/.hidden/void");
    fs::create_dir_all(&void).unwrap();
    for folder in ["Void", void.to_str().unwrap()] {
        let answer = desk.run(["okf", "check", folder, "--json"]).failed(3);
        assert!(answer["error"].as_str().unwrap().contains("no Markdown file"), "{answer}");
    }
}

#[test]
fn researched_notes_are_exported_and_nothing_is_overwritten() {
    let desk = Desk::new();
    desk.save("Diary.md", "---\nprivate: true\ntype: Note\nstale_after: 2099-01-01T00:00:00Z\n---\nMine.\n");
    desk.run(["okf", "export", "--json"]).failed(3);
    desk.run(["--offline", "note", "Bees/Varroa mite", "--apply", "--json"]).done();
    let before = desk.tree();
    let to = desk.folder().join("out").to_str().unwrap().to_owned();
    let export = |more: &[&str]| desk.run(["okf", "export", "--json", "--to", &to].iter().chain(more));
    let answer = export(&[]).done();
    assert_eq!(answer["notes"], json!([NOTE]), "{answer}");
    let copy = Path::new(&to).join(NOTE);
    let text = fs::read_to_string(&copy).unwrap();
    assert!(parts(&text).0.starts_with(parts(&desk.text(NOTE)).0), "{text}");
    assert!(text.contains("\ntype: Note\nsources:\n  - id: ") && text.contains("]: [["), "{text}");
    assert_eq!(check(&desk, &to), (0, vec![]), "{text}");
    export(&[]).failed(4);
    fs::write(&copy, "mine").unwrap();
    export(&[]).failed(4);
    assert_eq!(fs::read_to_string(&copy).unwrap(), "mine");
    export(&["--force"]).done();
    assert_eq!(fs::read_to_string(&copy).unwrap(), text);
    // A private note only if that is said, and the vault is no place for copies.
    export(&["--force", "Diary"]).failed(4);
    assert!(!Path::new(&to).join("Diary.md").exists());
    assert_eq!(export(&["--force", "--private", "Diary"]).done()["notes"], json!(["Diary.md"]));
    assert_eq!(fs::read_to_string(Path::new(&to).join("Diary.md")).unwrap(), desk.text("Diary.md"));
    let inside = desk.vault().join("okf").to_str().unwrap().to_owned();
    desk.run(["okf", "export", "--to", &inside, "--json"]).failed(4);
    let around = desk.folder().join("new/..").join(desk.vault().file_name().unwrap());
    desk.run(["okf", "export", "--force", "--to", around.to_str().unwrap(), "--json"]).failed(4);
    fs::remove_dir_all(Path::new(&to).join("Bees")).unwrap();
    symlink(desk.vault().join("Bees"), Path::new(&to).join("Bees")).unwrap();
    export(&["--force"]).failed(4);
    // A link leads elsewhere, or a folder has the name of a note.
    let elsewhere = desk.folder().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::remove_file(Path::new(&to).join("Bees")).unwrap();
    symlink(&elsewhere, Path::new(&to).join("Bees")).unwrap();
    export(&["--force"]).failed(4);
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    fs::remove_file(Path::new(&to).join("Bees")).unwrap();
    fs::create_dir_all(&copy).unwrap();
    export(&["--force"]).failed(4);
    fs::remove_dir(&copy).unwrap();
    let kept = desk.folder().join("kept.md");
    fs::write(&kept, "mine").unwrap();
    symlink(&kept, &copy).unwrap();
    export(&[]).failed(4);
    export(&["--force"]).done();
    assert_eq!(
        (fs::read_to_string(&kept).unwrap(), fs::read_to_string(&copy).unwrap()),
        ("mine".into(), text)
    );
    export(&["--force", "No such note"]).failed(3);
    export(&["--force", "Home"]).failed(3);
    assert_eq!(desk.tree(), before, "the vault is not changed");
}

#[test]
fn an_export_keeps_every_word_and_writes_each_note_once() {
    let desk = Desk::new();
    desk.run(["--offline", "note", "Bees/Varroa mite", "--apply", "--json"]).done();
    let words =
        "Mine.[^mine]\n\n[^mine]: [[Mite drop count]]:29, which I counted *twice*.\n    And once more.\n";
    let text = desk.text(NOTE).replacen("## Research\n\n", &format!("## Research\n\n{words}\n"), 1);
    desk.save(NOTE, &text);
    desk.save("Odd.md", "---\ntype: [a, b] # mine\nstale_after: 2099-01-01T00:00:00Z\n---\nx");
    let to = desk.folder().join("out");
    let answer =
        desk.run(["okf", "export", "Bees/Varroa mite", "Odd", NOTE, "--to", to.to_str().unwrap(), "--json"]);
    let answer = answer.done();
    assert_eq!(answer["notes"], json!([NOTE, "Odd.md"]), "{answer}");
    let copy = fs::read_to_string(to.join(NOTE)).unwrap();
    assert!(copy.contains(&format!("## Research\n\n{words}")), "{copy}");
    assert!(copy.contains("\n  - id: mine\n    resource: /Bees/Mite drop count.md\n"), "{copy}");
    assert_eq!(fs::read_to_string(to.join("Odd.md")).unwrap(), desk.text("Odd.md"));
    assert!(answer["notices"][0]["reason"].as_str().unwrap().starts_with("`type` is not a text"), "{answer}");
    // Nothing but the citations became something else.
    let plain = |text: &str| -> String {
        let body = text.split_once("\n---\n").unwrap().1.split_once("## Research").unwrap().1;
        let lines = body.lines().filter(|line| !line.starts_with("[^"));
        let bare: String =
            lines.map(|line| line.split(" (").next().unwrap().split("[^").next().unwrap()).collect();
        bare.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(plain(&copy), plain(&text));
}

const HIVE: &str = "---\ntype: Report # weekly\nsources:\n  - id: scale\n    resource: /Bees/Hive weight.md\n  - id: yield\n    resource: https://bees.example/yield\n---\nThe Linden hive weighed 38.5 kg on 1 November 2024.[^scale]\n\n[^scale]: The scale\n";

#[test]
fn footnotes_are_checked_against_the_sources_that_they_are_keyed_to() {
    let desk = Desk::new();
    desk.save("Report.md", HIVE);
    let answer = desk.run(["verify", "Report", "--json"]).done();
    let sentence = &answer["sentences"][0];
    assert_eq!((&sentence["verdict"], &answer["sentences"][1]), (&json!("quoted"), &Value::Null), "{answer}");
    assert_eq!(sentence["evidence"][0]["path"], "Bees/Hive weight.md", "{answer}");
    // The label decides, not what the definition says.
    desk.save("Report.md", HIVE.replace("[^scale]: The scale", "[^scale]: [[Honey yield]]:12"));
    assert_eq!(desk.run(["verify", "Report", "--json"]).done()["sentences"][0]["verdict"], "quoted");
    desk.save("Report.md", HIVE.replace("38.5 kg", "44 kg"));
    let ran = desk.run(["verify", "Report", "--json"]);
    assert_eq!((ran.status, &ran.json()["sentences"][0]["verdict"]), (Some(6), &json!("contradicted")));
}

#[test]
fn recheck_sets_verified_where_all_citations_hold_as_one_edit() {
    let desk = Desk::new();
    let second = HIVE.replace(
        "type: Report # weekly",
        "type: Report\nverified:\n- { by: human:ana, at: '2025-01-01', n: 1.10 } # read",
    );
    let single =
        HIVE.replace("type: Report # weekly", "type: Report\nverified: { by: human:ana, n: 1.10 } # read");
    desk.save("Single.md", &single);
    let wrong = HIVE
        .replace("38.5 kg", "44 kg")
        .replace("/Bees/Hive weight.md", "/Bees/Hive weight.md\n  - id: lost\n    resource: /Lost.md");
    for (path, text) in [("Report.md", HIVE), ("Second.md", &second), ("Wrong.md", &wrong)] {
        desk.save(path, text);
    }
    let other = HIVE.replace("type: Report # weekly", "type: Report\nverified: yes");
    desk.save("Other.md", &other);
    desk.save("Old.md", "---\ntype: Note\nstale_after: 2020-01-01\n---\nNothing is cited.\n");
    let before = desk.tree();
    let plain = desk.run(["recheck", "--json"]).done();
    assert_eq!(plain["okf"], Value::Null, "the setting is off: {plain}");
    let plain = with_fields(&desk, &["recheck", "--since", "2020-01-01", "--json"]).done();
    assert_eq!(plain["okf"], Value::Null, "{plain}");
    assert_eq!(desk.run(["recheck", "--since", "2020-01-01", "--update"]).status, Some(2));
    let plain = with_fields(&desk, &["recheck"]);
    assert!(
        plain.stdout.contains("Wrong.md: the source `lost` is gone\n")
            && plain.stdout.contains("Old.md: stale\n"),
        "{plain:?}"
    );
    assert_eq!(desk.tree(), before, "nothing is changed unless that is asked");
    let answer = desk.run(["recheck", "--update", "--json"]).done();
    let verified: Vec<&str> = answer["okf"]["notes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|note| note["verified"] == true)
        .map(|note| note["path"].as_str().unwrap())
        .collect();
    assert_eq!(verified, ["Report.md", "Second.md"], "{answer}");
    let text = desk.text("Report.md");
    assert!(
        text.starts_with("---\ntype: Report # weekly\nsources:\n")
            && text.contains("\nverified:\n  - by: process:wellread-gate\n    at: 20"),
        "{text}"
    );
    let text = desk.text("Second.md");
    assert!(
        text.contains(
            "verified:\n- { by: human:ana, at: '2025-01-01', n: 1.10 } # read\n- by: process:wellread-gate\n"
        ),
        "{text}"
    );
    assert_eq!(
        (desk.text("Wrong.md"), desk.text("Other.md"), desk.text("Single.md")),
        (wrong, other, single)
    );
    let reasons =
        answer["okf"]["notes"].as_array().unwrap().iter().filter(|note| note["path"] == "Single.md");
    let reasons: Vec<&str> = reasons.map(|note| note["reason"].as_str().unwrap()).collect();
    assert!(reasons[0].contains("`verified` is a single mapping, and was left as it is"), "{reasons:?}");
    // What to do about it is said, too.
    assert!(reasons[0].contains("; nothing was written; repair the frontmatter"), "{reasons:?}");
    let wrong = answer["okf"]["notes"].as_array().unwrap().iter().find(|note| note["path"] == "Wrong.md");
    let reason = "not verified: 1 sentence did not pass (line 11); `wellread verify 'Wrong.md'` shows them";
    assert_eq!(wrong.unwrap()["reason"], reason);
    desk.run(["undo", answer["okf"]["group"].as_str().unwrap(), "--json"]).done();
    assert_eq!(desk.tree(), before);
}

#[test]
fn an_independent_validator_accepts_what_is_exported() {
    let validator = repository().join(".venv/bin/okf-schema");
    assert!(validator.exists(), "there is no {}: run `./check` once, which installs it", validator.display());
    let desk = Desk::new();
    research(&desk, "Bees/Varroa mite");
    desk.run(["--offline", "note", "Bees/Swarming", "--apply", "--json"]).done();
    let to = desk.folder().join("out").to_str().unwrap().to_owned();
    assert_eq!(
        desk.run(["okf", "export", "--json", "--to", &to]).done()["notes"].as_array().unwrap().len(),
        2
    );
    let ran = Command::new(validator).args(["validate", "--path", &to]).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
}
