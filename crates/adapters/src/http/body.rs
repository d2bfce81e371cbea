//! The body of an answer, read within the caps: what comes on the wire and what it is decoded to are counted apart.

use std::io::{self, Read};

use reqwest::Response;
use reqwest::header::TRANSFER_ENCODING;
use tokio::sync::mpsc::{Receiver, channel};
use wellread_core::ports::WebFailure;

use super::HttpFailure;
use super::decode::{ContentEncoding, DecodeError};

/// Pieces that may wait for the decoder.
const WAITING: usize = 4;

/// How much may come, and how much it may be decoded to, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByteCaps {
    pub wire: u64,
    pub decoded: u64,
}

/// All of it, decoded.
pub(super) async fn read(mut response: Response, caps: ByteCaps) -> Result<Vec<u8>, WebFailure> {
    let ByteCaps { wire: wire_bytes, decoded: decoded_bytes } = caps;
    let transfer = response.headers().get_all(TRANSFER_ENCODING).iter();
    if transfer.into_iter().any(|value| !value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked")) {
        return Err(broken_failure("it uses an encoding that was not requested"));
    }
    let encoding = ContentEncoding::from_headers(response.headers()).map_err(broken_failure)?;
    if response.content_length().is_some_and(|length| length > wire_bytes) {
        return Err(too_large_failure(wire_bytes));
    }
    if encoding == ContentEncoding::Identity {
        let cap = wire_bytes.min(decoded_bytes);
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(transfer_failure)? {
            if (body.len() + piece.len()) as u64 > cap {
                return Err(too_large_failure(cap));
            }
            body.extend_from_slice(&piece);
        }
        return Ok(body);
    }
    let (send, receive) = channel(WAITING);
    // Whoever waits for this may go: then nothing comes any more, and the decoder ends.
    let decoding =
        tokio::task::spawn_blocking(move || encoding.decode(ChannelReader::from(receive), decoded_bytes));
    let mut wire = 0;
    while let Some(piece) = response.chunk().await.map_err(transfer_failure)? {
        wire += piece.len() as u64;
        if wire > wire_bytes {
            return Err(too_large_failure(wire_bytes));
        }
        // The decoder has had enough, and says below of what.
        if send.send(piece.to_vec()).await.is_err() {
            break;
        }
    }
    drop(send);
    let decoded = decoding.await.map_err(|_| broken_failure("it can't be decoded"))?;
    decoded.map_err(|trouble| match trouble {
        DecodeError::TooLarge => too_large_failure(decoded_bytes),
        DecodeError::Broken(why) => broken_failure(format!("it can't be decoded: {why}")),
    })
}

/// What comes over an async connection, for a decoder that blocks.
struct ChannelReader {
    pieces: Receiver<Vec<u8>>,
    piece: io::Cursor<Vec<u8>>,
}

impl From<Receiver<Vec<u8>>> for ChannelReader {
    fn from(pieces: Receiver<Vec<u8>>) -> Self {
        Self { pieces, piece: io::Cursor::default() }
    }
}

impl Read for ChannelReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.piece.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            let Some(piece) = self.pieces.blocking_recv() else { return Ok(0) };
            self.piece = io::Cursor::new(piece);
        }
    }
}

fn transfer_failure(error: reqwest::Error) -> WebFailure {
    match HttpFailure::from_reqwest(error) {
        failure @ (HttpFailure::TimedOut | HttpFailure::Cut(_)) => {
            WebFailure::Unreachable { message: failure.to_string() }
        }
        failure => broken_failure(failure.to_string()),
    }
}

fn broken_failure(message: impl Into<String>) -> WebFailure {
    WebFailure::Broken { message: message.into() }
}

fn too_large_failure(cap: u64) -> WebFailure {
    WebFailure::TooLarge { message: format!("it is larger than {cap} bytes") }
}
