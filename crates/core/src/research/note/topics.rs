//! The topics of a note, found by a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{fold, neutralize};

use super::NoteJob;
use crate::domain::untrusted::Untrusted;
use crate::engine::llm::ask_structured;
use crate::engine::run::RunModelClient;
use crate::insight::keyless::{Topic, TopicKind};
use crate::ports::Model;
use crate::research::Work;
use crate::research::model_calls::prefer_run_error;
use crate::trust::prompt::{Prompt, PromptDocument, RESEARCH_TOPICS};
use crate::{Error, Result};

/// The most characters of a topic: search engines do not read more.
const LONGEST_TOPIC: usize = 120;
const LONGEST_CONTEXT: usize = 600;

/// A list of topics, bare or as the one field of an object: services that hold an answer to a shape want an object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum TopicsReply {
    Bare(Vec<TopicEntry>),
    Named { topics: Vec<TopicEntry> },
}

/// What a service is asked to hold the answer to.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "only its shape counts")]
struct TopicsShape {
    topics: Vec<TopicEntry>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct TopicEntry {
    topic: String,
    #[serde(default)]
    context: String,
    #[serde(default, rename = "type")]
    kind: TopicEntryKind,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TopicEntryKind {
    Claim,
    Question,
    /// Whatever else a model calls it.
    #[default]
    #[serde(other)]
    Concept,
}

impl Work<'_, NoteJob> {
    /// The topics, in the model's order.
    pub(super) async fn topics_by_model(&self, model: &dyn Model, note: &Untrusted) -> Result<Vec<Topic>> {
        let (most, focus) = (self.research.settings.max_topics, self.job.focus.as_deref());
        let focused =
            focus.map(|_| " Only what bears on the focus that the user gives below.").unwrap_or_default();
        let instructions = RESEARCH_TOPICS.fill(&[("most", &most.to_string()), ("focus", focused)])?;
        let mut prompt = Prompt::new(&instructions);
        if let Some(focus) = focus {
            prompt = prompt.user(&format!("Focus: {focus}"), LONGEST_CONTEXT);
        }
        let document = PromptDocument {
            who: "the user, in a note",
            name: &self.job.path,
            text: note,
            cap: self.research.settings.note_chars,
            id: None,
        };
        let request = self.request_showing(prompt.document(document), "nonce")?;
        let client = RunModelClient::new(self.run, model);
        let entries = match ask_structured::<ParsedTopics>(&client, request, "topics").await {
            Ok(answer) => answer.value.0,
            Err(error) => return Err(reply_error(&prefer_run_error(&client, error))),
        };
        let topics = collect_topics(entries, most);
        self.record_topics(&topics)?;
        Ok(topics)
    }
}

/// The topics that are not empty, each once, at most `most`.
fn collect_topics(entries: Vec<TopicEntry>, most: usize) -> Vec<Topic> {
    let mut topics: Vec<Topic> = Vec::new();
    for entry in entries {
        let topic = single_line(&entry.topic, LONGEST_TOPIC);
        let known = topics.iter().any(|known| fold(&known.topic) == fold(&topic));
        if !topic.is_empty() && !known && topics.len() < most {
            let context = single_line(&entry.context, LONGEST_CONTEXT);
            topics.push(Topic { topic, context, kind: entry.kind.into() });
        }
    }
    topics
}

/// The parsed reply.
struct ParsedTopics(Vec<TopicEntry>);

impl<'de> Deserialize<'de> for ParsedTopics {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self(match TopicsReply::deserialize(from)? {
            TopicsReply::Bare(entries) | TopicsReply::Named { topics: entries } => entries,
        }))
    }
}

impl JsonSchema for ParsedTopics {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        TopicsShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        TopicsShape::json_schema(generator)
    }
}

impl From<TopicEntryKind> for TopicKind {
    fn from(kind: TopicEntryKind) -> Self {
        match kind {
            TopicEntryKind::Claim => Self::Claim,
            TopicEntryKind::Concept => Self::Concept,
            TopicEntryKind::Question => Self::Question,
        }
    }
}

/// A reply of the wrong shape means that there are no topics; any other error stays as it is.
fn reply_error(error: &Error) -> Error {
    if error.message().starts_with("the model's answer does not fit") {
        return no_topics_error().with_detail("because", error.message());
    }
    error.clone()
}

pub(super) fn no_topics_error() -> Error {
    Error::failed("no topics: found nothing in the note that deserves research")
        .hint("write more into the note, or name what to look for with `focus`")
}

/// Neutralized text on one line, at most `most` characters.
pub(in crate::research) fn single_line(words: &str, most: usize) -> String {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    neutralize(&words)
        .text
        .chars()
        .filter(|letter| !letter.is_control())
        .take(most)
        .collect::<String>()
        .trim()
        .to_owned()
}
