//! The database file: opened on first use, moved aside if damaged, never deleted.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rusqlite::{Connection, ErrorCode, Transaction};
use wellread_core::{Error, Result};

use super::{damaged_file, schema};
use crate::file_lock::LockMode;
use crate::sqlite::{SqliteFile, SqliteFileState, is_damage, lock};
use crate::{full_disk, platform};

/// The prefix of a new file's name before it is moved into place; the process id follows.
const UNFINISHED: &str = "records.db.new-";

#[derive(Debug)]
pub struct RecordDatabase {
    file: SqliteFile,
    opened: Mutex<bool>,
    reason: Mutex<Option<String>>,
}

impl RecordDatabase {
    pub fn new(folder: &Path) -> Self {
        let file = SqliteFile::new(folder, "records", schema::configure_connection);
        Self { file, opened: Mutex::default(), reason: Mutex::default() }
    }

    pub fn path(&self) -> PathBuf {
        self.file.path()
    }

    pub fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    pub fn take_reason(&self) -> Option<String> {
        lock(&self.reason).take()
    }

    /// Whether there are records; opens them if so. Never creates any.
    pub fn open_if_exists(&self) -> Result<bool> {
        match self.path().try_exists() {
            Ok(false) => Ok(false),
            _ => self.open().map(|()| true),
        }
    }

    /// Runs a query; `None` if there are no records.
    pub fn read_if_exists<T>(
        &self,
        act: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        if !self.open_if_exists()? {
            return Ok(None);
        }
        self.file.read(act).map(Some).map_err(|error| self.explain_error(&error))
    }

    pub fn folder(&self) -> &Path {
        self.file.folder()
    }

    /// Writes in a transaction. On any failure nothing is changed.
    pub fn write<T, E: Into<ChangeError> + From<rusqlite::Error>>(
        &self,
        act: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T> {
        self.open()?;
        self.file.write(act).map_err(|error| self.explain_change_error(error.into()))
    }

    /// Writes something that depends on no existing record: if the file is damaged, into a new one.
    pub fn write_or_recreate<T, E: Into<ChangeError> + From<rusqlite::Error>>(
        &self,
        act: impl Fn(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T> {
        self.open()?;
        let written = match self.file.write(&act).map_err(E::into) {
            Err(ChangeError::File(error)) if is_corrupt(&error) => {
                self.replace_file(Some(&error.to_string()))?;
                self.file.write(&act).map_err(E::into)
            }
            written => written,
        };
        written.map_err(|trouble| self.explain_change_error(trouble))
    }

    /// Rewrites the file without what was deleted, and empties its log.
    pub fn compact(&self) -> Result<()> {
        self.file.compact().map_err(|error| self.explain_error(&error))
    }

    fn open(&self) -> Result<()> {
        let mut opened = lock(&self.opened);
        // If the file was deleted, writing to the open handle would lose data.
        if *opened && self.path().exists() {
            return Ok(());
        }
        self.file.make_folder()?;
        let found = {
            let _turn = self.file.lock_file(LockMode::Shared);
            let found = self.inspect_file()?;
            if let RecordFileState::Sound(connection) = found {
                self.file.adopt(Some(connection));
                *opened = true;
                return Ok(());
            }
            found
        };
        match found {
            RecordFileState::Unsound(reason) => self.replace_file(Some(&reason))?,
            RecordFileState::Old => self.upgrade()?,
            _ => self.replace_file(None)?,
        }
        *opened = true;
        Ok(())
    }

    /// Upgrades a file of an earlier version. One process at a time; the others find it done.
    fn upgrade(&self) -> Result<()> {
        self.file.replace(|_| {
            let unsound = match self.inspect_file()? {
                RecordFileState::Sound(_) => return Ok(()),
                RecordFileState::Old => match self.file.connect_locked().and_then(schema::upgrade) {
                    Ok(()) => return Ok(()),
                    Err(error) if is_damage(&error) => Some(error.to_string()),
                    Err(error) => return Err(self.explain_error(&error)),
                },
                RecordFileState::Absent => None,
                RecordFileState::Unsound(reason) => Some(reason),
            };
            self.replace_file_locked(unsound.as_deref())
        })
    }

    fn inspect_file(&self) -> Result<RecordFileState> {
        match fs::metadata(self.path()) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(RecordFileState::Absent),
            Err(error) => return Err(Error::failed(format!("could not open the records: {error}"))),
            Ok(data) if data.len() == 0 => return Ok(RecordFileState::Absent),
            Ok(_) => {
                // A copy may have lost its mode. If that can't be fixed, the file can still be read.
                let _ = platform::set_private(&self.path());
            }
        }
        let unsound = |reason: String| Ok(RecordFileState::Unsound(reason));
        let looked = self.file.connect_bare().and_then(|connection| {
            let (application, version) = schema::read_stamp(&connection)?;
            Ok(((application, version), schema::is_whole(&connection, version)?))
        });
        match looked {
            Ok(((application, _), _)) if application != schema::APPLICATION => {
                unsound("it holds no records of Wellread".to_owned())
            }
            Ok(((_, version), _)) if version > schema::VERSION => Err(Error::failed(format!(
                "the records in `{}` were written by a newer version of Wellread (format {version}; this one knows {})",
                self.path().display(),
                schema::VERSION
            ))
            .hint("nothing was changed; use that version, or another data folder with --data")),
            Ok((_, false)) => unsound("its tables are not the expected ones".to_owned()),
            Ok(((_, version), true)) if version < schema::VERSION => Ok(RecordFileState::Old),
            Ok((_, true)) => match self.file.connect_locked() {
                Ok(connection) => Ok(RecordFileState::Sound(connection)),
                Err(error) => Err(self.explain_error(&error)),
            },
            Err(error) if is_damage(&error) => unsound(error.to_string()),
            Err(error) => Err(self.explain_error(&error)),
        }
    }

    /// Moves the current file aside and puts an empty one in place. One process at a time, and only once if several
    /// want to.
    fn replace_file(&self, reason: Option<&str>) -> Result<()> {
        self.file.replace(|still| {
            let made = match still {
                SqliteFileState::Another => true,
                SqliteFileState::Unopened => matches!(self.inspect_file()?, RecordFileState::Sound(_)),
                SqliteFileState::Same => false,
            };
            if made { Ok(()) } else { self.replace_file_locked(reason) }
        })
    }

    fn replace_file_locked(&self, reason: Option<&str>) -> Result<()> {
        let trouble = |error: io::Error| {
            full_disk::explain_data_error(
                &error,
                "the records could not be created",
                self.file.folder(),
                || Error::failed(format!("could not create the records: {error}")),
            )
        };
        let fresh = self.file.folder().join(format!("{UNFINISHED}{}", std::process::id()));
        damaged_file::remove_unfinished(self.file.folder(), UNFINISHED);
        // For the user alone, since runs contain what was read.
        platform::create_private_file(&fresh).map_err(trouble)?;
        self.file.make_fresh(&fresh, schema::create).map_err(|error| self.explain_error(&error))?;
        let aside = damaged_file::move_aside(&self.file).map_err(trouble)?;
        fs::rename(&fresh, self.path()).map_err(trouble)?;
        platform::sync_folder(self.file.folder()).map_err(trouble)?;
        if let (Some(reason), Some(aside)) = (reason, aside) {
            let notice = format!(
                "the records were damaged ({reason}): the file was kept as `{aside}`, and a new one was started"
            );
            *lock(&self.reason) = Some(notice);
        }
        Ok(())
    }

    fn explain_change_error(&self, trouble: ChangeError) -> Error {
        match trouble {
            ChangeError::File(error) => self.explain_error(&error),
            ChangeError::Asked(error) => error,
        }
    }

    fn explain_error(&self, error: &rusqlite::Error) -> Error {
        if is_damage(error) {
            return Error::failed(format!("the records in `{}` are damaged: {error}", self.path().display()))
                .hint("nothing was changed; new work is written to a new file, and this one is kept");
        }
        self.file.explain_error("the records", error)
    }
}

/// Why a change failed: because of the file, or because the request is not valid.
#[derive(Debug)]
pub enum ChangeError {
    File(rusqlite::Error),
    Asked(Error),
}

impl From<rusqlite::Error> for ChangeError {
    fn from(error: rusqlite::Error) -> Self {
        Self::File(error)
    }
}

impl From<Error> for ChangeError {
    fn from(error: Error) -> Self {
        Self::Asked(error)
    }
}

enum RecordFileState {
    Absent,
    Sound(Connection),
    /// Intact, but of an earlier version.
    Old,
    Unsound(String),
}

/// Damage that SQLite itself reported.
fn is_corrupt(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was acknowledged must outlive a power cut, which no test can make: so the setting is looked at.
    #[test]
    fn every_connection_waits_for_the_disk() {
        const FULL: i64 = 2;
        let folder = std::env::temp_dir().join(format!("wellread-records-{}", std::process::id()));
        let store = RecordDatabase::new(&folder);
        let synchronous =
            |connection: &Connection| connection.pragma_query_value(None, "synchronous", |row| row.get(0));
        assert_eq!(store.write_or_recreate(|transaction| synchronous(transaction)).unwrap(), FULL);
        assert_eq!(store.read_if_exists(synchronous).unwrap(), Some(FULL));
        drop(store);
        fs::remove_dir_all(folder).unwrap();
    }
}
