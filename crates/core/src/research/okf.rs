//! Open Knowledge Format fields in what research writes: type, sources, who generated and verified it, and until when.

mod check;
mod export;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use wellread_text::{
    FileNames, OkfEvent, OkfFields, OkfSource, OkfStamp, Span, Splice, StampedFields, apply_splices,
    find_other_sources, fold, footnote_labels, stamp_verified,
};

pub use check::{
    OkfFinding, check_okf_note, find_gone_sources, has_okf_fields, is_okf_file, is_okf_reserved, is_okf_stale,
};
pub use export::{ExportedNote, export_note};

use crate::library::judge::find_mark_end;
use crate::trust::citations::{list_cited_sources, list_footnote_sources};
use crate::{Error, Result};

/// The actor that writes.
const PRODUCER: &str = concat!("wellread/", env!("CARGO_PKG_VERSION"));
/// The actor that confirms what is written against its sources.
const GATE: &str = "process:wellread-gate";
const SECONDS_PER_DAY: i64 = 24 * 60 * 60;
/// The bytes for which there must be room in a frontmatter before anything is asked.
const ROOM: usize = 32 * 1024;

/// How Open Knowledge Format fields are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OkfSettings {
    /// After how many days a note counts as stale; 0 is never.
    pub stale_after_days: u64,
}

/// The fields of one writing besides its sources: they stay the same if it is shown first and written later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OkfMark {
    kind: String,
    at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verified: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stale_after: Option<String>,
}

/// A note that gets fields, with what is replaced in it.
#[derive(Clone)]
pub struct OkfTarget<'a> {
    /// The note as it is.
    pub text: &'a str,
    /// The section in it that is replaced. If a run wrote it, its sources go with it.
    pub former: Span,
    /// The names of all files, by which links lead to sources.
    pub names: &'a FileNames,
    /// The note's path.
    pub from: &'a str,
}

impl OkfSettings {
    /// The fields of something that is written now; `verified` says whether the gate has confirmed all of it.
    pub fn mark(self, kind: &str, now: Timestamp, verified: bool) -> OkfMark {
        let days = i64::try_from(self.stale_after_days).unwrap_or(i64::MAX);
        let later = SignedDuration::from_secs(days.saturating_mul(SECONDS_PER_DAY));
        let stale = (days > 0).then(|| now.checked_add(later).ok()).flatten();
        OkfMark {
            kind: kind.to_owned(),
            at: render_instant(now),
            verified: Some(verified),
            stale_after: stale.map(render_instant),
        }
    }
}

impl OkfTarget<'_> {
    /// The sources that were written for footnotes of the section that is replaced. A section without the mark of a run, and a
    /// footnote that the rest of the note refers to, are the user's.
    fn former_sources(&self) -> Vec<OkfSource> {
        let section = &self.text[self.former.clone()];
        if find_mark_end(section).is_none() {
            return Vec::new();
        }
        let mut elsewhere = footnote_labels(&self.text[..self.former.start]);
        elsewhere.extend(footnote_labels(&self.text[self.former.end..]));
        let is_only_there =
            |source: &OkfSource| source.id.as_ref().is_some_and(|id| !elsewhere.contains(&fold(id)));
        let sources = list_footnote_sources(section, self.names, self.from);
        sources.into_iter().filter(is_only_there).collect()
    }

    /// The sources in the frontmatter that stay.
    fn other_sources(&self) -> Vec<OkfSource> {
        find_other_sources(self.text, &self.former_sources())
    }

    /// The labels that new footnotes must not have, each as a reference.
    pub fn render_taken_labels(&self) -> String {
        let ids = self.other_sources().into_iter().filter_map(|source| source.id);
        ids.map(|id| format!("[^{id}] ")).collect()
    }
}

impl OkfMark {
    /// Writes the fields of a note into which this section comes. `Err` if its frontmatter can't be read or added to.
    pub fn stamp(&self, target: &OkfTarget<'_>, section: &str) -> Result<StampedFields> {
        let others = target.other_sources();
        let sources = list_cited_sources(section, target.names, target.from, &others);
        self.stamp_with(target, &sources)
    }

    fn stamp_with(&self, target: &OkfTarget<'_>, sources: &[OkfSource]) -> Result<StampedFields> {
        let by = |actor: &str, at: Option<&String>| OkfEvent { by: Some(actor.to_owned()), at: at.cloned() };
        let verified = self.verified.map(|verified| by(GATE, Some(&self.at).filter(|_| verified)));
        let former_stale_after = self.former_stale_after(target.text);
        let stamp = OkfStamp {
            kind: &self.kind,
            sources,
            former: &target.former_sources(),
            generated: &by(PRODUCER, Some(&self.at)),
            verified: verified.as_ref(),
            stale_after: self.stale_after.as_deref(),
            former_stale_after: former_stale_after.as_deref(),
        };
        stamp.apply(target.text).map_err(unwritable_error)
    }

    /// The `stale_after` that goes with the `generated` of a note, by the same number of days.
    fn former_stale_after(&self, text: &str) -> Option<String> {
        let instant = |written: &str| written.parse::<Timestamp>().ok();
        let later = instant(self.stale_after.as_deref()?)?.duration_since(instant(&self.at)?);
        let former = instant(OkfFields::read(text).generated?.at.as_deref()?)?;
        Some(render_instant(former.checked_add(later).ok()?))
    }

    /// A new note with its fields; what it cites are its sources, and if that is nothing, this page is.
    pub fn stamp_new(&self, text: &str, names: &FileNames, from: &str, page: (&str, &str)) -> Result<String> {
        let mut sources = list_cited_sources(text, names, from, &[]);
        if sources.is_empty() {
            let (url, title) = page;
            let [id, resource, title] = ["source", url, title].map(|part| Some(part.to_owned()));
            sources.push(OkfSource { id, resource, title });
        }
        let target = OkfTarget { text, former: 0..0, names, from };
        let StampedFields { splice, .. } = self.stamp_with(&target, &sources)?;
        apply_splices(text, splice.as_slice()).map_err(|error| Error::failed(error.to_string()))
    }
}

/// `Err` if fields could not be written into this note: they are, all of them, but into nothing.
pub(super) fn check_writable(target: &OkfTarget<'_>) -> Result<()> {
    let mark = OkfSettings { stale_after_days: 1 }.mark("Note", Timestamp::UNIX_EPOCH, true);
    let source = OkfSource {
        id: Some("source".to_owned()),
        resource: Some("/Source.md".to_owned()),
        title: Some("x".repeat(ROOM)),
    };
    mark.stamp_with(target, &[source]).map(|_| ()).map_err(|error| {
        error.hint(
            "nothing was asked or changed; repair the frontmatter, or `wellread config set okf.fields off`",
        )
    })
}

/// The splice that says in `verified` that the gate has confirmed a note now; `None` if it says so already. `Err` if the
/// field is written in a way that does not allow it.
pub fn stamp_verified_now(text: &str, now: Timestamp) -> Result<Option<Splice>> {
    let event = OkfEvent { by: Some(GATE.to_owned()), at: Some(render_instant(now)) };
    stamp_verified(text, &event).map_err(unwritable_error)
}

/// Whether `stale_after` has passed: an instant, or the beginning of a day in this time zone. `None` if it is neither.
fn is_stale(stale_after: &str, now: &jiff::Zoned) -> Option<bool> {
    if let Ok(instant) = stale_after.parse::<Timestamp>() {
        return Some(now.timestamp() >= instant);
    }
    let day = stale_after.parse::<jiff::civil::Date>().ok()?;
    Some(now.date() >= day)
}

fn render_instant(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn unwritable_error(error: wellread_text::EditError) -> Error {
    Error::from(error)
        .hint("nothing was written; repair the frontmatter, or `wellread config set okf.fields off`")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: &str = "<!-- wellread: run 01kbd4w1xgt9f0q8v2m3n4p5r6 -->";

    /// The note after its section is replaced by one that cites a page.
    fn replaced(text: &str) -> String {
        let names = FileNames::from_paths(["Wax.md"]);
        let start = text.find("## Research").unwrap();
        let end = text[start..].find("-->").map_or(text.len(), |end| start + end + 3);
        let target = OkfTarget { text, former: start..end, names: &names, from: "Home.md" };
        let mark = OkfSettings { stale_after_days: 1 }.mark("Note", Timestamp::UNIX_EPOCH, false);
        let stamped = mark.stamp(&target, "New.[^page]\n\n[^page]: [A page](https://a.org)\n").unwrap();
        assert_eq!(stamped.left, Vec::<String>::new());
        apply_splices(text, stamped.splice.as_slice()).unwrap()
    }

    #[test]
    fn only_sources_of_footnotes_that_a_run_wrote_go_with_its_section() {
        let ours = "  - id: wax\n    resource: /Wax.md\n    title: Wax\n";
        let section = format!("## Research\n\nSoft.[^wax]\n\n[^wax]: [[Wax]]:3\n\n{MARK}\n");
        for (source, body, stays) in [
            (ours, format!("Mine.\n\n{section}"), false),
            (ours, format!("Mine.\n\n{section}\nMore.\n"), false),
            // The user's own: in words, in a section that no run has signed, in the rest of the note, or without a footnote.
            ("  - id: wax\n    resource: /Wax.md\n    title: My wax\n", section.clone(), true),
            ("  - id: wax\n    resource: /Wax.md\n", section.clone(), true),
            (ours, section.replace(MARK, ""), true),
            (ours, format!("Mine.[^wax]\n\n{section}"), true),
            (ours, format!("{section}\nMine.[^Wax]\n"), true),
            (ours, format!("## Research\n\nSoft ([[Wax]]:3).\n\n{MARK}\n"), true),
        ] {
            let text = format!("---\nsources:\n{source}---\n{body}");
            let after = replaced(&text);
            assert_eq!(after.contains(&format!("sources:\n{source}")), stays, "{text}\n{after}");
            assert!(after.contains("  - id: page\n    resource: https://a.org\n"), "{after}");
            assert!(after.ends_with(&body), "{after}");
        }
    }

    #[test]
    fn a_date_that_the_user_chose_stays() {
        let written =
            "---\ngenerated:\n  by: wellread/0\n  at: 2026-01-01T08:00:00Z\nstale_after: DATE\n---\nx\n";
        let names = FileNames::default();
        let mark = OkfSettings { stale_after_days: 180 }.mark("Note", Timestamp::UNIX_EPOCH, false);
        for (date, stays) in
            [("2026-06-30T08:00:00Z", false), ("2027-06-30T08:00:00Z", true), ("2026-06-30", true)]
        {
            let text = written.replace("DATE", date);
            let target = OkfTarget { text: &text, former: 0..0, names: &names, from: "Home.md" };
            let StampedFields { splice, left } = mark.stamp(&target, "").unwrap();
            let after = apply_splices(&text, splice.as_slice()).unwrap();
            assert_eq!(
                (after.contains(&format!("stale_after: {date}\n")), left.len()),
                (stays, usize::from(stays))
            );
        }
    }
}
