//! How a knowledge base is: what is said of it, and what is not.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Value, json};
use wellread_core::domain::id::RunId;
use wellread_core::insight::health::{Health, HealthExamination, HealthInputs, SimilarityKind, examine};
use wellread_core::ports::RunLogs as _;
use wellread_core::ports::event::{RunEvent, RunKind};
use wellread_testkit::World;
use wellread_testkit::run_fixtures::{began_event, note_evidence, record_run};

use crate::ask::ok;

fn examined(world: &World) -> HealthExamination {
    let drawn_on = &world.records.notes_in_evidence().unwrap();
    let ground =
        HealthInputs { vault: &world.vault, search: &world.search, drawn_on, without_private: false };
    examine(&ground).unwrap()
}

fn health(world: &World) -> Health {
    examined(world).health
}

fn of(script: &str) -> Health {
    health(&World::new(script))
}

const LINKED: &str = "-- Home.md\n[[Bees]] and [honey](Food/Honey.md), [[the bees]], [[Bees#Life|them]]; [[Home]].\n\
                      -- Bees.md\n---\naliases: [the bees]\n---\nBack [[Home]].\n# Life\n\
                      -- Food/Honey.md\nSweet. ![[jar.png]]\n\
                      -- Alone.md\nNobody. [[#Here]] https://x.example/Bees\n\
                      -- Preferences.md\n- Short.\n-- jar.png\nx\n";

#[test]
fn links_are_counted_once_and_orphans_and_dead_ends_are_told_apart() {
    let health = of(LINKED);
    assert_eq!((health.notes, health.links), (5, 3));
    assert_eq!(health.orphans, ["Alone.md"]);
    assert_eq!(health.dead_ends, ["Food/Honey.md"]);
    assert_eq!(health.dead_links, []);
}

#[test]
fn the_graph_has_each_pair_once_and_its_nodes_by_path() {
    let graph = examined(&World::new(LINKED)).graph;
    let nodes: Vec<(&str, &str, Option<usize>, usize)> = graph
        .nodes
        .iter()
        .map(|node| (node.path.as_str(), node.title.as_str(), node.cluster, node.links))
        .collect();
    assert_eq!(
        nodes,
        [
            ("Alone.md", "Alone", None, 0),
            ("Bees.md", "Bees", Some(0), 1),
            ("Food/Honey.md", "Honey", Some(0), 1),
            ("Home.md", "Home", Some(0), 2),
            ("Preferences.md", "Preferences", None, 0),
        ]
    );
    assert_eq!(graph.edges, [[1, 3], [2, 3]]);
}

#[test]
fn a_dead_link_is_named_with_its_line_and_what_may_have_been_meant() {
    let health = of(
        "-- Home.md\n# Home\n\n[[Varroa mites]] and [[Nowhere]], ![[gone.png]]\n[[nowhere]] again; [[2026-02-01]].\n\
                     `[[code]]`\n\n## Research\n\n[[Ours]]\n<!-- wellread: run 01m7fb68wd4ajr -->\n\
                     -- Varroa-Mite.md\nx\n",
    );
    let dead: Vec<(usize, &str, Option<&str>)> = health
        .dead_links
        .iter()
        .map(|dead| (dead.line, dead.target.as_str(), dead.reason.as_deref()))
        .collect();
    assert_eq!(
        dead,
        [
            (3, "Varroa mites", Some("`Varroa-Mite.md` has a similar name")),
            (3, "Nowhere", None),
            (3, "gone.png", None)
        ]
    );
}

#[test]
fn a_place_that_a_note_does_not_have_is_dead_and_told() {
    let health = of(
        "-- Home.md\n[[B#Nope]] [[B#^no]] [[B#Long life|so]] [slug](B.md#long-life) [[B#^here]] [[B#Long life#Told]] [[b#nope]]\n\
                     [second](B.md#long-life-1) [mark](B.md#anchor) [[B#Quoted]] [[Home#Not here]] [linked](B.md#the-list-of-all) [[#Nope]]\n\
                     -- B.md\n# Long *life*\n\nWords. ^here\n\n## Told\n\n<a id=\"anchor\"></a>\n\n> ## Quoted\n\n## The [list](x/y) of all\n\n-- x/y.md\nx\n",
    );
    let dead: Vec<(&str, Option<&str>)> =
        health.dead_links.iter().map(|dead| (dead.target.as_str(), dead.reason.as_deref())).collect();
    assert_eq!(
        dead,
        [
            ("B#Nope", Some("`B` has no heading `Nope`")),
            ("B#^no", Some("`B` has no block `^no`")),
            ("Home#Not here", Some("`Home` has no heading `Not here`")),
        ]
    );
}

#[test]
fn a_folder_that_is_there_and_what_a_template_fills_in_are_no_dead_links() {
    let health = of(
        "-- Home.md\n[many](./features) [all](features/) [deep](Guides/first) [gone](./nothing) [[features]]\n\
                     -- Guides/Template.md\n[[{{yesterday}}]] [[<% tp.date %>|x]] {{[[filled]]}} <% [[in]] %> [up](../features) [own](first) [[after]]\n\
                     -- features/Search.md\nx\n-- Guides/first/Step.md\nx\n",
    );
    let dead: Vec<&str> = health.dead_links.iter().map(|dead| dead.target.as_str()).collect();
    assert_eq!(dead, ["after", "./nothing", "features"]);
}

#[test]
fn clusters_are_named_for_their_best_linked_note_and_the_largest_comes_first() {
    let health = of(
        "-- Bees.md\n[[Hive]] [[Wax]] [[Queen]]\n-- Hive.md\n[[Wax]]\n-- Queen.md\n[[Hive]]\n-- Wax.md\n\n\
                     -- Yeast.md\n[[Mead]]\n-- Mead.md\n[[Yeast]] [[Must]]\n-- Must.md\n\n-- Alone.md\nx\n",
    );
    let clusters: Vec<(usize, &str, usize, &[String])> = health
        .clusters
        .iter()
        .map(|found| (found.id, found.name.as_str(), found.size, &found.notes[..2]))
        .collect();
    assert_eq!(
        clusters,
        [
            (0, "Bees", 4, &["Bees.md".to_owned(), "Hive.md".to_owned()][..]),
            (1, "Mead", 3, &["Mead.md".to_owned(), "Must.md".to_owned()][..]),
        ]
    );
}

#[test]
fn what_no_run_has_drawn_on_is_listed() {
    let world = World::new("-- A.md\nx\n-- B.md\nx\n-- C.md\nx\n-- Preferences.md\nx\n");
    let run = RunId::fresh();
    let evidence = RunEvent::Evidence(Box::new(note_evidence(&run, 1, "B.md", "x")));
    record_run(&*world.records, &run, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x"), evidence]);
    let left = health(&world).never_drawn_on;
    assert_eq!((left.count, left.notes), (2, vec!["A.md".to_owned(), "C.md".to_owned()]));
}

const LONG: &str = "The bees of the linden hive fly out in June when the linden trees of the village begin to bloom, \
                    and they come home late in the evening with more nectar than the frames of one box can hold, \
                    so that a second box has to be put on before the first of July.";

#[test]
fn notes_of_the_same_text_and_of_nearly_the_same_words_are_duplicates_without_vectors() {
    let changed = LONG.replace("first of July", "end of July");
    let script = format!(
        "-- A.md\n---\nx: 1\n---\n{LONG}\n-- B.md\n{LONG}\n\n-- C.md\n{changed}\n-- D.md\nThe bees of the linden hive fly out in June. They are brown.\n\
         -- Short.md\nx\n-- Short too.md\nx\n-- Daily Notes/2026-01-01.md\n{LONG}\n"
    );
    let health = of(&script);
    let pairs: Vec<(&str, &str, SimilarityKind)> =
        health.duplicates.iter().map(|pair| (pair.one.as_str(), pair.other.as_str(), pair.how)).collect();
    assert_eq!(pairs, [("A.md", "B.md", SimilarityKind::Text), ("A.md", "C.md", SimilarityKind::Shingles)]);
    assert_eq!(health.duplicates[0].similarity, 1.0);
    let near = health.duplicates[1].similarity;
    assert!(near > 0.8 && near < 1.0, "{near}");
    assert!(health.notice.unwrap().contains("3 notes have no vectors yet"));
}

#[test]
fn with_vectors_what_means_the_same_is_a_duplicate_whatever_the_order_of_its_words() {
    let turned: Vec<&str> = LONG.split_whitespace().rev().collect();
    let world = World::new(&format!(
        "-- A.md\n{LONG}\n-- B.md\n{}\n-- C.md\nMead is made of honey, water and yeast, and takes a year to clear in the cellar.\n",
        turned.join(" ")
    ));
    world.index();
    let health = health(&world);
    let pairs: Vec<(&str, &str, SimilarityKind)> =
        health.duplicates.iter().map(|pair| (pair.one.as_str(), pair.other.as_str(), pair.how)).collect();
    assert_eq!((pairs, health.notice), (vec![("A.md", "B.md", SimilarityKind::Vector)], None));
}

#[test]
fn figures_that_differ_are_laid_side_by_side_with_their_lines() {
    let health = of(
        "-- Apiary.md\n# Apiary\n\nBees fly.\n\nThe treatment threshold for varroa is 3 % of adult bees.\n\n\
                     ```\nThe treatment threshold for varroa is\n\n9 % of adult bees.\n```\n\
                     -- Winter.md\nSnow.\n\nThe treatment threshold for varroa is 2 % of adult bees.\n\n## 2024\n\nThe treatment threshold for varroa is 7 % of adult bees.\n",
    );
    let [found] = &health.contradictions[..] else { panic!("{:?}", health.contradictions) };
    assert_eq!(found.values, ["3 %", "2 %"]);
    assert_eq!(found.what, "treatment threshold varroa bees");
    let at = |side: &wellread_core::insight::health::QuotedLines| {
        (side.path.clone(), side.start_line, side.end_line)
    };
    assert_eq!(at(&found.one), ("Apiary.md".to_owned(), 5, 5));
    assert_eq!(at(&found.other), ("Winter.md".to_owned(), 3, 3));
    assert_eq!(found.other.quote, "The treatment threshold for varroa is 2 % of adult bees.");
}

#[test]
fn a_note_is_stale_where_it_is_old_and_others_that_changed_lately_link_to_it() {
    let world = World::new(
        "-- New.md\n[[Old]] [[Reviewed]] [[Fresh]]\n-- Newer.md\n[[Old]]\n-- Old.md\nx\n-- Fresh.md\nx\n-- Reviewed.md\n---\nreviewed: 2026-01-01\n---\nx\n\
         -- Long ago.md\n[[Forgotten]]\n-- Forgotten.md\nx\n",
    );
    let day = |path: &str, moment: &str| {
        world.files.set_dates(&world.path(path), moment.parse::<Timestamp>().unwrap(), None);
    };
    for path in ["Old.md", "Reviewed.md", "Long ago.md", "Forgotten.md"] {
        day(path, "2024-06-01T12:00:00Z");
    }
    day("New.md", "2026-01-15T12:00:00Z");
    let stale = health(&world).stale;
    assert_eq!(stale.len(), 1, "{stale:?}");
    assert_eq!((stale[0].path.as_str(), stale[0].changed.as_str()), ("Old.md", "2024-06-01"));
    assert_eq!(
        stale[0].reason,
        "not changed for 638 days; `Newer.md` and another note link to it and changed within the last 90 days"
    );
}

fn suggested(script: &str) -> Vec<(String, usize, String, String)> {
    let row =
        |link: wellread_core::insight::health::SuggestedLink| (link.from, link.line, link.mention, link.to);
    of(script).suggested_links.into_iter().map(row).collect()
}

fn row(from: &str, line: usize, mention: &str, to: &str) -> (String, usize, String, String) {
    (from.to_owned(), line, mention.to_owned(), to.to_owned())
}

#[test]
fn a_name_in_running_text_is_a_link_that_is_missing() {
    let script = "-- Varroa.md\n---\naliases: [Varroa mite]\n---\nA varroa mite.\n\
                  -- Diary.md\n# Varroa mite\n\nToday the varroa\nmite again, a Varroa Mite.\n\
                  -- Linked.md\nThe varroa and [[Varroa]].\n\
                  -- Code.md\n`varroa` and #varroa, varroas.\n-- Talk.md\nNobody speaks.\n";
    assert_eq!(suggested(script), [row("Diary.md", 3, "varroa mite", "Varroa.md")]);
    let reason = &of(script).suggested_links[0].reason;
    assert_eq!(
        reason,
        "`Varroa mite` is an alias of [[Varroa]], which this note does not link to. It appears there 2 times."
    );
}

#[test]
fn a_word_of_every_day_counts_only_where_it_is_spelled_as_the_name() {
    let script = "-- Reading.md\nx\n-- Walk.md\nx\n-- A.md\nI was reading. Reading is fun. See my Reading of May.\n\
                  -- B.md\nA walk, reading.\n-- C.md\nWalk on.\n- Walk\n";
    assert_eq!(suggested(script), [row("A.md", 1, "Reading", "Reading.md")]);
}

#[test]
fn a_name_of_two_notes_or_one_that_everybody_says_suggests_nothing() {
    let twice = "-- A/Hivelog.md\nx\n-- B/Hivelog.md\nx\n-- C.md\nThe hivelog.\n";
    assert_eq!(suggested(twice), []);
    let everybody: String = (0..30).map(|n| format!("-- N{n}.md\nOur hivelog.\n")).collect();
    assert_eq!(suggested(&format!("-- Hivelog.md\nx\n{everybody}")), []);
}

#[test]
fn a_name_that_links_show_and_others_say_is_an_alias_that_is_missing() {
    let health = of(
        "-- Varroa.md\n---\naliases: [mite]\n---\nx\n-- A.md\n[[Varroa|Varroa destructor]] [[Varroa|here]] [[Varroa|Varroa]]\n\
                     -- B.md\n[mites of bees](Varroa.md) and varroa destructor.\n-- C.md\nVarroa destructor. [[Varroa|the mite]]\n",
    );
    let aliases: Vec<(&str, &str, usize, &str)> = health
        .suggested_aliases
        .iter()
        .map(|alias| (alias.path.as_str(), alias.alias.as_str(), alias.used_by, alias.reason.as_str()))
        .collect();
    let reason = "1 note shows `Varroa destructor` for it in a link, 2 notes say it in plain text";
    assert_eq!(aliases, [("Varroa.md", "Varroa destructor", 3, reason)]);
}

#[test]
fn a_file_name_and_a_word_of_a_longer_title_are_no_aliases() {
    let aliases = |script: &str| -> Vec<String> {
        of(script).suggested_aliases.into_iter().map(|alias| alias.alias).collect()
    };
    let files = "-- GOVERNANCE.md\nx\n-- docs/pull-requests.md\nx\n-- Other.md\nx\n\
                 -- A.md\n[GOVERNANCE.md](GOVERNANCE.md) [CONTRIBUTING.md](docs/pull-requests.md) [Pull-Requests](docs/pull-requests.md) [Other](GOVERNANCE.md)\n\
                 -- B.md\n[GOVERNANCE.md](GOVERNANCE.md) CONTRIBUTING.md Pull-Requests Other\n";
    assert_eq!(aliases(files), [""; 0]);
    let parts = "-- setting up your GitHub repository.md\nx\n-- Obsidian compatibility.md\nx\n\
                 -- A.md\n[[setting up your GitHub repository|GitHub]] [[Obsidian compatibility|Obsidian]]\n\
                 -- B.md\n[[setting up your GitHub repository|GitHub]]\n-- C.md\nWe like GitHub and Obsidian.\n";
    assert_eq!(aliases(parts), [""; 0]);
    let said = "-- Obsidian compatibility.md\nx\n-- A.md\n[[Obsidian compatibility|Obsidian]]\n-- B.md\n[[Obsidian compatibility|Obsidian]]\n";
    assert_eq!(aliases(said), ["Obsidian"], "nobody means anything else by it");
}

#[test]
fn a_small_word_within_a_longer_phrase_is_no_mention_of_a_note() {
    let script = "-- distribution.md\nx\n-- embedding.md\nx\n\
                  -- A.md\nThe percentile distribution of delays. A character embedding test.\n\
                  -- B.md\nThis is told of the embedding, and of the distribution.\n";
    let everybody: String = (0..30).map(|n| format!("-- N{n}.md\nThe frontmatter parser.\n")).collect();
    let said = format!("-- frontmatter.md\nx\n{everybody}-- C.md\nThis is the frontmatter.\n");
    assert_eq!(suggested(&said), [], "everybody says it, in whichever phrase");
    assert_eq!(
        suggested(script),
        [row("B.md", 1, "distribution", "distribution.md"), row("B.md", 1, "embedding", "embedding.md")]
    );
}

#[test]
fn one_bad_file_is_named_and_costs_nothing_else() {
    let world = World::with_files([
        ("Good.md", &b"[[Broken]] [[Bytes]]\n"[..]),
        ("Broken.md", b"x"),
        ("Bytes.md", b"Caf\xe9 [[Good]]\n"),
        ("Yaml.md", b"---\n: [\n---\n[[Good]]\n"),
    ]);
    world.files.make_unreadable(&world.path("Broken.md"));
    let health = health(&world);
    assert_eq!(health.notes, 3);
    let skipped: Vec<&str> = health.skipped.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(skipped, ["Broken.md", "Bytes.md"]);
    assert_eq!(health.dead_links, [], "it is there, though it can't be read");
    assert_eq!(health.orphans, [""; 0]);
}

#[test]
fn an_empty_vault_has_an_empty_report() {
    let HealthExamination { health, graph } = examined(&World::new(""));
    assert_eq!((health.notes, health.links, health.words), (0, 0, 0));
    assert_eq!((graph.nodes.len(), graph.edges.len(), health.files().len()), (0, 0, 0));
}

#[test]
fn the_same_vault_gives_the_same_report() {
    let world = World::new(LINKED);
    assert_eq!(examined(&world), examined(&world));
}

#[test]
fn the_report_is_the_json_that_was_agreed() {
    let world = World::new(LINKED);
    let report = serde_json::to_value(health(&world)).unwrap();
    let names: BTreeSet<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
    let agreed = [
        "at",
        "clusters",
        "contradictions",
        "deadEnds",
        "deadLinks",
        "duplicates",
        "links",
        "neverDrawnOn",
        "notes",
        "notice",
        "orphans",
        "skipped",
        "stale",
        "suggestedAliases",
        "suggestedLinks",
        "tookMs",
        "words",
    ];
    assert_eq!(names, BTreeSet::from(agreed));
    assert_eq!(report["at"], "2026-03-01T09:30:00Z");
    let graph = serde_json::to_value(examined(&world).graph).unwrap();
    assert_eq!(graph["edges"], json!([[1, 3], [2, 3]]));
    assert_eq!(graph["nodes"][0], json!({ "path": "Alone.md", "title": "Alone", "links": 0 }));
}

#[test]
fn the_tool_tells_the_first_of_each_and_how_many_there_are() {
    let script: String = (0..9).map(|n| format!("-- Alone {n}.md\nx\n")).collect();
    let answer = ok(&World::new(&script), "kb_health", json!({ "limit": 2 }));
    assert_eq!(answer["orphans"], json!(["Alone 0.md", "Alone 1.md"]));
    assert_eq!(answer["neverDrawnOn"]["count"], 9);
    assert!(answer["notice"].as_str().unwrap().contains("there are 9 orphans"), "{answer}");
    assert_eq!(answer["notes"], Value::from(9));
}
