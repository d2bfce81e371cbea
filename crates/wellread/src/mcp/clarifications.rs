//! A question to Wellread that is too broad: the client's user is asked what exactly is meant, before anything is looked up.

use rmcp::model::{CallToolRequestParams, ElicitResult, ElicitationAction, InputRequiredResult};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use wellread_core::faces::tools::Declaration;
use wellread_core::{Error, Result};

use super::VaultServer;
use super::questions::{QuestionState, UserQuestion, can_ask, put_to_user};

/// The name of the one field of an answer.
const ANSWER: &str = "answer";
const LONGEST_ANSWER: usize = 500;

/// How it stands with what the user means.
pub enum ClarificationState {
    /// Clear enough to be called, with these arguments. If the user said nothing of use, they are as they were.
    Clear(Value),
    /// The client has to ask the user, and to call again with the answer.
    Asked(Box<InputRequiredResult>),
}

/// Has the user asked what is meant, where the tool can't know and the client can ask.
pub async fn settle(
    server: &VaultServer,
    request: &CallToolRequestParams,
    (tool, args): (&Declaration, Value),
    context: &RequestContext<RoleServer>,
) -> Result<ClarificationState> {
    if !tool.clarifies || !can_ask(context) {
        return Ok(ClarificationState::Clear(args));
    }
    let (scope, name, asked) = (server.scope.clone(), tool.name, args.clone());
    let text = tokio::task::spawn_blocking(move || scope.app.tool(name)?.clarification(&scope.ctx, &asked));
    let text = text.await.unwrap_or_else(|_| Err(Error::failed("this is a bug in Wellread")))?;
    let Some(text) = text else { return Ok(ClarificationState::Clear(args)) };
    let about = json!([tool.name, args]);
    let question = UserQuestion { text, schema: answer_schema() };
    let answer = match put_to_user(server, request, &about, question, context).await {
        Ok(QuestionState::Asked(question)) => return Ok(ClarificationState::Asked(question)),
        Ok(QuestionState::Answered(answer)) => answer,
        // Nothing depends on it: the tool asks the model back.
        Err(_) => None,
    };
    Ok(ClarificationState::Clear(match read_answer(answer.as_ref()) {
        Some(answer) => server.scope.app.tool(tool.name)?.clarify(&args, answer),
        None => args,
    }))
}

fn answer_schema() -> Value {
    json!({
        "type": "object",
        "properties": { ANSWER: { "type": "string", "title": "What exactly?", "maxLength": LONGEST_ANSWER } },
        "required": [ANSWER],
    })
}

/// What the user said, if it is of use.
fn read_answer(answer: Option<&ElicitResult>) -> Option<&str> {
    let answer = answer.filter(|answer| answer.action == ElicitationAction::Accept)?;
    let text = answer.content.as_ref()?.get(ANSWER)?.as_str()?.trim();
    (!text.is_empty() && text.chars().count() <= LONGEST_ANSWER).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_of_the_user_clarify() {
        let accept = |content| ElicitResult::new(ElicitationAction::Accept).with_content(content);
        assert_eq!(read_answer(Some(&accept(json!({ ANSWER: " how old? " })))), Some("how old?"));
        let long = "x".repeat(LONGEST_ANSWER + 1);
        for content in
            [json!({}), json!({ ANSWER: "" }), json!({ ANSWER: 3 }), json!({ ANSWER: long }), json!("x")]
        {
            assert_eq!(read_answer(Some(&accept(content))), None);
        }
        let declined = ElicitResult::new(ElicitationAction::Decline).with_content(json!({ ANSWER: "x" }));
        assert_eq!((read_answer(Some(&declined)), read_answer(None)), (None, None));
    }
}
