//! The evidence that a run found, showed and cited, read from its log.

use std::collections::BTreeSet;

use crate::domain::evidence::{Evidence, Ledger};
use crate::domain::id::{EvidenceId, RunId};
use crate::ports::event::{LoggedEvent, RunEvent, RunOutcome};

/// Restores the run's ledger, for example to check its answer again.
pub fn ledger(run: &RunId, events: &[LoggedEvent]) -> Ledger {
    let shown = events.iter().flat_map(|stamped| match &stamped.event {
        RunEvent::Shown { ids } => ids.clone(),
        _ => Vec::new(),
    });
    Ledger::restore(run.clone(), entries(events).cloned().collect(), shown)
}

/// The report of the last end with an answer; `None` if there is none.
pub fn answer(events: &[LoggedEvent]) -> Option<&str> {
    events.iter().rev().find_map(|stamped| match &stamped.event {
        RunEvent::Ended(ended) if !matches!(ended.outcome, RunOutcome::Failed | RunOutcome::NothingFound) => {
            Some(ended.report.as_str())
        }
        _ => None,
    })
}

/// The evidence that the answer cites.
pub fn cited_evidence(events: &[LoggedEvent]) -> Vec<Evidence> {
    let Some(answer) = answer(events) else { return Vec::new() };
    let cited: BTreeSet<EvidenceId> = evidence_ids(answer).collect();
    entries(events).filter(|entry| cited.contains(&entry.id)).cloned().collect()
}

/// The runs that a text cites evidence of, each once.
pub fn cited_runs(text: &str) -> Vec<RunId> {
    let mut runs: Vec<RunId> = Vec::new();
    for id in evidence_ids(text) {
        if !runs.contains(id.run()) {
            runs.push(id.run().clone());
        }
    }
    runs
}

fn evidence_ids(text: &str) -> impl Iterator<Item = EvidenceId> {
    text.match_indices("ev-").filter_map(|(at, _)| {
        let rest = &text[at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        EvidenceId::parse(&rest[..end]).ok()
    })
}

fn entries(events: &[LoggedEvent]) -> impl Iterator<Item = &Evidence> {
    events.iter().filter_map(|stamped| match &stamped.event {
        RunEvent::Evidence(entry) => Some(&**entry),
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
        let ids: Vec<String> = evidence_ids(text).map(|id| id.to_string()).collect();
        assert_eq!(ids, ["ev-01m7fb68wd4ajr-1000", "ev-01m7fb68wd4ajr-002"]);
        assert_eq!(cited_runs(text).len(), 1);
    }
}
