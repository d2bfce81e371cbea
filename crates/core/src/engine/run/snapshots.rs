//! The stored texts as a run uses them: if they can't be reached, the run is suspended.

use super::Run;
use crate::Result;
use crate::domain::corpus::Hash;
use crate::ports::Snapshots;

/// Stored texts that suspend their run when they can't be reached. Without that, a page that can't be stored would be
/// logged as one that can't be read, and a sentence whose source can't be read now as one that has none.
#[derive(Clone, Copy)]
pub struct RunSnapshots<'a> {
    run: &'a Run,
    stored: &'a dyn Snapshots,
}

impl<'a> RunSnapshots<'a> {
    /// The texts in `stored`, for this run.
    pub fn new(run: &'a Run, stored: &'a dyn Snapshots) -> Self {
        Self { run, stored }
    }

    /// The run.
    pub fn run(&self) -> &'a Run {
        self.run
    }
}

impl Snapshots for RunSnapshots<'_> {
    fn keep(&self, text: &str) -> Result<Hash> {
        self.stored.keep(text).inspect_err(|error| self.run.suspend_on(error))
    }

    fn load(&self, hash: Hash) -> Result<Option<String>> {
        self.stored.load(hash).inspect_err(|error| self.run.suspend_on(error))
    }
}
