//! The section of a note that a recipe writes: where it goes, which run wrote it, and how it is found again.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wellread_text::{
    EditErrorKind, Note, Span, Splice, StampedFields, close_open_blocks, find_section, line_ending,
    rename_footnotes, replace_section,
};

use super::Work;
use super::note::NoteJob;
use super::okf::{OkfMark, OkfTarget};
use crate::domain::corpus::{Hash, VaultPath};
use crate::domain::id::RunId;
use crate::domain::untrusted::Origin;
use crate::engine::run::{Run, ToolReply, envelope};
use crate::library::judge::{MARK, find_mark_end};
use crate::library::vault::{ChangeOptions, ChangeOutcome, EditPolicy, Vault};
use crate::ports::event::RunEvent;
use crate::trust::gate::NOT_SUPPORTED;
use crate::{Error, Result};

/// How many journal entries are searched for an edit of an interrupted run.
const JOURNAL: usize = 200;

/// A section that a run wrote, at its current place in a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSection {
    /// The run that wrote the section.
    pub run: RunId,
    /// The text below the heading, up to the mark.
    pub body: Span,
}

/// The sections of a note that runs wrote, in order.
pub fn find_run_sections(text: &str) -> Vec<RunSection> {
    let headings = Note::parse(text).headings;
    let marks = text.match_indices(MARK.0).filter_map(|(at, _)| {
        let rest = &text[at + MARK.0.len()..];
        let run = RunId::parse(&rest[..rest.find(MARK.1)?]).ok()?;
        let heading = headings.iter().rfind(|heading| heading.level == 2 && heading.span.end <= at)?;
        Some(RunSection { run, body: heading.span.end..at })
    });
    marks.collect()
}

/// Renders a section: heading, body, and an invisible mark with the run's id.
fn render_section(heading: &str, body: &str, run: &RunId) -> String {
    format!("{heading}\n\n{}\n\n{}{run}{}", body.trim(), MARK.0, MARK.1)
}

/// Replaces the section with that heading, or appends one. Text below the mark of an earlier run is the user's and
/// stays. `Err` if the heading occurs more than once.
fn splice_section(text: &str, heading: &str, section: &str) -> Result<Splice> {
    match replace_section(text, heading, section) {
        Err(error) if error.kind() == EditErrorKind::NotFound => Ok(append_section(text, section)),
        spliced => match locate_section(text, heading)? {
            Some(span) if find_mark_end(&text[span.clone()]).is_some() => {
                let eol = line_ending(text);
                Ok(Splice { span, text: section.replace("\r\n", "\n").replace('\n', eol) })
            }
            _ => Ok(spliced?),
        },
    }
}

/// The span of the section with that heading, up to the mark of its run if it has one.
pub(super) fn locate_section(text: &str, heading: &str) -> Result<Option<Span>> {
    match find_section(text, heading) {
        Err(error) if error.kind() == EditErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
        Ok(section) => {
            let end = find_mark_end(&text[section.span.clone()]).map(|end| section.span.start + end);
            let end = end.or_else(|| find_leftovers_end(text, section.span.end));
            Ok(Some(section.span.start..end.unwrap_or(section.span.end)))
        }
    }
}

/// The section with other labels for those of its footnotes that the rest of the note has too, or that are taken.
fn separate_footnotes(text: &str, heading: &str, section: &str, taken: &str) -> Result<String> {
    let replaced = locate_section(text, heading)?.unwrap_or(text.len()..text.len());
    Ok(rename_footnotes(section, &[&text[..replaced.start], &text[replaced.end..], taken]))
}

/// The end of the unsupported sentences that earlier versions put behind a section, under a heading of its own level: of
/// the last ones that a run has signed. `None` if there are none.
fn find_leftovers_end(text: &str, section_end: usize) -> Option<usize> {
    let headings = Note::parse(text).headings;
    let (mut at, mut end) = (section_end, None);
    while let Some(number) = headings.iter().position(|heading| heading.span.start == at) {
        let heading = &headings[number];
        let next = headings[number + 1..].iter().find(|next| next.level <= heading.level);
        let next = next.map_or(text.len(), |next| next.span.start);
        let mark = find_mark_end(&text[at..next]).filter(|_| heading.text == NOT_SUPPORTED);
        let Some(mark) = mark else { break };
        (end, at) = (Some(at + mark), next);
    }
    end
}

/// A section's run, if it has one, and the hash of its text, by which edits are detected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SectionFingerprint {
    run: Option<String>,
    text: Hash,
}

impl SectionFingerprint {
    /// Whether a run wrote the section.
    pub fn has_mark(&self) -> bool {
        self.run.is_some()
    }
}

/// The fingerprint of the section with that heading; `None` if there is no such section.
pub(super) fn fingerprint_section(text: &str, heading: &str) -> Result<Option<SectionFingerprint>> {
    let Some(span) = locate_section(text, heading)? else { return Ok(None) };
    let section = text[span].trim_end();
    let run =
        section.split_once(MARK.0).map(|(_, rest)| rest.split(MARK.1).next().unwrap_or_default().to_owned());
    Ok(Some(SectionFingerprint { run, text: Hash::compute(section.as_bytes()) }))
}

/// `Err` if the section was edited since. A section that another run wrote meanwhile may be replaced.
fn check_untouched(text: &str, heading: &str, before: Option<&SectionFingerprint>) -> Result<()> {
    let now = self::fingerprint_section(text, heading)?;
    let by_a_run = now.as_ref().is_some_and(|now| now.run.is_some())
        && now.as_ref().and_then(|now| now.run.as_ref()) != before.and_then(|before| before.run.as_ref());
    if now.as_ref() == before || now.is_none() || by_a_run {
        return Ok(());
    }
    Err(Error::conflict(format!("its `{heading}` was edited during the run"))
        .hint("nothing was written, and the edit is kept; run it again"))
}

/// `Err` if the heading occurs more than once.
pub(super) fn check_place(text: &str, heading: &str) -> Result<()> {
    match find_section(text, heading) {
        Err(error) if error.kind() != EditErrorKind::NotFound => {
            Err(Error::from(error).hint("nothing was changed; rename or merge the sections of that name"))
        }
        _ => Ok(()),
    }
}

fn append_section(text: &str, section: &str) -> Splice {
    let eol = line_ending(text);
    // An unclosed block would swallow the section, and the next run would not find it.
    let closed = close_open_blocks(text);
    let closing = closed.strip_prefix(text).unwrap_or_default();
    let before = format!("{text}{closing}");
    let gap = if before.trim().is_empty() || before.ends_with("\n\n") || before.ends_with("\n\r\n") {
        String::new()
    } else if before.ends_with('\n') {
        eol.to_owned()
    } else {
        eol.repeat(2)
    };
    let section = section.replace("\r\n", "\n").replace('\n', eol);
    // A missing last newline stays missing.
    let ending = if text.is_empty() || text.ends_with('\n') { eol } else { "" };
    Splice { span: text.len()..text.len(), text: format!("{closing}{gap}{section}{ending}") }
}

/// The result of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SectionWrite {
    pub operation: Option<String>,
    pub diff: Option<String>,
    /// Why fields of the note were left as they are.
    pub left: Vec<String>,
    /// The section, if a dry run has shown it.
    pub shown: Option<ShownSection>,
}

/// A section that a run made for a note: shown by a dry run, and written once the user agrees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownSection {
    run: RunId,
    label: String,
    heading: String,
    text: String,
    before: Option<SectionFingerprint>,
    okf: Option<OkfMark>,
}

impl ShownSection {
    /// The section with this body, as a run made it. `before`: the section as it was when the run began.
    pub(super) fn new(
        run: &RunId,
        (label, heading): (&str, &str),
        body: &str,
        before: Option<&SectionFingerprint>,
        okf: Option<OkfMark>,
    ) -> Self {
        let text = render_section(heading, body, run);
        Self {
            run: run.clone(),
            label: label.to_owned(),
            heading: heading.to_owned(),
            text,
            before: before.cloned(),
            okf,
        }
    }

    /// Puts the section into the current note, as one edit that is undone with its run; `Err` if the section that it
    /// replaces was edited since the run began. A dry run returns the diff.
    /// Also returned: why fields of the note were left as they are.
    pub(super) fn place(
        &self,
        vault: &Vault,
        path: &VaultPath,
        dry_run: bool,
    ) -> Result<(ChangeOutcome, Vec<String>)> {
        let edits = EditPolicy { group: Some(self.run.to_string()), origin: Origin::Outside };
        let vault = Vault { edits, ..vault.clone() };
        vault.edit_with_result(ChangeOptions::new(&self.label, dry_run), path, |note| {
            check_untouched(&note.text, &self.heading, self.before.as_ref())?;
            let Some(mark) = &self.okf else {
                let section = separate_footnotes(&note.text, &self.heading, &self.text, "")?;
                return Ok((vec![splice_section(&note.text, &self.heading, &section)?], Vec::new()));
            };
            let former = locate_section(&note.text, &self.heading)?.unwrap_or(0..0);
            let names = vault.links.names()?;
            let target = OkfTarget { text: &note.text, former, names: &names, from: path.as_str() };
            let taken = target.render_taken_labels();
            let section = separate_footnotes(&note.text, &self.heading, &self.text, &taken)?;
            let StampedFields { splice, left } = mark.stamp(&target, &section)?;
            let section = splice_section(&note.text, &self.heading, &section)?;
            Ok((splice.into_iter().chain([section]).collect(), left))
        })
    }
}

impl Work<'_, NoteJob> {
    /// Writes a section into the current note through the run, as one edit that is undone with its run.
    pub(super) async fn write_section(
        &self,
        (label, heading): (&str, &str),
        path: &VaultPath,
        body: &str,
        okf: Option<OkfMark>,
    ) -> Result<SectionWrite> {
        // Whoever was told that the work is cancelled finds the note as it was.
        self.pause().await;
        let (run, dry_run) = (self.run, self.job.dry_run);
        let section = ShownSection::new(run.id(), (label, heading), body, self.job.before.as_ref(), okf);
        let failure: Mutex<Option<Error>> = Mutex::default();
        let call = async {
            let fields = section.place(self.vault, path, dry_run).map(|(outcome, left)| {
                let mut fields = match outcome {
                    ChangeOutcome::Written { operation, .. } => json!({ "operation": operation.to_string() }),
                    ChangeOutcome::Shown { diff } => json!({ "diff": diff }),
                    ChangeOutcome::Unchanged => json!({}),
                };
                if !left.is_empty() {
                    fields["left"] = json!(left);
                }
                fields
            });
            ToolReply::trusted(envelope(fields.inspect_err(|error| {
                *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.clone());
            })))
        };
        let arguments = json!({ "path": path, "heading": heading, "dry_run": dry_run });
        let made = |known: &[String]| find_made_edit(self.vault, run, known);
        let answered = run.call_tool("write_section", &arguments, !dry_run, call, made).await?;
        let word = |name: &str| answered.envelope.get(name).and_then(Value::as_str).map(str::to_owned);
        if answered.envelope["success"] != true {
            let error = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
            return Err(error.unwrap_or_else(|| Error::failed(word("error").unwrap_or_default())));
        }
        let shown = dry_run.then_some(section);
        let left = answered.envelope.get("left").and_then(|left| serde_json::from_value(left.clone()).ok());
        let left = left.unwrap_or_default();
        let written = SectionWrite { operation: word("operation"), diff: word("diff"), left, shown };
        if let Some(operation) = &written.operation {
            run.record_event(&RunEvent::Write { operation: operation.clone(), path: path.to_string() })?;
        }
        Ok(written)
    }
}

/// The edit that an interrupted run had already made, if any.
fn find_made_edit(vault: &Vault, run: &Run, known: &[String]) -> Option<ToolReply> {
    let operations = vault.files.operations(JOURNAL).ok()?;
    let made = operations.iter().find(|operation| {
        operation.group.as_deref() == Some(run.id().as_str()) && !known.contains(&operation.id.to_string())
    })?;
    Some(ToolReply::trusted(envelope(Ok(json!({ "operation": made.id.to_string() })))))
}

#[cfg(test)]
mod tests {
    use wellread_text::apply_splices;

    use super::*;

    fn made(text: &str) -> String {
        apply_splices(text, &[splice_section(text, "## Research", "## Research\n\n### New\n\nYes.").unwrap()])
            .unwrap()
    }

    #[test]
    fn a_section_is_replaced_whatever_its_case_or_comes_after_a_blank_line() {
        for (text, wanted) in [
            ("", "## Research\n\n### New\n\nYes.\n"),
            ("# Bees", "# Bees\n\n## Research\n\n### New\n\nYes."),
            ("# Bees\n", "# Bees\n\n## Research\n\n### New\n\nYes.\n"),
            ("# Bees\r\n\r\n", "# Bees\r\n\r\n## Research\r\n\r\n### New\r\n\r\nYes.\r\n"),
            (
                "# Bees\n\n## RESEARCH\n\nold\n\n### x\n\n## Next\n",
                "# Bees\n\n## Research\n\n### New\n\nYes.\n\n## Next\n",
            ),
            ("```\n## Research\n```\n", "```\n## Research\n```\n\n## Research\n\n### New\n\nYes.\n"),
            ("~~~\n## Research\n", "~~~\n## Research\n~~~\n\n## Research\n\n### New\n\nYes.\n"),
            ("### Research\n\nmine\n", "### Research\n\nmine\n\n## Research\n\n### New\n\nYes.\n"),
        ] {
            let first = made(text);
            assert_eq!(first, wanted, "{text:?}");
            assert_eq!(made(&first), first, "{text:?}: writing it again changes nothing");
        }
        // What somebody wrote below the mark stays, byte for byte.
        let run = RunId::fresh();
        let ours = render_section("## Research", "### Old\n\nOld.", &run);
        let below = format!("# Bees\n\n{ours}\n\nMine, typed below.\n\n### Mine too\n");
        assert_eq!(
            made(&below),
            "# Bees\n\n## Research\n\n### New\n\nYes.\n\nMine, typed below.\n\n### Mine too\n"
        );
        assert!(splice_section("## Research\n\n## research\n", "## Research", "x").is_err());
        assert!(check_place("## Research\n\n## research\n", "## Research").is_err());
        assert!(check_place("x", "## Research").is_ok());
    }

    #[test]
    fn what_earlier_runs_left_behind_the_section_goes_with_it() {
        let left =
            |run: &RunId| format!("## {NOT_SUPPORTED}\n\n- No. (unknown)\n\n{}{run}{}\n", MARK.0, MARK.1);
        let (one, other) = (RunId::fresh(), RunId::fresh());
        let text = format!("# Bees\n\n## Research\n\nOld.\n\n{}\n{}\nMine.\n", left(&one), left(&other));
        assert_eq!(made(&text), "# Bees\n\n## Research\n\n### New\n\nYes.\n\nMine.\n");
        // One that stands elsewhere, or that no run has signed, is the user's.
        let text = format!("## Research\n\nOld.\n\n## Mine\n\n## {NOT_SUPPORTED}\n\nMine.\n");
        assert_eq!(
            made(&text),
            format!("## Research\n\n### New\n\nYes.\n\n## Mine\n\n## {NOT_SUPPORTED}\n\nMine.\n")
        );
        let text = format!("## Research\n\nOld.\n\n## {NOT_SUPPORTED}\n\nMine.\n");
        assert_eq!(made(&text), format!("## Research\n\n### New\n\nYes.\n\n## {NOT_SUPPORTED}\n\nMine.\n"));
    }

    #[test]
    fn an_edit_of_the_section_is_told_from_what_another_run_put_there() {
        let by =
            |run: &RunId, body: &str| format!("# Bees\n\n{}\n", render_section("## Research", body, run));
        let (one, other) = (RunId::fresh(), RunId::fresh());
        let first = by(&one, "Old.");
        let known = fingerprint_section(&first, "## Research").unwrap();
        let is_untouched = |text: &str, known: Option<&SectionFingerprint>| {
            check_untouched(text, "## Research", known).is_ok()
        };
        assert!(is_untouched(&first, known.as_ref()));
        assert!(is_untouched(&format!("{first}\nbelow\n"), known.as_ref()));
        assert!(is_untouched("# Bees\n", known.as_ref()), "it was taken out");
        assert!(is_untouched(&by(&other, "New."), known.as_ref()), "another run replaced it");
        assert!(!is_untouched(&by(&one, "Old, and mine."), known.as_ref()));
        assert!(!is_untouched("## Research\n\nMine.\n", None));
        assert!(is_untouched("# Bees\n", None) && is_untouched(&first, None));
    }

    #[test]
    fn a_footnote_of_the_section_is_not_one_of_the_users() {
        let note = "Mine[^1].\n\n[^1]: My source.\n\n## Research\n\nOld[^2].\n\n[^2]: Old.\n";
        let section = "## Research\n\nNew[^1], newer[^2].\n\n[^1]: Theirs.\n[^2]: Theirs too.";
        let separate = separate_footnotes(note, "## Research", section, "").unwrap();
        assert_eq!(separate, "## Research\n\nNew[^1-r1], newer[^2].\n\n[^1-r1]: Theirs.\n[^2]: Theirs too.");
    }

    #[test]
    fn a_section_is_found_again_by_its_run() {
        let run = RunId::fresh();
        let text =
            format!("# Bees\n\n{}\n\n## Next\n", render_section("## Research", "### Hive\n\nOld.\n", &run));
        let found = find_run_sections(&text);
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].run, text[found[0].body.clone()].trim()), (&run, "### Hive\n\nOld."));
        assert_eq!(find_run_sections("<!-- wellread: run x -->\n<!-- wellread: run "), []);
    }
}
