//! Requests with an idempotency key, and their answers. Whoever asks has locked the space.

use wellread_core::ports::agenda::IdempotentRequest;

use super::failure::PgFailure;
use super::session::Session;
use super::value::{RowColumns as _, any_text, any_text_or_null, optional_any_text, values};
use crate::record_format::damaged_error;
use crate::record_format::sums::answer_sum;

/// Records a request, and returns the answer that it was given before, if any.
pub fn record_request(session: &Session, once: &IdempotentRequest) -> Result<Option<String>, PgFailure> {
    let known = find_answer(session, once)?;
    if known.is_none() {
        put(session, once, None)?;
    }
    Ok(known.flatten())
}

/// Stores the answer, unless there is one already; returns the stored one.
pub fn keep_answer(session: &Session, once: &IdempotentRequest, answer: &str) -> Result<String, PgFailure> {
    if let Some(kept) = find_answer(session, once)?.flatten() {
        return Ok(kept);
    }
    put(session, once, Some(answer))?;
    Ok(answer.to_owned())
}

/// Removes the answers that `wanted` chooses by their text. A damaged one might be any, and goes too.
pub fn forget(session: &Session, wanted: &dyn Fn(&str) -> bool) -> Result<u64, PgFailure> {
    session.see_all_in_transaction()?;
    let mut forgotten = 0;
    let sql =
        "SELECT key, request, answer, sum FROM wellread.answers WHERE space = $1 AND answer IS NOT NULL";
    for row in session.query(sql, Vec::new())? {
        let (key, request, sum) = (row.any_text(0)?, row.hash(1)?, row.hash(3)?);
        let answer = row.any_text(2)?;
        if wanted(&answer) || sum != answer_sum(&key, request, Some(&answer)) {
            put(session, &IdempotentRequest { key, request }, None)?;
            forgotten += 1;
        }
    }
    Ok(forgotten)
}

/// What is stored for a key: `None` if it is unknown, `Some(None)` if it was requested but not answered. `Err` if it
/// belongs to a different request.
fn find_answer(session: &Session, once: &IdempotentRequest) -> Result<Option<Option<String>>, PgFailure> {
    let sql = "SELECT request, answer, sum FROM wellread.answers WHERE space = $1 AND key_hash = sha256($2)";
    let Some(row) = session.find(sql, vec![any_text(&once.key)])? else { return Ok(None) };
    let (request, answer, sum) = (row.hash(0)?, optional_any_text(&row, 1)?, row.hash(2)?);
    if sum != answer_sum(&once.key, request, answer.as_deref()) {
        return Err(damaged_error(&format!("the answer to the key `{}`", once.key)).into());
    }
    once.check_known(request)?;
    Ok(Some(answer))
}

fn put(session: &Session, once: &IdempotentRequest, answer: Option<&str>) -> Result<(), PgFailure> {
    let sum = answer_sum(&once.key, once.request, answer);
    let sql = "INSERT INTO wellread.answers (space, key, request, answer, sum) VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT (space, key_hash) DO UPDATE SET request = excluded.request, answer = excluded.answer, \
               sum = excluded.sum";
    let values = values![any_text(&once.key), once.request, any_text_or_null(answer), sum];
    session.execute(sql, values).map(drop)
}
