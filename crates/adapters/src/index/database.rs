//! The file: opening it, noticing damage, beginning anew. Connections to it are `sqlite.rs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{Connection, Transaction};
use wellread_core::ports::IntegrityCheck;
use wellread_core::{Error, Result};

use super::seal::{self, Seal};
use super::{salvage, schema, write};
use crate::file_lock::LockMode;
use crate::index_format::VERSION;
use crate::sqlite::{SqliteFile, SqliteFileState, is_damage, lock};

/// How the file is called until it is in its place, before the number of the process.
const UNFINISHED: &str = "index.db.new-";

#[derive(Debug)]
pub struct IndexDatabase {
    file: SqliteFile,
    vault: String,
    damaged: AtomicBool,
    reason: Mutex<Option<String>>,
}

/// Whether there is an index in this folder at all.
pub fn exists(folder: &Path) -> bool {
    folder.join("index.db").exists()
}

impl IndexDatabase {
    pub fn open(folder: &Path, vault: &str) -> Result<Self> {
        let store = Self {
            file: SqliteFile::new(folder, "index", configure_connection),
            vault: vault.to_owned(),
            damaged: AtomicBool::default(),
            reason: Mutex::default(),
        };
        store.file.make_folder()?;
        let unsound = {
            let _turn = store.file.lock_file(LockMode::Shared);
            match store.inspect_file()? {
                IndexFileState::Sound(connection) => {
                    store.file.adopt(Some(connection));
                    return Ok(store);
                }
                IndexFileState::Absent => None,
                IndexFileState::Unsound(reason) => Some(reason),
            }
        };
        store.replace_file(unsound.as_deref())?;
        Ok(store)
    }

    pub fn read<T>(&self, act: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        self.file.read(act).map_err(|error| self.explain_failure(&error))
    }

    /// Reads from one snapshot. Between two statements another process may drop a table of words; here nobody's change is
    /// seen before the end.
    pub fn read_snapshot<T>(&self, act: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        self.read(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            let answer = act(&snapshot)?;
            // A rollback would take back the temporary views of the words, which are used again.
            snapshot.commit()?;
            Ok(answer)
        })
    }

    pub fn write<T>(&self, act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T> {
        let change = |transaction: &Transaction<'_>| -> std::result::Result<T, WriteFailure> {
            if is_of_another_version(transaction)? {
                return Err(WriteFailure::AnotherVersion);
            }
            seal::break_seal(&self.path());
            let answer = act(transaction)?;
            transaction.execute("UPDATE meta SET value = value + 1 WHERE name = 'version'", [])?;
            Ok(answer)
        };
        self.file.write(change).map_err(|failure| match failure {
            WriteFailure::AnotherVersion => another_version_error(),
            WriteFailure::Sqlite(error) => self.explain_failure(&error),
        })
    }

    pub fn take_reason(&self) -> Option<String> {
        lock(&self.reason).take()
    }

    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Removes what is left of deleted passages, and rewrites the file without it.
    pub fn compact(&self) -> Result<()> {
        self.write(write::purge_deleted)?;
        self.file.compact().map_err(|error| self.explain_failure(&error))
    }

    pub fn reset(&self, reason: &str) -> Result<()> {
        self.replace_file(Some(reason))
    }

    /// The size of the file and what belongs to it.
    pub fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    pub fn check_integrity(&self, check: IntegrityCheck) -> Result<()> {
        let verdict = match seal::compare(&self.path(), check) {
            seal::SealState::Same => return Ok(()),
            seal::SealState::Differs => Some("its content is not what was written".to_owned()),
            // It was not closed, or is open elsewhere: only its structure can be looked at.
            seal::SealState::Unsealed => match self.quick_check() {
                Ok(answer) => (answer != "ok").then_some(answer),
                Err(error) if is_damage(&error) => Some(error.to_string()),
                Err(error) => return Err(self.explain_error(&error)),
            },
        };
        match verdict {
            Some(reason) => self.replace_file(Some(&format!("it is damaged: {reason}"))),
            None => Ok(()),
        }
    }

    /// What SQLite says of the file's structure. By a connection of its own: one that has been used remembers which
    /// pieces the words were in, and takes for damage what another has changed since.
    /// Looks at one snapshot: while a table of words goes, the check would find its name and not its content.
    fn quick_check(&self) -> rusqlite::Result<String> {
        let connection = self.file.connect()?;
        let snapshot = connection.unchecked_transaction()?;
        // A snapshot begins with what is read first, and the check reads names before it begins one.
        snapshot.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
        snapshot.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
    }

    fn path(&self) -> PathBuf {
        self.file.path()
    }

    fn inspect_file(&self) -> Result<IndexFileState> {
        let unsound = |reason: &str| Ok(IndexFileState::Unsound(reason.to_owned()));
        match fs::metadata(self.path()) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(IndexFileState::Absent),
            Err(error) => return Err(Error::failed(format!("could not open the index: {error}"))),
            Ok(_) if seal::is_truncated(&self.path()) => {
                return unsound("it is damaged: a part of it is missing");
            }
            Ok(data) if data.len() == 0 && !self.file.sibling_path("-wal").exists() => {
                return Ok(IndexFileState::Absent);
            }
            Ok(_) => {}
        }
        let looked = self.file.connect_locked().and_then(|connection| {
            let (application, version) = read_header(&connection)?;
            if application != schema::APPLICATION {
                return Ok(Err("it is not an index of Wellread"));
            }
            if version != VERSION {
                return Ok(Err("it was made by another version"));
            }
            let vault: String =
                connection.query_row("SELECT value FROM meta WHERE name = 'vault'", [], |row| row.get(0))?;
            Ok(if vault == self.vault { Ok(connection) } else { Err("it belongs to another vault") })
        });
        match looked {
            Ok(Ok(connection)) => Ok(IndexFileState::Sound(connection)),
            Ok(Err(reason)) => unsound(reason),
            Err(error) if is_damage(&error) => unsound(&format!("it is damaged: {error}")),
            Err(error) => Err(self.explain_error(&error)),
        }
    }

    /// Puts an empty index in place. One process at a time, and only the first of several that want to.
    fn replace_file(&self, reason: Option<&str>) -> Result<()> {
        self.file.replace(|still| {
            // Somebody else may have been quicker.
            let made = match still {
                SqliteFileState::Another => true,
                SqliteFileState::Unopened => matches!(self.inspect_file()?, IndexFileState::Sound(_)),
                SqliteFileState::Same => false,
            };
            if !made {
                self.replace_file_locked(reason)?;
            }
            self.damaged.store(false, Ordering::Relaxed);
            Ok(())
        })
    }

    fn replace_file_locked(&self, reason: Option<&str>) -> Result<()> {
        self.remove_unfinished();
        let fresh = self.file.folder().join(format!("{UNFINISHED}{}", std::process::id()));
        let fill = |connection: &Connection| {
            schema::create(connection, &self.vault)?;
            if reason.is_some() {
                salvage::salvage_vectors(&self.path(), connection);
            }
            Ok(())
        };
        self.file.make_fresh(&fresh, fill).map_err(|error| self.explain_error(&error))?;
        for left in ["-wal", "-shm", ".seal"] {
            let _ = fs::remove_file(self.file.sibling_path(left));
        }
        fs::rename(&fresh, self.path())
            .map_err(|error| Error::failed(format!("could not create the index: {error}")))?;
        for left in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{left}", fresh.display()));
        }
        *lock(&self.reason) = reason.map(|reason| format!("the index was rebuilt: {reason}"));
        Ok(())
    }

    /// Takes away what processes left that ended while they made an index. Only one is made at a time.
    fn remove_unfinished(&self) {
        for entry in fs::read_dir(self.file.folder()).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// What an error means that was met in using the index. A file that another version has put in place since is not
    /// damaged: made anew by each in turn, it would be of use to nobody. Not for who holds the lock, since the file is
    /// opened for a look.
    fn explain_failure(&self, error: &rusqlite::Error) -> Error {
        let is_of_another =
            || self.file.connect().and_then(|connection| is_of_another_version(&connection)).unwrap_or(false);
        if is_damage(error) && is_of_another() {
            return another_version_error();
        }
        self.explain_error(error)
    }

    fn explain_error(&self, error: &rusqlite::Error) -> Error {
        if is_damage(error) {
            self.damaged.store(true, Ordering::Relaxed);
            return Error::failed(format!("the index is damaged: {error}"))
                .hint("`wellread index --full` rebuilds it");
        }
        self.file.explain_error("the index", error)
    }
}

impl Drop for IndexDatabase {
    /// The last one to leave has everything written into the one file, and seals it.
    fn drop(&mut self) {
        self.file.close_connections();
        let path = self.path();
        if self.file.sibling_path("-wal").exists() || seal::exists(&path) {
            return;
        }
        // Reading the file takes time: nobody is kept out meanwhile.
        if let Ok(seal) = Seal::prepare(&path)
            && let Ok(_turn) = self.file.lock_file(LockMode::Exclusive)
        {
            seal.write(&path);
        }
    }
}

enum IndexFileState {
    Absent,
    Sound(Connection),
    Unsound(String),
}

/// Why a change was not made.
enum WriteFailure {
    Sqlite(rusqlite::Error),
    /// The file is an index of another version of Wellread.
    AnotherVersion,
}

impl From<rusqlite::Error> for WriteFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

fn another_version_error() -> Error {
    Error::failed("another version of Wellread uses this index").hint("restart every Wellread process")
}

/// Whether the file is an index of Wellread, but not one of this version.
fn is_of_another_version(connection: &Connection) -> rusqlite::Result<bool> {
    let (application, version) = read_header(connection)?;
    Ok(application == schema::APPLICATION && version != VERSION)
}

/// The application id and the version in the file's header.
fn read_header(connection: &Connection) -> rusqlite::Result<(i32, i32)> {
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    Ok((number("application_id")?, number("user_version")?))
}

fn configure_connection(connection: &Connection) -> rusqlite::Result<()> {
    // What is lost in a power cut is found again by the next update; a sync for every note would only cost.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    rusqlite::vtab::array::load_module(connection)
}
