//! The index in a PostgreSQL database with pgvector, which processes on several machines share.
//!
//! The same ports as the SQLite file of [`crate::index`] fulfills, and the same ranking (`index_format`). All of it is made
//! from the files, and can be made anew. See `docs/decisions/0035-index-in-postgresql.md`.
//!
//! | file | what |
//! | --- | --- |
//! | `schema` `tables.sql` | the tables, and how a database comes to them |
//! | `state` `places` `stamps` | the version of an index, who updates it, and what each knows of the files |
//! | `write` `batch` `removal` | changes, each all or nothing |
//! | `lookup` `filter` | reading files and passages |
//! | `query` `matching` `word_list` | finding passages by words |
//! | `vectors` `nearest` | finding them by meaning |
//! | `symbols` | what code defines and uses |

mod batch;
mod filter;
mod lookup;
mod matching;
mod nearest;
mod places;
mod ports;
mod query;
mod removal;
pub mod schema;
mod stamps;
mod state;
mod symbols;
mod vectors;
mod word_list;
mod write;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tokio_postgres::error::SqlState;
use wellread_core::ports::{EmbeddingModel, PassageScope};
use wellread_core::{Error, ErrorKind, Result};

use self::places::Place;
use self::state::Fitness;
use super::database::Database;
use super::failure::PgFailure;
use super::session::Session;
use super::{DatabaseOptions, PostgresRecords};
use crate::index_format::structure_cache::StructureCache;
use crate::sqlite::lock;

/// The index of one space of a database. Threads, processes and machines may share it.
#[derive(Debug)]
pub struct PostgresIndex {
    database: Arc<Database>,
    place: Place,
    structures: StructureCache,
    /// How many texts have a vector, cached by version and model: counting takes as long as a search.
    counted: Mutex<Option<CountedTexts>>,
    damaged: AtomicBool,
    notice: Mutex<Option<String>>,
    most_compared: usize,
}

/// The version, the model, and how many of how many texts have a vector.
type CountedTexts = ((u64, EmbeddingModel, PassageScope), (usize, usize));

/// What damage is called, so that it is known again.
const DAMAGE: &str = "the index is damaged: ";

/// The failure for what is not what was written.
fn damaged_error(what: &str) -> PgFailure {
    Error::failed(format!("{DAMAGE}{what} can't be read")).hint("`wellread index --full` rebuilds it").into()
}

impl PostgresRecords {
    /// The index of the same space, over the same connections. `data` is a folder of this machine, which keeps the id of the
    /// place that the files are read from.
    pub fn open_index(&self, data: &Path) -> PostgresIndex {
        PostgresIndex::with_database(self.database.clone(), data)
    }
}

impl PostgresIndex {
    /// The index in this database. Nothing is connected before it is used.
    pub fn new(options: DatabaseOptions, data: &Path) -> Self {
        PostgresRecords::new(options).open_index(data)
    }

    fn with_database(database: Arc<Database>, data: &Path) -> Self {
        Self {
            database,
            place: Place::new(data.to_owned()),
            structures: StructureCache::default(),
            counted: Mutex::default(),
            damaged: AtomicBool::default(),
            notice: Mutex::default(),
            most_compared: nearest::MOST_COMPARED,
        }
    }

    /// The same, with another number of vectors up to which all are compared one by one. Where there are more, a graph
    /// proposes the nearest.
    #[must_use]
    pub fn compare_at_most(self, most_compared: usize) -> Self {
        Self { most_compared, ..self }
    }

    fn read<T>(&self, act: impl Fn(&Session) -> Result<T, PgFailure>) -> Result<T> {
        self.explain(self.database.read(|session| self.name_missing_tables(act(session))))
    }

    fn read_snapshot<T>(&self, act: impl FnOnce(&Session) -> Result<T, PgFailure>) -> Result<T> {
        self.explain(self.database.read_snapshot(|session| self.name_missing_tables(act(session))))
    }

    /// Says what is missing where there are no tables.
    fn name_missing_tables<T>(&self, outcome: Result<T, PgFailure>) -> Result<T, PgFailure> {
        match outcome {
            Err(failure) if failure.has_code(&SqlState::UNDEFINED_TABLE) => {
                Err(schema::not_migrated_error(&self.database.place(), None).into())
            }
            done => done,
        }
    }

    /// Changes the index in one transaction; `act` is given the new version.
    fn write<T>(&self, act: impl FnOnce(&Session, i64) -> Result<T, PgFailure>) -> Result<T> {
        self.make_usable()?;
        self.explain(self.database.write(|session| {
            let version = state::begin_change(session)?;
            act(session, version)
        }))
    }

    /// Clears an index that an earlier version made, or that somebody began to clear.
    fn make_usable(&self) -> Result<()> {
        let place = self.database.place();
        let fitness = self.read(|session| {
            schema::check_version(session, &place)?;
            state::read(session)?.map_or(Ok(Fitness::Usable), |row| row.fitness())
        })?;
        match fitness {
            Fitness::Usable => Ok(()),
            Fitness::Outdated => self.clear("it was made by another version"),
        }
    }

    /// Empties the index, some files at a time, and keeps the vectors.
    fn clear(&self, reason: &str) -> Result<()> {
        self.explain(self.database.write(removal::begin_clearing))?;
        while self.explain(self.database.write(removal::clear_some))? {}
        *lock(&self.notice) = Some(format!("the index was rebuilt: {reason}"));
        self.damaged.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// The same error, in what it means for a search; damage is noted.
    fn explain<T>(&self, outcome: Result<T>) -> Result<T> {
        outcome.map_err(|error| {
            if error.message().starts_with(DAMAGE) {
                self.damaged.store(true, Ordering::Relaxed);
            }
            if error.kind() != ErrorKind::Unavailable || !error.message().contains("can't be reached") {
                return error;
            }
            Error::new(ErrorKind::Unavailable, error.message()).hint(
                "the index is in the database: searches wait for it, while reading and editing notes goes on. \
                 `wellread db check` tries again",
            )
        })
    }
}
