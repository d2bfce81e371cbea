//! What the doctor says of clients elsewhere, which connect by OAuth. Where that is off, it says nothing.

use wellread_core::{Error, Result};

use super::DoctorCheck;
use crate::config::Config;
use crate::server;

const NAME: &str = "remote";
const REMEDY: &str = "correct `server.public_url`, or unset it: `wellread config unset server.public_url`";

pub fn check_remote(config: &Config) -> Option<DoctorCheck> {
    examine(config).transpose().map(|result| DoctorCheck::from_result(NAME, result, REMEDY))
}

fn examine(config: &Config) -> Result<Option<String>> {
    let Some(public) = config.public_address()? else { return Ok(None) };
    let token = config.server()?.token()?;
    if token.is_some_and(|token| token.expose_secret().len() < server::SHORTEST_REMOTE_TOKEN) {
        return Err(Error::refused("`server.token` is short enough to be guessed").hint(format!(
            "set one of at least {} characters, or unset it: one will be created",
            server::SHORTEST_REMOTE_TOKEN
        )));
    }
    let reach = if public.is_secure() { "" } else { ", on this machine only" };
    Ok(Some(format!("MCP clients connect by OAuth at {}/mcp{reach}", public.origin())))
}
