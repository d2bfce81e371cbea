//! Content encodings: one at the most, undone while it comes, up to a cap.

use std::io::{self, BufReader, Read};

use flate2::{Decompress, FlushDecompress, Status};
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// What is read from a decoder at once.
const PIECE: usize = 16 * 1024;
/// What a decoder may look back on, as the standard limits it on the web.
const ZSTD_WINDOW: u64 = 8 * 1024 * 1024;

pub(super) const ACCEPTED: &str = "gzip, deflate, br, zstd";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentEncoding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// Why there is nothing decoded.
#[derive(Debug)]
pub(super) enum DecodeError {
    TooLarge,
    Broken(String),
}

impl ContentEncoding {
    /// As the head of an answer says it; an encoding of an encoding is none.
    pub(super) fn from_headers(headers: &HeaderMap) -> Result<Self, String> {
        let mut named = Vec::new();
        for value in headers.get_all(CONTENT_ENCODING) {
            let value = value.to_str().map_err(|_| "its encoding has no name".to_owned())?;
            let names = value.split(',').map(|name| name.trim().to_ascii_lowercase());
            named.extend(names.filter(|name| !name.is_empty() && name != "identity"));
        }
        match named.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [] => Ok(Self::Identity),
            ["gzip" | "x-gzip"] => Ok(Self::Gzip),
            ["deflate"] => Ok(Self::Deflate),
            ["br"] => Ok(Self::Brotli),
            ["zstd"] => Ok(Self::Zstd),
            [_] => Err("its encoding was not requested".to_owned()),
            _ => Err("it is encoded more than once".to_owned()),
        }
    }

    /// Reads to the end of what comes. Memory is bounded by the cap and by what a decoder looks back on.
    pub(super) fn decode(self, wire: impl Read, cap: u64) -> Result<Vec<u8>, DecodeError> {
        match self {
            Self::Identity => drain(wire, Vec::new(), cap),
            Self::Gzip => drain(flate2::read::MultiGzDecoder::new(wire), Vec::new(), cap),
            Self::Deflate => drain(Inflate::new(wire).map_err(broken_error)?, Vec::new(), cap),
            Self::Brotli => drain(brotli_decompressor::Decompressor::new(wire, PIECE), Vec::new(), cap),
            Self::Zstd => decode_zstd_frames(BufReader::with_capacity(PIECE, wire), cap),
        }
    }
}

fn broken_error(error: impl std::fmt::Display) -> DecodeError {
    DecodeError::Broken(error.to_string())
}

/// Adds what a decoder gives to what there is.
fn drain(mut decoder: impl Read, mut decoded: Vec<u8>, cap: u64) -> Result<Vec<u8>, DecodeError> {
    let mut piece = vec![0; PIECE];
    loop {
        match decoder.read(&mut piece) {
            Ok(0) => return Ok(decoded),
            Ok(read) if (decoded.len() + read) as u64 > cap => return Err(DecodeError::TooLarge),
            Ok(read) => decoded.extend_from_slice(&piece[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(broken_error(error)),
        }
    }
}

/// One frame after the other, each whole and with the checksum that it says; frames to skip are skipped.
fn decode_zstd_frames(mut wire: BufReader<impl Read>, cap: u64) -> Result<Vec<u8>, DecodeError> {
    let mut decoded = Vec::new();
    let mut some = false;
    while !io::BufRead::fill_buf(&mut wire).map_err(broken_error)?.is_empty() {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(ZSTD_WINDOW);
        let mut frame = match StreamingDecoder::new_with_decoder(&mut wire, decoder) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let skipped = io::copy(&mut (&mut wire).take(length.into()), &mut io::sink());
                if skipped.map_err(broken_error)? < u64::from(length) {
                    return Err(DecodeError::Broken("it ends early".to_owned()));
                }
                continue;
            }
            Err(error) => return Err(broken_error(error)),
        };
        decoded = drain(&mut frame, decoded, cap)?;
        let decoder = frame.into_frame_decoder();
        let declared = decoder.get_checksum_from_data();
        if declared.is_some() && declared != decoder.get_calculated_checksum() {
            return Err(DecodeError::Broken("its checksum is wrong".to_owned()));
        }
        some = true;
    }
    if some { Ok(decoded) } else { Err(DecodeError::Broken("it ends early".to_owned())) }
}

/// What is called `deflate`: with the head that the standard asks for, or without, as some send it.
struct Inflate<R> {
    wire: R,
    decompress: Decompress,
    arrived: Vec<u8>,
    at: usize,
    ended: bool,
}

impl<R: Read> Inflate<R> {
    fn new(mut wire: R) -> io::Result<Self> {
        let mut arrived = Vec::new();
        (&mut wire).take(2).read_to_end(&mut arrived)?;
        let has_head = matches!(arrived[..], [first, second]
            if first & 0x0f == 8 && (u16::from(first) << 8 | u16::from(second)).is_multiple_of(31));
        Ok(Self { wire, decompress: Decompress::new(has_head), arrived, at: 0, ended: false })
    }
}

impl<R: Read> Read for Inflate<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.ended && !into.is_empty() {
            let (before, after) = (self.decompress.total_in(), self.decompress.total_out());
            let status = self.decompress.decompress(&self.arrived[self.at..], into, FlushDecompress::None);
            let status = status.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            self.at += (self.decompress.total_in() - before) as usize;
            self.ended = status == Status::StreamEnd;
            let written = (self.decompress.total_out() - after) as usize;
            if written > 0 {
                return Ok(written);
            }
            if !self.ended && self.at == self.arrived.len() {
                self.arrived.resize(PIECE, 0);
                let read = self.wire.read(&mut self.arrived)?;
                self.arrived.truncate(read);
                self.at = 0;
                if read == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        Ok(0)
    }
}
