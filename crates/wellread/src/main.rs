//! The binary: settings, wiring and faces. What it does is in the crates below it.
#![forbid(unsafe_code)]

mod answers;
mod app;
mod app_calls;
mod app_chat;
mod cli;
mod config;
mod embedding;
mod examples;
mod folder;
mod index_follower;
mod mcp;
mod model;
mod output;
mod outside;
mod platform;
mod progress;
mod server;
mod signals;
mod telemetry;
mod tool_docs;
mod worker;

fn main() -> std::process::ExitCode {
    wellread_adapters::memory::limit_malloc_arenas();
    cli::main()
}
