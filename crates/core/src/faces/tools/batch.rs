//! Many changes in one call: continues after a failure, and ends with a summary.

use schemars::JsonSchema;
use serde::Serialize;

use super::write_answer::{AboutFiles, WriteAnswer};
use crate::domain::id::OperationId;
use crate::library::vault::{ChangeOptions, Vault};
use crate::{Error, ErrorKind, Result};

/// What became of each file of a batch.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BatchAnswer<T> {
    pub succeeded: Vec<T>,
    pub failed: Vec<BatchFailure>,
    pub total: usize,
    /// The id that `wellread undo` accepts to undo all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

impl<T: AboutFiles> AboutFiles for BatchAnswer<T> {
    fn files(&self) -> Vec<String> {
        let succeeded = self.succeeded.iter().flat_map(AboutFiles::files);
        succeeded.chain(self.failed.iter().map(|failure| failure.path.clone())).collect()
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct BatchFailure {
    pub path: String,
    pub error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl<T: AsRef<WriteAnswer>> BatchAnswer<T> {
    /// Runs each change in turn, and continues after a failure. Returns an error only if none succeeded. In a dry run
    /// each step sees what the steps before it would have done.
    pub fn run<I>(
        vault: &Vault,
        how: ChangeOptions<'_>,
        items: &[I],
        path: impl Fn(&I) -> &str,
        each: impl Fn(&Vault, ChangeOptions<'_>, &I) -> Result<T>,
    ) -> Result<Self> {
        if items.is_empty() {
            return Err(Error::invalid("the list is empty: there is nothing to do"));
        }
        let group = vault.edits.group.clone().unwrap_or_else(|| OperationId::fresh().to_string());
        let how = ChangeOptions { group: Some(&group), ..how };
        let stage = how.dry_run.then(|| vault.with_overlay());
        let mut batch = Self { succeeded: Vec::new(), failed: Vec::new(), total: items.len(), group: None };
        let mut kinds = Vec::new();
        for item in items {
            let done = match &stage {
                None => each(vault, how, item),
                Some(stage) => each(stage, how, item).and_then(|shown| {
                    each(stage, ChangeOptions { dry_run: false, ..how }, item).map(|_| shown)
                }),
            };
            match done {
                Ok(done) => batch.succeeded.push(done),
                Err(error) => {
                    kinds.push(error.kind());
                    batch.failed.push(BatchFailure {
                        path: path(item).to_owned(),
                        error: error.message().to_owned(),
                        hint: error.hint_text().map(str::to_owned),
                    });
                }
            }
        }
        if batch.succeeded.is_empty() {
            return Err(batch.to_error(kinds.first().copied()));
        }
        batch.group = batch.succeeded.iter().any(|done| done.as_ref().operation.is_some()).then_some(group);
        Ok(batch)
    }

    /// The error of a batch in which nothing succeeded: of the first failure's kind, with all failures as a detail.
    fn to_error(&self, first: Option<ErrorKind>) -> Error {
        let failed = serde_json::to_value(&self.failed).unwrap_or_default();
        let message = match self.failed.as_slice() {
            [only] => only.error.clone(),
            _ => format!("none of the {} succeeded", self.total),
        };
        Error::new(first.unwrap_or(ErrorKind::Failed), message).with_detail("failed", failed)
    }
}
