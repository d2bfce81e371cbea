//! What there is: the content of files by hash, their paths, and changes to them.

mod address;
mod change;
mod hash;
mod path;
mod place;

pub use address::normal_address;
pub use change::{Action, ChangeSet, Done, Operation, Splice};
pub use hash::{Hash, Hasher};
pub use path::{DEFAULT_EXCLUDED, PathRules, VaultFolder, VaultPath, is_note};
pub use place::{CorpusName, Place};
