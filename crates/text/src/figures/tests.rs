//! Figures by hand-written cases.
