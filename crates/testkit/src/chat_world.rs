//! A conversation over a world in memory: a scripted model, the real loop, the real tools.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use jiff::Timestamp;
use serde_json::Value;
use wellread_core::domain::id::RunId;
use wellread_core::engine::run::RunStore;
use wellread_core::faces::chat::{
    AgentLimits, Chat, ChatEvent, ChatResponse, ChatSettings, Session, ToolRunner,
};
use wellread_core::faces::tools::{AnyTool, Ctx, ToolOutput};
use wellread_core::ports::event::{Budget, LoggedEvent, RunEvent};
use wellread_core::ports::{LockGuard, Model, RunHeader, RunLogs};
use wellread_core::{Error, Result};

use crate::agenda_fixtures::USER;
use crate::world::TOOLS;
use crate::{MemoryRecords, World};

pub struct ChatWorld {
    pub world: World,
    pub records: Arc<MemoryRecords>,
    pub settings: ChatSettings,
    /// What was told on the way, turn after turn.
    pub told: Mutex<Vec<ChatEvent>>,
}

impl ChatWorld {
    pub fn new(world: World) -> Self {
        world.index();
        Self::without_index(world)
    }

    /// A chat world without an index.
    pub fn without_index(world: World) -> Self {
        let settings =
            ChatSettings { limits: AgentLimits::default(), budget: Budget::default(), system_prompt: None };
        Self { world, records: Arc::default(), settings, told: Mutex::default() }
    }

    pub fn chat(&self, model: Arc<dyn Model>) -> Chat {
        self.chat_with_records(model, self.records.clone())
    }

    /// A chat whose runs are logged in other records.
    pub fn chat_with_records(&self, model: Arc<dyn Model>, records: Arc<dyn RunLogs>) -> Chat {
        let ctx = self.world.ctx();
        Chat {
            runs: RunStore { records, clock: self.world.vault.clock.clone() },
            model,
            sessions: self.records.clone(),
            snapshots: self.records.clone(),
            tool_runner: Arc::new(WorldToolRunner { ctx }),
            settings: self.settings.clone(),
        }
    }

    /// A turn in the conversation about no note.
    pub fn say(&self, model: &Arc<impl Model + 'static>, message: &str) -> Result<ChatResponse> {
        let chat = self.chat(model.clone());
        let session = chat.session(None, None)?;
        block_on(chat.say(session, message, &|event| self.told.lock().unwrap().push(event)))
    }

    /// The user's word about an edit that waits in it.
    pub fn decide(&self, edit: &str, confirmed: bool) -> Result<ChatResponse> {
        let chat = self.chat(Arc::new(crate::ScriptedModel::new([])));
        let session = chat.session(None, None)?;
        block_on(chat.decide(USER, session, edit, confirmed, &|_| {}))
    }

    pub fn session(&self) -> Session {
        self.chat(Arc::new(crate::ScriptedModel::new([]))).session(None, None).unwrap()
    }

    /// Whether no run was ever begun.
    pub fn has_no_runs(&self) -> bool {
        self.records.runs("", 1).unwrap().is_empty()
    }

    pub fn last_run(&self) -> RunId {
        self.records.runs("", 1).unwrap().remove(0).id
    }

    pub fn events(&self) -> Vec<LoggedEvent> {
        self.records.events(&self.last_run()).unwrap()
    }
}

struct WorldToolRunner {
    ctx: Ctx,
}

impl ToolRunner for WorldToolRunner {
    fn tools(&self) -> &[Box<dyn AnyTool>] {
        &TOOLS
    }

    fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    fn run_tool<'a>(
        &'a self,
        ctx: Ctx,
        tool: &'a str,
        arguments: Value,
    ) -> Pin<Box<dyn Future<Output = Result<ToolOutput>> + Send + 'a>> {
        Box::pin(
            async move { wellread_core::faces::tools::find_tool(&TOOLS, tool)?.call(&ctx, arguments).await },
        )
    }
}

/// Records that end with their process: after so many events nothing can be written any more.
pub struct FailingRecords {
    pub records: Arc<MemoryRecords>,
    left: AtomicUsize,
}

impl FailingRecords {
    pub fn fail_after(events: usize, records: &Arc<MemoryRecords>) -> Self {
        Self { records: records.clone(), left: AtomicUsize::new(events) }
    }

    fn count_event(&self) -> Result<()> {
        let counted = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        counted.map(|_| ()).map_err(|_| Error::failed("the process has ended"))
    }
}

impl RunLogs for FailingRecords {
    fn begin(&self, run: &RunHeader, first: &RunEvent) -> Result<()> {
        self.count_event()?;
        self.records.begin(run, first)
    }

    fn lock_run(&self, run: &RunId) -> Result<LockGuard> {
        self.records.lock_run(run)
    }

    fn append(&self, run: &RunId, number: u64, at: Timestamp, event: &RunEvent) -> Result<()> {
        self.count_event()?;
        self.records.append(run, number, at, event)
    }

    fn events(&self, run: &RunId) -> Result<Vec<LoggedEvent>> {
        self.records.events(run)
    }

    fn runs(&self, beginning: &str, at_most: usize) -> Result<Vec<RunHeader>> {
        self.records.runs(beginning, at_most)
    }
}

/// Waits for a future on this thread.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}
