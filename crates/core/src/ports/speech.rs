//! Transcription of recordings.

use super::BoxFuture;
use crate::Result;
use crate::domain::untrusted::Untrusted;

/// Writes down what is said in a recording. Where none is set up, there is an implementation that answers with the hint.
pub trait Speech: Send + Sync {
    /// Where recordings are sent: scheme, host and port, and whether that is this machine. Empty where nothing is sent.
    fn endpoint(&self) -> (String, bool);

    /// Transcribes a recording.
    fn transcribe<'a>(&'a self, recording: &'a Recording) -> BoxFuture<'a, Result<Untrusted>>;
}

/// A recording to be transcribed.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The file's name with its ending, which says the format.
    pub name: String,
    /// The file's content.
    pub bytes: Vec<u8>,
}
