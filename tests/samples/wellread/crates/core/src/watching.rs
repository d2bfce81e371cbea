//! What can be watched of research while it goes on: one function for each span, with what it tells.
//!
//! A span may leave this machine, so it says names, counts and places, and never what notes, pages or models say. That is why
//! these are functions: nothing but what they take can be put into one. Nothing is sent here, and nothing happens where
//! nobody watches. A span lasts from here until it is dropped; what happens in a future is put beneath it by
//! [`tracing::Instrument`].
//!
//! Of a private note not even the path is told: whoever has one passes `None`.

use tracing::field::Empty;
use tracing::{Span, info_span};
use url::Url;

use crate::Result;
use crate::id::FindingId;

/// By which these spans are told from all others.
pub const TARGET: &str = "wellread::research";

pub const TRIGGER: &str = "research.trigger";
pub const AGENDA_GENERATE: &str = "research.agenda_generate";
pub const AGENDA_APPROVE: &str = "research.agenda_approve";
pub const TASK_EXECUTE: &str = "research.task_execute";
pub const FINDING_DEDUP_CHECK: &str = "research.finding_dedup_check";
pub const FINDING_SYNTHESISE: &str = "research.finding_synthesise";
pub const FINDING_ACCEPT: &str = "research.finding_accept";
pub const FINDING_DISMISS: &str = "research.finding_dismiss";

/// What `outcome` says.
pub const OK: &str = "ok";
pub const FAILED: &str = "failed";
/// It had been done before, and was not done again.
pub const UNCHANGED: &str = "unchanged";

/// Of a path, a query or a model's name; in characters.
const LONGEST: usize = 300;

/// An agenda is asked for. `kind` is the trigger's name; the note is told by its path.
pub fn trigger(kind: &'static str, note: Option<&str>) -> Span {
    info_span!(
        target: TARGET,
        TRIGGER,
        trigger_type = kind,
        source_note = note.map(short),
        outcome = Empty,
    )
}

/// Tasks are thought of, by a model or without one.
pub fn agenda_generate(model: Option<&str>) -> Span {
    info_span!(
        target: TARGET,
        AGENDA_GENERATE,
        model = model.map(short),
        task_count = Empty,
        outcome = Empty,
    )
}

pub fn generated(span: &Span, task_count: usize) {
    span.record("task_count", task_count);
}

/// An agenda is approved: so many tasks are, and so many are blocked. One that ends well counts as a run.
pub fn agenda_approve(approved: usize, blocked: usize) -> Span {
    info_span!(target: TARGET, AGENDA_APPROVE, approved, blocked, outcome = Empty)
}

/// A task is carried out, from its first search to its last finding. `source` is the name of who is asked.
pub fn task_execute(source: &'static str, query: &str) -> Span {
    info_span!(
        target: TARGET,
        TASK_EXECUTE,
        source_type = source,
        query = short(query),
        results_fetched = Empty,
        outcome = Empty,
    )
}

pub fn fetched(span: &Span, results: usize) {
    span.record("results_fetched", results);
}

/// A page is held against the notes and earlier findings.
pub fn finding_dedup_check() -> Span {
    info_span!(
        target: TARGET,
        FINDING_DEDUP_CHECK,
        note = Empty,
        similarity = Empty,
        deduplicated = Empty,
        outcome = Empty,
    )
}

/// The note that is nearest to it, how near it is, and whether the page is passed over for that.
pub fn compared(span: &Span, note: Option<&str>, similarity: f32, deduplicated: bool) {
    span.record("note", note.map(short));
    // As it is shown elsewhere, without the digits that a wider number adds.
    span.record("similarity", (f64::from(similarity) * 1e4).round() / 1e4);
    span.record("deduplicated", deduplicated);
}

/// A finding is made of a page. One that ends well counts as a new finding: so it ends when the finding is kept.
pub fn finding_synthesise(url: &str, input_chars: usize) -> Span {
    info_span!(
        target: TARGET,
        FINDING_SYNTHESISE,
        url = place(url),
        input_chars,
        output_chars = Empty,
        outcome = Empty,
    )
}

pub fn synthesised(span: &Span, output_chars: usize) {
    span.record("output_chars", output_chars);
}

pub fn finding_accept(finding: &FindingId) -> Span {
    info_span!(target: TARGET, FINDING_ACCEPT, finding = finding.as_str(), outcome = Empty)
}

pub fn finding_dismiss(finding: &FindingId) -> Span {
    info_span!(target: TARGET, FINDING_DISMISS, finding = finding.as_str(), outcome = Empty)
}

/// How it went. Why it failed is not told: the words of an error may be anybody's.
pub fn ended<T>(span: &Span, result: &Result<T>) {
    span.record("outcome", if result.is_ok() { OK } else { FAILED });
}

/// Asked for once more, and answered as before: it counts nowhere.
pub fn unchanged(span: &Span) {
    span.record("outcome", UNCHANGED);
}

fn short(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect()
}

/// Where a page is. Who asked for it, and for what, stands in the rest of an address.
fn place(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok().filter(|url| ["http", "https"].contains(&url.scheme()))?;
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    url.set_query(None);
    url.set_fragment(None);
    Some(short(url.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_address_the_place_alone_is_told() {
        let of = |url| place(url).unwrap_or_default();
        assert_eq!(
            of("https://bee:honey@a.org:8443/hive/1?key=s3cret&q=x#part"),
            "https://a.org:8443/hive/1"
        );
        assert_eq!(of("http://a.org"), "http://a.org/");
        assert_eq!(of("https://a.org/a b\n\u{202e}?x"), "https://a.org/a%20b%E2%80%AE");
        for none in ["data:text/plain,secret", "file:///etc/passwd", "mailto:a@b.org", "secret", ""] {
            assert_eq!(place(none), None, "{none}");
        }
        assert_eq!(of(&format!("https://a.org/{}", "x".repeat(5000))).len(), LONGEST);
    }

    #[test]
    fn a_name_is_one_line_of_bounded_length() {
        assert_eq!(short("Bees\n\u{1b}[31m.md"), "Bees  [31m.md");
        assert_eq!(short(&"ä".repeat(5000)).chars().count(), LONGEST);
    }
}
