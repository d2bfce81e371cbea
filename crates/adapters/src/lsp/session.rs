//! A server that was initialized for a repository, and answers questions about it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Mutex, mpsc};
use tokio::time::{Instant, sleep};
use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{ServerAnswer, ServerFailure, ServerQuestion, ServerQuestionKind};

use super::answers;
use super::busy::BusyTracker;
use super::columns::{self, ColumnUnits};
use super::documents::Documents;
use super::handshake;
use super::isolation::ServerIsolation;
use super::places::{PlaceReader, file_uri};
use super::process::{EndReason, NoReply, ServerProcess};
use super::program;
use super::replies::Replies;
use super::server_kind::ServerKind;
use super::wire;
use crate::repository::RepositoryFiles;

/// How often a question is asked if the server was still reading when it answered, and how often a transient error is
/// retried.
const ROUNDS: usize = 2;
const MOST_RETRIES: usize = 20;
const RETRY_DELAY: Duration = Duration::from_millis(100);
/// After this many unanswered questions in a row the server is killed; the next question starts a new one.
const PATIENCE: u32 = 2;

#[derive(Debug)]
pub struct ServerSession {
    command: String,
    process: ServerProcess,
    repository: Arc<RepositoryFiles>,
    root: PathBuf,
    units: ColumnUnits,
    documents: Mutex<Documents>,
    unanswered: AtomicU32,
}

/// How a server is started, and for which repository.
#[derive(Debug, Clone)]
pub struct ServerLaunch {
    pub words: Vec<String>,
    pub repository: Arc<RepositoryFiles>,
    /// The canonical path, with all links resolved.
    pub root: PathBuf,
    pub studied: Vec<PathBuf>,
    pub apart: ServerIsolation,
    /// The time limit of the handshake.
    pub limit: Duration,
    /// Held by everything that has not ended.
    pub alive: mpsc::Sender<()>,
}

impl ServerSession {
    pub async fn start(start: &ServerLaunch) -> Result<Self, ServerFailure> {
        let name = start.words.first().cloned().unwrap_or_default();
        let known = ServerKind::from_command(&start.words);
        let refused = |why: String| ServerFailure::Unsafe { command: name.clone(), why };
        let program = program::find_server(&start.words, &start.studied).map_err(refused)?;
        let compiler = program.and_then(|program| known.trusted_compiler(&program, &start.studied));
        if let Some(why) = known.refusal(&start.words, &start.root, compiler.as_deref()) {
            return Err(refused(why));
        }
        let missing = || ServerFailure::Missing { command: name.clone() };
        let command = program::command(&start.words, &start.root, &start.studied, &start.apart);
        let folder = json!({ "uri": file_uri(&start.root), "name": folder_name(&start.root) });
        let replies = Replies { known, folder: folder.clone() };
        let busy = BusyTracker::new(known.reports_idle());
        let command = command.ok_or_else(missing)?;
        let process =
            ServerProcess::start(command, replies, busy, start.alive.clone()).map_err(|_| missing())?;
        let mut session = Self {
            command: name.clone(),
            process,
            repository: start.repository.clone(),
            root: start.root.clone(),
            units: ColumnUnits::Utf16,
            documents: Mutex::default(),
            unanswered: AtomicU32::new(0),
        };
        let deadline = Instant::now() + start.limit;
        match session
            .initialize(&known.settings(compiler.as_deref()), &folder, start.apart.has_no_network(), deadline)
            .await
        {
            Ok(()) => Ok(session),
            Err(failure) => {
                session.process.kill(EndReason::Asked);
                session.process.wait_until_ended().await;
                Err(failure)
            }
        }
    }

    async fn initialize(
        &mut self,
        settings: &Value,
        folder: &Value,
        is_apart: bool,
        deadline: Instant,
    ) -> Result<(), ServerFailure> {
        let params = handshake::initialize_params(settings, folder, is_apart);
        let introduced = match self.process.request("initialize", &params, deadline).await {
            Ok(message) => handshake::parse_column_units(&message),
            Err(NoReply::TimedOut) => return Err(ServerFailure::NotReady { command: self.command.clone() }),
            Err(other) => return Err(self.failure_for(other).await),
        };
        self.units = introduced.ok_or_else(|| self.broken_failure("its handshake can't be understood"))?;
        match self.process.notify("initialized", &json!({}), deadline).await {
            Ok(()) => Ok(()),
            Err(other) => Err(self.failure_for(other).await),
        }
    }

    pub fn has_ended(&self) -> bool {
        self.process.end_reason().is_some()
    }

    /// Whether it ended without being asked to.
    pub fn has_failed(&self) -> bool {
        self.process.end_reason().is_some_and(|end| end != EndReason::Asked)
    }

    pub async fn shut_down(&self) {
        self.process.shut_down().await;
    }

    pub async fn ask(
        &self,
        question: &ServerQuestion,
        deadline: Instant,
    ) -> Result<ServerAnswer, ServerFailure> {
        let position = position(question, self.units)?;
        let shown = {
            let mut documents = self.documents.lock().await;
            documents.show(&self.process, &self.repository, &self.root, question, deadline).await
        };
        let address = match shown {
            Ok(address) => address.ok_or_else(|| no_such_place("the path has no address"))?,
            Err(no_reply) => return Err(self.handle_no_reply(no_reply).await),
        };
        let (method, params) = build_request(question.what, &address, &position);
        // From then on an incomplete answer is better than none.
        let last_call = deadline - question.limit / 4;
        let (mut rounds, mut passing) = (0, 0);
        loop {
            self.process.busy_tracker().wait_until_idle(last_call).await;
            let before = self.process.busy_tracker().ended_count();
            let message = match self.process.request(method, &params, deadline).await {
                Ok(message) => message,
                Err(NoReply::Error(code)) if wire::is_transient(code) && passing < MOST_RETRIES => {
                    passing += 1;
                    sleep(RETRY_DELAY).await;
                    continue;
                }
                Err(NoReply::Error(code)) if wire::is_method_not_found(code) => {
                    return Err(ServerFailure::Unable { command: self.command.clone(), what: question.what });
                }
                Err(no_reply) => return Err(self.handle_no_reply(no_reply).await),
            };
            self.unanswered.store(0, Ordering::Relaxed);
            rounds += 1;
            let is_busy = self.process.busy_tracker().is_busy();
            let may_lack = is_busy || self.process.busy_tracker().ended_count() != before;
            if may_lack && rounds < ROUNDS && (!is_busy || Instant::now() < last_call) {
                continue;
            }
            return self.read_answer(question, message, is_busy).await;
        }
    }

    async fn read_answer(
        &self,
        question: &ServerQuestion,
        message: Vec<u8>,
        is_busy: bool,
    ) -> Result<ServerAnswer, ServerFailure> {
        let (repository, root, units) = (self.repository.clone(), self.root.clone(), self.units);
        let (what, path, text) = (question.what, question.path.clone(), question.text.clone());
        let read = tokio::task::spawn_blocking(move || {
            let texts = HashMap::from([(path, Some(text))]);
            answers::parse_answer(
                what,
                &message,
                &mut PlaceReader { repository: &repository, root: &root, units, texts },
            )
        });
        let answer = read.await.ok().flatten();
        let answer =
            answer.ok_or_else(|| self.broken_failure("an answer does not have the requested shape"))?;
        if !is_busy {
            return Ok(answer);
        }
        if answer.places.is_empty() && answer.hover.is_none() {
            return Err(ServerFailure::NotReady { command: self.command.clone() });
        }
        Ok(answers::mark_partial(answer, "the language server was still reading the repository"))
    }

    /// The failure of a request without an answer. An idle server that leaves several unanswered is killed.
    async fn handle_no_reply(&self, no_reply: NoReply) -> ServerFailure {
        if no_reply != NoReply::TimedOut {
            return self.failure_for(no_reply).await;
        }
        if self.process.busy_tracker().is_busy() {
            return ServerFailure::NotReady { command: self.command.clone() };
        }
        if self.unanswered.fetch_add(1, Ordering::Relaxed) + 1 >= PATIENCE {
            self.process.kill(EndReason::Broken("it does not answer"));
            self.process.wait_until_ended().await;
        }
        self.failure_for(no_reply).await
    }

    async fn failure_for(&self, no_reply: NoReply) -> ServerFailure {
        let command = self.command.clone();
        match no_reply {
            NoReply::TimedOut => ServerFailure::TimedOut { command },
            NoReply::Error(code) => {
                ServerFailure::Broken { command, why: format!("it answered with the error {code}") }
            }
            NoReply::Ended => match self.process.wait_until_ended().await {
                EndReason::Broken(why) => self.broken_failure(why),
                EndReason::Asked | EndReason::Died => ServerFailure::Died {
                    command,
                    said: self.process.last_complaint().map(Untrusted::from_outside),
                },
            },
        }
    }

    fn broken_failure(&self, why: &str) -> ServerFailure {
        ServerFailure::Broken { command: self.command.clone(), why: why.to_owned() }
    }
}

fn folder_name(root: &Path) -> String {
    root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn build_request(what: ServerQuestionKind, address: &str, position: &Value) -> (&'static str, Value) {
    let mut params = json!({ "textDocument": { "uri": address }, "position": position });
    let method = match what {
        ServerQuestionKind::Definition => "textDocument/definition",
        ServerQuestionKind::Hover => "textDocument/hover",
        ServerQuestionKind::References => {
            params["context"] = json!({ "includeDeclaration": false });
            "textDocument/references"
        }
    };
    (method, params)
}

fn position(question: &ServerQuestion, units: ColumnUnits) -> Result<Value, ServerFailure> {
    let ServerQuestion { path, line, column, text, .. } = question;
    let found =
        columns::line(text, *line).ok_or_else(|| no_such_place(&format!("`{path}` has no line {line}")))?;
    let character = units
        .units_at(found, *column)
        .ok_or_else(|| no_such_place(&format!("line {line} of `{path}` has no column {column}")))?;
    Ok(json!({ "line": line - 1, "character": character }))
}

fn no_such_place(why: &str) -> ServerFailure {
    ServerFailure::NoSuchPlace { why: why.to_owned() }
}
