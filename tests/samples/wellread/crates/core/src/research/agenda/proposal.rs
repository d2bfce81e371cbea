//! An agenda is proposed: by a model that reads the note or the health report, or by rules.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing::Instrument as _;
use wellread_text::fold;

use super::super::asking::{request, told};
use super::super::carried::carried_out;
use super::super::note::readable;
use super::super::topics::line;
use super::super::{Around, Done, Progress, Research, Stage, job_of};
use super::by_rules::{self, Brief, Draft, MOST};
use super::finding::plain;
use super::is_same_topic;
use crate::agenda::{Agenda, AgendaStatus, Task, TaskSource, TaskStatus, Trigger};
use crate::event::{Event, Outcome, RunKind};
use crate::health;
use crate::id::{self, AgendaId, TaskId};
use crate::keyless;
use crate::llm::structured;
use crate::ports::{Model, ModelFailure};
use crate::prompt::{AGENDA, Document, Prompt};
use crate::run::{Beginning, ByRun, Limit, Run, Trouble};
use crate::untrusted::{Origin, Untrusted};
use crate::{Error, Kind, Result, watching};

/// Fewer than these are filled up by rules.
const LEAST: usize = 2;
const LONGEST_QUERY: usize = 120;
const LONGEST_MOTIVATION: usize = 300;
const MOST_RELATED: usize = 5;
const NO_SERVICE: &str = "no search service is chosen, so nothing of this can be looked up yet: `wellread config set search.services \
                          duckduckgo,arxiv` chooses some";

const OFFLINE: &str = "proposed offline: approve it without --offline to have it looked up";

/// What an agenda is wanted for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The note; the whole vault where there is none.
    pub note: Option<String>,
    pub trigger: Trigger,
}

/// What came of proposing.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Proposed {
    Agenda(Box<Agenda>),
    /// There is nothing to research: no failure, and no agenda either.
    Nothing {
        nothing: String,
        hint: String,
    },
}

impl Proposed {
    fn nothing(message: impl Into<String>, hint: &str) -> Done<Self> {
        let nothing = message.into();
        let report = format!("No agenda was proposed: {nothing}.\n");
        Done { value: Self::Nothing { nothing, hint: hint.to_owned() }, report, outcome: Outcome::Done }
    }

    fn agenda(self) -> Result<Agenda> {
        match self {
            Self::Agenda(agenda) => Ok(*agenda),
            Self::Nothing { nothing, hint } => Err(Error::conflict(nothing).hint(hint)),
        }
    }
}

/// What a run that proposes is begun with.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Job {
    propose: Trigger,
    note: Option<NoteRead>,
    with_model: bool,
    private: bool,
    sources: Vec<TaskSource>,
    max_findings: usize,
    note_chars: usize,
    offline: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct NoteRead {
    path: String,
    text: String,
    origin: Origin,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Answer {
    tasks: Vec<Entry>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Entry {
    query: String,
    #[serde(default)]
    source: Option<String>,
    #[serde(default)]
    motivation: String,
    #[serde(default, alias = "relatedNotes")]
    related_notes: Vec<String>,
}

impl Research {
    /// Proposes an agenda. It is kept nowhere but in the run's log.
    pub async fn propose(&self, around: Around<'_>, asked: &Proposal) -> Result<Agenda> {
        let sources = self.task_sources(around);
        let note = asked.note.as_deref().map(|path| self.to_propose_for(around, path)).transpose()?;
        if note.is_none() && !around.vault.files.list()?.files.iter().any(|entry| entry.path.is_note()) {
            return Err(Error::conflict("there is no note in the vault yet: nothing to research")
                .hint("write a note first, or name another vault with `--vault PATH`"));
        }
        let private = note.as_ref().is_some_and(|(_, private)| *private);
        if private && self.asks_elsewhere(around) {
            let path = note.map(|(note, _)| note.path).unwrap_or_default();
            return Err(Error::refused(format!(
                "`{path}` is private: to look something up would send its words"
            ))
            .at(&path)
            .hint("nothing was asked or sent; `wellread note` researches it in notes and code alone"));
        }
        let note = note.map(|(note, _)| note);
        let title = match &note {
            Some(note) => format!("propose research for {}", note.path),
            None => "propose research for the vault".to_owned(),
        };
        let job = Job {
            propose: asked.trigger,
            note,
            with_model: self.model_for(private).is_some(),
            private,
            sources,
            max_findings: self.agenda.max_findings,
            note_chars: self.settings.note_chars,
            offline: around.reach.offline,
        };
        let request = serde_json::to_value(&job);
        let request = request.map_err(|error| Error::failed(format!("the run can't be kept: {error}")))?;
        let mut budget = self.budget();
        budget.seconds = Some(self.agenda.agenda_time.as_secs().max(1));
        let run = Run::begin(&self.desk, Beginning { kind: RunKind::Agenda, title, request, budget })?;
        let name = self.model_for(private).map(|model| model.identity().name);
        let span = watching::agenda_generate(name.as_deref());
        let work = carried_out(around, &run, self.proposal_work(around, &run, job));
        let proposed = work.instrument(span.clone()).await.and_then(Proposed::agenda);
        if let Ok(agenda) = &proposed {
            watching::generated(&span, agenda.tasks.len());
        }
        watching::ended(&span, &proposed);
        proposed
    }

    pub(in super::super) async fn propose_again(&self, around: Around<'_>, run: &Run) -> Result<Agenda> {
        let job: Job = job_of(run)?;
        carried_out(around, run, self.proposal_work(around, run, job)).await?.agenda()
    }

    /// The note as it is read, and whether it is private.
    fn to_propose_for(&self, around: Around<'_>, path: &str) -> Result<(NoteRead, bool)> {
        let note = readable(around, path)?;
        let text = keyless::own_text(&note.text);
        let text = text.chars().take(self.settings.note_chars).collect();
        let origin = around.vault.origin_of(&note.path);
        let private = around.vault.is_private(&note.path);
        Ok((NoteRead { path: note.path.to_string(), text, origin }, private))
    }

    async fn proposal_work(&self, around: Around<'_>, run: &Run, job: Job) -> Result<Done<Proposed>> {
        let model = self.model_of(run, job.with_model, job.private)?;
        (around.watch)(Progress::Stage { stage: Stage::Topics, done: 0, of: 1, about: String::new() });
        let brief = match job.note {
            Some(_) => None,
            None => Some(self.brief(around, run)?),
        };
        let suppressed = run.draw("suppressed", || self.suppressed().unwrap_or_default())?;
        let ruled = match (&job.note, &brief) {
            (Some(note), _) => by_rules::of_note(&note.path, &note.text, &job.sources),
            (None, brief) => brief.as_ref().map(|brief| brief.drafts(&job.sources)).unwrap_or_default(),
        };
        let mut drafts: Vec<Draft> = Vec::new();
        let mut held_back = 0;
        let mut take = |drafts: &mut Vec<Draft>, draft: Draft, most: usize| {
            let is_known =
                |known: &Draft| known.source == draft.source && is_same_topic(&known.query, &draft.query);
            if suppressed.iter().any(|topic| is_same_topic(topic, &draft.query)) {
                held_back += 1;
            } else if drafts.len() < most && !draft.query.is_empty() && !drafts.iter().any(is_known) {
                drafts.push(draft);
            }
        };
        if let Some(model) = model {
            for draft in self.proposed_by(around, run, model, &job, brief.as_ref()).await? {
                take(&mut drafts, draft, MOST);
            }
        }
        let enough = if model.is_some() { LEAST } else { MOST };
        for draft in ruled {
            take(&mut drafts, draft, enough);
        }
        if drafts.is_empty() {
            return Ok(nothing_to_propose(held_back, job.note.as_ref().map(|note| note.path.as_str())));
        }
        let id = run.draw("agenda", AgendaId::fresh)?;
        let created = run.draw("moment", || self.desk.clock.now().timestamp())?;
        let tasks = drafts.into_iter().enumerate().map(|(at, draft)| Task {
            id: TaskId::of(&id, at + 1),
            query: draft.query,
            source: draft.source,
            motivation: draft.motivation,
            related_notes: draft.related,
            status: TaskStatus::Proposed,
            run_id: None,
            message: None,
            counts: None,
            earlier: None,
        });
        let mut tasks: Vec<Task> = tasks.collect();
        tasks = run.draw("earlier", || {
            let _ = self.earlier(&mut tasks);
            tasks
        })?;
        let queries: Vec<&str> = tasks.iter().map(|task| task.query.as_str()).collect();
        run.note(&Event::Plan { plan: serde_json::json!({ "tasks": queries }) })?;
        // A model's words, or names from the notes: nothing in them does anything.
        let told =
            |task: &Task| plain(&format!("{} ({}): {}", task.query, task.source.name(), task.motivation));
        let report: String = tasks.iter().map(|task| format!("- {}\n", told(task))).collect();
        let agenda = Agenda {
            id,
            status: AgendaStatus::Pending,
            trigger: job.propose,
            source_note_id: job.note.map(|note| note.path),
            created,
            approved: None,
            ended: None,
            message: job
                .sources
                .is_empty()
                .then(|| if job.offline { OFFLINE } else { NO_SERVICE }.to_owned()),
            tasks,
            findings: 0,
            max_findings: job.max_findings,
            private: job.private,
            run_id: Some(run.id().clone()),
        };
        Ok(Done { value: Proposed::Agenda(Box::new(agenda)), report, outcome: Outcome::Done })
    }

    /// The health report, as far as it bears on research; what is private is not in it.
    fn brief(&self, around: Around<'_>, run: &Run) -> Result<Brief> {
        let brief = run.draw("health", || {
            let is_open = |path: &str| {
                around.vault.rules.file(path).is_ok_and(|path| {
                    !around.vault.is_private(&path) && !around.vault.instructs_models(&path)
                })
            };
            let examined = health::examine(&health::Ground {
                vault: around.vault,
                search: around.search,
                records: &*self.desk.records,
                without_private: true,
            });
            examined
                .map(|examined| Brief::of(&examined.health, &is_open))
                .map_err(|error| error.message().to_owned())
        })?;
        brief.map_err(Error::failed)
    }

    async fn proposed_by(
        &self,
        around: Around<'_>,
        run: &Run,
        model: &dyn Model,
        job: &Job,
        brief: Option<&Brief>,
    ) -> Result<Vec<Draft>> {
        let all = [TaskSource::Web, TaskSource::Arxiv];
        let sources = if job.sources.is_empty() { &all[..] } else { &job.sources };
        let named: Vec<String> = sources.iter().map(|source| format!("`{}`", source.name())).collect();
        let about = match &job.note {
            Some(_) => "one note of theirs",
            None => "a report on how all of their notes hang together",
        };
        let instructions = AGENDA.fill(&[("about", about), ("sources", &named.join(" or "))])?;
        let (who, name, text) = match (&job.note, brief) {
            (Some(note), _) => {
                ("the user, in a note", note.path.as_str(), Untrusted::new(note.origin, note.text.clone()))
            }
            (None, brief) => (
                "a report on the user's notes, made of their names",
                "the health report",
                Untrusted::note(brief.map(Brief::text).unwrap_or_default()),
            ),
        };
        let document = Document { who, name, text: &text, cap: job.note_chars, id: None };
        let built = Prompt::new(&instructions)
            .document(document)
            .build(&mut || run.draw("nonce", id::nonce).unwrap_or_default())?;
        let mut request = request(&self.settings, built.text);
        request.limit = self.agenda.agenda_time;
        let ask = ByRun::new(run, model);
        let answer = structured::<Answer>(&ask, request, "agenda").await;
        let entries = answer.map_err(|error| self.too_late(&ask, error))?.value.tasks;
        let known = |name: &str| -> Option<String> {
            let path = around.vault.locate(name.trim()).ok()?;
            (!around.vault.is_private(&path)).then(|| path.to_string())
        };
        let drafts = entries.into_iter().map(|entry| {
            let source = entry.source.as_deref().map(fold).unwrap_or_default();
            let source = sources.iter().find(|known| known.name() == source).or(sources.first());
            let own = job.note.iter().map(|note| note.path.clone());
            let mut related: Vec<String> =
                own.chain(entry.related_notes.iter().filter_map(|name| known(name))).collect();
            let mut seen = std::collections::BTreeSet::new();
            related.retain(|path| seen.insert(path.clone()));
            related.truncate(MOST_RELATED);
            Draft {
                query: line(&entry.query, LONGEST_QUERY),
                source: source.copied().unwrap_or(TaskSource::Web),
                motivation: line(&entry.motivation, LONGEST_MOTIVATION),
                related,
            }
        });
        let drafts: Vec<Draft> = drafts.collect();
        // Which notes there are is asked once.
        run.draw("proposed", || drafts)
    }

    /// That time was up is told as what it is.
    fn too_late(&self, ask: &ByRun<'_>, error: Error) -> Error {
        let late = || {
            Error::new(
                Kind::Unavailable,
                format!("the model proposed nothing within {} s", self.agenda.agenda_time.as_secs()),
            )
            .hint("nothing was kept: try again; `research.agenda_timeout_s` gives it longer, and `--offline` proposes without it")
        };
        match ask.trouble() {
            Some(Trouble::Budget(Limit::Seconds)) => late(),
            Some(Trouble::Model(ModelFailure::Unreachable { message })) if message.contains("within") => {
                late()
            }
            Some(trouble) => super::super::asking::in_words(trouble),
            None => told(ask, error),
        }
    }
}

fn nothing_to_propose(held_back: usize, note: Option<&str>) -> Done<Proposed> {
    if held_back > 0 {
        return Proposed::nothing(
            format!("nothing to propose: {held_back} topics are suppressed"),
            "`wellread inbox suppressed` lists them, `--allow TOPIC` takes one back",
        );
    }
    match note {
        Some(path) => Proposed::nothing(
            format!("nothing in `{path}` was found that deserves research"),
            "write more into it first",
        ),
        None => Proposed::nothing(
            "nothing in the vault asks for research: no note stands alone, no link leads nowhere",
            "name a note to research: `wellread agenda new --note PATH`",
        ),
    }
}
