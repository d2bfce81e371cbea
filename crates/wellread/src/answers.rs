//! What is answered to a question that more than one face asks: the command line's `--json` and the server give the same
//! fields, because both give these types.
//!
//! How an answer looks to a person is the command line's own business.

mod conversations;
mod doctor;
mod health;
mod note;
mod recheck;
mod runs;
mod search;
mod settings;
mod status;
mod tools;
mod undo;
mod verify;

pub use conversations::{Conversation, Conversations, about, conversation, conversations, opened};
pub use doctor::Doctor;
pub use health::{LastHealth, health};
pub use note::{Note, note};
pub use recheck::{RecheckAnswer, RecheckRequest, recheck};
pub use runs::runs;
pub use search::{Asked, Found, FoundPassage, Scope, search};
pub use settings::{Settings, settings};
pub use status::{Status, status};
pub use tools::{DeclaredTools, declared};
pub use undo::{Undo, undo};
pub use verify::{Judged, SourceText, Verified, verify};
