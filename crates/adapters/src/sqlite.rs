//! One SQLite file shared by threads and processes: connections, waiting for locks, and what its errors mean.
//!
//! A writer waits for another; a reader waits for nobody. When another process has put a new file in the old one's
//! place, the next call notices and uses that. What is in the file, and when it counts as unsound, is for its owner to say.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use wellread_core::Error;

use crate::file_lock::{LockMode, lock_file};
use crate::{full_disk, platform};

/// As long as a writer waits for others. Their changes are short.
const PATIENCE: Duration = Duration::from_secs(60);

/// What each connection is told when it is opened.
pub type ConnectionSetup = fn(&Connection) -> rusqlite::Result<()>;

#[derive(Debug)]
pub struct SqliteFile {
    folder: PathBuf,
    /// Without `.db`.
    name: &'static str,
    set_up: ConnectionSetup,
    /// Which file was there when it was last looked at, by its number.
    inode: Mutex<u64>,
    writer: Mutex<Option<OpenConnection>>,
    readers: Mutex<Vec<OpenConnection>>,
}

/// A connection, and the number of the file that it is to. As long as it is open no other file gets that number: one that
/// has it is the same file.
#[derive(Debug)]
struct OpenConnection {
    connection: Connection,
    inode: u64,
}

impl SqliteFile {
    /// `<name>.db` in this folder. Nothing is opened yet.
    pub fn new(folder: &Path, name: &'static str, set_up: ConnectionSetup) -> Self {
        Self {
            folder: folder.to_owned(),
            name,
            set_up,
            inode: Mutex::default(),
            writer: Mutex::default(),
            readers: Mutex::default(),
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn path(&self) -> PathBuf {
        self.sibling_path("")
    }

    /// The file whose name goes on like this.
    pub fn sibling_path(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.db{ending}", self.name))
    }

    /// The size of the file and what belongs to it.
    pub fn bytes(&self) -> u64 {
        let size = |path: PathBuf| fs::metadata(path).map_or(0, |data| data.len());
        size(self.path()) + size(self.sibling_path("-wal"))
    }

    pub fn make_folder(&self) -> Result<(), Error> {
        fs::create_dir_all(&self.folder).map_err(|error| {
            full_disk::explain_data_error(&error, "it could not be created", &self.folder, || {
                Error::failed(format!(
                    "could not create the data folder `{}`: {error}",
                    self.folder.display()
                ))
            })
        })
    }

    pub fn read<T>(&self, act: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        let now = self.refresh_inode();
        let kept = {
            let mut readers = lock(&self.readers);
            readers.retain(|opened| opened.is_for_inode(now));
            readers.pop()
        };
        let opened = kept.map_or_else(|| self.open(), Ok)?;
        let answer = act(&opened.connection);
        if answer.is_ok() && opened.is_for_inode(self.current_inode()) {
            lock(&self.readers).push(opened);
        }
        answer
    }

    /// Does this in a transaction that is made as a whole or, where it fails, not at all.
    pub fn write<T, E: From<rusqlite::Error>>(
        &self,
        act: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut writer = lock(&self.writer);
        let now = self.refresh_inode();
        if writer.as_ref().is_some_and(|opened| !opened.is_for_inode(now)) {
            writer.take();
        }
        if writer.is_none() {
            let opened = self.open()?;
            // New rows go to pages all over the file: with fewer of them at hand, a large one is slow to fill.
            opened.connection.pragma_update(None, "cache_size", -32_000)?;
            *writer = Some(opened);
        }
        let Some(opened) = writer.as_mut() else { return Err(rusqlite::Error::InvalidQuery.into()) };
        let transaction = opened.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let answer = act(&transaction)?;
        transaction.commit()?;
        Ok(answer)
    }

    /// A connection to the file that is there: nobody puts another in its place while it is opened.
    fn open(&self) -> rusqlite::Result<OpenConnection> {
        let _turn = self.lock_file(LockMode::Shared);
        Ok(OpenConnection { connection: self.connect_locked()?, inode: self.current_inode() })
    }

    /// Rewrites the file without what was deleted, and empties its log.
    pub fn compact(&self) -> rusqlite::Result<()> {
        let connection = self.connect()?;
        connection.execute_batch("VACUUM")?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    }

    /// A connection of its own.
    pub fn connect(&self) -> rusqlite::Result<Connection> {
        let _turn = self.lock_file(LockMode::Shared);
        self.connect_locked()
    }

    /// Opens a connection for a caller that holds the lock already.
    pub fn connect_locked(&self) -> rusqlite::Result<Connection> {
        let connection = self.connect_bare()?;
        configure_connection(&connection, self.set_up)?;
        Ok(connection)
    }

    /// A connection that has changed nothing about the file, not even how it is written.
    pub fn connect_bare(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(self.path(), flags)?;
        connection.busy_timeout(PATIENCE)?;
        Ok(connection)
    }

    /// A turn at the file: several may open it at once, and nobody while another is put in its place. Whoever opened the
    /// old file and the new one's log would read neither.
    pub fn lock_file(&self, how: LockMode) -> io::Result<File> {
        let path = self.folder.join(format!("{}.lock", self.name));
        let guard = File::options().create(true).truncate(false).write(true).open(path)?;
        lock_file(&guard, how)?;
        Ok(guard)
    }

    /// Counts the file that is there now as the one that the connections are to, and keeps this one for reading.
    pub fn adopt(&self, connection: Option<Connection>) {
        let inode = self.refresh_inode();
        lock(&self.readers).extend(connection.map(|connection| OpenConnection { connection, inode }));
    }

    /// Does this while nobody else has a turn, and with every connection of this process let go. It is told whether the
    /// file is still the one that they were to: another process may have been quicker.
    pub fn replace<T>(&self, act: impl FnOnce(SqliteFileState) -> Result<T, Error>) -> Result<T, Error> {
        // In this order: who writes has its connection in hand when it waits for its turn.
        let mut writer = lock(&self.writer);
        let _turn = self
            .lock_file(LockMode::Exclusive)
            .map_err(|error| Error::failed(format!("could not lock `{}`: {error}", self.path().display())))?;
        let (before, now) = (*lock(&self.inode), self.current_inode());
        self.close_readers();
        writer.take();
        let answer = act(match before {
            0 => SqliteFileState::Unopened,
            _ if now != before && now != 0 => SqliteFileState::Another,
            _ => SqliteFileState::Same,
        })?;
        self.adopt(None);
        Ok(answer)
    }

    /// Makes a file of this name beside it that its owner fills and then puts in its place.
    pub fn make_fresh(
        &self,
        file: &Path,
        fill: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let connection = Connection::open(file)?;
        configure_connection(&connection, self.set_up)?;
        fill(&connection)?;
        connection.close().map_err(|(_, error)| error)
    }

    pub fn close_connections(&self) {
        self.close_readers();
        lock(&self.writer).take();
    }

    fn close_readers(&self) {
        lock(&self.readers).clear();
    }

    fn current_inode(&self) -> u64 {
        platform::facts_at(&self.path()).map_or(0, |file| file.number)
    }

    /// The number of the file that is there, which is remembered.
    fn refresh_inode(&self) -> u64 {
        let now = self.current_inode();
        if now != 0 {
            *lock(&self.inode) = now;
        }
        now
    }

    /// What an error that is no damage means to people. `what` is how the file is called.
    pub fn explain_error(&self, what: &str, error: &rusqlite::Error) -> Error {
        match error.sqlite_error_code() {
            // SQLite does not name a full disk where it needs a file besides the one that it writes to.
            Some(code)
                if code == ErrorCode::DiskFull
                    || matches!(code, ErrorCode::SystemIoFailure | ErrorCode::CannotOpen)
                        && full_disk::has_no_room(&self.folder) =>
            {
                full_disk::data_folder_error(&format!("{what} could not be written"), &self.folder)
            }
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => Error::failed(
                format!("{what} in `{}` can't be written: {error}", self.folder.display()),
            )
            .hint(
                "check the folder's permissions, or choose another with `wellread config set data.path DIR`",
            ),
            _ => Error::failed(format!("{what}: {error}")),
        }
    }
}

impl OpenConnection {
    /// Where there is no file at all, what is open is all there is.
    fn is_for_inode(&self, inode: u64) -> bool {
        inode == 0 || self.inode == inode
    }
}

/// What became of the file until it was one's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqliteFileState {
    /// This process had not opened it.
    Unopened,
    Same,
    /// Somebody else has put another in its place.
    Another,
}

fn configure_connection(connection: &Connection, owner: ConnectionSetup) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cache_size", -8000)?;
    connection.set_prepared_statement_cache_capacity(64);
    owner(connection)
}

/// Whether such an error can only come from a file that is not as it was made. Every statement is ours, and fits the
/// tables: one that fails by itself has met others. So statements about tables that come and go have to read from the
/// snapshot in which these were found.
pub fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error;
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::ConstraintViolation
                | ErrorCode::TypeMismatch
        )
    ) || error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_ERROR)
        || matches!(
            error,
            Error::InvalidColumnType(..)
                | Error::FromSqlConversionFailure(..)
                | Error::IntegralValueOutOfRange(..)
                | Error::QueryReturnedNoRows
        )
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
