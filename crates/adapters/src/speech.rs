//! Transcribes recordings: with an OpenAI-compatible endpoint, or with a program on this machine.

mod command;
mod endpoint;
mod form;
mod transcript;

use wellread_core::{Error, ErrorKind};

pub use command::SpeechCommand;
pub use endpoint::{SpeechEndpoint, SpeechService};

fn unavailable_error(message: String) -> Error {
    Error::new(ErrorKind::Unavailable, message)
}
