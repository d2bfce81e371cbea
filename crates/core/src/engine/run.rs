//! One piece of work: what it may use, what it does, what it found, written down as it happens.
//!
//! A recipe asks the world only through its run. So a run that was cut off goes on: what was answered before comes from
//! the log, and nothing is asked or paid twice. And a run can be run again with model and network switched off: then all
//! of it comes from the log, and what the log does not hold is an error.

mod budget;
mod envelope;
mod model_client;
mod replay_log;
mod stop;

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

pub use budget::BudgetLimit;
pub use envelope::{MAY_PASS, envelope};
pub use model_client::RunModelClient;
use replay_log::ReplayLog;
pub use replay_log::operation_ids;
pub use stop::StopSignal;

use crate::domain::corpus::Hash;
use crate::domain::evidence::{Ledger, NewEvidence};
use crate::domain::id::{EvidenceId, RunId};
use crate::domain::untrusted::Origin;
use crate::ports::event::{
    Budget, LoggedEvent, ModelAnswer, RunEnd, RunEvent, RunKind, RunOutcome, RunUsage, SentRequest,
};
use crate::ports::{
    Clock, Delta, DeltaHandler, LockGuard, Model, ModelFailure, ModelIdentity, ModelRequest, Reply,
    RunHeader, RunLogs,
};
use crate::{Error, ErrorKind, Result, WayOut};

/// How often a run is looked at anew that somebody else still writes to.
const ATTEMPTS: usize = 5;

/// Where runs are kept, and by which clock.
#[derive(Clone)]
pub struct RunStore {
    pub records: Arc<dyn RunLogs>,
    pub clock: Arc<dyn Clock>,
}

/// What a run is begun with.
#[derive(Debug, Clone)]
pub struct RunSpec {
    pub kind: RunKind,
    /// What was asked, in a line.
    pub title: String,
    /// All that the recipe needs.
    pub request: Value,
    pub budget: Budget,
}

pub struct Run {
    id: RunId,
    desk: RunStore,
    beginning: RunSpec,
    /// Whether all comes from the log, and nothing is written.
    is_replay: bool,
    taken_up: Instant,
    state: Mutex<RunState>,
    /// Nobody else works on it meanwhile.
    _claim: Option<LockGuard>,
}

struct RunState {
    past: ReplayLog,
    /// The number of the next event.
    next: u64,
    ledger: Ledger,
    spent: RunUsage,
}

/// Why a model's reply is not to be had.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelCallFailure {
    /// The budget is used up.
    Budget(BudgetLimit),
    Model(ModelFailure),
    /// The log can't be written, or does not hold what a replay needs.
    Log(Error),
}

impl From<Error> for ModelCallFailure {
    fn from(error: Error) -> Self {
        Self::Log(error)
    }
}

/// What a tool answered: the envelope, and how far it can be trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReply {
    pub envelope: Value,
    pub origin: Origin,
    /// Whether it holds something that must not leave this machine.
    pub private: bool,
}

impl ToolReply {
    /// Our own words.
    pub fn trusted(envelope: Value) -> Self {
        Self { envelope, origin: Origin::User, private: false }
    }
}

impl Run {
    pub fn begin(desk: &RunStore, beginning: RunSpec) -> Result<Self> {
        Self::begin_as(desk, RunId::fresh(), beginning)
    }

    /// The same by an id that somebody has written down already: so it is found again however early it was cut off.
    pub fn begin_as(desk: &RunStore, id: RunId, beginning: RunSpec) -> Result<Self> {
        let began = desk.clock.now().timestamp();
        let header = RunHeader {
            id: id.clone(),
            kind: beginning.kind,
            title: beginning.title.clone(),
            began,
            last: began,
            events: 1,
            ended: None,
        };
        let first = RunEvent::Began {
            kind: beginning.kind,
            title: beginning.title.clone(),
            request: beginning.request.clone(),
            budget: beginning.budget,
            wellread: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let claim = desk.records.lock_run(&id)?;
        desk.records.begin(&header, &first)?;
        Ok(Self::from_parts(id, desk, beginning, ReplayLog::default(), 1, Some(claim), false))
    }

    /// Takes up a run that was cut off or called off, or that failed.
    pub fn resume(desk: &RunStore, id: &RunId) -> Result<Self> {
        Self::resume_claimed(desk, id, Some(desk.records.lock_run(id)?))
    }

    /// The same on the word of who hands out the work: whoever holds the run still may be asleep, and can't write to it any more
    /// once this has begun, since events are numbered.
    pub fn take_over(desk: &RunStore, id: &RunId) -> Result<Self> {
        let mut claimed = desk.records.lock_run(id).ok();
        for _ in 0..ATTEMPTS {
            match Self::resume_claimed(desk, id, claimed.take()) {
                Err(error)
                    if error.kind() == ErrorKind::Conflict && error.details().contains_key("elsewhere") => {}
                taken => return taken,
            }
        }
        Err(claimed_elsewhere_error(id))
    }

    fn resume_claimed(desk: &RunStore, id: &RunId, claim: Option<LockGuard>) -> Result<Self> {
        let events = desk.records.events(id)?;
        let is_over = |outcome: &RunOutcome| !matches!(outcome, RunOutcome::Failed | RunOutcome::Cancelled);
        if let Some(outcome) = outcome(&events).filter(is_over) {
            let ended = if outcome == RunOutcome::Done { "is done" } else { "has ended" };
            return Err(Error::conflict(format!("the run {id} {ended}; there is nothing to resume"))
                .hint(format!("`wellread runs show {id}` shows what came of it"))
                .with_way_out(WayOut::Runs));
        }
        let beginning = read_spec(id, &events)?;
        let past = ReplayLog::for_resume(&events);
        let run = Self::from_parts(id.clone(), desk, beginning, past, events.len() as u64, claim, false);
        run.write(&mut run.state(), &RunEvent::Resumed)?;
        Ok(run)
    }

    /// The same run once more, from its log alone.
    pub fn replay(desk: &RunStore, id: &RunId) -> Result<Self> {
        let events = desk.records.events(id)?;
        let beginning = read_spec(id, &events)?;
        // A replay writes nothing, so it may look at a run that others work on.
        Ok(Self::from_parts(
            id.clone(),
            desk,
            beginning,
            ReplayLog::for_replay(&events),
            events.len() as u64,
            None,
            true,
        ))
    }

    fn from_parts(
        id: RunId,
        desk: &RunStore,
        beginning: RunSpec,
        past: ReplayLog,
        next: u64,
        claim: Option<LockGuard>,
        is_replay: bool,
    ) -> Self {
        let spent = past.spent();
        let ledger = Ledger::restore(id.clone(), past.evidence(), []);
        let state = Mutex::new(RunState { past, next, ledger, spent });
        Self { id, desk: desk.clone(), beginning, is_replay, taken_up: Instant::now(), state, _claim: claim }
    }

    pub fn id(&self) -> &RunId {
        &self.id
    }

    pub fn spec(&self) -> &RunSpec {
        &self.beginning
    }

    pub fn is_replay(&self) -> bool {
        self.is_replay
    }

    /// Asks a model, within the budget, and only where the log has no answer.
    pub async fn ask_model(
        &self,
        model: &dyn Model,
        request: &ModelRequest,
        heard: DeltaHandler<'_>,
    ) -> std::result::Result<Reply, ModelCallFailure> {
        let (key, limits) = keys(request)?;
        let known = self.state().past.next_model_answer(key);
        if let Some(ModelAnswer::Reply(reply)) = known {
            heard(Delta::Text(reply.text.clone()));
            return Ok(reply);
        }
        if let Some(limit) = self.state().past.next_draw(limits) {
            let limit = serde_json::from_value(limit).map_err(|error| unwritable_error(&error))?;
            return Err(ModelCallFailure::Budget(limit));
        }
        if let Some(ModelAnswer::Failure(failure)) = known {
            return Err(ModelCallFailure::Model(failure));
        }
        let identity = model.identity();
        if let Some(limit) = self.exhausted_limit(Some(&identity)) {
            return Err(self.record_limit(limits, limit));
        }
        self.ensure_live("an answer of the model")?;
        let body = serde_json::to_string(request).map_err(|error| unwritable_error(&error))?;
        // Where no model is set up, nothing is sent anywhere.
        if !identity.endpoint.is_empty() {
            self.record_sent(SentRequest {
                what: "model".to_owned(),
                to: identity.endpoint.clone(),
                about: identity.name.clone(),
                bytes: body.len() as u64,
                stays: identity.is_local,
            })?;
        }
        let began = Instant::now();
        let limited = ModelRequest { limit: self.time_left(request.limit), ..request.clone() };
        let answer = match model.ask(&limited, heard).await {
            Ok(reply) => ModelAnswer::Reply(reply),
            Err(failure) => ModelAnswer::Failure(failure),
        };
        let cost = budget::cost(&answer, &identity);
        let event = RunEvent::Model {
            key,
            name: identity.name.clone(),
            answer: answer.clone(),
            cost,
            took_ms: elapsed_ms(began),
        };
        let mut state = self.state();
        budget::add(&mut state.spent, &answer, cost);
        self.write(&mut state, &event)?;
        drop(state);
        match (answer, self.exhausted_limit(Some(&identity))) {
            (ModelAnswer::Reply(reply), _) => Ok(reply),
            // It was given no more time than the budget had.
            (ModelAnswer::Failure(ModelFailure::Unreachable { .. }), Some(BudgetLimit::Seconds)) => {
                Err(self.record_limit(limits, BudgetLimit::Seconds))
            }
            (ModelAnswer::Failure(failure), _) => Err(ModelCallFailure::Model(failure)),
        }
    }

    /// The budget ends the run here, whenever it is run again.
    fn record_limit(&self, key: Hash, limit: BudgetLimit) -> ModelCallFailure {
        let event = RunEvent::Drawn { key, name: "limit".to_owned(), value: json!(limit) };
        match self.write(&mut self.state(), &event) {
            Ok(()) => ModelCallFailure::Budget(limit),
            Err(error) => ModelCallFailure::Log(error),
        }
    }

    /// Calls a tool, where the log has no answer. One that changes something is announced in the log before; `made` says
    /// what a run that was cut off in between had done, where it had.
    pub async fn call_tool(
        &self,
        tool: &str,
        arguments: &Value,
        changes: bool,
        call: impl Future<Output = ToolReply>,
        made: impl Fn(&[String]) -> Option<ToolReply>,
    ) -> Result<ToolReply> {
        let key = key("tool", &json!([tool, arguments]))?;
        let was_calling = {
            let mut state = self.state();
            if let Some(answered) = state.past.next_tool_reply(key) {
                return Ok(answered);
            }
            state.past.take_announced_call(key)
        };
        self.ensure_live("what a tool answered")?;
        let began = Instant::now();
        let known = self.state().past.operations();
        let answered = match was_calling.then(|| made(&known)).flatten() {
            Some(answered) => answered,
            None => {
                if changes {
                    self.write(&mut self.state(), &RunEvent::Calling { key, tool: tool.to_owned() })?;
                }
                call.await
            }
        };
        let ToolReply { envelope, origin, private } = answered.clone();
        let mut state = self.state();
        state.past.record_operations(&envelope);
        let took_ms = elapsed_ms(began);
        let event = RunEvent::Tool {
            key,
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            answer: envelope,
            origin,
            private,
            took_ms,
        };
        self.write(&mut state, &event)?;
        Ok(answered)
    }

    /// Something that is different each time: drawn once, and from the log ever after.
    pub fn draw<T: Serialize + serde::de::DeserializeOwned>(
        &self,
        name: &str,
        draw: impl FnOnce() -> T,
    ) -> Result<T> {
        let key = key("drawn", &name)?;
        let mut state = self.state();
        if let Some(value) = state.past.next_draw(key) {
            return serde_json::from_value(value).map_err(|error| unwritable_error(&error));
        }
        drop(state);
        self.ensure_live(name)?;
        let drawn = draw();
        let value = serde_json::to_value(&drawn).map_err(|error| unwritable_error(&error))?;
        state = self.state();
        self.write(&mut state, &RunEvent::Drawn { key, name: name.to_owned(), value })?;
        Ok(drawn)
    }

    /// Puts something into the ledger.
    pub fn add_evidence(&self, found: NewEvidence) -> Result<EvidenceId> {
        let mut state = self.state();
        let (id, is_new) = state.ledger.add(found);
        if is_new && let Some(entry) = state.ledger.entry(&id).cloned() {
            self.write_once(&mut state, &RunEvent::Evidence(Box::new(entry)))?;
        }
        Ok(id)
    }

    /// Says that these are in a prompt, whole, and can be cited from now on.
    pub fn mark_shown(&self, ids: Vec<EvidenceId>) -> Result<()> {
        let mut state = self.state();
        let fresh: Vec<EvidenceId> = ids.into_iter().filter(|id| state.ledger.mark_shown(id)).collect();
        if fresh.is_empty() { Ok(()) } else { self.write_once(&mut state, &RunEvent::Shown { ids: fresh }) }
    }

    pub fn ledger(&self) -> Ledger {
        self.state().ledger.clone()
    }

    /// Writes down what the recipe decided by itself: a plan, a verdict, a write.
    pub fn record_event(&self, event: &RunEvent) -> Result<()> {
        self.write_once(&mut self.state(), event)
    }

    /// Something is about to leave the machine, and counts against the budget.
    pub fn record_sent(&self, sent: SentRequest) -> Result<()> {
        let mut state = self.state();
        state.spent.requests += 1;
        self.write(&mut state, &RunEvent::Sent(sent))
    }

    /// One more step of the recipe.
    pub fn count_step(&self) {
        self.state().spent.steps += 1;
    }

    /// Which limit of the budget is reached, where one is.
    pub fn exhausted_limit(&self, model: Option<&ModelIdentity>) -> Option<BudgetLimit> {
        let spent = self.spent();
        if self.is_replay { None } else { budget::reached_limit(&self.beginning.budget, &spent, model) }
    }

    pub fn spent(&self) -> RunUsage {
        let mut spent = self.state().spent;
        spent.seconds += self.taken_up.elapsed().as_secs_f64();
        spent
    }

    /// The last event. A replay compares instead, and a difference is an error.
    pub fn end(&self, outcome: RunOutcome, result: Value, report: String) -> Result<()> {
        let ended = RunEnd { outcome, result, report, spent: self.spent() };
        let mut state = self.state();
        if !self.is_replay {
            return self.write(&mut state, &RunEvent::Ended(ended));
        }
        match state.past.ending() {
            Some(before) if before.result == ended.result && before.report == ended.report => Ok(()),
            Some(_) => Err(replay_differs_error(&self.id, "its result")),
            None => Err(Error::not_found(format!("the run {} never ended", self.id))
                .hint(format!("`wellread resume {}` takes it up", self.id))),
        }
    }

    /// An event that a run which is taken up comes past again: it is in the log once.
    fn write_once(&self, state: &mut RunState, event: &RunEvent) -> Result<()> {
        if state.past.take_recorded_event(event) {
            return Ok(());
        }
        if self.is_replay {
            return Err(replay_differs_error(&self.id, "what it did"));
        }
        self.write(state, event)
    }

    fn write(&self, state: &mut RunState, event: &RunEvent) -> Result<()> {
        if self.is_replay {
            return Err(replay_differs_error(&self.id, "what it did"));
        }
        let at = self.desk.clock.now().timestamp();
        self.desk.records.append(&self.id, state.next, at, event).map_err(|error| match error.kind() {
            ErrorKind::Conflict => claimed_elsewhere_error(&self.id),
            _ => error,
        })?;
        state.next += 1;
        Ok(())
    }

    fn ensure_live(&self, what: &str) -> Result<()> {
        if !self.is_replay {
            return Ok(());
        }
        Err(Error::not_found(format!("the log of the run {} does not hold {what}", self.id))
            .hint("it was cut off there, or made by another version of Wellread"))
    }

    fn time_left(&self, limit: Duration) -> Duration {
        let Some(seconds) = self.beginning.budget.seconds else { return limit };
        limit.min(Duration::from_secs_f64((seconds as f64 - self.spent().seconds).max(0.1)))
    }

    fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn claimed_elsewhere_error(id: &RunId) -> Error {
    Error::conflict(format!("the run {id} is under way elsewhere"))
        .hint("wait for it to end, or end that process")
        .with_detail("elsewhere", true)
}

/// How a run ended, where it did and was not taken up since.
pub fn outcome(events: &[LoggedEvent]) -> Option<RunOutcome> {
    match &events.last()?.event {
        RunEvent::Ended(ended) => Some(ended.outcome),
        _ => None,
    }
}

fn read_spec(id: &RunId, events: &[LoggedEvent]) -> Result<RunSpec> {
    match events.first().map(|first| &first.event) {
        Some(RunEvent::Began { kind, title, request, budget, .. }) => {
            Ok(RunSpec { kind: *kind, title: title.clone(), request: request.clone(), budget: *budget })
        }
        _ => Err(Error::not_found(format!("there is no run {id}"))
            .hint("`wellread runs` shows the runs")
            .with_way_out(WayOut::Runs)),
    }
}

fn replay_differs_error(id: &RunId, what: &str) -> Error {
    Error::failed(format!("run again, the run {id} differs from its log in {what}"))
        .hint("it was made by another version of Wellread, or the log was changed")
}

fn key(kind: &str, asked: &impl Serialize) -> Result<Hash> {
    let asked = serde_json::to_vec(&(kind, asked)).map_err(|error| unwritable_error(&error))?;
    Ok(Hash::compute(&asked))
}

/// By what the log knows a model's answer to this, and the limit that was reached before there was one.
fn keys(request: &ModelRequest) -> Result<(Hash, Hash)> {
    let answer = key("model", request)?;
    Ok((answer, key("limit", &answer)?))
}

fn unwritable_error(error: &serde_json::Error) -> Error {
    Error::failed(format!("the run's log can't hold this: {error}"))
}

fn elapsed_ms(began: Instant) -> u64 {
    began.elapsed().as_millis() as u64
}
