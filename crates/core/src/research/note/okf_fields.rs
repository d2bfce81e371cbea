//! The Open Knowledge Format fields of a researched note: whether it gets them, and which.

use super::{HEADING, NoteJob, read_researchable};
use crate::Result;
use crate::research::okf::{self, OkfMark, OkfTarget};
use crate::research::section::locate_section;
use crate::research::{Context, Work};

/// The name under which a run logs the fields that it writes.
pub(super) const OKF_MARK: &str = "okf";

impl NoteJob {
    /// Whether the note gets fields: plain text has no frontmatter.
    pub(super) fn carries_okf(&self) -> bool {
        self.settings.okf.is_some() && okf::is_okf_file(&self.path)
    }

    /// `Err` if the note is to get fields, and they could not be written.
    pub(super) fn check_okf_writable(&self, context: Context<'_>) -> Result<()> {
        if !self.carries_okf() {
            return Ok(());
        }
        // All of it: a job has only as much of a long note as is researched.
        let note = read_researchable(context, &self.path)?;
        let former = locate_section(&note.text, HEADING)?.unwrap_or(0..0);
        let names = context.vault.links.names()?;
        let target = OkfTarget { text: &note.text, former, names: &names, from: &self.path };
        okf::check_writable(&target).map_err(|error| error.with_path(&self.path))
    }
}

impl Work<'_, NoteJob> {
    /// The fields of this writing. Logged, so that what was shown is what is written later.
    pub(super) fn draw_okf_mark(&self, verified: bool) -> Result<Option<OkfMark>> {
        let settings = self.job.settings.okf.filter(|_| self.job.carries_okf());
        let now = || self.research.runs.clock.now().timestamp();
        settings.map(|okf| self.run.draw(OKF_MARK, || okf.mark("Note", now(), verified))).transpose()
    }
}

/// Adds to a notice which fields were left as they are.
pub(super) fn with_left_fields(notice: Option<String>, left: Vec<String>) -> Option<String> {
    let all: Vec<String> = notice.into_iter().chain(left).collect();
    (!all.is_empty()).then(|| all.join("; "))
}
