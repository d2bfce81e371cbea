//! Citations by hand-written cases.

use wellread_text::FileNames;

use super::*;
use crate::domain::corpus::{DEFAULT_EXCLUDED, Hash, PathRules};
use crate::domain::evidence::{NewEvidence, Provenance};
use crate::domain::id::RunId;
use crate::domain::untrusted::Untrusted;

fn run() -> RunId {
    RunId::parse("01m7fb68wd4ajr").unwrap()
}

fn id(number: u32) -> String {
    format!("[{}]", EvidenceId::new(&run(), number))
}

/// Two places of a note, a page, a paper and a piece of code.
fn ledger() -> Ledger {
    let rules = PathRules::new(["/vault".to_owned()], &DEFAULT_EXCLUDED.map(str::to_owned));
    let file = |path: &str, start_line, end_line| FilePlace {
        path: rules.parse_file(path).unwrap(),
        start_line,
        end_line,
        span: start_line..end_line + 10,
        hash: Hash::compute(b"x"),
    };
    let page = |url: &str, title: &str| PagePlace {
        url: url.to_owned(),
        title: Some(title.to_owned()),
        snapshot: Hash::compute(url.as_bytes()),
        span: 0..1,
    };
    let code = Source::Code { repository: "wax".to_owned(), place: file("src/lib.rs", 10, 12), commit: None };
    let mut ledger = Ledger::new(run());
    for source in [
        Source::Note(file("Bees/Varroa mite.md", 12, 14)),
        Source::Note(file("Bees/Varroa mite.md", 20, 20)),
        Source::Page(page("https://bees.example/wax_(a)", "Of [wax] `and` honey")),
        Source::Paper {
            arxiv: "2301.00001v2".to_owned(),
            place: page("https://arxiv.org/abs/2301.00001v2", ""),
        },
        code,
    ] {
        let (id, _) = ledger.add(NewEvidence {
            source,
            text: Untrusted::from_outside("x"),
            reason: String::new(),
            provenance: Provenance::Manual,
            score: None,
            symbol: None,
        });
        ledger.mark_shown(&id);
    }
    ledger
}

fn names() -> FileNames {
    FileNames::from_paths(["Bees/Varroa mite.md", "Home.md"])
}

#[test]
fn ids_become_links_and_links_ids() {
    let (ledger, names) = (ledger(), names());
    let sources = CitationContext { ledger: &ledger, names: &names, from: "Home.md" };
    for (with_ids, with_links) in [
        (format!("Mites breed. {}", id(1)), "Mites breed. ([[Varroa mite]]:12-14)".to_owned()),
        (format!("Mites breed {}.", id(2)), "Mites breed ([[Varroa mite]]:20).".to_owned()),
        (
            format!("Both {}{}.", id(1), id(5)),
            "Both ([[Varroa mite]]:12-14, `wax: src/lib.rs:10-12`).".to_owned(),
        ),
        (
            format!("Wax {}.", id(3)),
            "Wax ([Of (wax) and honey](https://bees.example/wax_%28a%29)).".to_owned(),
        ),
        (
            format!("A paper {}.", id(4)),
            "A paper ([arxiv.org](https://arxiv.org/abs/2301.00001v2)).".to_owned(),
        ),
        ("Nothing is cited.".to_owned(), "Nothing is cited.".to_owned()),
    ] {
        assert_eq!(sources.replace_ids_with_links(&with_ids), with_links);
        let back = sources.restore_ids(&with_links);
        let ids = |text: &str| -> Vec<String> {
            find_citations(text).into_iter().flat_map(|group| group.ids).map(|citation| citation.id).collect()
        };
        assert_eq!(ids(&back), ids(&with_ids), "{back}");
        assert_eq!(sources.replace_ids_with_links(&back), with_links, "{back}");
    }
}

#[test]
fn a_link_that_the_writer_made_stays_and_learns_its_lines() {
    let (ledger, names) = (ledger(), names());
    let sources = CitationContext { ledger: &ledger, names: &names, from: "Home.md" };
    let text = format!(
        "As [[Varroa mite|the mite]] {} says, and [wax](https://bees.example/wax_(a)) {}.",
        id(2),
        id(3)
    );
    assert_eq!(
        sources.replace_ids_with_links(&text),
        "As [[Varroa mite|the mite]]:20 says, and [wax](https://bees.example/wax_(a))."
    );
    assert_eq!(
        sources.restore_ids(
            "See [[varroa mite]], [[Home]], <https://bees.example/wax_(a)#x> and [x](https://else.example)."
        ),
        format!(
            "See [[varroa mite]] {}{}, [[Home]], <https://bees.example/wax_(a)#x> {} and [x](https://else.example).",
            id(1),
            id(2),
            id(3)
        )
    );
}

#[test]
fn what_nobody_knows_is_no_citation() {
    let (ledger, names) = (ledger(), names());
    let sources = CitationContext { ledger: &ledger, names: &names, from: "Home.md" };
    assert_eq!(sources.replace_ids_with_links("Made up [ev-01m7fb68wd4ajr-099]."), "Made up.");
    assert_eq!(
        sources.restore_ids("[[Varroa mite]]:99 and `[[Varroa mite]]:20`"),
        "[[Varroa mite]]:99 and `[[Varroa mite]]:20`"
    );
    assert_eq!(
        sources.cited_evidence("[[Varroa mite]]:20 [[Varroa mite]]:12-14 `wax: src/lib.rs:10-12`").len(),
        2
    );
}

#[test]
fn places_are_shown_instead_of_ids() {
    let text = format!(
        "Mites are old {}{}. Wax melts {}.\n\n- It runs {}\n- Nobody knows [ev-{}-099]",
        id(1),
        id(1),
        id(3),
        id(5),
        run()
    );
    let (shown, cited) = show_places(&text, &ledger());
    assert_eq!(
        shown,
        format!(
            "Mites are old (`Bees/Varroa mite.md:12-14`). Wax melts ([Of (wax) and honey](https://bees.example/wax_%28a%29)).\n\n\
             - It runs (`src/lib.rs:10-12`)\n- Nobody knows [ev-{}-099]",
            run()
        )
    );
    assert_eq!(cited.len(), 3);
    let note = serde_json::to_value(&cited[0]).unwrap();
    let expected = serde_json::json!({
        "id": EvidenceId::new(&run(), 1).to_string(), "path": "Bees/Varroa mite.md", "start_line": 12, "end_line": 14, "quote": "x",
    });
    assert_eq!(note, expected);
    assert_eq!(cited[1].url.as_deref(), Some("https://bees.example/wax_(a)"));
    assert_eq!(cited[2].repository.as_deref(), Some("wax"));
}

#[test]
fn a_citation_stands_once_where_it_was_written_twice() {
    let text = format!("Mites {} {}, {}. Wax {}{}.", id(1), id(1), id(2), id(1), id(2));
    assert_eq!(tidy_citations(&text), format!("Mites {} {}. Wax {}{}.", id(1), id(2), id(1), id(2)));
    let named = format!("See [wax](https://bees.example/wax_%28a%29) {}.", id(3));
    let (ledger, names) = (ledger(), names());
    let context = CitationContext { ledger: &ledger, names: &names, from: "Bees/Hive.md" };
    assert_eq!(context.replace_ids_with_links(&named), "See [wax](https://bees.example/wax_%28a%29).");
}

#[test]
fn a_link_leads_to_the_heading_or_block_and_still_cites() {
    let note = "# Mite\n\nOld.\n\n## Life: a [cycle]\n\nIt breeds. ^brood\n\nIt dies.\n";
    let anchors: Vec<Option<String>> = [3, 5, 7, 9].into_iter().map(|line| find_anchor(note, line)).collect();
    let heading = Some("Life a cycle".to_owned());
    assert_eq!(anchors, [None, heading.clone(), Some("^brood".to_owned()), heading]);
    let (ledger, names) = (ledger(), names());
    let context = CitationContext { ledger: &ledger, names: &names, from: "Bees/Hive.md" };
    let anchor = |path: &str, line: usize| Some(format!("{}{line}", path.len()));
    let text = context.replace_ids_with_links(&format!("Mites breed {}. Wax {}.", id(2), id(3)));
    let linked = context.add_anchors(&text, &anchor);
    assert!(linked.starts_with("Mites breed ([[Varroa mite#1920]]:20). Wax ("), "{linked}");
    assert_eq!(context.add_anchors(&linked, &anchor), linked);
    assert_eq!(context.restore_ids(&linked), context.restore_ids(&text));
}

#[test]
fn footnotes_become_ids_by_their_first_definition_and_only_so_many() {
    let (ledger, names) = (ledger(), names());
    let sources = CitationContext { ledger: &ledger, names: &names, from: "Home.md" };
    let definitions = "[^a]: My own.\n\n[^b]: [[Varroa mite]]:20\n[^b]: [[Varroa mite]]:12-14\n";
    let text = format!("Mites[^b] breed.[^a] Again.[^b]\n\n{definitions}");
    assert_eq!(
        sources.restore_ids(&text).trim_end(),
        format!("Mites{} breed.[^a] Again.{}\n\n[^a]: My own.", id(2), id(2))
    );
    let text = format!("Mites.[^a]\n\n[^a]: {}\n", "[[Varroa mite]]:20 ".repeat(99));
    assert_eq!(sources.restore_ids(&text).matches(&id(2)).count(), 32);
}

#[test]
fn ids_become_keyed_footnotes_and_footnotes_ids() {
    let (ledger, names) = (ledger(), names());
    let sources = CitationContext { ledger: &ledger, names: &names, from: "Home.md" };
    let text = format!(
        "Mites breed. {} Both {}{}. As [[Varroa mite|the mite]] {} says. Wax {}. Again. {} Made up [ev-01m7fb68wd4ajr-099].",
        id(1),
        id(2),
        id(5),
        id(2),
        id(3),
        id(1)
    );
    let mut labels = FootnoteLabels::default();
    let cited = sources.replace_ids_with_footnotes(&text, &mut labels);
    let cited = cited + &labels.render_definitions();
    let expected = "Mites breed.[^varroa-mite] Both[^varroa-mite-2][^lib-rs]. As [[Varroa mite|the mite]]:20 says. \
                    Wax[^of-wax-and-honey]. Again.[^varroa-mite] Made up.\n\n\
                    [^varroa-mite]: [[Varroa mite]]:12-14\n[^varroa-mite-2]: [[Varroa mite]]:20\n\
                    [^lib-rs]: `wax: src/lib.rs:10-12`\n\
                    [^of-wax-and-honey]: [Of (wax) and honey](https://bees.example/wax_%28a%29)";
    assert_eq!(cited, expected);
    let ids = |text: &str| -> Vec<String> {
        find_citations(text).into_iter().flat_map(|group| group.ids).map(|citation| citation.id).collect()
    };
    let back = sources.restore_ids(&cited);
    let known: Vec<String> = ids(&text).into_iter().filter(|id| !id.ends_with("099")).collect();
    assert_eq!(ids(&back), known, "{back}");
    assert!(!back.contains("[^"), "the definitions go with their footnotes: {back}");
}

#[test]
fn what_is_no_sentence_names_no_source() {
    let id = |number: u32| format!("[ev-0197a-{number:03}]");
    let text = format!(
        "### All hives weigh 99 kg {one}\n\nThe hive weighs 38 kg. {one}\n\n| All weigh 99 kg {one} | kg |\n| --- | --- |\n| Linden | 38 {two} |\n\n```\nlet a = 1;\n```\n\n{two}\n\nSource: Hives-weigh-99-kg.md:3 {one}\n",
        one = id(1),
        two = id(2),
    );
    let kept = tidy_citations(&text);
    assert_eq!(kept.matches(&id(1)).count(), 1, "{kept}");
    assert_eq!(kept.matches(&id(2)).count(), 2, "{kept}");
    assert!(kept.contains(&format!("38 kg. {}", id(1))), "{kept}");
    // One inside of another leaves none.
    let kept = tidy_citations(
        "### All hives weigh 99 kg [ev-[ev-0197a-001]0197a-002] [[ev-0197a-001]ev-0197a-002]\n",
    );
    assert!(wellread_text::find_citations(&kept).is_empty(), "{kept}");
}
