//! Many changes in one call: on after a failure, and a summary at the end.

use schemars::JsonSchema;
use serde::Serialize;

use super::written::{About, Written};
use crate::id::OperationId;
use crate::vault::{How, Vault};
use crate::{Error, Kind, Result};

/// What became of each file of a batch.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Batch<T> {
    pub succeeded: Vec<T>,
    pub failed: Vec<Failure>,
    pub total: usize,
    /// What `wellread undo` takes to take all of it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

impl<T: About> About for Batch<T> {
    fn files(&self) -> Vec<String> {
        let succeeded = self.succeeded.iter().flat_map(About::files);
        succeeded.chain(self.failed.iter().map(|failure| failure.path.clone())).collect()
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Failure {
    pub path: String,
    pub error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl<T: AsRef<Written>> Batch<T> {
    /// Does each in turn, and goes on after a failure. An error only where nothing succeeded at all. In a dry run each
    /// step sees what the steps before it would have done.
    pub fn run<I>(
        vault: &Vault,
        how: How<'_>,
        items: &[I],
        path: impl Fn(&I) -> &str,
        each: impl Fn(&Vault, How<'_>, &I) -> Result<T>,
    ) -> Result<Self> {
        if items.is_empty() {
            return Err(Error::invalid("the list is empty: there is nothing to do"));
        }
        let group = vault.edits.group.clone().unwrap_or_else(|| OperationId::fresh().to_string());
        let how = How { group: Some(&group), ..how };
        let stage = how.dry_run.then(|| vault.rehearsal());
        let mut batch = Self { succeeded: Vec::new(), failed: Vec::new(), total: items.len(), group: None };
        let mut kinds = Vec::new();
        for item in items {
            let done = match &stage {
                None => each(vault, how, item),
                Some(stage) => each(stage, how, item)
                    .and_then(|shown| each(stage, How { dry_run: false, ..how }, item).map(|_| shown)),
            };
            match done {
                Ok(done) => batch.succeeded.push(done),
                Err(error) => {
                    kinds.push(error.kind());
                    batch.failed.push(Failure {
                        path: path(item).to_owned(),
                        error: error.message().to_owned(),
                        hint: error.hint_text().map(str::to_owned),
                    });
                }
            }
        }
        if batch.succeeded.is_empty() {
            return Err(batch.failure(kinds.first().copied()));
        }
        batch.group = batch.succeeded.iter().any(|done| done.as_ref().operation.is_some()).then_some(group);
        Ok(batch)
    }

    /// Where all failed alike, so did the batch; otherwise the first trouble stands for all.
    fn failure(&self, first: Option<Kind>) -> Error {
        let failed = serde_json::to_value(&self.failed).unwrap_or_default();
        let message = match self.failed.as_slice() {
            [only] => only.error.clone(),
            _ => format!("none of the {} succeeded", self.total),
        };
        Error::new(first.unwrap_or(Kind::Failed), message).with("failed", failed)
    }
}
