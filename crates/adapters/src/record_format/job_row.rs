//! A job's state as stored in columns.

use jiff::Timestamp;
use wellread_core::Result;
use wellread_core::ports::JobState;

use super::nanoseconds;

/// The columns `state`, `not_before`, `worker` and `until`.
pub type StateColumns<'a> = (&'static str, Option<i64>, Option<&'a str>, Option<i64>);

pub fn state_columns(state: &JobState) -> Result<StateColumns<'_>> {
    Ok(match state {
        JobState::Waiting { not_before } => ("waiting", Some(nanoseconds(*not_before)?), None, None),
        JobState::Leased { worker, until } => {
            ("leased", None, Some(worker.as_str()), Some(nanoseconds(*until)?))
        }
        JobState::SetAside => ("set_aside", None, None, None),
    })
}

/// The state that these columns say; each is only read where the state needs it.
pub fn read_state<E>(
    state: &str,
    not_before: impl FnOnce() -> Result<Timestamp, E>,
    leased: impl FnOnce() -> Result<(String, Timestamp), E>,
) -> Result<JobState, E> {
    Ok(match state {
        "leased" => {
            let (worker, until) = leased()?;
            JobState::Leased { worker, until }
        }
        "set_aside" => JobState::SetAside,
        _ => JobState::Waiting { not_before: not_before()? },
    })
}
