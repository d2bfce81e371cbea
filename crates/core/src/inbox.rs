//! What becomes of findings.
