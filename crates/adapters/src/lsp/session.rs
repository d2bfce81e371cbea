//! A server that has been introduced to a repository, and is asked about it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Mutex, mpsc};
use tokio::time::{Instant, sleep};
use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{ServerAnswer, ServerAsked, ServerFailure, ServerQuestion};

use super::answers;
use super::busy::Quiet;
use super::columns::{self, Units};
use super::documents::Documents;
use super::handshake;
use super::places::{Reader, address};
use super::process::{End, NoReply, Process};
use super::program::{self, Apart};
use super::replies::Replies;
use super::server_kind::Known;
use super::wire;
use crate::repository::RepositoryFiles;

/// How often the same is asked where a server was still reading when it answered, or gave the question up.
const ROUNDS: usize = 2;
const PASSING: usize = 20;
const A_MOMENT: Duration = Duration::from_millis(100);
/// After so many questions in a row without an answer it is ended: the next one is for a new process.
const PATIENCE: u32 = 2;

#[derive(Debug)]
pub struct Session {
    command: String,
    process: Process,
    repository: Arc<RepositoryFiles>,
    root: PathBuf,
    units: Units,
    documents: Mutex<Documents>,
    unanswered: AtomicU32,
}

/// What is started, and for whom.
#[derive(Debug, Clone)]
pub struct Start {
    pub words: Vec<String>,
    pub repository: Arc<RepositoryFiles>,
    /// With all links followed.
    pub root: PathBuf,
    pub studied: Vec<PathBuf>,
    pub apart: Apart,
    /// For the introduction.
    pub limit: Duration,
    /// Kept by everything that has not ended.
    pub alive: mpsc::Sender<()>,
}

impl Session {
    pub async fn start(start: &Start) -> Result<Self, ServerFailure> {
        let name = start.words.first().cloned().unwrap_or_default();
        let known = Known::of(&start.words);
        if let Some(why) = known.refusal(&start.root) {
            return Err(ServerFailure::Unsafe { command: name, why });
        }
        let missing = || ServerFailure::Missing { command: name.clone() };
        let command = program::command(&start.words, &start.root, &start.studied, &start.apart);
        let folder = json!({ "uri": address(&start.root), "name": folder_name(&start.root) });
        let replies = Replies { known, folder: folder.clone() };
        let quiet = Quiet::new(known.says_when_at_rest());
        let command = command.ok_or_else(missing)?;
        let process = Process::start(command, replies, quiet, start.alive.clone()).map_err(|_| missing())?;
        let mut session = Self {
            command: name,
            process,
            repository: start.repository.clone(),
            root: start.root.clone(),
            units: Units::Utf16,
            documents: Mutex::default(),
            unanswered: AtomicU32::new(0),
        };
        let deadline = Instant::now() + start.limit;
        match session.introduced(known, &folder, start.apart.works(), deadline).await {
            Ok(()) => Ok(session),
            Err(failure) => {
                session.process.kill(End::Asked);
                session.process.gone().await;
                Err(failure)
            }
        }
    }

    async fn introduced(
        &mut self,
        known: Known,
        folder: &Value,
        is_apart: bool,
        deadline: Instant,
    ) -> Result<(), ServerFailure> {
        let params = handshake::ours(known, folder, is_apart);
        let introduced = match self.process.ask("initialize", &params, deadline).await {
            Ok(message) => handshake::units(&message),
            Err(NoReply::TimedOut) => return Err(ServerFailure::NotReady { command: self.command.clone() }),
            Err(other) => return Err(self.failure(other).await),
        };
        self.units = introduced.ok_or_else(|| self.broken("its introduction can't be understood"))?;
        match self.process.tell("initialized", &json!({}), deadline).await {
            Ok(()) => Ok(()),
            Err(other) => Err(self.failure(other).await),
        }
    }

    pub fn has_ended(&self) -> bool {
        self.process.ended().is_some()
    }

    /// Whether it came to an end that we did not ask for.
    pub fn has_failed(&self) -> bool {
        self.process.ended().is_some_and(|end| end != End::Asked)
    }

    pub async fn end(&self) {
        self.process.end().await;
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
            Err(no_reply) => return Err(self.unanswered(no_reply).await),
        };
        let (method, params) = asked(question.what, &address, &position);
        // What it knows by then is better than nothing.
        let last_call = deadline - question.limit / 4;
        let (mut rounds, mut passing) = (0, 0);
        loop {
            self.process.quiet().until(last_call).await;
            let before = self.process.quiet().ended();
            let message = match self.process.ask(method, &params, deadline).await {
                Ok(message) => message,
                Err(NoReply::Error(code)) if wire::is_passing(code) && passing < PASSING => {
                    passing += 1;
                    sleep(A_MOMENT).await;
                    continue;
                }
                Err(NoReply::Error(code)) if wire::is_unknown(code) => {
                    return Err(ServerFailure::Unable { command: self.command.clone(), what: question.what });
                }
                Err(no_reply) => return Err(self.unanswered(no_reply).await),
            };
            self.unanswered.store(0, Ordering::Relaxed);
            rounds += 1;
            let is_busy = self.process.quiet().is_busy();
            let may_lack = is_busy || self.process.quiet().ended() != before;
            if may_lack && rounds < ROUNDS && (!is_busy || Instant::now() < last_call) {
                continue;
            }
            return self.read(question, message, is_busy).await;
        }
    }

    async fn read(
        &self,
        question: &ServerQuestion,
        message: Vec<u8>,
        is_busy: bool,
    ) -> Result<ServerAnswer, ServerFailure> {
        let (repository, root, units) = (self.repository.clone(), self.root.clone(), self.units);
        let (what, path, text) = (question.what, question.path.clone(), question.text.clone());
        let read = tokio::task::spawn_blocking(move || {
            let texts = HashMap::from([(path, Some(text))]);
            answers::read(what, &message, &mut Reader { repository: &repository, root: &root, units, texts })
        });
        let answer = read.await.ok().flatten();
        let answer = answer.ok_or_else(|| self.broken("an answer is not of the shape that was asked for"))?;
        if !is_busy {
            return Ok(answer);
        }
        if answer.places.is_empty() && answer.hover.is_none() {
            return Err(ServerFailure::NotReady { command: self.command.clone() });
        }
        Ok(answers::marked(answer, "the language server was still reading the repository"))
    }

    /// One that leaves questions unanswered, though it is at rest, is ended.
    async fn unanswered(&self, no_reply: NoReply) -> ServerFailure {
        if no_reply != NoReply::TimedOut {
            return self.failure(no_reply).await;
        }
        if self.process.quiet().is_busy() {
            return ServerFailure::NotReady { command: self.command.clone() };
        }
        if self.unanswered.fetch_add(1, Ordering::Relaxed) + 1 >= PATIENCE {
            self.process.kill(End::Broken("it does not answer"));
            self.process.gone().await;
        }
        self.failure(no_reply).await
    }

    async fn failure(&self, no_reply: NoReply) -> ServerFailure {
        let command = self.command.clone();
        match no_reply {
            NoReply::TimedOut => ServerFailure::TimedOut { command },
            NoReply::Error(code) => {
                ServerFailure::Broken { command, why: format!("it answered with the error {code}") }
            }
            NoReply::Ended => match self.process.gone().await {
                End::Broken(why) => self.broken(why),
                End::Asked | End::Died => {
                    ServerFailure::Died { command, said: self.process.said().map(Untrusted::outside) }
                }
            },
        }
    }

    fn broken(&self, why: &str) -> ServerFailure {
        ServerFailure::Broken { command: self.command.clone(), why: why.to_owned() }
    }
}

fn folder_name(root: &Path) -> String {
    root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn asked(what: ServerAsked, address: &str, position: &Value) -> (&'static str, Value) {
    let mut params = json!({ "textDocument": { "uri": address }, "position": position });
    let method = match what {
        ServerAsked::Definition => "textDocument/definition",
        ServerAsked::Hover => "textDocument/hover",
        ServerAsked::References => {
            params["context"] = json!({ "includeDeclaration": false });
            "textDocument/references"
        }
    };
    (method, params)
}

fn position(question: &ServerQuestion, units: Units) -> Result<Value, ServerFailure> {
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
