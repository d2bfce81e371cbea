//! The answer without a model: where it is defined, what calls it, how the parts hang together, the telling lines, and what
//! could not be found. Planned by rules, and the same for the same repository.

use std::collections::BTreeSet;
use std::future::ready;

use serde_json::{Value, json};

use super::actions::perform;
use super::answer::{Told, answered, harmless};
use super::plan::Plan;
use super::{CodeAnswer, Job, StepTaken, in_short};
use crate::Result;
use crate::checking::{Uncited, checked};
use crate::codebase::{MODULE, Scope};
use crate::corpus::CorpusName;
use crate::event::{Event, Outcome};
use crate::id::EvidenceId;
use crate::inspect::Inspect;
use crate::keyless;
use crate::ports::Which;
use crate::research::{Around, Done, Progress, Research, Stage};
use crate::run::Run;

const SEEDS: usize = 3;
const DEFINED: usize = 4;
const CALLERS: usize = 4;
const CALLS: usize = 4;
const LINES: usize = 6;
const OF_A_PLACE: usize = 2;
const PACK_TOKENS: usize = 2_000;
const HITS: usize = 10;

/// The work on one brief.
struct Brief<'a> {
    run: &'a Run,
    inspect: Option<Inspect<'a>>,
    around: Around<'a>,
    steps: Vec<StepTaken>,
    parts: Vec<(&'static str, Vec<String>)>,
    missing: Vec<String>,
}

impl Research {
    pub(super) async fn briefed(
        &self,
        around: Around<'_>,
        run: &Run,
        inspect: Option<Inspect<'_>>,
        job: &Job,
        why: Option<String>,
    ) -> Result<Done<CodeAnswer>> {
        let plan = Plan::of(&job.question);
        run.note(&Event::Plan {
            plan: json!({ "names": plan.names, "paths": plan.paths, "messages": plan.messages }),
        })?;
        let mut brief =
            Brief { run, inspect, around, steps: Vec::new(), parts: Vec::new(), missing: Vec::new() };
        let named = brief.definitions(&plan).await?;
        let hits = brief.hits(&plan, &job.question).await?;
        let seeds: Vec<String> = match named.is_empty() {
            false => named.iter().take(SEEDS).cloned().collect(),
            true => brief.seeds_of(&hits),
        };
        brief.relations(&seeds, !named.is_empty()).await?;
        if plan.path_between {
            brief.trace(&plan, &named).await?;
        }
        if !seeds.is_empty() {
            let input = json!({ "symbols": seeds, "token_budget": PACK_TOKENS, "question": job.question });
            brief.step("graph_pack", input).await?;
        }
        brief.telling_lines(&job.question).await?;
        let Brief { steps, parts, missing, .. } = brief;
        self.told(around, run, job, why, (parts, missing), steps, Outcome::Done).await
    }

    /// The answer where a budget ended first: the telling lines of what was found by then.
    pub(super) async fn of_the_evidence(
        &self,
        around: Around<'_>,
        run: &Run,
        job: &Job,
        why: Option<String>,
        steps: Vec<StepTaken>,
        outcome: Outcome,
    ) -> Result<Done<CodeAnswer>> {
        let ledger = run.ledger();
        let shown: Vec<_> = ledger.shown().filter_map(|id| ledger.entry(id)).collect();
        let lines = keyless::lines_in_evidence(&job.question, &shown, LINES, OF_A_PLACE);
        let quoted = lines.iter().map(|line| format!("- {} [{}]", line.quoted, shown[line.of].id)).collect();
        self.told(around, run, job, why, (vec![("Telling lines", quoted)], Vec::new()), steps, outcome).await
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one answer")]
    async fn told(
        &self,
        around: Around<'_>,
        run: &Run,
        job: &Job,
        why: Option<String>,
        (parts, missing): (Vec<(&'static str, Vec<String>)>, Vec<String>),
        steps: Vec<StepTaken>,
        outcome: Outcome,
    ) -> Result<Done<CodeAnswer>> {
        (around.watch)(Progress::Stage { stage: Stage::Check, done: 0, of: 1, about: String::new() });
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
        let text = harmless(&text.join("\n\n"));
        let checked = checked(run, &self.places(around), text, Uncited::Goes, |_| ready(None)).await?;
        let mut remarks: Vec<String> = Vec::new();
        if nothing {
            let looked = format!("I found nothing that answers this in `{}`", job.repository);
            let scope = if job.scope.is_empty() { String::new() } else { format!(" within `{}`", job.scope) };
            remarks.push(format!("{looked}{scope}. Looked at: {}.", looked_at(&steps)));
        }
        let mut missing = missing;
        if nothing || !missing.is_empty() {
            let unread = self.unread(around, run, job)?;
            missing.extend(
                (unread > 0)
                    .then(|| format!("- {unread} files could not be read; `wellread status` says why.")),
            );
        }
        if !missing.is_empty() {
            remarks.push(format!("### Not found\n\n{}", missing.join("\n")));
        }
        let notice = why.or_else(|| job.notice.clone());
        let told = Told {
            text: checked.text,
            remarks: remarks.join("\n\n"),
            confidence,
            coverage: checked.report.map(|report| report.coverage),
            notice,
            steps: if job.debug { steps } else { Vec::new() },
        };
        Ok(answered(run, told, outcome))
    }
}

impl Research {
    /// How many files of the repository within the scope could not be indexed.
    fn unread(&self, around: Around<'_>, run: &Run, job: &Job) -> Result<usize> {
        let corpus = CorpusName::Repository(job.repository.clone());
        let scope = Scope::parse(&job.scope)?;
        run.draw("unread", || {
            let skipped = around.search.library.index.known(&corpus, Which::Skipped).unwrap_or_default();
            skipped.iter().filter(|file| scope.holds(&file.path)).count()
        })
    }
}

impl Brief<'_> {
    /// One action, by way of the run. One that failed found nothing.
    async fn step(&mut self, action: &str, input: Value) -> Result<Value> {
        // Whatever was found by then is told.
        if self.run.draw("time", || self.run.exhausted(None).is_some())? {
            return Ok(Value::Null);
        }
        let about: String = format!("{action} {input}").chars().take(120).collect();
        let done = self.steps.len();
        (self.around.watch)(Progress::Stage { stage: Stage::Investigate, done, of: done + 1, about });
        self.run.step();
        let answered = perform(self.inspect, self.run, action, &input).await?;
        let found = in_short(&answered.envelope);
        self.steps.push(StepTaken { action: action.to_owned(), input, found });
        Ok(answered.envelope)
    }

    /// Where the names of the question are defined, and by what they are known.
    async fn definitions(&mut self, plan: &Plan) -> Result<Vec<String>> {
        let (mut ids, mut lines, mut told) = (Vec::new(), Vec::new(), BTreeSet::new());
        for name in &plan.names {
            let found = self.step("find_symbol", json!({ "name": name })).await?;
            let rows = rows(&found, "definitions");
            if rows.is_empty() {
                let near = rows_of_text(&found, "near");
                let near = if near.is_empty() {
                    String::new()
                } else {
                    format!("; near to it: {}", near.join(", "))
                };
                self.missing.push(format!("- `{}` is defined nowhere that was looked{near}.", plain(name)));
            }
            for row in rows.iter().take(DEFINED) {
                ids.push(text(row, "id").to_owned());
                if told.insert(text(row, "id").to_owned()) {
                    lines.extend(defined(row).and_then(|line| self.cited(row, &line)));
                }
            }
            if rows.len() > DEFINED {
                self.missing.push(format!(
                    "- `{}` has {} definitions; {DEFINED} are shown.",
                    plain(name),
                    rows.len()
                ));
            }
        }
        for path in &plan.paths {
            let file = path.split(':').next().unwrap_or(path);
            let found = self.step("outline", json!({ "file_path": file })).await?;
            if found["success"] != true {
                self.missing.push(format!("- `{}` could not be read.", plain(path)));
            }
            for row in rows(&found, "definitions").iter().take(DEFINED) {
                let id = format!("{}::{}", text(row, "path"), text(row, "qualified_name"));
                if !told.insert(id) {
                    continue;
                }
                lines.extend(defined(row).and_then(|line| self.cited(row, &line)));
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
    async fn hits(&mut self, plan: &Plan, question: &str) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        for message in &plan.messages {
            let found = self.step("hybrid_search", json!({ "query": message, "k": HITS })).await?;
            all.extend(rows(&found, "results"));
        }
        let found = self.step("hybrid_search", json!({ "query": question, "k": HITS })).await?;
        all.extend(rows(&found, "results"));
        Ok(all)
    }

    fn seeds_of(&self, hits: &[Value]) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let ids = hits.iter().filter_map(|row| {
            let symbol = row["symbol"].as_str()?;
            Some(format!("{}::{symbol}", text(row, "path")))
        });
        ids.filter(|id| seen.insert(id.clone())).take(SEEDS).collect()
    }

    /// What leads to the seeds and where they lead. Where they were named, all that is not known is said, too.
    async fn relations(&mut self, seeds: &[String], named: bool) -> Result<()> {
        let (mut callers, mut calls) = (Vec::new(), Vec::new());
        for seed in seeds {
            let found =
                self.step("graph_expand", json!({ "symbol": seed, "depth": 1, "direction": "both" })).await?;
            if found["success"] != true {
                self.missing.push(format!(
                    "- what hangs on `{}` could not be told: {}.",
                    plain(seed),
                    plain(&in_short(&found))
                ));
            }
            let edges = rows(&found, "edges");
            let of_calls = edges.iter().filter(|edge| edge["kind"] == "calls");
            let (inward, outward): (Vec<&Value>, Vec<&Value>) =
                of_calls.partition(|edge| is_of(edge["to"].as_str(), seed));
            for edge in inward.iter().take(CALLERS) {
                let line = told_edge(edge);
                callers.extend(self.cited(edge, &line));
            }
            for edge in outward.iter().take(CALLS) {
                let line = told_edge(edge);
                calls.extend(self.cited(edge, &line));
            }
            for (more, what) in [(inward.len(), "callers"), (outward.len(), "calls")] {
                let shown = if what == "callers" { CALLERS } else { CALLS };
                if more > shown {
                    let name = seed.rsplit("::").next().unwrap_or(seed);
                    self.missing.push(format!("- `{}` has {more} {what}; {shown} are shown.", plain(name)));
                }
            }
            if let (true, Some(notice)) = (named, found["notice"].as_str()) {
                let name = seed.rsplit("::").next().unwrap_or(seed);
                self.missing.push(format!("- `{}`: {}.", plain(name), plain(notice).trim_end_matches('.')));
            }
        }
        self.parts.push(("Called by", callers));
        self.parts.push(("Calls", calls));
        Ok(())
    }

    async fn trace(&mut self, plan: &Plan, named: &[String]) -> Result<()> {
        let [from, to, ..] = plan.names.as_slice() else { return Ok(()) };
        let mut found = Value::Null;
        // A name may stand for several: the first pair that is joined counts.
        'pairs: for from in meant(from, named) {
            for to in meant(to, named) {
                found = self.step("graph_trace", json!({ "from": from, "to": to })).await?;
                if !rows(&found, "edges").is_empty() {
                    break 'pairs;
                }
            }
        }
        let mut lines = Vec::new();
        for hop in rows(&found, "edges") {
            let kind = text(&hop, "kind");
            let line = format!(
                "- `{}` {kind} `{}`{}: {}",
                name_of(&hop, "from"),
                name_of(&hop, "to"),
                doubt(&hop),
                code(&hop)
            );
            lines.extend(self.cited(&hop, &line));
        }
        if lines.is_empty() {
            self.missing.push(format!("- No path from `{}` to `{}` was found.", plain(from), plain(to)));
        }
        self.parts.push(("How it hangs together", lines));
        Ok(())
    }

    /// The lines that speak of the question most, each opened at its own place.
    async fn telling_lines(&mut self, question: &str) -> Result<()> {
        let ledger = self.run.ledger();
        let entries: Vec<_> = ledger.entries().iter().collect();
        let mut lines = Vec::new();
        for line in keyless::lines_in_evidence(question, &entries, LINES, OF_A_PLACE) {
            let Some((_, place)) = entries[line.of].source.file() else { continue };
            let input = json!({ "file_path": place.path, "start_line": line.line, "end_line": line.line });
            let opened = self.step("open_span", input).await?;
            lines.extend(self.cited(&opened, &format!("- {}", line.quoted)));
        }
        self.parts.push(("Telling lines", lines));
        Ok(())
    }

    /// A line with the evidence that stands in this object, which counts as shown.
    fn cited(&self, row: &Value, line: &str) -> Option<String> {
        let id = EvidenceId::parse(row["evidence"].as_str()?).ok()?;
        self.run.show(vec![id.clone()]).ok()?;
        Some(format!("{line} [{id}]"))
    }
}

fn rows(found: &Value, list: &str) -> Vec<Value> {
    found[list].as_array().cloned().unwrap_or_default()
}

fn rows_of_text(found: &Value, list: &str) -> Vec<String> {
    rows(found, list).iter().filter_map(|row| row.as_str().map(str::to_owned)).collect()
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

/// Words of others on one line, without what would be code in markdown.
fn plain(words: &str) -> String {
    words.replace('`', "'").split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect()
}

fn defined(row: &Value) -> Option<String> {
    let name = text(row, "qualified_name").rsplit('.').next()?.to_owned();
    let (kind, path, line) = (text(row, "kind"), plain(text(row, "path")), &row["start_line"]);
    let signature = plain(text(row, "signature"));
    let signature = if signature.contains(&name) { format!(": `{signature}`") } else { String::new() };
    Some(format!("- `{}` is a {kind} at `{path}:{line}`{signature}", plain(&name)))
}

/// The last part of a symbol's name.
fn name_of(edge: &Value, end: &str) -> String {
    let id = text(edge, end);
    let qualified = id.rsplit("::").next().unwrap_or(id);
    let name = without_line(qualified);
    if name == MODULE {
        return plain(text(edge, "path"));
    }
    plain(name.rsplit('.').next().unwrap_or(name))
}

/// The symbols that a name of the question stands for, or the name where none is known.
fn meant(name: &str, ids: &[String]) -> Vec<String> {
    let name = name.replace("::", ".");
    let fits = |id: &&String| {
        let qualified = without_line(id.rsplit("::").next().unwrap_or_default());
        qualified == name || qualified.ends_with(&format!(".{name}"))
    };
    let found: Vec<String> = ids.iter().filter(fits).take(3).cloned().collect();
    if found.is_empty() { vec![name] } else { found }
}

/// A name without the line that tells it from its twins.
fn without_line(name: &str) -> &str {
    match name.rsplit_once('@') {
        Some((name, line)) if line.parse::<usize>().is_ok() => name,
        _ => name,
    }
}

/// Whether an edge's end is this symbol.
fn is_of(end: Option<&str>, seed: &str) -> bool {
    end.is_some_and(|end| end == seed)
}

fn doubt(edge: &Value) -> &'static str {
    if edge["certainty"] == "likely" { " (likely)" } else { "" }
}

fn code(edge: &Value) -> String {
    format!("`{}`", plain(text(edge, "text").trim()))
}

/// An edge in words, with the line that says so.
fn told_edge(edge: &Value) -> String {
    let (from, kind, to) = (name_of(edge, "from"), text(edge, "kind"), name_of(edge, "to"));
    format!("- `{from}` {kind} `{to}`{}: {}", doubt(edge), code(edge))
}

fn looked_at(steps: &[StepTaken]) -> String {
    let told: Vec<String> =
        steps.iter().map(|step| format!("{} ({})", step.action, plain(&step.found))).collect();
    told.join(", ")
}
