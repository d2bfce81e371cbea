//! A copy of a researched note as a note of the Open Knowledge Format.

use jiff::Timestamp;
use wellread_text::{FileNames, OkfFields, Splice, apply_splices, rename_footnotes};

use super::{OkfMark, OkfTarget, render_instant};
use crate::domain::evidence::Ledger;
use crate::domain::id::RunId;
use crate::research::section::{RunSection, find_run_sections};
use crate::trust::citations::{CitationContext, FootnoteLabels};
use crate::{Error, Result};

/// A note in the format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedNote {
    /// Its text.
    pub text: String,
    /// Whether the evidence of a section is not stored any more, so that its citations stayed as they were.
    pub is_partial: bool,
}

/// The note with citations as footnotes and its fields; one that has the fields stays as it is, but for a missing `type`.
/// `None` if it has neither fields nor a section of a run. `changed` is when the note was last saved.
pub fn export_note(
    text: &str,
    (names, from): (&FileNames, &str),
    changed: Timestamp,
    ledger: &dyn Fn(&RunId) -> Option<Ledger>,
) -> Result<Option<ExportedNote>> {
    let (fields, sections) = (OkfFields::read(text), find_run_sections(text));
    let mark =
        OkfMark { kind: "Note".to_owned(), at: render_instant(changed), verified: None, stale_after: None };
    if fields.is_okf() {
        let splice = match &fields.kind {
            Some(_) => None,
            None => mark.stamp_type(text)?,
        };
        let text = splice_text(text, splice.as_slice())?;
        return Ok(Some(ExportedNote { text, is_partial: false }));
    }
    if sections.is_empty() {
        return Ok(None);
    }
    let mut is_partial = false;
    let mut edits: Vec<Splice> = Vec::new();
    for RunSection { run, body } in sections {
        let Some(ledger) = ledger(&run) else {
            is_partial = true;
            continue;
        };
        let context = CitationContext { ledger: &ledger, names, from };
        let written = text[body.clone()].trim_end();
        let mut labels = FootnoteLabels::default();
        let cited = context.replace_ids_with_footnotes(&context.restore_ids(written), &mut labels);
        let cited = format!("{}{}", cited.trim_end(), labels.render_definitions());
        let others = [&text[..body.start], &text[body.end..]];
        let earlier = edits.iter().map(|edit| edit.text.as_str());
        let others: Vec<&str> = others.into_iter().chain(earlier).collect();
        let eol = wellread_text::line_ending(text);
        let cited = rename_footnotes(&cited, &others).replace("\r\n", "\n").replace('\n', eol);
        edits.push(Splice { span: body.start..body.start + written.len(), text: cited });
    }
    let cited: String = edits.iter().map(|edit| format!("{}\n\n", edit.text)).collect();
    let noted = splice_text(text, &edits)?;
    let target = OkfTarget { text: &noted, former: "", names, from };
    let splice = mark.stamp(&target, &cited)?;
    Ok(Some(ExportedNote { text: splice_text(&noted, splice.as_slice())?, is_partial }))
}

impl OkfMark {
    /// Only `type`.
    fn stamp_type(&self, text: &str) -> Result<Option<Splice>> {
        let kind = wellread_text::FrontmatterChange::Set(self.kind.clone().into());
        wellread_text::change_frontmatter(text, "type", &kind).map_err(super::unwritable_error)
    }
}

fn splice_text(text: &str, splices: &[Splice]) -> Result<String> {
    apply_splices(text, splices).map_err(|error| Error::failed(error.to_string()))
}
