//! Bodies that are packed: in every way that is asked for, and in ways that are not; cut, damaged, and as bombs.

use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::write::{DeflateEncoder, ZlibEncoder};

use super::*;
use crate::http::decode::{ContentEncoding, DecodeError};

const TEXT: &str = "Bees and wax. ";
const BOMB: &[u8] = include_bytes!("samples/two_gibibytes.br");

fn text() -> Vec<u8> {
    TEXT.repeat(40).into_bytes()
}

fn samples() -> [(ContentEncoding, &'static str, Vec<u8>); 5] {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
    zlib.write_all(&text()).unwrap();
    let mut bare = DeflateEncoder::new(Vec::new(), Compression::best());
    bare.write_all(&text()).unwrap();
    [
        (ContentEncoding::Gzip, "gzip", gzip(&text())),
        (ContentEncoding::Deflate, "deflate", zlib.finish().unwrap()),
        (ContentEncoding::Deflate, "deflate", bare.finish().unwrap()),
        (ContentEncoding::Brotli, "br", include_bytes!("samples/bees.br").to_vec()),
        (ContentEncoding::Zstd, "zstd", include_bytes!("samples/bees.zst").to_vec()),
    ]
}

/// A frame of zstd that says its window, then `blocks` times 128 KiB of one byte, each in four bytes.
fn zstd_bomb(window: u8, blocks: usize) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, window];
    for left in (0..blocks).rev() {
        let head: u32 = (128 << 10) << 3 | 1 << 1 | u32::from(left == 0);
        frame.extend_from_slice(&head.to_le_bytes()[..3]);
        frame.push(b'x');
    }
    frame
}

#[test]
fn every_encoding_that_is_asked_for_is_undone() {
    for (_, name, packed) in samples() {
        let got = asked(settings(), answered(&format!("content-encoding: {name}\r\n"), packed)).unwrap();
        assert_eq!(got.bytes, text(), "{name}");
    }
    let two = [gzip(b"Bees "), gzip(b"and wax.")].concat();
    assert_eq!(
        asked(settings(), answered("content-encoding: X-GZip\r\n", two)).unwrap().bytes,
        b"Bees and wax."
    );
    let skipped =
        [&[0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7], &include_bytes!("samples/bees.zst")[..]].concat();
    assert_eq!(asked(settings(), answered("content-encoding: zstd\r\n", skipped)).unwrap().bytes, text());
    assert_eq!(asked(settings(), answered("content-encoding: identity\r\n", text())).unwrap().bytes, text());
}

#[test]
fn what_ends_early_or_is_damaged_is_never_taken_for_whole() {
    for (encoding, name, packed) in samples() {
        for end in 0..packed.len() {
            let answer = encoding.decode(&packed[..end], 1 << 20);
            assert!(matches!(answer, Err(DecodeError::Broken(_))), "{name} cut at {end}: {answer:?}");
        }
        let answer = encoding.decode(&b"Bees, not packed at all."[..], 1 << 20);
        assert!(matches!(answer, Err(DecodeError::Broken(_))), "{name}: {answer:?}");
    }
    // These two carry a checksum.
    for (encoding, name, packed) in samples()
        .into_iter()
        .filter(|(encoding, ..)| [ContentEncoding::Gzip, ContentEncoding::Zstd].contains(encoding))
    {
        let mut other = packed.clone();
        let end = if encoding == ContentEncoding::Gzip { packed.len() - 8 } else { packed.len() - 4 };
        other[end] ^= 1;
        assert!(matches!(encoding.decode(&other[..], 1 << 20), Err(DecodeError::Broken(_))), "{name}");
    }
    let cut = gzip(&text());
    let message = broken(answered("content-encoding: gzip\r\n", &cut[..cut.len() - 1]));
    assert!(message.contains("can't be decoded"), "{message}");
}

/// Counts what is taken of it.
struct Counted<'a>(&'a [u8], &'a AtomicU64);

impl io::Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(into)?;
        self.1.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

#[test]
fn a_bomb_ends_at_the_cap() {
    let member = gzip(&vec![b'x'; 16 << 20]);
    let gzip_bomb = member.repeat(64);
    let zstd = zstd_bomb(0x50, 16 << 10);
    for (encoding, name, bomb) in [
        (ContentEncoding::Gzip, "gzip", &gzip_bomb[..]),
        (ContentEncoding::Brotli, "br", BOMB),
        (ContentEncoding::Zstd, "zstd", &zstd),
    ] {
        assert!(bomb.len() < 2 << 20, "{name}: {}", bomb.len());
        too_large(settings(), answered(&format!("content-encoding: {name}\r\n"), bomb));
        let taken = AtomicU64::new(0);
        let answer = encoding.decode(Counted(bomb, &taken), 1 << 20);
        assert!(matches!(answer, Err(DecodeError::TooLarge)), "{name}: {answer:?}");
        // What is taken of it is a piece or two, not all of it.
        assert!(taken.load(Ordering::Relaxed) <= 64 << 10, "{name}: {taken:?}");
    }
}

#[test]
fn a_window_that_is_larger_than_the_web_allows_is_refused() {
    // 8 MiB, and one step more; then nearly all that can be said.
    assert_eq!(ContentEncoding::Zstd.decode(&zstd_bomb(0x68, 1)[..], 1 << 20).unwrap().len(), 128 << 10);
    for window in [0x70, 0x80, 0xa0, 0xff] {
        let answer = ContentEncoding::Zstd.decode(&zstd_bomb(window, 1)[..], 1 << 20);
        assert!(matches!(answer, Err(DecodeError::Broken(_))), "{window:x}: {answer:?}");
    }
}

#[test]
fn one_encoding_is_the_most() {
    let twice = gzip(&gzip(&text()));
    for head in [
        "content-encoding: gzip, gzip\r\n",
        "content-encoding: gzip\r\ncontent-encoding: br\r\n",
        "content-encoding: gzip,identity,gzip\r\n",
    ] {
        assert_eq!(broken(answered(head, twice.clone())), "it is encoded more than once");
    }
    for head in
        ["content-encoding: compress\r\n", "content-encoding: lzma\r\n", "content-encoding: \u{e4}\r\n"]
    {
        assert!(broken(answered(head, text())).contains("encoding"), "{head}");
    }
    // Packed twice and said once: what comes out is no text.
    assert!(broken(answered("content-encoding: gzip\r\n", twice)).contains("claims to be text"));
    let wrapped = "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n5\r\nBees.\r\n0\r\n\r\n";
    broken(raw(wrapped.as_bytes()));
}
