//! Answers that more than one face gives: the command line's `--json` and the server have the same fields, because both
//! use these types.
//!
//! How an answer looks to a person is the command line's own business.

mod attachment;
mod conversations;
mod doctor;
mod forget;
mod health;
mod note;
mod okf;
mod recheck;
mod runs;
mod search;
mod settings;
mod status;
mod tools;
mod undo;
mod verify;

pub use attachment::read_attachment;
pub use conversations::{
    Conversation, ConversationList, find_active_file, list_conversations, read_conversation,
    resolve_active_file,
};
pub use doctor::{DoctorReport, privacy};
pub use forget::{ForgetAnswer, ForgetSelection, forget, forget_expired};
pub use health::{HealthCache, examine_health};
pub use note::{Note, read_note};
pub use okf::recheck_okf_notes;
pub use recheck::recheck;
pub use runs::list_runs;
pub use search::{FoundPassage, SearchParams, SearchResponse, SearchScope, search};
pub use settings::{SettingsAnswer, list_server_settings, list_settings};
pub use status::{FileStatus, RecordStatus, RepoStatus, StatusReport, collect_status};
pub use tools::{ToolList, describe_tools};
pub use undo::{forget_edits, undo};
pub use verify::{VerifyTarget, verify};
