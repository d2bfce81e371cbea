//! Pages, read.
