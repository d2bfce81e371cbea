//! Everything that can be done to a vault: find, read, edit, move, undo.
//!
//! Every change of a note goes through [`Vault::change`]: it plans against the current text, and plans again if
//! somebody saved in between. Only undo does not, since it must not be applied to a later text. A test reads the
//! sources: `Files::commit` is called in these two places and nowhere else.

mod backlinks;
mod change;
mod condition;
mod daily;
mod dates;
mod locate;
mod moves;
mod origin;
mod overlay;
mod preferences;
mod read;
mod undo;

use std::sync::Arc;

pub use backlinks::Backlinks;
pub use change::{ChangeOptions, ChangeOutcome};
pub use condition::FileCondition;
pub use daily::Interaction;
pub use dates::parse_day;
pub(crate) use dates::parse_day_value;
pub use moves::{MoveRequest, MovedFile};
pub use read::NoteText;
pub use undo::{HistoryEntry, RevertedOperation};

use crate::domain::corpus::PathRules;
use crate::ports::{Clock, Files, LinkIndex};

/// A vault, and where the notes are that Wellread itself writes.
#[derive(Clone)]
pub struct Vault {
    /// The vault's files.
    pub files: Arc<dyn Files>,
    /// The links between its notes.
    pub links: Arc<dyn LinkIndex>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// Which paths may be touched.
    pub rules: PathRules,
    /// Where special notes and folders are.
    pub layout: VaultLayout,
    /// The policy for changes.
    pub edits: EditPolicy,
}

/// The policy for changes of a vault: a person's, unless a run has its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditPolicy {
    /// Changes of one group are undone together.
    pub group: Option<String>,
    /// Whether files that instruct models must not be changed.
    pub guarded: bool,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vault")
            .field("rules", &self.rules)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

/// Where special notes and folders of the vault are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultLayout {
    /// The folder of the daily notes, each called `YYYY-MM-DD.md`.
    pub daily_notes: String,
    /// The path of the note with the user's preferences.
    pub preferences: String,
    /// The folder in which embedded files are looked up first.
    pub attachments: String,
    /// The folders whose notes came from outside.
    pub clippings: Vec<String>,
    /// Notes in these folders never leave this machine.
    pub private_folders: Vec<String>,
    /// Notes with these tags never leave this machine.
    pub private_tags: Vec<String>,
}

impl Default for VaultLayout {
    fn default() -> Self {
        Self {
            daily_notes: "Daily Notes".to_owned(),
            preferences: "Preferences.md".to_owned(),
            attachments: "Attachments".to_owned(),
            clippings: vec!["Clippings".to_owned()],
            private_folders: Vec::new(),
            private_tags: vec!["private".to_owned()],
        }
    }
}
