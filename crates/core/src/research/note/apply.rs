//! Writes what a dry run has shown, once the user agrees: the same text, without researching the note again.

use super::NoteAnswer;
use crate::library::vault::{ChangeOutcome, Vault};
use crate::{Error, Result};

impl NoteAnswer {
    /// Whether a dry run has shown a change that can be written.
    pub fn can_be_written(&self) -> bool {
        self.shown.is_some() && self.diff.is_some()
    }

    /// Writes the section that a dry run has shown, as one edit that is undone with its run. `Err` if the note's section
    /// was edited meanwhile, or if nothing was shown.
    pub fn write(self, vault: &Vault) -> Result<Self> {
        let Some(shown) = &self.shown else {
            return Err(Error::invalid("nothing was shown that could be written").with_path(&self.path));
        };
        let path = vault.locate(&self.path)?;
        let (outcome, _) = shown.place(vault, &path, false).map_err(|error| error.with_path(&self.path))?;
        let operation = match outcome {
            ChangeOutcome::Written { operation, .. } => Some(operation.to_string()),
            ChangeOutcome::Shown { .. } | ChangeOutcome::Unchanged => None,
        };
        Ok(Self { operation, dry_run: false, diff: None, shown: None, ..self })
    }
}
