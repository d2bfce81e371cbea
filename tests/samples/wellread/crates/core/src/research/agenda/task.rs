//! One task carried out: searched, fetched, compared with what is known, and written up, a page at a time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing::Instrument as _;

use super::super::carried::carried_out;
use super::super::{Around, Done, Progress, Research, ResearchSettings, TaskStep, job_of};
use super::AgendaSettings;
use crate::agenda::{Agenda, Finding, Task, TaskCounts, TaskSource};
use crate::corpus::VaultPath;
use crate::event::{Ended, Event, Outcome, RunKind};
use crate::gather::{Compared, Embedding, Gather, Likeness, Missed, PageText, WebFound};
use crate::id::{AgendaId, RunId};
use crate::ports::{Fetchable, Model, NewFinding, WebQuery, WebResult};
use crate::run::{Beginning, Run};
use crate::{Error, Kind, Result, watching};

/// How many results of a search are looked at.
const RESULTS: usize = 8;

/// What a run that carries out a task is begun with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Job {
    pub agenda: AgendaId,
    pub task: Task,
    /// Whether it was made of a note that must not leave this machine.
    pub private: bool,
    pub with_model: bool,
    /// How far it goes, whatever is set by the time that it goes on.
    pub settings: ResearchSettings,
    pub limits: AgendaSettings,
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Carried {
    pub counts: TaskCounts,
    pub findings: Vec<Finding>,
    /// What was passed over, for people.
    pub message: Option<String>,
    /// Why it came to nothing.
    pub failed: Option<TaskFailure>,
    /// Whether nobody was asked, since the agenda had as many findings as it may: the message says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskFailure {
    pub message: String,
    /// Whether it may come to something another time.
    pub may_pass: bool,
    /// For how many seconds whoever was asked wants to be left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_s: Option<u64>,
}

impl TaskFailure {
    /// One that no other try would change.
    pub fn lasting(message: impl Into<String>) -> Self {
        Self { message: message.into(), may_pass: false, wait_s: None }
    }
}

/// What became of a finding that was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    Kept,
    /// The same page was found for another task meanwhile.
    Known,
    /// There are as many as there may be.
    Full,
}

/// Hears of each finding as it is made, and says what became of it. An error ends the task.
pub type Handed<'a> = &'a (dyn Fn(NewFinding) -> Result<Kept> + Send + Sync);

/// A task's run that is taken up again.
pub enum TaskRun {
    /// It goes on.
    Open(Box<Run>),
    /// It had come to its end, and nobody has heard of it.
    Over(Box<Carried>),
}

impl Research {
    /// Begins the run of a task, by an id that was written down before.
    pub fn begin_task(&self, agenda: &Agenda, task: &Task, id: &RunId) -> Result<Run> {
        let job = Job {
            agenda: agenda.id.clone(),
            private: agenda.private,
            task: Task { run_id: None, message: None, ..task.clone() },
            with_model: self.model_for(agenda.private).is_some(),
            settings: self.settings,
            limits: AgendaSettings { max_findings: agenda.max_findings, ..self.agenda.clone() },
        };
        let request = serde_json::to_value(&job);
        let request = request.map_err(|error| Error::failed(format!("the run can't be kept: {error}")))?;
        let title = format!("{} ({})", task.query, task.source.name());
        let beginning = Beginning { kind: RunKind::Agenda, title, request, budget: self.budget() };
        Run::begin_as(&self.desk, id.clone(), beginning)
    }

    /// Takes up the run of a task that was cut off, or that came to nothing for reasons that may have passed, so many times
    /// as was written down elsewhere. Whoever had it before can't go on with it from here on.
    pub fn take_up_task(&self, id: &RunId, tries: u32) -> Result<Option<TaskRun>> {
        let events = match self.desk.records.events(id) {
            Err(error) if error.kind() == Kind::NotFound => return Ok(None),
            events => events?,
        };
        let tried = events.iter().filter(|known| matches!(&known.event, Event::Ended(end) if may_pass(end)));
        let is_heard_of = tried.count() <= tries as usize;
        if let Some(Event::Ended(ended)) = events.last().map(|last| &last.event)
            && (ended.outcome == Outcome::Done
                || has_lasting_failure(ended)
                || may_pass(ended) && !is_heard_of)
        {
            let carried = serde_json::from_value(ended.result.clone());
            let carried =
                carried.map_err(|error| Error::failed(format!("the run {id} can't be read: {error}")))?;
            return Ok(Some(TaskRun::Over(Box::new(carried))));
        }
        Ok(Some(TaskRun::Open(Box::new(Run::take_over(&self.desk, id)?))))
    }

    /// Carries a task out.
    pub async fn carry_out(&self, around: Around<'_>, run: &Run, handed: Handed<'_>) -> Result<Carried> {
        let job: Job = job_of(run)?;
        let research = Self { settings: job.settings, agenda: job.limits.clone(), ..self.clone() };
        if run.is_replay() {
            return carried_out(around, run, research.task_work(around, run, job, handed)).await;
        }
        // What must not leave is not told to whoever watches, either.
        let is_open = !job.private && closed(around, run, &job.task).is_none();
        let query = if is_open { job.task.query.as_str() } else { "" };
        let span = watching::task_execute(job.task.source.name(), query);
        let work = carried_out(around, run, research.task_work(around, run, job, handed));
        let carried = work.instrument(span.clone()).await;
        match &carried {
            Ok(Carried { counts, failed, .. }) => {
                watching::fetched(&span, counts.fetched);
                let went =
                    failed.as_ref().map_or(Ok(()), |failed| Err(Error::failed(failed.message.clone())));
                watching::ended(&span, &went);
            }
            Err(_) => watching::ended(&span, &carried),
        }
        carried
    }

    /// The same from the log alone.
    pub(in super::super) async fn task_again(&self, around: Around<'_>, run: &Run) -> Result<Carried> {
        if !run.is_replay() {
            return Err(Error::invalid(format!("the run {} is a task of an agenda", run.id()))
                .hint("`wellread agenda run` goes on with it, and so does `wellread serve`"));
        }
        self.carry_out(around, run, &|_| Ok(Kept::Kept)).await
    }

    async fn task_work(
        &self,
        around: Around<'_>,
        run: &Run,
        job: Job,
        handed: Handed<'_>,
    ) -> Result<Done<Carried>> {
        let model = self.model_of(run, job.with_model, job.private)?;
        let gather = Gather { stays: job.private, ..self.gather(around, run, false) };
        let mut counts = TaskCounts::default();
        if let Some(note) = closed(around, run, &job.task) {
            let message = format!(
                "`{note}` was moved, deleted or made private since: nothing of it is sent; propose it again"
            );
            return Ok(ended(counts, Vec::new(), None, Some(TaskFailure::lasting(message))));
        }
        if is_full(self, run, &job, "", 0)? {
            return Ok(left_out(&self.agenda));
        }
        step(around, TaskStep::Search, &job.task.query);
        let found = self.searched(&gather, &job.task).await?;
        if found.has_failed() {
            let why = found.skipped(&job.task.query).into_iter().map(|skipped| skipped.reason);
            let why = why.collect::<Vec<_>>().join("; ");
            let message = if why.is_empty() { "nobody could be asked".to_owned() } else { why };
            let failure = TaskFailure { message, may_pass: found.may_pass(), wait_s: found.wait_s() };
            return Ok(ended(counts, Vec::new(), None, Some(failure)));
        }
        counts.results = found.answer.results.len();
        let compared = Compared::new(gather, &*self.agendas);
        let (mut findings, mut passed_over): (Vec<Finding>, Vec<String>) = (Vec::new(), Vec::new());
        let mut missing: Vec<Missed> = Vec::new();
        let mut limited = false;
        for result in &found.answer.results {
            let page = match self.page_of(around, &gather, &job.task, result).await? {
                Ok(page) => page,
                Err(missed) => {
                    counts.skipped += 1;
                    step(around, TaskStep::Skipped, &format!("{}: {}", result.url, missed.reason));
                    passed_over.push(missed.reason.clone());
                    missing.push(missed);
                    continue;
                }
            };
            counts.fetched += 1;
            let (like, embedding) = self.compared(around, run, &compared, &page)?;
            if like.similarity >= self.agenda.dedup_threshold {
                counts.duplicates += 1;
                let before = like.nearest.as_deref().is_some_and(|nearest| nearest.contains("://"));
                counts.found_before += usize::from(before);
                let nearest = like.nearest.as_deref().unwrap_or_default();
                step(around, TaskStep::Duplicate, &format!("{} is much like {nearest}", page.url));
                continue;
            }
            if is_full(self, run, &job, &page.url, findings.len())? {
                limited = true;
                break;
            }
            let span = watching::finding_synthesise(&page.url, page.text.size());
            let written = self.written(around, run, model, &gather, &job, &page, like);
            let Some(finding) = written.instrument(span.clone()).await? else {
                watching::unchanged(&span);
                counts.skipped += 1;
                let reason = "nothing in it speaks of the topic".to_owned();
                step(around, TaskStep::Skipped, &format!("{}: {reason}", page.url));
                passed_over.push(reason);
                continue;
            };
            let kept = if run.is_replay() {
                Kept::Kept
            } else {
                handed(NewFinding { finding: finding.clone(), embedding })?
            };
            watching::synthesised(&span, finding.summary.len() + finding.bearing.len());
            match run.draw(&format!("kept {}", finding.id), || kept)? {
                Kept::Kept => {
                    watching::ended(&span, &Ok(()));
                    findings.push(finding);
                }
                Kept::Known => {
                    watching::unchanged(&span);
                    counts.duplicates += 1;
                    counts.found_before += 1;
                }
                Kept::Full => {
                    watching::unchanged(&span);
                    limited = true;
                    break;
                }
            }
        }
        counts.findings = findings.len();
        let failed = (counts.results > 0 && counts.fetched == 0).then(|| nothing_read(&missing));
        passed_over.sort_unstable();
        passed_over.dedup();
        let passed = (counts.skipped > 0).then(|| {
            format!(
                "{} of {} results passed over: {}",
                counts.skipped,
                counts.results,
                passed_over.join("; ")
            )
        });
        let limited = limited.then(|| limit_reached(&self.agenda));
        let message = [passed, limited].into_iter().flatten().collect::<Vec<_>>().join("; ");
        let message = (!message.is_empty()).then_some(message);
        Ok(ended(counts, findings, message, failed))
    }

    async fn searched(&self, gather: &Gather<'_>, task: &Task) -> Result<WebFound> {
        let query = WebQuery { text: task.query.clone(), limit: RESULTS, offset: 0, answer: false };
        match task.source {
            TaskSource::Web => gather.web(&query).await,
            TaskSource::Arxiv => gather.papers(&query).await,
        }
    }

    /// The text of a result: of a paper its abstract, of everything else the page.
    async fn page_of(
        &self,
        around: Around<'_>,
        gather: &Gather<'_>,
        task: &Task,
        result: &WebResult,
    ) -> Result<std::result::Result<PageText, Missed>> {
        if result.paper.is_some() {
            return PageText::of_result(gather, result).map(Ok);
        }
        step(around, TaskStep::Fetch, &result.url);
        let page = gather.page(&Fetchable::found(result), self.task_page_limits(), &task.query).await?;
        Ok(match page {
            Ok(page) if page.text.size() == 0 => {
                let reason = "there is nothing to read in it".to_owned();
                Err(Missed { reason, may_pass: false, wait_s: None })
            }
            page => page,
        })
    }

    /// How much of it is known. Asked once: notes change.
    fn compared(
        &self,
        around: Around<'_>,
        run: &Run,
        compared: &Compared<'_>,
        page: &PageText,
    ) -> Result<(Likeness, Embedding)> {
        let mut embedding = None;
        let span = watching::finding_dedup_check();
        let name = format!("likeness {}", page.url);
        let like = run.draw(&name, || {
            let like = match compared.same_address(&page.url) {
                Ok(Some(same)) => Ok(same),
                Ok(None) => compared.likeness(page).map(|(like, made)| {
                    embedding = made;
                    like
                }),
                Err(error) => Err(error),
            };
            like.map_err(|error| error.message().to_owned())
        })?;
        let like = like.map_err(Error::failed)?;
        let note = like.nearest.as_deref().and_then(|nearest| around.vault.rules.file(nearest).ok());
        let note = note.filter(|note| note.is_note() && !around.vault.is_private(note));
        let known = like.similarity >= self.agenda.dedup_threshold;
        watching::compared(&span, note.as_ref().map(VaultPath::as_str), like.similarity, known);
        watching::ended(&span, &Ok(()));
        Ok((like, embedding))
    }

    #[allow(clippy::too_many_arguments, reason = "one stage of one recipe")]
    async fn written(
        &self,
        around: Around<'_>,
        run: &Run,
        model: Option<&dyn Model>,
        gather: &Gather<'_>,
        job: &Job,
        page: &PageText,
        like: Likeness,
    ) -> Result<Option<Finding>> {
        step(around, TaskStep::WriteUp, &page.url);
        let (passages, _) = gather.library(&job.task.query, super::finding::NOTES, None).await?;
        let phrased = match model {
            Some(model) => self.phrased_finding(around, run, model, gather, job, page, &passages).await?,
            None => None,
        };
        let written = match phrased {
            Some(written) => Some(written),
            None => self.quoted_finding(around, run, job, page, &passages)?,
        };
        let Some(written) = written else { return Ok(None) };
        let created = run.draw(&format!("moment {}", page.url), || self.desk.clock.now().timestamp())?;
        Ok(Some(written.finding(run, job, page, like, created)))
    }
}

/// A note that the task was made from, and that must not leave this machine any more. One that is gone may be elsewhere under
/// another name, where it is private: nobody knows.
fn closed<'a>(around: Around<'_>, run: &Run, task: &'a Task) -> Option<&'a str> {
    let is_closed =
        |note: &&String| around.vault.rules.file(note).map_or(true, |path| around.vault.is_private(&path));
    task.related_notes.iter().find(is_closed).filter(|_| !run.is_replay()).map(String::as_str)
}

/// Whether the agenda has as many findings as it may, or this task its share of them. Asked once: they grow.
fn is_full(research: &Research, run: &Run, job: &Job, when: &str, own: usize) -> Result<bool> {
    run.draw(&format!("full {when}"), || {
        let agenda = research.agendas.agenda(&job.agenda).ok().flatten();
        agenda.is_some_and(|agenda| !agenda.has_room(own))
    })
}

/// Whether a run ended with a failure that may pass.
fn may_pass(ended: &Ended) -> bool {
    ended.result["failed"]["may_pass"] == true
}

/// Whether a run ended with one that no other try would change.
fn has_lasting_failure(ended: &Ended) -> bool {
    ended.result["failed"]["may_pass"] == false
}

/// No page could be had. It is worth another try where one of them may be there by then; the others are not asked for again.
fn nothing_read(missing: &[Missed]) -> TaskFailure {
    let passing = || missing.iter().filter(|missed| missed.may_pass);
    let told = passing().next().or(missing.first()).map_or("", |missed| missed.reason.as_str());
    TaskFailure {
        message: format!("none of the {} results could be read: {told}", missing.len()),
        may_pass: passing().next().is_some(),
        wait_s: passing().filter_map(|missed| missed.wait_s).max(),
    }
}

fn step(around: Around<'_>, step: TaskStep, about: &str) {
    (around.watch)(Progress::Step { step, about: about.to_owned() });
}

fn limit_reached(settings: &AgendaSettings) -> String {
    format!(
        "its share of the limit of {} findings is reached (`research.max_findings_per_run`)",
        settings.max_findings
    )
}

fn left_out(settings: &AgendaSettings) -> Done<Carried> {
    let limit = settings.max_findings;
    let message =
        format!("not run: the limit of {limit} findings was reached (`research.max_findings_per_run`)");
    let report = "Nobody was asked: the agenda had as many findings as it may.\n".to_owned();
    let (counts, findings) = (TaskCounts::default(), Vec::new());
    let value = Carried { counts, findings, message: Some(message), failed: None, left_out: true };
    Done { value, report, outcome: Outcome::Done }
}

fn ended(
    counts: TaskCounts,
    findings: Vec<Finding>,
    message: Option<String>,
    failed: Option<TaskFailure>,
) -> Done<Carried> {
    let mut report: String = findings
        .iter()
        .map(|finding| format!("- [{}]({})\n\n  {}\n", finding.title, finding.url, finding.summary))
        .collect();
    if let Some(failed) = &failed {
        report += &format!("It failed: {}\n", failed.message);
    } else if findings.is_empty() {
        report += "Nothing new was found.\n";
    }
    // What may pass is tried again by the same run, so that nothing that was answered is asked again.
    let outcome = if failed.is_some() { Outcome::Failed } else { Outcome::Done };
    Done { value: Carried { counts, findings, message, failed, left_out: false }, report, outcome }
}
