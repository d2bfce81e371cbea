//! The Open Knowledge Format (OKF) v0.2 in the frontmatter of a note: its fields are read, checked and written.
//!
//! `fields` reads them, `check` says what is wrong with them, `stamp` writes those that a program vouches for and leaves
//! everything else as it is.

pub(crate) mod check;
pub(crate) mod fields;
pub(crate) mod stamp;
