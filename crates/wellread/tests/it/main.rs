//! The binary from outside: what a user, a script or an MCP client sees of it.
//!
//! Every run has a folder of its own with a copy of the example vault, a home and a data folder, and an
//! environment in which nothing is set but PATH and HOME. Nothing here looks into the program but `structure`,
//! which reads the sources, and `search_eval`, which puts its parts together to ask many questions of them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod agenda_bench;
mod agenda_killed;
mod bad_files;
mod bad_input;
mod chat_again;
mod chat_cli;
mod chat_http;
mod chat_killed;
mod chat_trouble;
mod cli;
mod code_attacks;
mod code_cli;
mod code_faces;
mod code_killed;
mod code_model;
mod code_settings;
mod code_tools;
mod config;
mod demo;
mod desk;
mod docs;
mod ending;
mod eval;
mod extract;
mod extract_web;
mod finding;
mod following;
mod health;
mod indexing;
mod leads;
mod locate;
mod mcp_client;
mod mcp_raw;
mod mcp_resources;
mod model_settings;
mod models;
mod note_research;
mod partner;
mod paths;
mod quick_answer;
mod races;
mod real_model;
mod repo;
mod research_http;
mod research_keyless;
mod research_mcp;
mod research_runs;
mod runs;
mod search_eval;
mod search_settings;
mod served;
mod server_bytes;
mod server_clients;
mod server_guard;
mod server_routes;
mod structure;
mod study;
mod talk;
mod telemetry;
mod undo;
