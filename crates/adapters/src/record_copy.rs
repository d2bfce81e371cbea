//! Copies all records from one store to a file, and from a file to a store, row by row as they are.
//!
//! The file has a line of JSON for each row, between a first line that says what it is and a last line with the number of
//! rows and their digest. The digest of a store is the same as that of a file with the same rows, whichever database the
//! store is in: so it shows that nothing was lost. The accounts, which all vaults share, come last; whether each is what was
//! written, and whether the log of decisions is whole, is verified before they are imported and afterwards.

mod with_accounts;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use wellread_core::domain::corpus::Hash;
use wellread_core::{Error, Result};

use crate::platform;
pub use crate::record_format::tables::TableGroup;
use crate::record_format::tables::{RecordDigest, TABLES, read_row};
use crate::record_format::verifier::RecordVerifier;
pub use with_accounts::RecordsWithAccounts;

/// The version of the file's format.
const FORMAT: u32 = 1;
/// How many rows are written in one transaction.
const BATCH: usize = 500;

/// A store whose rows can be copied.
pub trait RecordRows: Send + Sync {
    /// Where the records are, for people.
    fn place(&self) -> String;

    /// Calls `see` with every row of a group as a line, in the order of the tables and their keys, from one state of the store.
    fn for_each_row(&self, group: TableGroup, see: &mut dyn FnMut(&str) -> Result<()>) -> Result<()>;

    /// An error if there is no place for the rows of a group.
    fn check_place_for(&self, _group: TableGroup) -> Result<()> {
        Ok(())
    }

    /// Inserts rows in one transaction, and returns how many were new. One that is there already is left as it is; if it
    /// differs, the result is an error of kind `Conflict`, and nothing is inserted.
    fn insert_rows(&self, lines: &[String]) -> Result<u64>;
}

/// What was copied or counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordSummary {
    /// The number of rows.
    pub rows: u64,
    /// The digest over all rows.
    pub digest: String,
    /// The number of rows of each table that has any.
    pub tables: Vec<(String, u64)>,
}

impl RecordSummary {
    /// Whether there is a row of one of the group's tables.
    fn has_any(&self, group: TableGroup) -> bool {
        let is_in_group = |name: &str| group.tables().iter().any(|table| table.name == name);
        self.tables.iter().any(|(name, _)| is_in_group(name))
    }
}

/// Is told how many rows were done so far.
pub type CopyProgress<'a> = &'a mut dyn FnMut(u64);

#[derive(Serialize, Deserialize)]
struct FirstLine {
    wellread_records: u32,
}

#[derive(Serialize, Deserialize)]
struct LastLine {
    rows: u64,
    digest: String,
}

/// Counts the rows of a store and computes their digest.
pub fn summarize(store: &dyn RecordRows, progress: CopyProgress<'_>) -> Result<RecordSummary> {
    let mut summary = SummaryBuilder::default();
    read_store(store, &TableGroup::ALL, &mut |line| {
        summary.add(line)?;
        progress(summary.rows());
        Ok(())
    })?;
    Ok(summary.finish())
}

/// Calls `see` with every row of these groups.
fn read_store(
    store: &dyn RecordRows,
    groups: &[TableGroup],
    see: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<()> {
    groups.iter().try_for_each(|group| store.for_each_row(*group, see))
}

/// Reads all rows of a store, and verifies every checksum, and the hash chains of every run and of the log of decisions. Returns
/// what is not as it was written, too.
pub fn verify_records(
    store: &dyn RecordRows,
    progress: CopyProgress<'_>,
) -> Result<(RecordSummary, Vec<String>)> {
    let (mut summary, mut verifier) = (SummaryBuilder::default(), RecordVerifier::default());
    read_store(store, &TableGroup::ALL, &mut |line| {
        let (table, cells) = read_row(line)?;
        verifier.add(table, &cells);
        summary.add(line)?;
        progress(summary.rows());
        Ok(())
    })?;
    Ok((summary.finish(), verifier.finish()))
}

/// Writes all records to a new file, which appears when it is complete.
pub fn export_records(
    store: &dyn RecordRows,
    to: &Path,
    progress: CopyProgress<'_>,
) -> Result<RecordSummary> {
    let trouble =
        |error: std::io::Error| Error::failed(format!("could not write `{}`: {error}", to.display()));
    if to.try_exists().map_err(trouble)? {
        return Err(Error::conflict(format!("the file `{}` already exists", to.display()))
            .hint("nothing was written; name another file"));
    }
    let mut name = to.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let unfinished = to.with_file_name(name);
    let _ = fs::remove_file(&unfinished);
    // For the user alone, since the records contain what was read.
    platform::create_private_file(&unfinished).map_err(trouble)?;
    let file = File::options().write(true).open(&unfinished).map_err(trouble)?;
    let mut out = BufWriter::new(file);
    let mut write = |line: &str| writeln!(out, "{line}").map_err(trouble);
    write(&to_line(&FirstLine { wellread_records: FORMAT })?)?;
    let mut summary = SummaryBuilder::default();
    read_store(store, &TableGroup::ALL, &mut |line| {
        summary.add(line)?;
        progress(summary.rows());
        write(line)
    })?;
    let summary = summary.finish();
    write(&to_line(&LastLine { rows: summary.rows, digest: summary.digest.clone() })?)?;
    let file = out.into_inner().map_err(|error| trouble(error.into_error()))?;
    file.sync_all().map_err(trouble)?;
    fs::rename(&unfinished, to).map_err(trouble)?;
    Ok(summary)
}

/// Puts all records of a file into a store that has none, or only some of the same: an import that was interrupted is
/// completed by another one. The file is verified first, and the store afterwards.
pub fn import_records(
    store: &dyn RecordRows,
    from: &Path,
    progress: CopyProgress<'_>,
) -> Result<RecordSummary> {
    let (expected, lines) = verify_file(from)?;
    // A file without accounts leaves those alone that there are.
    let groups = match expected.has_any(TableGroup::Accounts) {
        true => &TableGroup::ALL[..],
        false => &[TableGroup::Vault],
    };
    groups.iter().try_for_each(|group| store.check_place_for(*group))?;
    read_store(store, groups, &mut |line| {
        if lines.contains(&Hash::compute(line.as_bytes())) {
            Ok(())
        } else {
            Err(not_empty_error(store, line))
        }
    })?;
    drop(lines);
    let mut batch = Vec::with_capacity(BATCH);
    let mut done = 0;
    read_lines(from, &mut |line| {
        batch.push(line.to_owned());
        if batch.len() == BATCH {
            store.insert_rows(&batch)?;
            done += batch.len() as u64;
            batch.clear();
            progress(done);
        }
        Ok(())
    })?;
    store.insert_rows(&batch)?;
    let (mut found, mut accounts) = (SummaryBuilder::default(), RecordVerifier::default());
    read_store(store, groups, &mut |line| {
        verify_account_row(&mut accounts, line)?;
        found.add(line)
    })?;
    let found = found.finish();
    if found == expected && accounts.finish().is_empty() {
        return Ok(found);
    }
    Err(Error::failed(format!(
        "the records in {} differ from those of the file: digest {} instead of {}",
        store.place(),
        found.digest,
        expected.digest
    ))
    .hint("something else has written to them meanwhile; end every `wellread` that uses them, and import into an empty store"))
}

/// The error for a row that is there already, and differs.
pub fn differing_row_error(table: &str) -> Error {
    Error::conflict(format!("the store has another record in place of one of `{table}`"))
        .hint("nothing was changed; import into an empty store")
}

fn not_empty_error(store: &dyn RecordRows, line: &str) -> Error {
    let table = read_row(line).map_or("records", |(table, _)| table.name);
    Error::conflict(format!("{} has records that are not in the file, in `{table}`", store.place()))
        .hint("nothing was changed; import into an empty store, or into another `database.space`")
}

/// What a file says that it has, after all of it was read, and the hash of each row.
fn verify_file(from: &Path) -> Result<(RecordSummary, HashSet<Hash>)> {
    let mut lines = HashSet::new();
    let (mut summary, mut accounts) = (SummaryBuilder::default(), RecordVerifier::default());
    let last = read_lines(from, &mut |line| {
        summary.add(line).map_err(|error| file_error(from, error.message()))?;
        verify_account_row(&mut accounts, line)?;
        lines.insert(Hash::compute(line.as_bytes()));
        Ok(())
    })?;
    let summary = summary.finish();
    if (summary.rows, &summary.digest) != (last.rows, &last.digest) {
        return Err(file_error(from, "it was changed since it was written"));
    }
    // A log with a gap is not taken for the whole one.
    if let Some(problem) = accounts.finish().first() {
        return Err(file_error(from, &format!("`{problem}` is not what was written")));
    }
    Ok((summary, lines))
}

fn verify_account_row(verifier: &mut RecordVerifier, line: &str) -> Result<()> {
    let (table, cells) = read_row(line)?;
    if TableGroup::from_table(table) == TableGroup::Accounts {
        verifier.add(table, &cells);
    }
    Ok(())
}

/// Calls `see` with each row of a file, and returns its last line.
fn read_lines(from: &Path, see: &mut dyn FnMut(&str) -> Result<()>) -> Result<LastLine> {
    let file = File::open(from).map_err(|error| file_error(from, &error.to_string()))?;
    let mut lines = BufReader::new(file).lines();
    let mut next = || lines.next().transpose().map_err(|error| file_error(from, &error.to_string()));
    let first = next()?.and_then(|line| serde_json::from_str::<FirstLine>(&line).ok());
    match first {
        Some(first) if first.wellread_records == FORMAT => {}
        Some(_) => return Err(file_error(from, "it is of a newer version of Wellread")),
        None => return Err(file_error(from, "it has no records of Wellread")),
    }
    while let Some(line) = next()? {
        if line.starts_with('{') {
            let last = serde_json::from_str(&line);
            let last = last.map_err(|_| file_error(from, "its last line can't be read"))?;
            return if next()?.is_none() {
                Ok(last)
            } else {
                Err(file_error(from, "it goes on after its end"))
            };
        }
        see(&line)?;
    }
    Err(file_error(from, "its end is missing"))
}

fn file_error(from: &Path, reason: &str) -> Error {
    Error::invalid(format!("the file `{}` can't be imported: {reason}", from.display()))
        .hint("nothing was changed; make one with `wellread db export FILE`")
}

fn to_line<T: Serialize>(line: &T) -> Result<String> {
    serde_json::to_string(line).map_err(|error| Error::failed(format!("a line can't be written: {error}")))
}

#[derive(Default)]
struct SummaryBuilder {
    digest: RecordDigest,
    counts: [u64; TABLES.len()],
}

impl SummaryBuilder {
    fn add(&mut self, line: &str) -> Result<()> {
        let (table, _) = read_row(line)?;
        let at = TABLES.iter().position(|other| other.name == table.name).unwrap_or_default();
        self.counts[at] += 1;
        self.digest.add(line);
        Ok(())
    }

    fn rows(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn finish(self) -> RecordSummary {
        let (rows, digest) = self.digest.finish();
        let counted = TABLES.iter().zip(self.counts).filter(|(_, count)| *count > 0);
        let tables = counted.map(|(table, count)| (table.name.to_owned(), count)).collect();
        RecordSummary { rows, digest: digest.to_string(), tables }
    }
}
