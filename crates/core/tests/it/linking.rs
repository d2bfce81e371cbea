//! find_backlinks and find_outlinks.

use serde_json::json;
use wellread_testkit::World;

use crate::ask::{error, fails, ok, strings};

#[test]
fn every_form_of_a_link_counts() {
    let forms = [
        "[[Bees]]",
        "[[bEES]]",
        "[[Bees|alias]]",
        "[[Bees#Wax]]",
        "[[Bees#^block]]",
        "[[Bees#Wax|alias]]",
        "![[Bees]]",
        "![[Bees#Wax]]",
        "[[Projects/Bees]]",
        "[[/Projects/Bees]]",
        "[[Bees.md]]",
        "[x](Bees.md)",
        "[x](../Projects/Bees.md#Wax)",
        "[x](Projects/Bees)",
        "[x](<Bees.md> \"t\")",
        "[x](B%65es.md)",
        "[x][r]\n\n[r]: Bees.md",
        "| a |\n| - |\n| [[Bees\\|x]] |",
        "> [!note] [[Bees]]",
        "## [[Bees]]",
        "[^1]: [[Bees]]",
        "---\nup: \"[[Bees]]\"\n---",
        "---\nup: [[Bees]]\n---",
        "---\nup:\n  - '[[Bees|x]]'\n---",
        "[[Apis]]",
        "[[honey BEE|x]]",
        "%%[[Bees]]%%",
        "%%\n# Plan\n[x](Bees.md)\n%%",
    ];
    let others = [
        "`[[Bees]]`",
        "```\n[[Bees]]\n```",
        "\\[[Bees]]",
        "[[Beeswax]]",
        "Bees",
        "<!-- [[Bees]] -->",
        "[[x/Bees]]",
        "[[Bee]]",
        "[x](https://x.example/Bees.md)",
    ];
    let mut files = vec![(
        "Projects/Bees.md".to_owned(),
        "---\naliases: [Apis, Honey bee]\n---\n[[Bees#Wax]]\n".to_owned(),
    )];
    files.extend(forms.iter().enumerate().map(|(n, form)| (format!("n/{n:02}.md"), format!("{form}\n"))));
    files.extend(others.iter().enumerate().map(|(n, form)| (format!("o/{n:02}.md"), format!("{form}\n"))));
    let world = World::with_files(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())));
    let answer = ok(&world, "find_backlinks", json!({ "note_name": "Bees" }));
    let expected: Vec<String> = (0..forms.len()).map(|n| format!("n/{n:02}.md")).collect();
    assert_eq!(strings(&answer["results"]), expected);
    assert_eq!(answer["total"], forms.len());
    assert!(answer.get("notice").is_none());
}

#[test]
fn a_note_is_called_by_name_or_path_with_or_without_ending_or_brackets() {
    let world = World::new("-- Projects/Bees.md\nb\n-- A.md\n[[Bees]]\n");
    for name in [
        "Bees",
        "bees",
        "Bees.md",
        "Projects/Bees",
        "projects/bees.md",
        "/vault/Projects/Bees.md",
        "[[Bees]]",
        " [[Projects/Bees]] ",
        "[[Bees|alias]]",
        "[[Bees#Wax]]",
        "![[Bees#^b]]",
    ] {
        assert_eq!(
            ok(&world, "find_backlinks", json!({ "note_name": name }))["results"],
            json!(["A.md"]),
            "{name}"
        );
    }
    for name in ["", " ", "[[]]"] {
        assert_eq!(error(&world, "find_backlinks", json!({ "note_name": name })), "the note's name is empty");
    }
}

#[test]
fn an_ambiguous_name_asks_which_note_is_meant() {
    let world = World::new(
        "-- a/Twin.md\n1\n-- b/Twin.md\n2\n-- a/L.md\n[[Twin]]\n-- b/L.md\n[[Twin]]\n-- L.md\n[[b/Twin]]\n",
    );
    let answer = fails(&world, "find_backlinks", json!({ "note_name": "Twin" }));
    assert_eq!(answer["error"], "several notes are called `Twin`: `a/Twin.md`, `b/Twin.md`");
    assert_eq!(answer["hint"], "give the path of the right one");
    assert_eq!(ok(&world, "find_backlinks", json!({ "note_name": "a/Twin" }))["results"], json!(["a/L.md"]));
    assert_eq!(
        ok(&world, "find_backlinks", json!({ "note_name": "b/Twin" }))["results"],
        json!(["L.md", "b/L.md"])
    );
}

#[test]
fn a_name_that_no_file_has_is_looked_for_too() {
    let world =
        World::new("-- A.md\n[[Someday]] [[x/Someday]]\n-- B.md\n[m](someday.md)\n-- C.md\n[[Some]]\n");
    let answer = ok(&world, "find_backlinks", json!({ "note_name": "Someday" }));
    assert_eq!(answer["results"], json!(["A.md", "B.md"]));
    assert_eq!(answer["notice"], "there is no note `Someday`, but these notes link to it");
    let answer = ok(&world, "find_backlinks", json!({ "note_name": "Nobody" }));
    assert_eq!((&answer["results"], &answer["total"]), (&json!([]), &json!(0)));
    assert_eq!(answer["notice"], "there is no note `Nobody`, and nothing links to it");
}

#[test]
fn a_link_by_alias_counts_only_where_no_file_has_that_name() {
    let world = World::new("-- Bees.md\n---\naliases: Apis\n---\n-- Apis.md\nx\n-- A.md\n[[Apis]]\n");
    assert_eq!(ok(&world, "find_backlinks", json!({ "note_name": "Bees" }))["total"], 0);
    assert_eq!(ok(&world, "find_backlinks", json!({ "note_name": "Apis" }))["results"], json!(["A.md"]));
}

#[test]
fn attachments_have_backlinks() {
    let world = World::with_files([
        ("img/p.png", b"\x89PNG\0".as_slice()),
        ("A.md", b"![[p.png]]".as_slice()),
        ("B.md", b"[[p]]".as_slice()),
    ]);
    for name in ["p.png", "img/p.png", "![[p.png]]"] {
        assert_eq!(
            ok(&world, "find_backlinks", json!({ "note_name": name }))["results"],
            json!(["A.md"]),
            "{name}"
        );
    }
}

#[test]
fn names_with_marks_in_them_are_names() {
    let world =
        World::new("-- C#.md\nx\n-- 100%.md\ny\n-- A.md\n[x](C%23.md) [[100%]] [y](100%25.md) [[C#]]\n");
    for name in ["C#", "C#.md", "100%", "[[100%]]"] {
        assert_eq!(
            ok(&world, "find_backlinks", json!({ "note_name": name }))["results"],
            json!(["A.md"]),
            "{name}"
        );
    }
    assert_eq!(strings(&ok(&world, "find_outlinks", json!({ "path": "A" }))["results"]), ["100%", "C", "C#"]);
}

#[test]
fn lists_are_handed_out_in_pages_with_the_total() {
    let mut files =
        vec![("Hub.md".to_owned(), (0..250).map(|n| format!("[[N{n:03}]] ")).collect::<String>())];
    files.extend((0..250).map(|n| (format!("N{n:03}.md"), "[[Hub]]".to_owned())));
    let world = World::with_files(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())));
    for (tool, args, first, last) in [
        ("find_backlinks", json!({ "note_name": "Hub" }), "N000.md", "N249.md"),
        ("find_outlinks", json!({ "path": "Hub" }), "N000", "N249"),
        ("search_by_folder", json!({ "folder": "" }), "Hub.md", "N249.md"),
        (
            "search_by_date_range",
            json!({ "start_date": "2026-03-01", "end_date": "2026-03-01" }),
            "Hub.md",
            "N249.md",
        ),
    ] {
        let page = |limit: Option<u64>, offset: u64| {
            let args = crate::ask::with(args.clone(), "offset", json!(offset));
            let args = limit.map_or(args.clone(), |limit| crate::ask::with(args, "limit", json!(limit)));
            ok(&world, tool, args)
        };
        let total = page(None, 0)["total"].as_u64().unwrap();
        assert_eq!(total, if tool.starts_with("find") { 250 } else { 251 }, "{tool}");
        assert_eq!(strings(&page(None, 0)["results"]).len(), 100);
        assert_eq!(strings(&page(Some(1), 0)["results"]), [first]);
        assert_eq!(strings(&page(Some(9), total - 1)["results"]), [last]);
        assert_eq!(strings(&page(Some(0), 0)["results"]), [""; 0]);
        assert_eq!(strings(&page(None, u64::MAX)["results"]), [""; 0]);
        assert_eq!(page(None, u64::MAX)["total"], total);
        let parts: Vec<String> = (0..total)
            .step_by(50)
            .flat_map(|offset| {
                strings(&page(Some(50), offset)["results"]).iter().map(|&s| s.to_owned()).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(parts, strings(&page(Some(1000), 0)["results"]), "{tool}");
        assert!(parts.is_sorted());
    }
}

#[test]
fn outlinks_are_names_each_once_and_sorted_without_alias_or_heading() {
    let world = World::new(
        "-- A.md\n---\nup: \"[[Zebra]]\"\nlist: [[inline]]\n---\n\
         [[bees|x]] [[Bees#Wax]] ![[Bees#^b]] [[Bees.md]] [m](Honey%20bees.md \"t\") [[Ärger]] [[#here]] [web](https://x.example)\n\
         ![[p.png]] [[Nobody]] `[[code]]` %%[[comment]]%%\n\n[r]: ref.md\n",
    );
    let answer = ok(&world, "find_outlinks", json!({ "path": "A" }));
    assert_eq!(
        strings(&answer["results"]),
        ["bees", "comment", "Honey bees", "inline", "Nobody", "p.png", "ref", "Zebra", "Ärger"]
    );
    assert_eq!(answer["total"], 9);
    assert_eq!(ok(&world, "get_note_info", json!({ "path": "A" }))["outgoing_links"], 9);
}

#[test]
fn a_note_without_links_has_none() {
    let world = World::new("-- A.md\ntext\n");
    let none = json!({ "success": true, "results": [], "total": 0 });
    assert_eq!(ok(&world, "find_outlinks", json!({ "path": "A" })), none);
    assert_eq!(ok(&world, "find_backlinks", json!({ "note_name": "A" })), none);
    assert_eq!(error(&world, "find_outlinks", json!({ "path": "B" })), "File not found: B");
}
