//! What carries a piece of work: the run and its log, the model and its tools, gathering, what lies outside this machine, and
//! the repair of an answer that did not pass the gate.

pub mod agent;
pub mod gather;
pub mod llm;
pub mod log;
pub mod outside;
pub mod repair;
pub mod run;
