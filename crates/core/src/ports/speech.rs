//! Transcription of recordings.

use super::BoxFuture;
use crate::Result;
use crate::domain::untrusted::Untrusted;

/// A transcription service. If none is set up, an implementation answers with a hint.
pub trait Speech: Send + Sync {
    /// Where recordings are sent (scheme, host and port; empty if nothing is sent), and whether that is this machine.
    fn endpoint(&self) -> (String, bool);

    /// Transcribes a recording; returns what is said in it.
    fn transcribe<'a>(&'a self, recording: &'a Recording) -> BoxFuture<'a, Result<Untrusted>>;
}

/// A recording to be transcribed.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The file's name; its extension determines the format.
    pub name: String,
    /// The file's content.
    pub bytes: Vec<u8>,
}
