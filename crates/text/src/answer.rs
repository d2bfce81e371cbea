//! What a model's answer has to pass: whether a source supports it, and that neither its text nor what it was shown can act.

pub(crate) mod inert;
pub(crate) mod neutral;
pub(crate) mod support;
