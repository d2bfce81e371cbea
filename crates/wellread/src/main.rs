//! The binary: settings, wiring and faces. What it does is in the crates below it.
#![forbid(unsafe_code)]

mod answers;
mod app;
mod app_calls;
mod cli;
mod config;
mod examples;
mod folder;
mod mcp;
mod output;
mod platform;
mod progress;
mod server;
mod signals;
mod telemetry;
mod tool_docs;
mod wiring;
mod worker;

fn main() -> std::process::ExitCode {
    wiring::limit_malloc_arenas();
    cli::main()
}
