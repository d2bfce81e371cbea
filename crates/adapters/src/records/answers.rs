//! What was asked with a key, and what was answered.

use rusqlite::{OptionalExtension as _, Transaction, params};
use wellread_core::Result;
use wellread_core::domain::corpus::Hash;
use wellread_core::ports::agenda::Once;

use super::change_error::Trouble;
use super::checksum::Sum;
use super::not_as_written;

/// Writes down that this is asked. The answer that it had, where it had one.
pub fn ask(transaction: &Transaction<'_>, once: &Once) -> Result<Option<String>, Trouble> {
    let known = known(transaction, once)?;
    if known.is_none() {
        put(transaction, once, None)?;
    }
    Ok(known.flatten())
}

/// Keeps the answer, unless there is one: the one that is kept.
pub fn answer(transaction: &Transaction<'_>, once: &Once, answer: &str) -> Result<String, Trouble> {
    if let Some(kept) = known(transaction, once)?.flatten() {
        return Ok(kept);
    }
    put(transaction, once, Some(answer))?;
    Ok(answer.to_owned())
}

/// What is known of a key: nothing, that it was asked, or what was answered. An error where it is another request's.
fn known(transaction: &Transaction<'_>, once: &Once) -> Result<Option<Option<String>>, Trouble> {
    let row = transaction
        .prepare_cached("SELECT request, answer, sum FROM answers WHERE key = ?1")?
        .query_row([&once.key], |row| {
            let (request, sum) = (Hash::from_bytes(row.get(0)?), Hash::from_bytes(row.get(2)?));
            Ok((request, row.get::<_, Option<String>>(1)?, sum))
        })
        .optional()?;
    let Some((request, answer, sum)) = row else { return Ok(None) };
    if sum != summed(&once.key, request, answer.as_deref()) {
        return Err(not_as_written(&format!("the answer to the key `{}`", once.key)).into());
    }
    if request != once.request {
        return Err(once.taken().into());
    }
    Ok(Some(answer))
}

fn put(transaction: &Transaction<'_>, once: &Once, answer: Option<&str>) -> rusqlite::Result<()> {
    let sum = summed(&once.key, once.request, answer);
    transaction
        .prepare_cached("REPLACE INTO answers VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![once.key, once.request.as_bytes(), answer, sum.as_bytes()])
        .map(|_| ())
}

fn summed(key: &str, request: Hash, answer: Option<&str>) -> Hash {
    Sum::default().text(key).bytes(request.as_bytes()).text_or_none(answer).finish()
}
