//! Bodies that are too large, too short, too slow, or not what they are said to be.

use std::io::{Read as _, Write as _};

use wellread_testkit::scripted_server::http_reply;

use super::*;

#[test]
fn a_body_may_come_in_chunks_of_any_size() {
    let chunks = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nB\r\n4;x=y\r\nees.\r\n0\r\n\r\n";
    assert_eq!(asked(settings(), raw(chunks)).unwrap().bytes, b"Bees.");
    let until_the_end = b"HTTP/1.1 200 OK\r\n\r\nBees.";
    assert_eq!(asked(settings(), raw(until_the_end)).unwrap().bytes, b"Bees.");
}

#[test]
fn an_endless_body_ends_at_the_cap_of_the_wire() {
    let endless = |head: &'static str, piece: Vec<u8>| -> ReplyHandler {
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
    // What is packed counts as it comes, however long it says that it is.
    let packed = gzip(b"Bees and wax.");
    let head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n";
    let wire = |bytes: usize| WebSettings { wire_bytes: bytes as u64, ..settings() };
    too_large(wire(packed.len() - 1), raw(&[head, &packed[..]].concat()));
    too_large(wire(packed.len() - 1), answered("content-encoding: gzip\r\n", packed.clone()));
    assert!(asked(wire(packed.len()), raw(&[head, &packed[..]].concat())).is_ok());
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
    let endless: ReplyHandler = Box::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"x-more: and more of it\r\n").is_ok() {}
    });
    assert!(asked(settings(), endless).is_err());
}

#[test]
fn a_server_that_is_slow_is_given_up_when_time_is_up() {
    let stalls = |said: &'static [u8]| -> ReplyHandler {
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
        let server = ScriptedServer::start(vec![stalls(said)]);
        let web = Names::of(&[("x.test", at(&server))]).web(settings());
        let failure =
            wait(web.fetch_page("http://x.test/", Duration::from_millis(300), u64::MAX)).unwrap_err();
        assert!(matches!(failure, WebFailure::Unreachable { .. }), "{failure:?}");
        server.into_requests();
    }
}

#[test]
fn half_a_body_an_empty_one_and_an_error_are_failures() {
    cut_off(raw(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nBees."));
    cut_off(raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nBees.\r\n"));
    cut_off(raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nBees.\r\n0\r\n\r\n"));
    cut_off(raw(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nBees.."));
    cut_off(raw(b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nBees."));
    cut_off(raw(b"SSH-2.0-OpenSSH\r\n"));
    cut_off(raw(b"HTTP/1.1 200 OK\r\nx\r\n\r\nBees."));
    cut_off(raw(b""));
    assert_eq!(broken(answered("", "")), "it is empty");
    assert_eq!(broken(answered("", " \r\n\t ")), "it is empty");
    assert_eq!(broken(answered("content-encoding: gzip\r\n", gzip(b""))), "it is empty");
    for status in [101, 204, 205, 206, 207, 304, 400, 401, 403, 404, 410, 451, 999] {
        let failure = asked(settings(), http_reply(status, "", "<p>Bees.")).unwrap_err();
        assert!(matches!(failure, WebFailure::Broken { .. }), "{status}: {failure:?}");
    }
    // It may be another time; what says that it goes on, and does not, broke off.
    for status in [100, 408, 500, 502, 504, 599] {
        let failure = asked(settings(), http_reply(status, "", "<p>Bees.")).unwrap_err();
        assert!(matches!(failure, WebFailure::Unreachable { .. }), "{status}: {failure:?}");
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
        assert!(message.contains("claims to be text"), "{kind}: {message}");
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
    // The server's own words are not passed on.
    let talks = format!("application/do-as-i-say-{}; a=b", "y".repeat(5000));
    assert!(broken(answered(&said(&talks), "x")).len() < 100);
    assert_eq!(broken(answered(&said("a b/`c`\u{e4}"), "x")), "it is `ab/c`, neither text nor PDF");
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
