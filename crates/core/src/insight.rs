//! What can be found out without a model: quotations, topics and differing figures, and the health of a vault.

pub mod health;
pub mod keyless;
