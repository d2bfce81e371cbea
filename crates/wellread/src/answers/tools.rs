//! The catalog as data.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use wellread_core::faces::tools::{AnyTool, Effect, Group};

#[derive(Debug, Serialize, JsonSchema)]
pub struct ToolList {
    pub tools: Vec<ToolEntry>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ToolEntry {
    pub name: &'static str,
    pub description: &'static str,
    #[schemars(with = "String")]
    pub group: Group,
    #[schemars(with = "String")]
    pub effect: Effect,
    pub input_schema: Value,
    pub output_schema: Value,
}

pub fn describe_tools(tools: &[Box<dyn AnyTool>]) -> ToolList {
    let declared = tools.iter().map(|tool| tool.declaration()).map(|tool| ToolEntry {
        name: tool.name,
        description: tool.about,
        group: tool.group,
        effect: tool.effect,
        input_schema: Value::clone(&tool.input),
        output_schema: Value::clone(&tool.output),
    });
    ToolList { tools: declared.collect() }
}
