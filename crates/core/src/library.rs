//! The user's files: kept in the index, searched, and changed.

pub mod indexing;
pub mod search;
pub mod vault;
