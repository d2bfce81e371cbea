//! Where files, index, records and the history of repositories are kept: beside each other in SQLite files and a journal, or
//! the records, and the index with them, in a database.
//!
//! Another store takes the place of one of these by fulfilling the same ports; see `CONTRIBUTING.md`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::{Notify, watch};
use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::outside_text::OutsideTextFile;
pub use wellread_adapters::postgres::{ChangeWatch, DatabaseReport};
use wellread_adapters::postgres::{DatabaseAddress, DatabaseOptions, PostgresRecords, RecordChange};
pub use wellread_adapters::record_copy::RecordSummary;
use wellread_adapters::record_copy::{
    CopyProgress, RecordRows, RecordsWithAccounts, export_records, import_records, verify_records,
};
use wellread_adapters::records::RecordStore;
use wellread_adapters::repository::{GitHistory, RepositoryFiles};
use wellread_core::domain::corpus::{CorpusName, PathRules};
use wellread_core::ports::{
    Accounts, Corpus, FilesUpkeep, History, Index, IndexUpkeep, OutsideText, Passages, RecordViews, Records,
    Symbols, Vectors,
};
use wellread_core::{Error, ErrorKind, Result};

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

impl IndexPorts {
    fn new<I: Index + Passages + Vectors + Symbols + IndexUpkeep + 'static>(index: I) -> Self {
        let index = Arc::new(index);
        Self {
            index: index.clone(),
            passages: index.clone(),
            vectors: index.clone(),
            symbols: index.clone(),
            upkeep: index,
        }
    }
}

/// The folders in which the stores of an app are, as far as they are not in a database.
pub struct StoreFolders<'a> {
    pub vault: &'a Path,
    pub data: &'a Path,
    pub records: &'a Path,
    /// Whether the index is that of the settings' vault, which may be in the database.
    pub is_settings_vault: bool,
}

/// The index and the records of an app.
pub struct OpenedStores {
    pub index: IndexPorts,
    /// Whether other machines may have the same index.
    pub shares_index: bool,
    /// The records, as whoever has the machine sees them, and as others do.
    pub records: Arc<dyn Records>,
    pub views: Arc<dyn RecordViews>,
    /// Where the records are, for people.
    pub records_place: String,
    /// The records, if they are in a database that tells of changes.
    pub change_source: ChangeSource,
}

/// Tells of changes of the records that other processes make; those in a file do not tell.
#[derive(Clone, Default)]
pub struct ChangeSource(Option<Arc<PostgresRecords>>);

impl ChangeSource {
    /// Rings the bells when something was changed, until the guard is dropped.
    pub fn watch(&self, bells: &RecordBells) -> Option<ChangeWatch> {
        let bells = bells.clone();
        self.0.as_ref()?.watch_changes(Arc::new(move |change| match change {
            RecordChange::Jobs => bells.jobs.notify_waiters(),
            RecordChange::Events => bells.events.send_replace(()),
        }))
    }
}

/// What rings in this process when records were changed. Whoever waits for a bell also looks by itself now and then.
#[derive(Clone, Default)]
pub struct RecordBells {
    /// A job may be taken, or was taken away from its worker.
    pub jobs: Arc<Notify>,
    /// Something happened to agendas or findings.
    pub events: watch::Sender<()>,
}

/// The records and the index in the database that the settings name, or else in these folders. Nothing is opened before it is
/// used.
pub fn open_stores(config: &Config, offline: bool, folders: &StoreFolders<'_>) -> Result<OpenedStores> {
    let own_index = || {
        let owner = platform::canonicalize_existing(folders.vault);
        IndexPorts::new(SqliteIndex::new(folders.data, &owner.to_string_lossy()))
    };
    Ok(match config.database()? {
        Some(settings) => {
            let database = Arc::new(open_database(&settings, offline)?);
            let shares_index = settings.has_index && folders.is_settings_vault;
            let index = match shares_index {
                true => IndexPorts::new(database.open_index(folders.data)),
                false => own_index(),
            };
            let records_place = format!("PostgreSQL at {}", database.place());
            let change_source = ChangeSource(Some(database.clone()));
            let (records, views) = (database.clone(), database);
            OpenedStores { index, shares_index, records, views, records_place, change_source }
        }
        None => {
            let file = Arc::new(RecordStore::new(folders.records));
            let records_place = file.path().display().to_string();
            OpenedStores {
                index: own_index(),
                shares_index: false,
                records: file.clone(),
                views: file,
                records_place,
                change_source: ChangeSource::default(),
            }
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

/// The store of the accounts, for copies; `None` if the settings leave open which accounts are meant.
fn open_account_rows(config: &Config, offline: bool) -> Result<Option<Arc<dyn RecordRows>>> {
    match config.accounts_database() {
        Ok(Some(settings)) => Ok(Some(Arc::new(open_database(&settings, offline)?))),
        Ok(None) => Ok(Some(Arc::new(RecordStore::new(&config.shared_data_folder()?)))),
        Err(error) if error.kind() == ErrorKind::NotSetUp => Ok(None),
        Err(error) => Err(error),
    }
}

/// The records that the settings name, with the accounts, as a whole: their tables, their integrity, and copies of them.
pub struct RecordArchive {
    rows: Arc<dyn RecordRows>,
    /// The same records, if they are in a database.
    database: Option<Arc<PostgresRecords>>,
    /// Whether the index is there, too.
    has_index: bool,
}

/// What became of the tables in a database: the versions that were found, and those that there are now.
pub struct TableVersions {
    pub records: (i64, i64),
    /// Those of the index, if it is in the database.
    pub index: Option<(i64, i64)>,
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
        let accounts = open_account_rows(config, offline)?;
        Ok(match config.database()? {
            Some(settings) => {
                let database = Arc::new(open_database(&settings, offline)?);
                let rows = Arc::new(RecordsWithAccounts { vault: database.clone(), accounts });
                Self { rows, database: Some(database), has_index: settings.has_index }
            }
            None => {
                let vault = Arc::new(RecordStore::new(&config.data_folder()?));
                let rows = Arc::new(RecordsWithAccounts { vault, accounts });
                Self { rows, database: None, has_index: false }
            }
        })
    }

    /// Where the records are, for people.
    pub fn place(&self) -> String {
        match &self.database {
            Some(_) => format!("the database at {}", self.rows.place()),
            None => self.rows.place(),
        }
    }

    /// Brings the tables of a database to the version of this program, those of the index only if it is to be there.
    pub fn migrate(&self) -> Result<TableVersions> {
        let Some(database) = &self.database else {
            let error = Error::invalid("the records are in the data folder, which needs no migration");
            return Err(error.hint("to put them into PostgreSQL, set `database.url` first"));
        };
        let records = database.migrate()?;
        let index = self.has_index.then(|| database.migrate_index()).transpose()?;
        Ok(TableVersions {
            records: (records.from, records.to),
            index: index.map(|report| (report.from, report.to)),
        })
    }

    /// Reads and verifies everything.
    pub fn check(&self, progress: CopyProgress<'_>) -> Result<RecordCheck> {
        let database = self.database.as_ref().map(|database| database.inspect(self.has_index)).transpose()?;
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
