//! What the doctor says of the language servers that are switched on. None is started for it.

use wellread_core::Error;

use super::DoctorCheck;
use crate::config::Config;
use crate::wiring::servers::{ServerState, server_states};

/// What such a check is called.
pub const NAME: &str = "server";

pub fn check_servers(config: &Config) -> Vec<DoctorCheck> {
    let settings = config.language_servers();
    settings.map(|settings| server_states(&settings).iter().map(check_server).collect()).unwrap_or_default()
}

fn check_server(state: &ServerState) -> DoctorCheck {
    let ServerState { language, command, .. } = state;
    let Some(program) = &state.program else {
        let error = Error::failed(format!("{language}: there is no program `{command}`"));
        let remedy = "install it, give its full path in `code.language_servers`, or remove it there";
        return DoctorCheck::bad(NAME, &error, remedy);
    };
    let network = match (state.network_is_off, state.writing_is_off) {
        (true, true) => "runs without network, and writes nowhere",
        (true, false) => "runs without network; this system does not allow its writing to be switched off",
        _ => "this system does not allow its network to be switched off",
    };
    let caution = state.caution.map(|caution| format!("; {caution}")).unwrap_or_default();
    DoctorCheck::good(NAME, format!("{language}: {}, {network}{caution}", program.display()))
}
