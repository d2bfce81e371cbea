//! Where the vault, its data and the codebases beside it are, and what is where in them, as the settings say it.

use std::path::PathBuf;
use std::time::Duration;

use wellread_core::domain::corpus::{DEFAULT_EXCLUDED, Hash, PathRules};
use wellread_core::library::judge::{VaultLayout, parse_folder_setting, parse_tag_setting};
use wellread_core::{Error, Result};

use super::key::{Key, settings};
use super::kinds::List;
use super::{Config, Origin, RepoSetting};
use crate::platform;

/// In minutes.
const A_WEEK: u64 = 7 * 24 * 60;

/// In days.
const TEN_YEARS: u64 = 3653;

settings! {
    VAULT_PATH: Folder = "vault.path", "the folder of notes", also "VAULT_PATH";
    EXCLUDED: List = "vault.excluded", "folders never read, listed or written";
    ATTACHMENTS: Text = "vault.attachments",
        "the folder in which embedded files are looked for first", also "ATTACHMENTS_DIR";
    DAILY_NOTES: Text = "vault.daily_notes", "the folder of the daily notes";
    FLEETING_FOLDER: Text = "vault.fleeting_folder", "the folder of fleeting notes";
    CLIPPINGS: List = "vault.clippings", "folders whose notes came from outside";
    PRIVATE_FOLDERS: List = "vault.private_folders", "folders whose notes never leave this machine";
    PRIVATE_TAGS: List = "vault.private_tags", "tags of notes that never leave this machine";
    DATA_PATH: Folder = "data.path", "the folder for the journal, the index and other data", also "WELLREAD_DATA";
    KEEP_RUNS_DAYS: Number(TEN_YEARS) = "data.keep_runs_days",
        "after how many days the text of a run is forgotten; 0 is never";
    REPOS: Repos = "repos", "codebases beside the vault, by name and path";
    VAULTS: Vaults = "vaults", "vaults by name, each with its path and settings of its own";
    INDEX_INTERVAL_MINUTES: Number(A_WEEK) = "index.interval_minutes",
        "how often all files are checked again; 0 is never", also "INDEX_INTERVAL";
}

impl Config {
    pub fn vault(&self) -> Result<PathBuf> {
        match self.get(&VAULT_PATH) {
            "" => Err(Error::invalid("no vault is set: `vault.path` is empty").hint(
                "name it with --vault or VAULT_PATH, or permanently with `wellread config set vault.path DIR`",
            )),
            path => platform::expand_home(path),
        }
    }

    /// Whether the vault is one that somebody named, and not the default.
    pub fn is_vault_set(&self) -> bool {
        *self.origin(&VAULT_PATH) != Origin::Default && !self.get(&VAULT_PATH).is_empty()
    }

    /// Whether nobody named a vault, and there is none where one is looked for.
    pub fn lacks_vault(&self) -> Result<bool> {
        Ok(!self.is_vault_set() && self.vaults().is_empty() && !self.vault()?.is_dir())
    }

    /// Whether a flag names the vault.
    pub fn is_vault_flag(&self) -> bool {
        matches!(self.origin(&VAULT_PATH), Origin::Flag(_))
    }

    /// The data folder of this vault: one sub-folder each, never inside the vault.
    pub fn data_folder(&self) -> Result<PathBuf> {
        let vault = platform::canonicalize_existing(&self.vault()?);
        let base = self.shared_data_folder()?;
        if platform::is_within(&base, &vault) {
            return Err(Error::refused(format!("the data folder `{}` is inside the vault", base.display()))
                .hint("choose another with --data or `wellread config set data.path DIR`"));
        }
        let name = vault.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let hash = Hash::compute(vault.as_os_str().as_encoded_bytes()).to_string();
        Ok(base.join("vaults").join(format!("{name}-{}", &hash[..12])))
    }

    /// The data folder of all vaults together.
    pub fn shared_data_folder(&self) -> Result<PathBuf> {
        let base = match self.get(&DATA_PATH) {
            "" => platform::data_folder()?,
            path => platform::expand_home(path)?,
        };
        Ok(platform::canonicalize_existing(&base))
    }

    pub fn excluded_paths(&self) -> Vec<String> {
        let mut excluded: Vec<String> = DEFAULT_EXCLUDED.map(str::to_owned).to_vec();
        excluded.extend(self.get(&EXCLUDED).iter().cloned());
        excluded.sort();
        excluded.dedup();
        excluded
    }

    /// The private folders as they are written.
    pub fn private_folders(&self) -> &[String] {
        self.get(&PRIVATE_FOLDERS)
    }

    /// Where the vault's own few notes stand, and whose words are in which folder. `Err` if a setting can't be understood:
    /// a private folder that is not recognized would protect nothing.
    pub fn layout(&self) -> Result<VaultLayout> {
        let vault = self.vault().ok();
        let roots = vault.iter().flat_map(|vault| [vault.clone(), platform::canonicalize_existing(vault)]);
        let rules = PathRules::new(roots.map(|root| root.to_string_lossy().into_owned()), &[]);
        let folder = |written: &String| {
            let path = platform::expand_home(written)?;
            let expanded = if written.starts_with('~') { path.to_string_lossy() } else { written.into() };
            parse_folder_setting(&rules, &expanded)
        };
        let folders = |key| self.parse_list(key, folder);
        Ok(VaultLayout {
            daily_notes: self.get(&DAILY_NOTES).to_owned(),
            attachments: self.get(&ATTACHMENTS).to_owned(),
            clippings: folders(&CLIPPINGS)?,
            private_folders: folders(&PRIVATE_FOLDERS)?,
            private_tags: self.parse_list(&PRIVATE_TAGS, |tag| parse_tag_setting(tag))?,
            excluded: self.excluded_paths(),
            ..VaultLayout::default()
        })
    }

    fn parse_list(&self, key: &Key<List>, parse: impl Fn(&String) -> Result<String>) -> Result<Vec<String>> {
        let items = self.get(key).iter();
        items.map(|item| parse(item).map_err(|error| self.invalid_setting(key, &error))).collect()
    }

    /// The codebases beside the vault. Whether their folders exist is not looked at.
    pub fn repos(&self) -> Result<Vec<RepoSetting>> {
        let expanded = |repo: &RepoSetting| {
            let path = platform::expand_home(&repo.path.to_string_lossy())?;
            Ok(RepoSetting { name: repo.name.clone(), path })
        };
        self.get(&REPOS).iter().map(expanded).collect()
    }

    /// How long the text of runs is kept; `None` is for ever.
    pub fn runs_kept_for(&self) -> Option<Duration> {
        let days = self.get(&KEEP_RUNS_DAYS);
        (days > 0).then(|| Duration::from_secs(days * 24 * 60 * 60))
    }

    /// How often everything is looked at anew, whatever was heard of changes. Zero is never.
    pub fn rescan_interval(&self) -> Duration {
        Duration::from_secs(self.get(&INDEX_INTERVAL_MINUTES) * 60)
    }
}
