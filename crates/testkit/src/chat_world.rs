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
use wellread_core::engine::run::Desk;
use wellread_core::faces::chat::{Chat, ChatEvent, ChatSettings, Hands, Limits, Response, Session};
use wellread_core::faces::tools::{Answer, AnyTool, Ctx};
use wellread_core::ports::event::{Budget, Event, Stamped};
use wellread_core::ports::{Claim, Model, Records, RunHeader};
use wellread_core::{Error, Result};

use crate::world::TOOLS;
use crate::{MemoryRecords, World};

pub struct Talking {
    pub world: World,
    pub records: Arc<MemoryRecords>,
    pub settings: ChatSettings,
    /// What was told on the way, turn after turn.
    pub told: Mutex<Vec<ChatEvent>>,
}

impl Talking {
    pub fn over(world: World) -> Self {
        world.index();
        Self::unindexed(world)
    }

    /// The same where nothing is searched for.
    pub fn unindexed(world: World) -> Self {
        let settings =
            ChatSettings { limits: Limits::default(), budget: Budget::default(), system_prompt: None };
        Self { world, records: Arc::default(), settings, told: Mutex::default() }
    }

    pub fn chat(&self, model: Arc<dyn Model>) -> Chat {
        self.chat_recorded(model, self.records.clone())
    }

    /// The same with other records for its runs.
    pub fn chat_recorded(&self, model: Arc<dyn Model>, records: Arc<dyn Records>) -> Chat {
        let ctx = self.world.ctx();
        Chat {
            desk: Desk { records, clock: self.world.vault.clock.clone() },
            model,
            sessions: self.records.clone(),
            snapshots: self.records.clone(),
            hands: Arc::new(WorldHands { ctx }),
            settings: self.settings.clone(),
        }
    }

    /// A turn in the conversation about no note.
    pub fn say(&self, model: &Arc<impl Model + 'static>, message: &str) -> Result<Response> {
        let chat = self.chat(model.clone());
        let session = chat.session(None, None)?;
        wait(chat.say(session, message, &|event| self.told.lock().unwrap().push(event)))
    }

    /// The user's word about an edit that waits in it.
    pub fn decide(&self, edit: &str, confirmed: bool) -> Result<Response> {
        let chat = self.chat(Arc::new(crate::ScriptedModel::new([])));
        let session = chat.session(None, None)?;
        wait(chat.decide(session, edit, confirmed, &|_| {}))
    }

    pub fn session(&self) -> Session {
        self.chat(Arc::new(crate::ScriptedModel::new([]))).session(None, None).unwrap()
    }

    /// Whether no run was ever begun.
    pub fn records_are_empty(&self) -> bool {
        self.records.runs("", 1).unwrap().is_empty()
    }

    pub fn last_run(&self) -> RunId {
        self.records.runs("", 1).unwrap().remove(0).id
    }

    pub fn events(&self) -> Vec<Stamped> {
        self.records.events(&self.last_run()).unwrap()
    }
}

struct WorldHands {
    ctx: Ctx,
}

impl Hands for WorldHands {
    fn tools(&self) -> &[Box<dyn AnyTool>] {
        &TOOLS
    }

    fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    fn carry_out<'a>(
        &'a self,
        ctx: Ctx,
        tool: &'a str,
        arguments: Value,
    ) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>> {
        Box::pin(async move { wellread_core::faces::tools::named(&TOOLS, tool)?.call(&ctx, arguments).await })
    }
}

/// Records that end with their process: after so many events nothing can be written any more.
pub struct CutOff {
    pub records: Arc<MemoryRecords>,
    left: AtomicUsize,
}

impl CutOff {
    pub fn after(events: usize, records: &Arc<MemoryRecords>) -> Self {
        Self { records: records.clone(), left: AtomicUsize::new(events) }
    }

    fn one_more(&self) -> Result<()> {
        let counted = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        counted.map(|_| ()).map_err(|_| Error::failed("the process has ended"))
    }
}

impl Records for CutOff {
    fn begin(&self, run: &RunHeader, first: &Event) -> Result<()> {
        self.one_more()?;
        self.records.begin(run, first)
    }

    fn claim(&self, run: &RunId) -> Result<Claim> {
        self.records.claim(run)
    }

    fn append(&self, run: &RunId, number: u64, at: Timestamp, event: &Event) -> Result<()> {
        self.one_more()?;
        self.records.append(run, number, at, event)
    }

    fn events(&self, run: &RunId) -> Result<Vec<Stamped>> {
        self.records.events(run)
    }

    fn runs(&self, beginning: &str, at_most: usize) -> Result<Vec<RunHeader>> {
        self.records.runs(beginning, at_most)
    }
}

/// Waits for a future on this thread.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
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
