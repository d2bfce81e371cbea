//! What of a note deserves research, as the model sees it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{fold, neutral};

use super::Research;
use super::asking::{request, told};
use crate::event::Event;
use crate::id;
use crate::keyless::{Topic, TopicKind};
use crate::llm::structured;
use crate::ports::Model;
use crate::prompt::{Document, Prompt, RESEARCH_TOPICS};
use crate::run::{ByRun, Run};
use crate::untrusted::Untrusted;
use crate::{Error, Result};

/// Longer than any search engine reads, in characters.
const LONGEST_TOPIC: usize = 120;
const LONGEST_CONTEXT: usize = 600;

/// A list of topics, bare or as the one field of an object: services that hold an answer to a shape want an object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Answer {
    Bare(Vec<Entry>),
    Named { topics: Vec<Entry> },
}

/// What a service is asked to hold the answer to.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "only its shape counts")]
struct Shape {
    topics: Vec<Entry>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Entry {
    topic: String,
    #[serde(default)]
    context: String,
    #[serde(default, rename = "type")]
    kind: Kind,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Claim,
    Question,
    /// Whatever else a model calls it.
    #[default]
    #[serde(other)]
    Concept,
}

impl Research {
    /// The topics, in the model's order.
    pub(super) async fn topics_by_model(
        &self,
        run: &Run,
        model: &dyn Model,
        (name, note): (&str, &Untrusted),
        focus: Option<&str>,
    ) -> Result<Vec<Topic>> {
        let most = self.settings.max_topics;
        let focused =
            focus.map(|_| " Only what bears on the focus that the user gives below.").unwrap_or_default();
        let instructions = RESEARCH_TOPICS.fill(&[("most", &most.to_string()), ("focus", focused)])?;
        let mut prompt = Prompt::new(&instructions);
        if let Some(focus) = focus {
            prompt = prompt.user(&format!("Focus: {focus}"), LONGEST_CONTEXT);
        }
        let document = Document {
            who: "the user, in a note",
            name,
            text: note,
            cap: self.settings.note_chars,
            id: None,
        };
        let built =
            prompt.document(document).build(&mut || run.draw("nonce", id::nonce).unwrap_or_default())?;
        let ask = ByRun::new(run, model);
        let answer = structured::<Answered>(&ask, request(&self.settings, built.text), "topics").await;
        let entries = match answer {
            Ok(answer) => answer.value.0,
            Err(error) => return Err(no_topics(&told(&ask, error))),
        };
        let mut topics: Vec<Topic> = Vec::new();
        for entry in entries {
            let topic = line(&entry.topic, LONGEST_TOPIC);
            let known = topics.iter().any(|known| fold(&known.topic) == fold(&topic));
            if !topic.is_empty() && !known && topics.len() < most {
                let context = line(&entry.context, LONGEST_CONTEXT);
                topics.push(Topic { topic, context, kind: entry.kind.into() });
            }
        }
        let names: Vec<&str> = topics.iter().map(|topic| topic.topic.as_str()).collect();
        run.note(&Event::Plan { plan: serde_json::json!({ "topics": names }) })?;
        Ok(topics)
    }
}

/// What was read of an answer.
struct Answered(Vec<Entry>);

impl<'de> Deserialize<'de> for Answered {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self(match Answer::deserialize(from)? {
            Answer::Bare(entries) | Answer::Named { topics: entries } => entries,
        }))
    }
}

impl JsonSchema for Answered {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Shape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Shape::json_schema(generator)
    }
}

impl From<Kind> for TopicKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Claim => Self::Claim,
            Kind::Concept => Self::Concept,
            Kind::Question => Self::Question,
        }
    }
}

/// An answer that is none is told as such; a model that can't be asked, as what it is.
fn no_topics(error: &Error) -> Error {
    if error.message().starts_with("the model's answer does not fit") {
        return none_found().with("because", error.message());
    }
    error.clone()
}

pub(super) fn none_found() -> Error {
    Error::failed("no topics: nothing in the note was found that deserves research")
        .hint("write more into the note, or name what to look for with `focus`")
}

/// Words on one line, and not many.
pub(super) fn line(words: &str, most: usize) -> String {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    neutral(&words)
        .text
        .chars()
        .filter(|letter| !letter.is_control())
        .take(most)
        .collect::<String>()
        .trim()
        .to_owned()
}
