//! Background jobs: proposes, approves and cancels agendas, and carries out their tasks.
//!
//! The program decides on threads and timing. A worker holds a lease on its job; without a valid lease it can't write.

mod schedule;
mod work;

use serde::Serialize;
use tracing::Instrument as _;

pub use schedule::Schedule;
pub use work::{ActiveJob, LEASE, PULSE, WorkOutcome};

use crate::domain::decision::{DecidedBy, UserDecision};
use crate::domain::id::{AgendaId, TaskId};
use crate::domain::spans;
use crate::library::public_view::ReadPeriod;
use crate::ports::agenda::{Agenda, AgendaCounts, AgendaStatus, IdempotentRequest, TaskStatus, Trigger};
use crate::ports::{AgendaActor, AgendaChange, AgendaFilter, JobEnd};
use crate::research::{Context, ProposalRequest, Research};
use crate::{Error, ErrorKind, Result, WayOut};

/// The operations on agendas and jobs.
#[derive(Clone, Copy)]
pub struct Jobs<'a> {
    /// The recipes and their records.
    pub research: &'a Research,
    /// What the recipes work with.
    pub context: Context<'a>,
}

/// A request for an agenda.
#[derive(Debug, Clone, Default)]
pub struct AgendaRequest {
    /// The note; `None` for the whole vault.
    pub note: Option<String>,
    /// Whether the schedule caused it.
    pub scheduled: bool,
    /// Identifies the request: a repetition gets the same answer.
    pub once: Option<IdempotentRequest>,
}

/// Agendas, as they are listed.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct AgendaList {
    /// The agendas, newest first.
    pub agendas: Vec<Agenda>,
}

impl Jobs<'_> {
    /// Proposes an agenda and stores it for approval.
    pub async fn trigger(&self, wish: AgendaRequest) -> Result<Agenda> {
        let (once, answers) = (wish.once.clone(), &*self.research.agendas);
        match IdempotentRequest::find_answer(once.as_ref(), answers)? {
            Some(answered) => Ok(answered),
            None => IdempotentRequest::keep_answer(once.as_ref(), answers, self.propose(wish).await?),
        }
    }

    /// Proposes unless there is an agenda with the request's key, so that an interrupted request finds its agenda
    /// again.
    async fn propose(&self, wish: AgendaRequest) -> Result<Agenda> {
        let key = wish.once.as_ref().map(|once| format!("trigger {}", once.key));
        if let Some(key) = &key
            && let Some(known) = self.research.agendas.agendas(AgendaFilter::Key(key), 1)?.pop()
        {
            return Ok(known);
        }
        let trigger = match (&wish.note, wish.scheduled) {
            (Some(_), _) => Trigger::Note,
            (None, true) => Trigger::Schedule,
            (None, false) => Trigger::Vault,
        };
        let open = wish.note.as_deref().filter(|note| self.is_public(note));
        let span = spans::trigger(trigger.name(), open);
        let proposal = ProposalRequest { note: wish.note.clone(), trigger };
        let proposed = self.research.propose(self.context, proposal).instrument(span.clone()).await;
        spans::record_outcome(&span, &proposed);
        let agenda = self.research.agendas.propose(&proposed?, key.as_deref())?;
        if self.research.agenda.auto_approve && agenda.status == AgendaStatus::Pending {
            // If it can't be approved now, it waits for the user.
            let by = UserDecision::new(DecidedBy::Setting);
            return self.approve(by, &agenda.id, &[], None).or(Ok(agenda));
        }
        Ok(agenda)
    }

    /// Approves an agenda: all its tasks except the blocked ones are queued.
    pub fn approve(
        &self,
        _by: UserDecision,
        id: &AgendaId,
        blocked: &[TaskId],
        once: Option<&IdempotentRequest>,
    ) -> Result<Agenda> {
        let answers = &*self.research.agendas;
        match IdempotentRequest::find_answer(once, answers)? {
            Some(answered) => Ok(answered),
            None => IdempotentRequest::keep_answer(once, answers, self.apply_approval(id, blocked, once)?),
        }
    }

    fn apply_approval(
        &self,
        id: &AgendaId,
        blocked: &[TaskId],
        once: Option<&IdempotentRequest>,
    ) -> Result<Agenda> {
        let key = once.map(|once| format!("approve {id} {}", once.key));
        let word = key.as_deref().map_or(AgendaActor::User, AgendaActor::UserOnce);
        let at = self.research.runs.clock.now().timestamp();
        let somebody = !self.research.task_sources(self.context).is_empty();
        let elsewhere = self.research.has_remote_source(self.context);
        let before = self.agenda(id)?;
        let span = spans::agenda_approve(before.tasks.len().saturating_sub(blocked.len()), blocked.len());
        let approved = self.research.agendas.change_agenda(id, word, &mut |alteration: &mut AgendaChange| {
            alteration.agenda.approve(blocked, at)?;
            let queued = alteration.agenda.tasks.iter().filter(|task| task.status == TaskStatus::Queued);
            alteration.jobs = queued.map(|task| task.id.clone()).collect();
            if alteration.agenda.private && elsewhere {
                return Err(Error::refused(
                    "it is based on a private note: looking something up would send its words",
                )
                .hint("nothing was sent; cancel it, or use only a search service on this machine"));
            }
            if !somebody && !alteration.jobs.is_empty() {
                return Err(no_source_error(self.context.reach.offline));
            }
            Ok(())
        });
        match &approved {
            // A repeated approval is not counted.
            Ok(agenda) if agenda.approved == before.approved => spans::record_unchanged(&span),
            approved => spans::record_outcome(&span, approved),
        }
        approved
    }

    /// Whether a note's name may appear in traces.
    fn is_public(&self, note: &str) -> bool {
        self.context.vault.locate(note).is_ok_and(|path| !self.context.vault.is_private(&path))
    }

    /// Cancels an agenda; its tasks that have not begun are dropped.
    pub fn cancel(&self, _by: UserDecision, id: &AgendaId) -> Result<Agenda> {
        self.agenda(id)?;
        let at = self.research.runs.clock.now().timestamp();
        self.research.agendas.change_agenda(id, AgendaActor::User, &mut |alteration: &mut AgendaChange| {
            let under_way = alteration.agenda.tasks.iter().filter(|task| !task.status.is_settled());
            alteration.ends = under_way.map(|task| (task.id.clone(), JobEnd::Over)).collect();
            alteration.agenda.cancel(at)
        })
    }

    /// The agenda with this id.
    pub fn agenda(&self, id: &AgendaId) -> Result<Agenda> {
        let found = self.research.agendas.agenda(id)?;
        found.filter(|agenda| self.may_show(agenda)).ok_or_else(|| unknown_agenda(id))
    }

    /// The agendas with this status, newest first.
    pub fn agendas(&self, status: Option<AgendaStatus>, at_most: usize) -> Result<AgendaList> {
        let which = status.map_or(AgendaFilter::All, AgendaFilter::Status);
        let hides = self.context.vault.hides_private();
        let mut agendas = self.research.agendas.agendas(which, if hides { usize::MAX } else { at_most })?;
        agendas.retain(|agenda| self.may_show(agenda));
        agendas.truncate(at_most);
        Ok(AgendaList { agendas })
    }

    /// Whether an agenda is visible in this vault: in a view without private notes, only if it is about none.
    fn may_show(&self, agenda: &Agenda) -> bool {
        let related = agenda.tasks.iter().flat_map(|task| &task.related_notes);
        let notes = related.chain(&agenda.source_note_id).map(String::as_str);
        !(self.context.vault.hides_private() && agenda.private)
            && self.context.vault.shows_all(notes, ReadPeriod::at(agenda.created))
    }

    /// The counts over all agendas and findings.
    pub fn counts(&self) -> Result<AgendaCounts> {
        self.research.agendas.counts()
    }
}

fn unknown_agenda(id: &AgendaId) -> Error {
    Error::not_found(format!("there is no agenda {id}"))
        .hint("`wellread agenda list` shows the agendas")
        .with_way_out(WayOut::Agendas)
}

fn no_source_error(offline: bool) -> Error {
    if offline {
        return Error::refused("offline: nothing can be looked up").hint("approve it without --offline");
    }
    Error::new(ErrorKind::NotSetUp, "no search service is chosen, so nothing can be looked up")
        .hint("choose some first: `wellread config set search.services duckduckgo,arxiv`; the agenda waits")
}
