//! What a run found, showed and cited, as its log has it.

use std::collections::BTreeSet;

use crate::event::{Event, Outcome, Stamped};
use crate::evidence::{Evidence, Ledger};
use crate::id::{EvidenceId, RunId};

/// The run's ledger, to judge its answer by once more.
pub fn ledger(run: &RunId, events: &[Stamped]) -> Ledger {
    let shown = events.iter().flat_map(|stamped| match &stamped.event {
        Event::Shown { ids } => ids.clone(),
        _ => Vec::new(),
    });
    Ledger::restored(run.clone(), entries(events).cloned().collect(), shown)
}

/// The answer for people, where the run came to one. That it failed is none.
pub fn answer(events: &[Stamped]) -> Option<&str> {
    events.iter().rev().find_map(|stamped| match &stamped.event {
        Event::Ended(ended) if ended.outcome != Outcome::Failed => Some(ended.report.as_str()),
        _ => None,
    })
}

/// The evidence that the answer cites.
pub fn cited(events: &[Stamped]) -> Vec<Evidence> {
    let Some(answer) = answer(events) else { return Vec::new() };
    let cited: BTreeSet<EvidenceId> = ids_in(answer).collect();
    entries(events).filter(|entry| cited.contains(&entry.id)).cloned().collect()
}

/// The runs that a text cites evidence of, each once.
pub fn runs_cited_in(text: &str) -> Vec<RunId> {
    let mut runs: Vec<RunId> = Vec::new();
    for id in ids_in(text) {
        if !runs.contains(id.run()) {
            runs.push(id.run().clone());
        }
    }
    runs
}

fn ids_in(text: &str) -> impl Iterator<Item = EvidenceId> {
    text.match_indices("ev-").filter_map(|(at, _)| {
        let rest = &text[at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        EvidenceId::parse(&rest[..end]).ok()
    })
}

fn entries(events: &[Stamped]) -> impl Iterator<Item = &Evidence> {
    events.iter().filter_map(|stamped| match &stamped.event {
        Event::Evidence(entry) => Some(&**entry),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_not_the_beginning_of_a_longer_one() {
        let text =
            "One. [ev-01m7fb68wd4ajr-1000] Two (ev-01m7fb68wd4ajr-002), ev-x-001 ev-01m7fb68wd4ajr-02.";
        let ids: Vec<String> = ids_in(text).map(|id| id.to_string()).collect();
        assert_eq!(ids, ["ev-01m7fb68wd4ajr-1000", "ev-01m7fb68wd4ajr-002"]);
        assert_eq!(runs_cited_in(text).len(), 1);
    }
}
