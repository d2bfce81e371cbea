//! For tests only: a small strict world, fakes for the ports, and suites that fakes and real adapters both pass.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on should stop")]

pub mod agenda_fixtures;
mod agendas;
pub mod chart;
pub mod chat_world;
pub mod clock;
pub mod contract;
mod embedder;
mod generated;
mod index;
pub mod large_vault;
pub mod mcp_suite;
pub mod memory_files;
pub mod model_server;
pub mod notes;
mod outside_text;
mod random;
mod records;
pub mod run_fixtures;
pub mod scripted_model;
pub mod scripted_server;
mod scripted_verifier;
pub mod scripted_web;
mod skip;
pub mod two_vaults;
pub mod web_server;
mod world;

pub use agendas::MemoryAgendas;
pub use chat_world::ChatWorld;
pub use clock::FixedClock;
pub use embedder::{WordCountEmbedder, model_folder};
pub use generated::check_generated;
pub use index::MemoryIndex;
pub use memory_files::MemoryFiles;
pub use model_server::{ModelServer, Turn};
pub use outside_text::MemoryOutsideText;
pub use random::Random;
pub use records::MemoryRecords;
pub use scripted_model::ScriptedModel;
pub use scripted_verifier::ScriptedVerifier;
pub use scripted_web::{ScriptedSpeech, ScriptedWeb};
pub use skip::skip;
pub use web_server::WebServer;
pub use world::{World, parse_script, path_rules};
