//! A copy of a researched note as a note of the Open Knowledge Format.

use jiff::Timestamp;
use wellread_text::{
    FileNames, OkfFields, Splice, StampedFields, apply_splices, footnote_labels, line_ending, stamp_type,
};

use super::{OkfMark, OkfTarget, has_okf_fields, render_instant, unwritable_error};
use crate::research::section::{RunSection, find_run_sections};
use crate::trust::citations::{FootnoteLabels, replace_citations_with_footnotes};
use crate::{Error, Result};

/// The `type` of a note that has none.
const KIND: &str = "Note";

/// A note in the format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedNote {
    /// Its text.
    pub text: String,
    /// Why fields were left as they are, though the format wants more of them.
    pub left: Vec<String>,
}

/// The note with citations as footnotes and its fields; one that has the fields stays as it is, but for a missing `type`.
/// `None` if it has neither fields nor a section of a run. `changed` is when the note was last saved.
pub fn export_note(
    text: &str,
    (names, from): (&FileNames, &str),
    changed: Timestamp,
) -> Result<Option<ExportedNote>> {
    if has_okf_fields(text) {
        return apply(text, stamp_type(text, KIND).map_err(unwritable_error)?).map(Some);
    }
    let sections = find_run_sections(text);
    if sections.is_empty() {
        return Ok(None);
    }
    let edits = replace_citations(text, &sections);
    let cited: String = edits.iter().map(|edit| format!("{}\n\n", edit.text)).collect();
    let noted = apply_splices(text, &edits).map_err(|error| Error::failed(error.to_string()))?;
    let at = render_instant(changed);
    let mark = OkfMark { kind: KIND.to_owned(), at, verified: None, stale_after: None };
    let target = OkfTarget { text: &noted, former: 0..0, names, from };
    let stamped = mark.stamp(&target, &cited)?;
    apply(&noted, stamped).map(Some)
}

/// The sections with footnotes instead of citations in parentheses. Footnotes that are there stay as they are.
fn replace_citations(text: &str, sections: &[RunSection]) -> Vec<Splice> {
    let eol = line_ending(text);
    let mut taken = footnote_labels(text);
    taken.extend(OkfFields::read(text).sources.into_iter().filter_map(|source| source.id));
    let mut edits: Vec<Splice> = Vec::new();
    let mut done = 0;
    for RunSection { body, .. } in sections {
        // Two marks below one heading: the second section begins behind the first.
        let start = body.start.max(done);
        done = body.end.max(done);
        let written = text[start..done].trim_end();
        let mut labels = FootnoteLabels::avoiding(taken.iter().cloned());
        let cited = replace_citations_with_footnotes(written, &mut labels);
        let cited = cited + &labels.render_definitions().replace('\n', eol);
        taken.extend(footnote_labels(&cited));
        edits.push(Splice { span: start..start + written.len(), text: cited });
    }
    edits
}

fn apply(text: &str, StampedFields { splice, left }: StampedFields) -> Result<ExportedNote> {
    let text = apply_splices(text, splice.as_slice()).map_err(|error| Error::failed(error.to_string()))?;
    Ok(ExportedNote { text, left })
}
