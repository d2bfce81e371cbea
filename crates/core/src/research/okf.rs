//! Open Knowledge Format fields in what research writes: type, sources, who generated and verified it, and until when.

mod check;
mod export;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use wellread_text::{
    FileNames, OkfEvent, OkfFields, OkfSource, OkfStamp, Splice, apply_splices, stamp_verified,
};

pub use check::{
    OkfFinding, check_okf_note, find_gone_sources, has_okf_fields, is_okf_reserved, is_okf_stale,
};
pub use export::{ExportedNote, export_note};

use crate::trust::citations::list_cited_sources;
use crate::{Error, Result};

/// The actor that writes.
const PRODUCER: &str = concat!("wellread/", env!("CARGO_PKG_VERSION"));
/// The actor that confirms what is written against its sources.
const GATE: &str = "process:wellread-gate";
const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

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
#[derive(Clone, Copy)]
pub struct OkfTarget<'a> {
    /// The note as it is.
    pub text: &'a str,
    /// The text in it that is replaced; its sources go with it.
    pub former: &'a str,
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
    /// The sources of what is replaced.
    fn former_sources(&self) -> Vec<OkfSource> {
        list_cited_sources(self.former, self.names, self.from, &[])
    }

    /// The sources in the frontmatter that stay.
    fn other_sources(&self) -> Vec<OkfSource> {
        let former = self.former_sources();
        let is_former = |source: &OkfSource| {
            former.iter().any(|former| former.id == source.id && former.resource == source.resource)
        };
        OkfFields::read(self.text).sources.into_iter().filter(|source| !is_former(source)).collect()
    }

    /// The labels that new footnotes must not have, each as a reference.
    pub fn render_taken_labels(&self) -> String {
        let ids = self.other_sources().into_iter().filter_map(|source| source.id);
        ids.map(|id| format!("[^{id}] ")).collect()
    }
}

impl OkfMark {
    /// The splice that writes the fields of a note into which this section comes; `None` if it has them. `Err` if its
    /// frontmatter can't be changed safely.
    pub fn stamp(&self, target: &OkfTarget<'_>, section: &str) -> Result<Option<Splice>> {
        let others = target.other_sources();
        let sources = list_cited_sources(section, target.names, target.from, &others);
        self.stamp_with(target, &sources)
    }

    fn stamp_with(&self, target: &OkfTarget<'_>, sources: &[OkfSource]) -> Result<Option<Splice>> {
        let by = |actor: &str, at: Option<&String>| OkfEvent { by: Some(actor.to_owned()), at: at.cloned() };
        let verified = self.verified.map(|verified| by(GATE, Some(&self.at).filter(|_| verified)));
        let stamp = OkfStamp {
            kind: &self.kind,
            sources,
            former: &target.former_sources(),
            generated: &by(PRODUCER, Some(&self.at)),
            verified: verified.as_ref(),
            stale_after: self.stale_after.as_deref(),
        };
        stamp.apply(target.text).map_err(unwritable_error)
    }

    /// A new note with its fields; what it cites are its sources, and if that is nothing, this page is.
    pub fn stamp_new(&self, text: &str, names: &FileNames, from: &str, page: (&str, &str)) -> Result<String> {
        let mut sources = list_cited_sources(text, names, from, &[]);
        if sources.is_empty() {
            let (url, title) = page;
            let [id, resource, title] = ["source", url, title].map(|part| Some(part.to_owned()));
            sources.push(OkfSource { id, resource, title });
        }
        let target = OkfTarget { text, former: "", names, from };
        let splice = self.stamp_with(&target, &sources)?;
        apply_splices(text, splice.as_slice()).map_err(|error| Error::failed(error.to_string()))
    }
}

/// `Err` if fields could not be written into a note with this beginning.
pub(super) fn check_writable(text: &str, names: &FileNames, from: &str) -> Result<()> {
    let mark = OkfSettings { stale_after_days: 1 }.mark("Note", Timestamp::UNIX_EPOCH, true);
    mark.stamp_with(&OkfTarget { text, former: "", names, from }, &[]).map(|_| ()).map_err(|error| {
        error.hint(
            "nothing was asked or changed; repair the frontmatter, or `wellread config set okf.fields off`",
        )
    })
}

/// The splice that says in `verified` that the gate has confirmed a note now; `None` if it says so already. `Err` if the
/// field is used for something else.
pub fn stamp_verified_now(text: &str, now: Timestamp) -> Result<Option<Splice>> {
    let event = OkfEvent { by: Some(GATE.to_owned()), at: Some(render_instant(now)) };
    let splice = stamp_verified(text, &event).map_err(unwritable_error)?;
    if splice.is_none() && !OkfFields::read(text).verified.contains(&event) {
        return Err(Error::refused("its field `verified` is no list of events"));
    }
    Ok(splice)
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
