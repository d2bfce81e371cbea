//! One run's evidence: append-only, numbered from 1, each place once.

use std::collections::BTreeSet;

use super::{Evidence, NewEvidence};
use crate::domain::id::{EvidenceId, RunId};

/// The evidence of one run, and which of it was shown to the model.
#[derive(Debug, Clone)]
pub struct Ledger {
    run: RunId,
    entries: Vec<Evidence>,
    /// The entries that were shown to the model: only these can be cited.
    shown: BTreeSet<EvidenceId>,
}

impl Ledger {
    /// An empty ledger for a run.
    pub fn new(run: RunId) -> Self {
        Self { run, entries: Vec::new(), shown: BTreeSet::new() }
    }

    /// Restores a ledger from the log of its run.
    pub fn restore(run: RunId, entries: Vec<Evidence>, shown: impl IntoIterator<Item = EvidenceId>) -> Self {
        Self { run, entries, shown: shown.into_iter().collect() }
    }

    /// The run that the ledger belongs to.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Adds evidence. Returns the id of its place, and whether the entry is new: a place that is known keeps its entry.
    pub fn add(&mut self, found: NewEvidence) -> (EvidenceId, bool) {
        let NewEvidence { source, text, reason, provenance, score, symbol } = found;
        if let Some(known) = self.entries.iter().find(|entry| entry.source.is_same_place(&source)) {
            return (known.id.clone(), false);
        }
        let id = EvidenceId::new(&self.run, self.entries.len() as u32 + 1);
        self.entries.push(Evidence { id: id.clone(), source, text, reason, provenance, score, symbol });
        (id, true)
    }

    /// All entries, in the order of their ids.
    pub fn entries(&self) -> &[Evidence] {
        &self.entries
    }

    /// The entry with this id, shown or not.
    pub fn entry(&self, id: &EvidenceId) -> Option<&Evidence> {
        self.entries.iter().find(|entry| entry.id == *id)
    }

    /// Records that the whole entry is in a prompt, so that it can be cited. Returns whether that is new.
    pub fn mark_shown(&mut self, id: &EvidenceId) -> bool {
        self.entry(id).is_some() && self.shown.insert(id.clone())
    }

    /// The entry, provided that it was shown in this run.
    pub fn citable_entry(&self, id: &EvidenceId) -> Option<&Evidence> {
        self.shown.contains(id).then(|| self.entry(id)).flatten()
    }

    /// The entries that a JSON text given to a model contains as a whole, with their ids.
    pub fn ids_in_json(&self, json: &str) -> Vec<EvidenceId> {
        let contains = |text: &str| {
            let quoted = serde_json::Value::from(text).to_string();
            json.contains(&quoted[1..quoted.len() - 1])
        };
        let holds = |entry: &&Evidence| {
            let text = entry.text.expose();
            // Search shows frontmatter without the brackets of its links.
            json.contains(&entry.id.to_string())
                && (contains(text) || contains(&text.replace("[[", "").replace("]]", "")))
        };
        self.entries.iter().filter(holds).map(|entry| entry.id.clone()).collect()
    }

    /// The ids of the entries that were shown.
    pub fn shown_ids(&self) -> impl Iterator<Item = &EvidenceId> {
        self.shown.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::corpus::{Hash, PathRules};
    use crate::domain::evidence::{FilePlace, Provenance, Source};
    use crate::domain::untrusted::Untrusted;

    #[test]
    fn frontmatter_that_was_shown_without_its_brackets_was_shown() {
        let mut ledger = Ledger::new(RunId::parse("01m7fb68wd4ajr").unwrap());
        let text = "---\nup: \"[[Hives]]\"\n---\n";
        let place = FilePlace {
            path: PathRules::new([], &[]).parse_file("Bees.md").unwrap(),
            start_line: 1,
            end_line: 3,
            span: 0..text.len(),
            hash: Hash::compute(text.as_bytes()),
        };
        let (id, _) = ledger.add(NewEvidence {
            source: Source::Note(place),
            text: Untrusted::from_note(text),
            reason: String::new(),
            provenance: Provenance::Manual,
            score: None,
            symbol: None,
        });
        let shown = |content: &str| {
            let json = serde_json::json!({ "evidence": id.to_string(), "content": content }).to_string();
            ledger.ids_in_json(&json)
        };
        assert_eq!(shown("---\nup: \"Hives\"\n---\n"), std::slice::from_ref(&id));
        assert_eq!(shown(text), std::slice::from_ref(&id));
        assert_eq!(shown("---\nup: \"Hiv"), []);
    }
}
