//! The contents of running text: sentences with their citations and claims, phrases, figures, and names of notes that
//! are not links.

pub(crate) mod admonitions;
pub(crate) mod claims;
pub(crate) mod figures;
pub(crate) mod mentions;
pub(crate) mod phrases;
pub(crate) mod sentences;
