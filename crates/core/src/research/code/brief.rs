//! The answer without a model: the code that answers best, how it is reached, what the documents say, and what could not
//! be found. Planned by rules, and always the same for the same repository.

mod documents;
mod places;
mod relations;
mod rendering;

use std::future::ready;

use serde_json::{Value, json};

use self::rendering::{plain_line, render_steps, rows, text_field, text_rows};
use super::actions::perform;
use super::answer::{CodeAnswerDraft, MOST_BYTES, finish_answer, inert_text};
use super::plan::QuestionPlan;
use super::{CodeAnswer, CodeJob, InvestigationStep, summarize_envelope};
use crate::Result;
use crate::code::codebase::Scope;
use crate::code::inspect::Inspector;
use crate::domain::corpus::CorpusName;
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
/// The bytes that a citation adds to an answer, about: its place in the text, and its line in the list.
const OF_A_CITATION: usize = 110;

/// The state of the work on one answer.
struct CodeBrief<'a> {
    work: &'a Work<'a, CodeJob>,
    inspector: Option<Inspector<'a>>,
    steps: Vec<InvestigationStep>,
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
}

impl Work<'_, CodeJob> {
    /// Answers by rules: plans, looks up and quotes. `why` is a notice that says why no model answered.
    pub(super) async fn answer_keyless(
        &self,
        inspector: Option<Inspector<'_>>,
        why: Option<String>,
    ) -> Result<RecipeOutcome<CodeAnswer>> {
        let question = &self.job.question;
        let plan = QuestionPlan::parse(question);
        self.run.record_event(&RunEvent::Plan {
            plan: json!({ "names": plan.names, "paths": plan.paths, "messages": plan.messages }),
        })?;
        let findings = BriefFindings::default();
        let mut brief = CodeBrief { work: self, inspector, steps: Vec::new(), findings };
        let named = brief.look_up_names(&plan).await?;
        let hits = brief.search_hits(&plan, question).await?;
        let ids: Vec<String> = named.iter().map(|row| text_field(row, "id").to_owned()).collect();
        let mut is_told = false;
        if plan.path_between {
            is_told = brief.trace_path(&plan, &ids).await?;
        } else if plan.asks_callers {
            is_told = brief.collect_callers(&ids, true).await?;
        }
        let places = places::choose_places(question, &named, if is_told { &[] } else { &hits });
        let shown = brief.show_places(question, &plan, &places).await?;
        if plan.wants_value {
            brief.collect_relevant_lines(question).await?;
        }
        if !plan.asks_callers {
            brief
                .collect_callers(&shown.first().cloned().into_iter().collect::<Vec<_>>(), !ids.is_empty())
                .await?;
        }
        brief.quote_documents(question, &hits).await?;
        let is_shown = brief.findings.parts.iter().any(|part| !part.items.is_empty());
        brief.findings.confidence = match (is_shown, is_told || !named.is_empty()) {
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
        let parts = vec![BriefPart { heading: RELEVANT_LINES, items: quoted }];
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
        let remarks = self.render_remarks(found_nothing, missing, &steps)?;
        shorten(&mut parts, MOST_BYTES.saturating_sub(remarks.len()));
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
            missing.extend(
                (unread > 0)
                    .then(|| format!("- {unread} files could not be read; `wellread status` says why.")),
            );
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

    /// Looks up where the question's names are defined, and what the files that it names define.
    async fn look_up_names(&mut self, plan: &QuestionPlan) -> Result<Vec<Value>> {
        let mut all: Vec<Value> = Vec::new();
        let mut add = |row: &Value, id: String| {
            if !all.iter().any(|known| text_field(known, "id") == id) {
                let mut row = row.clone();
                row["id"] = json!(id);
                all.push(row);
            }
        };
        for name in &plan.names {
            let found = self.run_action("find_symbol", json!({ "name": name })).await?;
            let rows = rows(&found, "definitions");
            let plain = plain_line(name);
            if rows.is_empty() {
                let near = text_rows(&found, "near");
                let near = match near.is_empty() {
                    true => String::new(),
                    false => format!("; similar names: {}", near.join(", ")),
                };
                let missing = format!("- `{plain}` is not defined in the searched files{near}.");
                self.findings.missing.push(missing);
            }
            rows.iter().take(DEFINED).for_each(|row| add(row, text_field(row, "id").to_owned()));
            if rows.len() > DEFINED {
                let many = format!("- `{plain}` has {} definitions; {DEFINED} are considered.", rows.len());
                self.findings.missing.push(many);
            }
        }
        for path in &plan.paths {
            let file = path.split(':').next().unwrap_or(path);
            let found = self.run_action("outline", json!({ "file_path": file })).await?;
            if found["success"] != true {
                self.findings.missing.push(format!("- `{}` could not be read.", plain_line(path)));
            }
            for row in rows(&found, "definitions").iter().take(DEFINED) {
                add(row, format!("{}::{}", text_field(row, "path"), text_field(row, "qualified_name")));
            }
        }
        Ok(all)
    }

    /// Searches for the question and for the messages quoted in it. A passage that has a message literally is marked.
    async fn search_hits(&mut self, plan: &QuestionPlan, question: &str) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        for message in &plan.messages {
            let found = self.run_action("hybrid_search", json!({ "query": message, "k": HITS })).await?;
            for mut row in rows(&found, "results") {
                row["literal"] = json!(text_field(&row, "text").contains(message.as_str()));
                all.push(row);
            }
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
        self.findings.parts.push(BriefPart { heading, items });
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
