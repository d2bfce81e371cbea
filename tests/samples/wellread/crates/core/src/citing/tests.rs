//! Citations by hand-written cases.

use wellread_text::Names;

use super::*;
use crate::corpus::{DEFAULT_EXCLUDED, Hash, PathRules};
use crate::evidence::{Found, Provenance};
use crate::id::RunId;
use crate::untrusted::Untrusted;

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
        path: rules.file(path).unwrap(),
        start_line,
        end_line,
        span: start_line..end_line + 10,
        hash: Hash::of(b"x"),
    };
    let page = |url: &str, title: &str| PagePlace {
        url: url.to_owned(),
        title: Some(title.to_owned()),
        snapshot: Hash::of(url.as_bytes()),
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
        let (id, _) = ledger.add(Found {
            source,
            text: Untrusted::outside("x"),
            reason: String::new(),
            provenance: Provenance::Manual,
            score: None,
            symbol: None,
        });
        ledger.show(&id);
    }
    ledger
}

fn names() -> Names {
    Names::of(["Bees/Varroa mite.md", "Home.md"])
}

#[test]
fn ids_become_links_and_links_ids() {
    let (ledger, names) = (ledger(), names());
    let sources = Sources { ledger: &ledger, names: &names, from: "Home.md" };
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
        assert_eq!(sources.with_links(&with_ids), with_links);
        let back = sources.with_ids(&with_links);
        let ids = |text: &str| -> Vec<String> {
            citations(text).into_iter().flat_map(|group| group.ids).map(|citation| citation.id).collect()
        };
        assert_eq!(ids(&back), ids(&with_ids), "{back}");
        assert_eq!(sources.with_links(&back), with_links, "{back}");
    }
}

#[test]
fn a_link_that_the_writer_made_stays_and_learns_its_lines() {
    let (ledger, names) = (ledger(), names());
    let sources = Sources { ledger: &ledger, names: &names, from: "Home.md" };
    let text = format!(
        "As [[Varroa mite|the mite]] {} says, and [wax](https://bees.example/wax_(a)) {}.",
        id(2),
        id(3)
    );
    assert_eq!(
        sources.with_links(&text),
        "As [[Varroa mite|the mite]]:20 says, and [wax](https://bees.example/wax_(a))."
    );
    assert_eq!(
        sources.with_ids(
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
    let sources = Sources { ledger: &ledger, names: &names, from: "Home.md" };
    assert_eq!(sources.with_links("Made up [ev-01m7fb68wd4ajr-099]."), "Made up.");
    assert_eq!(
        sources.with_ids("[[Varroa mite]]:99 and `[[Varroa mite]]:20`"),
        "[[Varroa mite]]:99 and `[[Varroa mite]]:20`"
    );
    assert_eq!(sources.cited("[[Varroa mite]]:20 [[Varroa mite]]:12-14 `wax: src/lib.rs:10-12`").len(), 2);
}
