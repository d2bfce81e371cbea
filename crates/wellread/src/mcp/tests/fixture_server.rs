//! Our server with the tools, resources and prompts of the suite.
#![allow(
    deprecated,
    reason = "clients of the revisions that had sampling and log messages still expect them"
)]

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ClientCapabilities,
    ContentBlock, CreateTaskResult, CustomRequest, CustomResult, DiscoverResult, GetPromptRequestParams,
    GetPromptResponse, GetTaskParams, GetTaskResult, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use wellread_core::domain::id::RunId;
use wellread_core::faces::tools::envelope;
use wellread_core::ports::event::RunKind;
use wellread_testkit::run_fixtures::{began_event, record_run};

use super::{catalog_tools, fixture_contents, input_rounds};
use crate::app::App;
use crate::mcp::questions::{QuestionState, UserQuestion, can_ask, put_to_user};
use crate::mcp::{McpServer, VaultServer, tasks};

pub type CallContext = RequestContext<RoleServer>;

/// The server with what the suite looks for.
#[derive(Clone)]
pub struct FixtureServer(pub McpServer);

/// The tools that the catalog is extended by.
pub fn extend_catalog(app: &mut App) {
    app.tools.extend(catalog_tools::all(&app.records));
}

/// That a client has to declare this first.
pub fn missing_capability(required: Value) -> ErrorData {
    let required: ClientCapabilities = serde_json::from_value(required).unwrap_or_default();
    ErrorData::missing_required_client_capability(required)
}

fn say(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

impl FixtureServer {
    fn vault(&self) -> &VaultServer {
        &self.0.first
    }

    /// Asks while the call waits, as older revisions do, with the fields of the suite.
    async fn ask(
        &self,
        request: &CallToolRequestParams,
        context: &CallContext,
    ) -> Result<CallToolResponse, ErrorData> {
        if !can_ask(context) {
            return Err(missing_capability(json!({ "elicitation": {} })));
        }
        let text = request
            .arguments
            .as_ref()
            .and_then(|args| args.get("message")?.as_str())
            .unwrap_or("Your answer?");
        let question =
            UserQuestion { text: text.to_owned(), schema: fixture_contents::asked_fields(&request.name) };
        let about = json!([request.name, request.arguments]);
        match put_to_user(self.vault(), request, &about, question, context).await {
            Ok(QuestionState::Answered(answer)) => Ok(say(format!("User response: {}", json!(answer)))),
            Ok(QuestionState::Asked(question)) => Ok((*question).into()),
            Err(error) => Ok(say(envelope(Err(error)).to_string())),
        }
    }

    /// Asks for a name first, and then begins a task that knows it.
    async fn ask_then_work(
        &self,
        request: &CallToolRequestParams,
        context: &CallContext,
    ) -> Result<CallToolResponse, ErrorData> {
        let schema =
            json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
        let question = UserQuestion { text: "What is your name?".to_owned(), schema };
        let answer = match put_to_user(self.vault(), request, &json!(request.name), question, context).await {
            Ok(QuestionState::Answered(answer)) => answer,
            Ok(QuestionState::Asked(question)) => return Ok((*question).into()),
            Err(error) => return Err(ErrorData::invalid_params(error.message().to_owned(), None)),
        };
        let name = answer.and_then(|answer| Some(answer.content?.get("name")?.as_str()?.to_owned()));
        let args = json!({ "seconds": 1, "label": format!("for {}", name.unwrap_or_default()) });
        Ok(tasks::start(self.vault(), &self.vault().scope.ctx, catalog_tools::SLOW, args, context).await)
    }

    /// A run that was interrupted, as a task: it asks whether it should go on.
    fn interrupted_task(&self) -> CallToolResponse {
        let (run, app) = (RunId::fresh(), &self.vault().scope.app);
        record_run(
            &*app.records,
            &run,
            RunKind::Ask,
            "What keeps?",
            &[began_event(RunKind::Ask, "What keeps?")],
        );
        let now = app.clock.now().timestamp().to_string();
        CreateTaskResult::new(tasks::new_task(run.as_str(), &now, &now)).into()
    }

    /// Three lines of a log while the call goes on.
    async fn log(&self, context: &CallContext) -> CallToolResponse {
        for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line));
            let _ = context.peer.notify_logging_message(message).await;
        }
        say("logged")
    }

    /// Has the client's model say something.
    async fn sample(
        &self,
        request: &CallToolRequestParams,
        context: &CallContext,
    ) -> Result<CallToolResponse, ErrorData> {
        let prompt =
            request.arguments.as_ref().and_then(|args| args.get("prompt")).cloned().unwrap_or_default();
        let asked = fixture_contents::sampling_params(&prompt);
        let said = context.peer.create_message(asked).await;
        let said = said.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(say(format!("LLM response: {}", json!(said.message))))
    }
}

impl ServerHandler for FixtureServer {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.0.get_info();
        info.capabilities.logging = Some(Default::default());
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: CallContext,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.0.initialize(request, context).await?;
        result.capabilities.logging = Some(Default::default());
        Ok(result)
    }

    async fn discover(&self, context: CallContext) -> Result<DiscoverResult, ErrorData> {
        self.0.discover(context).await
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: CallContext,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut result = self.0.list_tools(request, context).await?;
        result.tools.extend(fixture_contents::tools());
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.get_tool(name).or_else(|| fixture_contents::tools().into_iter().find(|tool| tool.name == name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: CallContext,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(rounds) = input_rounds::of_tool(&request.name) {
            return input_rounds::answer_tool(self.vault(), &request, &rounds, &context);
        }
        if let Some(result) = fixture_contents::call(&request) {
            return Ok(result.into());
        }
        let has_tasks =
            context.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks());
        match &*request.name {
            "test_elicitation" | "test_elicitation_sep1034_defaults" | "test_elicitation_sep1330_enums" => {
                self.ask(&request, &context).await
            }
            "test_sampling" => self.sample(&request, &context).await,
            "test_tool_with_logging" => Ok(self.log(&context).await),
            "test_logging_tool" if context.meta.get(fixture_contents::LOG_LEVEL).is_some() => {
                Ok(self.log(&context).await)
            }
            "test_logging_tool" => Ok(say("not logged")),
            "test_tool_with_task" => self.ask_then_work(&request, &context).await,
            "confirm_delete" => Ok(self.interrupted_task()),
            // It can't be served otherwise.
            catalog_tools::FAILING if !has_tasks => {
                Err(missing_capability(json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })))
            }
            _ => self.0.call_tool(request, context).await,
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: CallContext,
    ) -> Result<GetTaskResult, ErrorData> {
        self.0.get_task(request, context).await
    }

    async fn update_task(&self, request: UpdateTaskParams, context: CallContext) -> Result<(), ErrorData> {
        self.0.update_task(request, context).await
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: CallContext) -> Result<(), ErrorData> {
        self.0.cancel_task(request, context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: CallContext,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.0.list_resources(request, context).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: CallContext,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.0.list_resource_templates(request, context).await
    }

    /// The suite's addresses stand for notes of the vault.
    async fn read_resource(
        &self,
        mut request: ReadResourceRequestParams,
        context: CallContext,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if let Some(binary) = fixture_contents::binary_resource(&request.uri) {
            return Ok(ReadResourceResult::new(vec![binary]).into());
        }
        let asked = request.uri.clone();
        request.uri = fixture_contents::note_for(&asked);
        let mut response = self.0.read_resource(request, context).await?;
        if let ReadResourceResponse::Complete(result) = &mut response {
            fixture_contents::rename(&mut result.contents, &asked);
        }
        Ok(response)
    }

    async fn subscribe(
        &self,
        mut request: SubscribeRequestParams,
        context: CallContext,
    ) -> Result<(), ErrorData> {
        request.uri = fixture_contents::note_for(&request.uri);
        self.0.subscribe(request, context).await
    }

    async fn unsubscribe(
        &self,
        mut request: UnsubscribeRequestParams,
        context: CallContext,
    ) -> Result<(), ErrorData> {
        request.uri = fixture_contents::note_for(&request.uri);
        self.0.unsubscribe(request, context).await
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.0.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.0.listen(context).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: CallContext,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut result = self.0.list_prompts(request, context).await?;
        result.prompts.extend(fixture_contents::prompts());
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: CallContext,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(rounds) = input_rounds::of_prompt(&request.name) {
            return input_rounds::answer_prompt(self.vault(), &request, &rounds, &context);
        }
        match fixture_contents::prompt(&request) {
            Some(result) => Ok(result.into()),
            None => self.0.get_prompt(request, context).await,
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: CallContext,
    ) -> Result<CustomResult, ErrorData> {
        self.0.on_custom_request(request, context).await
    }

    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        context: CallContext,
    ) -> Result<(), ErrorData> {
        self.0.set_level(request, context).await
    }
}
