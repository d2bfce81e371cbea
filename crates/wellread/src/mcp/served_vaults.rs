//! All vaults that a client is served, by one server.
//!
//! Where there is more than one, every tool takes `vault` besides its own arguments, and the notes of each vault have addresses of
//! their own. A call reaches one vault and nothing else: each has its own server, with its own questions and tasks. One vault
//! alone is served as if there were no others.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CustomRequest, CustomResult, DiscoverResult,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, InitializeRequestParams,
    InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ResourceUpdatedNotification,
    ResourceUpdatedNotificationParam, ServerConfig, ServerNotification, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use wellread_core::domain::id::RunId;
use wellread_core::faces::tools::Declaration;
use wellread_core::{Error, Result};

use super::access_scope::{AccessScope, AccessScopes};
use super::resource_uri::{NotesAddress, RUNS};
use super::{VaultServer, subscriptions, tool_call};
use crate::app::OpenVault;
use crate::config::McpSettings;

/// The argument that chooses a vault.
const VAULT: &str = "vault";

/// What answers a client, over whatever it is connected by.
#[derive(Clone)]
pub struct McpServer {
    /// The vault that is meant where none is named.
    pub(super) first: VaultServer,
    names: Arc<[String]>,
    others: Vec<VaultServer>,
}

impl McpServer {
    /// Offers the tools that the settings say, over the first vault and over these.
    pub fn new(first: &OpenVault, others: &[OpenVault], settings: &McpSettings) -> Self {
        let name = |vault: &OpenVault| vault.config.vault_name().to_owned();
        let serve = |vault: &OpenVault, address| VaultServer {
            vault: (!others.is_empty()).then(|| name(vault)),
            ..VaultServer::new(vault.app.clone(), settings, address)
        };
        Self {
            first: serve(first, NotesAddress::default()),
            names: std::iter::once(first).chain(others).map(name).collect(),
            others: others.iter().map(|vault| serve(vault, NotesAddress::new(&name(vault)))).collect(),
        }
    }

    /// The same server for another client: subscriptions of its own, and the questions and tasks of all.
    #[must_use]
    pub fn for_another_client(&self) -> Self {
        Self {
            first: self.first.for_another_client(),
            names: self.names.clone(),
            others: self.others.iter().map(VaultServer::for_another_client).collect(),
        }
    }

    /// What a client has to be allowed for a message. What is no request, or no known one, needs nothing: it is refused anyway.
    pub fn required_scopes(&self, message: &Value) -> AccessScopes {
        let scope = match message["method"].as_str().unwrap_or_default() {
            "tools/call" => return self.required_for_call(&message["params"]),
            "subscriptions/listen"
                if message["params"]["notifications"]["resourceSubscriptions"].is_array() =>
            {
                AccessScope::Read
            }
            method if method.starts_with("resources/") => AccessScope::Read,
            method if method.starts_with("tasks/") => AccessScope::Research,
            _ => return AccessScopes::default(),
        };
        AccessScopes::from_iter([scope])
    }

    fn required_for_call(&self, params: &Value) -> AccessScopes {
        self.resolve_call(params).map_or_else(AccessScopes::default, |(tool, _)| AccessScopes::for_tool(tool))
    }

    /// The tool that a message calls, with its arguments; `None` if it calls none that is offered.
    pub fn find_call(&self, message: &Value) -> Option<(&Declaration, Value)> {
        if message["method"] == "tools/call" { self.resolve_call(&message["params"]) } else { None }
    }

    fn resolve_call(&self, params: &Value) -> Option<(&Declaration, Value)> {
        let mut args = params["arguments"].as_object().cloned().unwrap_or_default();
        args.remove(VAULT);
        let (scope, name) = (&self.first.scope, params["name"].as_str().unwrap_or_default());
        scope.offer.resolve(&scope.app.tools, name, Value::Object(args))?.ok()
    }

    fn all(&self) -> impl Iterator<Item = &VaultServer> {
        std::iter::once(&self.first).chain(&self.others)
    }

    fn has_several(&self) -> bool {
        !self.others.is_empty()
    }

    fn find(&self, name: &str) -> Result<&VaultServer> {
        let named = self.names.iter().zip(self.all()).find(|(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|(_, server)| server).ok_or_else(|| {
            Error::not_found(format!("there is no vault `{}`", name.escape_debug()))
                .hint(format!("`{VAULT}` is one of: {}", self.names.join(", ")))
        })
    }

    /// The vault that a call names, with the rest of its arguments.
    fn route(&self, mut request: CallToolRequestParams) -> Result<(&VaultServer, CallToolRequestParams)> {
        let named = request.arguments.as_mut().and_then(|args| args.remove(VAULT));
        let server = match named {
            None | Some(Value::Null) => &self.first,
            Some(Value::String(name)) => self.find(&name)?,
            Some(_) => return Err(Error::invalid(format!("`{VAULT}` must be the name of a vault"))),
        };
        Ok((server, request))
    }

    /// The vault of a resource: by a note's address, or because it has the run.
    async fn route_uri(&self, uri: &str) -> &VaultServer {
        if let Some(server) = self.others.iter().find(|server| server.scope.address.contains(uri)) {
            return server;
        }
        match uri.strip_prefix(RUNS).and_then(|rest| rest.split('/').next()) {
            Some(run) => self.route_run(run).await,
            None => &self.first,
        }
    }

    /// The vault that has a run; the first if none has it.
    async fn route_run(&self, id: &str) -> &VaultServer {
        let Ok(run) = RunId::parse(id) else { return &self.first };
        for server in &self.others {
            let run = run.clone();
            if server.run_blocking(move |scope| Ok(scope.has_run(&run))).await == Ok(true) {
                return server;
            }
        }
        &self.first
    }

    /// A tool with the argument that chooses the vault.
    fn describe(&self, mut tool: Tool) -> Tool {
        if self.has_several() {
            let mut schema = (*tool.input_schema).clone();
            let about = format!("The vault that is meant; `{}` if left out", self.names[0]);
            let argument = json!({ "type": "string", "enum": *self.names, "description": about });
            let properties = schema.entry("properties").or_insert_with(|| json!({}));
            if let Some(properties) = properties.as_object_mut() {
                properties.insert(VAULT.to_owned(), argument);
            }
            tool.input_schema = Arc::new(schema);
        }
        tool
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.first.get_info();
        if let Some(instructions) = info.instructions.as_mut().filter(|_| self.has_several()) {
            let (first, names) = (&self.names[0], self.names.join(", "));
            *instructions += &format!(
                " Several vaults are served: {names}. Every tool takes `{VAULT}`, the name of one; without it, `{first}` is \
                 meant. Paths and ids of one vault mean nothing in another."
            );
        }
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.first.initialize(request, context).await?;
        result.instructions = self.get_info().instructions;
        Ok(result)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut result = self.first.discover(context).await?;
        result.instructions = self.get_info().instructions;
        Ok(result)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut result = self.first.list_tools(request, context).await?;
        result.tools = result.tools.into_iter().map(|tool| self.describe(tool)).collect();
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.first.get_tool(name).map(|tool| self.describe(tool))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.route(request) {
            Ok((server, request)) => server.call_tool(request, context).await,
            Err(error) => Ok(tool_call::to_result(&self.first.scope.offer, Err(error)).into()),
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.route_run(&request.task_id).await.get_task(request, context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.route_run(&request.task_id).await.update_task(request, context).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.route_run(&request.task_id).await.cancel_task(request, context).await
    }

    /// One vault after the other: where the next part begins, its name comes first.
    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if !self.has_several() {
            return self.first.list_resources(request, context).await;
        }
        let cursor = request.and_then(|request| request.cursor);
        let (at, cursor) = match cursor.as_deref() {
            None => (0, None),
            Some(cursor) => {
                let parted = cursor.split_once('/');
                let known = parted.and_then(|(name, rest)| {
                    let at = self.names.iter().position(|known| known == name)?;
                    Some((at, Some(rest.to_owned()).filter(|rest| !rest.is_empty())))
                });
                known.ok_or_else(|| ErrorData::invalid_params("unknown cursor", None))?
            }
        };
        let server = self.all().nth(at).unwrap_or(&self.first);
        let inner = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let mut result = server.list_resources(inner, context).await?;
        result.next_cursor = match result.next_cursor {
            Some(next) => Some(format!("{}/{next}", self.names[at])),
            None => self.names.get(at + 1).map(|name| format!("{name}/")),
        };
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut result = self.first.list_resource_templates(request, context).await?;
        for (name, server) in self.names.iter().skip(1).zip(&self.others) {
            let notes = super::resources::list_note_template(server.scope.notes());
            result.resource_templates.extend(notes.map(|mut template| {
                template.name = format!("note in {name}");
                template
            }));
        }
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.route_uri(&request.uri).await.read_resource(request, context).await
    }

    #[allow(deprecated, reason = "clients of the revisions that had it still ask")]
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.route_uri(&request.uri).await.subscribe(request, context).await
    }

    #[allow(deprecated, reason = "clients of the revisions that had it still ask")]
    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.route_uri(&request.uri).await.unsubscribe(request, context).await
    }

    /// Each vault takes those that are its own.
    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut filter = self.first.accepted_subscription_filter(requested)?;
        for server in &self.others {
            let further = server.accepted_subscription_filter(requested)?;
            let accepted = filter.resource_subscriptions.get_or_insert_default();
            accepted.extend(further.resource_subscriptions.unwrap_or_default());
        }
        Some(filter)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let mut watches = tokio::task::JoinSet::new();
        for server in self.all() {
            let marks = server.subscriptions.take_accepted(&uris);
            if !marks.is_empty() {
                let (scope, sink) = (server.scope.clone(), context.sink().clone());
                let tell = async move |uri: &str| {
                    let updated =
                        ResourceUpdatedNotification::new(ResourceUpdatedNotificationParam::new(uri));
                    sink.send(ServerNotification::ResourceUpdatedNotification(updated)).await.is_ok()
                };
                watches.spawn(subscriptions::watch_changes(scope, marks, tell));
            }
        }
        tokio::select! {
            () = context.cancelled() => {}
            Some(_) = watches.join_next() => {}
        }
        Ok(())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.first.list_prompts(request, context).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.first.get_prompt(request, context).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.first.on_custom_request(request, context).await
    }

    #[allow(deprecated, reason = "clients of the revisions that had it still ask")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.first.set_level(request, context).await
    }
}
