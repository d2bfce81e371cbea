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
mod judging;
mod kept_text;
mod locate;
mod moves;
mod outside_edits;
mod overlay;
mod passage_judge;
mod preferences;
mod read;
mod undo;

use std::sync::Arc;

pub use backlinks::Backlinks;
pub use change::{ChangeOptions, ChangeOutcome, Turns};
pub use condition::FileCondition;
pub use daily::Interaction;
pub use dates::parse_day;
pub(crate) use dates::parse_day_value;
pub use judging::INSTRUCTS_MODELS;
pub use moves::{MoveRequest, MovedFile};
pub use passage_judge::PassageJudge;
pub use read::NoteText;
pub use undo::{HistoryEntry, RevertedOperation, UndoPreview};

pub use crate::library::judge::VaultLayout;

use crate::domain::corpus::PathRules;
use crate::domain::untrusted::Origin;
use crate::library::public_view::Visibility;
use crate::ports::{Clock, Files, LinkIndex, OutsideText};

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
    /// What is remembered about text from outside.
    pub outside: Arc<dyn OutsideText>,
    /// Whether private notes are hidden.
    pub visibility: Visibility,
    /// Whose turn it is to change something.
    pub turns: Turns,
}

/// The policy for changes of a vault: a person's, unless a run has its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditPolicy {
    /// Changes of one group are undone together.
    pub group: Option<String>,
    /// Whose text is written. Text from outside stays that wherever it is moved, and files that instruct models are
    /// not changed by it.
    pub origin: Origin,
}

impl Default for EditPolicy {
    fn default() -> Self {
        Self { group: None, origin: Origin::User }
    }
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vault")
            .field("rules", &self.rules)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}
