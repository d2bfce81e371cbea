//! Broad tools: a few that stand for the whole catalog, for clients whose models pay for every description.
//!
//! A broad tool does nothing itself. Its argument `op` chooses a tool of the catalog, which is then called with the other
//! arguments as they are: what that tool may do, who decides, and what it sees is judged as if it had been called by its
//! own name.

mod list;

use serde_json::{Map, Value, json};

pub use self::list::BROAD_TOOLS;
use super::tools::{AnyTool, Declaration, Effect, UNFIT_ARGUMENTS, find_tool};
use crate::{Error, Result};

/// The argument that chooses the operation.
const OP: &str = "op";

/// A tool that stands for several of the catalog.
#[derive(Debug)]
pub struct BroadTool {
    /// The name by which clients call it.
    pub name: &'static str,
    /// When to use it, with an example.
    pub about: &'static str,
    /// The same for a client that is offered only those operations that change nothing; `None` if that is all or nothing of it.
    pub about_reading: Option<&'static str>,
    /// What it can do. One that has several takes the argument `op`.
    pub operations: &'static [BroadOperation],
    /// The operation that is meant where `op` is left out; `None` if it has to be chosen.
    pub default: Option<&'static str>,
}

/// One thing that a broad tool can do.
#[derive(Debug)]
pub struct BroadOperation {
    /// The value of `op`.
    pub op: &'static str,
    /// The name of the tool of the catalog that does it.
    pub tool: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
}

/// A broad tool with those of its operations that a client is offered.
#[derive(Debug, Clone)]
pub struct OfferedBroadTool {
    /// The tool.
    pub tool: &'static BroadTool,
    /// When to use it, with an example. Names no operation that is not offered.
    pub about: &'static str,
    /// The schema of its arguments.
    pub input: Value,
    /// Whether nothing that it does changes anything.
    pub reads_only: bool,
    /// Whether something that it does changes what exists.
    pub changes: bool,
    /// Whether something that it does may send words to another machine.
    pub reaches: bool,
    operations: Vec<&'static BroadOperation>,
}

impl BroadTool {
    /// The tool with the operations that pass the filter; `None` if none does.
    pub fn offer(
        &'static self,
        catalog: &[Box<dyn AnyTool>],
        is_offered: impl Fn(&Declaration) -> bool,
    ) -> Option<OfferedBroadTool> {
        let declared = |operation: &'static BroadOperation| {
            let tool = find_tool(catalog, operation.tool).ok()?.declaration();
            is_offered(tool).then_some((operation, tool))
        };
        let offered: Vec<_> = self.operations.iter().filter_map(declared).collect();
        if offered.is_empty() {
            return None;
        }
        let any = |is: fn(&Declaration) -> bool| offered.iter().any(|(_, tool)| is(tool));
        let is_whole = offered.len() == self.operations.len();
        Some(OfferedBroadTool {
            tool: self,
            about: self.about_reading.filter(|_| !is_whole).unwrap_or(self.about),
            input: self.merge_inputs(&offered),
            reads_only: !any(|tool| tool.effect != Effect::Reads),
            changes: any(|tool| matches!(tool.effect, Effect::Writes | Effect::Decides)),
            reaches: any(|tool| tool.reaches),
            operations: offered.into_iter().map(|(operation, _)| operation).collect(),
        })
    }

    /// The arguments of all operations in one schema. What only some of them take says so.
    fn merge_inputs(&self, offered: &[(&BroadOperation, &Declaration)]) -> Value {
        // One that has several operations keeps `op`, also where only one is offered: its description names it.
        if let ([(_, tool)], 1) = (offered, self.operations.len()) {
            return Value::clone(&tool.input);
        }
        let mut properties = Map::new();
        let ops: Vec<&str> = offered.iter().map(|(operation, _)| operation.op).collect();
        let about: Vec<String> =
            offered.iter().map(|(operation, _)| format!("`{}`: {}", operation.op, operation.about)).collect();
        let mut op = json!({ "type": "string", "enum": ops, "description": about.join("; ") + "." });
        let default = self.default.filter(|default| ops.contains(default));
        if let Some(default) = default {
            op["default"] = json!(default);
        }
        properties.insert(OP.to_owned(), op);
        for (_, tool) in offered {
            for name in tool.input["properties"].as_object().into_iter().flat_map(Map::keys) {
                if !properties.contains_key(name) {
                    properties.insert(name.clone(), merge_parameter(name, offered));
                }
            }
        }
        let is_required = |tool: &Declaration, name: &str| {
            tool.input["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name))
        };
        let required: Vec<&String> = properties
            .keys()
            .filter(|name| match name.as_str() {
                OP => default.is_none(),
                name => offered.iter().all(|(_, tool)| is_required(tool, name)),
            })
            .collect();
        let mut schema = json!({ "type": "object", "additionalProperties": false });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema["properties"] = Value::Object(properties);
        schema
    }
}

/// A parameter that some operations share. Its default is left out where theirs differ.
fn merge_parameter(name: &str, offered: &[(&BroadOperation, &Declaration)]) -> Value {
    let takes: Vec<_> = offered
        .iter()
        .filter_map(|(operation, tool)| Some((operation.op, tool.input["properties"].get(name)?)))
        .collect();
    let Some((_, first)) = takes.first() else { return json!({}) };
    let mut schema = (*first).clone();
    let about = common_description(&takes);
    schema["description"] = json!(about);
    if takes.iter().any(|(_, other)| other.get("default") != first.get("default"))
        && let Some(fields) = schema.as_object_mut()
    {
        fields.remove("default");
    }
    if takes.len() < offered.len() {
        let ops: Vec<String> = takes.iter().map(|(op, _)| format!("`{op}`")).collect();
        schema["description"] = json!(format!("{}: {about}", ops.join(", ")));
    }
    schema
}

/// The description that most operations give a parameter; the first of these.
fn common_description<'a>(takes: &[(&str, &'a Value)]) -> &'a str {
    let descriptions = || takes.iter().map(|(_, schema)| schema["description"].as_str().unwrap_or_default());
    let count = |about: &&str| descriptions().filter(|other| other == about).count();
    descriptions().rev().max_by_key(count).unwrap_or_default()
}

impl OfferedBroadTool {
    /// The tool of the catalog that a call means, and its arguments.
    pub fn resolve(&self, args: Value) -> Result<(&'static str, Value)> {
        let (op, rest) = match args {
            Value::Object(mut fields) => (fields.remove(OP), Value::Object(fields)),
            // Anything else is for the called tool to refuse.
            other => (None, other),
        };
        if let [only] = self.operations.as_slice()
            && op.is_none()
        {
            return Ok((only.tool, rest));
        }
        let op = match &op {
            None | Some(Value::Null) => self.tool.default,
            Some(Value::String(op)) => Some(op.as_str()),
            Some(_) => return Err(self.op_error("`op` must be a string")),
        };
        let Some(op) = op else { return Err(self.op_error("`op` is missing")) };
        match self.operations.iter().find(|operation| operation.op == op) {
            Some(operation) => Ok((operation.tool, rest)),
            None => Err(self.op_error(&format!("it has no `op` `{}`", op.escape_debug()))),
        }
    }

    /// How a client of these tools calls a tool of the catalog; `None` if none of the operations is it.
    pub fn name_for(&self, tool: &str) -> Option<String> {
        let operation = self.operations.iter().find(|operation| operation.tool == tool)?;
        let is_plain = self.operations.len() == 1 || self.tool.default == Some(operation.op);
        let name = self.tool.name;
        Some(if is_plain { format!("`{name}`") } else { format!("`{name}` with `op` `{}`", operation.op) })
    }

    /// The name by which a tool of the catalog is called, and the operation that chooses it where there are several; `None` if
    /// none of the operations is it.
    pub fn call_for(&self, tool: &str) -> Option<(&'static str, Option<&'static str>)> {
        let operation = self.operations.iter().find(|operation| operation.tool == tool)?;
        Some((self.tool.name, (self.tool.operations.len() > 1).then_some(operation.op)))
    }

    fn op_error(&self, why: &str) -> Error {
        // Without marks: an operation may have the name of a tool, which a client knows by another one.
        let ops: Vec<&str> = self.operations.iter().map(|operation| operation.op).collect();
        Error::invalid(format!("{UNFIT_ARGUMENTS}{}: {why}", self.tool.name))
            .hint(format!("`op` is one of {}", ops.join(", ")))
    }
}
