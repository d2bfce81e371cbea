//! The binary: settings, wiring and faces. What it does is in the crates below it.
#![forbid(unsafe_code)]

mod answers;
mod app;
mod cli;
mod config;
mod conversing;
mod embedding;
mod examples;
mod folder;
mod follow;
mod mcp;
mod model;
mod output;
mod platform;
mod progress;
mod reaching;
mod server;
mod signals;
mod telemetry;
mod tool_docs;
mod worker;

fn main() -> std::process::ExitCode {
    wellread_adapters::memory::share_heaps();
    cli::main()
}
