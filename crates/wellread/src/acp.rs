//! An agent for editors, by the Agent Client Protocol: JSON-RPC on standard input and output, started by the editor.
//!
//! A session is a conversation of the chat, and a prompt is a turn of it; nothing of the chat is here. The editor's folder and
//! the files that it attaches widen nothing: what is read and written is in the settings.

mod client;
mod editor_files;
mod input;
mod permission;
mod prompt;
mod rpc;
mod sessions;
mod turn;
mod updates;

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use wellread_core::Error;
use wellread_core::faces::chat::{Chat, Session};
use wellread_core::library::public_view::VaultGuard;

use self::client::AcpClient;
use self::editor_files::EditorFiles;
use self::input::{LONGEST_LINE, RpcLine, read_lines};
use self::prompt::{AcpPrompt, read_string};
use self::rpc::{RpcError, RpcMessage};
use self::sessions::OpenSessions;
use self::updates::render_tool_name;
use crate::answers::read_conversation;
use crate::app::App;
use crate::output::Output;
use crate::server::TurnScheduler;
use crate::turn_text::render_unchecked;

/// The version of the protocol that is spoken here.
const PROTOCOL_VERSION: u16 = 1;

/// What the agent is made of.
pub struct AcpSettings<'a> {
    pub app: Arc<App>,
    pub chat: Chat,
    /// Why there is no model, if there is none.
    pub no_model: Option<Error>,
    /// How long a tool that reads may take.
    pub tool_limit: Duration,
    /// How long a question to the user waits for its answer.
    pub answer_limit: Duration,
    /// All vaults of the settings, by their folders.
    pub vaults: Vec<(PathBuf, VaultGuard)>,
    /// The folder of our own records.
    pub data: &'a Path,
    pub output: Output,
}

/// The agent, for the one editor that started it.
pub struct AcpAgent {
    app: Arc<App>,
    chat: Chat,
    no_model: Option<Error>,
    tool_limit: Duration,
    answer_limit: Duration,
    files: EditorFiles,
    client: AcpClient,
    sessions: OpenSessions,
    turns: TurnScheduler,
    is_initialized: AtomicBool,
}

/// Serves the editor until it hangs up. Turns that it leaves are cancelled, and changes that have begun are completed.
pub async fn serve(settings: AcpSettings<'_>, longest_goodbye: Duration) {
    let agent = Arc::new(AcpAgent::new(settings));
    let mut lines = read_lines(BufReader::new(std::io::stdin()));
    while let Some(line) = lines.recv().await {
        match line {
            RpcLine::Text(line) if line.trim_ascii().is_empty() => {}
            RpcLine::Text(line) => agent.receive(RpcMessage::parse(&line)),
            RpcLine::TooLong => {
                agent.client.answer(&Value::Null, Err(RpcError::line_too_long(LONGEST_LINE)));
            }
        }
    }
    agent.client.hang_up();
    agent.sessions.cancel_all();
    let _ = tokio::time::timeout(longest_goodbye, agent.turns.wait_until_idle()).await;
}

impl AcpAgent {
    fn new(settings: AcpSettings<'_>) -> Self {
        let AcpSettings { app, chat, no_model, tool_limit, answer_limit, vaults, data, output } = settings;
        Self {
            files: EditorFiles::new(app.clone(), vaults, data),
            app,
            chat,
            no_model,
            tool_limit,
            answer_limit,
            client: AcpClient::new(output),
            sessions: OpenSessions::default(),
            turns: TurnScheduler::default(),
            is_initialized: AtomicBool::new(false),
        }
    }

    fn receive(self: &Arc<Self>, message: RpcMessage) {
        match message {
            RpcMessage::Request { id, method, params } if method == "session/prompt" => {
                if let Err(error) = self.begin_turn(&id, &params) {
                    self.client.answer(&id, Err(error));
                }
            }
            RpcMessage::Request { id, method, params } => {
                self.client.answer(&id, self.handle(&method, &params));
            }
            RpcMessage::Notification { method, params } => {
                // Nothing is answered to a notification, not even that it means nothing.
                if let ("session/cancel", Ok(session)) = (method.as_str(), read_string(&params, "sessionId"))
                {
                    self.sessions.cancel(session);
                }
            }
            RpcMessage::Response { id, result } => self.client.take_answer(&id, result),
            RpcMessage::Invalid { id, error } => self.client.answer(&id, Err(error)),
        }
    }

    fn handle(&self, method: &str, params: &Value) -> Result<Value, RpcError> {
        match method {
            "initialize" => self.initialize(params),
            "authenticate" => {
                Err(RpcError::invalid_params("there is nothing to authenticate with: no method was offered"))
            }
            "session/new" => self.open_new(params),
            "session/load" => self.load(params),
            "session/close" => {
                self.check_initialized()?;
                self.sessions.close(read_string(params, "sessionId")?).map(|()| json!({}))
            }
            _ => Err(RpcError::unknown_method(method)),
        }
    }

    /// The version is ours whatever the client asks for: it hangs up if it does not speak it.
    fn initialize(&self, params: &Value) -> Result<Value, RpcError> {
        let version = params.get("protocolVersion").and_then(Value::as_u64);
        if version.is_none_or(|version| u16::try_from(version).is_err()) {
            return Err(RpcError::invalid_params(
                "`protocolVersion` is missing, or is no number of a version",
            ));
        }
        self.is_initialized.store(true, Ordering::SeqCst);
        Ok(json!({
            "protocolVersion": PROTOCOL_VERSION,
            "agentCapabilities": {
                "loadSession": true,
                "promptCapabilities": { "image": false, "audio": false, "embeddedContext": true },
                "mcpCapabilities": { "http": false, "sse": false },
                "sessionCapabilities": { "close": {} },
            },
            "agentInfo": { "name": "wellread", "title": "Wellread", "version": env!("CARGO_PKG_VERSION") },
            "authMethods": [],
        }))
    }

    fn open_new(&self, params: &Value) -> Result<Value, RpcError> {
        let notice = self.check_folder(params)?;
        let session = Session::new(None);
        let id = session.id.clone();
        self.sessions.open(session, notice)?;
        Ok(json!({ "sessionId": id }))
    }

    /// Opens a stored conversation, and sends the editor what was said in it.
    fn load(&self, params: &Value) -> Result<Value, RpcError> {
        let notice = self.check_folder(params)?;
        let id = read_string(params, "sessionId")?;
        let stored = self.chat.sessions.session(id)?.ok_or_else(|| RpcError::unknown_session(id))?;
        let conversation = read_conversation(&self.chat, id)?;
        self.sessions.open(Session::from_stored(stored)?, notice)?;
        for (number, message) in conversation.messages.iter().enumerate() {
            let chunk = |kind: &str, text: &str| json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } });
            let update = match message.role {
                "user" => chunk("user_message_chunk", &message.text),
                "tool" => json!({
                    "sessionUpdate": "tool_call",
                    "toolCallId": format!("{id}/earlier-{number}"),
                    "title": render_tool_name(&self.app.tools, &message.text),
                    "status": "completed",
                }),
                _ => {
                    let unchecked = render_unchecked(&message.unchecked);
                    chunk("agent_message_chunk", format!("{}\n\n{unchecked}", message.text).trim_end())
                }
            };
            self.client.update(id, &update);
        }
        Ok(json!({}))
    }

    /// What the user should know about the folder that a session is opened for.
    fn check_folder(&self, params: &Value) -> Result<Option<String>, RpcError> {
        self.check_initialized()?;
        let folder = Path::new(read_string(params, "cwd")?);
        if !folder.is_absolute() {
            return Err(RpcError::invalid_params("`cwd` is no absolute path"));
        }
        Ok(self.files.describe_folder(folder))
    }

    fn begin_turn(self: &Arc<Self>, id: &Value, params: &Value) -> Result<(), RpcError> {
        self.check_initialized()?;
        let session = read_string(params, "sessionId")?;
        self.sessions.check_free(session)?;
        let prompt = AcpPrompt::parse(params.get("prompt").unwrap_or(&Value::Null), &self.files)?;
        let turn = self.sessions.begin_turn(session)?;
        self.start_turn(id.clone(), turn, prompt);
        Ok(())
    }

    fn check_initialized(&self) -> Result<(), RpcError> {
        if self.is_initialized.load(Ordering::SeqCst) {
            return Ok(());
        }
        Err(RpcError::invalid_request("the first request is `initialize`"))
    }
}
