//! Findings, and what they are compared by: vectors and sketches.

use tokio_postgres::Row;
use wellread_core::Result;
use wellread_core::domain::id::{AgendaId, FindingId};
use wellread_core::ports::agenda::{
    Finding, FindingDecision, FindingStatus, IdempotentRequest, SuppressedTopic,
};
use wellread_core::ports::{EmbeddingModel, FindingFilter};
use wellread_text::Sketch;

use super::failure::PgFailure;
use super::session::Session;
use super::space_lock::{SpaceLock, lock_space};
use super::value::{RowColumns as _, SqlValue, any_text, any_text_or_null, text_or_null, values};
use super::{agenda_events, answers, topics};
use crate::record_format::finding_row::FindingRow;
use crate::record_format::{limit, sums, to_checked_json};

/// How many sketches are read at a time.
const PAGE: i64 = 1000;
const INSERT: &str = "INSERT INTO wellread.findings (space, id, agenda, url, status, accepting, created, state, sum) \
                      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

/// Inserts a finding; false if its id is known or its page was found before.
pub fn insert(session: &Session, row: &FindingRow) -> Result<bool, PgFailure> {
    Ok(session.execute(&format!("{INSERT} ON CONFLICT DO NOTHING"), row_values(row))? > 0)
}

fn replace(session: &Session, row: &FindingRow) -> Result<(), PgFailure> {
    let sql = format!(
        "{INSERT} ON CONFLICT (space, id) DO UPDATE SET agenda = excluded.agenda, url = excluded.url, \
         status = excluded.status, accepting = excluded.accepting, created = excluded.created, state = excluded.state, \
         sum = excluded.sum"
    );
    session.execute(&sql, row_values(row)).map(drop)
}

fn row_values(row: &FindingRow) -> Vec<SqlValue> {
    values![
        row.id.as_str(),
        row.agenda.as_str(),
        any_text(&row.url),
        row.status.as_str(),
        row.accepting,
        row.created,
        row.state.as_str(),
        row.sum
    ]
}

pub fn decide(
    session: &Session,
    id: &FindingId,
    once: Option<&IdempotentRequest>,
    change: &mut dyn FnMut(&mut Finding) -> Result<Option<SuppressedTopic>>,
) -> Result<Finding, PgFailure> {
    lock_space(session, SpaceLock::Changes)?;
    let before = find(session, id)?.ok_or_else(|| Finding::not_found_error(id))?.into_finding()?;
    let decision = FindingDecision::make(&before, change)?;
    if let Some(topic) = &decision.topic {
        topics::suppress(session, topic)?;
    }
    if decision.is_changed() {
        replace(session, &FindingRow::new(&decision.finding)?)?;
    }
    if let Some(event) = decision.event(|| agenda_events::counts(session))? {
        agenda_events::append(session, &event)?;
    }
    if let Some(once) = once {
        answers::keep_answer(session, once, &to_checked_json("a finding", &decision.finding)?)?;
    }
    Ok(decision.finding)
}

pub fn find(session: &Session, id: &FindingId) -> Result<Option<FindingRow>, PgFailure> {
    Ok(rows(session, "AND id = $2", values![id.as_str()])?.pop())
}

/// The findings that match, newest first.
pub fn list(session: &Session, which: &FindingFilter, at_most: usize) -> Result<Vec<FindingRow>, PgFailure> {
    let sql = "AND ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR agenda = $3) \
               AND ($4::bytea IS NULL OR url_hash = sha256($4)) AND ($5::bigint = 0 OR accepting = 1) \
               ORDER BY created DESC, id DESC LIMIT $6";
    let status = text_or_null(which.status.map(FindingStatus::name));
    let agenda = text_or_null(which.agenda.as_ref().map(AgendaId::as_str));
    let address = any_text_or_null(which.address.as_deref());
    rows(session, sql, values![status, agenda, address, which.accepting, limit(at_most)])
}

/// Findings without a sketch.
pub fn list_unsketched(session: &Session, at_most: usize) -> Result<Vec<FindingRow>, PgFailure> {
    let without =
        "AND NOT EXISTS (SELECT 1 FROM wellread.sketches WHERE space = $1 AND finding = id) LIMIT $2";
    rows(session, without, values![limit(at_most)])
}

fn rows(session: &Session, which: &str, values: Vec<SqlValue>) -> Result<Vec<FindingRow>, PgFailure> {
    let sql = format!(
        "SELECT id, agenda, url, status, accepting, created, state, sum FROM wellread.findings WHERE space = $1 {which}"
    );
    session.query(&sql, values)?.iter().map(read_row).collect()
}

fn read_row(row: &Row) -> Result<FindingRow, PgFailure> {
    Ok(FindingRow {
        id: row.text(0)?,
        agenda: row.text(1)?,
        url: row.any_text(2)?,
        status: row.text(3)?,
        accepting: row.number(4)? == 1,
        created: row.number(5)?,
        state: row.text(6)?,
        sum: row.hash(7)?,
    })
}

pub fn insert_embedding(
    session: &Session,
    finding: &FindingId,
    model: &EmbeddingModel,
    vector: &[f32],
) -> Result<(), PgFailure> {
    let (model, vector) = (sums::model_name(model), sums::pack_vector(vector));
    let sum = sums::embedding_sum(finding.as_str(), &model, &vector);
    let sql = "INSERT INTO wellread.embeddings VALUES ($1, $2, $3, $4, $5) ON CONFLICT (space, finding) \
               DO UPDATE SET model = excluded.model, vector = excluded.vector, sum = excluded.sum";
    session.execute(sql, values![finding.as_str(), any_text(&model), vector, sum]).map(drop)
}

/// All vectors of this model. Damaged ones are skipped: at worst a known page is found again.
pub fn list_embeddings(
    session: &Session,
    model: &EmbeddingModel,
) -> Result<Vec<(FindingId, Vec<f32>)>, PgFailure> {
    let named = sums::model_name(model);
    let sql = "SELECT finding, vector, sum FROM wellread.embeddings WHERE space = $1 AND model = $2 ORDER BY finding";
    let rows = session.query(sql, vec![any_text(&named)])?;
    let read =
        |row: &Row| sums::read_embedding(&row.text(0).ok()?, &named, &row.bytes(1).ok()?, row.hash(2).ok()?);
    let all = rows.iter().filter_map(read);
    Ok(all.filter(|(_, vector)| vector.len() == model.dimension).collect())
}

pub fn insert_sketch(session: &Session, finding: &FindingId, sketch: &Sketch) -> Result<(), PgFailure> {
    let bytes = sketch.to_bytes();
    let sum = sums::sketch_sum(finding.as_str(), &bytes);
    let sql = "INSERT INTO wellread.sketches VALUES ($1, $2, $3, $4) ON CONFLICT (space, finding) \
               DO UPDATE SET sketch = excluded.sketch, sum = excluded.sum";
    session.execute(sql, values![finding.as_str(), bytes, sum]).map(drop)
}

/// Some sketches, and the last finding that was read.
pub type SketchPage = (Vec<(FindingId, Sketch)>, String);

/// Sketches after a finding, in the order of their findings; `None` after the last one. Damaged ones are skipped: at worst
/// a known page is found again.
pub fn list_sketches(session: &Session, after: &str) -> Result<Option<SketchPage>, PgFailure> {
    let sql = "SELECT finding, sketch, sum FROM wellread.sketches WHERE space = $1 AND finding > $2 ORDER BY finding LIMIT $3";
    let rows = session.query(sql, values![after, PAGE])?;
    let Some(last) = rows.last() else { return Ok(None) };
    let read = |row: &Row| sums::read_sketch(&row.text(0).ok()?, &row.bytes(1).ok()?, row.hash(2).ok()?);
    Ok(Some((rows.iter().filter_map(read).collect(), last.text(0)?)))
}
