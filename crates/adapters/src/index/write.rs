//! Applies changes to the index within one transaction.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde_json::Value;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{FileStamp, FileState, IndexChange, IndexedFile, Structure};
use wellread_text::link_key;

use super::frequent_words;
use super::schema::{
    PRIVATE_NAMES, PRIVATE_WORDS, create_name_table, create_word_table, name_table, word_table,
};
use crate::index_format::structures::pack_structure;
use crate::index_format::{
    CORPUS_SHIFT, FILE_INDEXED, FILE_NAMED, FILE_SKIPPED, MARK_FIELD, MARK_LINK, MARK_NAME, MARK_TAG,
    MARK_TITLE, MARK_USE, MARK_VALUE, MOST_UNUSED, SEPARATOR, kind_number, nanoseconds, stored_name,
};

pub fn apply(
    transaction: &Transaction<'_>,
    corpus: &CorpusName,
    changes: &[IndexChange],
) -> rusqlite::Result<()> {
    let name = stored_name(corpus);
    let added = transaction.execute("INSERT OR IGNORE INTO corpora (name) VALUES (?1)", [&name])?;
    let (id, next): (i64, i64) =
        transaction.query_row("SELECT id, next_passage FROM corpora WHERE name = ?1", [&name], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    if added > 0 {
        create_word_table(transaction, &word_table(id))?;
        create_name_table(transaction, &name_table(id))?;
    }
    let mut writer = Writer { transaction, corpus: id, next };
    for change in changes {
        let known = writer.find_file_row(change.path())?;
        if !change.applies(known.as_ref().map(|known| known.changed), nanoseconds(change.stamp().changed)) {
            continue;
        }
        match (change, known) {
            (IndexChange::Put(file), known) => writer.put(file, known)?,
            (IndexChange::Note { path, stamp, state }, known) => {
                writer.write_file_row(known, path, stamp, state, None, 0).map(drop)?;
            }
            (IndexChange::Seen { stamp, .. }, Some(known)) => writer.update_stamp(&known, stamp)?,
            (IndexChange::Gone { .. }, Some(known)) => writer.remove_file(&known)?,
            (IndexChange::Seen { .. } | IndexChange::Gone { .. }, None) => {}
        }
    }
    transaction.execute("UPDATE corpora SET next_passage = ?1 WHERE id = ?2", [writer.next, id]).map(|_| ())
}

struct Writer<'a> {
    transaction: &'a Transaction<'a>,
    corpus: i64,
    next: i64,
}

/// A file's row before a change.
struct FileRow {
    id: i64,
    changed: i64,
    first: i64,
    passages: i64,
}

impl Writer<'_> {
    fn find_file_row(&self, path: &VaultPath) -> rusqlite::Result<Option<FileRow>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT id, changed, first_passage, passages FROM files WHERE corpus = ?1 AND path = ?2",
        )?;
        let row = statement.query_row(params![self.corpus, path.as_str()], |row| {
            Ok(FileRow { id: row.get(0)?, changed: row.get(1)?, first: row.get(2)?, passages: row.get(3)? })
        });
        row.optional()
    }

    fn put(&mut self, file: &IndexedFile, known: Option<FileRow>) -> rusqlite::Result<()> {
        let (state, passages) = (file.state(), file.passages.len());
        let id = self.write_file_row(known, &file.path, &file.stamp, &state, file.language, passages)?;
        self.transaction
            .prepare_cached("UPDATE files SET private = ?2 WHERE id = ?1")?
            .execute(params![id, file.private])?;
        self.write_passages(id, file)?;
        self.write_names(id, file)?;
        self.write_marks(id, file)?;
        match &file.structure {
            Some(structure) => self.write_structure(id, structure),
            None => Ok(()),
        }
    }

    fn write_structure(&self, file: i64, structure: &Structure) -> rusqlite::Result<()> {
        let mut symbol =
            self.transaction.prepare_cached("INSERT INTO symbols VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
        for (at, found) in structure.definitions.iter().enumerate() {
            let (first, last) = found.lines;
            symbol.execute(params![file, at, found.name, found.qualified, found.kind.name(), first, last])?;
        }
        let mut mark =
            self.transaction.prepare_cached("INSERT OR IGNORE INTO marks VALUES (?1, ?2, ?3, ?4)")?;
        for name in structure.names() {
            mark.execute(params![MARK_USE, "", name, file])?;
        }
        let mut whole = self.transaction.prepare_cached("INSERT INTO structures VALUES (?1, ?2)")?;
        whole.execute(params![file, pack_structure(structure)]).map(|_| ())
    }

    /// Writes a file's row, removes everything else that was stored for it, and returns its id.
    fn write_file_row(
        &mut self,
        before: Option<FileRow>,
        path: &VaultPath,
        stamp: &FileStamp,
        state: &FileState,
        language: Option<&str>,
        passages: usize,
    ) -> rusqlite::Result<i64> {
        if let Some(before) = &before {
            self.clear(before)?;
        }
        let (number, reason, hash) = match state {
            FileState::Indexed { hash } => (FILE_INDEXED, None, Some(hash.as_bytes().as_slice())),
            FileState::Named => (FILE_NAMED, None, None),
            FileState::Skipped(reason) => (FILE_SKIPPED, Some(reason), None),
        };
        let first = (self.corpus << CORPUS_SHIFT) + self.next;
        self.next += passages as i64;
        // Two statements, since a REPLACE makes SQLite flush all new words before each file.
        let sql = match before {
            Some(_) => {
                "UPDATE files SET corpus = ?2, path = ?3, state = ?4, reason = ?5, hash = ?6, size = ?7, modified = ?8, \
                 changed = ?9, number = ?10, settled = ?11, language = ?12, first_passage = ?13, passages = ?14, \
                 private = 0 WHERE id = ?1"
            }
            None => {
                "INSERT INTO files (id, corpus, path, state, reason, hash, size, modified, changed, number, settled, \
                 language, first_passage, passages) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
            }
        };
        let known = before.map(|before| before.id);
        self.transaction.prepare_cached(sql)?.execute(params![
            known,
            self.corpus,
            path.as_str(),
            number,
            reason,
            hash,
            stamp.size as i64,
            nanoseconds(stamp.modified),
            nanoseconds(stamp.changed),
            stamp.number as i64,
            stamp.settled,
            language,
            first,
            passages as i64
        ])?;
        let id = known.unwrap_or_else(|| self.transaction.last_insert_rowid());
        // Marked even if it was skipped: a link can mean any file.
        self.transaction
            .prepare_cached("INSERT OR IGNORE INTO marks VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![MARK_NAME, "", link_key(path.as_str()), id])?;
        Ok(id)
    }

    fn write_passages(&self, file: i64, indexed: &IndexedFile) -> rusqlite::Result<()> {
        let mut passage = self
            .transaction
            .prepare_cached("INSERT INTO passages VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?;
        let table = if indexed.private { PRIVATE_WORDS.to_owned() } else { word_table(self.corpus) };
        let mut words = self.transaction.prepare_cached(&format!(
            "INSERT INTO {table} (rowid, title, heading, folders, body, parts) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        ))?;
        let first = (self.corpus << CORPUS_SHIFT) + self.next - indexed.passages.len() as i64;
        for (id, found) in (first..).zip(&indexed.passages) {
            let chunk = &found.chunk;
            passage.execute(params![
                id,
                file,
                kind_number(chunk.kind),
                chunk.span.start,
                chunk.span.end,
                chunk.lines.0,
                chunk.lines.1,
                chunk.context.join(SEPARATOR.encode_utf8(&mut [0; 4])),
                found.text.0.as_slice()
            ])?;
            words.execute(params![
                id,
                indexed.title,
                found.heading,
                indexed.folders,
                found.words,
                found.parts
            ])?;
        }
        Ok(())
    }

    fn write_names(&self, file: i64, indexed: &IndexedFile) -> rusqlite::Result<()> {
        let table = if indexed.private { PRIVATE_NAMES.to_owned() } else { name_table(self.corpus) };
        let headings = indexed.passages.iter().flat_map(|passage| passage.heading.split(' '));
        // The title is a field of passages: a file without any has no words.
        let titles = indexed.title.split(' ').filter(|_| !indexed.passages.is_empty());
        let names: BTreeSet<&str> = titles.chain(headings).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = names.into_iter().collect();
        self.transaction
            .prepare_cached(&format!("INSERT INTO {table} (rowid, names) VALUES (?1, ?2)"))?
            .execute(params![file, names.join(" ")])
            .map(drop)
    }

    fn write_marks(&self, file: i64, indexed: &IndexedFile) -> rusqlite::Result<()> {
        let mut mark =
            self.transaction.prepare_cached("INSERT OR IGNORE INTO marks VALUES (?1, ?2, ?3, ?4)")?;
        for key in &indexed.links {
            mark.execute(params![MARK_LINK, "", key, file])?;
        }
        for tag in &indexed.tags {
            mark.execute(params![MARK_TAG, "", tag, file])?;
        }
        for (name, value) in &indexed.fields {
            mark.execute(params![MARK_FIELD, name, value, file])?;
        }
        for (name, value) in &indexed.values {
            let value = value.as_ref().map(Value::to_string).unwrap_or_default();
            mark.execute(params![MARK_VALUE, name, value, file])?;
        }
        for name in &indexed.names {
            mark.execute(params![MARK_TITLE, "", name, file])?;
        }
        Ok(())
    }

    fn update_stamp(&self, known: &FileRow, stamp: &FileStamp) -> rusqlite::Result<()> {
        let mut statement = self.transaction.prepare_cached(
            "UPDATE files SET size = ?2, modified = ?3, changed = ?4, number = ?5, settled = ?6 WHERE id = ?1",
        )?;
        let (modified, changed) = (nanoseconds(stamp.modified), nanoseconds(stamp.changed));
        let stamped =
            params![known.id, stamp.size as i64, modified, changed, stamp.number as i64, stamp.settled];
        statement.execute(stamped).map(drop)
    }

    fn remove_file(&self, known: &FileRow) -> rusqlite::Result<()> {
        self.clear(known)?;
        self.transaction.prepare_cached("DELETE FROM files WHERE id = ?1")?.execute([known.id]).map(drop)
    }

    /// Removes everything stored for a file except its row.
    fn clear(&self, before: &FileRow) -> rusqlite::Result<()> {
        let range = [before.first, before.first + before.passages];
        frequent_words::retire(self.transaction, self.corpus, range)?;
        let clear = |sql: &str, from: &[i64]| {
            self.transaction.prepare_cached(sql)?.execute(rusqlite::params_from_iter(from)).map(|_| ())
        };
        for table in [word_table(self.corpus), PRIVATE_WORDS.to_owned()] {
            let sql = format!("DELETE FROM {table} WHERE rowid = ?1");
            let mut words = self.transaction.prepare_cached(&sql)?;
            for id in range[0]..range[1] {
                words.execute([id])?;
            }
        }
        for table in [name_table(self.corpus), PRIVATE_NAMES.to_owned()] {
            clear(&format!("DELETE FROM {table} WHERE rowid = ?1"), &[before.id])?;
        }
        clear("DELETE FROM passages WHERE id >= ?1 AND id < ?2", &range)?;
        clear("DELETE FROM marks WHERE file = ?1", &[before.id])?;
        clear("DELETE FROM structures WHERE file = ?1", &[before.id])?;
        clear("DELETE FROM symbols WHERE file = ?1", &[before.id])
    }
}

pub fn is_tidy(connection: &Connection, corpora: &[CorpusName], rules: u64) -> rusqlite::Result<bool> {
    let complete = is_complete(connection)?;
    Ok(complete
        && read_rules(connection)? == rules
        && find_unlisted_corpora(connection, corpora)?.is_empty()
        && frequent_words::find_outdated(connection)?.is_empty()
        && count_unused_vectors(connection)? <= MOST_UNUSED)
}

pub fn is_complete(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT value FROM meta WHERE name = 'complete'", [], |row| row.get(0))
}

/// The fingerprint of the rules by which files were judged.
pub fn read_rules(connection: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT value FROM meta WHERE name = 'rules'";
    connection.prepare_cached(sql)?.query_row([], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
}

pub fn tidy(transaction: &Transaction<'_>, corpora: &[CorpusName], rules: u64) -> rusqlite::Result<()> {
    transaction.execute("UPDATE meta SET value = 1 WHERE name = 'complete'", [])?;
    transaction.execute("UPDATE meta SET value = ?1 WHERE name = 'rules'", [rules.cast_signed()])?;
    for id in find_unlisted_corpora(transaction, corpora)? {
        let (first, end) = (id << CORPUS_SHIFT, (id + 1) << CORPUS_SHIFT);
        transaction.execute_batch(&format!(
            "DROP TABLE {}; DROP TABLE {}",
            word_table(id),
            name_table(id)
        ))?;
        frequent_words::delete_lists(transaction, id)?;
        let sql = format!("DELETE FROM {PRIVATE_WORDS} WHERE rowid >= ?1 AND rowid < ?2");
        transaction.execute(&sql, [first, end])?;
        let sql =
            format!("DELETE FROM {PRIVATE_NAMES} WHERE rowid IN (SELECT id FROM files WHERE corpus = ?1)");
        transaction.execute(&sql, [id])?;
        transaction.execute("DELETE FROM passages WHERE id >= ?1 AND id < ?2", [first, end])?;
        for table in ["marks", "symbols", "structures"] {
            let sql = format!("DELETE FROM {table} WHERE file IN (SELECT id FROM files WHERE corpus = ?1)");
            transaction.execute(&sql, [id])?;
        }
        transaction.execute("DELETE FROM files WHERE corpus = ?1", [id])?;
        transaction.execute("DELETE FROM corpora WHERE id = ?1", [id])?;
    }
    for corpus in frequent_words::find_outdated(transaction)? {
        frequent_words::write_lists(transaction, corpus)?;
    }
    if count_unused_vectors(transaction)? > MOST_UNUSED {
        delete_unused_vectors(transaction)?;
    }
    Ok(())
}

fn delete_unused_vectors(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM vectors WHERE text NOT IN (SELECT text FROM passages)", [])?;
    transaction.execute("UPDATE meta SET value = value + 1 WHERE name = 'epoch'", []).map(drop)
}

/// Removes what is left of deleted passages: in the pieces of the tables of words, in the lists of frequent words, and
/// vectors.
pub fn purge_deleted(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let corpora: Vec<i64> = transaction
        .prepare("SELECT id FROM corpora")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let tables = corpora.iter().flat_map(|id| [word_table(*id), name_table(*id)]);
    for table in tables.chain([PRIVATE_WORDS, PRIVATE_NAMES].map(str::to_owned)) {
        transaction.execute(&format!("INSERT INTO {table} ({table}) VALUES ('optimize')"), [])?;
    }
    for corpus in corpora {
        frequent_words::write_lists(transaction, corpus)?;
    }
    delete_unused_vectors(transaction)
}

/// The ids of corpora that are not among these.
fn find_unlisted_corpora(connection: &Connection, corpora: &[CorpusName]) -> rusqlite::Result<Vec<i64>> {
    let names: Vec<String> = corpora.iter().map(stored_name).collect();
    let mut statement = connection.prepare_cached("SELECT id, name FROM corpora")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let all = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(all.into_iter().filter(|(_, name)| !names.contains(name)).map(|(id, _)| id).collect())
}

/// An estimate of the vectors that no passage uses. The same text in two passages lowers it, which does no harm.
fn count_unused_vectors(connection: &Connection) -> rusqlite::Result<i64> {
    let models: i64 = connection.query_row("SELECT COUNT(*) FROM models", [], |row| row.get(0))?;
    let vectors: i64 = connection.query_row("SELECT COUNT(*) FROM vectors", [], |row| row.get(0))?;
    if models == 0 || vectors <= MOST_UNUSED {
        return Ok(0);
    }
    let passages: i64 = connection.query_row("SELECT COUNT(*) FROM passages", [], |row| row.get(0))?;
    Ok(vectors / models - passages)
}
