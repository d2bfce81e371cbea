//! The tool catalogue on a vault in memory: what each tool answers, and what it leaves behind.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod answers;
mod arguments;
mod ask;
mod attacker;
mod batches;
mod between;
mod catalogue;
mod chatting;
mod contract;
mod dates;
mod edges_of_notes;
mod evidence_library;
mod fields;
mod following;
mod gate;
mod gate_mutations;
mod linking;
mod listing;
mod logbook;
mod logging;
mod moving;
mod paths;
mod preferences;
mod private_notes;
mod prompting;
mod properties;
mod random_moves;
mod reading;
mod resuming;
mod searching;
mod sections;
mod shapes;
mod trouble;
mod undoing;
