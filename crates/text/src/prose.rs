//! What running text says: sentences with their citations and claims, phrases, figures, and names of notes without a link.

pub(crate) mod claims;
pub(crate) mod figures;
pub(crate) mod mentions;
pub(crate) mod phrases;
pub(crate) mod sentences;
