//! A run's report for people: its result, and what it used.

use std::time::Duration;

use serde_json::Value;

use super::summary::{RunSummary, SentRecord, ending, shown_evidence, summarize_run};
use crate::domain::display::{counted, render_duration};
use crate::domain::id::RunId;
use crate::ports::event::{Budget, LoggedEvent, OpinionGiver, OpinionRecord, RunEvent, RunOutcome, RunUsage};

/// How many pieces of evidence are listed; `evidence.json` has them all.
const LISTED: usize = 50;

/// Renders the result as markdown, followed by facts about the run. A run that has not ended says so, and how to resume
/// it.
pub fn render_report(run: &RunId, events: &[LoggedEvent]) -> String {
    let summary = summarize_run(run, events);
    let mut text = format!("# {}\n\n", escape_line(&summary.title));
    match ending(events) {
        Some(ended) if !ended.report.trim().is_empty() => text += ended.report.trim_end(),
        Some(ended) => text += &render_result(&ended.result),
        None => {
            text += &format!(
                "This run has not finished. `wellread resume {run}` continues it without asking for anything twice."
            );
        }
    }
    text += "\n\n## About this run\n\n";
    for (name, value) in summary_fields(&summary) {
        text += &format!("- {name}: {value}\n");
    }
    if !summary.left_the_machine.is_empty() {
        text += "\n### What was sent\n\n";
        text.extend(summary.left_the_machine.iter().map(render_sent));
    }
    if summary.evidence.found > 0 {
        text += "\n### Evidence\n\n";
        text += &render_evidence(events);
    }
    text
}

fn summary_fields(summary: &RunSummary) -> Vec<(&'static str, String)> {
    let mut about = vec![("run", format!("`{}`", summary.run_id))];
    if let Some(kind) = summary.kind {
        about.push(("kind", kind.name().to_owned()));
    }
    if let (Some(began), Some(last)) = (summary.began, summary.last) {
        let shown = |at: jiff::Timestamp| at.strftime("%Y-%m-%d %H:%M:%SZ").to_string();
        about.push(("time", format!("{} to {}", shown(began), shown(last))));
    }
    about.push((
        "outcome",
        match summary.outcome {
            Some(RunOutcome::Done) => "done".to_owned(),
            Some(RunOutcome::OutOfBudget) => "a budget was reached; this is the result up to then".to_owned(),
            Some(RunOutcome::NothingFound) => "nothing was found".to_owned(),
            Some(RunOutcome::Failed) => "failed".to_owned(),
            Some(RunOutcome::Cancelled) => "cancelled".to_owned(),
            None => "not finished".to_owned(),
        },
    ));
    about.push(("spent", render_spent(&summary.spent, &summary.budget)));
    let found = summary.evidence;
    about.push(("evidence", format!("{} found, {} used", found.found, found.shown)));
    if let Some(coverage) = &summary.coverage {
        about.push(("coverage", render_coverage(coverage)));
    }
    about.extend(summary.second_opinions.iter().map(|record| ("second opinion", render_opinion(record))));
    for wrote in &summary.wrote {
        about.push((
            "wrote",
            format!("`{}` (`wellread undo {}`)", flatten_text(&wrote.path), flatten_text(&wrote.operation)),
        ));
    }
    let left = summary.left_the_machine.iter().filter(|one| !one.sent.stays);
    let bytes: u64 = left.clone().map(|one| one.sent.bytes).sum();
    about.push((
        "left the machine",
        match left.count() {
            0 => "nothing".to_owned(),
            1 => format!("1 request, {bytes} bytes"),
            count => format!("{count} requests, {bytes} bytes"),
        },
    ));
    about
}

/// `3 of 8 steps, 4.5 s of 2 min, …`
fn render_spent(spent: &RunUsage, budget: &Budget) -> String {
    let of = |used: String, limit: Option<String>| match limit {
        Some(limit) => format!("{used} of {limit}"),
        None => used,
    };
    let count = |used: u64, limit: Option<u64>, one: &str, several: &str| match limit {
        Some(limit) => format!("{used} of {}", counted(limit, one, several)),
        None => counted(used, one, several),
    };
    let lasted = Duration::try_from_secs_f64(spent.seconds).unwrap_or_default();
    let mut parts = vec![
        count(spent.steps, budget.steps, "step", "steps"),
        of(render_duration(lasted), budget.seconds.map(|limit| render_duration(Duration::from_secs(limit)))),
        count(spent.tokens_read + spent.tokens_written, budget.tokens, "token", "tokens"),
        count(spent.requests, budget.requests, "request", "requests"),
    ];
    if spent.money.is_some() || budget.money.is_some() {
        let used = spent.money.map_or_else(|| "an unknown part".to_owned(), |money| format!("{money:.4}"));
        parts.push(format!("{} US$", of(used, budget.money.map(|money| format!("{money:.2}")))));
    }
    parts.join(", ")
}

/// Renders a share as a percentage, anything else as JSON.
fn render_coverage(coverage: &Value) -> String {
    match coverage.as_f64() {
        Some(share) if (0.0..=1.0).contains(&share) => {
            format!("{:.0} % of the sentences are supported", share * 100.0)
        }
        _ => flatten_text(&coverage.to_string()),
    }
}

/// `the model on 5 sentences, 1 verdict lowered`
fn render_opinion(record: &OpinionRecord) -> String {
    let by = match record.by {
        OpinionGiver::Model => "the model",
    };
    let sentences = counted(record.sentences, "sentence", "sentences");
    let lowered = counted(record.lowered, "verdict", "verdicts");
    let trouble = record
        .trouble
        .as_deref()
        .map(|trouble| format!("; where it has none, the rules' verdict stands ({})", escape_line(trouble)));
    format!("{by} on {sentences}, {lowered} lowered{}", trouble.unwrap_or_default())
}

fn render_sent(one: &SentRecord) -> String {
    let sent = &one.sent;
    let stays = if sent.stays { ", on this machine" } else { "" };
    let about = if sent.about.is_empty() { String::new() } else { format!(": {}", escape_line(&sent.about)) };
    format!(
        "- {} to `{}`, {} bytes{stays}{about}\n",
        escape_line(&sent.what),
        flatten_text(&sent.to),
        sent.bytes
    )
}

fn render_evidence(events: &[LoggedEvent]) -> String {
    let shown = shown_evidence(events);
    let all = events.iter().filter_map(|stamped| match &stamped.event {
        RunEvent::Evidence(evidence) => Some(evidence),
        _ => None,
    });
    let more = all.clone().count().saturating_sub(LISTED);
    let mut lines: String = all
        .take(LISTED)
        .map(|evidence| {
            let unseen = if shown.contains(&evidence.id) { "" } else { " (not shown)" };
            let place = flatten_text(&evidence.source.location());
            format!("- [{}] `{place}`{unseen}: {}\n", evidence.id, escape_line(&evidence.reason))
        })
        .collect();
    if more > 0 {
        lines += &format!("- and {more} more\n");
    }
    lines
}

/// Renders a result that has no report: its error and hint, or the JSON itself.
fn render_result(result: &Value) -> String {
    match result.get("error").and_then(Value::as_str) {
        Some(error) => {
            let hint = result.get("hint").and_then(Value::as_str);
            format!(
                "{}{}",
                escape_line(error),
                hint.map(|hint| format!("\n\n{}", escape_line(hint))).unwrap_or_default()
            )
        }
        None if result.is_null() => "It produced nothing.".to_owned(),
        None => format!("```json\n{}\n```", format!("{result:#}").replace("```", "'''")),
    }
}

/// Untrusted text on one line: markdown is escaped, control characters are removed.
fn escape_line(text: &str) -> String {
    let flat = flatten_text(text);
    let mut safe = String::with_capacity(flat.len());
    for letter in flat.chars() {
        if matches!(letter, '[' | ']' | '<' | '>' | '!' | '\\' | '`' | '*' | '_' | '#' | '|') {
            safe.push('\\');
        }
        safe.push(letter);
    }
    safe
}

/// Text on one line and without backticks, to be placed between backticks.
fn flatten_text(text: &str) -> String {
    let flat = text.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    flat.replace('`', "'")
}
