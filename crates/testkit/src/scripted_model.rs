//! A model in memory that gives scripted replies and refuses everything else.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard};

use serde_json::Value;
use wellread_core::ports::{
    Delta, DeltaHandler, Model, ModelFailure, ModelIdentity, ModelRequest, Reply, StopReason, TokenUsage,
    ToolCall,
};

/// Gives its replies in order, and records its requests.
pub struct ScriptedModel {
    pub identity: ModelIdentity,
    script: Mutex<VecDeque<Result<Reply, ModelFailure>>>,
    asked: Mutex<Vec<ModelRequest>>,
}

/// A reply that consists of text.
pub fn says(text: &str) -> Result<Reply, ModelFailure> {
    let usage = TokenUsage { read: 10, written: text.chars().count() as u64, estimated: false };
    Ok(Reply { text: text.to_owned(), calls: Vec::new(), stop: StopReason::End, usage, attempts: 1 })
}

/// A reply that calls tools, with the ids `call-1` and so on.
pub fn calls(calls: &[(&str, Value)]) -> Result<Reply, ModelFailure> {
    let calls = calls.iter().zip(1..).map(|((name, arguments), number)| ToolCall {
        id: format!("call-{number}"),
        name: (*name).to_owned(),
        arguments: arguments.clone(),
    });
    says("").map(|reply| Reply { calls: calls.collect(), stop: StopReason::Tools, ..reply })
}

impl ScriptedModel {
    pub fn new(script: impl IntoIterator<Item = Result<Reply, ModelFailure>>) -> Self {
        let identity = ModelIdentity {
            name: "scripted".to_owned(),
            endpoint: "http://127.0.0.1:1".to_owned(),
            is_local: true,
            price: None,
        };
        Self { identity, script: Mutex::new(script.into_iter().collect()), asked: Mutex::default() }
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<ModelRequest> {
        lock(&self.asked).clone()
    }

    /// The number of replies left.
    pub fn replies_left(&self) -> usize {
        lock(&self.script).len()
    }
}

impl Model for ScriptedModel {
    fn identity(&self) -> ModelIdentity {
        self.identity.clone()
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        heard: DeltaHandler<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>> {
        lock(&self.asked).push(request.clone());
        let reply = lock(&self.script).pop_front();
        Box::pin(async move {
            let reply = reply.unwrap_or_else(|| panic!("the model was not scripted for {request:#?}"))?;
            if !reply.text.is_empty() {
                heard(Delta::Text(reply.text.clone()));
            }
            for call in &reply.calls {
                heard(Delta::Calls(call.name.clone()));
            }
            Ok(reply)
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
