//! The Model Context Protocol: the catalog as tools for any client, runs and notes as resources, prompts for the main
//! jobs.
//!
//! Standard output belongs to the protocol. A tool that fails answers with `isError` and the same envelope that
//! the command line prints, so that a model can read what went wrong and try again. It is text only: structured content
//! has to fit the tool's output schema, and that is the schema of a success.

mod access_scope;
mod clarifications;
mod client_scope;
mod client_views;
mod decisions;
mod hints;
mod prompts;
mod questions;
mod resource_uri;
mod resources;
mod served_vaults;
mod stdio;
mod subscriptions;
mod tasks;
#[cfg(test)]
mod tests;
mod tool_call;
mod tool_offer;

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CustomRequest, CustomResult, DiscoverResult,
    ErrorCode, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceUpdatedNotificationParam, ServerCapabilities,
    ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
    UpdateTaskParams,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::Value;
use wellread_core::library::vault::EditPolicy;
use wellread_core::{Error, Result};

pub use self::access_scope::{AccessScope, AccessScopes};
use self::clarifications::ClarificationState;
use self::client_scope::ClientScope;
use self::decisions::DecisionState;
use self::questions::OpenQuestions;
pub use self::resource_uri::NotesAddress;
#[cfg(fuzzing)]
pub use self::resource_uri::ResourceUri;
pub use self::served_vaults::McpServer;
pub use self::stdio::serve;
#[cfg(fuzzing)]
pub use self::stdio::serve_client;
use self::subscriptions::Subscriptions;
use self::tasks::RunTasks;
use crate::app::App;
use crate::config::McpSettings;

/// How long a client may keep what stays the same as long as the server runs: its tools, and runs that have ended.
const LIST_LIFETIME_MS: u64 = 5 * 60 * 1000;

/// What answers a client that asks about one vault.
#[derive(Clone)]
struct VaultServer {
    scope: ClientScope,
    /// Its vault's name, where there are others.
    vault: Option<String>,
    subscriptions: Arc<Subscriptions>,
    /// Whether the user lets the client's model decide.
    decides: bool,
    /// Whether the user wants to see edits first.
    confirms_edits: bool,
    /// How long a question to the user waits for its answer.
    answer_limit: Duration,
    questions: Arc<OpenQuestions>,
    tasks: RunTasks,
}

impl VaultServer {
    /// Offers the tools that the settings say.
    fn new(app: Arc<App>, settings: &McpSettings, address: NotesAddress) -> Self {
        Self {
            scope: ClientScope::new(app, settings, address),
            vault: None,
            subscriptions: Arc::default(),
            decides: settings.decides,
            confirms_edits: settings.confirms_edits,
            answer_limit: settings.answer_limit,
            questions: Arc::default(),
            tasks: RunTasks::default(),
        }
    }

    /// The same server for another client: subscriptions of its own, and the questions and tasks of all.
    fn for_another_client(&self) -> Self {
        Self { subscriptions: Arc::default(), ..self.clone() }
    }

    /// A question to the user, with the vault that it is about where there are several.
    fn name_vault(&self, question: String) -> String {
        match &self.vault {
            Some(vault) => format!("In the vault `{vault}`: {question}"),
            None => question,
        }
    }

    /// Does this on a thread that may wait for the disk.
    async fn run_blocking<T: Send + 'static>(
        &self,
        act: impl FnOnce(&ClientScope) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let scope = self.scope.clone();
        let done = tokio::task::spawn_blocking(move || act(&scope)).await;
        done.unwrap_or_else(|_| {
            Err(ErrorData::internal_error("internal error: this is a bug in Wellread", None))
        })
    }
}

impl ServerHandler for VaultServer {
    fn get_info(&self) -> ServerConfig {
        let me = Implementation::new("wellread", env!("CARGO_PKG_VERSION")).with_title("Wellread");
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(me)
            .with_instructions(self.scope.offer.instructions())
    }

    /// Clients of revisions before the extensions hear of none but those that they declare themselves.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.negotiate_initialize(&request)?;
        if result.protocol_version < ProtocolVersion::V_2026_07_28 {
            result.capabilities.extensions = None;
        }
        if client_views::declares(&request.capabilities) {
            client_views::announce(&mut result.capabilities);
        }
        context.peer.set_peer_info(request);
        Ok(result)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut info = self.get_info();
        if client_views::are_shown(&context) {
            client_views::announce(&mut info.capabilities);
        }
        Ok(DiscoverResult::from_server_info(versions, info).with_ttl_ms(LIST_LIFETIME_MS))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = self.scope.offer.list(&self.scope.app.tools);
        if client_views::are_shown(&context) {
            client_views::attach(&self.scope, &mut tools);
        }
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(LIST_LIFETIME_MS))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.scope.offer.find(&self.scope.app.tools, name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // Arguments that are left out are empty, for everything that judges the call.
        let args = Value::Object(request.arguments.clone().unwrap_or_default());
        let (tool, args) = match self.scope.offer.resolve(&self.scope.app.tools, &request.name, args) {
            Some(Ok(resolved)) => resolved,
            Some(Err(error)) => return Ok(tool_call::to_result(&self.scope.offer, Err(error)).into()),
            None => {
                let message = self.scope.offer.unknown_tool(&self.scope.app.tools, &request.name);
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        let failed = |error: Error| Ok(tool_call::to_result(&self.scope.offer, Err(error)).into());
        let mut args = match clarifications::settle(self, &request, (tool, args), &context).await {
            Ok(ClarificationState::Clear(args)) => args,
            Ok(ClarificationState::Asked(question)) => return Ok((*question).into()),
            Err(error) => return failed(error),
        };
        let mut ctx = self.scope.ctx.clone();
        match decisions::settle(self, &request, (tool, &args), &context).await {
            Ok(DecisionState::NotNeeded) => {}
            Ok(DecisionState::ChangesNothing(allowed) | DecisionState::LetPass(allowed)) => args = allowed,
            Ok(DecisionState::Made(by, agreed)) => {
                (ctx, args) = (ctx.with_edits(EditPolicy::default()).with_decision(by), agreed);
            }
            Ok(DecisionState::Asked(question)) => return Ok((*question).into()),
            Err(error) => return failed(error),
        }
        Ok(tasks::call(self, ctx, tool, args, context).await)
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.scope.require(AccessScope::Research)?;
        tasks::get(self, &request.task_id, &context).await.map(GetTaskResult::new)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.scope.require(AccessScope::Research)?;
        tasks::update(self, &request.task_id, &request.input_responses, &context).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.scope.require(AccessScope::Research)?;
        tasks::cancel(self, &request.task_id).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.scope.require(AccessScope::Read)?;
        let cursor = request.and_then(|request| request.cursor);
        let has_views = cursor.is_none() && client_views::are_shown(&context);
        let (mut found, next) =
            self.run_blocking(move |scope| resources::list_page(scope, cursor.as_deref())).await?;
        if has_views {
            found.splice(..0, client_views::list(&self.scope));
        }
        let mut result = ListResourcesResult::with_all_items(found);
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::list_templates(self.scope.notes()))
            .with_ttl_ms(LIST_LIFETIME_MS))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.scope.require(AccessScope::Read)?;
        if client_views::are_shown(&context)
            && let Some(view) = client_views::read(&self.scope, self.vault.as_deref(), &request.uri)
        {
            return Ok(ReadResourceResult::new(vec![view?]).with_ttl_ms(LIST_LIFETIME_MS).into());
        }
        let (contents, is_final) =
            self.run_blocking(move |scope| resources::read(scope, &request.uri)).await?;
        let lifetime = if is_final { LIST_LIFETIME_MS } else { 0 };
        Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(lifetime).into())
    }

    /// As older revisions follow a resource.
    #[allow(deprecated, reason = "clients of the revisions that had it still ask")]
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.scope.require(AccessScope::Read)?;
        if self.subscriptions.is_full() {
            return Err(ErrorData::invalid_request(
                "too many subscribed resources; unsubscribe from some first",
                None,
            ));
        }
        let uri = request.uri;
        let mark = self
            .run_blocking({
                let uri = uri.clone();
                move |scope| {
                    subscriptions::fingerprint(scope, &uri)
                        .map_err(|error| resources::to_protocol_error(&error, Some(&uri)))
                }
            })
            .await?;
        let marks = std::iter::once((uri.clone(), mark)).collect();
        let peer = context.peer;
        let tell = async move |uri: &str| {
            peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_ok()
        };
        let task = tokio::spawn(subscriptions::watch_changes(self.scope.clone(), marks, tell));
        self.subscriptions.add(uri, task.abort_handle());
        Ok(())
    }

    #[allow(deprecated, reason = "clients of the revisions that had it still ask")]
    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    /// As newer ones do: one request for several, open for as long as it is listened to.
    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let wanted = requested.resource_subscriptions.as_deref().unwrap_or_default();
        let wanted = if self.scope.allows(AccessScope::Read) { wanted } else { &[] };
        let accepted = self.subscriptions.accept(&self.scope, wanted);
        let mut filter = SubscriptionFilter::new();
        filter.resource_subscriptions = Some(accepted);
        Some(filter)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list_prompts(&self.scope.offer))
            .with_ttl_ms(LIST_LIFETIME_MS))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::fill_prompt(&self.scope.offer, &request.name, request.arguments.as_ref()).map(Into::into)
    }

    /// What the library could not make out: a method that it does not know, or a known one with parameters that do not
    /// fit.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        let is_new =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let wanted = match method.as_str() {
            "tools/call" | "prompts/get" => "`name` must be a string and `arguments` an object",
            "resources/read" => "`uri` must be a string",
            // The newest revision has them no longer.
            "resources/subscribe" | "resources/unsubscribe" if !is_new => "`uri` must be a string",
            "tasks/get" | "tasks/cancel" => "`taskId` must be a string",
            "tasks/update" => "`taskId` must be a string and `inputResponses` an object",
            _ => {
                let unknown = format!("there is no method `{method}`");
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, unknown, None));
            }
        };
        Err(ErrorData::invalid_params(format!("the parameters do not fit {method}: {wanted}"), None))
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
