//! The signs of a query that narrow a search: the same in every mode and on every face.

use serde_json::{Value, json};

use crate::desk::{Desk, Ran, column};
use crate::served::Served;

const MODES: [&str; 3] = ["keyword", "semantic", "hybrid"];

fn desk() -> Desk {
    let desk = Desk::bare().with_built_in_model();
    desk.save("Oak.md", "---\ntags: [hive/oak]\n---\n# Oak\n\nThe oak hive gave twelve jars of honey.\n");
    desk.save(
        "Fir.md",
        "# Fir\n\nThe fir hive gave nine jars of honey.\n\n## Pests\n\nA wax moth was seen. #pest\n",
    );
    desk.save("Old/Elm.md", "# Elm\n\nThe elm hive gave three jars of honey. #hive\n");
    desk.save("Work/Old/Ash.md", "# Ash\n\nThe ash hive gave four jars of honey; wax and a moth.\n");
    desk.save(
        "Text.md",
        "# Signs\n\nA well-read beekeeper writes c# and calls honey --flag with -1 or -v.\n",
    );
    desk
}

/// The paths that are found, each once, sorted.
fn found(answer: &Value) -> Vec<String> {
    let mut paths = column(&answer["results"], "path");
    paths.sort();
    paths.dedup();
    paths
}

fn all_but(left_out: &[&str]) -> Vec<String> {
    let hives = ["Fir.md", "Oak.md", "Old/Elm.md", "Work/Old/Ash.md"];
    hives.into_iter().filter(|path| !left_out.contains(path)).map(str::to_owned).collect()
}

fn run(desk: &Desk, args: &[&str]) -> Ran {
    desk.run([&["--json", "search"], args].concat())
}

#[test]
fn what_is_left_out_never_appears_in_any_mode() {
    let desk = desk();
    desk.run(["index"]);
    for mode in MODES {
        for (sign, left_out) in [
            ("-moth", &["Fir.md", "Work/Old/Ash.md"][..]),
            ("-moths", &["Fir.md", "Work/Old/Ash.md"]),
            ("-\"wax moth\"", &["Fir.md"]),
            ("-wax moth", &["Fir.md"]),
            ("-#hive", &["Oak.md", "Old/Elm.md"]),
            ("-#hive/oak", &["Oak.md"]),
            ("-tag:pest", &["Fir.md"]),
            ("-path:old", &["Old/Elm.md", "Work/Old/Ash.md"]),
            ("-path:/Old", &["Old/Elm.md"]),
            ("-path:Work/Old/Ash.md", &["Work/Old/Ash.md"]),
        ] {
            let words =
                ["jars", "of", "honey", "from", "the", "hive", sign, "-path:Text", "-k", "9", "--mode", mode];
            assert_eq!(found(&run(&desk, &words).done()), all_but(left_out), "{mode} {sign}");
        }
    }
}

#[test]
fn a_tag_or_a_folder_narrows_and_alone_lists_all_of_it() {
    let desk = desk();
    for mode in MODES {
        for (sign, expected) in [
            ("#hive", &["Oak.md", "Old/Elm.md"][..]),
            ("tag:hive/oak", &["Oak.md"]),
            ("path:Old", &["Old/Elm.md", "Work/Old/Ash.md"]),
            ("#hive -path:old", &["Oak.md"]),
        ] {
            let narrowed = run(&desk, &["jars of honey", sign, "--mode", mode]).done();
            assert_eq!(found(&narrowed), expected, "{mode} {sign}");
            assert_eq!(narrowed["words"], "jars of honey");
            assert_eq!(found(&run(&desk, &[sign, "--mode", mode]).done()), expected, "{mode} {sign} alone");
        }
    }
    let listed = run(&desk, &["--tag", "hive"]).done();
    assert_eq!(found(&listed), ["Oak.md", "Old/Elm.md"]);
    assert!(listed["results"][1]["text"].as_str().unwrap().contains("jars"), "{listed}");
    let first = run(&desk, &["path:Old", "-k", "1"]).done();
    assert!(first["notice"].as_str().unwrap().contains("more files"), "{first}");
}

#[test]
fn a_query_that_only_leaves_out_is_wrong_usage_and_nothing_found_is_3() {
    let desk = desk();
    for mode in MODES {
        let said = run(&desk, &["-moth", "--mode", mode]).failed(2);
        assert!(said.to_string().contains("only says what to leave out"), "{said}");
        assert_eq!(run(&desk, &["#nobody", "--mode", mode]).status, Some(3), "{mode}");
        assert_eq!(run(&desk, &["honey", "#nobody", "--mode", mode]).status, Some(3), "{mode}");
        assert_eq!(run(&desk, &["zzzqqqxyz", "--mode", mode]).status, Some(3), "{mode}");
    }
}

#[test]
fn signs_within_words_flags_and_quotations_are_text() {
    let desk = desk();
    for query in
        ["well-read beekeeper", "c# beekeeper", "-1 beekeeper", "\"-1\" beekeeper", "beekeeper \"--flag\""]
    {
        let answer = run(&desk, &[query, "--mode", "keyword"]).done();
        assert_eq!(answer["results"][0]["path"], "Text.md", "{query}: {answer}");
        assert_eq!(answer.get("words"), None, "{query}");
    }
    assert_eq!(found(&run(&desk, &["--mode", "keyword", "--", "--flag"]).done()), ["Text.md"]);
}

#[test]
fn tools_and_the_api_read_a_query_as_the_command_does() {
    let desk = desk();
    desk.run(["index"]);
    let notes = |answer: &Value, field: &str| {
        let mut paths = column(&answer["results"], field);
        paths.sort();
        paths.dedup();
        paths
    };
    let query = json!({"query": "jars of honey -#hive -path:Text", "limit": 9});
    let expected = ["Fir.md", "Work/Old/Ash.md"];
    assert_eq!(notes(&desk.tool("search_vault", &query).done(), "source"), expected);
    assert_eq!(notes(&desk.tool("find_notes", &query).done(), "path"), expected);
    let tagged = desk.tool("find_notes", &json!({"tag": "hive"})).done();
    assert_eq!(notes(&tagged, "path"), ["Oak.md", "Old/Elm.md"]);
    let weak = desk.tool("search_vault", &json!({"query": "honey factory profit", "mode": "keyword"})).done();
    assert_eq!(weak["results"][0]["weak"], true, "{weak}");
    let served = Served::start(&desk);
    let answer = served.get("/api/search?q=jars+of+honey+-%23hive+-path:Text").done();
    assert_eq!(found(&answer), expected);
    served.get("/api/search?q=-moth").problem(400);
    served.end();
}

#[test]
fn similar_notes_leave_out_the_note_itself_and_mark_what_is_linked() {
    let desk = desk();
    desk.save("Near.md", "# Near\n\nEvery hive in the row gave jars of honey. See [[Oak]].\n");
    desk.save("Tax.md", "# Tax\n\nThe return is due in July.\n");
    for mode in MODES {
        let answer = run(&desk, &["--like", "Oak", "--mode", mode]).done();
        let paths = found(&answer);
        assert!(
            paths.contains(&"Near.md".to_owned()) && paths.contains(&"Fir.md".to_owned()),
            "{mode} {answer}"
        );
        assert!(
            !paths.contains(&"Oak.md".to_owned()) && !paths.contains(&"Tax.md".to_owned()),
            "{mode} {answer}"
        );
        for row in answer["results"].as_array().unwrap() {
            assert_eq!(row["linked"] == true, row["path"] == "Near.md", "{row}");
        }
    }
    let without = run(&desk, &["--like", "Near.md", "-path:old", "-#hive"]).done();
    assert!(found(&without).iter().all(|path| ["Fir.md", "Text.md"].contains(&path.as_str())), "{without}");
    run(&desk, &["--like", "Nobody"]).failed(3);
    run(&desk, &["honey", "--like", "Oak"]).failed(2);
    let rows = desk.tool("find_notes", &json!({"like": "Oak", "limit": 3})).done();
    assert!(column(&rows["results"], "path").contains(&"Near.md".to_owned()), "{rows}");
}

#[test]
fn several_queries_give_one_list_that_says_which_found_what() {
    let desk = desk();
    desk.save("Tax.md", "# Tax\n\nThe return is due in July.\n");
    let answer = run(
        &desk,
        &["oak hive jars", "--also", "tax return due", "--also", "twelve jars", "--mode", "keyword"],
    )
    .done();
    let rows = answer["results"].as_array().unwrap();
    let queries = |path: &str| {
        rows.iter().find(|row| row["path"] == path).unwrap_or_else(|| panic!("{path}: {answer}"))["queries"]
            .clone()
    };
    assert_eq!(queries("Oak.md"), json!(["oak hive jars", "twelve jars"]));
    assert_eq!(queries("Tax.md"), json!(["tax return due"]));
    assert_eq!(rows[0]["path"], "Oak.md");
    let places: Vec<String> =
        rows.iter().map(|row| format!("{}:{}", row["path"], row["start_line"])).collect();
    let mut once = places.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), places.len(), "{places:?}");
    let tool = json!({"query": "oak hive jars", "also": ["tax return due"], "mode": "keyword"});
    assert!(
        column(&desk.tool("search_vault", &tool).done()["results"], "source").contains(&"Tax.md".to_owned())
    );
    let many: Vec<String> = (0..9).map(|at| format!("query {at}")).collect();
    desk.tool("search_vault", &json!({"query": "honey", "also": many})).failed(2);
}

#[test]
fn prose_in_other_formats_is_found_at_its_lines_and_under_its_headings() {
    let desk = Desk::bare();
    desk.save(
        "Guide.rst",
        "Hive guide\n==========\n\nIntro text.\n\nSmoker use\n----------\n\nBurn dry sumac slowly.\n",
    );
    desk.save("Manual.adoc", "= Manual\n\nStart.\n\n== Extraction\n\nSpin the combs gently.\n");
    desk.save("Plan.org", "* Spring\nClean.\n** Feeding\nGive fondant early.\n");
    desk.save("Plain.txt", "Some plain lines.\n\nThe drone brood frame goes third.\n");
    desk.save("Books.base", "filters:\n  and:\n    - status == \"reading-quokka\"\n");
    for (query, path, line, heading) in [
        ("sumac", "Guide.rst", 6, "Smoker use"),
        ("combs gently", "Manual.adoc", 5, "Extraction"),
        ("fondant", "Plan.org", 3, "Feeding"),
        ("drone brood", "Plain.txt", 1, "top-level"),
    ] {
        let answer = run(&desk, &[query, "--mode", "keyword"]).done();
        let first = &answer["results"][0];
        assert_eq!((&first["path"], &first["heading"]), (&path.into(), &heading.into()), "{answer}");
        assert!(first["start_line"].as_u64().unwrap() >= line, "{answer}");
        let lines: Vec<String> = desk.text(path).lines().map(str::to_owned).collect();
        let (start, end) = (first["start_line"].as_u64().unwrap(), first["end_line"].as_u64().unwrap());
        assert_eq!(lines[start as usize - 1..end as usize].join("\n"), first["text"].as_str().unwrap());
    }
    assert_eq!(run(&desk, &["quokka", "--mode", "keyword"]).done()["results"][0]["path"], "Books.base");
}

/// A thousand conditions are more than the database takes, and its refusal is no damage.
#[test]
fn a_query_of_a_thousand_signs_is_answered_and_the_index_stays() {
    let desk = desk();
    desk.run(["index"]);
    for sign in ["#a", "path:a", "-path:a", "-a"] {
        let signs: Vec<String> = (0..1_200).map(|at| format!("{sign}x{at}")).collect();
        let ran = run(&desk, &["--mode", "keyword", "--", &format!("honey {}", signs.join(" "))]);
        assert!(!ran.stderr.contains("rebuilt") && !ran.stderr.contains("damaged"), "{sign}: {}", ran.stderr);
        assert!(ran.stdout.contains("\"success\": true"), "{sign}: {}", ran.stdout);
    }
}

#[test]
fn two_queries_find_two_parts_of_one_long_line() {
    let desk = Desk::bare().with_built_in_model();
    let oak = "The oak hive was painted green in spring and stands by the fence. ".repeat(30);
    let tax = "The quarterly tax paperwork is due and lies in the drawer. ".repeat(30);
    desk.save("Long.md", format!("# Long\n\n{oak}{tax}\n"));
    let answer = run(&desk, &["oak hive painted", "--also", "quarterly tax paperwork"]).done();
    let rows = answer["results"].as_array().unwrap();
    for (query, word) in [("oak hive painted", "oak"), ("quarterly tax paperwork", "tax")] {
        let own = rows.iter().find(|row| row["queries"].as_array().unwrap().contains(&json!(query)));
        assert!(own.unwrap()["text"].as_str().unwrap().contains(word), "{query}: {answer}");
    }
}

#[test]
fn no_similar_notes_at_all_are_asked_for_by_mistake() {
    let ran = run(&desk(), &["--like", "Oak", "-k", "0"]);
    assert_eq!(ran.status, Some(2), "{}", ran.stdout);
}

#[test]
fn a_language_that_there_is_not_is_refused_with_those_that_there_are() {
    let desk = desk();
    let refused = run(&desk, &["honey", "--language", "klingon"]).failed(2);
    assert_eq!(refused["error"], "there is no language `klingon`");
    let shown = desk.run(["search", "honey", "--language", "klingon"]);
    assert!(shown.complains(2).contains("choose one of: bash, c, "), "{shown:?}");
}
