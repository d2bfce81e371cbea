//! A run's calls to models and tools: answered from its log if possible, otherwise made within the budget and logged.

use std::future::Future;
use std::time::Instant;

use serde_json::{Value, json};

use super::{BudgetLimit, Run, budget, key, unwritable_error};
use crate::domain::corpus::Hash;
use crate::domain::untrusted::Origin;
use crate::ports::event::{ModelAnswer, RunEvent, SentRequest};
use crate::ports::{Delta, DeltaHandler, Model, ModelFailure, ModelIdentity, ModelRequest, Reply};
use crate::{Error, Result};

/// Why there is no reply from the model.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelCallFailure {
    /// The budget is used up.
    Budget(BudgetLimit),
    /// The model failed.
    Model(ModelFailure),
    /// The log can't be written, or does not hold what a replay needs.
    Log(Error),
}

impl From<Error> for ModelCallFailure {
    fn from(error: Error) -> Self {
        Self::Log(error)
    }
}

/// What a tool answered: the envelope, and how far it can be trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReply {
    /// The tool's answer with its envelope.
    pub envelope: Value,
    /// Who wrote the text in the answer.
    pub origin: Origin,
    /// Whether it contains something that must not leave this machine.
    pub private: bool,
}

impl ToolReply {
    /// A reply in our own words, which a prompt need not fence.
    pub fn trusted(envelope: Value) -> Self {
        Self { envelope, origin: Origin::User, private: false }
    }
}

impl Run {
    /// Asks a model within the budget, unless the log has the answer. A logged reply is passed to `heard` as one delta.
    pub async fn ask_model(
        &self,
        model: &dyn Model,
        request: &ModelRequest,
        heard: DeltaHandler<'_>,
    ) -> std::result::Result<Reply, ModelCallFailure> {
        let (key, limits) = keys(request)?;
        if let Some(known) = self.logged_reply(key, limits)? {
            return known.inspect(|reply| heard(Delta::Text(reply.text.clone())));
        }
        let identity = model.identity();
        if let Some(limit) = self.exhausted_limit(Some(&identity)) {
            return Err(self.record_limit(limits, limit));
        }
        self.ensure_live("an answer of the model")?;
        self.record_model_request(&identity, request)?;
        let began = Instant::now();
        let limited = ModelRequest { limit: self.time_left(request.limit), ..request.clone() };
        let answer = match model.ask(&limited, heard).await {
            Ok(reply) => ModelAnswer::Reply(reply),
            Err(failure) => ModelAnswer::Failure(failure),
        };
        let cost = budget::cost(&answer, &identity);
        let event = RunEvent::Model {
            key,
            name: identity.name.clone(),
            answer: answer.clone(),
            cost,
            took_ms: elapsed_ms(began),
        };
        let mut state = self.state();
        budget::add(&mut state.spent, &answer, cost);
        self.write(&mut state, &event)?;
        drop(state);
        match (answer, self.exhausted_limit(Some(&identity))) {
            (ModelAnswer::Reply(reply), _) => Ok(reply),
            // The request had no more time than the budget had left.
            (ModelAnswer::Failure(ModelFailure::Unreachable { .. }), Some(BudgetLimit::Seconds)) => {
                Err(self.record_limit(limits, BudgetLimit::Seconds))
            }
            (ModelAnswer::Failure(failure), _) => Err(ModelCallFailure::Model(failure)),
        }
    }

    /// What the log holds for this request: a reply, the limit that was reached, or a failure.
    fn logged_reply(
        &self,
        key: Hash,
        limits: Hash,
    ) -> Result<Option<std::result::Result<Reply, ModelCallFailure>>> {
        let mut state = self.state();
        let known = state.past.next_model_answer(key);
        if let Some(ModelAnswer::Reply(reply)) = known {
            return Ok(Some(Ok(reply)));
        }
        if let Some(limit) = state.past.next_draw(limits) {
            let limit = serde_json::from_value(limit).map_err(|error| unwritable_error(&error))?;
            return Ok(Some(Err(ModelCallFailure::Budget(limit))));
        }
        let Some(ModelAnswer::Failure(failure)) = known else { return Ok(None) };
        Ok(Some(Err(ModelCallFailure::Model(failure))))
    }

    /// Logs a request that is about to be sent. Without an endpoint nothing is sent.
    fn record_model_request(&self, identity: &ModelIdentity, request: &ModelRequest) -> Result<()> {
        let body = serde_json::to_string(request).map_err(|error| unwritable_error(&error))?;
        if identity.endpoint.is_empty() {
            return Ok(());
        }
        self.record_sent(SentRequest {
            what: "model".to_owned(),
            to: identity.endpoint.clone(),
            about: identity.name.clone(),
            bytes: body.len() as u64,
            stays: identity.is_local,
        })
    }

    /// Logs that the budget ended the run here, so that a replay ends here too.
    fn record_limit(&self, key: Hash, limit: BudgetLimit) -> ModelCallFailure {
        let event = RunEvent::Drawn { key, name: "limit".to_owned(), value: json!(limit) };
        match self.write(&mut self.state(), &event) {
            Ok(()) => ModelCallFailure::Budget(limit),
            Err(error) => ModelCallFailure::Log(error),
        }
    }

    /// Calls a tool, unless the log has the answer. A call that changes something is announced in the log first; if the
    /// run was interrupted in between, `made` gets the known operations and returns the reply of a change that was
    /// already made.
    pub async fn call_tool(
        &self,
        tool: &str,
        arguments: &Value,
        changes: bool,
        call: impl Future<Output = ToolReply>,
        made: impl Fn(&[String]) -> Option<ToolReply>,
    ) -> Result<ToolReply> {
        let key = key("tool", &json!([tool, arguments]))?;
        let was_calling = {
            let mut state = self.state();
            if let Some(answered) = state.past.next_tool_reply(key) {
                return Ok(answered);
            }
            state.past.take_announced_call(key)
        };
        self.ensure_live("what a tool answered")?;
        let began = Instant::now();
        let known = self.state().past.operations();
        let answered = match was_calling.then(|| made(&known)).flatten() {
            Some(answered) => answered,
            None => {
                if changes {
                    self.write(&mut self.state(), &RunEvent::Calling { key, tool: tool.to_owned() })?;
                }
                call.await
            }
        };
        let ToolReply { envelope, origin, private } = answered.clone();
        let mut state = self.state();
        state.past.record_operations(&envelope);
        let took_ms = elapsed_ms(began);
        let event = RunEvent::Tool {
            key,
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            answer: envelope,
            origin,
            private,
            took_ms,
        };
        self.write(&mut state, &event)?;
        Ok(answered)
    }
}

/// The log keys of the model's answer to a request, and of the limit reached before it was sent.
fn keys(request: &ModelRequest) -> Result<(Hash, Hash)> {
    let answer = key("model", request)?;
    Ok((answer, key("limit", &answer)?))
}

fn elapsed_ms(began: Instant) -> u64 {
    began.elapsed().as_millis() as u64
}
