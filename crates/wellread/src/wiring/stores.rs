//! Where files, index, records and the history of repositories are kept: beside each other in SQLite files and a journal, or
//! the records in a database.
//!
//! Another store takes the place of one of these by fulfilling the same ports; see `CONTRIBUTING.md`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::outside_text::OutsideTextFile;
pub use wellread_adapters::postgres::DatabaseReport;
use wellread_adapters::postgres::{DatabaseAddress, DatabaseOptions, PostgresRecords};
pub use wellread_adapters::record_copy::RecordSummary;
use wellread_adapters::record_copy::{
    CopyProgress, RecordRows, export_records, import_records, verify_records,
};
use wellread_adapters::records::RecordStore;
use wellread_adapters::repository::{GitHistory, RepositoryFiles};
use wellread_core::domain::corpus::{CorpusName, PathRules};
use wellread_core::ports::{
    Accounts, Corpus, FilesUpkeep, History, Index, IndexUpkeep, OutsideText, Passages, RecordViews, Records,
    Symbols, Vectors,
};
use wellread_core::{Error, Result};

use crate::config::{Config, DatabaseSettings, Secret};
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

/// The records of a vault, as whoever has the machine sees them, and as others do.
pub struct OpenRecords {
    pub records: Arc<dyn Records>,
    pub views: Arc<dyn RecordViews>,
    /// Where they are, for people.
    pub place: String,
}

/// The records in the database that the settings name, or else in this folder. Nothing is opened before it is used.
pub fn open_records(config: &Config, offline: bool, data: &Path) -> Result<OpenRecords> {
    Ok(match config.database()? {
        Some(settings) => {
            let database = Arc::new(open_database(&settings, offline)?);
            let place = format!("PostgreSQL at {}", database.place());
            OpenRecords { records: database.clone(), views: database, place }
        }
        None => {
            let file = Arc::new(RecordStore::new(data));
            let place = file.path().display().to_string();
            OpenRecords { records: file.clone(), views: file, place }
        }
    })
}

/// The accounts of all vaults together: in the database that the settings name, or else in a file of the data folder that they
/// share. Nothing is opened before it is used.
pub fn open_accounts(config: &Config, offline: bool) -> Result<Arc<dyn Accounts>> {
    Ok(match config.accounts_database()? {
        Some(settings) => Arc::new(open_database(&settings, offline)?),
        None => Arc::new(RecordStore::new(&config.shared_data_folder()?)),
    })
}

fn open_database(settings: &DatabaseSettings, offline: bool) -> Result<PostgresRecords> {
    let address = DatabaseAddress::parse(&settings.url)?;
    let password = settings.password()?;
    let password = password.as_ref().map(Secret::expose_secret);
    let options = DatabaseOptions::new(address, password, settings.ca_file.clone(), &settings.space)?;
    Ok(PostgresRecords::new(options.offline(offline)))
}

/// The records that the settings name, as a whole: their tables, their integrity, and copies of them.
pub struct RecordArchive {
    rows: Arc<dyn RecordRows>,
    /// The same records, if they are in a database.
    database: Option<Arc<PostgresRecords>>,
}

/// What a check of all records found.
pub struct RecordCheck {
    /// What was found in the database, if they are in one.
    pub database: Option<DatabaseReport>,
    pub summary: RecordSummary,
    /// The records that are not what was written.
    pub damaged: Vec<String>,
}

impl RecordArchive {
    /// Nothing is opened before it is used.
    pub fn open(config: &Config, offline: bool) -> Result<Self> {
        Ok(match config.database()? {
            Some(settings) => {
                let database = Arc::new(open_database(&settings, offline)?);
                Self { rows: database.clone(), database: Some(database) }
            }
            None => Self { rows: Arc::new(RecordStore::new(&config.data_folder()?)), database: None },
        })
    }

    /// Where the records are, for people.
    pub fn place(&self) -> String {
        match &self.database {
            Some(_) => format!("the database at {}", self.rows.place()),
            None => self.rows.place(),
        }
    }

    /// Brings the tables of a database to the version of this program: the version that was found, and the one now.
    pub fn migrate(&self) -> Result<(i64, i64)> {
        let Some(database) = &self.database else {
            let error = Error::invalid("the records are in the data folder, which needs no migration");
            return Err(error.hint("to put them into PostgreSQL, set `database.url` first"));
        };
        database.migrate().map(|report| (report.from, report.to))
    }

    /// Reads and verifies everything.
    pub fn check(&self, progress: CopyProgress<'_>) -> Result<RecordCheck> {
        let database = self.database.as_ref().map(|database| database.inspect()).transpose()?;
        let (summary, damaged) = verify_records(&*self.rows, progress)?;
        Ok(RecordCheck { database, summary, damaged })
    }

    pub fn export(&self, file: &Path, progress: CopyProgress<'_>) -> Result<RecordSummary> {
        export_records(&*self.rows, file, progress)
    }

    pub fn import(&self, file: &Path, progress: CopyProgress<'_>) -> Result<RecordSummary> {
        import_records(&*self.rows, file, progress)
    }
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
