//! What executes a piece of work: the run and its log, the agent loop, model calls, gathering, services outside this
//! machine, and the repair of an answer that failed the gate.

pub mod agent;
pub mod gather;
pub mod llm;
pub mod log;
pub mod outside;
pub mod repair;
pub mod run;
