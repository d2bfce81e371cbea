//! Texts as stored: identified by hash, compressed, and verified whenever they are read.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use wellread_core::domain::corpus::Hash;
use wellread_core::{Error, Result};

use super::damaged_error;

/// The longest text in bytes, longer than any page. Anything that claims to be longer is not unpacked.
const LONGEST: usize = 64 << 20;

/// The length of the text in bytes, and the compressed text.
pub type PackedText = (u64, Vec<u8>);

pub fn pack(text: &str) -> Result<Vec<u8>> {
    if text.len() > LONGEST {
        return Err(Error::invalid(format!("a text of {} bytes is too long to be kept", text.len())));
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(text.as_bytes())
        .and_then(|()| encoder.finish())
        .map_err(|error| Error::failed(format!("could not compress a text: {error}")))
}

/// Unpacks and verifies a text, reading no more than its stated length.
pub fn unpack(hash: Hash, (length, packed): &PackedText) -> Result<String> {
    let wrong = || damaged_error(&format!("the snapshot {hash}"));
    let most = (*length).min(LONGEST as u64);
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed.as_slice()).take(most + 1).read_to_end(&mut bytes).map_err(|_| wrong())?;
    if bytes.len() as u64 != *length || Hash::compute(&bytes) != hash {
        return Err(wrong());
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}
