//! What there is: the content of files by hash, their paths, and changes to them.

mod change;
mod hash;
mod path;

pub use change::{Action, ChangeSet, Done, Operation, Splice};
pub use hash::Hash;
pub use path::{DEFAULT_EXCLUDED, PathRules, VaultFolder, VaultPath, is_note};
