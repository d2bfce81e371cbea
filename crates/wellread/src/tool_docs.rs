//! Generates `docs/tools.md` from the catalog.

use std::fmt::Write as _;

use serde_json::Value;
use wellread_core::faces::broad_tools::BROAD_TOOLS;
use wellread_core::faces::tools::{AnyTool, Effect};

pub fn render_markdown(tools: &[Box<dyn AnyTool>]) -> String {
    let mut page = String::from(
        "# The tools\n\n\
         <!-- Generated from the catalog by `wellread tool --list --markdown`; a test compares the two. -->\n\n\
         Every tool answers with one JSON object: `{\"success\": true, …}`, or `{\"success\": false, \"error\": \"…\"}` \
         with a `hint` if there is one, and fields that identify what caused it. The tools are the same in `wellread \
         tool NAME JSON` and over MCP with `--tools all`.\n",
    );
    push_broad_tools(&mut page);
    for tool in tools.iter().map(|tool| tool.declaration()) {
        let effect = match tool.effect {
            Effect::Reads => "reads",
            Effect::Adds => "adds",
            Effect::Writes => "changes",
            Effect::Proposes => "proposes, for the user to decide",
            Effect::Decides => "acts on the user's decision",
        };
        let _ = write!(page, "\n## `{}`\n\n{} *({effect})*\n", tool.name, tool.about);
        push_section(&mut page, "Parameter", &tool.input, true);
        push_section(&mut page, "Answer", &tool.output, false);
    }
    page
}

/// What MCP clients are offered by default.
fn push_broad_tools(page: &mut String) {
    *page += "\n## Broad tools\n\n\
              By default, an MCP client is offered the following tools instead. The argument `op` chooses the tool that is \
              called; the other arguments are its own.\n\n\
              | Tool | `op` | calls |\n| --- | --- | --- |\n";
    for tool in BROAD_TOOLS {
        for operation in tool.operations {
            let op = match tool.operations.len() {
                1 => "–".to_owned(),
                _ if tool.default == Some(operation.op) => format!("`{}` (default)", operation.op),
                _ => format!("`{}`", operation.op),
            };
            let _ = writeln!(page, "| `{}` | {op} | `{}` |", tool.name, operation.tool);
        }
    }
}

/// A table of the fields of a schema.
pub fn push_section(page: &mut String, head: &str, schema: &Value, with_default: bool) {
    let Some(fields) = schema["properties"].as_object().filter(|fields| !fields.is_empty()) else { return };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let (title, rule) = if with_default { (" | default", " | ---") } else { ("", "") };
    let _ = write!(page, "\n| {head} | type{title} | what |\n| --- | ---{rule} | --- |\n");
    for (name, field) in fields.iter().filter(|(name, _)| *name != "success") {
        let default = match field.get("default") {
            Some(default) => format!(" | `{default}`"),
            None if required.contains(&name.as_str()) => " | required".to_owned(),
            None => " | –".to_owned(),
        };
        let default = if with_default { default } else { String::new() };
        let about = field["description"].as_str().unwrap_or("").replace('\n', " ").replace('|', "\\|");
        let _ = writeln!(page, "| `{name}` | {}{default} | {about} |", render_type(field));
    }
}

fn render_type(field: &Value) -> String {
    if let Some(choices) = field["enum"].as_array() {
        let choices = choices.iter().filter_map(Value::as_str).map(|choice| format!("`{choice}`"));
        return choices.collect::<Vec<_>>().join(" \\| ");
    }
    if let Some(choices) = field["anyOf"].as_array() {
        return choices.iter().map(render_type).collect::<Vec<_>>().join(" or ");
    }
    match field["type"].as_str() {
        Some("array") => format!("list of {}", render_type(&field["items"])),
        Some("object") if field["properties"].as_object().is_some_and(|fields| !fields.is_empty()) => {
            let fields = field["properties"].as_object().into_iter().flatten();
            let shown = |(name, field): (&String, &Value)| format!("`{name}`: {}", render_type(field));
            format!("{{{}}}", fields.map(shown).collect::<Vec<_>>().join(", "))
        }
        Some(kind) => kind.to_owned(),
        None => "any".to_owned(),
    }
}
