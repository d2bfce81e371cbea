//! The answer without a model: where it is defined, what calls it, how the parts hang together, the telling lines, and what
//! could not be found. Planned by rules, and the same for the same repository.

use std::collections::BTreeSet;
use std::future::ready;

use serde_json::{Value, json};

use super::actions::perform;
use super::answer::{CodeAnswerDraft, finish_answer, inert_text};
use super::plan::QuestionPlan;
use super::{CodeAnswer, CodeJob, InvestigationStep, summarize_envelope};
use crate::Result;
use crate::code::codebase::{MODULE, Scope};
use crate::code::inspect::Inspector;
use crate::domain::corpus::CorpusName;
use crate::domain::id::EvidenceId;
use crate::engine::repair::{UncitedPolicy, check_and_repair};
use crate::engine::run::Run;
use crate::insight::keyless;
use crate::ports::KnownFileFilter;
use crate::ports::event::{RunEvent, RunOutcome};
use crate::research::{Context, RecipeOutcome, Research, ResearchEvent, ResearchStage};

const SEEDS: usize = 3;
const DEFINED: usize = 4;
const CALLERS: usize = 4;
const CALLS: usize = 4;
const LINES: usize = 6;
const OF_A_PLACE: usize = 2;
const PACK_TOKENS: usize = 2_000;
const HITS: usize = 10;

/// The work on one brief.
struct CodeBrief<'a> {
    run: &'a Run,
    inspect: Option<Inspector<'a>>,
    around: Context<'a>,
    steps: Vec<InvestigationStep>,
    parts: Vec<(&'static str, Vec<String>)>,
    missing: Vec<String>,
}

impl Research {
    pub(super) async fn answer_keyless(
        &self,
        around: Context<'_>,
        run: &Run,
        inspect: Option<Inspector<'_>>,
        job: &CodeJob,
        why: Option<String>,
    ) -> Result<RecipeOutcome<CodeAnswer>> {
        let plan = QuestionPlan::parse(&job.question);
        run.record_event(&RunEvent::Plan {
            plan: json!({ "names": plan.names, "paths": plan.paths, "messages": plan.messages }),
        })?;
        let mut brief =
            CodeBrief { run, inspect, around, steps: Vec::new(), parts: Vec::new(), missing: Vec::new() };
        let named = brief.collect_definitions(&plan).await?;
        let hits = brief.search_hits(&plan, &job.question).await?;
        let seeds: Vec<String> = match named.is_empty() {
            false => named.iter().take(SEEDS).cloned().collect(),
            true => brief.pick_seeds(&hits),
        };
        brief.collect_relations(&seeds, !named.is_empty()).await?;
        if plan.path_between {
            brief.trace_path(&plan, &named).await?;
        }
        if !seeds.is_empty() {
            let input = json!({ "symbols": seeds, "token_budget": PACK_TOKENS, "question": job.question });
            brief.run_action("graph_pack", input).await?;
        }
        brief.collect_relevant_lines(&job.question).await?;
        let CodeBrief { steps, parts, missing, .. } = brief;
        self.finish_brief(around, run, job, why, (parts, missing), steps, RunOutcome::Done).await
    }

    /// The answer where a budget ended first: the telling lines of what was found by then.
    pub(super) async fn answer_from_evidence(
        &self,
        around: Context<'_>,
        run: &Run,
        job: &CodeJob,
        why: Option<String>,
        steps: Vec<InvestigationStep>,
        outcome: RunOutcome,
    ) -> Result<RecipeOutcome<CodeAnswer>> {
        let ledger = run.ledger();
        let shown: Vec<_> = ledger.shown_ids().filter_map(|id| ledger.entry(id)).collect();
        let lines = keyless::find_lines_in_evidence(&job.question, &shown, LINES, OF_A_PLACE);
        let quoted = lines.iter().map(|line| format!("- {} [{}]", line.quoted, shown[line.of].id)).collect();
        self.finish_brief(
            around,
            run,
            job,
            why,
            (vec![("Telling lines", quoted)], Vec::new()),
            steps,
            outcome,
        )
        .await
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one answer")]
    async fn finish_brief(
        &self,
        around: Context<'_>,
        run: &Run,
        job: &CodeJob,
        why: Option<String>,
        (parts, missing): (Vec<(&'static str, Vec<String>)>, Vec<String>),
        steps: Vec<InvestigationStep>,
        outcome: RunOutcome,
    ) -> Result<RecipeOutcome<CodeAnswer>> {
        (around.watch)(ResearchEvent::Stage {
            stage: ResearchStage::Check,
            done: 0,
            of: 1,
            about: String::new(),
        });
        let has = |part: &str| parts.iter().any(|(name, lines)| *name == part && !lines.is_empty());
        let confidence = match (has("Defined"), has("Telling lines")) {
            (true, true) => 0.8,
            (true, false) => 0.6,
            (false, true) => 0.4,
            (false, false) => 0.0,
        };
        // What was asked for comes first: a path, or where nothing was named, the lines themselves.
        let (named, mut parts) = (has("Defined"), parts.clone());
        parts.sort_by_key(|(name, _)| match *name {
            "How it hangs together" => 0,
            "Telling lines" if !named => 1,
            _ => 2,
        });
        let filled = parts.iter().filter(|(_, lines)| !lines.is_empty());
        let text: Vec<String> =
            filled.map(|(name, lines)| format!("### {name}\n\n{}", lines.join("\n"))).collect();
        let nothing = text.is_empty();
        let text = inert_text(&text.join("\n\n"));
        let checked =
            check_and_repair(run, &self.places(around), text, UncitedPolicy::Goes, |_| ready(None)).await?;
        let mut remarks: Vec<String> = Vec::new();
        if nothing {
            let looked = format!("I found nothing that answers this in `{}`", job.repository);
            let scope = if job.scope.is_empty() { String::new() } else { format!(" within `{}`", job.scope) };
            remarks.push(format!("{looked}{scope}. Looked at: {}.", render_steps(&steps)));
        }
        let mut missing = missing;
        if nothing || !missing.is_empty() {
            let unread = self.count_unindexed(around, run, job)?;
            missing.extend(
                (unread > 0)
                    .then(|| format!("- {unread} files could not be read; `wellread status` says why.")),
            );
        }
        if !missing.is_empty() {
            remarks.push(format!("### Not found\n\n{}", missing.join("\n")));
        }
        let notice = why.or_else(|| job.notice.clone());
        let told = CodeAnswerDraft {
            text: checked.text,
            remarks: remarks.join("\n\n"),
            confidence,
            coverage: checked.report.map(|report| report.coverage),
            notice,
            steps: if job.debug { steps } else { Vec::new() },
        };
        Ok(finish_answer(run, told, outcome))
    }
}

impl Research {
    /// How many files of the repository within the scope could not be indexed.
    fn count_unindexed(&self, around: Context<'_>, run: &Run, job: &CodeJob) -> Result<usize> {
        let corpus = CorpusName::Repository(job.repository.clone());
        let scope = Scope::parse(&job.scope)?;
        run.draw("unread", || {
            let skipped = around
                .search
                .library
                .index
                .known_files(&corpus, KnownFileFilter::Skipped)
                .unwrap_or_default();
            skipped.iter().filter(|file| scope.contains(&file.path)).count()
        })
    }
}

impl CodeBrief<'_> {
    /// One action, by way of the run. One that failed found nothing.
    async fn run_action(&mut self, action: &str, input: Value) -> Result<Value> {
        // Whatever was found by then is told.
        if self.run.draw("time", || self.run.exhausted_limit(None).is_some())? {
            return Ok(Value::Null);
        }
        let about: String = format!("{action} {input}").chars().take(120).collect();
        let done = self.steps.len();
        (self.around.watch)(ResearchEvent::Stage {
            stage: ResearchStage::Investigate,
            done,
            of: done + 1,
            about,
        });
        self.run.count_step();
        let answered = perform(self.inspect, self.run, action, &input).await?;
        let found = summarize_envelope(&answered.envelope);
        self.steps.push(InvestigationStep { action: action.to_owned(), input, found });
        Ok(answered.envelope)
    }

    /// Where the names of the question are defined, and by what they are known.
    async fn collect_definitions(&mut self, plan: &QuestionPlan) -> Result<Vec<String>> {
        let (mut ids, mut lines, mut told) = (Vec::new(), Vec::new(), BTreeSet::new());
        for name in &plan.names {
            let found = self.run_action("find_symbol", json!({ "name": name })).await?;
            let rows = rows(&found, "definitions");
            if rows.is_empty() {
                let near = text_rows(&found, "near");
                let near = if near.is_empty() {
                    String::new()
                } else {
                    format!("; near to it: {}", near.join(", "))
                };
                self.missing
                    .push(format!("- `{}` is defined nowhere that was looked{near}.", plain_line(name)));
            }
            for row in rows.iter().take(DEFINED) {
                ids.push(text_field(row, "id").to_owned());
                if told.insert(text_field(row, "id").to_owned()) {
                    lines.extend(render_definition(row).and_then(|line| self.cite_line(row, &line)));
                }
            }
            if rows.len() > DEFINED {
                self.missing.push(format!(
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
                self.missing.push(format!("- `{}` could not be read.", plain_line(path)));
            }
            for row in rows(&found, "definitions").iter().take(DEFINED) {
                let id = format!("{}::{}", text_field(row, "path"), text_field(row, "qualified_name"));
                if !told.insert(id) {
                    continue;
                }
                lines.extend(render_definition(row).and_then(|line| self.cite_line(row, &line)));
            }
        }
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(id.clone()));
        lines.dedup();
        lines.truncate(DEFINED * 2);
        self.parts.push(("Defined", lines));
        Ok(ids)
    }

    /// The passages that fit the question and its messages.
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

    /// What leads to the seeds and where they lead. Where they were named, all that is not known is said, too.
    async fn collect_relations(&mut self, seeds: &[String], named: bool) -> Result<()> {
        let (mut callers, mut calls) = (Vec::new(), Vec::new());
        for seed in seeds {
            let found = self
                .run_action("graph_expand", json!({ "symbol": seed, "depth": 1, "direction": "both" }))
                .await?;
            if found["success"] != true {
                self.missing.push(format!(
                    "- what hangs on `{}` could not be told: {}.",
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
                    self.missing
                        .push(format!("- `{}` has {more} {what}; {shown} are shown.", plain_line(name)));
                }
            }
            if let (true, Some(notice)) = (named, found["notice"].as_str()) {
                let name = seed.rsplit("::").next().unwrap_or(seed);
                self.missing.push(format!(
                    "- `{}`: {}.",
                    plain_line(name),
                    plain_line(notice).trim_end_matches('.')
                ));
            }
        }
        self.parts.push(("Called by", callers));
        self.parts.push(("Calls", calls));
        Ok(())
    }

    async fn trace_path(&mut self, plan: &QuestionPlan, named: &[String]) -> Result<()> {
        let [from, to, ..] = plan.names.as_slice() else { return Ok(()) };
        let mut found = Value::Null;
        // A name may stand for several: the first pair that is joined counts.
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
            self.missing.push(format!(
                "- No path from `{}` to `{}` was found.",
                plain_line(from),
                plain_line(to)
            ));
        }
        self.parts.push(("How it hangs together", lines));
        Ok(())
    }

    /// The lines that speak of the question most, each opened at its own place.
    async fn collect_relevant_lines(&mut self, question: &str) -> Result<()> {
        let ledger = self.run.ledger();
        let entries: Vec<_> = ledger.entries().iter().collect();
        let mut lines = Vec::new();
        for line in keyless::find_lines_in_evidence(question, &entries, LINES, OF_A_PLACE) {
            let Some((_, place)) = entries[line.of].source.file() else { continue };
            let input = json!({ "file_path": place.path, "start_line": line.line, "end_line": line.line });
            let opened = self.run_action("open_span", input).await?;
            lines.extend(self.cite_line(&opened, &format!("- {}", line.quoted)));
        }
        self.parts.push(("Telling lines", lines));
        Ok(())
    }

    /// A line with the evidence that stands in this object, which counts as shown.
    fn cite_line(&self, row: &Value, line: &str) -> Option<String> {
        let id = EvidenceId::parse(row["evidence"].as_str()?).ok()?;
        self.run.mark_shown(vec![id.clone()]).ok()?;
        Some(format!("{line} [{id}]"))
    }
}

fn rows(found: &Value, list: &str) -> Vec<Value> {
    found[list].as_array().cloned().unwrap_or_default()
}

fn text_rows(found: &Value, list: &str) -> Vec<String> {
    rows(found, list).iter().filter_map(|row| row.as_str().map(str::to_owned)).collect()
}

fn text_field<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

/// Words of others on one line, without what would be code in markdown.
fn plain_line(words: &str) -> String {
    words.replace('`', "'").split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect()
}

fn render_definition(row: &Value) -> Option<String> {
    let name = text_field(row, "qualified_name").rsplit('.').next()?.to_owned();
    let (kind, path, line) =
        (text_field(row, "kind"), plain_line(text_field(row, "path")), &row["start_line"]);
    let signature = plain_line(text_field(row, "signature"));
    let signature = if signature.contains(&name) { format!(": `{signature}`") } else { String::new() };
    Some(format!("- `{}` is a {kind} at `{path}:{line}`{signature}", plain_line(&name)))
}

/// The last part of a symbol's name.
fn symbol_name(edge: &Value, end: &str) -> String {
    let id = text_field(edge, end);
    let qualified = id.rsplit("::").next().unwrap_or(id);
    let name = strip_line_suffix(qualified);
    if name == MODULE {
        return plain_line(text_field(edge, "path"));
    }
    plain_line(name.rsplit('.').next().unwrap_or(name))
}

/// The symbols that a name of the question stands for, or the name where none is known.
fn resolve_name(name: &str, ids: &[String]) -> Vec<String> {
    let name = name.replace("::", ".");
    let fits = |id: &&String| {
        let qualified = strip_line_suffix(id.rsplit("::").next().unwrap_or_default());
        qualified == name || qualified.ends_with(&format!(".{name}"))
    };
    let found: Vec<String> = ids.iter().filter(fits).take(3).cloned().collect();
    if found.is_empty() { vec![name] } else { found }
}

/// A name without the line that tells it from its twins.
fn strip_line_suffix(name: &str) -> &str {
    match name.rsplit_once('@') {
        Some((name, line)) if line.parse::<usize>().is_ok() => name,
        _ => name,
    }
}

/// Whether an edge's end is this symbol.
fn is_same_symbol(end: Option<&str>, seed: &str) -> bool {
    end.is_some_and(|end| end == seed)
}

fn certainty_suffix(edge: &Value) -> &'static str {
    if edge["certainty"] == "likely" { " (likely)" } else { "" }
}

fn render_code(edge: &Value) -> String {
    format!("`{}`", plain_line(text_field(edge, "text").trim()))
}

/// An edge in words, with the line that says so.
fn render_edge(edge: &Value) -> String {
    let (from, kind, to) = (symbol_name(edge, "from"), text_field(edge, "kind"), symbol_name(edge, "to"));
    format!("- `{from}` {kind} `{to}`{}: {}", certainty_suffix(edge), render_code(edge))
}

fn render_steps(steps: &[InvestigationStep]) -> String {
    let told: Vec<String> =
        steps.iter().map(|step| format!("{} ({})", step.action, plain_line(&step.found))).collect();
    told.join(", ")
}
