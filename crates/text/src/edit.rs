//! Edits of a note, each as splices: at its beginning and end, in a section, updating links after files moved, and
//! turning names into links.

pub(crate) mod autolink;
pub(crate) mod ends;
pub(crate) mod footnotes;
pub(crate) mod open_blocks;
pub(crate) mod retarget;
pub(crate) mod sections;
