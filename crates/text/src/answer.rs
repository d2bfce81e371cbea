//! Checks and cleaning around a model: whether a source supports an answer (`support`), foreign text made safe for a
//! prompt (`neutral`), and answers made safe to display or store (`inert`).

pub(crate) mod agreement;
pub(crate) mod inert;
pub(crate) mod neutral;
pub(crate) mod support;
