//! A verifier in memory that gives scripted readings and refuses everything else.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use wellread_core::ports::{SupportShares, Verifier};

/// Knows some statements, each with the share of support that it reads for it, and records what it was asked.
pub struct ScriptedVerifier {
    supported: HashMap<String, f32>,
    asked: Mutex<Vec<(String, String)>>,
}

impl ScriptedVerifier {
    pub fn new<'a>(script: impl IntoIterator<Item = (&'a str, f32)>) -> Self {
        let supported = script.into_iter().map(|(statement, share)| (statement.to_owned(), share)).collect();
        Self { supported, asked: Mutex::default() }
    }

    /// All statements so far, each with the text beside it.
    pub fn questions(&self) -> Vec<(String, String)> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Verifier for ScriptedVerifier {
    fn read(&self, statement: &str, text: &str) -> SupportShares {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((statement.to_owned(), text.to_owned()));
        let Some(&supported) = self.supported.get(statement) else {
            panic!("the verifier was not scripted for {statement:?}")
        };
        SupportShares { supported, contradicted: 0.0, not_said: 1.0 - supported }
    }
}
