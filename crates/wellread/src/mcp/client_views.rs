//! Views in the client (MCP Apps, SEP-1865): documents that it shows beside the answers of tools, for findings, edits and checked
//! sentences. Only clients that declare the extension hear of them.
//!
//! A view is made of the page's own modules and loads nothing. What it calls comes back from the client as any other call, and is
//! judged as one: a click in it is no decision of the user, who is asked as ever.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, ExtensionCapabilities, MetaObject, Resource, ResourceContents, ServerCapabilities,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};
use wellread_core::Result;
use wellread_core::faces::tools::Declaration;

use super::client_scope::ClientScope;
use super::resource_uri::NotesAddress;
use super::resources::to_protocol_error;
use crate::web_bundle::WebBundle;

const EXTENSION: &str = "io.modelcontextprotocol/ui";
const MEDIA_TYPE: &str = "text/html;profile=mcp-app";
/// What stands before the name of the tool whose answers a view shows.
const VIEWS: &str = "ui://wellread/";
/// The tools of the catalog that a view calls.
const CALLED: [&str; 6] =
    ["show_finding", "accept_finding", "dismiss_finding", "undo_accept", "check_claims", "undo"];
const MODULE: &str = "js/app/main.js";
const SHEETS: [&str; 8] = [
    "css/tokens.css",
    "css/base.css",
    "css/layout.css",
    "css/controls.css",
    "css/pieces.css",
    "css/text.css",
    "css/inbox.css",
    "css/app.css",
];

static BUNDLE: LazyLock<Result<WebBundle>> = LazyLock::new(|| WebBundle::assemble(MODULE, &SHEETS));

/// Whether the client shows views of the kind that there are here.
pub fn are_shown(context: &RequestContext<RoleServer>) -> bool {
    context.client_capabilities().is_some_and(|capabilities| declares(&capabilities))
}

pub fn declares(client: &ClientCapabilities) -> bool {
    let extension = client.extensions.as_ref().and_then(|extensions| extensions.get(EXTENSION));
    let kinds = extension.and_then(|settings| settings.get("mimeTypes")?.as_array());
    kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == MEDIA_TYPE))
}

/// Says that there are views.
pub fn announce(capabilities: &mut ServerCapabilities) {
    let extensions = capabilities.extensions.get_or_insert_with(ExtensionCapabilities::new);
    extensions.insert(EXTENSION.to_owned(), serde_json::Map::new());
}

/// Names the view of each tool that has one.
pub fn attach(scope: &ClientScope, tools: &mut [Tool]) {
    let shown = shown_tools(scope);
    for tool in tools.iter_mut().filter(|tool| shown.contains(&*tool.name)) {
        tool.meta = Some(ui_meta(json!({ "resourceUri": format!("{VIEWS}{}", tool.name) })));
    }
}

/// The views as resources. They are listed with the first vault, and are the same for all.
pub fn list(scope: &ClientScope) -> Vec<Resource> {
    if scope.address != NotesAddress::default() {
        return Vec::new();
    }
    let describe = |name: &str| {
        Resource::new(format!("{VIEWS}{name}"), format!("view of {name}"))
            .with_description(format!("Shows what `{name}` answers: the evidence beside each sentence."))
            .with_mime_type(MEDIA_TYPE)
    };
    shown_tools(scope).into_iter().map(describe).collect()
}

/// The document of a view; `None` if the address is of none.
pub fn read(
    scope: &ClientScope,
    vault: Option<&str>,
    uri: &str,
) -> Option<Result<ResourceContents, ErrorData>> {
    let tool = uri.strip_prefix(VIEWS)?;
    let tool = shown_tools(scope).take(tool)?;
    Some(match &*BUNDLE {
        Ok(bundle) => {
            let body = format!(
                "<script type=\"application/json\" id=\"offer\">{}</script>\n<main id=\"view\"></main>",
                // No `<` ends the element.
                describe_offer(scope, vault, tool).to_string().replace('<', "\\u003c")
            );
            let nothing: [&str; 0] = [];
            let policy = json!({ "connectDomains": nothing, "resourceDomains": nothing });
            Ok(ResourceContents::text(bundle.render("Wellread", &body), uri)
                .with_mime_type(MEDIA_TYPE)
                .with_meta(ui_meta(json!({ "csp": policy, "prefersBorder": true }))))
        }
        Err(error) => Err(to_protocol_error(error, Some(uri))),
    })
}

/// What the view is told of the server: which tool it is about, and how this client calls those that it needs.
fn describe_offer(scope: &ClientScope, vault: Option<&str>, tool: &str) -> Value {
    let calls: serde_json::Map<String, Value> = CALLED
        .iter()
        .filter_map(|called| {
            let (name, op) = scope.offer.call_for(called)?;
            let fixed = op.map_or_else(|| json!({}), |op| json!({ "op": op }));
            Some(((*called).to_owned(), json!({ "name": name, "arguments": fixed })))
        })
        .collect();
    json!({
        "tool": tool,
        "calls": calls,
        "vault": vault,
        "obsidian": obsidian_vault(scope),
        "version": env!("CARGO_PKG_VERSION"),
    })
}

/// What Obsidian calls the vault, if it is one of its vaults: the name of its folder.
fn obsidian_vault(scope: &ClientScope) -> Option<String> {
    let root = scope.app.roots.first().filter(|root| root.join(".obsidian").is_dir())?;
    root.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// The names of the tools that this client is offered and whose answers have a view.
fn shown_tools(scope: &ClientScope) -> BTreeSet<&'static str> {
    let declared = scope.app.tools.iter().map(|tool| tool.declaration());
    let shown = declared.filter(|tool| has_view(tool));
    shown.filter_map(|tool| Some(scope.offer.call_for(tool.name)?.0)).collect()
}

/// Whether an answer of the tool is something that views know how to show: findings, judged sentences, the edit of a file.
fn has_view(tool: &Declaration) -> bool {
    let fields = &tool.output["properties"];
    let is_list = |name: &str| fields[name]["type"] == "array";
    let has = |name: &str| fields.get(name).is_some();
    is_list("findings") || is_list("sentences") || (has("diff") && has("path"))
}

fn ui_meta(ui: Value) -> MetaObject {
    MetaObject(serde_json::Map::from_iter([("ui".to_owned(), ui)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_view_is_one_document_of_the_pages_modules() {
        let html = BUNDLE.as_ref().unwrap().render("Wellread", "<main id=\"view\"></main>");
        for module in ["js/dom.js", "js/finding.js", "js/decision.js", "js/sentences.js", MODULE] {
            assert_eq!(html.matches(&format!("// {module}\n")).count(), 1, "{module}");
        }
        // Nothing in it asks a server, or is meant for the page alone.
        for absent in
            ["fetch(", "js/api.js", "js/router.js", "EventSource", "Worker(", " src=", "http-equiv=\"refresh"]
        {
            assert!(!html.contains(absent), "{absent}");
        }
        assert!(html.len() < 120_000, "{}", html.len());
    }

    #[test]
    fn only_a_client_that_shows_this_kind_of_document_is_offered_views() {
        let declared = |extensions: Value| {
            declares(&serde_json::from_value(json!({ "extensions": extensions })).unwrap())
        };
        assert!(declared(json!({ EXTENSION: { "mimeTypes": ["image/png", MEDIA_TYPE] } })));
        for other in [
            json!({}),
            json!({ EXTENSION: {} }),
            json!({ EXTENSION: { "mimeTypes": [] } }),
            json!({ EXTENSION: { "mimeTypes": MEDIA_TYPE } }),
            json!({ EXTENSION: { "mimeTypes": ["text/html"] } }),
            json!({ "io.modelcontextprotocol/apps": { "mimeTypes": [MEDIA_TYPE] } }),
        ] {
            assert!(!declared(other.clone()), "{other}");
        }
        assert!(!declares(&ClientCapabilities::default()));
    }
}
