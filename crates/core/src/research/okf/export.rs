//! A copy of a researched note as a note of the Open Knowledge Format.

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
/// `None` if it has neither fields nor a section of a run. It counts as generated when the newest of these runs began.
pub fn export_note(text: &str, (names, from): (&FileNames, &str)) -> Result<Option<ExportedNote>> {
    if has_okf_fields(text) {
        return apply(text, stamp_type(text, KIND).map_err(unwritable_error)?).map(Some);
    }
    let sections = find_run_sections(text);
    let Some(newest) = sections.iter().filter_map(|section| section.run.started()).max() else {
        return Ok(None);
    };
    let edits = replace_citations(text, &sections);
    let cited: String = edits.iter().map(|edit| format!("{}\n\n", edit.text)).collect();
    let noted = apply_splices(text, &edits).map_err(|error| Error::failed(error.to_string()))?;
    let at = render_instant(newest);
    let mark = OkfMark { kind: KIND.to_owned(), at, verified: None, stale_after: None };
    let target = OkfTarget { text: &noted, former: 0..0, names, from };
    let stamped = mark.stamp(&target, &cited)?;
    apply(&noted, stamped).map(Some)
}

/// The sections with footnotes instead of citations in parentheses. Footnotes that are there stay as they are.
fn replace_citations(text: &str, sections: &[RunSection]) -> Vec<Splice> {
    let eol = line_ending(text);
    let ids = OkfFields::read(text).sources.into_iter().filter_map(|source| source.id);
    let mut labels = FootnoteLabels::avoiding(footnote_labels(text).into_iter().chain(ids));
    let mut edits: Vec<Splice> = Vec::new();
    let mut done = 0;
    for RunSection { body, .. } in sections {
        // Two marks below one heading: the second section begins behind the first.
        let start = body.start.max(done);
        done = body.end.max(done);
        let written = text[start..done].trim_end();
        labels.begin_text();
        let cited = replace_citations_with_footnotes(written, &mut labels);
        let cited = cited + &labels.render_definitions().replace('\n', eol);
        edits.push(Splice { span: start..start + written.len(), text: cited });
    }
    edits
}

fn apply(text: &str, StampedFields { splice, left }: StampedFields) -> Result<ExportedNote> {
    let text = apply_splices(text, splice.as_slice()).map_err(|error| Error::failed(error.to_string()))?;
    Ok(ExportedNote { text, left })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_have_footnotes_of_their_own_and_the_newest_run_says_when() {
        let section =
            |run: &str| format!("## {run}\n\nSoft ([[Wax]]:3).\n\n<!-- wellread: run {run} -->\n\n");
        let (older, newer) = ("01jgk4vzg00000", "01kr0n7x00zzzz");
        let text = section(newer) + &section(older);
        let names = FileNames::from_paths(["Wax.md"]);
        let exported = export_note(&text, (&names, "Home.md")).unwrap().unwrap().text;
        for part in ["Soft[^wax].\n\n[^wax]: [[Wax]]:3\n", "Soft[^wax-2].\n\n[^wax-2]: [[Wax]]:3\n"] {
            assert!(exported.contains(part), "{exported}");
        }
        assert!(exported.contains("\n  at: 2026-05-07T07:25:39Z\n"), "{exported}");
        // No run was ever in such a year.
        assert_eq!(export_note(&section("zzzzzzzzzzzzzz"), (&names, "Home.md")).unwrap(), None);
    }

    #[test]
    fn a_daily_note_is_cited_by_name_and_not_by_a_date() {
        let text = "## Research\n\nSoft ([[2026-01-05]]:3).\n\n<!-- wellread: run 01kr0n7x00zzzz -->\n";
        let names = FileNames::from_paths(["Daily/2026-01-05.md"]);
        let exported = export_note(text, (&names, "Home.md")).unwrap().unwrap().text;
        let source =
            "  - id: \"2026-01-05\"\n    resource: /Daily/2026-01-05.md\n    title: \"2026-01-05\"\n";
        assert!(exported.contains(source), "{exported}");
        assert!(exported.contains("Soft[^2026-01-05]."), "{exported}");
    }
}
