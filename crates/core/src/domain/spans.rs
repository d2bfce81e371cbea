//! Tracing spans of research: one function for each span, taking exactly the fields that it records.
//!
//! A span may leave this machine, so its fields are names, counts and places, never the text of notes, pages or models.
//! That is why these are functions: nothing but their parameters can get into a span. Nothing is sent here, and nothing
//! happens unless a subscriber listens. A span lasts until it is dropped; futures are put into it with
//! [`tracing::Instrument`].
//!
//! The path of a private note must not be recorded either: callers pass `None` for it.

use tracing::field::Empty;
use tracing::{Span, info_span};
use url::Url;

use crate::Result;
use crate::domain::id::FindingId;

/// The tracing target that distinguishes these spans from all others.
pub const TARGET: &str = "wellread::research";

/// The name of [`trigger`]'s span.
pub const TRIGGER: &str = "research.trigger";
/// The name of [`agenda_generate`]'s span.
pub const AGENDA_GENERATE: &str = "research.agenda_generate";
/// The name of [`agenda_approve`]'s span.
pub const AGENDA_APPROVE: &str = "research.agenda_approve";
/// The name of [`task_execute`]'s span.
pub const TASK_EXECUTE: &str = "research.task_execute";
/// The name of [`finding_dedup_check`]'s span.
pub const FINDING_DEDUP_CHECK: &str = "research.finding_dedup_check";
/// The name of [`finding_synthesize`]'s span.
pub const FINDING_SYNTHESIZE: &str = "research.finding_synthesise";
/// The name of [`finding_accept`]'s span.
pub const FINDING_ACCEPT: &str = "research.finding_accept";
/// The name of [`finding_dismiss`]'s span.
pub const FINDING_DISMISS: &str = "research.finding_dismiss";

/// The `outcome` of a span that ended without an error.
pub const OK: &str = "ok";
/// The `outcome` of a span that ended with an error.
pub const FAILED: &str = "failed";
/// The `outcome` of a request that had been carried out before and was not repeated.
pub const UNCHANGED: &str = "unchanged";

/// The longest path, query or model name that is recorded, in characters.
const MAX_CHARS: usize = 300;

/// An agenda is requested. `kind` is the trigger's name, `note` the path of the note, unless that is private.
pub fn trigger(kind: &'static str, note: Option<&str>) -> Span {
    info_span!(
        target: TARGET,
        TRIGGER,
        trigger_type = kind,
        source_note = note.map(shorten),
        outcome = Empty,
    )
}

/// The tasks of an agenda are worked out, by a model or without one.
pub fn agenda_generate(model: Option<&str>) -> Span {
    info_span!(
        target: TARGET,
        AGENDA_GENERATE,
        model = model.map(shorten),
        task_count = Empty,
        outcome = Empty,
    )
}

/// Records how many tasks the agenda has.
pub fn record_task_count(span: &Span, task_count: usize) {
    span.record("task_count", task_count);
}

/// An agenda is approved, with this many tasks approved and blocked. A span with the outcome [`OK`] counts as a run.
pub fn agenda_approve(approved: usize, blocked: usize) -> Span {
    info_span!(target: TARGET, AGENDA_APPROVE, approved, blocked, outcome = Empty)
}

/// A task is carried out, from its first search to its last finding. `source` is the name of the search service.
pub fn task_execute(source: &'static str, query: &str) -> Span {
    info_span!(
        target: TARGET,
        TASK_EXECUTE,
        source_type = source,
        query = shorten(query),
        results_fetched = Empty,
        outcome = Empty,
    )
}

/// Records how many results the search had.
pub fn record_results(span: &Span, results: usize) {
    span.record("results_fetched", results);
}

/// A page is compared with the notes and earlier findings.
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

/// Records the nearest note, its similarity, and whether the page is skipped as a duplicate.
pub fn record_comparison(span: &Span, note: Option<&str>, similarity: f32, deduplicated: bool) {
    span.record("note", note.map(shorten));
    // Rounded as it is elsewhere, without the digits that widening the number adds.
    span.record("similarity", (f64::from(similarity) * 1e4).round() / 1e4);
    span.record("deduplicated", deduplicated);
}

/// A finding is written from a page. A span with the outcome [`OK`] counts as a new finding, so it ends when the
/// finding is stored.
pub fn finding_synthesize(url: &str, input_chars: usize) -> Span {
    info_span!(
        target: TARGET,
        FINDING_SYNTHESIZE,
        url = strip_url(url),
        input_chars,
        output_chars = Empty,
        outcome = Empty,
    )
}

/// Records the length of the finding's text.
pub fn record_output(span: &Span, output_chars: usize) {
    span.record("output_chars", output_chars);
}

/// A finding is accepted.
pub fn finding_accept(finding: &FindingId) -> Span {
    info_span!(target: TARGET, FINDING_ACCEPT, finding = finding.as_str(), outcome = Empty)
}

/// A finding is dismissed.
pub fn finding_dismiss(finding: &FindingId) -> Span {
    info_span!(target: TARGET, FINDING_DISMISS, finding = finding.as_str(), outcome = Empty)
}

/// Records whether the work succeeded. The error is not recorded: its message may quote anybody.
pub fn record_outcome<T>(span: &Span, result: &Result<T>) {
    span.record("outcome", if result.is_ok() { OK } else { FAILED });
}

/// Records that the request had been carried out before; metrics do not count it.
pub fn record_unchanged(span: &Span) {
    span.record("outcome", UNCHANGED);
}

fn shorten(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_CHARS).collect()
}

/// An address without user, password, query and fragment, which say who asked and for what.
fn strip_url(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok().filter(|url| ["http", "https"].contains(&url.scheme()))?;
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    url.set_query(None);
    url.set_fragment(None);
    Some(shorten(url.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_address_the_place_alone_is_told() {
        let of = |url| strip_url(url).unwrap_or_default();
        assert_eq!(
            of("https://bee:honey@a.org:8443/hive/1?key=s3cret&q=x#part"),
            "https://a.org:8443/hive/1"
        );
        assert_eq!(of("http://a.org"), "http://a.org/");
        assert_eq!(of("https://a.org/a b\n\u{202e}?x"), "https://a.org/a%20b%E2%80%AE");
        for none in ["data:text/plain,secret", "file:///etc/passwd", "mailto:a@b.org", "secret", ""] {
            assert_eq!(strip_url(none), None, "{none}");
        }
        assert_eq!(of(&format!("https://a.org/{}", "x".repeat(5000))).len(), MAX_CHARS);
    }

    #[test]
    fn a_name_is_one_line_of_bounded_length() {
        assert_eq!(shorten("Bees\n\u{1b}[31m.md"), "Bees  [31m.md");
        assert_eq!(shorten(&"ä".repeat(5000)).chars().count(), MAX_CHARS);
    }
}
