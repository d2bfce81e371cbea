//! The answer without a model: definitions, callers, connections, the most relevant lines, and what could not be found.
//! Planned by rules, and always the same for the same repository.

use std::collections::BTreeSet;
use std::future::ready;

use serde_json::{Value, json};

use super::actions::perform;
use super::answer::{CodeAnswerDraft, finish_answer, inert_text};
use super::brief_rendering::{
    certainty_suffix, is_same_symbol, plain_line, render_code, render_definition, render_edge, render_steps,
    resolve_name, rows, symbol_name, text_field, text_rows,
};
use super::plan::QuestionPlan;
use super::{CodeAnswer, CodeJob, InvestigationStep, summarize_envelope};
use crate::Result;
use crate::code::codebase::Scope;
use crate::code::inspect::Inspector;
use crate::domain::corpus::CorpusName;
use crate::domain::id::EvidenceId;
use crate::engine::repair::{UncitedPolicy, check_and_repair};
use crate::insight::keyless;
use crate::ports::KnownFileFilter;
use crate::ports::event::{RunEvent, RunOutcome};
use crate::research::{RecipeOutcome, ResearchStage, Work};

const SEEDS: usize = 3;
const DEFINED: usize = 4;
const CALLERS: usize = 4;
const CALLS: usize = 4;
const LINES: usize = 6;
const OF_A_PLACE: usize = 2;
const PACK_TOKENS: usize = 2_000;
const HITS: usize = 10;
/// The headings of an answer.
const DEFINED_PART: &str = "Defined";
const PATH_HEADING: &str = "How it fits together";
const RELEVANT_LINES: &str = "Relevant lines";

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
    /// Cited lines under their headings.
    parts: Vec<(&'static str, Vec<String>)>,
    /// What could not be found.
    missing: Vec<String>,
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
        let named = brief.collect_definitions(&plan).await?;
        let hits = brief.search_hits(&plan, question).await?;
        let seeds: Vec<String> = match named.is_empty() {
            false => named.iter().take(SEEDS).cloned().collect(),
            true => brief.pick_seeds(&hits),
        };
        brief.collect_relations(&seeds, !named.is_empty()).await?;
        if plan.path_between {
            brief.trace_path(&plan, &named).await?;
        }
        if !seeds.is_empty() {
            let input = json!({ "symbols": seeds, "token_budget": PACK_TOKENS, "question": question });
            brief.run_action("graph_pack", input).await?;
        }
        brief.collect_relevant_lines(question).await?;
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
        let findings = BriefFindings { parts: vec![(RELEVANT_LINES, quoted)], missing: Vec::new() };
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
        let confidence = findings.confidence();
        let BriefFindings { parts, missing } = findings.sorted();
        let filled = parts.iter().filter(|(_, lines)| !lines.is_empty());
        let text: Vec<String> =
            filled.map(|(name, lines)| format!("### {name}\n\n{}", lines.join("\n"))).collect();
        let found_nothing = text.is_empty();
        let (reader, text) = (self.evidence_reader(), inert_text(&text.join("\n\n")));
        let checked =
            check_and_repair(self.run, (&reader, None), text, UncitedPolicy::Goes, |_| ready(None)).await?;
        let draft = CodeAnswerDraft {
            text: checked.text,
            remarks: self.render_remarks(found_nothing, missing, &steps)?,
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

impl BriefFindings {
    fn has(&self, part: &str) -> bool {
        self.parts.iter().any(|(name, lines)| *name == part && !lines.is_empty())
    }

    fn confidence(&self) -> f64 {
        match (self.has(DEFINED_PART), self.has(RELEVANT_LINES)) {
            (true, true) => 0.8,
            (true, false) => 0.6,
            (false, true) => 0.4,
            (false, false) => 0.0,
        }
    }

    /// Sorts the parts: what was asked for comes first, which is a path or, if no definition was found, the lines
    /// themselves.
    fn sorted(mut self) -> Self {
        let named = self.has(DEFINED_PART);
        self.parts.sort_by_key(|(name, _)| match *name {
            PATH_HEADING => 0,
            RELEVANT_LINES if !named => 1,
            _ => 2,
        });
        self
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

    /// Looks up where the question's names are defined, and returns the symbols' ids.
    async fn collect_definitions(&mut self, plan: &QuestionPlan) -> Result<Vec<String>> {
        let (mut ids, mut lines, mut listed) = (Vec::new(), Vec::new(), BTreeSet::new());
        for name in &plan.names {
            let found = self.run_action("find_symbol", json!({ "name": name })).await?;
            let rows = rows(&found, "definitions");
            if rows.is_empty() {
                let near = text_rows(&found, "near");
                let near = if near.is_empty() {
                    String::new()
                } else {
                    format!("; similar names: {}", near.join(", "))
                };
                self.findings
                    .missing
                    .push(format!("- `{}` is not defined in the searched files{near}.", plain_line(name)));
            }
            for row in rows.iter().take(DEFINED) {
                ids.push(text_field(row, "id").to_owned());
                if listed.insert(text_field(row, "id").to_owned()) {
                    lines.extend(render_definition(row).and_then(|line| self.cite_line(row, &line)));
                }
            }
            if rows.len() > DEFINED {
                self.findings.missing.push(format!(
                    "- `{}` has {} definitions; {DEFINED} are shown.",
                    plain_line(name),
                    rows.len()
                ));
            }
        }
        for path in &plan.paths {
            let file = path.split(':').next().unwrap_or(path);
            let found = self.run_action("outline", json!({ "file_path": file })).await?;
            if found["success"] != true {
                self.findings.missing.push(format!("- `{}` could not be read.", plain_line(path)));
            }
            for row in rows(&found, "definitions").iter().take(DEFINED) {
                let id = format!("{}::{}", text_field(row, "path"), text_field(row, "qualified_name"));
                if !listed.insert(id) {
                    continue;
                }
                lines.extend(render_definition(row).and_then(|line| self.cite_line(row, &line)));
            }
        }
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(id.clone()));
        lines.dedup();
        lines.truncate(DEFINED * 2);
        self.findings.parts.push((DEFINED_PART, lines));
        Ok(ids)
    }

    /// Searches for the question and for the messages quoted in it.
    async fn search_hits(&mut self, plan: &QuestionPlan, question: &str) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        for message in &plan.messages {
            let found = self.run_action("hybrid_search", json!({ "query": message, "k": HITS })).await?;
            all.extend(rows(&found, "results"));
        }
        let found = self.run_action("hybrid_search", json!({ "query": question, "k": HITS })).await?;
        all.extend(rows(&found, "results"));
        Ok(all)
    }

    fn pick_seeds(&self, hits: &[Value]) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let ids = hits.iter().filter_map(|row| {
            let symbol = row["symbol"].as_str()?;
            Some(format!("{}::{symbol}", text_field(row, "path")))
        });
        ids.filter(|id| seen.insert(id.clone())).take(SEEDS).collect()
    }

    /// Collects callers and calls of the seeds. If the question named them, gaps in the graph are reported, too.
    async fn collect_relations(&mut self, seeds: &[String], named: bool) -> Result<()> {
        let (mut callers, mut calls) = (Vec::new(), Vec::new());
        for seed in seeds {
            let found = self
                .run_action("graph_expand", json!({ "symbol": seed, "depth": 1, "direction": "both" }))
                .await?;
            if found["success"] != true {
                self.findings.missing.push(format!(
                    "- the connections of `{}` could not be determined: {}.",
                    plain_line(seed),
                    plain_line(&summarize_envelope(&found))
                ));
            }
            let edges = rows(&found, "edges");
            let of_calls = edges.iter().filter(|edge| edge["kind"] == "calls");
            let (inward, outward): (Vec<&Value>, Vec<&Value>) =
                of_calls.partition(|edge| is_same_symbol(edge["to"].as_str(), seed));
            for edge in inward.iter().take(CALLERS) {
                let line = render_edge(edge);
                callers.extend(self.cite_line(edge, &line));
            }
            for edge in outward.iter().take(CALLS) {
                let line = render_edge(edge);
                calls.extend(self.cite_line(edge, &line));
            }
            for (more, what) in [(inward.len(), "callers"), (outward.len(), "calls")] {
                let shown = if what == "callers" { CALLERS } else { CALLS };
                if more > shown {
                    let name = seed.rsplit("::").next().unwrap_or(seed);
                    self.findings
                        .missing
                        .push(format!("- `{}` has {more} {what}; {shown} are shown.", plain_line(name)));
                }
            }
            if let (true, Some(notice)) = (named, found["notice"].as_str()) {
                let name = seed.rsplit("::").next().unwrap_or(seed);
                self.findings.missing.push(format!(
                    "- `{}`: {}.",
                    plain_line(name),
                    plain_line(notice).trim_end_matches('.')
                ));
            }
        }
        self.findings.parts.push(("Called by", callers));
        self.findings.parts.push(("Calls", calls));
        Ok(())
    }

    async fn trace_path(&mut self, plan: &QuestionPlan, named: &[String]) -> Result<()> {
        let [from, to, ..] = plan.names.as_slice() else { return Ok(()) };
        let mut found = Value::Null;
        // A name may have several definitions: the first connected pair counts.
        'pairs: for from in resolve_name(from, named) {
            for to in resolve_name(to, named) {
                found = self.run_action("graph_trace", json!({ "from": from, "to": to })).await?;
                if !rows(&found, "edges").is_empty() {
                    break 'pairs;
                }
            }
        }
        let mut lines = Vec::new();
        for hop in rows(&found, "edges") {
            let kind = text_field(&hop, "kind");
            let line = format!(
                "- `{}` {kind} `{}`{}: {}",
                symbol_name(&hop, "from"),
                symbol_name(&hop, "to"),
                certainty_suffix(&hop),
                render_code(&hop)
            );
            lines.extend(self.cite_line(&hop, &line));
        }
        if lines.is_empty() {
            self.findings.missing.push(format!(
                "- No path from `{}` to `{}` was found.",
                plain_line(from),
                plain_line(to)
            ));
        }
        self.findings.parts.push((PATH_HEADING, lines));
        Ok(())
    }

    /// Collects the lines most relevant to the question, each opened at its own place.
    async fn collect_relevant_lines(&mut self, question: &str) -> Result<()> {
        let ledger = self.work.run.ledger();
        let entries: Vec<_> = ledger.entries().iter().collect();
        let mut lines = Vec::new();
        for line in keyless::find_lines_in_evidence(question, &entries, LINES, OF_A_PLACE) {
            let Some((_, place)) = entries[line.of].source.file() else { continue };
            let input = json!({ "file_path": place.path, "start_line": line.line, "end_line": line.line });
            let opened = self.run_action("open_span", input).await?;
            lines.extend(self.cite_line(&opened, &format!("- {}", line.quoted)));
        }
        self.findings.parts.push((RELEVANT_LINES, lines));
        Ok(())
    }

    /// Appends the evidence id in `row` to the line, and marks it as shown; `None` if there is no evidence.
    fn cite_line(&self, row: &Value, line: &str) -> Option<String> {
        let id = EvidenceId::parse(row["evidence"].as_str()?).ok()?;
        self.work.run.mark_shown(vec![id.clone()]).ok()?;
        Some(format!("{line} [{id}]"))
    }
}
