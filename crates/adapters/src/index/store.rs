//! The file and the connections to it.
//!
//! A writer waits for another; a reader waits for nobody. When another process has put a new file in the old one's
//! place, the next call notices and uses that.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use rustix::fs::{FlockOperation, flock};
use wellread_core::{Error, Result};

use super::{salvage, schema, seal};

/// As long as a writer waits for others. Their changes are short.
const PATIENCE: Duration = Duration::from_secs(60);

/// How the file is called until it is in its place, before the number of the process.
const UNFINISHED: &str = "index.db.new-";

#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    vault: String,
    /// Which file the connections are to, by its number.
    inode: Mutex<u64>,
    writer: Mutex<Option<Connection>>,
    readers: Mutex<Vec<Connection>>,
    damaged: AtomicBool,
    wrote: AtomicBool,
    reason: Mutex<Option<String>>,
}

/// Whether there is an index in this folder at all.
pub fn exists(folder: &Path) -> bool {
    folder.join("index.db").exists()
}

impl Store {
    pub fn open(folder: &Path, vault: &str) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|error| {
            Error::failed(format!("could not make the data folder `{}`: {error}", folder.display()))
        })?;
        let store = Self {
            folder: folder.to_owned(),
            vault: vault.to_owned(),
            inode: Mutex::default(),
            writer: Mutex::default(),
            readers: Mutex::default(),
            damaged: AtomicBool::default(),
            wrote: AtomicBool::default(),
            reason: Mutex::default(),
        };
        let looked = {
            let _turn = store.turn(FlockOperation::LockShared);
            let looked = store.soundness()?;
            if matches!(looked, Soundness::Sound(_)) {
                *lock(&store.inode) = store.number();
            }
            looked
        };
        match looked {
            Soundness::Sound(connection) => lock(&store.readers).push(connection),
            Soundness::Absent => store.make(None)?,
            Soundness::Unsound(reason) => store.make(Some(&reason))?,
        }
        Ok(store)
    }

    pub fn read<T>(&self, act: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let inode = self.follow_file();
        let kept = lock(&self.readers).pop();
        let connection = kept.map_or_else(|| self.connect(), Ok).map_err(|error| self.told(&error))?;
        let answer = act(&connection);
        if answer.is_ok() && *lock(&self.inode) == inode {
            lock(&self.readers).push(connection);
        }
        answer.map_err(|error| self.told(&error))
    }

    pub fn write<T>(&self, act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T> {
        self.follow_file();
        let mut writer = lock(&self.writer);
        let change = || {
            if writer.is_none() {
                let connection = self.connect()?;
                // New rows go to pages all over the file: with fewer of them at hand, a large index is slow to fill.
                connection.pragma_update(None, "cache_size", -32_000)?;
                *writer = Some(connection);
            }
            let Some(connection) = writer.as_mut() else { return Err(rusqlite::Error::InvalidQuery) };
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let answer = act(&transaction)?;
            transaction.execute("UPDATE meta SET value = value + 1 WHERE name = 'version'", [])?;
            transaction.commit()?;
            Ok(answer)
        };
        self.wrote.store(true, Ordering::Relaxed);
        change().map_err(|error| self.told(&error))
    }

    pub fn take_reason(&self) -> Option<String> {
        lock(&self.reason).take()
    }

    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    pub fn begin_anew(&self, reason: &str) -> Result<()> {
        self.make(Some(reason))
    }

    /// The size of the file and what belongs to it.
    pub fn bytes(&self) -> u64 {
        let size = |path: PathBuf| fs::metadata(path).map_or(0, |data| data.len());
        size(self.path()) + size(self.beside("-wal"))
    }

    pub fn examine(&self) -> Result<()> {
        let verdict = match seal::compare(&self.path()) {
            seal::Compared::Same => return Ok(()),
            seal::Compared::Differs => Some("its content is not what was written".to_owned()),
            // It was not closed, or is open elsewhere: only its structure can be looked at.
            seal::Compared::Unsealed => match self.checked() {
                Ok(answer) => (answer != "ok").then_some(answer),
                Err(error) if is_damage(&error) => Some(error.to_string()),
                Err(error) => return Err(self.told(&error)),
            },
        };
        match verdict {
            Some(reason) => self.make(Some(&format!("it is damaged: {reason}"))),
            None => Ok(()),
        }
    }

    /// What SQLite says of the file's structure. By a connection of its own: one that has been used remembers which
    /// pieces the words were in, and takes for damage what another has changed since.
    fn checked(&self) -> rusqlite::Result<String> {
        self.connect()?.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
    }

    fn path(&self) -> PathBuf {
        self.folder.join("index.db")
    }

    fn beside(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("index.db{ending}"))
    }

    fn number(&self) -> u64 {
        fs::metadata(self.path()).map_or(0, |data| data.ino())
    }

    /// Lets go of a file that is not the index any more. The number of the one that is.
    fn follow_file(&self) -> u64 {
        let now = self.number();
        {
            let mut known = lock(&self.inode);
            if now == 0 || *known == now {
                return *known;
            }
            *known = now;
            lock(&self.readers).clear();
        }
        lock(&self.writer).take();
        now
    }

    /// A turn at the file: several may open it at once, and nobody while another is put in its place. Whoever opened the
    /// old file and the new one's log would read neither.
    fn turn(&self, how: FlockOperation) -> std::io::Result<File> {
        let path = self.folder.join("index.lock");
        let guard = File::options().create(true).truncate(false).write(true).open(path)?;
        flock(&guard, how)?;
        Ok(guard)
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        let _turn = self.turn(FlockOperation::LockShared);
        self.connect_in_turn()
    }

    fn connect_in_turn(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(self.path(), flags)?;
        set_up(&connection)?;
        Ok(connection)
    }

    fn soundness(&self) -> Result<Soundness> {
        let unsound = |reason: &str| Ok(Soundness::Unsound(reason.to_owned()));
        match fs::metadata(self.path()) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Soundness::Absent),
            Err(error) => return Err(Error::failed(format!("could not open the index: {error}"))),
            Ok(_) if seal::is_shorter(&self.path()) => {
                return unsound("it is damaged: a part of it is missing");
            }
            Ok(data) if data.len() == 0 && !self.beside("-wal").exists() => return Ok(Soundness::Absent),
            Ok(_) => {}
        }
        let looked = self.connect_in_turn().and_then(|connection| {
            let number =
                |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
            let (application, version) = (number("application_id")?, number("user_version")?);
            if application != schema::APPLICATION {
                return Ok(Err("it is no index of Wellread"));
            }
            if version != schema::VERSION {
                return Ok(Err("it was made by another version"));
            }
            let vault: String =
                connection.query_row("SELECT value FROM meta WHERE name = 'vault'", [], |row| row.get(0))?;
            Ok(if vault == self.vault { Ok(connection) } else { Err("it is another vault's") })
        });
        match looked {
            Ok(Ok(connection)) => Ok(Soundness::Sound(connection)),
            Ok(Err(reason)) => unsound(reason),
            Err(error) if is_damage(&error) => unsound(&format!("it is damaged: {error}")),
            Err(error) => Err(self.told(&error)),
        }
    }

    /// Puts an empty index in place. One process at a time, and only the first of several that want to.
    fn make(&self, reason: Option<&str>) -> Result<()> {
        let trouble = |error: std::io::Error| Error::failed(format!("could not make the index: {error}"));
        // In this order: who writes has its connection in hand when it waits for its turn.
        let mut writer = lock(&self.writer);
        let _turn = self.turn(FlockOperation::LockExclusive).map_err(trouble)?;
        let before = *lock(&self.inode);
        lock(&self.readers).clear();
        writer.take();
        if self.number() != before && self.number() != 0 && before != 0 {
            // Somebody else was quicker.
            self.damaged.store(false, Ordering::Relaxed);
            *lock(&self.inode) = self.number();
            return Ok(());
        }
        if before == 0 && matches!(self.soundness()?, Soundness::Sound(_)) {
            *lock(&self.inode) = self.number();
            return Ok(());
        }
        self.remove_unfinished();
        let fresh = self.folder.join(format!("{UNFINISHED}{}", std::process::id()));
        let made = Connection::open(&fresh).and_then(|connection| {
            set_up(&connection)?;
            schema::create(&connection, &self.vault)?;
            if reason.is_some() {
                salvage::vectors(&self.path(), &connection);
            }
            connection.close().map_err(|(_, error)| error)
        });
        made.map_err(|error| self.told(&error))?;
        for left in ["-wal", "-shm", ".seal"] {
            let _ = fs::remove_file(self.beside(left));
        }
        fs::rename(&fresh, self.path()).map_err(trouble)?;
        for left in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{left}", fresh.display()));
        }
        *lock(&self.inode) = self.number();
        *lock(&self.reason) = reason.map(|reason| format!("the index was made anew: {reason}"));
        self.damaged.store(false, Ordering::Relaxed);
        self.wrote.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Takes away what processes left that ended while they made an index. Only one is made at a time.
    fn remove_unfinished(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn told(&self, error: &rusqlite::Error) -> Error {
        if is_damage(error) {
            self.damaged.store(true, Ordering::Relaxed);
            return Error::failed(format!("the index is damaged: {error}"))
                .hint("`wellread index --full` makes it anew");
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Error::failed("the index could not be written: the disk is full"),
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => Error::failed(
                format!("the index in `{}` can't be written: {error}", self.folder.display()),
            )
            .hint(
                "check the folder's permissions, or choose another with `wellread config set data.path DIR`",
            ),
            _ => Error::failed(format!("the index: {error}")),
        }
    }
}

impl Drop for Store {
    /// The last one to leave has everything written into the one file, and seals it.
    fn drop(&mut self) {
        lock(&self.readers).clear();
        lock(&self.writer).take();
        if !self.beside("-wal").exists()
            && (self.wrote.load(Ordering::Relaxed) || !seal::exists(&self.path()))
        {
            seal::put(&self.path());
        }
    }
}

enum Soundness {
    Absent,
    Sound(Connection),
    Unsound(String),
}

fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // What is lost in a power cut is found again by the next update; a sync for every note would only cost.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cache_size", -8000)?;
    connection.set_prepared_statement_cache_capacity(64);
    rusqlite::vtab::array::load_module(connection)
}

/// Whether such an error can only come from a file that is not as it was made. Every statement is ours, and fits the
/// tables: one that fails by itself has met others.
fn is_damage(error: &rusqlite::Error) -> bool {
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
