//! What a note leaves open: its questions, and its dead links.

use std::collections::HashSet;

use wellread_text::{
    LineIndex, LinkForm, Note, Resolution, Sentence, SentenceKind, Span, fold, split_sentences,
};

use super::generated_sections::{find_generated_sections, is_within};
use super::quotation::plain_text;
use crate::Result;
use crate::library::vault::{NoteText, Vault, parse_day};

/// Something that a note leaves open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestion {
    /// The question on one line, without marks of lists, tasks and links.
    pub text: String,
    /// The range in bytes.
    pub span: Span,
    /// The line, from 1.
    pub line: usize,
    /// How the note marks it as open.
    pub kind: QuestionKind,
}

/// How a note marks something as open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuestionKind {
    /// With a question mark, or worded as an open question.
    Question,
    /// With `TODO`, `TBD` or `to find out`.
    Marked,
    /// As a task that is not done: `- [ ]`.
    Task,
}

/// A link that leads to no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLink {
    /// The target as written, without heading and alias.
    pub target: String,
    /// The line, from 1.
    pub line: usize,
    /// How the link is written.
    pub form: LinkForm,
}

const MARKS: [&str; 12] = [
    "todo",
    "fixme",
    "tbd",
    "to find out",
    "find out",
    "open question",
    "to do:",
    "offene frage",
    "herausfinden",
    "à faire",
    "question ouverte",
    "not sure",
];

/// The open questions of a note in the order of its text.
pub fn find_open_questions(text: &str) -> Vec<OpenQuestion> {
    let note = Note::parse(text);
    let own = find_generated_sections(&note, text);
    let lines = LineIndex::new(text);
    let mut found: Vec<OpenQuestion> = Vec::new();
    for sentence in split_sentences(text) {
        let is_prose = matches!(sentence.kind, SentenceKind::Prose);
        if !is_prose || is_within(&sentence.span, &own) {
            continue;
        }
        let Some(kind) = classify_question(text, &sentence) else { continue };
        let line = lines.line_of(sentence.span.start);
        // A task of several sentences is one question.
        if kind == QuestionKind::Task
            && found.last().is_some_and(|last| last.kind == QuestionKind::Task && last.line == line)
        {
            continue;
        }
        found.push(OpenQuestion { text: plain_text(&sentence), span: sentence.span.clone(), line, kind });
    }
    found
}

fn classify_question(text: &str, sentence: &Sentence) -> Option<QuestionKind> {
    let plain = plain_text(sentence);
    if !plain.contains(char::is_alphabetic) {
        return None;
    }
    if plain.ends_with('?') || plain.ends_with('？') {
        return Some(QuestionKind::Question);
    }
    let lower = plain.to_lowercase();
    if lower.starts_with("open question")
        || lower.starts_with("offene frage")
        || lower.starts_with("question ouverte")
    {
        return Some(QuestionKind::Question);
    }
    let start = text[..sentence.block.span.start].rfind('\n').map_or(0, |at| at + 1);
    let lead = text[start..sentence.span.start].trim();
    if lead.ends_with("[ ]")
        && lead.starts_with(['-', '*', '+', '>', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    {
        return Some(QuestionKind::Task);
    }
    let marked = MARKS.iter().any(|mark| {
        lower.find(mark).is_some_and(|at| {
            let ends = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
            ends(lower[..at].chars().next_back()) && ends(lower[at + mark.len()..].chars().next())
                // In running text only capitals count as a mark; at the front any spelling does.
                && (at == 0 || mark.contains(' ') || plain.contains(&mark.to_uppercase()))
        })
    });
    marked.then_some(QuestionKind::Marked)
}

/// The links of a note that lead to no file, each once. A day without a daily note is not a dead link.
pub fn find_dead_links(vault: &Vault, note: &NoteText) -> Result<Vec<DeadLink>> {
    let names = vault.links.names()?;
    let parsed = note.parse();
    let own = find_generated_sections(&parsed, &note.text);
    let (mut found, mut seen): (Vec<DeadLink>, HashSet<String>) = (Vec::new(), HashSet::new());
    for link in parsed.links.iter().filter(|link| !link.target.is_empty() && !is_within(&link.span, &own)) {
        let dead = names.resolve(&link.target, note.path.as_str()) == Resolution::Missing;
        let day = parse_day(link.target.rsplit('/').next().unwrap_or_default()).is_ok();
        if dead && !day && seen.insert(fold(&link.target)) {
            found.push(DeadLink { target: link.target.clone(), line: link.line, form: link.form });
        }
    }
    Ok(found)
}
