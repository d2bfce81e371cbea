//! What is found without a model: topics, quotations, forgotten notes, questions and dead links.

use std::fs;
use std::path::{Path, PathBuf};

use wellread_core::domain::corpus::VaultPath;
use wellread_core::domain::corpus::{CorpusName, Hash, Place};
use wellread_core::domain::evidence::{NewEvidence, Provenance, Source};
use wellread_core::domain::untrusted::Untrusted;
use wellread_core::domain::verdict::Verdict;
use wellread_core::insight::keyless::{
    Passage, QuestionKind, Quote, TopicKind, find_dead_links, find_differences, find_forgotten_notes,
    find_open_questions, find_quotes, find_topics, to_quotation,
};
use wellread_core::library::search::{Hit, SearchMode, SearchRequest};
use wellread_core::ports::PassageFilter;
use wellread_testkit::World;

use crate::evidence_library::Library;

fn example_vault() -> Vec<(String, String)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/vault");
    let mut files = Vec::new();
    collect(&root, &root, &mut files);
    files.sort();
    assert!(files.len() > 30);
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
}

fn passage<'a>(source: &'a str, text: &'a str) -> Passage<'a> {
    Passage { source, text, start: 0, first_line: 1, headings: &[], is_prose: true }
}

fn names(title: &str, text: &str, focus: Option<&str>) -> Vec<String> {
    find_topics(title, text, focus, 10, &|_| 1.0).into_iter().map(|topic| topic.topic).collect()
}

/// The verdicts on a quotation: with the whole note as its evidence, and with nothing but the sentence.
fn verdicts(path: &str, text: &str, quote: &Quote) -> [Verdict; 2] {
    let mut library = Library::new();
    let lines = text.split('\n').count() - usize::from(text.ends_with('\n'));
    let whole = library.add(path, text, (1, lines), true);
    let place = Place {
        corpus: CorpusName::Vault,
        path: Library::path(path),
        lines: (1, lines),
        span: 0..text.len(),
        hash: Hash::compute(text.as_bytes()),
    };
    let found = NewEvidence {
        source: Source::from_place(&quote.place(&place), None),
        text: Untrusted::from_note(quote.text.clone()),
        reason: String::new(),
        provenance: Provenance::Manual,
        score: None,
        symbol: None,
    };
    let (alone, _) = library.ledger.add(found);
    library.ledger.mark_shown(&alone);
    [whole, alone].map(|id| {
        let report = library.judge(&format!("### A topic\n\n- {} [{id}]\n", quote.quoted));
        assert_eq!(report.sentences.len(), 1, "{}", quote.quoted);
        report.sentences[0].verdict
    })
}

const ODD: [&str; 17] = [
    "The **old** hive stood *beneath* the lime tree.",
    "The old hive stood by [[Ruth|the teacher]] and [[Lime tree#Bark]] for years.",
    "The old hive by [the scale](../Hive%20scale.md) stood for years beneath the lime tree.",
    "He said of the hive: \"no more than that\", and left.",
    "Er sagte: „Der Stock ist zu schwer“, und the hive ging.",
    "The hive's queen wasn't seen, the bees' mood was bad.",
    "The hive uses `calibrate.py` and a $40 sensor with 5 * 3 cells.",
    "The hive weighs 31.5 kg & more, under 5 < 6 and a_b_c.",
    "The hive stood there.[^1]\n\n[^1]: Or so they say.",
    "The hive stood in the garden for years. ^block-1",
    "> [!warning] Do not wait\n> The hive stood in the garden\n> for many years.",
    "- [ ] The hive must be moved before winter",
    "1. The hive is #heavy and stands on C# ground.",
    "The hive stood beneath\nthe lime tree\r\nfor many years.",
    "The hive “stood” beneath the ‘lime’ tree.",
    "The hive is sold, ==finally== and **for good**.",
    "The ﬁne hive stood at 4 °C. The hive was cold.",
];

#[test]
fn the_gate_finds_every_quotation_in_its_source() {
    for text in ODD {
        let text = format!("# Hive\n\n{text}\n");
        let quotes = find_quotes("hive", &[passage("Hive.md", &text)], 3, 3);
        assert!(!quotes.is_empty(), "{text}");
        for quote in quotes {
            assert_eq!(text[quote.span.clone()], quote.text);
            assert!(!quote.quoted.contains('\n') && !quote.quoted.contains("[["), "{}", quote.quoted);
            assert_eq!(verdicts("Hive.md", &text, &quote), [Verdict::Quoted; 2], "{}", quote.quoted);
        }
    }
}

#[test]
fn what_cannot_be_quoted_as_one_run_is_passed_over() {
    for text in [
        "Too short.",
        "The hive is at https://example.org/hive today.",
        "![[hive.png]] is the picture of the hive.",
        "The hive has <b>eleven</b> frames in its box.",
        "The old hive says [ev-1-001] of itself.",
        "The hive is ~~gone~~ sold, finally and for good.",
        "One sentence stands here. Another one stands there.",
        "",
    ] {
        assert_eq!(to_quotation(text), None, "{text}");
    }
    assert_eq!(
        to_quotation("The [[Ruth|old]] hive *stood* there.").as_deref(),
        Some("\"The old hive stood there.\"")
    );
    assert_eq!(to_quotation("He said \"no more\" to me.").as_deref(), Some("“He said ‘no more’ to me.”"));
}

#[test]
fn every_quotation_of_the_example_vault_passes_the_gate() {
    let mut count = 0;
    for (path, text) in example_vault() {
        let of = [passage(&path, &text)];
        for topic in find_topics(&path, &text, None, 10, &|_| 1.0) {
            assert!(text.contains(&topic.context), "{path}: {topic:?}");
            for quote in find_quotes(&topic.topic, &of, 3, 3) {
                assert_eq!(text[quote.span.clone()], quote.text);
                let lines: Vec<&str> = text.split('\n').collect();
                let there = lines[quote.lines.0 - 1..quote.lines.1].join("\n");
                assert!(there.contains(&quote.text), "{path} {quote:?}");
                let found = verdicts(&path, &text, &quote);
                assert!(
                    found.iter().all(|verdict| verdict.is_borne_out()),
                    "{path} {} {found:?}",
                    quote.quoted
                );
                count += 1;
            }
        }
    }
    assert!(count > 300, "{count}");
}

#[test]
fn code_is_quoted_by_its_best_line_as_code() {
    let code =
        "/// Cuts a reading at the swarm limit.\nfn cut_reading(weight: f64) -> f64 {\n    weight\n}\n";
    let of = Passage { is_prose: false, ..passage("src/cut.rs", code) };
    let quotes = find_quotes("swarm limit", &[of], 2, 2);
    assert_eq!(quotes.len(), 1);
    assert_eq!(quotes[0].quoted, "`/// Cuts a reading at the swarm limit.`");
    let mut library = Library::new();
    let id = library.add("src/cut.rs", code, (1, 4), true);
    let report = library.judge(&format!("- {} [{id}]\n", quotes[0].quoted));
    assert_eq!(report.sentences[0].verdict, Verdict::Quoted);
}

#[test]
fn the_sentence_that_speaks_of_the_topic_is_quoted_and_not_the_one_that_points_to_it() {
    let notes = [
        ("Home.md", "Begin with [[Varroa mite]].\n"),
        (
            "Mites.md",
            "# Mites\n\nVarroa destructor is a mite that lives on honeybees. Bees are nice. See [[Varroa mite]].\n",
        ),
        ("Log.md", "The varroa mite was counted: 12 on the sheet. Is the varroa mite gone?\n"),
    ];
    let of: Vec<Passage<'_>> = notes.iter().map(|(path, text)| passage(path, text)).collect();
    let quotes = find_quotes("Varroa mite", &of, 5, 1);
    let told: Vec<&str> = quotes.iter().map(|quote| quote.text.as_str()).collect();
    assert_eq!(
        told,
        [
            "The varroa mite was counted: 12 on the sheet.",
            "Varroa destructor is a mite that lives on honeybees."
        ]
    );
    assert!(find_quotes("xylophone", &of, 5, 1).is_empty());
    assert!(find_quotes("", &of, 5, 1).is_empty());
}

#[test]
fn no_two_quotations_say_the_same() {
    let one = "The old hive stood beneath the lime tree.\n";
    let other = "The old hive stood beneath the lime tree.\n\nBees left the hive in May because the brood nest was full.\n";
    let quotes = find_quotes("hive", &[passage("A.md", one), passage("B.md", other)], 5, 5);
    assert_eq!(quotes.len(), 2);
    assert!(quotes[0].text.starts_with("Bees left") && quotes[1].passage == 0, "{quotes:?}");
}

const MITES: &str = "---\nrelated: \"[[Oxalic acid]]\"\n---\n# Varroa mite\n\nThe mite breeds in capped brood. \
    I took the threshold from [[Ruth]].\n\n## Threshold\n\nThe treatment threshold is 3 % of adult bees. The treatment \
    threshold matters. #bees/health\n\n## Notes\n\n- [ ] order formic acid strips\n- [x] done already\n- Does the mite \
    level of [[Bramble hive]] lag behind?\n\n```\nIs this code?\n```\n\n## Research\n\n### Xylophones\n\nAre xylophones \
    loud? See [[Xylophone]].\n\n## Last\n\nTODO: weigh the drone frame.\n";

#[test]
fn topics_are_questions_then_headings_and_links_then_phrases() {
    let found = find_topics("Varroa mite", MITES, None, 10, &|_| 1.0);
    let all: Vec<&str> = found.iter().map(|topic| topic.topic.as_str()).collect();
    assert_eq!(
        all[..7],
        [
            "mite level of Bramble hive",
            "weigh the drone frame",
            "order formic acid strips",
            "Varroa mite",
            "Ruth",
            "Varroa mite threshold",
            "Bramble hive",
        ]
    );
    assert!(all.contains(&"treatment threshold") && all.contains(&"adult bees"), "{all:?}");
    assert!(!all.contains(&"mite level"), "{all:?}");
    let claim = found.iter().find(|topic| topic.topic == "treatment threshold").unwrap();
    assert_eq!(claim.kind, TopicKind::Claim);
    assert_eq!(claim.context, "The treatment threshold is 3 % of adult bees.");
    assert_eq!(found[0].kind, TopicKind::Question);
    assert!(found.iter().all(|topic| MITES.contains(&topic.context)));
    assert!(!format!("{found:?}").contains("ylophone"), "our own section is no source: {found:?}");
}

#[test]
fn a_focus_leaves_what_shares_its_words_and_else_is_the_topic() {
    let all = names("Varroa mite", MITES, Some("thresholds"));
    assert_eq!(all, ["Varroa mite threshold", "treatment threshold"]);
    assert_eq!(names("Varroa mite", MITES, Some("nitrogen cycle")), ["nitrogen cycle"]);
    assert_eq!(names("Varroa mite", MITES, Some(" ")), names("Varroa mite", MITES, None));
    assert_eq!(find_topics("x", MITES, None, 3, &|_| 1.0).len(), 3);
    assert!(find_topics("x", "", None, 10, &|_| 1.0).is_empty());
}

#[test]
fn a_note_of_thousands_of_lines_has_its_topics_as_fast_as_it_is_read() {
    let mut text = String::new();
    for n in 0..4000 {
        text.push_str(&format!(
            "- [ ] what of word{n} thing{n} and [[Link {n}]]? The part{n} bolt{n} holds.\n"
        ));
    }
    assert_eq!(find_topics("Long", &text, None, 10, &|_| 1.0).len(), 10);
}

#[test]
fn questions_are_what_asks_what_is_marked_and_what_is_not_ticked() {
    let found = find_open_questions(MITES);
    let told: Vec<(usize, QuestionKind, &str)> =
        found.iter().map(|question| (question.line, question.kind, question.text.as_str())).collect();
    assert_eq!(
        told,
        [
            (14, QuestionKind::Task, "order formic acid strips"),
            (16, QuestionKind::Question, "Does the mite level of Bramble hive lag behind?"),
            (30, QuestionKind::Marked, "TODO: weigh the drone frame."),
        ]
    );
    assert!(
        find_open_questions("I use a todo list. Tbdx is a name. It was fixed: see [x](y.md).\n").is_empty()
    );
}

#[test]
fn dead_links_lead_nowhere_and_a_day_to_come_is_none() {
    let world = World::new(
        "-- A.md\n[[B]] [[Gone]] [[gone#x|y]] [c](C.md) [web](https://x.example) [[2026-03-04]]\n\n![[no.png]]\n\
         -- B.md\nHere.\n",
    );
    world.index();
    let note = world.vault.read(&world.path("A.md")).unwrap();
    let dead = find_dead_links(&world.vault, &note).unwrap();
    let told: Vec<(usize, &str)> = dead.iter().map(|link| (link.line, link.target.as_str())).collect();
    assert_eq!(told, [(1, "Gone"), (1, "C.md"), (3, "no.png")]);
}

fn search(world: &World, topic: &str) -> (String, Vec<Hit>) {
    let request = SearchRequest {
        query: topic.to_owned(),
        mode: SearchMode::Keyword,
        filter: PassageFilter::default(),
        limit: 5,
        per_file: 1,
    };
    (topic.to_owned(), world.search.find(&request).unwrap().hits)
}

#[test]
fn forgotten_notes_are_related_and_not_linked_either_way() {
    let world = World::new(
        "-- Mites.md\n---\ntags: [bees/health]\n---\nThe varroa mite, see [[Known]] and [[Shared]].\n\
         -- Known.md\nThe varroa mite again.\n-- Shared.md\nMeeting point.\n\
         -- Back.md\nThe varroa mite, from [[Mites]].\n\
         -- Old.md\n---\ntags: [bees/health]\n---\nThe varroa mite of long ago, see [[Shared]].\n\
         -- Daily Notes/2025-05-01.md\nSaw a varroa mite.\n\
         -- Tea.md\nTea with milk, see [[Shared]].\n",
    );
    world.index();
    let note = world.vault.read(&world.path("Mites.md")).unwrap();
    let hits = [search(&world, "varroa mite")];
    let found = find_forgotten_notes(&world.vault, &note, &hits, &[], 5).unwrap();
    let told: Vec<(&str, &str)> = found.iter().map(|note| (note.path.as_str(), note.why.as_str())).collect();
    assert_eq!(told, [("Old.md", "found for `varroa mite`; shares #bees/health and a link")]);
    assert!(find_forgotten_notes(&world.vault, &note, &[], &[], 5).unwrap().len() <= 1);
}

#[test]
fn a_note_with_the_words_of_a_topic_that_is_about_something_else_is_not_forgotten() {
    let world =
        World::new("-- Cup.md\nTea with milk.\n-- Pot.md\nTea in a pot.\n-- Cow.md\nMilk in the morning.\n");
    world.index();
    let note = world.vault.read(&world.path("Cup.md")).unwrap();
    let find = |topic: &str, similar: &[VaultPath]| -> Vec<String> {
        let found = find_forgotten_notes(&world.vault, &note, &[search(&world, topic)], similar, 5).unwrap();
        found.into_iter().map(|note| note.path.to_string()).collect()
    };
    assert_eq!(find("milk in the morning", &[]), ["Cow.md"]);
    assert!(find("milk in the morning", &[world.path("Pot.md")]).is_empty());
    assert_eq!(find("tea in a pot", &[world.path("Pot.md")]), ["Pot.md"]);
}

/// Everything that is found for one note of the example vault.
fn everything(files: &[(String, String)]) -> String {
    let world = World::with_files(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())));
    world.index();
    let mut out = String::new();
    for path in ["Bees/Varroa mite.md", "Projects/Hive scale.md"] {
        let note = world.vault.read(&world.path(path)).unwrap();
        let topics = find_topics(note.path.stem(), &note.text, None, 10, &|_| 1.0);
        let found: Vec<(String, Vec<Hit>)> =
            topics.iter().map(|topic| search(&world, &topic.topic)).collect();
        out.push_str(&format!("{topics:#?}"));
        for (topic, hits) in &found {
            let of: Vec<Passage<'_>> = hits.iter().map(Passage::from_hit).collect();
            out.push_str(&format!("{:#?}", find_quotes(topic, &of, 2, 1)));
        }
        let hits = found.iter().flat_map(|(_, hits)| hits).filter(|hit| hit.place.path != note.path);
        let of: Vec<Passage<'_>> =
            std::iter::once(Passage::from_note(&note)).chain(hits.map(Passage::from_hit)).collect();
        out.push_str(&format!("{:#?}", find_differences(&of, Some(&note.text), 10)));
        out.push_str(&format!("{:#?}", find_forgotten_notes(&world.vault, &note, &found, &[], 5).unwrap()));
        out.push_str(&format!(
            "{:#?}",
            (find_open_questions(&note.text), find_dead_links(&world.vault, &note).unwrap())
        ));
    }
    out
}

#[test]
fn the_same_vault_gives_the_same_bytes() {
    let mut files = example_vault();
    let first = everything(&files);
    assert!(first.contains("values: (\n            \"3 %\",\n            \"2 %\",\n        )"), "{first}");
    files.reverse();
    let again = everything(&files);
    let differs = first.lines().zip(again.lines()).find(|(one, other)| one != other);
    assert!(first == again, "{differs:?}");
}
