//! Language servers on the user's machine, through a small client of our own.
//!
//! A server is started by the first question, one per repository and command, and ended when it has been idle for a
//! while. It gets no keys, no network where the system can prevent it, and as much time as the question allows. All of
//! this runs on a thread of its own, so that callers may use any runtime.
//!
//! | file | what |
//! | --- | --- |
//! | `framing`, `wire` | messages: their frames, and which kinds there are |
//! | `columns`, `places`, `answers` | converting questions and answers between our terms and the protocol's |
//! | `server_kind`, `brought_code`, `program`, `isolation` | which program is started and with which environment, and which is refused |
//! | `process`, `replies`, `busy` | a running server: our answers to its requests, and whether it is busy |
//! | `handshake`, `documents`, `session` | initializing a server, opening documents in it, asking it |
//! | `slot` | starting a server, restarting it, giving up |

mod answers;
mod brought_code;
mod busy;
mod columns;
mod documents;
mod framing;
mod handshake;
mod isolation;
mod places;
mod process;
mod program;
mod replies;
mod server_kind;
mod session;
mod slot;
mod wire;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout, timeout_at};
use wellread_core::ports::{BoxFuture, LanguageServers, ServerAnswer, ServerFailure, ServerQuestion};
use wellread_text::Language;

#[cfg(fuzzing)]
pub use self::framing::read_frame;
use self::isolation::ServerIsolation;
use self::server_kind::ServerKind;
use self::session::ServerLaunch;
use self::slot::ServerSlot;
use crate::repository::RepositoryFiles;

/// How many questions may wait in the queue.
const WAITING: usize = 64;
/// The longest time limit of a question.
const LONGEST: Duration = Duration::from_secs(3600);
/// How long reading an answer that came at the last moment may take.
const READ_GRACE: Duration = Duration::from_secs(2);
/// How long to wait at the end for all servers to be gone.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// Which servers are enabled, and their time limits.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// The words of the command by language (`Language::name`).
    pub commands: BTreeMap<String, Vec<String>>,
    /// How long the handshake may take.
    pub start_limit: Duration,
    /// How long a server may be idle before it is ended.
    pub idle: Duration,
    /// The one folder that servers may write in; without one, a temporary folder that is gone with them.
    pub scratch: Option<PathBuf>,
}

impl ServerSettings {
    pub fn new(commands: BTreeMap<String, Vec<String>>) -> Self {
        Self { commands, start_limit: Duration::from_secs(60), idle: Duration::from_secs(600), scratch: None }
    }
}

/// The servers of all repositories. Dropping it ends them.
#[derive(Debug)]
pub struct LanguageServerPool {
    settings: ServerSettings,
    repositories: Vec<(String, Arc<RepositoryFiles>)>,
    keeper: Mutex<Option<PoolThread>>,
}

/// The thread that the servers run on.
#[derive(Debug)]
struct PoolThread {
    questions: mpsc::Sender<PendingQuestion>,
    thread: JoinHandle<()>,
}

type ServerResult = Result<ServerAnswer, ServerFailure>;

#[derive(Debug)]
struct PendingQuestion {
    question: ServerQuestion,
    answer_sender: oneshot::Sender<ServerResult>,
}

impl LanguageServerPool {
    /// Starts nothing yet. The repositories are those being studied, by the names that questions use.
    pub fn new(settings: ServerSettings, repositories: Vec<(String, Arc<RepositoryFiles>)>) -> Self {
        Self { settings, repositories, keeper: Mutex::new(None) }
    }

    /// The channel for questions. The first call starts the thread; `None` if that fails.
    fn question_sender(&self) -> Option<mpsc::Sender<PendingQuestion>> {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if keeper.is_none() {
            let (questions, to_answer) = mpsc::channel(WAITING);
            let (settings, repositories) = (self.settings.clone(), self.repositories.clone());
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
            let work = move || runtime.block_on(PoolWorker::new(settings, repositories).run(to_answer));
            let thread = thread::Builder::new().name("language servers".to_owned()).spawn(work).ok()?;
            *keeper = Some(PoolThread { questions, thread });
        }
        keeper.as_ref().map(|keeper| keeper.questions.clone())
    }
}

impl LanguageServers for LanguageServerPool {
    fn serves(&self, language: &str) -> bool {
        self.settings.commands.contains_key(language)
    }

    fn ask<'a>(&'a self, question: &'a ServerQuestion) -> BoxFuture<'a, ServerResult> {
        Box::pin(async move {
            let language = &question.language;
            let not_on = || ServerFailure::NotSwitchedOn { language: language.clone() };
            let words = self.settings.commands.get(language).ok_or_else(not_on)?;
            let command = words.first().cloned().unwrap_or_default();
            let (answer_sender, answered) = oneshot::channel();
            let asked = PendingQuestion { question: question.clone(), answer_sender };
            let questions =
                self.question_sender().ok_or_else(|| ServerFailure::Missing { command: command.clone() })?;
            // Dropping this future drops `told`, which cancels the question.
            match questions.send(asked).await {
                Ok(()) => answered.await.unwrap_or(Err(ServerFailure::Died { command, said: None })),
                Err(_) => Err(ServerFailure::Died { command, said: None }),
            }
        })
    }
}

impl Drop for LanguageServerPool {
    fn drop(&mut self) {
        let keeper = self.keeper.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(PoolThread { questions, thread }) = keeper {
            drop(questions);
            // The thread ends all servers, each within seconds.
            let _ = thread.join();
        }
    }
}

/// All servers, on their thread.
#[derive(Debug)]
struct PoolWorker {
    settings: ServerSettings,
    repositories: HashMap<String, (Arc<RepositoryFiles>, PathBuf)>,
    studied: Vec<PathBuf>,
    apart: ServerIsolation,
    slots: HashMap<(String, Vec<String>), Arc<ServerSlot>>,
    /// Held by everything that runs, and by the worker itself.
    alive: mpsc::Sender<()>,
    all_gone: mpsc::Receiver<()>,
}

impl PoolWorker {
    fn new(settings: ServerSettings, repositories: Vec<(String, Arc<RepositoryFiles>)>) -> Self {
        let settled = |(name, files): (String, Arc<RepositoryFiles>)| {
            let root = files.path().canonicalize().ok()?;
            Some((name, (files, root)))
        };
        let repositories: HashMap<_, _> = repositories.into_iter().filter_map(settled).collect();
        let studied = repositories.values().map(|(_, root)| root.clone()).collect();
        let (alive, all_gone) = mpsc::channel(1);
        let apart = ServerIsolation::detect(settings.scratch.as_deref());
        let slots = HashMap::new();
        Self { settings, repositories, studied, apart, slots, alive, all_gone }
    }

    /// Runs until the pool is dropped.
    async fn run(mut self, mut to_answer: mpsc::Receiver<PendingQuestion>) {
        let mut look = tokio::time::interval(self.settings.idle.max(Duration::from_millis(100)) / 4);
        loop {
            tokio::select! {
                asked = to_answer.recv() => match asked {
                    Some(asked) => self.spawn_answer(asked),
                    None => break,
                },
                _ = look.tick() => self.end_idle().await,
            }
        }
        let ends = self.slots.into_values().map(|slot| tokio::spawn(async move { slot.shut_down().await }));
        for end in ends.collect::<Vec<_>>() {
            let _ = end.await;
        }
        drop(self.alive);
        let _ = timeout(SHUTDOWN_TIMEOUT, self.all_gone.recv()).await;
    }

    fn spawn_answer(&mut self, asked: PendingQuestion) {
        let PendingQuestion { mut question, mut answer_sender } = asked;
        question.limit = question.limit.min(LONGEST);
        let deadline = Instant::now() + question.limit;
        let slot = match self.slot(&question) {
            Ok(slot) => slot,
            // The caller may have gone.
            Err(failure) => return drop(answer_sender.send(Err(failure))),
        };
        tokio::spawn(async move {
            let _asking = slot.begin_request();
            let answer = async {
                let session = slot.session(deadline).await?;
                session.ask(&question, deadline).await
            };
            let timed_out = || ServerFailure::TimedOut { command: slot.command() };
            tokio::select! {
                answer = timeout_at(deadline + READ_GRACE, answer) => {
                    drop(answer_sender.send(answer.unwrap_or_else(|_| Err(timed_out()))));
                }
                () = answer_sender.closed() => {}
            }
        });
    }

    fn slot(&mut self, question: &ServerQuestion) -> Result<Arc<ServerSlot>, ServerFailure> {
        let not_on = || ServerFailure::NotSwitchedOn { language: question.language.clone() };
        let words = self.settings.commands.get(&question.language).ok_or_else(not_on)?;
        let named = self.repositories.get(&question.repository);
        let (repository, root) = named.ok_or_else(|| ServerFailure::NoSuchPlace {
            why: format!("there is no repository `{}`", question.repository),
        })?;
        let start = || ServerLaunch {
            words: words.clone(),
            repository: repository.clone(),
            root: root.clone(),
            studied: self.studied.clone(),
            apart: self.apart.clone(),
            limit: self.settings.start_limit,
            alive: self.alive.clone(),
        };
        let key = (question.repository.clone(), words.clone());
        Ok(self.slots.entry(key).or_insert_with(|| ServerSlot::new(start())).clone())
    }

    async fn end_idle(&mut self) {
        let idle = self.settings.idle;
        for slot in self.slots.values().filter(|slot| slot.is_idle(idle)) {
            slot.shut_down().await;
        }
    }
}

/// The names of the languages that a server can be enabled for.
pub fn languages() -> impl Iterator<Item = &'static str> {
    Language::ALL.into_iter().map(Language::name)
}

/// The state of an enabled server, found out without starting it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerState {
    pub language: String,
    pub command: String,
    /// The path of the program; `None` if it is not installed.
    pub program: Option<PathBuf>,
    pub network_is_off: bool,
    /// Whether it can write nowhere but in a folder of its own.
    pub writing_is_off: bool,
    /// A warning for the user, if there is one.
    pub caution: Option<&'static str>,
}

/// The state of each enabled server.
pub fn server_states(settings: &ServerSettings) -> Vec<ServerState> {
    let apart = ServerIsolation::detect(settings.scratch.as_deref());
    let state = |(language, words): (&String, &Vec<String>)| {
        let command = words.first().cloned().unwrap_or_default();
        ServerState {
            language: language.clone(),
            program: program::locate_program(&command),
            network_is_off: apart.has_no_network(),
            writing_is_off: apart.is_read_only(),
            caution: ServerKind::from_command(words).caution(),
            command,
        }
    };
    settings.commands.iter().map(state).collect()
}
