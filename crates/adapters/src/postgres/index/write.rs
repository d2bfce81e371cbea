//! Applies changes to the files of a corpus within one transaction.

use std::collections::{HashMap, HashSet};

use wellread_core::domain::corpus::CorpusName;
use wellread_core::ports::{FileStamp, FileState, IndexChange, IndexedFile};

use super::batch::{NewFile, NewRows};
use super::filter::key;
use super::removal::remove_files;
use super::stamps::{FileVersion, SeenRows, find_versions};
use super::state::{find_or_add_corpus, take_numbers};
use super::word_list::FileWords;
use crate::index_format::nanoseconds;
use crate::postgres::failure::PgFailure;
use crate::postgres::session::Session;
use crate::postgres::value::values;

/// Who changes which corpus: `place` is the folder that the files were read from, `version` the new version of the index.
pub struct ChangeOrigin<'a> {
    pub place: &'a str,
    pub version: i64,
}

/// A change with the words of its file, which take time to collect.
pub struct PreparedChange<'a> {
    change: &'a IndexChange,
    words: Option<FileWords>,
}

/// Prepares changes before the index is locked for them.
pub fn prepare(changes: &[IndexChange]) -> Vec<PreparedChange<'_>> {
    changes.iter().map(prepare_change).collect()
}

fn prepare_change(change: &IndexChange) -> PreparedChange<'_> {
    let words = match change {
        IndexChange::Put(file) => Some(FileWords::collect(file)),
        IndexChange::Note { .. } | IndexChange::Seen { .. } | IndexChange::Gone { .. } => None,
    };
    PreparedChange { change, words }
}

pub fn apply(
    session: &Session,
    origin: &ChangeOrigin<'_>,
    corpus: &CorpusName,
    changes: Vec<PreparedChange<'_>>,
) -> Result<(), PgFailure> {
    let (id, mut next_passage) = find_or_add_corpus(session, corpus)?;
    for part in split_at_repeats(changes) {
        let mut writer = Writer {
            session,
            origin,
            next_passage,
            next_file: take_numbers(session, "last_file", part.len())?,
            known: find_versions(session, origin.place, id, &part)?,
            removed: Vec::new(),
            new: NewRows::new(id),
            seen: SeenRows::default(),
        };
        part.into_iter().for_each(|change| writer.add(change));
        next_passage = writer.finish()?;
    }
    let sql = "UPDATE wellread.index_corpora SET next_passage = $3 WHERE space = $1 AND id = $2";
    session.execute(sql, values![id, next_passage]).map(drop)
}

/// Parts in which no file occurs twice, in their order.
fn split_at_repeats(changes: Vec<PreparedChange<'_>>) -> Vec<Vec<PreparedChange<'_>>> {
    let (mut parts, mut seen) = (vec![Vec::new()], HashSet::new());
    for prepared in changes {
        if !seen.insert(prepared.change.path()) {
            seen = HashSet::from([prepared.change.path()]);
            parts.push(Vec::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(prepared);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

struct Writer<'a> {
    session: &'a Session,
    origin: &'a ChangeOrigin<'a>,
    next_passage: i64,
    next_file: i64,
    /// What is stored of the files that are changed, by the keys of their paths.
    known: HashMap<Vec<u8>, FileVersion>,
    removed: Vec<i64>,
    new: NewRows,
    seen: SeenRows,
}

impl PreparedChange<'_> {
    pub fn path(&self) -> &str {
        self.change.path().as_str()
    }
}

impl Writer<'_> {
    fn add(&mut self, PreparedChange { change, words }: PreparedChange<'_>) {
        let known = self.known.get(&key(&[change.path().as_str()]));
        if !change.applies(known.map(|known| known.changed), nanoseconds(change.stamp().changed)) {
            return;
        }
        let known = known.map(|known| (known.id, known.is_own));
        match (change, known) {
            (IndexChange::Put(file), known) => {
                self.removed.extend(known.map(|(id, _)| id));
                self.put(file, words.unwrap_or_else(|| FileWords::collect(file)));
            }
            (IndexChange::Note { path, stamp, state }, known) => {
                self.removed.extend(known.map(|(id, _)| id));
                let row = self.file_row(path.as_str(), stamp, state);
                self.new.add_file(&row);
            }
            (IndexChange::Seen { stamp, .. }, Some((id, is_own))) => self.seen.add(id, is_own, stamp),
            (IndexChange::Gone { .. }, Some((id, _))) => self.removed.push(id),
            (IndexChange::Seen { .. } | IndexChange::Gone { .. }, None) => {}
        }
    }

    fn put(&mut self, file: &IndexedFile, words: FileWords) {
        let state = file.state();
        let row = NewFile {
            language: file.language,
            is_private: file.private,
            passages: file.passages.len() as i64,
            ..self.file_row(file.path.as_str(), &file.stamp, &state)
        };
        self.next_passage += row.passages;
        self.new.add_indexed(&row, file, words);
    }

    fn file_row<'f>(&mut self, path: &'f str, stamp: &FileStamp, state: &'f FileState) -> NewFile<'f> {
        let id = self.next_file;
        self.next_file += 1;
        NewFile {
            id,
            path,
            stamp: *stamp,
            state,
            language: None,
            is_private: false,
            first: self.next_passage,
            passages: 0,
        }
    }

    /// Writes all of it; returns the number of the next passage.
    fn finish(self) -> Result<i64, PgFailure> {
        remove_files(self.session, &self.removed)?;
        self.seen.write(self.session, self.origin.place)?;
        self.new.write(self.session, self.origin)?;
        Ok(self.next_passage)
    }
}
