//! One run's evidence: append-only, numbered from 1, the same place once.

use std::collections::BTreeSet;

use super::{Evidence, Found};
use crate::id::{EvidenceId, RunId};

#[derive(Debug, Clone)]
pub struct Ledger {
    run: RunId,
    entries: Vec<Evidence>,
    /// Which were put before the model: nothing else can be cited.
    shown: BTreeSet<EvidenceId>,
}

impl Ledger {
    pub fn new(run: RunId) -> Self {
        Self { run, entries: Vec::new(), shown: BTreeSet::new() }
    }

    /// The ledger as it was written down.
    pub fn restored(run: RunId, entries: Vec<Evidence>, shown: impl IntoIterator<Item = EvidenceId>) -> Self {
        Self { run, entries, shown: shown.into_iter().collect() }
    }

    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// The id of this place, and whether it is a new entry.
    pub fn add(&mut self, found: Found) -> (EvidenceId, bool) {
        let Found { source, text, reason, provenance, score, symbol } = found;
        if let Some(known) = self.entries.iter().find(|entry| entry.source.is_same(&source)) {
            return (known.id.clone(), false);
        }
        let id = EvidenceId::new(&self.run, self.entries.len() as u32 + 1);
        self.entries.push(Evidence { id: id.clone(), source, text, reason, provenance, score, symbol });
        (id, true)
    }

    pub fn entries(&self) -> &[Evidence] {
        &self.entries
    }

    pub fn entry(&self, id: &EvidenceId) -> Option<&Evidence> {
        self.entries.iter().find(|entry| entry.id == *id)
    }

    /// Says that this entry is in a prompt, whole. Whether it was not before.
    pub fn show(&mut self, id: &EvidenceId) -> bool {
        self.entry(id).is_some() && self.shown.insert(id.clone())
    }

    /// The entry, provided it was shown in this run.
    pub fn citable(&self, id: &EvidenceId) -> Option<&Evidence> {
        self.shown.contains(id).then(|| self.entry(id)).flatten()
    }

    /// Which entries stand whole, with their ids, in a text of JSON that a model is given.
    pub fn held_by(&self, json: &str) -> Vec<EvidenceId> {
        let holds = |entry: &&Evidence| {
            let quoted = serde_json::Value::from(entry.text.look()).to_string();
            json.contains(&entry.id.to_string()) && json.contains(&quoted[1..quoted.len() - 1])
        };
        self.entries.iter().filter(holds).map(|entry| entry.id.clone()).collect()
    }

    pub fn shown(&self) -> impl Iterator<Item = &EvidenceId> {
        self.shown.iter()
    }
}
