//! Runs and their events.
//!
//! The row of a run is locked while an event is appended, and holds the header and the hash of the last event.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::Deserialize;
use tokio_postgres::Row;
use wellread_core::Result;
use wellread_core::domain::corpus::{Hash, VaultPath};
use wellread_core::domain::id::RunId;
use wellread_core::ports::RunHeader;
use wellread_core::ports::event::{LoggedEvent, RunEvent};

use super::failure::PgFailure;
use super::session::Session;
use super::value::{RowColumns as _, values};
use crate::record_format::chain::{self, ChainEntry, ChainReader, StoredEvent};
use crate::record_format::header_row::{HeaderRow, damaged_header_error};
use crate::record_format::limit;

/// How many events are read at a time.
const PAGE: i64 = 500;

pub fn begin(session: &Session, run: &RunHeader, first: &ChainEntry) -> Result<(), PgFailure> {
    let head = first.hash(chain::start_hash(&run.id));
    let row = HeaderRow::new(&run.begin(), head)?;
    let sql = "INSERT INTO wellread.runs (space, id, header, head, sum) VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT DO NOTHING";
    if session.execute(sql, values![row.id, row.header, row.head, row.sum])? == 0 {
        return Err(RunHeader::exists_error(&run.id).into());
    }
    put(session, &run.id, first, head)
}

pub fn append(session: &Session, run: &RunId, entry: &ChainEntry, event: &RunEvent) -> Result<(), PgFailure> {
    let found = find_header(session, run, "FOR UPDATE")?;
    let (mut header, head) = found.ok_or_else(|| RunHeader::not_found_error(run))??;
    header.append(entry.number, entry.moment, event)?;
    let head = entry.hash(head);
    put(session, run, entry, head)?;
    update_header(session, &header, head)
}

pub fn events(session: &Session, run: &RunId) -> Result<Vec<LoggedEvent>, PgFailure> {
    let (header, head) = find_header(session, run, "")?.ok_or_else(|| RunHeader::not_found_error(run))??;
    header.check_remembered()?;
    let mut events = ChainReader::new(run);
    let mut after = -1;
    loop {
        let sql = "SELECT number, at, event, hash FROM wellread.events \
                   WHERE space = $1 AND run = $2 AND number > $3 ORDER BY number LIMIT $4";
        let rows = session.query(sql, values![run.as_str(), after, PAGE])?;
        for row in &rows {
            events.add(stored_event(row))?;
        }
        let Some(last) = rows.last() else { break };
        after = last.number(0)?;
    }
    Ok(events.finish(header.events, head)?)
}

pub fn headers(session: &Session, beginning: &str, at_most: usize) -> Result<Vec<RunHeader>, PgFailure> {
    // No id contains a character after `z`, or one that the database can't hold.
    if beginning.contains('\0') {
        return Ok(Vec::new());
    }
    let sql = "SELECT id, header, head, sum FROM wellread.runs \
               WHERE space = $1 AND id >= $2 AND id < $2 || '~' ORDER BY id DESC LIMIT $3";
    let rows = session.query(sql, values![beginning, limit(at_most)])?;
    rows.iter().map(|row| Ok(unseal_header(row)?.0)).collect()
}

/// Removes the events of a run, and the text of its header. The header of a damaged run is kept as it is.
pub fn forget(session: &Session, run: &RunId, at: Timestamp) -> Result<bool, PgFailure> {
    let header = match find_header(session, run, "FOR UPDATE")? {
        Some(Ok((header, _))) if header.forgotten.is_some() => return Ok(false),
        Some(Ok((header, _))) => Some(header.forget(at)),
        Some(Err(_)) => None,
        None => return Err(RunHeader::not_found_error(run).into()),
    };
    let sql = "INSERT INTO wellread.forgotten VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    session.execute(sql, values![run.as_str(), at.as_second()])?;
    session.execute("DELETE FROM wellread.events WHERE space = $1 AND run = $2", values![run.as_str()])?;
    if let Some(header) = header {
        // The hash of the last event would tell a guessed text from another.
        update_header(session, &header, chain::start_hash(run))?;
    }
    Ok(true)
}

/// Runs that have not ended, by their headers. A damaged header counts as one of them.
pub fn unfinished(session: &Session) -> Result<Vec<String>, PgFailure> {
    let rows = session.query("SELECT id, header, head, sum FROM wellread.runs WHERE space = $1", vec![])?;
    let is_open = |row: &&Row| !unseal_header(row).is_ok_and(|(header, _)| header.ended.is_some());
    rows.iter().filter(is_open).map(|row| row.text(0)).collect()
}

/// The notes in evidence events. Other events are recognized by their first bytes and not sent.
pub fn notes_in_evidence(session: &Session) -> Result<BTreeSet<VaultPath>, PgFailure> {
    let mut notes = BTreeSet::new();
    let (mut run, mut number) = (String::new(), -1);
    loop {
        let sql = "SELECT run, number, event FROM wellread.events WHERE space = $1 AND (run, number) > ($2, $3) \
                   AND left(event, 19) = '{\"event\":\"evidence\"' AND position('\"kind\":\"note\"' in event) > 0 \
                   ORDER BY run, number LIMIT $4";
        let rows = session.query(sql, values![run.as_str(), number, PAGE])?;
        for row in &rows {
            let evidence: Option<NotedEvidence> = serde_json::from_str(&row.text(2)?).ok();
            let source = evidence.map(|evidence| evidence.source).filter(|source| source.kind == "note");
            notes.extend(source.and_then(|source| source.path).map(VaultPath::from_index));
        }
        let Some(last) = rows.last() else { return Ok(notes) };
        (run, number) = (last.text(0)?, last.number(1)?);
    }
}

/// As much of an evidence event as says which note it is from.
#[derive(Deserialize)]
struct NotedEvidence {
    source: NotedSource,
}

#[derive(Deserialize)]
struct NotedSource {
    kind: String,
    path: Option<String>,
}

fn put(session: &Session, run: &RunId, entry: &ChainEntry, hash: Hash) -> Result<(), PgFailure> {
    let sql =
        "INSERT INTO wellread.events (space, run, number, at, event, hash) VALUES ($1, $2, $3, $4, $5, $6)";
    let values = values![run.as_str(), entry.number, entry.at, entry.json.as_str(), hash];
    session.execute(sql, values).map(drop)
}

fn update_header(session: &Session, header: &RunHeader, head: Hash) -> Result<(), PgFailure> {
    let row = HeaderRow::new(header, head)?;
    let sql = "UPDATE wellread.runs SET header = $3, head = $4, sum = $5 WHERE space = $1 AND id = $2";
    session.execute(sql, values![row.id, row.header, row.head, row.sum]).map(drop)
}

/// A run's header with the hash of its last event; `how` says whether the row is locked.
type FoundHeader = Option<Result<(RunHeader, Hash)>>;

fn find_header(session: &Session, run: &RunId, how: &str) -> Result<FoundHeader, PgFailure> {
    let sql = format!("SELECT id, header, head, sum FROM wellread.runs WHERE space = $1 AND id = $2 {how}");
    Ok(session.find(&sql, values![run.as_str()])?.map(|row| unseal_header(&row)))
}

fn unseal_header(row: &Row) -> Result<(RunHeader, Hash)> {
    let read = || -> Option<HeaderRow> {
        let (id, header) = (row.text(0).ok()?, row.text(1).ok()?);
        Some(HeaderRow { id, header, head: row.hash(2).ok()?, sum: row.hash(3).ok()? })
    };
    read().ok_or_else(|| damaged_header_error(&row.text(0).unwrap_or_default()))?.into_header()
}

fn stored_event(row: &Row) -> Option<StoredEvent<'_>> {
    let json: &str = row.try_get(2).ok()?;
    let (number, at) = (row.count(0).ok()?, row.number(1).ok()?);
    Some(StoredEvent { number, at, json: json.as_bytes(), hash: row.hash(3).ok()? })
}
