//! Work that goes on behind everything else: agendas are proposed, approved and cancelled, and their tasks worked off.
//!
//! Who works, on which thread and how often is for the program to say. A worker holds a lease for what it does; one that lost it
//! can't write any more, whatever it believes.

mod schedule;
mod work;

use serde::Serialize;
use tracing::Instrument as _;

pub use schedule::Schedule;
pub use work::{Ended, Held, LEASE, PULSE};

use crate::agenda::{Agenda, AgendaStatus, Counts, Once, TaskStatus, Trigger};
use crate::id::{AgendaId, TaskId};
use crate::ports::{Alteration, JobEnd, WhichAgendas, Word};
use crate::research::{Around, Proposal, Research};
use crate::{Error, Kind, Result, watching};

/// What all of it needs.
#[derive(Clone, Copy)]
pub struct Jobs<'a> {
    pub research: &'a Research,
    pub around: Around<'a>,
}

/// A wish for an agenda.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// The note; the whole vault where there is none.
    pub note: Option<String>,
    /// Whether it is made because it was time.
    pub scheduled: bool,
    /// The same key, the same answer.
    pub once: Option<Once>,
}

/// Agendas, as they are listed.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Listed {
    pub agendas: Vec<Agenda>,
}

impl Jobs<'_> {
    /// Proposes an agenda and keeps it, to wait for approval.
    pub async fn trigger(&self, wish: Wish) -> Result<Agenda> {
        let (once, answers) = (wish.once.clone(), &*self.research.agendas);
        match Once::answered(once.as_ref(), answers)? {
            Some(answered) => Ok(answered),
            None => Once::keep(once.as_ref(), answers, self.propose(wish).await?),
        }
    }

    /// The key leads to the agenda itself, too: whoever was cut off before the answer was kept finds it by that.
    async fn propose(&self, wish: Wish) -> Result<Agenda> {
        let key = wish.once.as_ref().map(|once| format!("trigger {}", once.key));
        if let Some(key) = &key
            && let Some(known) = self.research.agendas.agendas(WhichAgendas::Key(key), 1)?.pop()
        {
            return Ok(known);
        }
        let trigger = match (&wish.note, wish.scheduled) {
            (Some(_), _) => Trigger::Note,
            (None, true) => Trigger::Schedule,
            (None, false) => Trigger::Vault,
        };
        let open = wish.note.as_deref().filter(|note| self.is_open(note));
        let span = watching::trigger(trigger.name(), open);
        let proposal = Proposal { note: wish.note.clone(), trigger };
        let proposed = self.research.propose(self.around, &proposal).instrument(span.clone()).await;
        watching::ended(&span, &proposed);
        let agenda = self.research.agendas.propose(&proposed?, key.as_deref())?;
        if self.research.agenda.auto_approve && agenda.status == AgendaStatus::Pending {
            // What can't be looked up now waits for the user all the same.
            return self.approve(&agenda.id, &[], None).or(Ok(agenda));
        }
        Ok(agenda)
    }

    /// The user's word: all tasks but the blocked ones are to be carried out.
    pub fn approve(&self, id: &AgendaId, blocked: &[TaskId], once: Option<&Once>) -> Result<Agenda> {
        let answers = &*self.research.agendas;
        match Once::answered(once, answers)? {
            Some(answered) => Ok(answered),
            None => Once::keep(once, answers, self.approved(id, blocked, once)?),
        }
    }

    fn approved(&self, id: &AgendaId, blocked: &[TaskId], once: Option<&Once>) -> Result<Agenda> {
        let key = once.map(|once| format!("approve {id} {}", once.key));
        let word = key.as_deref().map_or(Word::User, Word::UserOnce);
        let at = self.research.desk.clock.now().timestamp();
        let somebody = !self.research.task_sources(self.around).is_empty();
        let elsewhere = self.research.asks_elsewhere(self.around);
        let before = self.agenda(id)?;
        let span = watching::agenda_approve(before.tasks.len().saturating_sub(blocked.len()), blocked.len());
        let approved = self.research.agendas.alter(id, word, &mut |alteration: &mut Alteration| {
            alteration.agenda.approve(blocked, at)?;
            let queued = alteration.agenda.tasks.iter().filter(|task| task.status == TaskStatus::Queued);
            alteration.jobs = queued.map(|task| task.id.clone()).collect();
            if alteration.agenda.private && elsewhere {
                return Err(Error::refused(
                    "it was made of a private note: to look something up would send its words",
                )
                .hint("nothing was sent; cancel it, or ask a search service on this machine alone"));
            }
            if !somebody && !alteration.jobs.is_empty() {
                return Err(nobody_to_ask(self.around.reach.offline));
            }
            Ok(())
        });
        match &approved {
            // The same word once more counts nowhere.
            Ok(agenda) if agenda.approved == before.approved => watching::unchanged(&span),
            approved => watching::ended(&span, approved),
        }
        approved
    }

    /// Whether a note's name may be told to whoever watches.
    fn is_open(&self, note: &str) -> bool {
        self.around.vault.locate(note).is_ok_and(|path| !self.around.vault.is_private(&path))
    }

    pub fn cancel(&self, id: &AgendaId) -> Result<Agenda> {
        let at = self.research.desk.clock.now().timestamp();
        self.research.agendas.alter(id, Word::User, &mut |alteration: &mut Alteration| {
            let under_way = alteration.agenda.tasks.iter().filter(|task| !task.status.is_settled());
            alteration.ends = under_way.map(|task| (task.id.clone(), JobEnd::Over)).collect();
            alteration.agenda.cancel(at)
        })
    }

    pub fn agenda(&self, id: &AgendaId) -> Result<Agenda> {
        self.research.agendas.agenda(id)?.ok_or_else(|| unknown(id))
    }

    /// Newest first.
    pub fn agendas(&self, status: Option<AgendaStatus>, at_most: usize) -> Result<Listed> {
        let which = status.map_or(WhichAgendas::All, WhichAgendas::Status);
        Ok(Listed { agendas: self.research.agendas.agendas(which, at_most)? })
    }

    pub fn counts(&self) -> Result<Counts> {
        self.research.agendas.counts()
    }
}

fn unknown(id: &AgendaId) -> Error {
    Error::not_found(format!("there is no agenda {id}")).hint("`wellread agenda list` shows the agendas")
}

fn nobody_to_ask(offline: bool) -> Error {
    if offline {
        return Error::refused("offline: nothing can be looked up").hint("approve it without --offline");
    }
    Error::new(Kind::NotSetUp, "no search service is chosen, so nothing can be looked up")
        .hint("choose some first: `wellread config set search.services duckduckgo,arxiv`; the agenda waits")
}
