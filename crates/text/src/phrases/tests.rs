//! Phrases by hand-written cases.
