//! What is left of findings and agendas once notes are forgotten.
//!
//! Pure functions: a store loads a finding or an agenda, calls these, and writes the result.

use std::collections::BTreeSet;

use super::{Agenda, AgendaStatus, Finding, FindingEvidence, FindingPart, FindingSentence};

/// What stands in place of text that was forgotten.
const FORGOTTEN: &str = "(forgotten)";

/// Decides by the path whether a note is forgotten.
pub type IsForgotten<'a> = &'a dyn Fn(&str) -> bool;

impl FindingEvidence {
    /// The path of the note that the quote is from; `None` if it is from a page.
    pub fn note(&self) -> Option<&str> {
        let (path, lines) = self.url.rsplit_once(':').filter(|_| !self.url.contains("://"))?;
        let is_line = |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let (first, last) = lines.split_once('-')?;
        (is_line(first) && is_line(last)).then_some(path)
    }
}

impl Finding {
    /// The paths of the notes that it has text of, or names.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        let named =
            self.related_notes.iter().chain(&self.nearest).map(String::as_str).filter(|name| is_note(name));
        named.chain(self.evidence.iter().filter_map(FindingEvidence::note))
    }

    /// Removes what it has of these notes: their quotes, the sentences that rest on them, and why it was looked for. What it has
    /// of its page stays, and so does the decision about it. Returns whether anything was removed.
    pub fn forget_notes(&mut self, is_forgotten: IsForgotten<'_>) -> bool {
        let before = self.clone();
        let is_gone = |entry: &&FindingEvidence| entry.note().is_some_and(is_forgotten);
        let gone: BTreeSet<String> =
            self.evidence.iter().filter(is_gone).map(|entry| entry.id.clone()).collect();
        self.evidence.retain(|entry| !gone.contains(&entry.id));
        self.sentences.retain(|sentence| !sentence.evidence.iter().any(|id| gone.contains(id)));
        for (part, text) in
            [(FindingPart::Summary, &mut self.summary), (FindingPart::Bearing, &mut self.bearing)]
        {
            let of_part = |sentences: &[FindingSentence]| -> Vec<String> {
                let own = sentences.iter().filter(|sentence| sentence.part == part);
                own.map(|sentence| sentence.text.clone()).collect()
            };
            let left = of_part(&self.sentences);
            if left.len() < of_part(&before.sentences).len() {
                *text = left.join(" ");
            }
        }
        if forget_names(&mut self.related_notes, is_forgotten) {
            self.motivation = FORGOTTEN.to_owned();
            self.query = FORGOTTEN.to_owned();
        }
        self.nearest = self.nearest.take().filter(|nearest| !(is_note(nearest) && is_forgotten(nearest)));
        *self != before
    }
}

impl Agenda {
    /// The paths of the notes that it is about.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        let related = self.tasks.iter().flat_map(|task| &task.related_notes);
        related.chain(&self.source_note_id).map(String::as_str)
    }

    /// Whether it waits for a decision or has work left, for which its words are needed.
    pub fn is_open(&self) -> bool {
        matches!(self.status, AgendaStatus::Pending | AgendaStatus::Approved | AgendaStatus::Running)
    }

    /// Removes what its tasks say about these notes. Returns whether anything was removed; an agenda that is open stays as it is.
    pub fn forget_notes(&mut self, is_forgotten: IsForgotten<'_>) -> bool {
        if self.is_open() || !self.notes().any(is_forgotten) {
            return false;
        }
        let is_whole = self.source_note_id.as_deref().is_some_and(is_forgotten);
        for task in &mut self.tasks {
            if forget_names(&mut task.related_notes, is_forgotten) || is_whole {
                task.query = FORGOTTEN.to_owned();
                task.motivation = FORGOTTEN.to_owned();
                task.message = None;
                task.earlier = None;
            }
        }
        self.source_note_id = self.source_note_id.take().filter(|_| !is_whole);
        true
    }
}

/// Whether a name is a note's. What a finding is nearest to may be the page of another.
fn is_note(name: &str) -> bool {
    !name.contains("://")
}

/// Removes the names of forgotten notes, and returns whether there were any.
fn forget_names(names: &mut Vec<String>, is_forgotten: IsForgotten<'_>) -> bool {
    let before = names.len();
    names.retain(|name| !is_forgotten(name));
    names.len() < before
}
