//! One piece of work: what it may use, what it does, what it found, written down as it happens.
//!
//! A recipe asks the world only through its run. So a run that was cut off goes on: what was answered before comes from
//! the log, and nothing is asked or paid twice. And a run can be run again with model and network switched off: then all
//! of it comes from the log, and what the log does not hold is an error.

mod budget;
mod by_run;
mod envelope;
mod past;
mod stop;

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

pub use budget::Limit;
pub use by_run::ByRun;
pub use envelope::{MAY_PASS, envelope};
use past::Past;
pub use past::operations;
pub use stop::Stop;

use crate::corpus::Hash;
use crate::event::{Budget, Ended, Event, ModelAnswer, Outcome, RunKind, Sent, Spent, Stamped};
use crate::evidence::{Found, Ledger};
use crate::id::{EvidenceId, RunId};
use crate::ports::{
    Claim, Clock, Delta, Heard, Model, ModelFailure, ModelIdentity, ModelRequest, Records, Reply, RunHeader,
};
use crate::untrusted::Origin;
use crate::{Error, Kind, Result};

/// How often a run is looked at anew that somebody else still writes to.
const ATTEMPTS: usize = 5;

/// Where runs are kept, and by which clock.
#[derive(Clone)]
pub struct Desk {
    pub records: Arc<dyn Records>,
    pub clock: Arc<dyn Clock>,
}

/// What a run is begun with.
#[derive(Debug, Clone)]
pub struct Beginning {
    pub kind: RunKind,
    /// What was asked, in a line.
    pub title: String,
    /// All that the recipe needs.
    pub request: Value,
    pub budget: Budget,
}

pub struct Run {
    id: RunId,
    desk: Desk,
    beginning: Beginning,
    /// Whether all comes from the log, and nothing is written.
    is_replay: bool,
    taken_up: Instant,
    state: Mutex<State>,
    /// Nobody else works on it meanwhile.
    _claim: Option<Claim>,
}

struct State {
    past: Past,
    /// The number of the next event.
    next: u64,
    ledger: Ledger,
    spent: Spent,
}

/// Why a model's reply is not to be had.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// The budget is used up.
    Budget(Limit),
    Model(ModelFailure),
    /// The log can't be written, or does not hold what a replay needs.
    Log(Error),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Log(error)
    }
}

/// What a tool answered: the envelope, and how far it can be trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    pub envelope: Value,
    pub origin: Origin,
    /// Whether it holds something that must not leave this machine.
    pub private: bool,
}

impl Answered {
    /// Our own words.
    pub fn ours(envelope: Value) -> Self {
        Self { envelope, origin: Origin::User, private: false }
    }
}

impl Run {
    pub fn begin(desk: &Desk, beginning: Beginning) -> Result<Self> {
        Self::begin_as(desk, RunId::fresh(), beginning)
    }

    /// The same by an id that somebody has written down already: so it is found again however early it was cut off.
    pub fn begin_as(desk: &Desk, id: RunId, beginning: Beginning) -> Result<Self> {
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
        let first = Event::Began {
            kind: beginning.kind,
            title: beginning.title.clone(),
            request: beginning.request.clone(),
            budget: beginning.budget,
            wellread: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let claim = desk.records.claim(&id)?;
        desk.records.begin(&header, &first)?;
        Ok(Self::of(id, desk, beginning, Past::default(), 1, Some(claim), false))
    }

    /// Takes up a run that was cut off or called off, or that failed.
    pub fn resume(desk: &Desk, id: &RunId) -> Result<Self> {
        Self::taken_up(desk, id, Some(desk.records.claim(id)?))
    }

    /// The same on the word of who hands out the work: whoever holds the run still may be asleep, and can't write to it any more
    /// once this has begun, since events are numbered.
    pub fn take_over(desk: &Desk, id: &RunId) -> Result<Self> {
        let mut claimed = desk.records.claim(id).ok();
        for _ in 0..ATTEMPTS {
            match Self::taken_up(desk, id, claimed.take()) {
                Err(error) if error.kind() == Kind::Conflict && error.details().contains_key("elsewhere") => {
                }
                taken => return taken,
            }
        }
        Err(elsewhere(id))
    }

    fn taken_up(desk: &Desk, id: &RunId, claim: Option<Claim>) -> Result<Self> {
        let events = desk.records.events(id)?;
        let is_over = |outcome: &Outcome| !matches!(outcome, Outcome::Failed | Outcome::Cancelled);
        if let Some(outcome) = outcome(&events).filter(is_over) {
            let ended = if outcome == Outcome::Done { "is done" } else { "has ended" };
            return Err(Error::conflict(format!("the run {id} {ended}; there is nothing to resume"))
                .hint(format!("`wellread runs show {id}` shows what came of it")));
        }
        let beginning = beginning(id, &events)?;
        let past = Past::to_go_on(&events);
        let run = Self::of(id.clone(), desk, beginning, past, events.len() as u64, claim, false);
        run.write(&mut run.state(), &Event::Resumed)?;
        Ok(run)
    }

    /// The same run once more, from its log alone.
    pub fn replay(desk: &Desk, id: &RunId) -> Result<Self> {
        let events = desk.records.events(id)?;
        let beginning = beginning(id, &events)?;
        // A replay writes nothing, so it may look at a run that others work on.
        Ok(Self::of(id.clone(), desk, beginning, Past::whole(&events), events.len() as u64, None, true))
    }

    fn of(
        id: RunId,
        desk: &Desk,
        beginning: Beginning,
        past: Past,
        next: u64,
        claim: Option<Claim>,
        is_replay: bool,
    ) -> Self {
        let spent = past.spent();
        let ledger = Ledger::restored(id.clone(), past.evidence(), []);
        let state = Mutex::new(State { past, next, ledger, spent });
        Self { id, desk: desk.clone(), beginning, is_replay, taken_up: Instant::now(), state, _claim: claim }
    }

    pub fn id(&self) -> &RunId {
        &self.id
    }

    pub fn beginning(&self) -> &Beginning {
        &self.beginning
    }

    pub fn is_replay(&self) -> bool {
        self.is_replay
    }

    /// Asks a model, within the budget, and only where the log has no answer.
    pub async fn ask(
        &self,
        model: &dyn Model,
        request: &ModelRequest,
        heard: Heard<'_>,
    ) -> std::result::Result<Reply, Trouble> {
        let (key, limits) = keys(request)?;
        let known = self.state().past.model(key);
        if let Some(ModelAnswer::Reply(reply)) = known {
            heard(Delta::Text(reply.text.clone()));
            return Ok(reply);
        }
        if let Some(limit) = self.state().past.drawn(limits) {
            let limit = serde_json::from_value(limit).map_err(|error| unwritable(&error))?;
            return Err(Trouble::Budget(limit));
        }
        if let Some(ModelAnswer::Failure(failure)) = known {
            return Err(Trouble::Model(failure));
        }
        let identity = model.identity();
        if let Some(limit) = self.exhausted(Some(&identity)) {
            return Err(self.reached(limits, limit));
        }
        self.only_live("an answer of the model")?;
        let body = serde_json::to_string(request).map_err(|error| unwritable(&error))?;
        // Where no model is set up, nothing is sent anywhere.
        if !identity.endpoint.is_empty() {
            self.sent(Sent {
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
        let event = Event::Model {
            key,
            name: identity.name.clone(),
            answer: answer.clone(),
            cost,
            took_ms: since(began),
        };
        let mut state = self.state();
        budget::add(&mut state.spent, &answer, cost);
        self.write(&mut state, &event)?;
        drop(state);
        match (answer, self.exhausted(Some(&identity))) {
            (ModelAnswer::Reply(reply), _) => Ok(reply),
            // It was given no more time than the budget had.
            (ModelAnswer::Failure(ModelFailure::Unreachable { .. }), Some(Limit::Seconds)) => {
                Err(self.reached(limits, Limit::Seconds))
            }
            (ModelAnswer::Failure(failure), _) => Err(Trouble::Model(failure)),
        }
    }

    /// The budget ends the run here, whenever it is run again.
    fn reached(&self, key: Hash, limit: Limit) -> Trouble {
        let event = Event::Drawn { key, name: "limit".to_owned(), value: json!(limit) };
        match self.write(&mut self.state(), &event) {
            Ok(()) => Trouble::Budget(limit),
            Err(error) => Trouble::Log(error),
        }
    }

    /// Calls a tool, where the log has no answer. One that changes something is announced in the log before; `made` says
    /// what a run that was cut off in between had done, where it had.
    pub async fn tool(
        &self,
        tool: &str,
        arguments: &Value,
        changes: bool,
        call: impl Future<Output = Answered>,
        made: impl Fn(&[String]) -> Option<Answered>,
    ) -> Result<Answered> {
        let key = key("tool", &json!([tool, arguments]))?;
        let was_calling = {
            let mut state = self.state();
            if let Some(answered) = state.past.tool(key) {
                return Ok(answered);
            }
            state.past.was_calling(key)
        };
        self.only_live("what a tool answered")?;
        let began = Instant::now();
        let known = self.state().past.operations();
        let answered = match was_calling.then(|| made(&known)).flatten() {
            Some(answered) => answered,
            None => {
                if changes {
                    self.write(&mut self.state(), &Event::Calling { key, tool: tool.to_owned() })?;
                }
                call.await
            }
        };
        let Answered { envelope, origin, private } = answered.clone();
        let mut state = self.state();
        state.past.note_operations(&envelope);
        let took_ms = since(began);
        let event = Event::Tool {
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
        if let Some(value) = state.past.drawn(key) {
            return serde_json::from_value(value).map_err(|error| unwritable(&error));
        }
        drop(state);
        self.only_live(name)?;
        let drawn = draw();
        let value = serde_json::to_value(&drawn).map_err(|error| unwritable(&error))?;
        state = self.state();
        self.write(&mut state, &Event::Drawn { key, name: name.to_owned(), value })?;
        Ok(drawn)
    }

    /// Puts something into the ledger.
    pub fn evidence(&self, found: Found) -> Result<EvidenceId> {
        let mut state = self.state();
        let (id, is_new) = state.ledger.add(found);
        if is_new && let Some(entry) = state.ledger.entry(&id).cloned() {
            self.mark(&mut state, &Event::Evidence(Box::new(entry)))?;
        }
        Ok(id)
    }

    /// Says that these are in a prompt, whole, and can be cited from now on.
    pub fn show(&self, ids: Vec<EvidenceId>) -> Result<()> {
        let mut state = self.state();
        let fresh: Vec<EvidenceId> = ids.into_iter().filter(|id| state.ledger.show(id)).collect();
        if fresh.is_empty() { Ok(()) } else { self.mark(&mut state, &Event::Shown { ids: fresh }) }
    }

    pub fn ledger(&self) -> Ledger {
        self.state().ledger.clone()
    }

    /// Writes down what the recipe decided by itself: a plan, a verdict, a write.
    pub fn note(&self, event: &Event) -> Result<()> {
        self.mark(&mut self.state(), event)
    }

    /// Something is about to leave the machine, and counts against the budget.
    pub fn sent(&self, sent: Sent) -> Result<()> {
        let mut state = self.state();
        state.spent.requests += 1;
        self.write(&mut state, &Event::Sent(sent))
    }

    /// One more step of the recipe.
    pub fn step(&self) {
        self.state().spent.steps += 1;
    }

    /// Which limit of the budget is reached, where one is.
    pub fn exhausted(&self, model: Option<&ModelIdentity>) -> Option<Limit> {
        let spent = self.spent();
        if self.is_replay { None } else { budget::reached(&self.beginning.budget, &spent, model) }
    }

    pub fn spent(&self) -> Spent {
        let mut spent = self.state().spent;
        spent.seconds += self.taken_up.elapsed().as_secs_f64();
        spent
    }

    /// The last event. A replay compares instead, and a difference is an error.
    pub fn end(&self, outcome: Outcome, result: Value, report: String) -> Result<()> {
        let ended = Ended { outcome, result, report, spent: self.spent() };
        let mut state = self.state();
        if !self.is_replay {
            return self.write(&mut state, &Event::Ended(ended));
        }
        match state.past.ended() {
            Some(before) if before.result == ended.result && before.report == ended.report => Ok(()),
            Some(_) => Err(differs(&self.id, "its result")),
            None => Err(Error::not_found(format!("the run {} never ended", self.id))
                .hint(format!("`wellread resume {}` takes it up", self.id))),
        }
    }

    /// An event that a run which is taken up comes past again: it is in the log once.
    fn mark(&self, state: &mut State, event: &Event) -> Result<()> {
        if state.past.came_past(event) {
            return Ok(());
        }
        if self.is_replay {
            return Err(differs(&self.id, "what it did"));
        }
        self.write(state, event)
    }

    fn write(&self, state: &mut State, event: &Event) -> Result<()> {
        if self.is_replay {
            return Err(differs(&self.id, "what it did"));
        }
        let at = self.desk.clock.now().timestamp();
        self.desk.records.append(&self.id, state.next, at, event).map_err(|error| match error.kind() {
            Kind::Conflict => elsewhere(&self.id),
            _ => error,
        })?;
        state.next += 1;
        Ok(())
    }

    fn only_live(&self, what: &str) -> Result<()> {
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

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn elsewhere(id: &RunId) -> Error {
    Error::conflict(format!("the run {id} is under way elsewhere"))
        .hint("wait for it to end, or end that process")
        .with("elsewhere", true)
}

/// How a run ended, where it did and was not taken up since.
pub fn outcome(events: &[Stamped]) -> Option<Outcome> {
    match &events.last()?.event {
        Event::Ended(ended) => Some(ended.outcome),
        _ => None,
    }
}

fn beginning(id: &RunId, events: &[Stamped]) -> Result<Beginning> {
    match events.first().map(|first| &first.event) {
        Some(Event::Began { kind, title, request, budget, .. }) => {
            Ok(Beginning { kind: *kind, title: title.clone(), request: request.clone(), budget: *budget })
        }
        _ => Err(Error::not_found(format!("there is no run {id}")).hint("`wellread runs` shows the runs")),
    }
}

fn differs(id: &RunId, what: &str) -> Error {
    Error::failed(format!("run again, the run {id} differs from its log in {what}"))
        .hint("it was made by another version of Wellread, or the log was changed")
}

fn key(kind: &str, asked: &impl Serialize) -> Result<Hash> {
    let asked = serde_json::to_vec(&(kind, asked)).map_err(|error| unwritable(&error))?;
    Ok(Hash::of(&asked))
}

/// By what the log knows a model's answer to this, and the limit that was reached before there was one.
fn keys(request: &ModelRequest) -> Result<(Hash, Hash)> {
    let answer = key("model", request)?;
    Ok((answer, key("limit", &answer)?))
}

fn unwritable(error: &serde_json::Error) -> Error {
    Error::failed(format!("the run's log can't hold this: {error}"))
}

fn since(began: Instant) -> u64 {
    began.elapsed().as_millis() as u64
}
