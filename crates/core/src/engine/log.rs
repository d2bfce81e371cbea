//! Reads a finished or interrupted run's log: its state, its documents, and how it differs from another run.
//!
//! Functions of the events alone: no model is asked, and no file is read.

mod compare;
mod documents;
mod mentioned_files;
mod report;
mod run_evidence;
mod shown_runs;
mod summary;

pub use compare::{RunComparison, ValueComparison, compare};
pub use documents::{RunDocument, evidence_document, trace_document};
pub use mentioned_files::{files_of_evidence, mentioned_files, shown_files};
pub use report::render_report;
pub use run_evidence::{answer, cited_evidence, cited_runs, ledger};
pub use shown_runs::{drew_on_private_notes, is_shown_by, notes_in_evidence, read_period, read_shown_run};
pub use summary::{
    EvidenceCounts, RunStep, RunSummary, RunWrite, SentRecord, sent_records, steps, summarize_run,
};

use crate::ports::{RunHeader, RunLogs};
use crate::{Error, Result, WayOut};

/// The run with this id, or the only one whose id starts with it; `Err` if there is none or more than one.
pub fn find_run(records: &dyn RunLogs, beginning: &str) -> Result<RunHeader> {
    const SHOWN: usize = 5;
    let wanted = beginning.trim().to_ascii_lowercase();
    if wanted.is_empty() {
        return Err(Error::invalid("a run is named by its id, or the first characters of it")
            .hint("`wellread runs` shows the runs with their ids")
            .with_way_out(WayOut::Runs));
    }
    let mut found = records.runs(&wanted, SHOWN)?;
    match found.len() {
        0 => Err(Error::not_found(format!("there is no run `{beginning}`"))
            .hint("`wellread runs` shows the runs with their ids")
            .with_way_out(WayOut::Runs)),
        1 => Ok(found.remove(0)),
        _ => {
            let ids: Vec<&str> = found.iter().map(|run| run.id.as_str()).collect();
            Err(Error::invalid(format!("several runs begin with `{beginning}`"))
                .hint(format!("give more of it; matching runs include {}", ids.join(", "))))
        }
    }
}
