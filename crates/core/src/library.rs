//! The user's files: indexing, search, and changes.

pub mod indexing;
pub mod judge;
pub mod public_view;
pub mod search;
pub mod vault;
