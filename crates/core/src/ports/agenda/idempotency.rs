//! Requests with an idempotency key: a repeated request gets the first answer and changes nothing.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::domain::corpus::Hash;
use crate::ports::IdempotencyStore;
use crate::{Error, Result};

/// A client's idempotency key, and the request that it was used for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdempotentRequest {
    /// The key that the client chose.
    pub key: String,
    /// The hash of the request's name and arguments.
    #[schemars(with = "String")]
    pub request: Hash,
}

impl IdempotentRequest {
    /// A key for the request named `what` with the arguments `asked`. An error if those can't be written as JSON.
    pub fn new(key: &str, what: &str, asked: &impl Serialize) -> Result<Self> {
        let asked = serde_json::to_string(asked).map_err(|error| Error::invalid(error.to_string()))?;
        Ok(Self { key: key.to_owned(), request: Hash::compute(format!("{what}\n{asked}").as_bytes()) })
    }

    /// An error of kind `Conflict` if `request`, which the key was first used for, is another request.
    pub fn check_known(&self, request: Hash) -> Result<()> {
        if request == self.request {
            return Ok(());
        }
        Err(Error::conflict(format!("the key `{}` was already used for another request", self.key))
            .hint("nothing was changed; use a new `Idempotency-Key` for a new request"))
    }

    /// Records the request and returns its answer if it was answered before; `None` if not, or without a key.
    pub fn find_answer<T: DeserializeOwned>(
        once: Option<&Self>,
        answers: &dyn IdempotencyStore,
    ) -> Result<Option<T>> {
        let Some(once) = once else { return Ok(None) };
        answers.record_request(once)?.map(|answer| once.parse_answer(&answer)).transpose()
    }

    /// Stores the answer and returns the stored one, which is another if the same request was answered in the meantime.
    pub fn keep_answer<T: Serialize + DeserializeOwned>(
        once: Option<&Self>,
        answers: &dyn IdempotencyStore,
        answer: T,
    ) -> Result<T> {
        let Some(once) = once else { return Ok(answer) };
        let answer = serde_json::to_string(&answer).map_err(|error| Error::failed(error.to_string()))?;
        once.parse_answer(&answers.keep_answer(once, &answer)?)
    }

    fn parse_answer<T: DeserializeOwned>(&self, answer: &str) -> Result<T> {
        let unfit = |_| Error::failed(format!("the answer to the key `{}` can no longer be read", self.key));
        serde_json::from_str(answer).map_err(unfit)
    }
}
