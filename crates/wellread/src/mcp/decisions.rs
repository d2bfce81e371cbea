//! Decisions over the Model Context Protocol. A client's model makes none: the user allowed that in a setting, or answers the
//! question that the client puts to the user. Without either, the call is refused.
//!
//! Clients of older revisions are asked while the call waits; those of newer ones get the question as the answer, and call
//! again with what the user said. Such an answer counts once, and for the call that it was asked for.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, ProtocolVersion, ServerRequest,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use wellread_core::domain::decision::{DecidedBy, UserDecision};
use wellread_core::domain::id;
use wellread_core::{Error, Result};

use super::McpServer;

/// The name of the question, and of its one field.
const QUESTION: &str = "decision";
const AGREES: &str = "agree";
/// Questions that wait for an answer; the oldest makes room.
const MOST_QUESTIONS: usize = 64;

/// How it stands with a decision that a client's model calls for.
pub enum DecisionState {
    /// The user has decided.
    Made(UserDecision),
    /// The client has to ask the user, and to call again with the answer.
    Asked(Box<InputRequiredResult>),
}

/// Questions that clients were given to ask, each with the call that it is about.
#[derive(Debug, Default)]
pub struct OpenQuestions(Mutex<VecDeque<(String, blake3::Hash)>>);

impl OpenQuestions {
    fn open(&self, call: blake3::Hash) -> String {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() == MOST_QUESTIONS {
            open.pop_front();
        }
        let name = id::nonce();
        open.push_back((name.clone(), call));
        name
    }

    /// Whether this question was open for this call. It is open no longer.
    fn close(&self, name: &str, call: blake3::Hash) -> bool {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = open.iter().position(|(known, about)| known == name && *about == call);
        at.and_then(|at| open.remove(at)).is_some()
    }
}

/// Finds out whether the user has decided to make this call of a tool of the catalog; `Err` if not, or if there is nothing to decide.
pub async fn settle(
    server: &McpServer,
    request: &CallToolRequestParams,
    (tool, args): (&'static str, &Value),
    context: &RequestContext<RoleServer>,
) -> Result<DecisionState> {
    if server.decides {
        return Ok(DecisionState::Made(UserDecision::new(DecidedBy::Setting)));
    }
    let (scope, asked) = (server.scope.clone(), args.clone());
    let question =
        tokio::task::spawn_blocking(move || scope.app.tool(tool)?.question(&scope.ctx, &asked)).await;
    let question = question.unwrap_or_else(|_| Err(Error::failed("this is a bug in Wellread")))?;
    let call = blake3::hash(json!([tool, args, question]).to_string().as_bytes());
    if let Some(state) = &request.request_state {
        if !server.questions.close(state, call) {
            return Err(Error::refused("this answer belongs to no question that is open")
                .hint("nothing was changed; call the tool again without an answer"));
        }
        let answer = request.input_responses.as_ref().and_then(|answers| answers.get(QUESTION));
        let answer = answer.and_then(|answer| serde_json::from_value::<ElicitResult>(answer.clone()).ok());
        return read_answer(answer.as_ref()).map(DecisionState::Made);
    }
    if !can_ask(context) {
        return Err(Error::refused("only the user decides this, and this client can't ask the user").hint(
            "nothing was changed; the user can decide on the page that `wellread serve` shows or with `wellread agenda` and \
             `wellread inbox`, or allow it for good with `wellread config set mcp.decides on`",
        ));
    }
    let question = ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question,
        requested_schema: answer_schema()?,
    });
    if context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
        let questions = BTreeMap::from([(QUESTION.to_owned(), InputRequest::Elicitation(question))]);
        let state = server.questions.open(call);
        return Ok(DecisionState::Asked(Box::new(InputRequiredResult::new(Some(questions), Some(state)))));
    }
    let answered = tokio::select! {
        answered = context.peer.send_request(ServerRequest::ElicitRequest(question)) => answered,
        () = context.ct.cancelled() => return Err(Error::refused("the call was canceled; nothing was changed")),
    };
    match answered {
        Ok(ClientResult::ElicitResult(answer)) => read_answer(Some(&answer)).map(DecisionState::Made),
        _ => Err(Error::refused("the client could not ask the user; nothing was changed")),
    }
}

/// Whether the client says that it puts questions to the user.
fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let capability = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    // One that names no form at all means the first that there was.
    capability.is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

fn answer_schema() -> Result<ElicitationSchema> {
    let schema = json!({
        "type": "object",
        "properties": { AGREES: { "type": "boolean", "title": "Yes, do it" } },
        "required": [AGREES],
    });
    serde_json::from_value(schema).map_err(|error| Error::failed(format!("could not ask: {error}")))
}

/// The decision, if the user agreed.
fn read_answer(answer: Option<&ElicitResult>) -> Result<UserDecision> {
    let agreed = answer.is_some_and(|answer| {
        let agrees = answer.content.as_ref().and_then(|content| content.get(AGREES));
        answer.action == ElicitationAction::Accept && agrees == Some(&Value::Bool(true))
    });
    if agreed {
        return Ok(UserDecision::new(DecidedBy::Question));
    }
    Err(Error::refused("the user did not agree; nothing was changed").hint("ask what the user wants instead"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_is_a_decision() {
        let yes = ElicitResult::new(ElicitationAction::Accept).with_content(json!({ AGREES: true }));
        assert_eq!(read_answer(Some(&yes)).unwrap().decided_by(), DecidedBy::Question);
        let content = [json!({ AGREES: false }), json!({}), json!({ AGREES: "true" }), json!([true])];
        let unclear = content
            .into_iter()
            .map(|content| ElicitResult::new(ElicitationAction::Accept).with_content(content));
        let declined = [ElicitationAction::Decline, ElicitationAction::Cancel]
            .map(|action| ElicitResult::new(action).with_content(json!({ AGREES: true })));
        for answer in unclear.chain(declined).chain([ElicitResult::new(ElicitationAction::Accept)]) {
            assert!(read_answer(Some(&answer)).is_err(), "{answer:?}");
        }
        assert!(read_answer(None).is_err());
    }

    #[test]
    fn an_answer_counts_once_and_for_its_own_call() {
        let (questions, call, other) = (OpenQuestions::default(), blake3::hash(b"a"), blake3::hash(b"b"));
        let name = questions.open(call);
        assert!(!questions.close("made up", call) && !questions.close(&name, other));
        assert!(questions.close(&name, call) && !questions.close(&name, call));
        let first = questions.open(call);
        for _ in 0..MOST_QUESTIONS {
            questions.open(call);
        }
        assert!(!questions.close(&first, call), "the oldest made room");
    }
}
