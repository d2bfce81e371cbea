//! What every run needs: the run and its log, the model and its tools, gathering, services outside this machine, the
//! repair of an answer that fails the gate, and the second opinion on what passes.

pub mod agent;
pub mod gather;
pub mod llm;
pub mod log;
pub mod outside;
pub mod repair;
pub mod run;
pub mod second_opinion;
