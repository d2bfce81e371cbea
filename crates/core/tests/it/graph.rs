//! The graph over small programs whose calls are known, and what is asked of it.

mod asked;
mod dispatch;
mod known;
mod languages;
mod program;
mod symmetry;
