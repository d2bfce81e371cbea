//! `wellread search` and `wellread why`: what is found, and that it stands where the answer says.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::desk::{Desk, Ran, column};

/// The results' paths, best first.
fn paths(answer: &Value) -> Vec<String> {
    column(&answer["results"], "path")
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// That a result's text is what its lines and its bytes hold, without the last line's ending and the file's mark.
fn check_place(root: &Path, result: &Value) {
    let number = |name: &str| result[name].as_u64().unwrap_or_else(|| panic!("{name}: {result}")) as usize;
    let bytes = fs::read(root.join(result["path"].as_str().unwrap())).unwrap();
    let text = result["text"].as_str().unwrap();
    assert_eq!(&bytes[number("start_byte")..number("end_byte")], text.as_bytes(), "{result}");
    let whole = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let (first, last) = (number("start_line"), number("end_line"));
    assert!(first >= 1 && first <= last && last <= lines.len().max(1), "{result}");
    let held = lines.get(first - 1..last).unwrap_or_default().concat();
    let held = held.strip_suffix('\n').map_or(held.as_str(), |held| held.strip_suffix('\r').unwrap_or(held));
    assert_eq!(held.trim_start_matches('\u{feff}'), text, "{result}");
}

#[test]
fn an_answer_has_the_fields_of_the_api() {
    let desk = Desk::new();
    let answer = desk.search(&["varroa threshold", "-k", "3"]);
    assert_eq!(keys(&answer), ["mode", "notice", "results", "success", "took_ms"]);
    let first = &answer["results"][0];
    assert_eq!(
        keys(first),
        [
            "chunk_type",
            "end_byte",
            "end_line",
            "hash",
            "heading",
            "path",
            "provenance",
            "score",
            "start_byte",
            "start_line",
            "text"
        ]
    );
    assert_eq!((&first["path"], &first["heading"]), (&"Bees/Varroa mite.md".into(), &"Threshold".into()));
    assert_eq!((first["provenance"].as_str(), first["chunk_type"].as_str()), (Some("bm25"), Some("text")));
    let scores: Vec<f64> =
        answer["results"].as_array().unwrap().iter().map(|row| row["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|one, other| one >= other), "{scores:?}");
    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{scores:?}");
}

#[test]
fn the_text_of_a_result_is_what_its_lines_hold() {
    let desk = Desk::new();
    let mut seen = Vec::new();
    for query in
        ["the", "yeast nutrient nitrogen", "apple tree variety", "pollination", "tags", "hive", "ist la の"]
    {
        let answer = desk.search(&[query, "-k", "200"]);
        for result in answer["results"].as_array().unwrap() {
            check_place(&desk.vault(), result);
            seen.push(result["path"].as_str().unwrap().to_owned());
        }
    }
    // CRLF, a byte-order mark, no newline at the end, setext headings, a script without spaces.
    for path in [
        "Mead/Yeast nutrients.md",
        "Garden/Apple tree.md",
        "Garden/Pollination.md",
        "Garden/Plot 27.md",
        "Reading/ニホンミツバチ.md",
    ] {
        assert!(seen.iter().any(|known| known == path), "{path}");
    }
    assert!(desk.text("Mead/Yeast nutrients.md").contains("\r\n"));
    assert!(desk.text("Garden/Apple tree.md").starts_with('\u{feff}'));
}

#[test]
fn lines_are_counted_right_whatever_ends_them() {
    let desk = Desk::bare();
    for (name, ending, mark) in
        [("lf", "\n", ""), ("crlf", "\r\n", ""), ("bom", "\n", "\u{feff}"), ("both", "\r\n", "\u{feff}")]
    {
        let lines = [
            "---",
            "tags: [a]",
            "---",
            "# First",
            "",
            "Plain words.",
            "",
            "## Second",
            "",
            "The walrus sings.",
            "",
            "Last",
        ];
        desk.save(&format!("{name}.md"), format!("{mark}{}", lines.join(ending)));
    }
    let answer = desk.search(&["walrus"]);
    let rows = answer["results"].as_array().unwrap();
    assert_eq!(rows.len(), 4, "{answer}");
    for row in rows {
        check_place(&desk.vault(), row);
        assert_eq!(row["heading"], "Second", "{row}");
        assert!((row["start_line"].as_u64(), row["end_line"].as_u64()) >= (Some(8), Some(10)), "{row}");
    }
    // The first line of a note with a mark.
    let fields = desk.search(&["tags", "-k", "20"]);
    fields["results"].as_array().unwrap().iter().for_each(|row| check_place(&desk.vault(), row));
}

#[test]
fn as_many_results_as_were_asked_for_and_three_of_a_note_at_the_most() {
    let desk = Desk::new();
    for k in [1, 3, 10] {
        let found = paths(&desk.search(&["hive", "-k", &k.to_string()]));
        assert_eq!(found.len(), k);
    }
    assert_eq!(paths(&desk.search(&["hive"])).len(), 10);
    let all = paths(&desk.search(&["hive", "-k", "500"]));
    assert!(all.len() > 30 && all.iter().all(|path| all.iter().filter(|other| *other == path).count() <= 3));
    assert!(
        desk.run(["search", "hive", "-k", "0", "--json"]).failed(2)["error"]
            .as_str()
            .unwrap()
            .contains("one result")
    );
    assert_eq!(desk.run(["search", "hive", "-k", "-1"]).status, Some(2));
}

#[test]
fn nothing_found_is_an_answer() {
    let desk = Desk::new();
    let answer = desk.search(&["xylophone"]);
    assert_eq!(
        (&answer["results"], &answer["message"]),
        (&Value::Array(vec![]), &"No matching documents found".into())
    );
    let shown = desk.run(["search", "xylophone"]);
    assert_eq!((shown.status, shown.stdout.as_str()), (Some(3), ""));
    assert!(shown.stderr.contains("No matching documents found"), "{shown:?}");
    for mode in ["keyword", "semantic", "hybrid"] {
        assert_eq!(desk.run(["search", "xylophone", "--mode", mode]).status, Some(3), "{mode}");
    }
}

#[test]
fn a_note_that_the_query_names_comes_first_even_mistyped() {
    let desk = Desk::new();
    let note = |path: &str, text: &str| fs::write(desk.vault().join(path), text).unwrap();
    note("Quetzal.md", "# Quetzal\n\nA green bird of the cloud forest.\n");
    note("Birds.md", &"The quetzal is a bird. A quetzal eats avocados, say quetzal keepers.\n\n".repeat(9));
    note("Trogon list.md", "---\naliases: [Resplendent trogon]\n---\nSee the other note.\n");
    note("Zoo.md", "A resplendent trogon is a trogon, and the trogon is resplendent.\n");
    for mode in ["keyword", "hybrid"] {
        for (query, first) in [
            ("quetzal", "Quetzal.md"),
            ("Quetzals", "Quetzal.md"),
            ("quetzel", "Quetzal.md"),
            ("resplendent trogon", "Trogon list.md"),
        ] {
            let answer = desk.search(&[query, "--mode", mode]);
            assert_eq!(paths(&answer).first().map(String::as_str), Some(first), "{mode}, {query}: {answer}");
        }
    }
    let mistyped = desk.search(&["quetzel", "--mode", "keyword"]);
    let notice = mistyped["notice"].as_str().unwrap_or_default();
    assert!(notice.contains("`quetzel`"), "{mistyped}");
    assert!(desk.search(&["quetzal", "--mode", "keyword"])["notice"].is_null());
}

#[test]
fn a_passage_under_a_heading_without_text_gets_its_vector() {
    let desk = Desk::bare().with_built_in_model();
    let text = "# A\n\nSome text.\n\n#\n\nMore text of another kind.\n\n## B\n\nThe rest of it.\n";
    fs::write(desk.vault().join("Bare.md"), text).unwrap();
    desk.run(["index", "--json"]).done();
    let answer = desk.search(&["another kind"]);
    assert_eq!(answer["results"][0]["start_line"], 5, "{answer}");
    assert!(answer["notice"].is_null(), "{answer}");
}

#[test]
fn a_part_of_a_function_is_shown_as_the_whole_function() {
    let desk = Desk::new();
    desk.add_code();
    let steps: String = (0..50).map(|n| format!("    total = total + {n} * quagga\n\n")).collect();
    let code = format!("def zebra_crossing(quagga):\n    total = 0\n{steps}    return total\n");
    fs::write(desk.code().join("crossing.py"), &code).unwrap();
    let long = format!("def long_crossing(okapi):\n{}", steps.repeat(3).replace("quagga", "okapi"));
    fs::write(desk.code().join("long.py"), &long).unwrap();
    let answer = desk.search(&["quagga total", "--in", "code", "--mode", "keyword"]);
    let first = &answer["results"][0];
    let lines = (first["start_line"].as_u64(), first["end_line"].as_u64());
    assert_eq!(lines, (Some(1), Some(code.lines().count() as u64)), "{first}");
    assert_eq!(paths(&answer).iter().filter(|path| *path == "crossing.py").count(), 1, "{answer}");
    check_place(&desk.code(), first);
    let parts = desk.search(&["okapi total", "--in", "code", "--mode", "keyword"]);
    assert!(paths(&parts).iter().filter(|path| *path == "long.py").count() > 1, "{parts}");
}

#[test]
fn documentation_of_a_repository_is_prose() {
    let desk = Desk::new();
    desk.add_code();
    fs::write(
        desk.code().join("guide.rst"),
        "Guide\n=====\n\nAbout okapis.\n\nFeeding\n-------\n\nLeaves.\n",
    )
    .unwrap();
    let answer = desk.search(&["okapis", "--in", "code", "--mode", "keyword"]);
    let first = &answer["results"][0];
    assert_eq!((&first["chunk_type"], &first["heading"]), (&"text".into(), &"Guide".into()), "{first}");
}

#[test]
fn a_weak_match_is_marked() {
    let desk = Desk::new();
    let answer = desk.search(&["varroa xylophone", "--mode", "keyword"]);
    let results = answer["results"].as_array().unwrap();
    assert!(!results.is_empty() && results.iter().all(|result| result["weak"] == true), "{answer}");
    let shown = desk.run(["search", "varroa xylophone", "--mode", "keyword"]);
    assert!(shown.stdout.contains(", weak)") && shown.stderr.contains("no strong match"), "{shown:?}");
    let strong = desk.run(["search", "varroa", "--mode", "keyword"]);
    assert!(!strong.stdout.contains("weak") && !strong.stderr.contains("no strong match"), "{strong:?}");
}

#[test]
fn a_query_without_a_word_is_wrong_usage() {
    let desk = Desk::new();
    for query in ["", "   ", "\t\n"] {
        let said = desk.run(["search", query, "--json"]).failed(2);
        assert_eq!(said["error"], "the query is empty");
    }
    assert_eq!(desk.run(["search"]).status, Some(2));
    assert_eq!(desk.run(["search", "x", "--mode", "psychic"]).status, Some(2));
    assert_eq!(desk.run(["search", "x", "--in", "dreams"]).status, Some(2));
}

#[test]
fn no_query_is_a_language_of_its_own() {
    let desk = Desk::new();
    let long = "varroa ".repeat(15_000);
    for query in [
        "\"",
        "\"\"",
        "'",
        "(",
        "NEAR(varroa mite)",
        "varroa AND",
        "NOT",
        "varroa*",
        "*",
        "title:varroa",
        "{a b}:x",
        "^varroa",
        "a -b",
        "--",
        "%",
        "_",
        "?",
        "\\",
        "\"unclosed phrase",
        "\u{feff}",
        "\u{202e}",
        "🐝",
        "c++",
        ";",
        &long,
    ] {
        let answer = desk.search(&["--", query]);
        assert!(answer["results"].is_array(), "{query:.50}");
    }
    assert_eq!(paths(&desk.search(&["varroa*", "-k", "1"])), ["Bees/Varroa mite.md"]);
}

#[test]
fn accents_case_scripts_and_joined_words_are_no_hurdle() {
    let desk = Desk::bare();
    desk.save("Café.md", "Crème brûlée with Ærø honey, naïve Straße.\n");
    desk.save(
        "Release.md",
        "Version 2.14.7 of the state-of-the-art TCP/IP stack; see config.toml and foo_bar.baz().\n",
    );
    desk.save("蜜蜂.md", "日本の蜜蜂は花から蜜を集める。\n");
    desk.save("Пчела.md", "Пчёлы собирают мёд.\n");
    desk.save("Composed.md", "re\u{301}sume\u{301} in two code points\n");
    for (query, expected) in [
        ("creme brulee", "Café.md"),
        ("CRÈME", "Café.md"),
        ("cafe", "Café.md"),
        ("naive", "Café.md"),
        ("strasse", "Café.md"),
        ("2.14.7", "Release.md"),
        ("state-of-the-art", "Release.md"),
        ("art state", "Release.md"),
        ("config.toml", "Release.md"),
        ("foo_bar", "Release.md"),
        ("fooBar", "Release.md"),
        ("baz", "Release.md"),
        ("tcp/ip", "Release.md"),
        ("蜜蜂", "蜜蜂.md"),
        ("花", "蜜蜂.md"),
        ("集める", "蜜蜂.md"),
        ("пчела", "Пчела.md"),
        ("МЕД", "Пчела.md"),
        ("résumé", "Composed.md"),
        ("resume", "Composed.md"),
    ] {
        let found = paths(&desk.search(&[query, "-k", "1"]));
        assert_eq!(found, [expected], "{query}");
    }
}

#[test]
fn words_in_quotes_are_a_phrase() {
    let desk = Desk::bare();
    desk.save("one.md", "The queen lays an egg.\n");
    desk.save("two.md", "An egg lays bare what the queen is.\n");
    assert_eq!(paths(&desk.search(&["\"queen lays\""]))[0], "one.md");
    assert_eq!(paths(&desk.search(&["queen lays"])).len(), 2);
}

#[test]
fn where_to_look_can_be_narrowed_down() {
    let desk = Desk::new();
    desk.add_code();
    let has_code =
        |answer: &Value| answer["results"].as_array().unwrap().iter().any(|row| row["repo"] == "hivelog");
    let has_notes =
        |answer: &Value| answer["results"].as_array().unwrap().iter().any(|row| row.get("repo").is_none());
    let all = desk.search(&["swarm", "-k", "100"]);
    assert!(has_code(&all) && has_notes(&all));
    let notes = desk.search(&["swarm", "-k", "100", "--in", "notes"]);
    assert!(!has_code(&notes) && has_notes(&notes));
    for narrow in [["--in", "code"], ["--repo", "hivelog"]] {
        let code = desk.search(&["swarm", "-k", "100", narrow[0], narrow[1]]);
        assert!(has_code(&code) && !has_notes(&code), "{narrow:?}");
    }
    let vault = desk.vault().join("Mead").display().to_string();
    for folder in ["Mead", "Mead/", "./Mead", &vault] {
        let found = paths(&desk.search(&["batch", "-k", "100", "--folder", folder]));
        assert!(
            !found.is_empty() && found.iter().all(|path| path.starts_with("Mead/")),
            "{folder}: {found:?}"
        );
    }
    let found = paths(&desk.search(&["parse", "--repo", "hivelog", "--folder", "rust/src"]));
    assert!(!found.is_empty() && found.iter().all(|path| path.starts_with("rust/src/")), "{found:?}");
    let tagged = paths(&desk.search(&["hive", "-k", "100", "--tag", "#Bees/Behaviour"]));
    assert!(
        !tagged.is_empty() && tagged.iter().all(|path| path.contains("warm") || path.contains("Democracy")),
        "{tagged:?}"
    );
    let rust = desk.search(&["parse", "-k", "50", "--language", "rust"]);
    assert!(paths(&rust).iter().all(|path| path.ends_with(".rs")) && has_code(&rust));
}

#[test]
fn a_place_that_is_not_there_is_not_found() {
    let desk = Desk::new();
    let said = desk.run(["search", "x", "--repo", "hivelgo", "--json"]).failed(3);
    assert!(said["error"].as_str().unwrap().contains("`hivelgo`"), "{said}");
    assert!(said["hint"].as_str().unwrap().contains("wellread repo add"), "{said}");
    desk.run(["search", "x", "--in", "code", "--json"]).failed(3);
    desk.add_code();
    let said = desk.run(["search", "x", "--repo", "hivelgo", "--json"]).failed(3);
    assert!(said["hint"].as_str().unwrap().contains("hivelog"), "{said}");
    desk.run(["search", "x", "--repo", "hivelog", "--in", "notes", "--json"]).failed(2);
    desk.run(["search", "honey", "--folder", "Meed", "--json"]).failed(3);
    desk.run(["search", "honey", "--folder", "../outside", "--json"]).failed(4);
    desk.run(["search", "honey", "--folder", ".obsidian", "--json"]).failed(4);
}

#[test]
fn code_is_found_by_its_symbol_at_its_lines() {
    let desk = Desk::new();
    desk.add_code();
    let answer = desk.search(&["drop_within_window", "--in", "code", "-k", "5"]);
    let first = &answer["results"][0];
    assert_eq!((&first["path"], &first["repo"]), (&"rust/src/swarm.rs".into(), &"hivelog".into()));
    assert_eq!(first["symbol"], "drop_within_window");
    assert!(first["text"].as_str().unwrap().contains("fn drop_within_window("), "{first}");
    assert!(first.get("heading").is_none(), "{first}");
    for query in ["detect", "fn", "parse", "import", "HEADER", "payload crc8 frame", "Day"] {
        let answer = desk.search(&[query, "--in", "code", "-k", "100"]);
        let rows = answer["results"].as_array().unwrap();
        assert!(!rows.is_empty(), "{query}");
        rows.iter().for_each(|row| check_place(&desk.code(), row));
    }
    let methods = desk.search(&["gain_per_day", "--in", "code", "-k", "1"]);
    assert_eq!(methods["results"][0]["symbol"], "FlowPeriod.gain_per_day");
    // Notes say what they always said.
    assert_eq!(paths(&desk.search(&["KESTREL-88", "-k", "1"])), ["Inbox/Honey sales.md"]);
}

#[test]
fn what_is_excluded_or_ignored_is_never_found() {
    let desk = Desk::new();
    desk.save(".obsidian/plugins/x.md", "wombat\n");
    desk.save(".trash/old.md", "wombat\n");
    desk.save("node_modules/x/readme.md", "wombat\n");
    desk.save("Bees/.hidden/x.md", "wombat\n");
    desk.save("Private/diary.md", "wombat\n");
    desk.add_code();
    fs::write(desk.code().join(".gitignore"), "secret.py\n").unwrap();
    fs::write(desk.code().join("secret.py"), "wombat = 1\n").unwrap();
    let search = |query: &str| {
        let mut command = desk.here();
        command.env("WELLREAD_VAULT_EXCLUDED", "Private").args(["search", query, "--json"]);
        crate::desk::Ran::of(&mut command).json()
    };
    assert_eq!(paths(&search("wombat")), Vec::<String>::new());
    // The same folder, once it is not excluded any more.
    assert_eq!(paths(&desk.search(&["wombat"])), ["Private/diary.md"]);
    assert_eq!(paths(&search("wombat")), Vec::<String>::new());
}

#[test]
fn an_answer_shows_the_notes_as_they_are_now() {
    let desk = Desk::bare();
    desk.save("a.md", "The heron waits.\n");
    desk.save("b.md", "The heron flies.\n");
    assert_eq!(paths(&desk.search(&["heron"])).len(), 2);
    desk.save("a.md", "Above it all,\nthe heron waits and waits.\n");
    fs::remove_file(desk.vault().join("b.md")).unwrap();
    desk.save("c.md", "No bird.\n");
    let answer = desk.search(&["heron"]);
    assert_eq!(paths(&answer), ["a.md"]);
    assert_eq!(answer["results"][0]["text"], "Above it all,\nthe heron waits and waits.");
    fs::rename(desk.vault().join("a.md"), desk.vault().join("d.md")).unwrap();
    assert_eq!(paths(&desk.search(&["heron"])), ["d.md"]);
}

#[test]
fn without_a_model_it_searches_by_words_and_says_so() {
    let desk = Desk::new();
    let answer = desk.search(&["varroa"]);
    assert_eq!(answer["mode"], "keyword");
    let notice = answer["notice"].as_str().unwrap();
    assert!(notice.contains("by words only") && notice.contains("wellread model install"), "{notice}");
    let shown = desk.run(["search", "varroa"]);
    assert!(shown.stderr.contains("note: searched by words only"), "{shown:?}");
    assert!(shown.stdout.starts_with("Bees/Varroa mite.md:"), "{shown:?}");
    // Whoever asked for words is told nothing.
    let answer = desk.search(&["varroa", "--mode", "keyword"]);
    assert_eq!((&answer["mode"], answer.get("notice")), (&"keyword".into(), None));
}

#[test]
fn with_a_model_it_finds_by_meaning_and_says_how_far_the_vectors_are() {
    let desk = Desk::bare().with_model();
    desk.save(
        "Swarming.md",
        "# Swarming\n\nHalf of the bees leave with the old queen to found a new home.\n",
    );
    desk.save("Tyres.md", "# Tyres\n\nThe bead seat diameter of a road bike is 622 millimetres.\n");
    let early = desk.search(&["colony reproduction"]);
    assert_eq!(early["mode"], "hybrid");
    assert!(early["notice"].as_str().unwrap().contains("0 of 2 passages have vectors"), "{early}");
    assert_eq!(desk.run(["index", "--json"]).done()["vectors_pending"], 0);
    for mode in ["hybrid", "semantic"] {
        let answer = desk.search(&["colony reproduction", "--mode", mode]);
        assert_eq!((&answer["mode"], answer.get("notice")), (&mode.into(), None));
        assert_eq!(paths(&answer)[0], "Swarming.md");
        assert_eq!(answer["results"][0]["provenance"], "vector");
        check_place(&desk.vault(), &answer["results"][0]);
    }
    let both = desk.search(&["old queen"]);
    assert_eq!(
        (paths(&both)[0].as_str(), &both["results"][0]["provenance"]),
        ("Swarming.md", &"hybrid".into())
    );
    assert_eq!(paths(&desk.search(&["colony reproduction", "--mode", "keyword"])), Vec::<String>::new());
}

#[test]
fn the_first_search_of_a_new_user_finds_a_paraphrase() {
    let desk = Desk::new().with_built_in_model();
    let answer = desk.search(&["keeping colonies alive through the cold months"]);
    assert_eq!((&answer["mode"], answer.get("notice")), (&"hybrid".into(), None), "{answer}");
    assert!(paths(&answer)[..2].contains(&"Bees/Winter losses.md".to_owned()), "{answer}");
    let answer = desk.search(&["turning honey into alcohol", "--mode", "semantic"]);
    assert_eq!(paths(&answer)[0], "Mead/Traditional mead.md");
    assert_eq!(answer["results"][0]["provenance"], "vector");
    let status = desk.run(["status", "--json"]).done();
    assert_eq!(
        (&status["model"], &status["vectors"]["pending"]),
        (&"wellread-encoder-l3".into(), &0.into()),
        "{status}"
    );
}

#[test]
fn the_first_search_of_two_notes_finds_one_by_other_words() {
    let desk = Desk::bare().with_built_in_model();
    desk.save("House.md", "# House\n\nThe stopcock for the mains is behind the washing machine.\n");
    desk.save("Garden.md", "# Garden\n\nThe apple tree needs pruning in February.\n");
    for mode in ["hybrid", "semantic"] {
        let answer = desk.search(&["how do I shut off the water supply", "--mode", mode]);
        assert_eq!(paths(&answer), ["House.md"], "{answer}");
        assert_eq!(answer["results"][0]["weak"], true, "{answer}");
        for query in ["capital of France", "kubernetes ingress", "zzzqqqxyz"] {
            let answer = desk.search(&[query, "--mode", mode]);
            assert_eq!(paths(&answer), Vec::<String>::new(), "{query}: {answer}");
        }
    }
}

#[test]
fn what_means_nothing_is_not_found() {
    let desk = Desk::new().with_built_in_model();
    for query in ["zzzqqqxyz", "qwrtplk", "asdfghjkl", "xyzzy"] {
        for mode in ["hybrid", "semantic"] {
            let answer = desk.search(&[query, "--mode", mode]);
            assert_eq!(paths(&answer), Vec::<String>::new(), "{query}: {answer}");
            assert_eq!(answer["message"], "No matching documents found");
        }
    }
}

#[test]
fn vectors_of_another_model_do_not_count() {
    let desk = Desk::bare().with_model().with_built_in_model();
    desk.save("Swarming.md", "Half of the bees leave with the old queen to found a new home.\n");
    assert_eq!(desk.run(["index", "--json"]).done()["vectors_pending"], 0);
    let other = |args: &[&str]| {
        let mut command = desk.here();
        Ran::of(command.env("WELLREAD_EMBEDDING_NAME", "all-MiniLM-L6-v2").args(args)).done()
    };
    // Words answer until the other model has its vectors.
    let answer = other(&["search", "old queen", "--json"]);
    assert_eq!(
        (paths(&answer)[0].as_str(), &answer["results"][0]["provenance"]),
        ("Swarming.md", &"bm25".into())
    );
    assert!(answer["notice"].as_str().unwrap().contains("0 of 1 passages have vectors"), "{answer}");
    assert_eq!(other(&["index", "--json"])["vectors_pending"], 0);
    assert_eq!(other(&["search", "old queen", "--json"]).get("notice"), None);
}

#[test]
fn why_tells_the_rank_that_a_search_gives() {
    let desk = Desk::new();
    desk.add_code();
    let answer = desk.search(&["swarm threshold", "-k", "100"]);
    let mut files: Vec<String> = Vec::new();
    for row in answer["results"].as_array().unwrap() {
        let path = row["path"].as_str().unwrap();
        let path = row["repo"].as_str().map_or(path.to_owned(), |repo| format!("{repo}:{path}"));
        if !files.contains(&path) {
            files.push(path);
        }
    }
    for at in [0, 2, 4] {
        let why = desk.run(["why", "swarm threshold", &files[at], "--json"]).done();
        assert_eq!(keys(&why), ["mode", "notice", "passages", "path", "rank", "success", "terms", "verdict"]);
        assert_eq!(why["rank"], at + 1, "{why}");
        assert!(why["verdict"].as_str().unwrap().contains(&format!("number {}", at + 1)), "{why}");
        assert!(!why["passages"].as_array().unwrap().is_empty(), "{why}");
    }
    let code = desk.run(["why", "drop_within_window", "hivelog:rust/src/swarm.rs", "--json"]).done();
    assert_eq!(code["rank"], 1, "{code}");
}

#[test]
fn why_says_what_is_missing() {
    let desk = Desk::new();
    desk.save("Broken.md", [b'a', 0, b'b']);
    let why = desk.run(["why", "varroa xylophone", "Reading/Knots", "--json"]).done();
    assert_eq!((&why["rank"], &why["path"]), (&Value::Null, &"Reading/Knots.md".into()));
    let terms = why["terms"].as_array().unwrap();
    assert_eq!((&terms[0]["in_this_file"], &terms[0]["in_any_file"]), (&false.into(), &true.into()));
    assert_eq!((&terms[1]["in_this_file"], &terms[1]["in_any_file"]), (&false.into(), &false.into()));
    assert!(why["verdict"].as_str().unwrap().contains("none of the query's words"), "{why}");
    for (path, says) in
        [("Attachments/hive.png", "not searchable text"), ("Broken.md", "could not be indexed: binary")]
    {
        let why = desk.run(["why", "varroa", path, "--json"]).done();
        assert!(why["verdict"].as_str().unwrap().contains(says), "{why}");
    }
    desk.run(["why", "varroa", "Nowhere.md", "--json"]).failed(3);
    desk.run(["why", "", "Home.md", "--json"]).failed(2);
    desk.run(["why", "varroa", "../x.md", "--json"]).failed(4);
    desk.run(["why", "varroa", "hivelog:nowhere.rs", "--json"]).failed(3);
    let shown = desk.run(["why", "varroa", "Bees/Varroa mite"]);
    assert!(shown.stdout.starts_with("Bees/Varroa mite.md: it is number 1"), "{shown:?}");
    assert!(shown.stdout.contains("`varroa` is in it"), "{shown:?}");
}

#[test]
fn the_text_of_a_canvas_is_found_where_it_stands() {
    let desk = Desk::new();
    let canvas = "{\n\t\"nodes\":[\n\t\t{\"type\":\"text\",\"text\":\"Autumn\\nquillwort \\u00e4nderung\"},\n\t\t{\"type\":\"group\",\"label\":\"zymurgist\"}\n\t]\n}\n";
    fs::write(desk.vault().join("Board.canvas"), canvas).unwrap();
    for (query, line) in [("quillwort", 3), ("änderung", 3), ("zymurgist", 4)] {
        let answer = desk.search(&[query]);
        let first = &answer["results"][0];
        assert_eq!(
            (first["path"].as_str(), first["start_line"].as_u64()),
            (Some("Board.canvas"), Some(line))
        );
        check_place(&desk.vault(), first);
    }
}
