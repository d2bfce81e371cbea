//! The first answer from the user's own notes: a question drawn from their headings, answered by quotation. No model is asked,
//! and nothing leaves the machine.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use wellread_core::Result;
use wellread_core::domain::display::{counted, render_duration};
use wellread_core::faces::tools::{AskArgs, AskQuestion};
use wellread_core::library::indexing::embed_pending;
use wellread_core::library::search::{SearchMode, snippet};
use wellread_core::ports::FileEntry;
use wellread_core::research::AskAnswerKind;

use crate::answers::{self, SearchParams, SearchScope};
use crate::app::App;
use crate::cli::{Invocation, build_runtime};
use crate::config::{Config, Flags};
use crate::progress::ProgressBar;
use crate::wiring::{NetworkOptions, lower_priority};

/// How long vectors are computed for: what is missing comes with the next commands.
const FOR_VECTORS: Duration = Duration::from_secs(10);
/// How long questions are tried for.
const FOR_QUESTIONS: Duration = Duration::from_secs(20);
const MOST_NOTES: usize = 200;
const MOST_QUESTIONS: usize = 6;
const LONGEST_SUBJECT: usize = 80;
const NO_TEXT: &str = "the vault has no notes with text";

/// Headings that say nothing about what is below them.
const EMPTY_HEADINGS: [&str; 14] = [
    "notes",
    "links",
    "references",
    "tasks",
    "todo",
    "see also",
    "related",
    "sources",
    "summary",
    "overview",
    "log",
    "introduction",
    "research",
    "questions",
];

/// What was indexed, and what it answers.
#[derive(Debug, Serialize)]
pub struct FirstAnswer {
    notes: usize,
    passages: usize,
    took_ms: u64,
    /// The command that gave the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<String>,
    /// The answer, or the best passage.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    /// The file and the lines that the answer is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// Why nothing was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

impl FirstAnswer {
    pub fn render(&self) -> String {
        let indexed = format!(
            "\nIndexed {}, {}, in {}.\n",
            counted(self.notes, "note", "notes"),
            counted(self.passages, "passage", "passages"),
            render_duration(Duration::from_millis(self.took_ms))
        );
        let (Some(command), Some(question), Some(answer)) = (self.command, &self.question, &self.answer)
        else {
            let reason = self.reason.unwrap_or(NO_TEXT);
            return format!("{indexed}There is nothing to ask about yet: {reason}.\n");
        };
        let lines: String =
            answer.lines().map(|line| format!("{}\n", format!("  {line}").trim_end())).collect();
        format!("{indexed}\n$ wellread {command} '{}'\n{lines}", question.replace('\'', "’"))
    }
}

/// Indexes the vault that the flags name, and answers a question about it.
pub fn find_first_answer(invocation: &Invocation, flags: &Flags) -> Result<FirstAnswer> {
    let config = Config::load_for_change(flags)?.without_model();
    let app = Arc::new(App::open(&config, NetworkOptions { offline: true, web: false })?);
    let begun = Instant::now();
    let bar = ProgressBar::new(invocation.output, "files");
    app.update(false, &|progress| bar.update(progress.done, progress.total))?;
    bar.clear();
    let notes = list_notes(&app)?;
    let passages = app.library.index.coverage()?.passages;
    let indexed = begun.elapsed();
    if passages > 0 {
        embed_for_a_while(invocation, &app, passages);
    }
    let mut first = FirstAnswer {
        notes: notes.len(),
        passages,
        took_ms: indexed.as_millis() as u64,
        command: None,
        question: None,
        answer: None,
        source: None,
        reason: None,
    };
    let subjects = draw_subjects(&app, &notes);
    let begun = Instant::now();
    for subject in subjects.iter().take(MOST_QUESTIONS).take_while(|_| begun.elapsed() < FOR_QUESTIONS) {
        let question = format!("What do my notes say about {subject}?");
        let request = AskArgs { query: question.clone() };
        let said = build_runtime()?.block_on(app.clone().call(AskQuestion, request))?;
        if said.kind == AskAnswerKind::Answer && said.source.is_some() {
            (first.question, first.answer, first.source) = (Some(question), Some(said.answer), said.source);
            first.command = Some("ask");
            return Ok(first);
        }
    }
    if let Some(subject) = subjects.first() {
        fill_from_search(&app, subject, &mut first)?;
    }
    if first.question.is_none() {
        first.reason = Some(explain_silence(&app, &notes));
    }
    Ok(first)
}

/// The best passage on a subject, where no question got an answer.
fn fill_from_search(app: &App, subject: &str, first: &mut FirstAnswer) -> Result<()> {
    let params = SearchParams {
        query: subject.to_owned(),
        also: Vec::new(),
        like: None,
        k: 1,
        mode: SearchMode::Hybrid,
        scope: SearchScope::Notes,
        repo: None,
        folder: None,
        tag: None,
        language: None,
    };
    if let Some(best) = answers::search(app, &params, &|_| {})?.results.first() {
        let place = format!("{}:{}-{}", best.path, best.start_line, best.end_line);
        first.command = Some("search");
        first.question = Some(subject.to_owned());
        first.answer = Some(format!("{}\n\nSource: {place}", snippet(&best.text, subject)));
        first.source = Some(place);
    }
    Ok(())
}

/// Why there is no answer.
fn explain_silence(app: &App, notes: &[FileEntry]) -> &'static str {
    if notes.iter().all(|entry| entry.size == 0) {
        NO_TEXT
    } else if notes.iter().all(|entry| app.ctx.vault.is_private(&entry.path)) {
        "every note is private"
    } else {
        "the notes that are not private give no question that they answer"
    }
}

/// The notes, the newest first.
fn list_notes(app: &App) -> Result<Vec<FileEntry>> {
    let mut notes: Vec<FileEntry> =
        app.files.list()?.files.into_iter().filter(|entry| entry.path.is_note()).collect();
    notes.sort_by(|one, other| other.modified.cmp(&one.modified).then_with(|| one.path.cmp(&other.path)));
    Ok(notes)
}

fn embed_for_a_while(invocation: &Invocation, app: &App, passages: usize) {
    let begun = Instant::now();
    let bar = ProgressBar::new(invocation.output, "vectors");
    let go_on = |made: usize| {
        bar.update(made, passages);
        begun.elapsed() < FOR_VECTORS
    };
    // Without vectors, words are searched.
    if let Err(error) = embed_pending(&app.library, &*app.embedder, &lower_priority, &go_on) {
        tracing::debug!("no vectors for the first answer: {error}");
    }
    bar.clear();
}

/// What the notes are about, by their titles and headings. Private notes are left out, since `ask` does not read them.
fn draw_subjects(app: &App, notes: &[FileEntry]) -> Vec<String> {
    let mut subjects = Vec::new();
    for entry in notes.iter().take(MOST_NOTES).filter(|entry| !app.ctx.vault.is_private(&entry.path)) {
        let Ok(note) = app.ctx.vault.read(&entry.path) else { continue };
        let title =
            Path::new(entry.path.as_str()).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let headings = note.parse().headings;
        let below = headings.iter().filter(|heading| heading.level > 1).map(|heading| heading.text.as_str());
        let chosen = below.clone().find(|heading| is_telling(heading));
        if let Some(subject) = name_subject(&title, chosen) {
            subjects.push(subject);
        }
        if subjects.len() == MOST_QUESTIONS * 2 {
            break;
        }
    }
    subjects
}

/// A title and one of its headings as the subject of a question; nothing for a date or a name without words.
fn name_subject(title: &str, heading: Option<&str>) -> Option<String> {
    let is_date = title.chars().take(4).all(|letter| letter.is_ascii_digit()) && title.len() >= 4;
    let subject = match heading {
        Some(heading) if is_date => heading.to_owned(),
        Some(heading) => format!("{title} {heading}"),
        None if is_date || !is_telling(title) => return None,
        None => title.to_owned(),
    };
    let subject = subject.split_whitespace().collect::<Vec<_>>().join(" ");
    let fits = subject.chars().count() <= LONGEST_SUBJECT && !subject.contains(['[', ']', '`', '{', '<']);
    fits.then_some(subject)
}

fn is_telling(heading: &str) -> bool {
    let plain = heading.trim().to_lowercase();
    plain.contains(char::is_alphabetic) && !EMPTY_HEADINGS.contains(&plain.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_a_title_with_a_heading_that_says_something() {
        assert_eq!(name_subject("Varroa mite", Some("Threshold")).as_deref(), Some("Varroa mite Threshold"));
        assert_eq!(name_subject("2026-02-01", Some("Swarm  seen")).as_deref(), Some("Swarm seen"));
        assert_eq!(name_subject("Oxalic acid", None).as_deref(), Some("Oxalic acid"));
        for (title, heading) in [("2026-02-01", None), ("Todo", None), ("x", Some("[[link]]")), ("12", None)]
        {
            assert_eq!(name_subject(title, heading), None, "{title} {heading:?}");
        }
        assert!(is_telling("Treatment") && !is_telling(" Notes ") && !is_telling("***"));
    }
}
