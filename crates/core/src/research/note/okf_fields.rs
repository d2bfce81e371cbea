//! The Open Knowledge Format fields of a researched note: whether it gets them, and which.

use super::NoteJob;
use crate::Result;
use crate::library::vault::Vault;
use crate::research::Work;
use crate::research::okf::{self, OkfMark};

/// The name under which a run logs the fields that it writes.
pub(super) const OKF_MARK: &str = "okf";

impl NoteJob {
    /// Whether the note gets fields: plain text has no frontmatter.
    pub(super) fn carries_okf(&self) -> bool {
        self.settings.okf.is_some() && !self.path.to_lowercase().ends_with(".txt")
    }

    /// `Err` if the note is to get fields, and its frontmatter can't be changed.
    pub(super) fn check_okf_writable(&self, vault: &Vault) -> Result<()> {
        if !self.carries_okf() {
            return Ok(());
        }
        let names = vault.links.names()?;
        okf::check_writable(&self.text, &names, &self.path).map_err(|error| error.with_path(&self.path))
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
