//! The user's files: indexing, search, and changes.

pub mod indexing;
pub mod search;
pub mod vault;
