//! What is proposed for research, what was approved, and what was found.
