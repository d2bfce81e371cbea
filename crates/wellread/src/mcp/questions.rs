//! Questions that a client puts to its user, and their answers.
//!
//! Clients of older revisions are asked while the call waits; those of newer ones get the question as the answer, and call
//! again with what the user said. Such an answer counts once, within its time, and for the call that it was asked for.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationSchema,
    InputRequest, InputRequiredResult, ProtocolVersion, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RoleServer, ServiceError};
use serde_json::{Value, json};
use wellread_core::domain::display::render_duration;
use wellread_core::domain::id;
use wellread_core::{Error, Result};

use super::VaultServer;

/// The name of the question in a result that asks.
const QUESTION: &str = "question";
/// Questions that wait for an answer; the oldest makes room.
const MOST_QUESTIONS: usize = 64;

/// What the user is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct UserQuestion {
    pub text: String,
    /// The shape of the answer.
    pub schema: Value,
}

/// How it stands with a question.
pub enum QuestionState {
    /// What came back; `None` if it is no answer at all.
    Answered(Option<ElicitResult>),
    /// The client has to ask the user, and to call again with the answer.
    Asked(Box<InputRequiredResult>),
}

/// Questions that clients were given to ask, each with the call that it is about.
#[derive(Debug, Default)]
pub struct OpenQuestions(Mutex<VecDeque<OpenQuestion>>);

#[derive(Debug)]
struct OpenQuestion {
    name: String,
    call: blake3::Hash,
    asked: Instant,
}

impl OpenQuestions {
    /// The name of a question about this that is open already, or else of a new one.
    pub fn open_once(&self, call: blake3::Hash, limit: Duration) -> String {
        let is_open = |known: &&OpenQuestion| known.call == call && known.asked.elapsed() <= limit;
        let known = {
            let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            open.iter().find(is_open).map(|known| known.name.clone())
        };
        known.unwrap_or_else(|| self.open(call))
    }

    /// The name of a new question about this.
    pub fn open(&self, call: blake3::Hash) -> String {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() == MOST_QUESTIONS {
            open.pop_front();
        }
        let name = id::nonce();
        open.push_back(OpenQuestion { name: name.clone(), call, asked: Instant::now() });
        name
    }

    /// Whether this question was open for this call, and not for too long. It is open no longer.
    pub fn close(&self, name: &str, call: blake3::Hash, limit: Duration) -> bool {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = open.iter().position(|known| known.name == name && known.call == call);
        at.and_then(|at| open.remove(at)).is_some_and(|known| known.asked.elapsed() <= limit)
    }
}

/// Whether the client says that it puts questions to the user.
pub fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let capability = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    // One that names no form at all means the first that there was.
    capability.is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

/// The request by which a client asks.
pub fn to_request(question: UserQuestion) -> Result<ElicitRequest> {
    let schema: ElicitationSchema = serde_json::from_value(question.schema)
        .map_err(|error| Error::failed(format!("could not ask: {error}")))?;
    Ok(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.text,
        requested_schema: schema,
    }))
}

/// Puts a question about a call to the user of a client that can ask; or takes the answer that the call came with.
pub async fn put_to_user(
    server: &VaultServer,
    request: &CallToolRequestParams,
    about: &Value,
    question: UserQuestion,
    context: &RequestContext<RoleServer>,
) -> Result<QuestionState> {
    let question = UserQuestion { text: server.name_vault(question.text), ..question };
    let call = blake3::hash(json!([about, question.text]).to_string().as_bytes());
    if let Some(state) = &request.request_state {
        if !server.questions.close(state, call, server.answer_limit) {
            return Err(Error::refused("this answer belongs to no question that is open")
                .hint("nothing was changed; call the tool again without an answer"));
        }
        let answer = request.input_responses.as_ref().and_then(|answers| answers.get(QUESTION));
        let answer = answer.and_then(|answer| serde_json::from_value(answer.clone()).ok());
        return Ok(QuestionState::Answered(answer));
    }
    let asked = to_request(question)?;
    if context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
        let questions = BTreeMap::from([(QUESTION.to_owned(), InputRequest::Elicitation(asked))]);
        let state = server.questions.open(call);
        return Ok(QuestionState::Asked(Box::new(InputRequiredResult::new(Some(questions), Some(state)))));
    }
    wait_for_answer(asked, server.answer_limit, context).await.map(QuestionState::Answered)
}

async fn wait_for_answer(
    asked: ElicitRequest,
    limit: Duration,
    context: &RequestContext<RoleServer>,
) -> Result<Option<ElicitResult>> {
    let could_not = || Error::refused("the client could not ask the user; nothing was changed");
    let options = PeerRequestOptions::with_timeout(limit);
    let sent = context.peer.send_cancellable_request(ServerRequest::ElicitRequest(asked), options).await;
    let answered = tokio::select! {
        answered = sent.map_err(|_| could_not())?.await_response() => answered,
        () = context.ct.cancelled() => return Err(Error::refused("the call was canceled; nothing was changed")),
    };
    match answered {
        Ok(ClientResult::ElicitResult(answer)) => Ok(Some(answer)),
        Err(ServiceError::Timeout { .. }) => {
            let message =
                format!("the user did not answer within {}; nothing was changed", render_duration(limit));
            Err(Error::refused(message).hint("ask the user, and call the tool again"))
        }
        _ => Err(could_not()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_counts_once_in_time_and_for_its_own_call() {
        let (questions, call, other) = (OpenQuestions::default(), blake3::hash(b"a"), blake3::hash(b"b"));
        let day = Duration::from_secs(86_400);
        let name = questions.open(call);
        assert!(!questions.close("made up", call, day) && !questions.close(&name, other, day));
        assert!(questions.close(&name, call, day) && !questions.close(&name, call, day));
        let late = questions.open(call);
        assert!(!questions.close(&late, call, Duration::ZERO) && !questions.close(&late, call, day));
        let again = questions.open_once(call, day);
        assert_eq!(questions.open_once(call, day), again, "one that is open is not opened twice");
        assert!(questions.close(&again, call, day) && questions.open_once(call, day) != again);
        let first = questions.open(call);
        for _ in 0..MOST_QUESTIONS {
            questions.open(call);
        }
        assert!(!questions.close(&first, call, day), "the oldest made room");
    }
}
