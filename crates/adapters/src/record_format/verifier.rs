//! Verifies rows as they are read one after the other: every checksum, and the hash chains of every run and of the log of
//! decisions.

use std::collections::BTreeMap;

use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::RunEvent;

use super::account_row::{AccountRow, AuditReader, AuditRow};
use super::agenda_row::AgendaRow;
use super::finding_row::FindingRow;
use super::header_row::HeaderRow;
use super::session_row::SessionRow;
use super::tables::{Cell, RecordTable};
use super::{chain, packing, sums};

/// How far the events of a run were read.
#[derive(Debug)]
struct RunProgress {
    /// How many events the header says there are, and the hash of the last; `None` if the text was forgotten.
    expected: Option<(u64, Hash)>,
    events: u64,
    before: Hash,
}

/// Verifies rows in the order in which they are copied, headers before events.
#[derive(Debug, Default)]
pub struct RecordVerifier {
    runs: BTreeMap<String, RunProgress>,
    audit: AuditReader,
    problems: Vec<String>,
}

impl RecordVerifier {
    pub fn add(&mut self, table: &RecordTable, cells: &[Cell]) {
        let is_sound = match table.name {
            "runs" => self.add_header(cells),
            "events" => self.add_event(cells),
            "audit" => self.add_audit_entry(cells),
            other => is_sound(other, cells),
        };
        if is_sound != Some(true) {
            let key: Vec<String> = cells[..table.key].iter().map(show).collect();
            self.problems.push(format!("{} {}", table.name, key.join(" ")));
        }
    }

    /// What is not as it was written; nothing if all is.
    pub fn finish(mut self) -> Vec<String> {
        for (run, progress) in &self.runs {
            let found = Some((progress.events, progress.before));
            let expected = progress.expected;
            if expected.is_some() && found != expected || expected.is_none() && progress.events > 0 {
                self.problems.push(format!("events {run}: the log is not complete"));
            }
        }
        self.problems
    }

    fn add_header(&mut self, cells: &[Cell]) -> Option<bool> {
        let row = HeaderRow {
            id: text(cells, 0)?.to_owned(),
            header: text(cells, 1)?.to_owned(),
            head: hash(cells, 2)?,
            sum: hash(cells, 3)?,
        };
        let (header, head) = row.into_header().ok()?;
        let expected = header.forgotten.is_none().then_some((header.events, head));
        let progress = RunProgress { expected, events: 0, before: chain::start_hash(&header.id) };
        self.runs.insert(header.id.as_str().to_owned(), progress);
        Some(true)
    }

    fn add_event(&mut self, cells: &[Cell]) -> Option<bool> {
        let (run, json) = (text(cells, 0)?, text(cells, 3)?);
        RunId::parse(run).ok()?;
        let progress = self.runs.get_mut(run)?;
        let number = u64::try_from(number(cells, 1)?).ok()?;
        let hash_of_event =
            chain::link_hash(progress.before, number, self::number(cells, 2)?, json.as_bytes());
        let is_next = number == progress.events && hash(cells, 4)? == hash_of_event;
        progress.events += 1;
        progress.before = hash(cells, 4)?;
        Some(is_next && serde_json::from_str::<RunEvent>(json).is_ok())
    }

    fn add_audit_entry(&mut self, cells: &[Cell]) -> Option<bool> {
        let row = AuditRow {
            number: u64::try_from(number(cells, 0)?).ok()?,
            at: number(cells, 1)?,
            entry: text(cells, 2)?.to_owned(),
            hash: hash(cells, 3)?,
        };
        Some(self.audit.read(&row).is_ok())
    }
}

/// Whether a row is what was written; `None` if it can't even be read.
fn is_sound(table: &str, cells: &[Cell]) -> Option<bool> {
    let owned = |at: usize| text(cells, at).map(str::to_owned);
    Some(match table {
        "sessions" => {
            let (id, active_file) = (owned(0)?, optional_text(cells, 1)?.map(str::to_owned));
            let (last, state, sum) = (number(cells, 2)?, owned(3)?, hash(cells, 4)?);
            SessionRow { id, active_file, last, state, sum }.into_session().is_ok()
        }
        "agendas" => {
            let (id, status, state, sum) = (owned(0)?, owned(1)?, owned(2)?, hash(cells, 3)?);
            AgendaRow { id, status, state, sum }.into_agenda().is_ok()
        }
        "findings" => finding_row(cells)?.into_finding().is_ok(),
        "snapshots" => {
            let packed = (u64::try_from(number(cells, 1)?).ok()?, bytes(cells, 2)?.to_vec());
            packing::unpack(hash(cells, 0)?, &packed).is_ok()
        }
        "embeddings" => {
            sums::read_embedding(text(cells, 0)?, text(cells, 1)?, bytes(cells, 2)?, hash(cells, 3)?)
                .is_some()
        }
        "sketches" => sums::read_sketch(text(cells, 0)?, bytes(cells, 1)?, hash(cells, 2)?).is_some(),
        "suppressed" => {
            let (at, finding) = (number(cells, 1)?, optional_text(cells, 2)?);
            sums::read_topic(text(cells, 0)?, at, finding, hash(cells, 3)?).is_some()
        }
        "happenings" => {
            let number = u64::try_from(number(cells, 0)?).ok()?;
            sums::agenda_event_sum(number, text(cells, 1)?) == hash(cells, 2)?
        }
        "answers" => {
            let (request, answer) = (hash(cells, 1)?, optional_text(cells, 2)?);
            sums::answer_sum(text(cells, 0)?, request, answer) == hash(cells, 3)?
        }
        "accounts" => {
            let (name, state, sum) = (owned(0)?, owned(1)?, hash(cells, 2)?);
            AccountRow { name, state, sum }.into_account().is_ok()
        }
        // These have no checksum: keys, jobs, numbers, forgotten.
        _ => true,
    })
}

fn finding_row(cells: &[Cell]) -> Option<FindingRow> {
    let owned = |at: usize| text(cells, at).map(str::to_owned);
    Some(FindingRow {
        id: owned(0)?,
        agenda: owned(1)?,
        url: owned(2)?,
        status: owned(3)?,
        accepting: number(cells, 4)? == 1,
        created: number(cells, 5)?,
        state: owned(6)?,
        sum: hash(cells, 7)?,
    })
}

fn text(cells: &[Cell], at: usize) -> Option<&str> {
    optional_text(cells, at).flatten()
}

/// `None` if it is no text, `Some(None)` if it is null.
fn optional_text(cells: &[Cell], at: usize) -> Option<Option<&str>> {
    match cells.get(at)? {
        Cell::Null => Some(None),
        Cell::Text(text) => Some(Some(text)),
        _ => None,
    }
}

fn number(cells: &[Cell], at: usize) -> Option<i64> {
    if let Cell::Number(number) = cells.get(at)? { Some(*number) } else { None }
}

fn bytes(cells: &[Cell], at: usize) -> Option<&[u8]> {
    if let Cell::Bytes(bytes) = cells.get(at)? { Some(bytes) } else { None }
}

fn hash(cells: &[Cell], at: usize) -> Option<Hash> {
    bytes(cells, at)?.try_into().ok().map(Hash::from_bytes)
}

fn show(cell: &Cell) -> String {
    match cell {
        Cell::Null => "null".to_owned(),
        Cell::Number(number) => number.to_string(),
        Cell::Text(text) => text.escape_debug().to_string(),
        Cell::Bytes(bytes) => <[u8; 32]>::try_from(bytes.as_slice())
            .map_or_else(|_| "bytes".to_owned(), |bytes| Hash::from_bytes(bytes).to_string()),
    }
}
