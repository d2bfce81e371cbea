//! Files of the vault and of repositories: content hashes, parsed paths, places in files, changes, and web addresses.

mod address;
mod change;
mod hash;
mod path;
mod path_system;
mod place;

pub use address::{address_fragment, normalize_address};
pub use change::{Action, AppliedAction, ChangeSet, Operation, Splice};
pub use hash::{Hash, Hasher};
pub use path::{DEFAULT_EXCLUDED, PathRules, VaultFolder, VaultPath, fold_name, is_note};
pub use path_system::{PathSystem, windows_name_problem};
pub use place::{CorpusName, Place};
