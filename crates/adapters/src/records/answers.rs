//! What was asked with a key, and what was answered.

use rusqlite::{OptionalExtension as _, Transaction, params};
use wellread_core::Result;
use wellread_core::domain::corpus::Hash;
use wellread_core::ports::agenda::IdempotentRequest;

use super::checksum::Checksum;
use super::damaged_error;
use super::database::ChangeError;

/// Writes down that this is asked. The answer that it had, where it had one.
pub fn record_request(
    transaction: &Transaction<'_>,
    once: &IdempotentRequest,
) -> Result<Option<String>, ChangeError> {
    let known = find_answer(transaction, once)?;
    if known.is_none() {
        put(transaction, once, None)?;
    }
    Ok(known.flatten())
}

/// Keeps the answer, unless there is one: the one that is kept.
pub fn keep_answer(
    transaction: &Transaction<'_>,
    once: &IdempotentRequest,
    answer: &str,
) -> Result<String, ChangeError> {
    if let Some(kept) = find_answer(transaction, once)?.flatten() {
        return Ok(kept);
    }
    put(transaction, once, Some(answer))?;
    Ok(answer.to_owned())
}

/// What is known of a key: nothing, that it was asked, or what was answered. An error where it is another request's.
fn find_answer(
    transaction: &Transaction<'_>,
    once: &IdempotentRequest,
) -> Result<Option<Option<String>>, ChangeError> {
    let row = transaction
        .prepare_cached("SELECT request, answer, sum FROM answers WHERE key = ?1")?
        .query_row([&once.key], |row| {
            let (request, sum) = (Hash::from_bytes(row.get(0)?), Hash::from_bytes(row.get(2)?));
            Ok((request, row.get::<_, Option<String>>(1)?, sum))
        })
        .optional()?;
    let Some((request, answer, sum)) = row else { return Ok(None) };
    if sum != checksum(&once.key, request, answer.as_deref()) {
        return Err(damaged_error(&format!("the answer to the key `{}`", once.key)).into());
    }
    once.check_known(request)?;
    Ok(Some(answer))
}

fn put(
    transaction: &Transaction<'_>,
    once: &IdempotentRequest,
    answer: Option<&str>,
) -> rusqlite::Result<()> {
    let sum = checksum(&once.key, once.request, answer);
    transaction
        .prepare_cached("REPLACE INTO answers VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![once.key, once.request.as_bytes(), answer, sum.as_bytes()])
        .map(|_| ())
}

fn checksum(key: &str, request: Hash, answer: Option<&str>) -> Hash {
    Checksum::default().text(key).bytes(request.as_bytes()).text_or_none(answer).finish()
}
