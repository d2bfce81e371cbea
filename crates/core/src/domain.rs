//! The vocabulary of all other groups: errors, identifiers, text that others wrote, files and their places, evidence
//! and verdicts. Uses nothing but `text`.

pub mod chance;
pub mod corpus;
pub mod decision;
pub mod display;
pub mod error;
pub mod evidence;
pub mod id;
pub mod rights;
pub(crate) mod schema;
pub mod spans;
pub mod untrusted;
pub mod verdict;
