//! A text whose citations were replaced with ids for the gate, and the way back to what was written.

use wellread_text::{Span, Splice, apply_splices};

use crate::domain::verdict::GateReport;

/// A text with ids in place of the citations that were written.
#[derive(Debug, Clone)]
pub struct RewrittenText<'a> {
    original: &'a str,
    /// The text with ids.
    pub text: String,
    /// What was replaced, in order and without overlaps.
    edits: Vec<Splice>,
}

impl<'a> RewrittenText<'a> {
    /// Applies the edits. Of two that overlap, the first is made.
    pub fn new(original: &'a str, mut edits: Vec<Splice>) -> Self {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        edits.dedup_by(|next, before| next.span.start < before.span.end);
        match apply_splices(original, &edits) {
            Ok(text) => Self { original, text, edits },
            Err(_) => Self { original, text: original.to_owned(), edits: Vec::new() },
        }
    }

    /// Puts the citations back into a report on the rewritten text: its sentences are then as written, and their spans
    /// those of the original text, which begins at this byte of a larger one.
    pub fn restore_report(&self, report: &mut GateReport, offset: usize) {
        for sentence in &mut report.sentences {
            sentence.text = self.restore_sentence(&sentence.text, &sentence.span);
            let (start, end) = (sentence.span.start, sentence.span.end);
            sentence.span =
                offset + self.original_offset(start, false)..offset + self.original_offset(end, true);
        }
    }

    /// The edits with their places in the rewritten text.
    fn placed_edits(&self) -> impl Iterator<Item = (Span, &Splice)> {
        let (mut removed, mut added) = (0, 0);
        self.edits.iter().map(move |edit| {
            let start = edit.span.start + added - removed;
            removed += edit.span.len();
            added += edit.text.len();
            (start..start + edit.text.len(), edit)
        })
    }

    fn original_offset(&self, at: usize, is_end: bool) -> usize {
        let (mut from, mut original) = (0, 0);
        for (placed, edit) in self.placed_edits() {
            if at < placed.start || at == placed.start && is_end {
                break;
            }
            if at < placed.end || at == placed.end && is_end {
                return if is_end { edit.span.end } else { edit.span.start };
            }
            (from, original) = (placed.end, edit.span.end);
        }
        original + (at - from)
    }

    fn restore_sentence(&self, text: &str, span: &Span) -> String {
        let (mut restored, mut from) = (text.to_owned(), 0);
        for (placed, edit) in self.placed_edits() {
            if placed.start < span.start || placed.start >= span.end || edit.text.trim().is_empty() {
                continue;
            }
            let written = self.original[edit.span.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
            let found = [edit.text.as_str(), edit.text.trim()]
                .into_iter()
                .find_map(|new| restored[from..].find(new).map(|at| from + at..from + at + new.len()));
            if let Some(found) = found {
                from = found.start + written.len();
                restored.replace_range(found, &written);
            }
        }
        restored
    }
}

/// The edit that cites by ids where a link is: in its place if it is nothing but a citation, otherwise behind it. None
/// without ids.
pub(super) fn cite_by_ids(text: &str, span: &Span, is_place: bool, ids: &[String]) -> Option<Splice> {
    let ids: String = ids.iter().map(|id| format!("[{id}]")).collect();
    if ids.is_empty() {
        return None;
    }
    Some(if is_bracketed(text, span) {
        // A link in parentheses of its own is only a citation, as written behind a full stop. Parentheses without
        // anything else in them go with the link.
        let closes = text[span.end..].starts_with(')');
        let span = if closes { span.start - 1..span.end + 1 } else { span.clone() };
        Splice { span, text: ids }
    } else if is_place {
        Splice { span: span.clone(), text: ids }
    } else {
        Splice { span: span.end..span.end, text: format!(" {ids}") }
    })
}

/// Whether the span is in parentheses behind the end of a sentence, where only citations are.
fn is_bracketed(text: &str, span: &Span) -> bool {
    let (before, after) = (&text[..span.start], &text[span.end..]);
    let Some(opens) = before.rfind('(').filter(|opens| before.len() == opens + 1) else { return false };
    let ends = before[..opens].trim_end().trim_end_matches(['"', '”', '’', '\'', '*', '_', '`']);
    ends.ends_with(['.', '!', '?', '…']) && after.starts_with([')', ','])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::verdict::{JudgedSentence, Verdict};

    #[test]
    fn a_report_on_the_rewritten_text_is_put_back() {
        let original =
            "Mites breed. ([[Varroa]]:12) Wax [melts](https://a.org) soon.\n\n[^1]: gone\n\nLast.\n";
        let at = |part: &str| {
            let start = original.find(part).unwrap();
            start..start + part.len()
        };
        let edits = vec![
            Splice { span: at("([[Varroa]]:12)"), text: "[ev-a-001]".to_owned() },
            cite_by_ids(original, &at("[melts](https://a.org)"), false, &["ev-a-002".to_owned()]).unwrap(),
            Splice { span: at("[^1]: gone\n"), text: String::new() },
        ];
        let rewritten = RewrittenText::new(original, edits);
        let sentences =
            wellread_text::split_sentences(&rewritten.text).into_iter().map(|sentence| JudgedSentence {
                text: sentence.text,
                span: sentence.span,
                verdict: Verdict::Uncited,
                connective: false,
                why: Vec::new(),
                evidence: Vec::new(),
            });
        let mut report = GateReport::new(sentences.collect());
        rewritten.restore_report(&mut report, 0);
        let expected = ["Mites breed. ([[Varroa]]:12)", "Wax [melts](https://a.org) soon.", "Last."];
        let texts: Vec<&str> = report.sentences.iter().map(|sentence| sentence.text.as_str()).collect();
        assert_eq!(texts, expected);
        let spans: Vec<&str> =
            report.sentences.iter().map(|sentence| &original[sentence.span.clone()]).collect();
        assert_eq!(spans, expected);
    }
}
