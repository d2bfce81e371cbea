//! The domain of Wellread: what a vault, a change and a tool are, and what the outside world must offer.
//!
//! Nothing here does I/O, reads the environment or knows a wire format: the outside world is the handful of
//! traits in [`ports`]. A module uses only the floors above its own; a test reads the sources and keeps that:
//!
//! ```text
//! error id untrusted   untrusted: text that others wrote, as a type
//! watching             … and on the floor of these: what can be watched of research from outside
//! corpus prompt        what there is: hashes, paths, changes; the one way in which such text reaches a model
//! evidence             text at a place, and the ledger
//! ports event gate     what the outside world offers; what a run writes down; what checks every sentence
//! recheck citing       … and on the floor of these: what became of everything that was cited; citations as links
//! agenda               … and: what is proposed, approved and found, with its states
//! indexing llm reach   keeping the index level with the files; speaking with a model; what can be asked of the web
//! search vault         finding passages; what can be done to a vault
//! codebase             … and on the floor of these: one repository within a scope
//! graph locate inspect what hangs together in code; where an error text leads; all that can be looked at
//! run logbook          … and on the floor of these: one piece of work: its log, its budget, its evidence; what can be read from the log
//! agent gather         the loop of a model and its tools; what a recipe gathers
//! checking keyless     … and on the floor of these: what a model said, held against the evidence; what can be found
//!                      without one
//! health               how the knowledge base is, as a whole
//! research             the recipes: a note researched, a question answered, a note summarised, a task of an agenda carried out
//! jobs inbox           work that goes on behind everything else; what becomes of findings
//! tools evaluation     the catalogue: each tool declared once; how well code research does
//! chat skills          conversations; what bots ask for
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod agenda;
pub mod agent;
pub mod chat;
pub mod checking;
pub mod citing;
pub mod codebase;
pub mod corpus;
pub mod error;
pub mod evaluation;
pub mod event;
pub mod evidence;
pub mod gate;
pub mod gather;
pub mod graph;
pub mod health;
pub mod id;
pub mod inbox;
pub mod indexing;
pub mod inspect;
pub mod jobs;
pub mod keyless;
pub mod llm;
pub mod locate;
pub mod logbook;
pub mod ports;
pub mod prompt;
pub mod reach;
pub mod recheck;
pub mod research;
pub mod run;
pub mod search;
pub mod skills;
pub mod tools;
pub mod untrusted;
pub mod vault;
pub mod watching;

pub use error::{Error, Kind, Result};
