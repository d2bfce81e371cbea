//! A verifier in memory that gives scripted opinions and refuses everything else.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use wellread_core::Result;
use wellread_core::ports::{BoxFuture, EvidencedStatement, Opinion, Verifier};

/// Gives its answers in order, and records what it was asked.
pub struct ScriptedVerifier {
    script: Mutex<VecDeque<Result<Vec<Opinion>>>>,
    asked: Mutex<Vec<Vec<EvidencedStatement>>>,
}

impl ScriptedVerifier {
    pub fn new(script: impl IntoIterator<Item = Result<Vec<Opinion>>>) -> Self {
        Self { script: Mutex::new(script.into_iter().collect()), asked: Mutex::default() }
    }

    /// All questions so far.
    pub fn questions(&self) -> Vec<Vec<EvidencedStatement>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Verifier for ScriptedVerifier {
    fn judge<'a>(&'a self, statements: &'a [EvidencedStatement]) -> BoxFuture<'a, Result<Vec<Opinion>>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(statements.to_vec());
        let answer = self.script.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        Box::pin(async move {
            answer.unwrap_or_else(|| panic!("the verifier was not scripted for {statements:?}"))
        })
    }
}
