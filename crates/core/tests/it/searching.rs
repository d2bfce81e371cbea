//! `search_vault` and `find_notes`: what they answer, and which notes they look at.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::library::indexing::{IndexSync, IndexSyncState};
use wellread_core::library::search::{Hit, SearchMode, SearchRequest, Searcher};
use wellread_core::ports::{PassageFilter, PassageId, Passages, StoredPassage, WordMatches};
use wellread_testkit::World;
use wellread_text::QueryTerm;

use crate::ask::{error, ok};

fn world() -> World {
    let world = World::new(
        "-- Bees.md\n---\ntags: [insect/social, Été]\nstatus: done\nrating: 4\nread: true\nrelated: \"[[Honey]]\"\n---\n\
         # Bees\n\nThe heron eats none.\n\n## Wax\n\nA heron is white as wax.\n\n## Queens\n\nNo heron has a queen.\n\n\
         ## Swarms\n\nNor does a heron swarm.\n\
         -- Birds/Heron.md\n---\ntags: bird\nstatus: Draft\n---\nThe heron waits.\n\
         -- Birds/Far/Egret.md\nAn egret is a heron. #bird/wader\n\
         -- Birds of prey.md\nNo heron.\n",
    );
    world.index();
    world
}

fn column(answer: &Value, name: &str) -> Vec<String> {
    let rows = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
    rows.iter().map(|row| row[name].as_str().unwrap().to_owned()).collect()
}

/// The notes that are found for `heron` with these filters, sorted.
fn notes(world: &World, filters: &Value) -> Vec<String> {
    let mut args = json!({ "query": "heron", "mode": "keyword", "n_results": 50 });
    args.as_object_mut().unwrap().extend(filters.as_object().unwrap().clone());
    let mut found = column(&ok(world, "find_notes", args), "path");
    found.sort();
    found
}

#[test]
fn a_passage_comes_with_its_note_its_heading_and_its_lines() {
    let answer =
        ok(&world(), "search_vault", json!({ "query": "white wax", "mode": "keyword", "n_results": 1 }));
    let first = &answer["results"][0];
    assert_eq!((&first["source"], &first["heading"]), (&json!("Bees.md"), &json!("Wax")));
    assert!(first["content"].as_str().unwrap().contains("A heron is white as wax."), "{first}");
    assert_eq!((&answer["mode"], answer.get("message")), (&json!("keyword"), None));
    let top = ok(&world(), "search_vault", json!({ "query": "waits", "mode": "keyword" }));
    assert_eq!(top["results"][0]["heading"], "top-level");
}

#[test]
fn the_fields_of_a_note_are_shown_without_the_brackets_of_links() {
    let answer = ok(&world(), "search_vault", json!({ "query": "related honey", "mode": "keyword" }));
    let first = &answer["results"][0];
    assert_eq!(first["heading"], "frontmatter");
    let content = first["content"].as_str().unwrap();
    assert!(content.contains("related: \"Honey\"") && !content.contains("[["), "{content}");
}

#[test]
fn nothing_found_is_said_in_the_words_of_the_contract() {
    for tool in ["search_vault", "find_notes"] {
        let answer = ok(&world(), tool, json!({ "query": "xylophone", "mode": "keyword" }));
        assert_eq!(
            (&answer["results"], &answer["message"]),
            (&json!([]), &json!("No matching documents found")),
            "{tool}"
        );
    }
}

#[test]
fn every_mode_answers_and_says_which_it_was() {
    for tool in ["search_vault", "find_notes"] {
        for mode in ["hybrid", "semantic", "keyword"] {
            let answer = ok(&world(), tool, json!({ "query": "the heron waits", "mode": mode }));
            assert_eq!(answer["mode"], mode, "{tool}");
            assert!(!answer["results"].as_array().unwrap().is_empty(), "{tool} {mode}");
        }
    }
}

#[test]
fn a_note_has_one_row_among_notes_and_three_among_passages() {
    let world = world();
    assert_eq!(
        notes(&world, &json!({})),
        ["Bees.md", "Birds of prey.md", "Birds/Far/Egret.md", "Birds/Heron.md"]
    );
    let passages =
        ok(&world, "search_vault", json!({ "query": "heron", "mode": "keyword", "n_results": 50 }));
    let sources = column(&passages, "source");
    assert_eq!(sources.iter().filter(|source| *source == "Bees.md").count(), 3, "{sources:?}");
    let two = ok(&world, "find_notes", json!({ "query": "heron", "mode": "keyword", "n_results": 2 }));
    assert_eq!(two["results"].as_array().unwrap().len(), 2);
}

#[test]
fn notes_are_narrowed_down_by_folder_tag_and_fields() {
    let world = world();
    for (filters, expected) in [
        (json!({ "folder": "Birds" }), vec!["Birds/Far/Egret.md", "Birds/Heron.md"]),
        (json!({ "folder": "Birds/Far/" }), vec!["Birds/Far/Egret.md"]),
        (json!({ "folder": "/vault/Birds" }), vec!["Birds/Far/Egret.md", "Birds/Heron.md"]),
        (
            json!({ "folder": "" }),
            vec!["Bees.md", "Birds of prey.md", "Birds/Far/Egret.md", "Birds/Heron.md"],
        ),
        (json!({ "tag": "insect" }), vec!["Bees.md"]),
        (json!({ "tag": "#Insect/Social" }), vec!["Bees.md"]),
        (json!({ "tag": "été" }), vec!["Bees.md"]),
        (json!({ "tag": "#bird" }), vec!["Birds/Far/Egret.md", "Birds/Heron.md"]),
        (json!({ "tag": "insec" }), vec![]),
        (json!({ "frontmatter": { "status": "draft" } }), vec!["Birds/Heron.md"]),
        (json!({ "frontmatter": { "Status": "DONE" } }), vec!["Bees.md"]),
        (json!({ "frontmatter": { "rating": 4 } }), vec!["Bees.md"]),
        (json!({ "frontmatter": { "rating": "4" } }), vec!["Bees.md"]),
        (json!({ "frontmatter": { "read": true } }), vec!["Bees.md"]),
        (json!({ "frontmatter": { "tags": ["insect/social", "été"] } }), vec!["Bees.md"]),
        (json!({ "frontmatter": { "tags": ["insect/social", "bird"] } }), vec![]),
        (json!({ "frontmatter": "{\"status\": \"done\"}" }), vec!["Bees.md"]),
        (json!({ "frontmatter": { "status": "done", "rating": 5 } }), vec![]),
        (json!({ "frontmatter": {} , "tag": "bird", "folder": "Birds/Far" }), vec!["Birds/Far/Egret.md"]),
    ] {
        assert_eq!(notes(&world, &filters), expected, "{filters}");
    }
}

#[test]
fn notes_are_narrowed_down_by_the_day_of_their_last_change() {
    // Everything in this world was made on 2026-03-01.
    let world = world();
    for (filters, found) in [
        (json!({ "modified_after": "2026-03-01" }), 4),
        (json!({ "modified_after": "2026-03-02" }), 0),
        (json!({ "modified_before": "2026-03-01" }), 4),
        (json!({ "modified_before": "2026-02-28" }), 0),
        (json!({ "modified_after": "2026-02-01", "modified_before": "2026-03-31" }), 4),
    ] {
        assert_eq!(notes(&world, &filters).len(), found, "{filters}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let world = world();
    for tool in ["search_vault", "find_notes"] {
        assert_eq!(error(&world, tool, json!({ "query": " " })), "the query is empty");
        let none = json!({ "query": "heron", "n_results": 0 });
        assert_eq!(error(&world, tool, none), "`limit` must be at least 1");
    }
    let with = |name: &str, value: Value| {
        let mut args = json!({ "query": "heron" });
        args[name] = value;
        error(&world, "find_notes", args)
    };
    assert_eq!(with("folder", json!("Bird")), "Folder not found: Bird");
    assert!(with("modified_after", json!("yesterday")).contains("yesterday"));
    assert!(with("frontmatter", json!("status")).contains("`frontmatter` must be an object"));
}

/// Remembers the letters whose names were listed.
struct ListedNames {
    passages: Arc<dyn Passages>,
    letters: Mutex<String>,
}

impl Passages for ListedNames {
    fn find_matching(
        &self,
        terms: &[QueryTerm],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<WordMatches> {
        self.passages.find_matching(terms, filter, limit)
    }

    fn list_names(&self, first_letter: char, filter: &PassageFilter) -> Result<Vec<String>> {
        self.letters.lock().unwrap().push(first_letter);
        self.passages.list_names(first_letter, filter)
    }

    fn list_files(&self, filter: &PassageFilter, limit: usize) -> Result<Vec<PassageId>> {
        self.passages.list_files(filter, limit)
    }

    fn load_passages(&self, ids: &[PassageId]) -> Result<Vec<StoredPassage>> {
        self.passages.load_passages(ids)
    }

    fn find_linking_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>> {
        self.passages.find_linking_files(corpus, keys)
    }

    fn find_named_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>> {
        self.passages.find_named_files(corpus, keys)
    }
}

#[test]
fn names_are_listed_once_for_a_letter_and_only_for_words_that_may_be_mistyped() {
    let world = world();
    let search = |query: &str| {
        let mut library = (*world.search.library).clone();
        let names = Arc::new(ListedNames { passages: library.passages.clone(), letters: Mutex::default() });
        library.passages = names.clone();
        let request = SearchRequest {
            query: query.to_owned(),
            mode: SearchMode::Keyword,
            filter: PassageFilter::default(),
            limit: 9,
            per_file: 9,
        };
        let searcher = Searcher { library: Arc::new(library), ..(*world.search).clone() };
        let notice = searcher.find(&request).unwrap().notice.unwrap_or_default();
        let letters = names.letters.lock().unwrap().clone();
        (letters, notice)
    };
    assert_eq!(search("heron waits"), (String::new(), String::new()));
    assert_eq!(search("20244 12.345 hxz batch77 heron").0, "");
    let (letters, notice) = search("heran wqqqqx herin 20244");
    assert_eq!(letters, "hw");
    assert!(notice.contains("`heran` and `herin`"), "{notice}");
    let many: Vec<String> = ('a'..='l').map(|letter| format!("{letter}qqqqx")).collect();
    assert_eq!(search(&many.join(" ")).0, "abcdefgh");
}

#[test]
fn an_answer_says_that_changes_are_on_their_way_into_the_index() {
    let world = world();
    let notices = |sync: IndexSync| {
        let search = Searcher { sync: Arc::new(sync), ..(*world.search).clone() };
        ["heron", ""].map(|query| {
            let filter = PassageFilter { folder: Some("Birds".to_owned()), ..PassageFilter::default() };
            let (query, mode) = (query.to_owned(), SearchMode::Hybrid);
            let request = SearchRequest { query, mode, filter, limit: 9, per_file: 9 };
            let notice = search.find(&request).unwrap().notice.unwrap_or_default();
            notice.contains("the latest changes may not be in it yet")
        })
    };
    let in_state = |state: IndexSyncState| {
        let sync = IndexSync::default();
        sync.set_state(state);
        sync
    };
    assert_eq!(notices(in_state(IndexSyncState::Off)), [false, false]);
    assert_eq!(notices(in_state(IndexSyncState::UpToDate)), [false, false]);
    // A background task looks at the files for the first time.
    assert_eq!(notices(in_state(IndexSyncState::Updating)), [true, true]);
    let heard = in_state(IndexSyncState::UpToDate);
    heard.note_changes(&[world.path("Birds/Heron.md")]);
    assert_eq!(notices(heard), [true, true]);
}

#[test]
fn an_explanation_says_whether_the_signs_of_the_query_leave_a_file_out() {
    let world = world();
    for (query, path, verdict) in [
        ("#bird", "Birds/Heron.md", "it passes the query's filters"),
        ("#bird", "Bees.md", "it does not pass the query's filters"),
        ("heron #bird", "Bees.md", "it does not pass the query's filters"),
        ("heron -wax", "Bees.md", "the query leaves it out"),
        ("heron -wax", "Birds/Heron.md", "it is number "),
    ] {
        let path = world.path(path);
        let why = world.search.explain(query, &CorpusName::Vault, &path, SearchMode::Keyword).unwrap();
        assert!(why.verdict.starts_with(verdict), "{query} {path}: {}", why.verdict);
    }
}

#[test]
fn a_wide_search_goes_on_to_the_nearest_of_what_has_little_to_do_with_the_query() {
    let world = world();
    let search = |query: &str, limit: usize| {
        let query = query.to_owned();
        let filter = PassageFilter::default();
        let request = SearchRequest { query, mode: SearchMode::Hybrid, filter, limit, per_file: 5 };
        let places = |hits: Vec<Hit>| -> Vec<(VaultPath, usize, bool)> {
            hits.into_iter().map(|hit| (hit.place.path, hit.place.span.start, hit.score > 0.0)).collect()
        };
        let (narrow, wide) = (world.search.find(&request), world.search.find_widely(&request));
        (places(narrow.unwrap().hits), places(wide.unwrap().hits))
    };
    for query in ["white as wax", "xylophone", "heron"] {
        let (narrow, wide) = search(query, 50);
        assert_eq!(wide[..narrow.len()], narrow, "{query}");
        assert!(wide[narrow.len()..].iter().all(|(_, _, has_score)| !has_score), "{query}: {wide:?}");
    }
    let (narrow, wide) = search("xylophone", 50);
    assert!(narrow.len() < 2 && wide.len() > 5, "{narrow:?} {wide:?}");
    assert_eq!(search("xylophone", 3).1.len(), 3);
}

#[test]
fn a_phrase_in_quotation_marks_is_in_every_hit_in_every_mode() {
    let world = World::new(
        "-- Oak.md\n# Trees\n\nThe oak hive stood empty for a year.\n\n## Later\n\nA hive of oak, and an oak beside the hive.\n\
         -- Elm.md\nThe elm hive and the oak were empty for a year.\n\
         -- Oak hive.md\nIt is green.\n",
    );
    world.index();
    for mode in ["hybrid", "semantic", "keyword"] {
        let found = |query: &str| {
            let args = json!({ "query": query, "mode": mode, "limit": 20 });
            ok(&world, "search_vault", args)
        };
        let answer = found("\"oak hive\" empty for a year");
        // In the text of the one, and in the name of the other.
        let mut sources = column(&answer, "source");
        sources.sort();
        assert_eq!(sources, ["Oak hive.md", "Oak.md"], "{mode}: {answer}");
        assert_eq!(column(&found("\"stood empty\" hive"), "heading"), ["Trees"], "{mode}");
        let nothing = found("\"hive stood oak\"");
        assert_eq!(nothing["results"], json!([]), "{mode}");
        assert!(nothing["notice"].as_str().unwrap().contains("what is in quotation marks"), "{nothing}");
        let both = json!({ "query": "\"stood empty\"", "also": ["\"oak beside\""], "mode": mode });
        assert_eq!(ok(&world, "search_vault", both)["results"].as_array().unwrap().len(), 2, "{mode}");
    }
}

#[test]
fn frontmatter_that_has_nothing_but_tags_comes_after_everything_else() {
    let world = World::new(
        "-- Heron.md\n---\ntags: [heron, pond]\n---\nA bird by the pond.\n\
         -- Pond.md\nThe pond is where a heron was once seen from far away, among many other things.\n\
         -- Fields.md\n---\nbird: heron of the pond\n---\nSomething else.\n",
    );
    world.index();
    let answer = ok(&world, "search_vault", json!({ "query": "heron pond", "mode": "keyword", "limit": 9 }));
    let rows = answer["results"].as_array().unwrap();
    let is_tags = |row: &Value| row["content"].as_str().unwrap().contains("tags:");
    assert!(is_tags(rows.last().unwrap()) && rows.iter().filter(|row| is_tags(row)).count() == 1, "{answer}");
    assert!(rows.iter().any(|row| row["source"] == "Fields.md"), "{answer}");
    let scores: Vec<f64> = rows.iter().map(|row| row["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|one, other| one >= other), "{scores:?}");
    let first = ok(&world, "search_vault", json!({ "query": "heron", "mode": "keyword", "limit": 1 }));
    assert!(!is_tags(&first["results"][0]), "{first}");
}
