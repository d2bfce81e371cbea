//! Bodies that are too large, too short, too slow, packed strangely, or not what they are said to be.

use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use wellread_testkit::server::{Reply, says};

use super::*;
use crate::http::decode::{Encoding, Trouble};

const TEXT: &str = "Bees and wax. ";
const BOMB: &[u8] = include_bytes!("samples/two_gibibytes.br");

fn text() -> Vec<u8> {
    TEXT.repeat(40).into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn samples() -> [(Encoding, &'static str, Vec<u8>); 5] {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
    zlib.write_all(&text()).unwrap();
    let mut bare = DeflateEncoder::new(Vec::new(), Compression::best());
    bare.write_all(&text()).unwrap();
    [
        (Encoding::Gzip, "gzip", gzip(&text())),
        (Encoding::Deflate, "deflate", zlib.finish().unwrap()),
        (Encoding::Deflate, "deflate", bare.finish().unwrap()),
        (Encoding::Brotli, "br", include_bytes!("samples/bees.br").to_vec()),
        (Encoding::Zstd, "zstd", include_bytes!("samples/bees.zst").to_vec()),
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

fn answered(head: &str, body: impl Into<Vec<u8>>) -> Reply {
    let (head, body) = (head.to_owned(), body.into());
    raw(&[format!("HTTP/1.1 200 OK\r\n{head}content-length: {}\r\n\r\n", body.len()).into_bytes(), body]
        .concat())
}

fn raw(bytes: &[u8]) -> Reply {
    let bytes = bytes.to_vec();
    // A client that has read enough may be gone.
    Box::new(move |_, stream| drop(stream.write_all(&bytes)))
}

fn asked(settings: WebSettings, reply: Reply) -> Result<Got, WebFailure> {
    let server = Server::start(vec![reply]);
    let answer = fetch(&Names::of(&[("x.test", at(&server))]).web(settings), "http://x.test/");
    server.requests();
    answer
}

fn broken(reply: Reply) -> String {
    match asked(settings(), reply) {
        Err(WebFailure::Broken { message }) => message,
        other => panic!("{other:?}"),
    }
}

fn too_large(settings: WebSettings, reply: Reply) {
    let answer = asked(settings, reply);
    assert!(matches!(answer, Err(WebFailure::TooLarge { .. })), "{answer:?}");
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
            assert!(matches!(answer, Err(Trouble::Broken(_))), "{name} cut at {end}: {answer:?}");
        }
        let answer = encoding.decode(&b"Bees, not packed at all."[..], 1 << 20);
        assert!(matches!(answer, Err(Trouble::Broken(_))), "{name}: {answer:?}");
    }
    // These two carry a checksum.
    for (encoding, name, packed) in
        samples().into_iter().filter(|(encoding, ..)| [Encoding::Gzip, Encoding::Zstd].contains(encoding))
    {
        let mut other = packed.clone();
        let end = if encoding == Encoding::Gzip { packed.len() - 8 } else { packed.len() - 4 };
        other[end] ^= 1;
        assert!(matches!(encoding.decode(&other[..], 1 << 20), Err(Trouble::Broken(_))), "{name}");
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
        (Encoding::Gzip, "gzip", &gzip_bomb[..]),
        (Encoding::Brotli, "br", BOMB),
        (Encoding::Zstd, "zstd", &zstd),
    ] {
        assert!(bomb.len() < 2 << 20, "{name}: {}", bomb.len());
        too_large(settings(), answered(&format!("content-encoding: {name}\r\n"), bomb));
        let taken = AtomicU64::new(0);
        let answer = encoding.decode(Counted(bomb, &taken), 1 << 20);
        assert!(matches!(answer, Err(Trouble::TooLarge)), "{name}: {answer:?}");
        // What is taken of it is a piece or two, not all of it.
        assert!(taken.load(Ordering::Relaxed) <= 64 << 10, "{name}: {taken:?}");
    }
}

#[test]
fn a_window_that_is_larger_than_the_web_allows_is_refused() {
    // 8 MiB, and one step more; then nearly all that can be said.
    assert_eq!(Encoding::Zstd.decode(&zstd_bomb(0x68, 1)[..], 1 << 20).unwrap().len(), 128 << 10);
    for window in [0x70, 0x80, 0xa0, 0xff] {
        let answer = Encoding::Zstd.decode(&zstd_bomb(window, 1)[..], 1 << 20);
        assert!(matches!(answer, Err(Trouble::Broken(_))), "{window:x}: {answer:?}");
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
    assert!(broken(answered("content-encoding: gzip\r\n", twice)).contains("not text"));
    let wrapped = "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n5\r\nBees.\r\n0\r\n\r\n";
    broken(raw(wrapped.as_bytes()));
}

#[test]
fn a_body_may_come_in_chunks_of_any_size() {
    let chunks = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nB\r\n4;x=y\r\nees.\r\n0\r\n\r\n";
    assert_eq!(asked(settings(), raw(chunks)).unwrap().bytes, b"Bees.");
    let until_the_end = b"HTTP/1.1 200 OK\r\n\r\nBees.";
    assert_eq!(asked(settings(), raw(until_the_end)).unwrap().bytes, b"Bees.");
}

#[test]
fn an_endless_body_ends_at_the_cap_of_the_wire() {
    let endless = |head: &'static str, piece: Vec<u8>| -> Reply {
        Box::new(move |_, stream| {
            let _ = stream.write_all(head.as_bytes());
            while stream.write_all(&piece).is_ok() {}
        })
    };
    let small = || WebSettings { wire_bytes: 100_000, ..settings() };
    too_large(small(), endless("HTTP/1.1 200 OK\r\n\r\n", vec![b'x'; 4096]));
    too_large(
        small(),
        endless("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"1\r\nx\r\n".repeat(500)),
    );
    // Nothing in it but ends of nothing: packed as small as can be, it still counts on the wire.
    let nothing = b"\x00\x00\x00\xff\xff".repeat(500);
    too_large(small(), endless("HTTP/1.1 200 OK\r\ncontent-encoding: deflate\r\n\r\n", nothing));
    too_large(small(), answered("", vec![b'x'; 100_001]));
    assert_eq!(asked(small(), answered("", vec![b'x'; 100_000])).unwrap().bytes.len(), 100_000);
    let decoded = || WebSettings { decoded_bytes: 500, ..settings() };
    too_large(decoded(), answered("", vec![b'x'; 501]));
    too_large(decoded(), answered("content-encoding: gzip\r\n", gzip(&[b'x'; 501])));
    assert_eq!(
        asked(decoded(), answered("content-encoding: gzip\r\n", gzip(&[b'x'; 500]))).unwrap().bytes.len(),
        500
    );
}

#[test]
fn a_head_without_end_is_given_up() {
    let endless: Reply = Box::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"x-more: and more of it\r\n").is_ok() {}
    });
    assert!(asked(settings(), endless).is_err());
}

#[test]
fn a_server_that_is_slow_is_given_up_when_time_is_up() {
    let stalls = |said: &'static [u8]| -> Reply {
        Box::new(move |_, stream| {
            let _ = stream.write_all(said);
            // Until the client goes.
            let _ = stream.read(&mut [0]);
        })
    };
    let said: [&[u8]; 5] = [
        b"",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nBee",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n\x1f\x8b",
    ];
    for said in said {
        let server = Server::start(vec![stalls(said)]);
        let web = Names::of(&[("x.test", at(&server))]).web(settings());
        let failure = wait(web.page("http://x.test/", Duration::from_millis(300))).unwrap_err();
        assert!(matches!(failure, WebFailure::Unreachable { .. }), "{failure:?}");
        server.requests();
    }
}

#[test]
fn half_a_body_an_empty_one_and_an_error_are_failures() {
    broken(raw(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nBees."));
    broken(raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nBees.\r\n"));
    broken(raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nBees.\r\n0\r\n\r\n"));
    broken(raw(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nBees.."));
    broken(raw(b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nBees."));
    broken(raw(b"SSH-2.0-OpenSSH\r\n"));
    broken(raw(b"HTTP/1.1 200 OK\r\nx\r\n\r\nBees."));
    broken(raw(b""));
    assert_eq!(broken(answered("", "")), "there is nothing in it");
    assert_eq!(broken(answered("", " \r\n\t ")), "there is nothing in it");
    assert_eq!(broken(answered("content-encoding: gzip\r\n", gzip(b""))), "there is nothing in it");
    for status in [100, 101, 204, 205, 206, 207, 304, 400, 401, 403, 404, 410, 451, 500, 502, 504, 599, 999] {
        let failure = asked(settings(), says(status, "", "<p>Bees.")).unwrap_err();
        assert!(matches!(failure, WebFailure::Broken { .. }), "{status}: {failure:?}");
    }
    let early = b"HTTP/1.1 103 Early\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nBees.";
    assert_eq!(asked(settings(), raw(early)).unwrap().bytes, b"Bees.");
}

#[test]
fn only_text_and_pdf_pass_and_the_first_bytes_decide() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    let pdf = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj".to_vec();
    let said = |kind: &str| if kind.is_empty() { String::new() } else { format!("content-type: {kind}\r\n") };
    for kind in [
        "text/html",
        "text/html; charset=utf-8",
        "TEXT/Plain",
        "text/markdown",
        "application/xhtml+xml",
        "application/xml",
        "application/json",
        "application/ld+json",
        "application/atom+xml",
        "image/svg+xml",
        "",
    ] {
        let got = asked(settings(), answered(&said(kind), "<p>Bees.")).unwrap();
        assert_eq!(got.content_type.unwrap_or_default(), kind);
        let message = broken(answered(&said(kind), png.clone()));
        assert!(message.contains("not text"), "{kind}: {message}");
    }
    for kind in [
        "application/pdf",
        "Application/PDF",
        "application/x-pdf",
        "text/html",
        "text/plain",
        "application/octet-stream",
        "",
    ] {
        let got = asked(settings(), answered(&said(kind), pdf.clone())).unwrap();
        assert_eq!(got.content_type.as_deref(), Some("application/pdf"), "{kind}");
    }
    for kind in [
        "image/png",
        "image/jpeg",
        "application/zip",
        "application/javascript",
        "video/mp4",
        "application/msword",
        "multipart/mixed",
        "application/octet-stream",
        "application/pdf",
        "application/wasm",
        "font/woff2",
        "x",
        "application/",
    ] {
        broken(answered(&said(kind), "<p>Bees."));
    }
    broken(answered(&said("image/png"), pdf));
    for other in [
        &b"GIF89a...."[..],
        b"PK\x03\x04....",
        b"\x1f\x8b\x08 x",
        b"\xff\xd8\xff\xe0x",
        b"\x7fELF x",
        b"RIFFxxxxWEBP",
        b"a\0b",
    ] {
        broken(answered(&said("text/html"), other));
    }
    let wide: Vec<u8> =
        b"\xff\xfe".iter().copied().chain("Bees.".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert!(asked(settings(), answered(&said("text/html"), wide)).is_ok());
    assert!(
        asked(settings(), answered(&said("text/html; charset=ISO-2022-JP"), "\u{1b}$B$3\u{1b}(B")).is_ok()
    );
}
