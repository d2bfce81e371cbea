//! The tools that a client is offered: a few broad ones, or tools of the catalog by their own names.
//!
//! Whatever a client calls becomes a call of a tool of the catalog before anything else is judged. What is not offered can't
//! be called.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use wellread_core::Result;
use wellread_core::faces::broad_tools::{BROAD_TOOLS, OfferedBroadTool};
use wellread_core::faces::tools::{AnyTool, Declaration, Effect, Group, find_tool};

use super::access_scope::AccessScopes;
use crate::config::{McpSettings, ToolSet};

/// What a client is told about all tools, sentence by sentence, and who is told it.
const INSTRUCTIONS: &[(Audience, &str)] = &[
    (
        Audience::Writers,
        "Wellread searches, reads, edits, researches and checks the user's markdown vault, and the codebases beside it.",
    ),
    (
        Audience::Readers,
        "Wellread searches, reads and checks the user's markdown vault, and the codebases beside it.",
    ),
    (Audience::All, "Paths are relative to the vault."),
    (Audience::All, "Look with `search_vault` first; every hit names its file and lines."),
    (Audience::All, "Before you hand over a text with citations, check it with `check_claims`."),
    (
        Audience::All,
        "Every answer is one JSON object with `success`; a failure says what is wrong and often how to mend it.",
    ),
    (
        Audience::Writers,
        "Tools that write take `dry_run` to show the difference first, and every edit can be undone with `undo` or `wellread undo`.",
    ),
    (Audience::Writers, "Approving, accepting and dismissing are the user's decisions."),
    (Audience::Readers, "Nothing can be changed here."),
    (Audience::All, "Resources are the notes and the runs that were made."),
];

/// Who is told a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    All,
    /// Clients that are offered tools that change something.
    Writers,
    /// Clients that are offered only tools that change nothing.
    Readers,
}

/// What a client may call.
pub struct ToolOffer {
    read_only: bool,
    /// Whether it is for a client that only has what the user has allowed it.
    is_remote: bool,
    /// The names of all tools of the catalog.
    catalog: Vec<&'static str>,
    tools: OfferedTools,
}

enum OfferedTools {
    Broad(Vec<OfferedBroadTool>),
    /// The names of tools of the catalog, and their groups.
    Catalog(Vec<&'static str>, Vec<Group>),
}

impl ToolOffer {
    pub fn new(catalog: &[Box<dyn AnyTool>], settings: &McpSettings) -> Self {
        let read_only = settings.read_only;
        let is_allowed = |tool: &Declaration| {
            settings.scopes.as_ref().is_none_or(|scopes| scopes.covers(&AccessScopes::for_tool(tool)))
        };
        let is_offered =
            |tool: &Declaration| (!read_only || tool.effect == Effect::Reads) && is_allowed(tool);
        let tools = match &settings.tools {
            ToolSet::Broad => {
                let tools = BROAD_TOOLS.iter().filter_map(|tool| tool.offer(catalog, is_offered));
                OfferedTools::Broad(tools.collect())
            }
            ToolSet::Groups(groups) => {
                let tools = catalog.iter().map(|tool| tool.declaration());
                let tools = tools.filter(|tool| groups.contains(&tool.group) && is_offered(tool));
                OfferedTools::Catalog(tools.map(|tool| tool.name).collect(), groups.clone())
            }
        };
        let catalog = catalog.iter().map(|tool| tool.declaration().name).collect();
        Self { read_only, is_remote: settings.scopes.is_some(), catalog, tools }
    }

    /// Whether tools of a group are offered.
    pub fn includes(&self, group: Group) -> bool {
        match &self.tools {
            OfferedTools::Broad(_) => true,
            OfferedTools::Catalog(_, groups) => groups.contains(&group),
        }
    }

    /// Every tool, as the protocol describes it.
    pub fn list(&self, catalog: &[Box<dyn AnyTool>]) -> Vec<Tool> {
        match &self.tools {
            // Their texts are written for what is offered of them.
            OfferedTools::Broad(tools) => tools.iter().map(describe_broad_tool).collect(),
            OfferedTools::Catalog(names, _) => {
                let tools = catalog.iter().map(|tool| tool.declaration());
                tools.filter(|tool| names.contains(&tool.name)).map(|tool| self.describe_tool(tool)).collect()
            }
        }
    }

    /// The description of one tool.
    pub fn find(&self, catalog: &[Box<dyn AnyTool>], name: &str) -> Option<Tool> {
        self.list(catalog).into_iter().find(|tool| tool.name == name)
    }

    /// The tool of the catalog that a call means, with its arguments; `None` if no tool of that name is offered.
    pub fn resolve<'a>(
        &self,
        catalog: &'a [Box<dyn AnyTool>],
        name: &str,
        args: Value,
    ) -> Option<Result<(&'a Declaration, Value)>> {
        let resolved = match &self.tools {
            OfferedTools::Broad(tools) => {
                tools.iter().find(|tool| tool.tool.name == name).map(|tool| tool.resolve(args))?
            }
            OfferedTools::Catalog(names, _) => {
                names.iter().find(|known| **known == name).map(|known| Ok((*known, args)))?
            }
        };
        Some(resolved.and_then(|(name, args)| Ok((find_tool(catalog, name)?.declaration(), args))))
    }

    /// Why there is no such tool here, and what there is instead.
    pub fn unknown_tool(&self, catalog: &[Box<dyn AnyTool>], name: &str) -> String {
        let hint = match (find_tool(catalog, name), self.name_for(name)) {
            (Ok(_), Some(offered)) => {
                format!(
                    "call {offered}, or start Wellread with `--tools all` to have every tool by its own name"
                )
            }
            (Ok(tool), None) if self.read_only && tool.declaration().effect != Effect::Reads => {
                "only tools that change nothing are offered here".to_owned()
            }
            (Ok(_), None) if self.is_remote => "the user has not allowed this client to use it".to_owned(),
            (Ok(_), None) => {
                "it is not offered here; the user chooses the tools with `wellread mcp --tools`".to_owned()
            }
            (Err(error), _) => {
                self.suggest(name).unwrap_or_else(|| error.hint_text().unwrap_or_default().to_owned())
            }
        };
        format!("there is no tool `{name}`: {hint}")
    }

    /// A broad tool with a similar name.
    fn suggest(&self, name: &str) -> Option<String> {
        let OfferedTools::Broad(tools) = &self.tools else { return None };
        let names = || tools.iter().map(|tool| tool.tool.name);
        let likeness = |known: &&str| (strsim::jaro_winkler(name, known) * 1000.0) as u32;
        let near = names().max_by_key(likeness).filter(|known| likeness(known) > 750);
        Some(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        })
    }

    /// How a client calls a tool of the catalog; `None` if it is not offered.
    pub fn name_for(&self, tool: &str) -> Option<String> {
        match &self.tools {
            OfferedTools::Broad(tools) => tools.iter().find_map(|broad| broad.name_for(tool)),
            OfferedTools::Catalog(names, _) => names.contains(&tool).then(|| format!("`{tool}`")),
        }
    }

    /// The name by which a client calls a tool of the catalog, and the operation that it chooses; `None` if it is not offered.
    pub fn call_for(&self, tool: &str) -> Option<(&'static str, Option<&'static str>)> {
        match &self.tools {
            OfferedTools::Broad(tools) => tools.iter().find_map(|broad| broad.call_for(tool)),
            OfferedTools::Catalog(names, _) => {
                names.iter().find(|known| **known == tool).map(|known| (*known, None))
            }
        }
    }

    /// Whether a client can call a tool of the catalog, by whatever name.
    pub fn offers(&self, tool: &str) -> bool {
        self.name_for(tool).is_some()
    }

    /// A text that names tools of the catalog, with the names that the client knows; `None` if one of them is not offered.
    pub fn name_tools(&self, text: &str) -> Option<String> {
        let mut named = String::with_capacity(text.len());
        for (at, part) in text.split('`').enumerate() {
            let is_tool = at % 2 == 1 && self.catalog.contains(&part);
            let name = if is_tool { self.name_for(part)? } else { part.to_owned() };
            named += name.trim_matches('`');
            named.push('`');
        }
        named.pop();
        Some(named)
    }

    /// What a client is told about all tools. Sentences about tools that it is not offered are left out.
    pub fn instructions(&self) -> String {
        let audience = if self.read_only { Audience::Readers } else { Audience::Writers };
        let told = INSTRUCTIONS.iter().filter(|(to, _)| [Audience::All, audience].contains(to));
        told.filter_map(|(_, sentence)| self.name_tools(sentence)).collect::<Vec<_>>().join(" ")
    }

    /// A tool of the catalog, in words that name no tool that is not offered.
    fn describe_tool(&self, tool: &Declaration) -> Tool {
        let annotations = ToolAnnotations::new()
            .read_only(tool.effect == Effect::Reads)
            .destructive(matches!(tool.effect, Effect::Writes | Effect::Decides))
            .open_world(tool.reaches);
        let about = self.leave_out_unoffered(tool.about).unwrap_or_default();
        Tool::new(tool.name, about, schema_object(&self.adapt_schema(&tool.input)))
            .with_raw_output_schema(schema_object(&self.adapt_schema(&tool.output)))
            .with_annotations(annotations)
    }

    /// A description without what it says of tools that are not offered: the part of a sentence behind a comma, or else all of the
    /// sentence. `None` if nothing is left.
    fn leave_out_unoffered(&self, text: &str) -> Option<String> {
        let is_fit = |part: &&str| self.name_tools(part).is_some();
        if is_fit(&text) {
            return Some(text.to_owned());
        }
        let sentences = text.split_inclusive(". ").filter_map(|sentence| {
            let end = if sentence.trim_end().ends_with('.') { "." } else { "" };
            let parts: Vec<&str> = sentence.trim_end().trim_end_matches('.').split(", ").collect();
            is_fit(&parts[0]).then(|| parts.into_iter().filter(is_fit).collect::<Vec<_>>().join(", ") + end)
        });
        let kept = sentences.collect::<Vec<_>>().join(" ");
        (!kept.is_empty()).then_some(kept)
    }

    /// A schema whose descriptions name no tool that is not offered.
    fn adapt_schema(&self, schema: &Value) -> Value {
        match schema {
            Value::Array(items) => items.iter().map(|item| self.adapt_schema(item)).collect(),
            Value::Object(fields) => {
                let adapt = |(name, value): (&String, &Value)| match value {
                    Value::String(text) if name == "description" => {
                        Some((name.clone(), Value::String(self.leave_out_unoffered(text)?)))
                    }
                    value => Some((name.clone(), self.adapt_schema(value))),
                };
                Value::Object(fields.iter().filter_map(adapt).collect())
            }
            other => other.clone(),
        }
    }
}

/// Without a schema of the answer: it depends on the operation, and no model chooses by it.
fn describe_broad_tool(tool: &OfferedBroadTool) -> Tool {
    let annotations =
        ToolAnnotations::new().read_only(tool.reads_only).destructive(tool.changes).open_world(tool.reaches);
    Tool::new(tool.tool.name, tool.about, schema_object(&tool.input)).with_annotations(annotations)
}

fn schema_object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}
