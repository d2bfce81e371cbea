//! The actions of an investigation: described to the model, and carried out through the run, within the scope and never
//! twice.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::code::inspect::{
    ExpandArgs, FindLiteralArgs, FindSymbolArgs, FindValueArgs, Inspection, Inspector, OpenSpanArgs,
    OutlineArgs, PackArgs, PositionArgs, PositionQuestion, SearchArgs, TraceArgs,
};
use crate::domain::untrusted::Origin;
use crate::engine::agent::Toolbox;
use crate::engine::llm::schema;
use crate::engine::run::{Run, ToolReply, envelope};
use crate::ports::{ToolCall, ToolSpec};
use crate::{Error, Result};

pub(super) const FINALIZE: &str = "finalize";
pub(super) const SUMMARIZE: &str = "summarize_evidence";
/// The actions that only the rules take: a model searches for such lines.
pub(super) const FIND_LITERAL: &str = "find_literal";
pub(super) const FIND_VALUE: &str = "find_value";

/// The actions, each with a description for the model.
const ABOUT: [(&str, &str); 12] = [
    ("hybrid_search", "passages that match a query, by words and by meaning"),
    ("open_span", "these lines of a file"),
    ("outline", "the definitions of a file, nested"),
    ("find_symbol", "where a name is defined"),
    ("definition", "the definition of the name at a place, or of a symbol"),
    ("references", "where the name at a place, or a symbol, is used"),
    ("hover", "signature and comment of the name at a place, or of a symbol"),
    ("graph_expand", "what a symbol calls, imports, contains, implements, and what does so to it"),
    ("graph_pack", "the most relevant spans around some symbols, within a budget of tokens"),
    ("graph_trace", "a path from one symbol to another, each hop with its place"),
    (SUMMARIZE, "a memo of the evidence so far"),
    (FINALIZE, "ends the investigation with its answer"),
];

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SummarizeArgs {
    /// What the memo is for.
    #[serde(default)]
    pub goal: Option<String>,
}

/// How an investigation ends.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct FinalizeArgs {
    /// The answer: short, each sentence with the id of the evidence that bears it.
    pub answer: String,
    /// From 0 to 1.
    #[serde(deserialize_with = "deserialize_confidence")]
    pub confidence: f64,
}

/// Reads a number, or the word that some models give instead.
fn deserialize_confidence<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<f64, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let word = value.as_str().map(|word| word.trim().to_lowercase());
    let number = match word.as_deref() {
        Some("high") => Some(0.9),
        Some("medium") => Some(0.6),
        Some("low") => Some(0.3),
        Some(word) => word.parse().ok(),
        None => value.as_f64(),
    };
    number.ok_or_else(|| D::Error::custom("`confidence` is a number from 0 to 1"))
}

/// Condenses the evidence into a memo for a goal.
pub(super) type Condense<'a> =
    dyn Fn(Option<String>) -> Pin<Box<dyn Future<Output = Result<ToolReply>> + Send + 'a>> + Send + Sync + 'a;

/// The actions of one investigation.
pub(super) struct Actions<'a> {
    /// `None` in a replay whose repository is gone: then everything comes from the log.
    pub inspect: Option<Inspector<'a>>,
    condense: &'a Condense<'a>,
    /// The calls made so far, each as its name and arguments.
    done: Mutex<BTreeSet<String>>,
}

impl<'a> Actions<'a> {
    pub fn new(inspect: Option<Inspector<'a>>, condense: &'a Condense<'a>) -> Self {
        Self { inspect, condense, done: Mutex::default() }
    }

    fn is_repeated(&self, call: &ToolCall) -> bool {
        let asked = format!("{} {}", call.name, call.arguments);
        !self.done.lock().unwrap_or_else(PoisonError::into_inner).insert(asked)
    }
}

/// Performs an action on the repository through the run, unless the log has its answer. What is found becomes evidence.
pub(super) async fn perform(
    inspect: Option<Inspector<'_>>,
    run: &Run,
    action: &str,
    input: &Value,
) -> Result<ToolReply> {
    let call = async {
        let seen = match &inspect {
            Some(inspect) => dispatch_action(inspect, action, input).await,
            None => Err(Error::not_found("the repository is gone")),
        };
        let fields = seen.and_then(|seen| register_evidence(run, seen));
        // An error may contain a file name, which is untrusted text.
        ToolReply { envelope: envelope(fields), origin: Origin::Outside, private: false }
    };
    run.call_tool(action, input, false, call, |_| None).await
}

impl Toolbox for Actions<'_> {
    fn specs(&self) -> Vec<ToolSpec> {
        let spec = |(name, about): (&str, &str)| ToolSpec {
            name: name.to_owned(),
            about: about.to_owned(),
            input: action_schema(name),
        };
        ABOUT.into_iter().map(spec).collect()
    }

    fn objection(&self, action: &str, input: &Value) -> Option<String> {
        let read = match action {
            "hybrid_search" => parse_input::<SearchArgs>(action, input).err(),
            "open_span" => parse_input::<OpenSpanArgs>(action, input).err(),
            "outline" => parse_input::<OutlineArgs>(action, input).err(),
            "find_symbol" => parse_input::<FindSymbolArgs>(action, input).err(),
            "definition" | "references" | "hover" => parse_input::<PositionArgs>(action, input).err(),
            "graph_expand" => parse_input::<ExpandArgs>(action, input).err(),
            "graph_pack" => parse_input::<PackArgs>(action, input).err(),
            "graph_trace" => parse_input::<TraceArgs>(action, input).err(),
            SUMMARIZE => parse_input::<SummarizeArgs>(action, input).err(),
            _ => parse_input::<FinalizeArgs>(action, input).err(),
        };
        read.map(|error| error.message().to_owned())
    }

    fn only_reads(&self, _: &ToolCall) -> bool {
        true
    }

    fn call<'b>(
        &'b self,
        run: &'b Run,
        call: &'b ToolCall,
        _: Origin,
    ) -> Pin<Box<dyn Future<Output = Result<ToolReply>> + Send + 'b>> {
        Box::pin(async move {
            if self.is_repeated(call) {
                let error = Error::conflict("this was already done with the same input")
                    .hint("its result stands above; do something else, or finalize");
                return Ok(ToolReply::trusted(envelope(Err(error))));
            }
            if call.name == SUMMARIZE {
                let goal = serde_json::from_value::<SummarizeArgs>(call.arguments.clone());
                return (self.condense)(goal.ok().and_then(|args| args.goal)).await;
            }
            perform(self.inspect, run, &call.name, &call.arguments).await
        })
    }
}

fn action_schema(name: &str) -> Value {
    match name {
        "hybrid_search" => schema::input::<SearchArgs>(),
        "open_span" => schema::input::<OpenSpanArgs>(),
        "outline" => schema::input::<OutlineArgs>(),
        "find_symbol" => schema::input::<FindSymbolArgs>(),
        "definition" | "references" | "hover" => schema::input::<PositionArgs>(),
        "graph_expand" => schema::input::<ExpandArgs>(),
        "graph_pack" => schema::input::<PackArgs>(),
        "graph_trace" => schema::input::<TraceArgs>(),
        SUMMARIZE => schema::input::<SummarizeArgs>(),
        _ => schema::input::<FinalizeArgs>(),
    }
}

/// Renders the list of actions for the model.
pub(super) fn render_actions() -> String {
    let line = |(name, about): (&str, &str)| {
        let input = action_schema(name);
        let properties = input["properties"].as_object();
        let names: Vec<&str> =
            properties.into_iter().flat_map(|named| named.keys()).map(String::as_str).collect();
        format!("- `{name}` ({}): {about}", names.join(", "))
    };
    ABOUT.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

async fn dispatch_action(inspect: &Inspector<'_>, action: &str, input: &Value) -> Result<Inspection<Value>> {
    match action {
        "hybrid_search" => inspect.hybrid_search(&parse_input(action, input)?)?.into_json(),
        "open_span" => inspect.open_span(&parse_input(action, input)?)?.into_json(),
        "outline" => inspect.outline(&parse_input(action, input)?)?.into_json(),
        "find_symbol" => inspect.find_symbol(&parse_input(action, input)?)?.into_json(),
        FIND_VALUE => inspect.find_value(&parse_input::<FindValueArgs>(action, input)?)?.into_json(),
        FIND_LITERAL => inspect.find_literal(&parse_input::<FindLiteralArgs>(action, input)?)?.into_json(),
        "definition" => inspect
            .query_position(PositionQuestion::Definition, &parse_input(action, input)?)
            .await?
            .into_json(),
        "references" => inspect
            .query_position(PositionQuestion::References, &parse_input(action, input)?)
            .await?
            .into_json(),
        "hover" => {
            inspect.query_position(PositionQuestion::Hover, &parse_input(action, input)?).await?.into_json()
        }
        "graph_expand" => inspect.graph_expand(&parse_input(action, input)?)?.into_json(),
        "graph_pack" => inspect.graph_pack(&parse_input(action, input)?)?.into_json(),
        "graph_trace" => inspect.graph_trace(&parse_input(action, input)?)?.into_json(),
        _ => Err(Error::invalid(format!("there is no action `{action}`"))),
    }
}

fn parse_input<T: DeserializeOwned>(action: &str, input: &Value) -> Result<T> {
    serde_json::from_value(input.clone())
        .map_err(|error| Error::invalid(format!("the input does not fit {action}: {error}")))
}

/// Adds what was found to the ledger, and the evidence ids to the answer.
fn register_evidence(run: &Run, seen: Inspection<Value>) -> Result<Value> {
    let Inspection { found: mut fields, evidence, summary } = seen;
    // An empty line supports nothing.
    for (pointer, found) in evidence.into_iter().filter(|(_, found)| found.text.size() > 0) {
        let id = run.add_evidence(found)?;
        if let Some(Value::Object(object)) = fields.pointer_mut(&pointer) {
            object.insert("evidence".to_owned(), json!(id));
        }
    }
    if let Value::Object(object) = &mut fields {
        object.insert("summary".to_owned(), json!(summary));
    }
    Ok(fields)
}
