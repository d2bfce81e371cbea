//! Talking to a model: what its failures mean, and answers in a required format.
//!
//! The wire protocol is the adapter's concern; logging and budgets are the run's.

mod json;
pub mod schema;
mod structured;

pub use json::json_in_text;
pub use structured::{
    ModelClient, ShapeFailure, StructuredAnswer, ask_shaped, ask_structured, ask_structured_from,
};

use crate::ports::ModelFailure;
use crate::{Error, ErrorKind};

impl From<ModelFailure> for Error {
    fn from(failure: ModelFailure) -> Self {
        match failure {
            ModelFailure::NotSetUp { message, hint } => Self::new(ErrorKind::NotSetUp, message).hint(hint),
            ModelFailure::Key { message, hint } => Self::new(ErrorKind::Unavailable, message).hint(hint),
            ModelFailure::Unreachable { message } => Self::new(ErrorKind::Unavailable, message).hint(
                "is the service up? its address is the setting `model.base_url`; `wellread doctor` looks",
            ),
            ModelFailure::Busy { message } => {
                Self::new(ErrorKind::Unavailable, message).hint("try again later")
            }
            ModelFailure::Unsupported { what } => {
                Self::new(ErrorKind::BadReply, format!("the model's service does not support {what}"))
                    .hint("choose another with `wellread config set model.name NAME`")
            }
            ModelFailure::TooLong { message } => Self::new(ErrorKind::BadReply, message)
                .hint("ask for less at once, or choose a model that reads more"),
            ModelFailure::Rejected { message, .. } => {
                Self::new(ErrorKind::BadReply, message).hint("check `model.name` and `model.base_url`")
            }
            ModelFailure::Broken { message } => {
                Self::new(ErrorKind::BadReply, format!("the model's answer can't be used: {message}"))
                    .hint("try again")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_becomes_an_error_that_says_what_to_do() {
        let text = || "what happened".to_owned();
        for (failure, kind) in [
            (ModelFailure::NotSetUp { message: text(), hint: text() }, ErrorKind::NotSetUp),
            (ModelFailure::Key { message: text(), hint: text() }, ErrorKind::Unavailable),
            (ModelFailure::Unreachable { message: text() }, ErrorKind::Unavailable),
            (ModelFailure::Busy { message: text() }, ErrorKind::Unavailable),
            (ModelFailure::Unsupported { what: text() }, ErrorKind::BadReply),
            (ModelFailure::TooLong { message: text() }, ErrorKind::BadReply),
            (ModelFailure::Rejected { status: 400, message: text() }, ErrorKind::BadReply),
            (ModelFailure::Broken { message: text() }, ErrorKind::BadReply),
        ] {
            let error = Error::from(failure);
            assert_eq!(error.kind(), kind);
            assert!(error.message().contains("what happened"), "{error}");
            assert!(error.hint_text().is_some_and(|hint| !hint.is_empty()), "{error}");
        }
    }
}
