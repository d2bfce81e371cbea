//! Every route, a family a line.

mod agenda;
mod attachments;
mod chat;
mod code_files;
mod consent;
mod discover;
mod health;
mod inbox;
mod join;
mod kb;
mod mcp;
mod notes;
mod oauth;
mod open;
mod remote_clients;
mod repos;
mod research;
mod research_events;
mod runs;
mod search;
mod settings;
mod sign_ins;
mod skills;
mod status;
mod tools;
mod undo;
mod vaults;
mod verify;

use wellread_core::faces::tools::AnyTool;

#[cfg(test)]
pub use self::mcp::McpEndpoint;
pub use self::mcp::McpEndpoints;
use super::route::Route;

pub fn all_routes(catalog: &[Box<dyn AnyTool>]) -> Vec<Route> {
    let families = [
        health::routes(),
        open::routes(),
        join::routes(),
        discover::routes(),
        search::routes(),
        notes::routes(),
        attachments::routes(),
        code_files::routes(),
        status::routes(),
        vaults::routes(),
        settings::routes(),
        repos::routes(),
        sign_ins::routes(),
        remote_clients::routes(),
        tools::routes(catalog),
        undo::routes(),
        chat::routes(),
        research::routes(),
        skills::routes(),
        agenda::routes(),
        research_events::routes(),
        inbox::routes(),
        runs::routes(),
        verify::routes(),
        kb::routes(),
        mcp::routes(),
    ];
    families.into_iter().flatten().collect()
}

/// What clients elsewhere connect by, where the user has set a public address.
pub fn remote_routes() -> Vec<Route> {
    [oauth::routes(), consent::routes()].into_iter().flatten().collect()
}
