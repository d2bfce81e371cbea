//! Where files, index, records and the history of repositories are kept: beside each other in SQLite files and a journal.
//!
//! Another store takes the place of one of these by fulfilling the same ports; see `CONTRIBUTING.md`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::outside_text::OutsideTextFile;
use wellread_adapters::records::RecordStore;
use wellread_adapters::repository::{GitHistory, RepositoryFiles};
use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, PathRules};
use wellread_core::ports::{
    Corpus, FilesUpkeep, History, Index, IndexUpkeep, OutsideText, Passages, Records, Symbols, Vectors,
};

use crate::config::Config;
use crate::platform;

/// One index, by each of the ports that it fulfills.
pub struct IndexPorts {
    pub index: Arc<dyn Index>,
    pub passages: Arc<dyn Passages>,
    pub vectors: Arc<dyn Vectors>,
    pub symbols: Arc<dyn Symbols>,
    pub upkeep: Arc<dyn IndexUpkeep>,
}

/// The index of a vault, in this folder. Nothing is opened before it is used.
pub fn open_index(data: &Path, vault: &Path) -> IndexPorts {
    let owner = platform::canonicalize_existing(vault);
    let index = Arc::new(SqliteIndex::new(data, &owner.to_string_lossy()));
    IndexPorts {
        index: index.clone(),
        passages: index.clone(),
        vectors: index.clone(),
        symbols: index.clone(),
        upkeep: index,
    }
}

/// The records in this folder. Nothing is opened before it is used.
pub fn open_records(data: &Path) -> Arc<dyn Records> {
    Arc::new(RecordStore::new(data))
}

/// The files of a vault, with the journal in `data`.
pub fn open_files(config: &Config, vault: &Path, data: &Path) -> Result<Arc<dyn FilesUpkeep>> {
    Ok(Arc::new(VaultFiles::open(vault, data, &config.excluded_paths())?))
}

/// What is remembered about text from outside, in this folder.
pub fn open_outside_text(data: &Path) -> Arc<dyn OutsideText> {
    Arc::new(OutsideTextFile::new(data))
}

/// The files of the vault that the settings name.
pub fn open_vault_files(config: &Config) -> Result<Arc<dyn FilesUpkeep>> {
    open_files(config, &config.vault()?, &config.data_folder()?)
}

/// A folder of code, to be read.
pub fn open_repository(folder: &Path) -> Result<Arc<dyn Corpus>> {
    Ok(Arc::new(RepositoryFiles::open(folder)?))
}

/// What version control knows of these folders. Nothing is opened before it is used.
pub fn open_history(data: &Path, folders: Vec<(CorpusName, PathBuf, PathRules)>) -> Arc<dyn History> {
    Arc::new(GitHistory::new(&data.join("git"), folders))
}
