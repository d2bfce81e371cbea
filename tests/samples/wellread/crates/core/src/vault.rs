//! What can be done to a vault: find, read, edit, move, undo.
//!
//! Every change of a note goes through [`Vault::change`]: it plans on what is there now, and plans anew when
//! somebody saved in between. Undoing alone does not, since it must not be made anew on a later text. A test reads
//! the sources: `Files::commit` is called in these two places and nowhere else.

mod backlinks;
mod change;
mod condition;
mod daily;
mod dates;
mod locate;
mod moves;
mod origin;
mod preferences;
mod read;
mod rehearsal;
mod undo;

use std::sync::Arc;

pub use backlinks::Backlinks;
pub use change::{How, Outcome};
pub use condition::Condition;
pub use daily::Interaction;
pub(crate) use dates::day_in;
pub use dates::parse_day;
pub use moves::{MoveRequest, MovedFile};
pub use read::NoteText;
pub use undo::{HistoryEntry, Undone};

use crate::corpus::PathRules;
use crate::ports::{Clock, Files, LinkIndex};

/// A vault, and where its own few notes stand.
#[derive(Clone)]
pub struct Vault {
    pub files: Arc<dyn Files>,
    pub links: Arc<dyn LinkIndex>,
    pub clock: Arc<dyn Clock>,
    pub rules: PathRules,
    pub layout: Layout,
    pub edits: Edits,
}

/// On which terms a vault is changed: those of a person, unless a run has its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edits {
    /// Changes of one group are undone together.
    pub group: Option<String>,
    /// Whether what instructs models must be left alone.
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

/// Where the notes are that Wellread itself writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The folder of the daily notes, each called `YYYY-MM-DD.md`.
    pub daily_notes: String,
    pub preferences: String,
    /// The folder in which embedded files are looked for first.
    pub attachments: String,
    /// The folders whose notes came from outside.
    pub clippings: Vec<String>,
    /// What never leaves the machine: notes in these folders, and notes with these tags.
    pub private_folders: Vec<String>,
    pub private_tags: Vec<String>,
}

impl Default for Layout {
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
