//! What is on this machine that Wellread could work with: vaults, and servers of language models. Nothing is changed, and no
//! other machine is asked.

mod models;
mod vaults;

pub use self::models::{LocalModels, find_local_models};
pub use self::vaults::{FoundVault, VaultOrigin, find_vaults};
