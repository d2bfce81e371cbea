//! Recordings made text: by an endpoint that speaks as OpenAI's does, or by a program of this machine.

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
