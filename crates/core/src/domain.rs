//! What everything else speaks of: errors, identifiers, text that others wrote, files and their places, evidence and
//! verdicts. Uses nothing but `text`.

pub mod chance;
pub mod corpus;
pub mod error;
pub mod evidence;
pub mod id;
pub mod spans;
pub mod untrusted;
