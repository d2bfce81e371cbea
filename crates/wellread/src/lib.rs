//! All of the binary but its entry point: settings, wiring and faces. What it does is in the crates below it.
//!
//! It is a library for the sake of the build: a library is compiled while the crates below it still are, a program only after them.
#![forbid(unsafe_code)]

mod acp;
mod answers;
mod app;
mod app_calls;
mod app_view;
mod audited_files;
mod cli;
mod config;
mod discovery;
mod examples;
mod file_uri;
mod folder;
#[cfg(fuzzing)]
pub mod fuzzing;
mod mcp;
mod mcp_clients;
mod output;
mod platform;
mod private_files;
mod progress;
mod repositories;
mod server;
mod service;
mod signals;
mod telemetry;
mod tool_docs;
mod turn_text;
mod web_bundle;
mod web_files;
mod wiring;
mod worker;

/// Runs the program: parses the command line, does what it says, and returns the exit status.
pub fn main() -> std::process::ExitCode {
    wiring::limit_malloc_arenas();
    cli::main()
}
