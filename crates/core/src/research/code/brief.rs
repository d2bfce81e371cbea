//! The answer without a model: the code that answers best, how it is reached, what the documents say, and what could not
//! be found. Planned by rules, and always the same for the same repository.

mod documents;
mod literals;
mod names;
mod places;
mod relations;
mod rendering;

use std::future::ready;
use std::path::Path;

use serde_json::{Value, json};

use self::rendering::{render_steps, rows, text_field};
use super::actions::perform;
use super::answer::{CodeAnswerDraft, MOST_BYTES, finish_answer, inert_text};
use super::plan::{AskedRelation, QuestionPlan};
use super::{CodeAnswer, CodeJob, InvestigationStep, summarize_envelope};
use crate::Result;
use crate::code::codebase::Scope;
use crate::code::inspect::Inspector;
use crate::domain::corpus::CorpusName;
use crate::domain::display::counted;
use crate::domain::id::EvidenceId;
use crate::domain::verdict::JudgedSentence;
use crate::engine::repair::{UncitedPolicy, check_and_repair, judge_text};
use crate::insight::keyless;
use crate::ports::KnownFileFilter;
use crate::ports::event::{RunEvent, RunOutcome};
use crate::research::{RecipeOutcome, ResearchStage, Work};

/// The most definitions of one name, and of one file, that are considered.
const DEFINED: usize = 4;
const LINES: usize = 6;
const OF_A_PLACE: usize = 2;
/// The most lines of a question for a value.
const VALUE_LINES: usize = 3;
const HITS: usize = 30;
/// The headings of an answer.
const RELEVANT_CODE: &str = "Relevant code";
const RELEVANT_LINES: &str = "Relevant lines";
/// The bytes of a remark on what is not shown, without its command.
const OF_A_COUNT: usize = 80;
/// The bytes that a citation adds to an answer, about: its place in the text, and its line in the list.
const OF_A_CITATION: usize = 110;

/// The state of the work on one answer.
struct CodeBrief<'a> {
    work: &'a Work<'a, CodeJob>,
    inspector: Option<Inspector<'a>>,
    steps: Vec<InvestigationStep>,
    /// The lines that have a text which the question quotes or a value that it asks for, best first.
    literals: Vec<Value>,
    findings: BriefFindings,
}

/// The contents of an answer.
#[derive(Default)]
struct BriefFindings {
    /// Cited items under their headings, the most important first.
    parts: Vec<BriefPart>,
    /// What could not be found.
    missing: Vec<String>,
    /// From 0 to 1: how certain it is that the first item answers the question.
    confidence: f64,
}

/// A part of an answer.
struct BriefPart {
    heading: &'static str,
    items: Vec<String>,
    /// For a part that may show less than was found.
    left_out: Option<LeftOut>,
}

/// How much there is to show in a part, and the command that lists all of it.
struct LeftOut {
    total: usize,
    command: String,
}

impl Work<'_, CodeJob> {
    /// Answers by rules: plans, looks up and quotes. `why` is a notice that says why no model answered.
    pub(super) async fn answer_keyless(
        &self,
        inspector: Option<Inspector<'_>>,
        why: Option<String>,
    ) -> Result<RecipeOutcome<CodeAnswer>> {
        let question = &self.job.question;
        let mut plan = QuestionPlan::parse(question);
        self.run.record_event(&RunEvent::Plan {
            plan: json!({ "names": plan.names, "paths": plan.paths, "messages": plan.messages }),
        })?;
        let findings = BriefFindings::default();
        let (steps, literals) = (Vec::new(), Vec::new());
        let mut brief = CodeBrief { work: self, inspector, steps, literals, findings };
        let named = brief.look_up_names(&mut plan).await?;
        let has_values = brief.collect_values(&plan.default_names()).await?;
        let missing = brief.collect_messages(&plan.messages).await?;
        let hits = brief.search_hits(&missing, question).await?;
        let relation = plan.settle_relation(&plan.names);
        let mut is_told = false;
        if let Some((relation, names)) = &relation {
            is_told = match relation {
                AskedRelation::Path => brief.trace_path(names, &named).await?,
                _ => brief.collect_relation(*relation, &definitions_of(&named, names)).await?,
            };
        }
        let literals = brief.literals.clone();
        let shown_hits = if is_told { &[] } else { hits.as_slice() };
        let places = places::choose_places(question, &literals, &named, shown_hits);
        let shown = brief.show_places(question, &plan, &places).await?;
        if plan.wants_value && !has_values {
            brief.collect_relevant_lines(question).await?;
        }
        if relation.is_none() {
            brief.collect_unasked_callers(shown.first()).await?;
        }
        brief.quote_documents(question, &hits).await?;
        let is_shown = brief.findings.parts.iter().any(|part| !part.items.is_empty());
        brief.findings.confidence = match (is_shown, is_told || !named.is_empty() || !literals.is_empty()) {
            (false, _) => 0.0,
            (true, true) => 0.8,
            (true, false) => 0.5,
        };
        let CodeBrief { steps, findings, .. } = brief;
        self.finish_brief(why, findings, steps, RunOutcome::Done).await
    }

    /// Answers after a budget ended the investigation: the most relevant lines of the evidence shown by then.
    pub(super) async fn answer_from_evidence(
        &self,
        why: Option<String>,
        steps: Vec<InvestigationStep>,
        outcome: RunOutcome,
    ) -> Result<RecipeOutcome<CodeAnswer>> {
        let ledger = self.run.ledger();
        let shown: Vec<_> = ledger.shown_ids().filter_map(|id| ledger.entry(id)).collect();
        let lines = keyless::find_lines_in_evidence(&self.job.question, &shown, LINES, OF_A_PLACE);
        let quoted = lines.iter().map(|line| format!("- {} [{}]", line.quoted, shown[line.of].id)).collect();
        let confidence = if lines.is_empty() { 0.0 } else { 0.4 };
        let parts = vec![BriefPart { heading: RELEVANT_LINES, items: quoted, left_out: None }];
        let findings = BriefFindings { parts, missing: Vec::new(), confidence };
        self.finish_brief(why, findings, steps, outcome).await
    }

    async fn finish_brief(
        &self,
        why: Option<String>,
        findings: BriefFindings,
        steps: Vec<InvestigationStep>,
        outcome: RunOutcome,
    ) -> Result<RecipeOutcome<CodeAnswer>> {
        self.begin_stage(ResearchStage::Check, "");
        let BriefFindings { mut parts, missing, confidence } = findings;
        let found_nothing = parts.iter().all(|part| part.items.is_empty());
        let mut remarks = self.render_remarks(found_nothing, missing, &steps)?;
        // What does not fit is counted, and the count needs room itself.
        let counted =
            parts.iter().flat_map(|part| &part.left_out).map(|left| left.command.len() + OF_A_COUNT);
        let most = MOST_BYTES.saturating_sub(remarks.len() + counted.sum::<usize>());
        shorten(&mut parts, most);
        let left_out: Vec<String> = parts.iter().filter_map(render_left_out).collect();
        if !left_out.is_empty() {
            remarks = format!("### Not shown\n\n{}\n\n{remarks}", left_out.join("\n")).trim_end().to_owned();
        }
        let (reader, text) = (self.evidence_reader(), inert_text(&render_parts(&parts)));
        let checked =
            check_and_repair(self.run, (&reader, None), text, UncitedPolicy::Goes, |_| ready(None)).await?;
        let draft = CodeAnswerDraft {
            text: checked.text,
            remarks,
            confidence,
            coverage: checked.report.map(|report| report.coverage),
            notice: why.or_else(|| self.job.notice.clone()),
            steps: if self.job.debug { steps } else { Vec::new() },
        };
        Ok(finish_answer(self.run, draft, outcome))
    }

    /// Remarks of our own below the answer: what could not be found.
    fn render_remarks(
        &self,
        found_nothing: bool,
        mut missing: Vec<String>,
        steps: &[InvestigationStep],
    ) -> Result<String> {
        let job = self.job;
        let mut remarks: Vec<String> = Vec::new();
        if found_nothing {
            let not_found = format!("No answer found in `{}`", job.repository);
            let scope = if job.scope.is_empty() { String::new() } else { format!(" within `{}`", job.scope) };
            remarks.push(format!("{not_found}{scope}. Looked at: {}.", render_steps(steps)));
        }
        if found_nothing || !missing.is_empty() {
            let unread = self.count_unindexed()?;
            missing.extend((unread > 0).then(|| describe_unindexed(unread, &job.repository)));
        }
        if !missing.is_empty() {
            remarks.push(format!("### Not found\n\n{}", missing.join("\n")));
        }
        Ok(remarks.join("\n\n"))
    }

    /// How many files in the scope could not be indexed.
    fn count_unindexed(&self) -> Result<usize> {
        let corpus = CorpusName::Repository(self.job.repository.clone());
        let scope = Scope::parse(&self.job.scope)?;
        self.run.draw("unread", || {
            let index = &self.search.library.index;
            let skipped = index.known_files(&corpus, KnownFileFilter::Skipped).unwrap_or_default();
            skipped.iter().filter(|file| scope.contains(&file.path)).count()
        })
    }
}

/// How much of a part's findings is shown, if it is not all.
fn render_left_out(part: &BriefPart) -> Option<String> {
    let LeftOut { total, command } = part.left_out.as_ref()?;
    let shown = part.items.len();
    let heading = part.heading;
    (shown < *total).then(|| format!("- {heading}: {shown} of {total} are shown. All of them: {command}"))
}

/// The definitions of these names, or all if none is known by one of them.
fn definitions_of(named: &[Value], names: &[String]) -> Vec<Value> {
    let is_asked = |row: &&Value| names.iter().any(|name| text_field(row, "asked") == name);
    let found: Vec<Value> = named.iter().filter(is_asked).cloned().collect();
    if found.is_empty() { named.to_vec() } else { found }
}

/// Says that files are not searched. A folder that was not added is in no status.
fn describe_unindexed(files: usize, repository: &str) -> String {
    let counted = counted(files, "file is", "files are");
    let listed = if Path::new(repository).is_absolute() { "" } else { "; `wellread status` names them" };
    format!("- {counted} not searched: too large, generated, or not text{listed}.")
}

fn render_parts(parts: &[BriefPart]) -> String {
    let filled = parts.iter().filter(|part| !part.items.is_empty());
    let render = |part: &BriefPart| {
        let has_blocks = part.items.iter().any(|item| item.contains('\n'));
        let between = if has_blocks { "\n\n" } else { "\n" };
        format!("### {}\n\n{}", part.heading, part.items.join(between))
    };
    filled.map(render).collect::<Vec<_>>().join("\n\n")
}

/// Removes the last items until the text fits with its citations. What matters most comes first, and the first item stays.
fn shorten(parts: &mut [BriefPart], most: usize) {
    let size = |parts: &[BriefPart]| {
        let text = render_parts(parts);
        text.len() + text.matches("[ev-").count() * OF_A_CITATION
    };
    while size(parts) > most && parts.iter().map(|part| part.items.len()).sum::<usize>() > 1 {
        if let Some(part) = parts.iter_mut().rev().find(|part| !part.items.is_empty()) {
            part.items.pop();
        }
    }
}

impl CodeBrief<'_> {
    /// Runs one action through the run. Once time is up it returns `Null`, and a failed one returns its error envelope.
    async fn run_action(&mut self, action: &str, input: Value) -> Result<Value> {
        // What was found by then is still reported.
        if self.work.run.draw("time", || self.work.run.exhausted_limit(None).is_some())? {
            return Ok(Value::Null);
        }
        let about: String = format!("{action} {input}").chars().take(120).collect();
        let done = self.steps.len();
        self.work.report_stage(ResearchStage::Investigate, done, done + 1, &about);
        self.work.run.count_step();
        let answered = perform(self.inspector, self.work.run, action, &input).await?;
        let found = summarize_envelope(&answered.envelope);
        self.steps.push(InvestigationStep { action: action.to_owned(), input, found });
        Ok(answered.envelope)
    }

    /// Searches for the question, and for the words of the messages that it quotes and no line has.
    async fn search_hits(&mut self, missing: &[String], question: &str) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        for message in missing {
            let found = self.run_action("hybrid_search", json!({ "query": message, "k": HITS })).await?;
            all.extend(rows(&found, "results"));
        }
        let found = self.run_action("hybrid_search", json!({ "query": question, "k": HITS })).await?;
        all.extend(rows(&found, "results"));
        Ok(all)
    }

    /// Collects the lines that say a value best, each opened at its own place.
    async fn collect_relevant_lines(&mut self, question: &str) -> Result<()> {
        let ledger = self.work.run.ledger();
        let entries: Vec<_> = ledger.entries().iter().collect();
        let mut items = Vec::new();
        for line in keyless::find_lines_in_evidence(question, &entries, VALUE_LINES, OF_A_PLACE) {
            let Some((_, place)) = entries[line.of].source.file() else { continue };
            let input = json!({ "file_path": place.path, "start_line": line.line, "end_line": line.line });
            let opened = self.run_action("open_span", input).await?;
            if let Some(cited) = self.cite(&opened) {
                items.extend(self.first_that_passes([format!("- {} {cited}", line.quoted)].into_iter())?);
            }
        }
        self.add_part(RELEVANT_LINES, items);
        Ok(())
    }

    /// Adds a part below the others.
    fn add_part(&mut self, heading: &'static str, items: Vec<String>) {
        self.findings.parts.push(BriefPart { heading, items, left_out: None });
    }

    /// The first of some forms of an item that the gate lets pass as a whole.
    fn first_that_passes(&self, forms: impl Iterator<Item = String>) -> Result<Option<String>> {
        let reader = self.work.evidence_reader();
        for item in forms {
            let report = judge_text(self.work.run, &reader, &item)?;
            if report.sentences.iter().all(JudgedSentence::passes) {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }

    /// Marks the evidence of a row as shown, and returns its citation; `None` if there is no evidence.
    fn cite(&self, row: &Value) -> Option<String> {
        let id = EvidenceId::parse(row["evidence"].as_str()?).ok()?;
        self.work.run.mark_shown(vec![id.clone()]).ok()?;
        Some(format!("[{id}]"))
    }
}
