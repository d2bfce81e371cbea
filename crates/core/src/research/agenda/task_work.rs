//! The steps of a task: search, fetch, compare with what is known, and write up, page by page.

use std::ops::ControlFlow;

use tracing::{Instrument as _, Span};

use super::AgendaSettings;
use super::finding::NOTES;
use super::task::{FindingSink, KeepOutcome, TaskAnswer, TaskFailure, TaskJob};
use crate::domain::corpus::VaultPath;
use crate::domain::spans;
use crate::engine::gather::{
    GatherFailure, Likeness, PageComparer, PageEmbedding, PageText, WebSearchResults,
};
use crate::engine::run::Run;
use crate::library::public_view::{NoteFate, ReadPeriod};
use crate::library::vault::Vault;
use crate::ports::agenda::{Finding, TaskCounts, TaskSource};
use crate::ports::event::RunOutcome;
use crate::ports::{FetchableUrl, NewFinding, WebQuery, WebResult};
use crate::research::{RecipeOutcome, TaskStep, Work};
use crate::{Error, Result};

/// How many search results are considered.
const RESULTS: usize = 8;

/// The results of one task, processed one after the other.
struct ResultLoop<'a> {
    work: &'a Work<'a, TaskJob>,
    sink: FindingSink<'a>,
    comparer: PageComparer<'a>,
    counts: TaskCounts,
    findings: Vec<Finding>,
    /// Why results were skipped.
    reasons: Vec<String>,
    /// Pages that could not be fetched.
    missing: Vec<GatherFailure>,
    /// Whether the limit of findings is reached.
    limited: bool,
}

impl ResultLoop<'_> {
    async fn take_result(&mut self, result: &WebResult) -> Result<ControlFlow<()>> {
        let work = self.work;
        let page = match work.load_page(result).await? {
            Ok(page) => page,
            Err(missed) => {
                self.skip(&result.url, missed.reason.clone());
                self.missing.push(missed);
                return Ok(ControlFlow::Continue(()));
            }
        };
        self.counts.fetched += 1;
        let (like, embedding) = work.measure_likeness(&self.comparer, &page)?;
        if like.similarity >= work.research.agenda.dedup_threshold {
            self.skip_duplicate(&page, &like);
            return Ok(ControlFlow::Continue(()));
        }
        if work.is_full(&page.url, self.findings.len())? {
            self.limited = true;
            return Ok(ControlFlow::Break(()));
        }
        let span = spans::finding_synthesize(&page.url, page.text.size());
        match work.write_up_page(&page, like).instrument(span.clone()).await? {
            Some(finding) => self.hand_over(finding, embedding, &span),
            None => {
                spans::record_unchanged(&span);
                self.skip(&page.url, "nothing in it is about the topic".to_owned());
                Ok(ControlFlow::Continue(()))
            }
        }
    }

    fn skip(&mut self, url: &str, reason: String) {
        self.counts.skipped += 1;
        self.work.report_step(TaskStep::Skipped, &format!("{url}: {reason}"));
        self.reasons.push(reason);
    }

    fn skip_duplicate(&mut self, page: &PageText, like: &Likeness) {
        self.counts.duplicates += 1;
        let before = like.nearest.as_deref().is_some_and(|nearest| nearest.contains("://"));
        self.counts.found_before += usize::from(before);
        let nearest = like.nearest.as_deref().unwrap_or_default();
        self.work.report_step(TaskStep::Duplicate, &format!("{} is very similar to {nearest}", page.url));
    }

    /// Passes a finding to the sink. The outcome is logged, so that a replay takes the same path.
    fn hand_over(
        &mut self,
        finding: Finding,
        embedding: PageEmbedding,
        span: &Span,
    ) -> Result<ControlFlow<()>> {
        let run = self.work.run;
        let kept = if run.is_replay() {
            KeepOutcome::Kept
        } else {
            (self.sink)(NewFinding { finding: finding.clone(), embedding })?
        };
        spans::record_output(span, finding.summary.len() + finding.bearing.len());
        match run.draw(&format!("kept {}", finding.id), || kept)? {
            KeepOutcome::Kept => {
                spans::record_outcome(span, &Ok(()));
                self.findings.push(finding);
            }
            KeepOutcome::Known => {
                spans::record_unchanged(span);
                self.counts.duplicates += 1;
                self.counts.found_before += 1;
            }
            KeepOutcome::Full => {
                spans::record_unchanged(span);
                self.limited = true;
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn finish(mut self) -> RecipeOutcome<TaskAnswer> {
        let mut counts = self.counts;
        counts.findings = self.findings.len();
        let failed = (counts.results > 0 && counts.fetched == 0).then(|| no_page_failure(&self.missing));
        self.reasons.sort_unstable();
        self.reasons.dedup();
        let (skipped, results) = (counts.skipped, counts.results);
        let skipped = (skipped > 0)
            .then(|| format!("{skipped} of {results} results skipped: {}", self.reasons.join("; ")));
        let limited = self.limited.then(|| limit_message(&self.work.research.agenda));
        let message = [skipped, limited].into_iter().flatten().collect::<Vec<_>>().join("; ");
        let message = (!message.is_empty()).then_some(message);
        finish_task(counts, self.findings, message, failed)
    }
}

impl Work<'_, TaskJob> {
    pub(super) async fn carry_out_task(&self, sink: FindingSink<'_>) -> Result<RecipeOutcome<TaskAnswer>> {
        let mut counts = TaskCounts::default();
        if let Some(note) = find_private_note(self.vault, self.run, self.job) {
            let message = format!(
                "`{note}` was moved, deleted or made private since: nothing of it is sent; propose it again"
            );
            return Ok(finish_task(counts, Vec::new(), None, Some(TaskFailure::lasting(message))));
        }
        if self.is_full("", 0)? {
            return Ok(skip_task(&self.research.agenda));
        }
        self.report_step(TaskStep::Search, &self.job.task.query);
        let found = self.search_source().await?;
        if found.has_failed() {
            let failure = search_failure(&found, &self.job.task.query);
            return Ok(finish_task(counts, Vec::new(), None, Some(failure)));
        }
        counts.results = found.answer.results.len();
        let mut results = ResultLoop {
            work: self,
            sink,
            comparer: PageComparer::new(self.gatherer, &*self.research.agendas),
            counts,
            findings: Vec::new(),
            reasons: Vec::new(),
            missing: Vec::new(),
            limited: false,
        };
        for result in &found.answer.results {
            if results.take_result(result).await?.is_break() {
                break;
            }
        }
        Ok(results.finish())
    }

    async fn search_source(&self) -> Result<WebSearchResults> {
        let text = self.job.task.query.clone();
        let query = WebQuery { text, limit: RESULTS, offset: 0, answer: false };
        match self.job.task.source {
            TaskSource::Web => self.gatherer.search_web(&query).await,
            TaskSource::Arxiv => self.gatherer.search_papers(&query).await,
        }
    }

    /// The text of a result: a paper's abstract, or else the fetched page.
    async fn load_page(&self, result: &WebResult) -> Result<std::result::Result<PageText, GatherFailure>> {
        if result.paper.is_some() {
            return PageText::from_result(&self.gatherer, result).map(Ok);
        }
        self.report_step(TaskStep::Fetch, &result.url);
        let (url, limits) = (FetchableUrl::from_result(result), self.research.task_page_limits());
        let page = self.gatherer.fetch_page(&url, limits, &self.job.task.query).await?;
        Ok(match page {
            Ok(page) if page.text.size() == 0 => {
                let reason = "it has no readable text".to_owned();
                Err(GatherFailure { reason, may_pass: false, wait_s: None })
            }
            page => page,
        })
    }

    /// How much of a page is already known. Logged, since notes change.
    fn measure_likeness(
        &self,
        comparer: &PageComparer<'_>,
        page: &PageText,
    ) -> Result<(Likeness, PageEmbedding)> {
        let mut embedding = None;
        let span = spans::finding_dedup_check();
        let name = format!("likeness {}", page.url);
        let like = self.run.draw(&name, || {
            let like = match comparer.find_same_address(&page.url) {
                Ok(Some(same)) => Ok(same),
                Ok(None) => comparer.compare_page(page).map(|(like, made)| {
                    embedding = made;
                    like
                }),
                Err(error) => Err(error),
            };
            like.map_err(|error| {
                self.run.suspend_on(&error);
                error.message().to_owned()
            })
        })?;
        let like = like.map_err(Error::failed)?;
        let note = like.nearest.as_deref().and_then(|nearest| self.vault.rules.parse_file(nearest).ok());
        let note = note.filter(|note| note.is_note() && !self.vault.is_private(note));
        let known = like.similarity >= self.research.agenda.dedup_threshold;
        spans::record_comparison(&span, note.as_ref().map(VaultPath::as_str), like.similarity, known);
        spans::record_outcome(&span, &Ok(()));
        Ok((like, embedding))
    }

    /// Writes up a page: by the model or, if that yields nothing supported, in quotations.
    async fn write_up_page(&self, page: &PageText, like: Likeness) -> Result<Option<Finding>> {
        self.report_step(TaskStep::WriteUp, &page.url);
        let (passages, _) = self.gatherer.search_library(&self.job.task.query, NOTES, None).await?;
        let phrased = match self.model {
            Some(model) => self.write_finding(model, page, &passages).await?,
            None => None,
        };
        let draft = match phrased {
            Some(draft) => Some(draft),
            None => self.quote_finding(page, &passages)?,
        };
        let Some(draft) = draft else { return Ok(None) };
        let moment = format!("moment {}", page.url);
        let created = self.run.draw(&moment, || self.research.runs.clock.now().timestamp())?;
        Ok(Some(draft.into_finding(self.run, self.job, page, like, created)))
    }

    /// Whether the agenda, or this task's share of it, has reached the limit of findings. Logged, since findings are
    /// added.
    fn is_full(&self, when: &str, own: usize) -> Result<bool> {
        self.run.draw(&format!("full {when}"), || {
            let agenda = self.research.agendas.agenda(&self.job.agenda);
            let agenda = agenda.inspect_err(|error| self.run.suspend_on(error)).ok().flatten();
            agenda.is_some_and(|agenda| !agenda.has_room(own))
        })
    }
}

/// A note that the task is based on and that must not leave this machine any more. A note that is gone counts too: it
/// may be private under another name, and its name may be that of another note by now.
pub(super) fn find_private_note<'a>(vault: &Vault, run: &Run, job: &'a TaskJob) -> Option<&'a str> {
    let (past, read) = (vault.past_names(), job.proposed.map_or(ReadPeriod::UNKNOWN, ReadPeriod::at));
    let is_closed = |note: &&String| {
        let path = vault.rules.parse_file(note);
        path.map_or(true, |path| vault.is_private(&path) || past.trace(&path, read) != NoteFate::Public)
    };
    job.task.related_notes.iter().find(is_closed).filter(|_| !run.is_replay()).map(String::as_str)
}

/// The failure of a search that no service answered.
fn search_failure(found: &WebSearchResults, query: &str) -> TaskFailure {
    let reasons = found.to_skipped(query).into_iter().map(|skipped| skipped.reason);
    let reasons = reasons.collect::<Vec<_>>().join("; ");
    let message = if reasons.is_empty() { "no service could be asked".to_owned() } else { reasons };
    TaskFailure { message, may_pass: found.may_pass(), wait_s: found.wait_s() }
}

/// The failure of a task none of whose pages could be fetched. It is transient if one of them may be available later;
/// only those are fetched again.
fn no_page_failure(missing: &[GatherFailure]) -> TaskFailure {
    let passing = || missing.iter().filter(|missed| missed.may_pass);
    let cause = passing().next().or(missing.first()).map_or("", |missed| missed.reason.as_str());
    TaskFailure {
        message: format!("none of the {} results could be read: {cause}", missing.len()),
        may_pass: passing().next().is_some(),
        wait_s: passing().filter_map(|missed| missed.wait_s).max(),
    }
}

fn limit_message(settings: &AgendaSettings) -> String {
    format!(
        "its share of the limit of {} findings is reached (`research.max_findings_per_run`)",
        settings.max_findings
    )
}

fn skip_task(settings: &AgendaSettings) -> RecipeOutcome<TaskAnswer> {
    let limit = settings.max_findings;
    let message =
        format!("not run: the limit of {limit} findings was reached (`research.max_findings_per_run`)");
    let report = "No service was asked: the agenda already has as many findings as allowed.\n".to_owned();
    let (counts, findings) = (TaskCounts::default(), Vec::new());
    let value = TaskAnswer { counts, findings, message: Some(message), failed: None, left_out: true };
    RecipeOutcome::done(value, report)
}

fn finish_task(
    counts: TaskCounts,
    findings: Vec<Finding>,
    message: Option<String>,
    failed: Option<TaskFailure>,
) -> RecipeOutcome<TaskAnswer> {
    let mut report: String = findings
        .iter()
        .map(|finding| format!("- [{}]({})\n\n  {}\n", finding.title, finding.url, finding.summary))
        .collect();
    if let Some(failed) = &failed {
        report += &format!("It failed: {}\n", failed.message);
    } else if findings.is_empty() {
        report += "Nothing new was found.\n";
    }
    // A transient failure is retried in the same run, so that nothing is requested twice.
    let outcome = if failed.is_some() { RunOutcome::Failed } else { RunOutcome::Done };
    RecipeOutcome {
        value: TaskAnswer { counts, findings, message, failed, left_out: false },
        report,
        outcome,
    }
}
