//! Renders agendas and findings for a terminal.

use std::fmt::Write as _;

use crate::domain::display::counted;
use crate::ports::agenda::{Agenda, Finding, Task, TaskStatus};

/// An agenda in one line, with its line break.
pub fn render_agenda_line(agenda: &Agenda) -> String {
    let when = agenda.created.strftime("%Y-%m-%d %H:%M:%SZ");
    let about = agenda.source_note_id.as_deref().unwrap_or("the whole vault");
    let message = agenda.message.as_deref().map(|message| format!("  {message}")).unwrap_or_default();
    format!(
        "{}  {when}  {:<9}  {}  {about}{message}\n",
        agenda.id,
        agenda.status.name(),
        counted(agenda.tasks.len(), "task", "tasks")
    )
}

/// An agenda with its tasks.
pub fn render_agenda(agenda: &Agenda) -> String {
    let mut text = render_agenda_line(agenda);
    for task in &agenda.tasks {
        let _ = write!(text, "\n{}", render_task(task));
    }
    text
}

fn render_task(task: &Task) -> String {
    let mut text =
        format!("  {}  [{}]  {} ({})\n", task.id, task.status.name(), task.query, task.source.name());
    let mut add = |what: &str, words: &str| {
        let _ = writeln!(text, "      {what}: {words}");
    };
    add("why", &task.motivation);
    if !task.related_notes.is_empty() {
        add("notes", &task.related_notes.join(", "));
    }
    if let Some(earlier) = &task.earlier {
        let when = earlier.at.strftime("%Y-%m-%d");
        add(
            "note",
            &format!("you researched this on {when} (agenda {}: {})", earlier.agenda_id, earlier.query),
        );
    }
    if let Some(counts) = &task.counts {
        let result = format!(
            "{}, {} read, {} already known, {}",
            counted(counts.results, "result", "results"),
            counts.fetched,
            counts.duplicates,
            counted(counts.findings, "finding", "findings")
        );
        add("result", &result);
    }
    if let Some(message) = task.message.as_deref().filter(|_| task.status != TaskStatus::Proposed) {
        add("said", message);
    }
    text
}

/// A finding with its sentences and their evidence.
pub fn render_finding(finding: &Finding) -> String {
    let mut text = format!("{}\n{}\n\n", finding.title, finding.url);
    for sentence in &finding.sentences {
        let _ = writeln!(
            text,
            "{:<12} {} {}",
            sentence.verdict.name(),
            sentence.text,
            bracket_ids(&sentence.evidence)
        );
    }
    let _ = writeln!(text, "\nwhy: {} (found for “{}”)", finding.motivation, finding.query);
    if !finding.concepts.is_empty() {
        let _ = writeln!(text, "concepts: {}", finding.concepts.join(", "));
    }
    if !finding.related_notes.is_empty() {
        let _ = writeln!(text, "notes: {}", finding.related_notes.join(", "));
    }
    let nearest = finding.nearest.as_deref().map(|nearest| format!(" to {nearest}")).unwrap_or_default();
    let _ = writeln!(text, "similarity: {:.2}{nearest}", finding.similarity);
    for entry in &finding.evidence {
        let _ = writeln!(
            text,
            "\n[{}] {}\n  “{}”",
            entry.id,
            entry.url,
            entry.quote.split_whitespace().collect::<Vec<_>>().join(" ")
        );
    }
    let _ = writeln!(text, "\n{}: {}", finding.id, finding.status.name());
    if let Some(path) = &finding.note_path {
        let _ = writeln!(text, "note: {path}");
    }
    text
}

fn bracket_ids(ids: &[String]) -> String {
    if ids.is_empty() { String::new() } else { format!("[{}]", ids.join(", ")) }
}
