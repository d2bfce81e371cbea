//! What makes a sentence trustworthy: how outside text reaches a model, the gate that checks what comes back,
//! citations, and the recheck of earlier citations.

mod below_fields;
pub mod citations;
pub mod gate;
pub mod prompt;
pub mod recheck;
