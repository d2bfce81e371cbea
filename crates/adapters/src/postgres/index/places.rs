//! The places from which an index is updated: folders on any machine, each known by an id in its data folder.
//!
//! A corpus that no place has any more is removed from the index. A place that was not heard of for a month does not count.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use wellread_core::domain::corpus::CorpusName;
use wellread_core::domain::id::RunId;
use wellread_core::{Error, Result};

use super::removal::{has_many_unused_vectors, remove_corpus, remove_unused_vectors};
use super::state;
use crate::index_format::stored_name;
use crate::postgres::failure::PgFailure;
use crate::postgres::session::Session;
use crate::postgres::value::{RowColumns as _, values};

/// The file with the id of a place.
const FILE_NAME: &str = "index-place";
/// How often another process is waited for that is writing it.
const ATTEMPTS: usize = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// The id of this place: made once, and kept in the data folder.
#[derive(Debug)]
pub struct Place {
    folder: PathBuf,
    id: OnceLock<String>,
}

impl Place {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, id: OnceLock::new() }
    }

    pub fn id(&self) -> Result<&str> {
        if self.id.get().is_none() {
            let id = self.read_or_make().map_err(|error| {
                let path = self.folder.join(FILE_NAME);
                Error::failed(format!("could not read or write `{}`: {error}", path.display()))
            })?;
            let _ = self.id.set(id);
        }
        Ok(self.id.get().map_or("", String::as_str))
    }

    fn read_or_make(&self) -> std::io::Result<String> {
        let path = self.folder.join(FILE_NAME);
        for _ in 0..ATTEMPTS {
            match fs::read_to_string(&path) {
                Ok(text) if !text.trim().is_empty() => return Ok(text.trim().chars().take(100).collect()),
                Ok(_) => thread::sleep(PAUSE),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    fs::create_dir_all(&self.folder)?;
                    match fs::File::create_new(&path) {
                        Ok(mut file) => writeln!(file, "{}", RunId::fresh())?,
                        // Another process makes it.
                        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                        Err(error) => return Err(error),
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Err(std::io::Error::other("it is empty; remove it"))
    }
}

/// The corpora of the index that no place has, where this one has those with these names.
fn find_unlisted_corpora(session: &Session, place: &str, names: &[String]) -> Result<Vec<i64>, PgFailure> {
    let sql = "SELECT id FROM wellread.index_corpora AS corpora WHERE space = $1 AND name <> ALL($3) AND NOT EXISTS \
               (SELECT 1 FROM wellread.index_places WHERE space = $1 AND place <> $2 \
               AND seen > now() - interval '30 days' AND corpora.name = ANY(index_places.corpora))";
    session.query(sql, values![place, names.to_vec()])?.iter().map(|row| row.number(0)).collect()
}

/// Whether there is nothing to tidy.
pub fn is_tidy(
    session: &Session,
    place: &str,
    corpora: &[CorpusName],
    rules: u64,
) -> Result<bool, PgFailure> {
    let names: Vec<String> = corpora.iter().map(stored_name).collect();
    let Some(state) = state::read(session)?.map(|row| row.index_state()).transpose()? else {
        return Ok(false);
    };
    let sql = "SELECT 1 FROM wellread.index_places WHERE space = $1 AND place = $2 AND corpora = $3 \
               AND seen > now() - interval '1 day'";
    Ok(state.complete
        && state.rules == rules
        && session.find(sql, values![place, names.clone()])?.is_some()
        && find_unlisted_corpora(session, place, &names)?.is_empty()
        && !has_many_unused_vectors(session)?)
}

pub fn tidy(session: &Session, place: &str, corpora: &[CorpusName], rules: u64) -> Result<(), PgFailure> {
    let names: Vec<String> = corpora.iter().map(stored_name).collect();
    let sql = "UPDATE wellread.index_state SET complete = 1, rules = $2 WHERE space = $1";
    session.execute(sql, values![rules.cast_signed()])?;
    let sql = "INSERT INTO wellread.index_places (space, place, corpora) VALUES ($1, $2, $3) \
               ON CONFLICT (space, place) DO UPDATE SET seen = now(), corpora = excluded.corpora";
    session.execute(sql, values![place, names.clone()])?;
    let sql = "DELETE FROM wellread.index_places WHERE space = $1 AND seen < now() - interval '30 days'";
    session.execute(sql, vec![])?;
    for corpus in find_unlisted_corpora(session, place, &names)? {
        remove_corpus(session, corpus)?;
    }
    if has_many_unused_vectors(session)? {
        remove_unused_vectors(session)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_keeps_its_id() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let first = Place::new(data.clone());
        let id = first.id().unwrap().to_owned();
        assert!(!id.is_empty());
        assert_eq!(Place::new(data.clone()).id().unwrap(), id);
        assert_ne!(Place::new(folder.path().join("other")).id().unwrap(), id);
        fs::write(data.join(FILE_NAME), "").unwrap();
        let error = Place::new(data).id().unwrap_err();
        assert!(error.message().contains(FILE_NAME), "{error}");
    }
}
