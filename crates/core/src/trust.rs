//! What makes a sentence believable: how outside text reaches a model, the gate that checks what comes back, citations, and
//! the recheck of what was cited before.

pub mod citations;
pub mod gate;
pub mod prompt;
pub mod recheck;
