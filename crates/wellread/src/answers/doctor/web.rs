//! What the doctor says of the search services that are chosen. None is asked unless that is asked for.

use wellread_core::Error;
use wellread_core::ports::WebQuery;

use super::DoctorCheck;
use crate::config::Config;
use crate::wiring::outside::{SearchServiceState, search_service_states};

const NAME: &str = "web";
const REMEDY: &str = "fix the setting, or choose another service";

/// What each chosen service lacks. With `ask`, each that lacks nothing is sent one word, so that a key that it refuses is
/// found out.
pub async fn check_search_services(config: &Config, offline: bool, ask: bool) -> Vec<DoctorCheck> {
    let states = match search_service_states(config, offline) {
        Ok(states) => states,
        Err(error) => return vec![DoctorCheck::bad(NAME, &error, "fix the setting")],
    };
    if states.is_empty() {
        return vec![DoctorCheck::good(NAME, "no service is chosen: nothing is searched on the web")];
    }
    let mut checks = Vec::new();
    for state in states {
        checks.push(check_service(state, ask && !offline).await);
    }
    checks
}

async fn check_service((name, opened): SearchServiceState, ask: bool) -> DoctorCheck {
    let service = match opened {
        Ok(service) => service,
        Err(error) => return DoctorCheck::bad(NAME, &error, REMEDY),
    };
    if !ask {
        return DoctorCheck::good(
            NAME,
            format!("{name}: set up, not tested; `wellread doctor --try` tests it"),
        );
    }
    let query = WebQuery { text: "test".to_owned(), limit: 1, offset: 0, answer: false };
    let asked = service.search(&query).await.map_err(Error::from);
    DoctorCheck::from_result(NAME, asked.map(|_| format!("{name}: it answers")), REMEDY)
}
