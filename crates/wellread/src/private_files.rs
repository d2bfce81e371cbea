//! Which files on this machine are private, by their paths on the disk: those of the vaults, and other names of these.
//!
//! For files that a user or an editor names without the vault. What the vault itself reads is judged there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use wellread_core::Result;
use wellread_core::library::public_view::VaultGuard;

use crate::app::App;
use crate::config::Config;
use crate::platform::{canonicalize_existing, is_within};
use crate::wiring;
use crate::wiring::system::facts_at;

/// The extensions of texts that can say of themselves that they are private.
const NOTE_ENDINGS: [&str; 4] = ["md", "markdown", "txt", "canvas"];

/// The private files of all vaults, as paths on the disk.
pub struct PrivateFiles {
    app: Arc<App>,
    /// All vaults of the settings, by their folders: what is private in one is private here.
    vaults: Vec<(PathBuf, VaultGuard)>,
    /// Our own records, which contain words of notes.
    data: PathBuf,
}

impl PrivateFiles {
    /// Those of these vaults, by their folders, and of the folder of our own records.
    pub fn new(app: Arc<App>, vaults: Vec<(PathBuf, VaultGuard)>, data: &Path) -> Self {
        let vaults =
            vaults.into_iter().map(|(folder, guard)| (canonicalize_existing(&folder), guard)).collect();
        Self { app, vaults, data: canonicalize_existing(data) }
    }

    /// Those of the settings.
    pub fn open(app: &Arc<App>, config: &Config) -> Result<Self> {
        let vaults = wiring::open_vault_guards(config, app)?;
        Ok(Self::new(app.clone(), vaults, &config.shared_data_folder()?))
    }

    /// Whether a file, with its links resolved, is in a vault or in our records, or is another name of a private note.
    pub fn is_ours(&self, file: &Path) -> bool {
        self.vaults.iter().any(|(folder, _)| is_within(file, folder))
            || is_within(file, &self.data)
            || self.has_private_name(file)
    }

    /// Whether a file, with its links resolved, is private, or would be with this text. What nobody can tell is private.
    pub fn is_private(&self, file: &Path, text: &str) -> bool {
        if is_within(file, &self.data) {
            return true;
        }
        if let Some((folder, vault)) = self.vaults.iter().find(|(folder, _)| is_within(file, folder)) {
            let inside = file.strip_prefix(folder).ok().and_then(Path::to_str);
            // What is written in a way that no rule knows might be.
            let path = inside.and_then(|inside| vault.paths.parse_file(inside).ok());
            return path.is_none_or(|path| vault.is_private_with(&path, text));
        }
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let is_note = NOTE_ENDINGS.contains(&ending.to_ascii_lowercase().as_str());
        (is_note && self.says_private(text)) || self.has_private_name(file)
    }

    /// Whether a file outside of all vaults is another name of a private one in a vault.
    fn has_private_name(&self, file: &Path) -> bool {
        let Some(facts) = facts_at(file).ok().filter(|facts| facts.names > 1) else { return false };
        self.vaults.iter().any(|(_, vault)| vault.has_private_name(facts.number).unwrap_or(true))
    }

    /// Whether a text would be private wherever it stood in the vault.
    pub fn says_private(&self, text: &str) -> bool {
        let vault = &self.app.ctx.vault;
        vault.rules.parse_file("attached.md").is_ok_and(|path| vault.is_private_text(&path, text))
    }
}
