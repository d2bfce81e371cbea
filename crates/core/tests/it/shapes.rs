//! Answers that have a shape, from a scripted model: which way they are asked for, and what happens to those that
//! do not fit.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use wellread_core::engine::llm::{StructuredAnswer, ask_structured, ask_structured_from, schema};
use wellread_core::ports::{
    Message, Model, ModelFailure, ModelRequest, Reply, ReplyFormatMode, StopReason, ToolChoice,
};
use wellread_core::{ErrorKind, Result};
use wellread_testkit::ScriptedModel;
use wellread_testkit::scripted_model::says;

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Topics {
    topics: Vec<Topic>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Topic {
    /// In three words.
    name: String,
    weight: u32,
    #[serde(default)]
    note: Option<String>,
}

fn request() -> ModelRequest {
    ModelRequest {
        system: "Find topics.".to_owned(),
        messages: vec![Message::User { text: "Bees.".to_owned() }],
        tools: Vec::new(),
        choice: ToolChoice::Auto,
        shape: None,
        max_tokens: 100,
        temperature: None,
        limit: Duration::from_secs(1),
    }
}

/// A scripted model is never waited for.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits for something"),
    }
}

fn ask(model: &ScriptedModel) -> Result<StructuredAnswer<Topics>> {
    now(ask_structured(&(model as &dyn Model), request(), "topics"))
}

const GOOD: &str = r#"{"topics": [{"name": "hive", "weight": 3}]}"#;

fn good() -> Topics {
    Topics { topics: vec![Topic { name: "hive".to_owned(), weight: 3, note: None }] }
}

fn unsupported() -> Result<Reply, ModelFailure> {
    Err(ModelFailure::Unsupported { what: "x".to_owned() })
}

/// The ways in which a model was asked.
fn ways(model: &ScriptedModel) -> Vec<ReplyFormatMode> {
    assert_eq!(model.replies_left(), 0);
    model.requests().iter().map(|request| request.shape.as_ref().unwrap().by).collect()
}

#[test]
fn a_reply_that_fits_is_a_value() {
    let model = ScriptedModel::new([says(GOOD)]);
    let found = ask(&model).unwrap();
    assert_eq!((found.value, found.by), (good(), ReplyFormatMode::Schema));
    assert_eq!(ways(&model), [ReplyFormatMode::Schema]);
    let asked = &model.requests()[0];
    assert_eq!(
        (asked.system.as_str(), asked.shape.as_ref().unwrap().name.as_str()),
        ("Find topics.", "topics")
    );
}

#[test]
fn what_a_service_can_not_do_is_asked_for_in_a_weaker_way() {
    let model = ScriptedModel::new([unsupported(), says(GOOD)]);
    assert_eq!(ask(&model).unwrap().by, ReplyFormatMode::Tool);
    assert_eq!(ways(&model), [ReplyFormatMode::Schema, ReplyFormatMode::Tool]);

    let model =
        ScriptedModel::new([unsupported(), unsupported(), says(&format!("Here:\n```json\n{GOOD}\n```"))]);
    let found = ask(&model).unwrap();
    assert_eq!((found.value, found.by), (good(), ReplyFormatMode::Text));
    assert_eq!(ways(&model), [ReplyFormatMode::Schema, ReplyFormatMode::Tool, ReplyFormatMode::Text]);
    let system = &model.requests()[2].system;
    assert!(
        system.starts_with("Find topics.\n\nAnswer with one JSON value") && system.contains("In three words"),
        "{system}"
    );

    let model = ScriptedModel::new([says(GOOD)]);
    let found: StructuredAnswer<Topics> =
        now(ask_structured_from(&(&model as &dyn Model), request(), "topics", ReplyFormatMode::Text))
            .unwrap();
    assert_eq!((found.by, ways(&model)), (ReplyFormatMode::Text, vec![ReplyFormatMode::Text]));
    let model = ScriptedModel::new([unsupported(), unsupported(), unsupported()]);
    assert_eq!(ask(&model).unwrap_err().kind(), ErrorKind::BadReply);
}

#[test]
fn what_does_not_fit_is_told_to_the_model_once() {
    for (wrong, told) in [
        ("I found bees.", "it is no JSON"),
        (r#"{"topics": [{"name": "hive"}]}"#, "missing field `weight`"),
        (r#"{"topics": [{"name": "hive", "weight": -1}]}"#, "invalid value"),
        ("", "it is no JSON"),
    ] {
        let model = ScriptedModel::new([says(wrong), says(GOOD)]);
        assert_eq!(ask(&model).unwrap().value, good(), "{wrong}");
        let asked = model.requests();
        let Some(Message::User { text }) = asked[1].messages.last() else { panic!("{asked:?}") };
        assert!(text.starts_with("This does not fit: ") && text.contains(told), "{text}");
        assert!(text.contains("\"weight\""), "the schema is told again: {text}");
        let repeated = asked[1]
            .messages
            .iter()
            .any(|said| matches!(said, Message::Assistant { text, .. } if text == wrong));
        assert_eq!(repeated, !wrong.is_empty());
    }
    let model = ScriptedModel::new([says("no"), says("still no")]);
    let error = ask(&model).unwrap_err();
    assert_eq!((error.kind(), ways(&model).len()), (ErrorKind::Failed, 2));
    assert!(error.message().contains("does not fit: it is no JSON"), "{error}");
}

#[test]
fn what_was_cut_off_or_refused_is_told_as_that() {
    let cut = |text: &str| says(text).map(|reply| Reply { stop: StopReason::Length, ..reply });
    let model = ScriptedModel::new([cut(r#"{"topics": [{"name"#), cut(r#"{"topics": ["#)]);
    let error = ask(&model).unwrap_err();
    assert!(error.message().contains("too long"), "{error}");
    let model =
        ScriptedModel::new([says("I can't.").map(|reply| Reply { stop: StopReason::Filtered, ..reply })]);
    assert_eq!(ask(&model).unwrap_err().kind(), ErrorKind::Refused);
    let model = ScriptedModel::new([Err(ModelFailure::Busy { message: "later".to_owned() })]);
    assert_eq!(ask(&model).unwrap_err().message(), "later");
}

#[derive(JsonSchema)]
#[allow(dead_code)]
enum Verdict {
    Good,
    Bad { why: Option<String>, how: u32 },
}

#[test]
fn a_schema_for_a_reply_is_closed_complete_and_plain() {
    let name = json!({ "description": "In three words.", "type": "string" });
    let properties = json!({
        "name": name,
        "weight": { "type": "integer", "minimum": 0 },
        "note": { "type": "string" },
    });
    let topic = json!({
        "type": "object",
        "properties": properties,
        "required": ["name", "weight", "note"],
        "additionalProperties": false,
    });
    let expected = json!({
        "type": "object",
        "properties": { "topics": { "type": "array", "items": topic } },
        "required": ["topics"],
        "additionalProperties": false,
    });
    assert_eq!(schema::reply::<Topics>(), expected);
    let verdict = schema::reply::<Verdict>().to_string();
    assert!(
        !verdict.contains("oneOf") && !verdict.contains("null") && !verdict.contains("uint32"),
        "{verdict}"
    );
    assert_eq!(verdict.matches("\"additionalProperties\":false").count(), 2, "{verdict}");
}
