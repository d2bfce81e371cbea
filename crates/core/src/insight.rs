//! What can be found out without a model: quotations, topics and differences, and the health of a vault.

pub mod health;
pub mod keyless;
