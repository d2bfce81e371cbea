//! Lists of the passages that contain a frequent word, with all that its score there depends on.
//!
//! FTS5 looks up the length of every passage that it ranks, and counts the occurrences of a word before that. For a word that is in
//! thousands of passages this takes longer than everything else in a search; a list is read in one go. The lists of a corpus
//! are written at the end of an update, and cover the passages that there were then: newer ones are left to FTS5, and
//! the ids of those that were removed since are kept. The passages of private files have no lists.

use std::collections::BTreeSet;

use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use wellread_core::ports::PassageId;

use super::schema::{WORD_FIELDS, open_vocabulary, word_table};
use super::word_statistics::{read_lengths, read_size};
use crate::index_format::CORPUS_SHIFT;
use crate::index_format::ranking::{Occurrence, field_weights};
use crate::index_format::varint::{push_varint, read_varint};

/// A word has a list if it is in at least this many passages. Below, FTS5 takes less than a millisecond.
const LEAST_PASSAGES: i64 = 512;
/// Lists are written again after this many changed passages, or this share of those that there are.
const LEAST_CHANGES: i64 = 1000;
const CHANGED_SHARE: i64 = 10;

/// How far the lists of a corpus reach.
pub struct ListedPassages {
    corpus: i64,
    /// Passages from this id on are not in the lists.
    pub end: PassageId,
    /// Whether there are any.
    pub has_newer: bool,
    /// Passages that are in the lists, but no longer in the index.
    retired: BTreeSet<PassageId>,
}

impl ListedPassages {
    pub fn of_corpus(connection: &Connection, corpus: i64) -> rusqlite::Result<Self> {
        let (listed, next) = connection
            .prepare_cached("SELECT listed, next_passage FROM corpora WHERE id = ?1")?
            .query_row([corpus], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
        let retired = connection
            .prepare_cached("SELECT passage FROM retired WHERE passage >= ?1 AND passage < ?2")?
            .query_map(corpus_range(corpus), |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let end = (corpus << CORPUS_SHIFT) + listed;
        Ok(Self { corpus, end, has_newer: next > listed, retired })
    }

    /// The list of a word, in the order of the ids; `None` if it has none.
    pub fn read(&self, connection: &Connection, word: &str) -> rusqlite::Result<Option<Vec<Occurrence>>> {
        let sql = "SELECT list FROM frequent_words WHERE corpus = ?1 AND word = ?2";
        let mut statement = connection.prepare_cached(sql)?;
        let list = statement.query_row(params![self.corpus, word], |row| read_list(row, self.corpus));
        Ok(list.optional()?.map(|mut list| {
            if !self.retired.is_empty() {
                list.retain(|found| !self.retired.contains(&found.passage));
            }
            list
        }))
    }
}

fn read_list(row: &Row<'_>, corpus: i64) -> rusqlite::Result<Vec<Occurrence>> {
    let bytes = row.get_ref(0)?.as_blob()?;
    unpack(bytes, corpus << CORPUS_SHIFT).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(0, Type::Blob, "the list of a word is cut off".into())
    })
}

/// The first id of a corpus, and the first of the next one.
fn corpus_range(corpus: i64) -> [i64; 2] {
    [corpus << CORPUS_SHIFT, (corpus + 1) << CORPUS_SHIFT]
}

/// Called before passages are removed from the index.
pub fn retire(transaction: &Transaction<'_>, corpus: i64, passages: [PassageId; 2]) -> rusqlite::Result<()> {
    let sql = "SELECT listed FROM corpora WHERE id = ?1";
    let listed: i64 = transaction.prepare_cached(sql)?.query_row([corpus], |row| row.get(0))?;
    let end = (corpus << CORPUS_SHIFT) + listed;
    let mut statement = transaction.prepare_cached("INSERT OR IGNORE INTO retired VALUES (?1)")?;
    for passage in passages[0]..passages[1].min(end) {
        statement.execute([passage])?;
    }
    Ok(())
}

/// The corpora whose lists have to be written again.
pub fn find_outdated(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare_cached("SELECT id, next_passage, listed FROM corpora")?;
    let mut count =
        connection.prepare_cached("SELECT COUNT(*) FROM retired WHERE passage >= ?1 AND passage < ?2")?;
    let mut outdated = Vec::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (corpus, next, listed): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let retired: i64 = count.query_row(corpus_range(corpus), |row| row.get(0))?;
        // Ids are never given twice, so `listed` says nothing about how many passages there are.
        let live = read_size(connection, &word_table(corpus))?.rows as i64;
        if next - listed + retired > LEAST_CHANGES.max(live / CHANGED_SHARE) {
            outdated.push(corpus);
        }
    }
    Ok(outdated)
}

/// Deletes the lists of a corpus.
pub fn delete_lists(transaction: &Transaction<'_>, corpus: i64) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM frequent_words WHERE corpus = ?1", [corpus])?;
    transaction
        .execute("DELETE FROM retired WHERE passage >= ?1 AND passage < ?2", corpus_range(corpus))
        .map(drop)
}

/// Writes the lists of a corpus anew.
pub fn write_lists(transaction: &Transaction<'_>, corpus: i64) -> rusqlite::Result<()> {
    delete_lists(transaction, corpus)?;
    let (table, first) = (word_table(corpus), corpus << CORPUS_SHIFT);
    let next = "SELECT next_passage FROM corpora WHERE id = ?1";
    let lengths =
        read_lengths(transaction, &table, first, transaction.query_row(next, [corpus], |row| row.get(0))?)?;
    let words = list_frequent_words(transaction, &table)?;
    let vocabulary = open_vocabulary(transaction, &table, "instance")?;
    let mut occurrences =
        transaction.prepare(&format!("SELECT doc, col FROM temp.{vocabulary} WHERE term = ?1"))?;
    let mut insert = transaction.prepare("INSERT INTO frequent_words VALUES (?1, ?2, ?3)")?;
    for word in words {
        let mut list = ListWriter::new(first, &lengths);
        let mut rows = occurrences.query([&word])?;
        while let Some(row) = rows.next()? {
            let field = match row.get_ref(1)? {
                ValueRef::Text(name) => WORD_FIELDS.iter().position(|field| field.as_bytes() == name),
                _ => None,
            };
            list.add(row.get(0)?, field.unwrap_or_default());
        }
        insert.execute(params![corpus, word, list.finish()])?;
    }
    transaction.execute("UPDATE corpora SET listed = next_passage WHERE id = ?1", [corpus]).map(drop)
}

fn list_frequent_words(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let vocabulary = open_vocabulary(connection, table, "row")?;
    let mut statement =
        connection.prepare(&format!("SELECT term FROM temp.{vocabulary} WHERE doc >= {LEAST_PASSAGES}"))?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// A list in the making. A passage is stored as the distance of its id from the one before, its length, and how often each
/// field contains the word. A word that occurs in the text alone needs one number for the fields.
struct ListWriter<'a> {
    first: PassageId,
    lengths: &'a [u32],
    bytes: Vec<u8>,
    before: PassageId,
    passage: PassageId,
    counts: [u64; WORD_FIELDS.len()],
}

/// The field of the text, where most words are.
const TEXT_FIELD: usize = 3;

impl<'a> ListWriter<'a> {
    fn new(first: PassageId, lengths: &'a [u32]) -> Self {
        Self { first, lengths, bytes: Vec::new(), before: first, passage: first, counts: Default::default() }
    }

    /// Occurrences have to be added in the order of the ids.
    fn add(&mut self, passage: PassageId, field: usize) {
        if passage != self.passage {
            self.end_passage();
            self.passage = passage;
        }
        if let Some(count) = self.counts.get_mut(field) {
            *count += 1;
        }
    }

    fn end_passage(&mut self) {
        let counts = std::mem::take(&mut self.counts);
        if counts.iter().all(|count| *count == 0) {
            return;
        }
        let length = usize::try_from(self.passage - self.first).ok().and_then(|at| self.lengths.get(at));
        push_varint(&mut self.bytes, (self.passage - self.before).cast_unsigned());
        push_varint(&mut self.bytes, length.copied().unwrap_or_default().into());
        let in_text = counts[TEXT_FIELD];
        if counts.iter().sum::<u64>() == in_text {
            push_varint(&mut self.bytes, in_text << 1);
        } else {
            push_varint(&mut self.bytes, (in_text << 1) | 1);
            let others = counts.iter().enumerate().filter(|(field, _)| *field != TEXT_FIELD);
            others.for_each(|(_, count)| push_varint(&mut self.bytes, *count));
        }
        self.before = self.passage;
    }

    fn finish(mut self) -> Vec<u8> {
        self.end_passage();
        self.bytes
    }
}

/// The stored passages; `None` if the bytes are not a list.
fn unpack(mut bytes: &[u8], first: PassageId) -> Option<Vec<Occurrence>> {
    let weights = field_weights();
    let mut list = Vec::with_capacity(bytes.len() / 3);
    let mut passage = first;
    while !bytes.is_empty() {
        passage = passage.checked_add_unsigned(read_varint(&mut bytes)?)?;
        let length = u32::try_from(read_varint(&mut bytes)?).ok()?;
        let code = read_varint(&mut bytes)?;
        let in_text = code >> 1;
        let frequency = if code & 1 == 0 {
            in_text as f64 * weights[TEXT_FIELD]
        } else {
            // One by one in the order of the fields, as FTS5 adds them: the last bits of a sum depend on it.
            let mut sum = 0.0;
            for (field, weight) in weights.iter().enumerate() {
                let count = if field == TEXT_FIELD { in_text } else { read_varint(&mut bytes)? };
                if count > u64::from(length) {
                    return None;
                }
                (0..count).for_each(|_| sum += weight);
            }
            sum
        };
        list.push(Occurrence { passage, frequency, length });
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::{ListWriter, unpack};

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let lengths = vec![300; 5000];
        let mut list = ListWriter::new(1 << 40, &lengths);
        let passage = |at: i64| (1 << 40) + at;
        for (at, field) in [(0, 3), (0, 3), (7, 0), (7, 3), (7, 4), (7, 4), (4000, 4)] {
            list.add(passage(at), field);
        }
        let bytes = list.finish();
        let read = unpack(&bytes, 1 << 40).expect("a list");
        let read: Vec<(i64, f64, u32)> =
            read.iter().map(|found| (found.passage, found.frequency, found.length)).collect();
        assert_eq!(
            read,
            [(passage(0), 2.0, 300), (passage(7), 4.0 + 1.0 + 0.6 + 0.6, 300), (passage(4000), 0.6, 300)]
        );
        assert!(unpack(&bytes[..bytes.len() - 1], 0).is_none(), "a list that is cut off");
        assert!(unpack(&[0, 1, 0x7f, 0xff, 0x7f, 0, 0, 0], 0).is_none(), "more occurrences than words");
    }
}
