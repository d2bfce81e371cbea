//! Checks and cleaning around a model: whether a source supports an answer (`support`,
//! `agreement`), foreign text made safe for a
//! prompt (`neutral`), answers without preambles and offers (`filler`), and made safe to display or store (`inert`).

pub(crate) mod agreement;
pub(crate) mod filler;
pub(crate) mod inert;
pub(crate) mod neutral;
pub(crate) mod support;
