//! A request that is made once, however often it comes: the same key, the same answer.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::corpus::Hash;
use crate::ports::Answers;
use crate::{Error, Result};

/// What a client gives a request so that it can be told from all others, and what it asked for with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Once {
    pub key: String,
    /// Of what is asked for.
    #[schemars(with = "String")]
    pub request: Hash,
}

impl Once {
    /// `what` is asked for, with these particulars.
    pub fn new(key: &str, what: &str, asked: &impl Serialize) -> Result<Self> {
        let asked = serde_json::to_string(asked).map_err(|error| Error::invalid(error.to_string()))?;
        Ok(Self { key: key.to_owned(), request: Hash::of(format!("{what}\n{asked}").as_bytes()) })
    }

    /// Why the key can't be used: another request was made with it.
    pub fn taken(&self) -> Error {
        Error::conflict(format!("the key `{}` was used for another request before", self.key))
            .hint("nothing was changed; a new request takes a new `Idempotency-Key`")
    }

    /// The answer that was given before, where there was one.
    pub fn answered<T: DeserializeOwned>(once: Option<&Self>, answers: &dyn Answers) -> Result<Option<T>> {
        let Some(once) = once else { return Ok(None) };
        answers.ask(once)?.map(|answer| once.read(&answer)).transpose()
    }

    /// Keeps an answer. Where somebody was quicker with the same request, theirs is the answer.
    pub fn keep<T: Serialize + DeserializeOwned>(
        once: Option<&Self>,
        answers: &dyn Answers,
        answer: T,
    ) -> Result<T> {
        let Some(once) = once else { return Ok(answer) };
        let answer = serde_json::to_string(&answer).map_err(|error| Error::failed(error.to_string()))?;
        once.read(&answers.answer(once, &answer)?)
    }

    fn read<T: DeserializeOwned>(&self, answer: &str) -> Result<T> {
        let unfit = |_| Error::failed(format!("the answer to the key `{}` can't be read any more", self.key));
        serde_json::from_str(answer).map_err(unfit)
    }
}
