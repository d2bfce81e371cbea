//! The Model Context Protocol: the catalogue as tools for any client.
//!
//! Standard output belongs to the protocol. A tool that fails answers with `isError` and the same envelope that
//! the command line prints, so that a model can read what went wrong and try again.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, Implementation, JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::Value;
use wellread_core::tools::{Declaration, Effect, Group, envelope};
use wellread_core::{Error, Result};

use crate::app::App;

const INSTRUCTIONS: &str = "Wellread searches, reads and edits the user's markdown vault. Paths are relative to the vault. \
                            `search_vault` finds passages, `find_notes` whole notes; every hit names its file and lines. Every \
                            answer is one JSON object with `success`; a failure says what is wrong and often how to \
                            mend it. Tools that write take `dry_run` to show the difference first; every edit can be \
                            undone by the user with `wellread undo`.";

/// Serves the tools of these groups on standard input and output until the client hangs up.
pub async fn serve(app: Arc<App>, groups: Vec<Group>) -> Result<()> {
    let server = Server::new(app, groups);
    let failed = |error: &dyn std::fmt::Display| Error::failed(format!("the MCP connection failed: {error}"));
    match server.serve(rmcp::transport::stdio()).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| failed(&error)),
        // A client that hangs up before it says anything has done nothing wrong.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(failed(&error)),
    }
}

/// What answers a client, over whatever it is connected by.
#[derive(Clone)]
pub struct Server {
    app: Arc<App>,
    groups: Vec<Group>,
}

impl Server {
    pub fn new(app: Arc<App>, groups: Vec<Group>) -> Self {
        Self { app, groups }
    }

    fn offered(&self) -> impl Iterator<Item = &Declaration> {
        self.app.tools.iter().map(|tool| tool.declaration()).filter(|tool| self.groups.contains(&tool.group))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let me = Implementation::new("wellread", env!("CARGO_PKG_VERSION")).with_title("Wellread");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(me)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.offered().map(described).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.offered().find(|tool| tool.name == name).map(described)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.into_owned();
        if !self.offered().any(|tool| tool.name == name) {
            let error = self.app.tool(&name).err();
            let hint = error.as_ref().and_then(Error::hint_text).unwrap_or("it is switched off");
            return Err(ErrorData::invalid_params(format!("there is no tool `{name}`: {hint}"), None));
        }
        let answer = self.app.clone().run(name, request.arguments.map_or(Value::Null, Value::Object)).await;
        let failed = answer.is_err();
        let envelope = envelope(answer);
        let mut result = CallToolResult::success(vec![ContentBlock::text(envelope.to_string())]);
        result.structured_content = Some(envelope);
        result.is_error = Some(failed);
        Ok(result.into())
    }

    /// What the library could not make out: a method that it does not know, or a known one with parameters that do not
    /// fit.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        Err(match method.as_str() {
            "tools/call" => {
                let wanted = "`name` must be a string and `arguments` an object";
                ErrorData::invalid_params(format!("the parameters do not fit tools/call: {wanted}"), None)
            }
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None),
        })
    }

    /// Asked for by older revisions. The log goes to standard error as the settings say, whatever the level.
    #[allow(deprecated, reason = "clients of the revisions that had it still ask")]
    async fn set_level(
        &self,
        _: rmcp::model::SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }
}

fn described(tool: &Declaration) -> Tool {
    let annotations = ToolAnnotations::new()
        .read_only(tool.effect == Effect::Reads)
        .destructive(tool.effect == Effect::Writes)
        .open_world(false);
    Tool::new(tool.name, tool.about, object(&tool.input))
        .with_raw_output_schema(object(&tool.output))
        .with_annotations(annotations)
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}
