//! Requests with an idempotency key, and their answers.

use rusqlite::{OptionalExtension as _, Transaction, params};
use wellread_core::domain::corpus::Hash;
use wellread_core::ports::RecordViewer;
use wellread_core::ports::agenda::IdempotentRequest;
use wellread_core::{Error, Result};

use super::database::ChangeError;
use crate::record_format::damaged_error;
use crate::record_format::sums::answer_sum;

/// Records a request, and returns the answer that it was given before, if any.
pub fn record_request(
    transaction: &Transaction<'_>,
    viewer: &RecordViewer,
    once: &IdempotentRequest,
) -> Result<Option<String>, ChangeError> {
    let known = find_answer(transaction, viewer, once)?;
    if known.is_none() {
        put(transaction, viewer, once, None)?;
    }
    Ok(known.flatten())
}

/// Stores the answer, unless there is one already; returns the stored one.
pub fn keep_answer(
    transaction: &Transaction<'_>,
    viewer: &RecordViewer,
    once: &IdempotentRequest,
    answer: &str,
) -> Result<String, ChangeError> {
    if let Some(kept) = find_answer(transaction, viewer, once)?.flatten() {
        return Ok(kept);
    }
    put(transaction, viewer, once, Some(answer))?;
    Ok(answer.to_owned())
}

/// Removes the answers that `wanted` chooses by their text. A damaged one might be any, and goes too.
pub fn forget(transaction: &Transaction<'_>, wanted: &dyn Fn(&str) -> bool) -> Result<u64, ChangeError> {
    let mut forgotten = 0;
    let mut statement =
        transaction.prepare("SELECT key, request, answer, sum FROM answers WHERE answer IS NOT NULL")?;
    let rows = statement.query_map([], |row| {
        let (request, sum) = (Hash::from_bytes(row.get(1)?), Hash::from_bytes(row.get(3)?));
        Ok((row.get::<_, String>(0)?, request, row.get::<_, String>(2)?, sum))
    })?;
    for (key, request, answer, sum) in rows.collect::<rusqlite::Result<Vec<_>>>()? {
        if wanted(&answer) || sum != answer_sum(&key, request, Some(&answer)) {
            // It stays with whom it belongs to.
            put(transaction, &RecordViewer::vault(), &IdempotentRequest { key, request }, None)?;
            forgotten += 1;
        }
    }
    Ok(forgotten)
}

/// What is stored for a key: `None` if it is unknown, `Some(None)` if it was requested but not answered. `Err` if it
/// belongs to a different request.
fn find_answer(
    transaction: &Transaction<'_>,
    viewer: &RecordViewer,
    once: &IdempotentRequest,
) -> Result<Option<Option<String>>, ChangeError> {
    let row = transaction
        .prepare_cached("SELECT request, answer, sum, owner FROM answers WHERE key = ?1")?
        .query_row([&once.key], |row| {
            let (request, sum) = (Hash::from_bytes(row.get(0)?), Hash::from_bytes(row.get(2)?));
            Ok((request, row.get::<_, Option<String>>(1)?, sum, row.get::<_, String>(3)?))
        })
        .optional()?;
    let Some((request, answer, sum, owner)) = row else { return Ok(None) };
    if !viewer.sees(&owner) {
        return Err(Error::conflict(format!("the key `{}` was already used", once.key)).into());
    }
    if sum != answer_sum(&once.key, request, answer.as_deref()) {
        return Err(damaged_error(&format!("the answer to the key `{}`", once.key)).into());
    }
    once.check_known(request)?;
    Ok(Some(answer))
}

fn put(
    transaction: &Transaction<'_>,
    viewer: &RecordViewer,
    once: &IdempotentRequest,
    answer: Option<&str>,
) -> rusqlite::Result<()> {
    let sum = answer_sum(&once.key, once.request, answer);
    transaction
        .prepare_cached(
            "INSERT INTO answers (key, request, answer, sum, owner) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (key) \
             DO UPDATE SET request = excluded.request, answer = excluded.answer, sum = excluded.sum",
        )?
        .execute(params![once.key, once.request.as_bytes(), answer, sum.as_bytes(), viewer.as_str()])
        .map(|_| ())
}
