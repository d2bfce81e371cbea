//! What can be read from a run's log once it is written: how it stands, its documents, how it differs from another.
//!
//! Functions of the events alone: nothing is asked of a model, and no file is read again.

mod cited;
mod compare;
mod documents;
mod report;
mod summary;

pub use cited::{answer, cited, ledger, runs_cited_in};
pub use compare::{Both, Comparison, compare};
pub use documents::{Document, evidence, trace};
pub use report::report;
pub use summary::{Departure, Found, Step, Summary, Wrote, left_the_machine, steps, summary};

use crate::ports::{Records, RunHeader};
use crate::{Error, Result};

/// The run of this id, or the only one whose id begins like this.
pub fn find(records: &dyn Records, beginning: &str) -> Result<RunHeader> {
    const SHOWN: usize = 5;
    let wanted = beginning.trim().to_ascii_lowercase();
    if wanted.is_empty() {
        return Err(Error::invalid("a run is named by its id, or the beginning of it")
            .hint("`wellread runs` shows the runs with their ids"));
    }
    let mut found = records.runs(&wanted, SHOWN)?;
    match found.len() {
        0 => Err(Error::not_found(format!("there is no run `{beginning}`"))
            .hint("`wellread runs` shows the runs with their ids")),
        1 => Ok(found.remove(0)),
        _ => {
            let ids: Vec<&str> = found.iter().map(|run| run.id.as_str()).collect();
            Err(Error::invalid(format!("several runs begin with `{beginning}`"))
                .hint(format!("say more of it; among them are {}", ids.join(", "))))
        }
    }
}
