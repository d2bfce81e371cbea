//! Changes to a note, each a list of splices: at its ends, in a section, of links that follow a move, of names made links.

pub(crate) mod autolink;
pub(crate) mod ends;
pub(crate) mod open_blocks;
pub(crate) mod retarget;
pub(crate) mod sections;
