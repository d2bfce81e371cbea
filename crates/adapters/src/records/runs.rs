//! Runs and their events.
//!
//! A run's header is updated in the same transaction as each event, so that listing runs reads no events.

use std::collections::BTreeSet;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use wellread_core::Result;
use wellread_core::domain::corpus::{Hash, VaultPath};
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::{LoggedEvent, RunEvent};
use wellread_core::ports::{RecordViewer, RunHeader};

use crate::record_format::chain::{self, ChainEntry, ChainReader, StoredEvent};
use crate::record_format::header_row::{HeaderRow, damaged_header_error};

pub fn begin(
    transaction: &Transaction<'_>,
    viewer: &RecordViewer,
    run: &RunHeader,
    first: &ChainEntry,
) -> rusqlite::Result<Result<()>> {
    // Also where it is somebody else's.
    if find_header(transaction, &|_| true, &run.id)?.is_some() {
        return Ok(Err(RunHeader::exists_error(&run.id)));
    }
    let header = run.begin();
    let head = first.hash(chain::start_hash(&run.id));
    put(transaction, &run.id, first, head)?;
    let row = match HeaderRow::new(&header, head) {
        Ok(row) => row,
        Err(error) => return Ok(Err(error)),
    };
    let sql = "INSERT INTO runs (id, header, head, sum, owner) VALUES (?1, ?2, ?3, ?4, ?5)";
    transaction.prepare_cached(sql)?.execute(params![
        row.id,
        row.header,
        row.head.as_bytes(),
        row.sum.as_bytes(),
        viewer.as_str()
    ])?;
    Ok(Ok(()))
}

pub fn append(
    transaction: &Transaction<'_>,
    viewer: &RecordViewer,
    run: &RunId,
    entry: &ChainEntry,
    event: &RunEvent,
) -> rusqlite::Result<Result<()>> {
    let (mut header, head) = match find_header(transaction, &|owner| viewer.may_change(owner), run)? {
        Some(Ok(known)) => known,
        Some(Err(error)) => return Ok(Err(error)),
        None => return Ok(Err(RunHeader::not_found_error(run))),
    };
    if let Err(error) = header.append(entry.number, entry.moment, event) {
        return Ok(Err(error));
    }
    let head = entry.hash(head);
    put(transaction, run, entry, head)?;
    update_header(transaction, &header, head)
}

fn update_header(
    transaction: &Transaction<'_>,
    header: &RunHeader,
    head: Hash,
) -> rusqlite::Result<Result<()>> {
    let row = match HeaderRow::new(header, head) {
        Ok(row) => row,
        Err(error) => return Ok(Err(error)),
    };
    transaction
        .prepare_cached("UPDATE runs SET header = ?2, head = ?3, sum = ?4 WHERE id = ?1")?
        .execute(params![row.id, row.header, row.head.as_bytes(), row.sum.as_bytes()])?;
    Ok(Ok(()))
}

pub fn events(
    connection: &Connection,
    viewer: &RecordViewer,
    run: &RunId,
) -> rusqlite::Result<Result<Vec<LoggedEvent>>> {
    // One transaction for both tables, since another process may be appending.
    let transaction = connection.unchecked_transaction()?;
    let (header, head) = match find_header(&transaction, &|owner| viewer.sees(owner), run)? {
        Some(Ok(known)) => known,
        Some(Err(error)) => return Ok(Err(error)),
        None => return Ok(Err(RunHeader::not_found_error(run))),
    };
    if let Err(error) = header.check_remembered() {
        return Ok(Err(error));
    }
    let mut statement = transaction
        .prepare_cached("SELECT number, at, event, hash FROM events WHERE run = ?1 ORDER BY number")?;
    let mut rows = statement.query([run.as_str()])?;
    let mut events = ChainReader::new(run);
    loop {
        let Ok(row) = rows.next() else { return Ok(events.add(None).map(|()| Vec::new())) };
        let Some(row) = row else { break };
        if let Err(error) = events.add(stored_event(row)) {
            return Ok(Err(error));
        }
    }
    Ok(events.finish(header.events, head))
}

pub fn headers(
    connection: &Connection,
    viewer: &RecordViewer,
    beginning: &str,
    at_most: usize,
) -> rusqlite::Result<Result<Vec<RunHeader>>> {
    // No id contains a character after `z`.
    let mut statement = connection.prepare_cached(
        "SELECT id, header, head, sum FROM runs WHERE id >= ?1 AND id < ?1 || '~' \
         AND (?3 = '*' OR owner IN (?3, '*')) ORDER BY id DESC LIMIT ?2",
    )?;
    let limit = i64::try_from(at_most).unwrap_or(i64::MAX);
    let rows =
        statement.query_map(params![beginning, limit, viewer.as_str()], |row| Ok(unseal_header(row)))?;
    let headers: Vec<Result<(RunHeader, Hash)>> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(headers.into_iter().map(|known| known.map(|(header, _)| header)).collect())
}

/// Removes the events of a run, and the text of its header. The header of a damaged run is kept as it is.
pub fn forget(
    transaction: &Transaction<'_>,
    viewer: &RecordViewer,
    run: &RunId,
    at: Timestamp,
) -> rusqlite::Result<Result<bool>> {
    let header = match find_header(transaction, &|owner| viewer.may_change(owner), run)? {
        Some(Ok((header, _))) if header.forgotten.is_some() => return Ok(Ok(false)),
        Some(Ok((header, _))) => Some(header.forget(at)),
        Some(Err(_)) => None,
        None => return Ok(Err(RunHeader::not_found_error(run))),
    };
    transaction
        .prepare_cached("INSERT OR IGNORE INTO forgotten (run, at) VALUES (?1, ?2)")?
        .execute(params![run.as_str(), at.as_second()])?;
    transaction.prepare_cached("DELETE FROM events WHERE run = ?1")?.execute([run.as_str()])?;
    if let Some(header) = header {
        // The hash of the last event would tell a guessed text from another.
        return Ok(update_header(transaction, &header, chain::start_hash(run))?.map(|()| true));
    }
    Ok(Ok(true))
}

/// Runs that have not ended, by their headers. A damaged header counts as one of them.
pub fn unfinished(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached("SELECT id, header, head, sum FROM runs")?;
    let rows = statement.query_map([], |row| {
        let ended = unseal_header(row).is_ok_and(|(header, _)| header.ended.is_some());
        (!ended).then(|| row.get::<_, String>(0)).transpose()
    })?;
    rows.filter_map(std::result::Result::transpose).collect()
}

/// The notes in evidence events. Other events are recognized by their first bytes and not parsed.
pub fn notes_in_evidence(connection: &Connection) -> rusqlite::Result<BTreeSet<VaultPath>> {
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT json_extract(event, '$.source.path') FROM events \
         WHERE substr(event, 1, 19) = '{\"event\":\"evidence\"' AND json_valid(event) \
         AND json_extract(event, '$.source.kind') = 'note'",
    )?;
    let paths = statement.query_map([], |row| row.get::<_, Option<String>>(0))?;
    paths.filter_map(|path| path.transpose().map(|path| path.map(VaultPath::from_index))).collect()
}

fn put(transaction: &Transaction<'_>, run: &RunId, entry: &ChainEntry, hash: Hash) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT INTO events (run, number, at, event, hash) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![run.as_str(), entry.number, entry.at, entry.json, hash.as_bytes()])?;
    Ok(())
}

/// A run's header with the hash of its last event, if it has an owner that `is_theirs` accepts.
fn find_header(
    connection: &Connection,
    is_theirs: &dyn Fn(&str) -> bool,
    run: &RunId,
) -> rusqlite::Result<Option<Result<(RunHeader, Hash)>>> {
    let found = connection
        .prepare_cached("SELECT id, header, head, sum, owner FROM runs WHERE id = ?1")?
        .query_row([run.as_str()], |row| {
            let owner: String = row.get(4)?;
            Ok(is_theirs(&owner).then(|| unseal_header(row)))
        })
        .optional()?;
    Ok(found.flatten())
}

fn unseal_header(row: &Row<'_>) -> Result<(RunHeader, Hash)> {
    let read = || -> Option<HeaderRow> {
        let (id, header): (String, String) = (row.get(0).ok()?, row.get(1).ok()?);
        Some(HeaderRow { id, header, head: hash(row, 2)?, sum: hash(row, 3)? })
    };
    let damaged = || damaged_header_error(&row.get::<_, String>(0).unwrap_or_default());
    read().ok_or_else(damaged)?.into_header()
}

fn stored_event<'a>(row: &'a Row<'_>) -> Option<StoredEvent<'a>> {
    let (number, at): (u64, i64) = (row.get(0).ok()?, row.get(1).ok()?);
    let json = row.get_ref(2).ok()?.as_bytes().ok()?;
    Some(StoredEvent { number, at, json, hash: hash(row, 3)? })
}

fn hash(row: &Row<'_>, column: usize) -> Option<Hash> {
    row.get::<_, [u8; 32]>(column).ok().map(Hash::from_bytes)
}
