//! What must hold for every note, however odd.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod code;
mod ctags;
mod edits;
mod fields;
mod hostile;
mod hostile_code;
mod inert;
mod languages;
mod moves;
mod notes;
mod parsing;
mod scripts;
mod uses;
