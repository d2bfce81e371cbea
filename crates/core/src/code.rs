//! Source code: one repository within a scope, its graph of names, what can be inspected, and where an error text leads.

pub mod codebase;
pub mod graph;
pub mod inspect;
pub mod locate;
