//! What a note leaves open: its questions, and its links that lead nowhere.

use std::collections::HashSet;

use wellread_text::{Lines, LinkForm, Note, Resolution, Sentence, SentenceKind, Span, fold, sentences};

use super::own::{is_within, own_sections};
use super::said::plain;
use crate::Result;
use crate::vault::{NoteText, Vault, parse_day};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestion {
    /// On one line, without the marks of lists, tasks and links.
    pub text: String,
    /// Where it stands: byte for byte, and the line from 1.
    pub span: Span,
    pub line: usize,
    pub asked: Asked,
}

/// How a note leaves something open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// With a question mark, or as an open question.
    Question,
    /// `TODO`, `TBD`, `to find out`
    Marked,
    /// `- [ ]`
    Task,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLink {
    /// As it was written, without heading and alias.
    pub target: String,
    pub line: usize,
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
pub fn questions(text: &str) -> Vec<OpenQuestion> {
    let note = Note::parse(text);
    let own = own_sections(&note, text);
    let lines = Lines::of(text);
    let mut found: Vec<OpenQuestion> = Vec::new();
    for sentence in sentences(text) {
        let spoken = matches!(sentence.kind, SentenceKind::Prose);
        if !spoken || is_within(&sentence.span, &own) {
            continue;
        }
        let Some(asked) = asked(text, &sentence) else { continue };
        let line = lines.line_of(sentence.span.start);
        // A task of several sentences is one.
        if asked == Asked::Task
            && found.last().is_some_and(|last| last.asked == Asked::Task && last.line == line)
        {
            continue;
        }
        found.push(OpenQuestion { text: plain(&sentence), span: sentence.span.clone(), line, asked });
    }
    found
}

fn asked(text: &str, sentence: &Sentence) -> Option<Asked> {
    let said = plain(sentence);
    if !said.contains(char::is_alphabetic) {
        return None;
    }
    if said.ends_with('?') || said.ends_with('？') {
        return Some(Asked::Question);
    }
    let lower = said.to_lowercase();
    if lower.starts_with("open question")
        || lower.starts_with("offene frage")
        || lower.starts_with("question ouverte")
    {
        return Some(Asked::Question);
    }
    let start = text[..sentence.block.span.start].rfind('\n').map_or(0, |at| at + 1);
    let lead = text[start..sentence.span.start].trim();
    if lead.ends_with("[ ]")
        && lead.starts_with(['-', '*', '+', '>', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    {
        return Some(Asked::Task);
    }
    let marked = MARKS.iter().any(|mark| {
        lower.find(mark).is_some_and(|at| {
            let ends = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
            ends(lower[..at].chars().next_back()) && ends(lower[at + mark.len()..].chars().next())
                // In running text only the spelling in capitals is a mark; at the front any is.
                && (at == 0 || mark.contains(' ') || said.contains(&mark.to_uppercase()))
        })
    });
    marked.then_some(Asked::Marked)
}

/// The links of a note that lead to no file, each once. A day that has no daily note yet is no dead link.
pub fn dead_links(vault: &Vault, note: &NoteText) -> Result<Vec<DeadLink>> {
    let names = vault.links.names()?;
    let parsed = note.parse();
    let own = own_sections(&parsed, &note.text);
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
