//! `wellread extract`: pages and saved files of every kind, and PDFs that are made to harm what reads them.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use wellread_adapters::web::{PageHints, PdfFailure, PdfReader, UnreadablePage, read_page};

use crate::desk::{BINARY, Desk, PATIENCE, Ran};

const PAGE: &str = "<html lang=en><head><title>Bees in winter</title><meta name=author content='Ann Other'>\
    <meta property=og:site_name content='The Hive'><meta property=article:published_time content=2024-05-01></head><body>\
    <nav><a href=/>Home</a></nav><article><p>The hive was quiet in the morning, and the keeper, who had seen many winters, \
    waited for the <a href=/sun>sun</a> to warm it.</p><p hidden>xyzzy</p><script>xyzzy()</script></article></body></html>";

fn saved(desk: &Desk, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = desk.folder().join(name);
    fs::write(&path, content).unwrap();
    path
}

#[test]
fn a_saved_page_is_shown_as_markdown_text_or_json() {
    let desk = Desk::bare();
    let page = saved(&desk, "page.html", PAGE);
    let extract = |more: &[&str]| {
        let ran = Ran::of(
            desk.command().arg("extract").arg(&page).args(["--url", "https://example.org/bees"]).args(more),
        );
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
        ran
    };
    let said = "The hive was quiet in the morning, and the keeper, who had seen many winters, waited for the";
    let markdown = format!("{said} [sun](https://example.org/sun) to warm it.\n");
    assert_eq!(extract(&[]).stdout, format!("# Bees in winter\n\n{markdown}"));
    assert_eq!(extract(&["--format", "text"]).stdout, format!("{said} sun to warm it.\n"));
    let answer = json!({
        "success": true, "title": "Bees in winter", "author": "Ann Other", "date": "2024-05-01", "site": "The Hive", "language": "en",
        "markdown": markdown, "text": format!("{said} sun to warm it.\n"),
    });
    assert_eq!(extract(&["--json"]).done(), answer);
    assert_eq!(extract(&["--format", "json"]).done(), answer);
}

#[test]
fn standard_input_and_every_kind_can_be_read() {
    let desk = Desk::bare();
    let fed = Ran::fed(desk.command().args(["extract", "-"]), PAGE.as_bytes());
    assert!(fed.stdout.starts_with("# Bees in winter\n"), "{}", fed.stdout);
    for (name, content, said) in [
        ("a.md", "# Bees\n\nThey <b>swarm</b>.\n", "# Bees\n\nThey swarm.\n"),
        ("a.txt", "Bees\n\nThey *swarm*.\n", "Bees\n\nThey \\*swarm\\*.\n"),
        ("a.xhtml", "<?xml version='1.0'?><html><body><p>They swarm.</p></body></html>", "They swarm.\n"),
    ] {
        let path = saved(&desk, name, content);
        assert_eq!(Ran::of(desk.command().arg("extract").arg(path)).stdout, said, "{name}");
    }
    let russian = saved(&desk, "r.html", b"<meta charset=windows-1251><p>\xcf\xf7\xe5\xeb\xfb</p>");
    assert_eq!(Ran::of(desk.command().arg("extract").arg(russian)).stdout, "Пчелы\n");
}

#[test]
fn what_can_not_be_read_says_why() {
    let desk = Desk::bare();
    let complains = |what: &str, status: i32| {
        let ran = Ran::of(desk.command().args(["extract", what]));
        ran.complains(status).to_owned()
    };
    assert!(complains("missing.html", 3).contains("there is no file `missing.html`"));
    let path = |name: &str, content: &[u8]| saved(&desk, name, content).display().to_string();
    assert!(complains(&path("empty.html", b""), 1).contains("it is empty"));
    assert!(
        complains(&path("blank.html", b"<body><script>x()</script></body>"), 1)
            .contains("no readable content")
    );
    assert!(complains(&path("a.png", b"\x89PNG\r\n\x1a\n\0\0"), 1).contains("neither text nor PDF"));
    assert!(complains(&path("a.pdf", b"%PDF-1.7\ngarbage"), 1).contains("the PDF is damaged"));
    assert!(complains(&desk.folder().display().to_string(), 1).contains("it is not a file"));
    let huge = desk.folder().join("huge.html");
    fs::File::create(&huge).unwrap().set_len(40 * 1024 * 1024).unwrap();
    assert!(complains(&huge.display().to_string(), 1).contains("larger than 32 MiB"));
    let ran = Ran::of(desk.command().args(["extract", "missing.html", "--json"]));
    assert_eq!(ran.failed(3)["success"], false);
}

#[test]
fn an_address_goes_through_the_guard() {
    let desk = Desk::bare();
    for address in [
        "http://127.0.0.1/",
        "http://localhost/x",
        "HTTP://169.254.169.254/latest",
        "https://user:secret@example.org/",
    ] {
        let ran = Ran::of(desk.command().args(["extract", address]));
        let said = ran.complains(4);
        assert!(!said.contains("secret"), "{said}");
    }
    let offline = Ran::of(desk.command().args(["--offline", "extract", "https://example.org/"]));
    assert!(offline.complains(4).contains("offline"));
    let both =
        Ran::of(desk.command().args(["extract", "https://example.org/", "--url", "https://example.org/"]));
    both.complains(2);
}

/// A PDF with these operators on its one page, and this stream besides.
fn pdf(content: &[u8], filter: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n\
        3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 << /Type /Font \
        /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> >> >> >>\nendobj\n4 0 obj\n"
        .to_vec();
    out.extend(format!("<< {filter} /Length {} >>\nstream\n", content.len()).bytes());
    out.extend(content);
    out.extend(b"\nendstream\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n");
    out
}

#[test]
fn a_pdf_is_read_in_a_process_of_its_own() {
    let desk = Desk::bare();
    let path = saved(
        &desk,
        "a.pdf",
        pdf(b"BT /F1 12 Tf 50 700 Td (The queen lays) Tj 0 -14 Td (2,000 eggs a day.) Tj ET", ""),
    );
    let read = Ran::of(desk.command().arg("extract").arg(&path).arg("--json")).done();
    assert_eq!(read["markdown"], "The queen lays 2,000 eggs a day.\n");
    assert_eq!(read["title"], json!(null));
}

fn reader() -> PdfReader {
    PdfReader::new(BINARY)
}

#[test]
fn pdfs_that_are_made_to_harm_are_failures_and_nothing_more() {
    // A gigabyte packed into one megabyte.
    let bomb = pdf(&deflated(1 << 30), "/Filter /FlateDecode");
    assert!(bomb.len() < 8_000_000);
    assert_eq!(reader().read(&bomb, PATIENCE), Err(PdfFailure::Died));
    assert_eq!(reader().read(b"%PDF-1.7", PATIENCE), Err(PdfFailure::Broken));
    assert_eq!(reader().read(&vec![b'x'; 33 * 1024 * 1024], PATIENCE), Err(PdfFailure::TooLarge));
    // And the next one is read.
    let good = pdf(b"BT /F1 12 Tf 50 700 Td (Bees.) Tj ET", "");
    assert_eq!(reader().read(&good, PATIENCE).unwrap().pages, ["Bees."]);
}

#[test]
fn a_reader_that_does_not_answer_or_says_nonsense_is_ended() {
    let desk = Desk::bare();
    let script = |name: &str, text: &str| {
        let path = saved(&desk, name, format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        PdfReader::new(path)
    };
    let pdf = pdf(b"BT ET", "");
    let pid = desk.folder().join("pid");
    let endless = script("endless", &format!("echo $$ > {}; while :; do :; done", pid.display()));
    // Long enough to start, and it never ends by itself.
    assert_eq!(endless.read(&pdf, Duration::from_secs(5)), Err(PdfFailure::TimedOut));
    let pid = fs::read_to_string(&pid).unwrap();
    assert!(!PathBuf::from(format!("/proc/{}", pid.trim())).exists(), "it was ended and waited for");
    assert_eq!(script("talks", "cat /dev/zero").read(&pdf, PATIENCE), Err(PdfFailure::TooLarge));
    assert_eq!(script("fails", "exit 3").read(&pdf, PATIENCE), Err(PdfFailure::Died));
    assert_eq!(script("dies", "kill -9 $$").read(&pdf, PATIENCE), Err(PdfFailure::Died));
    assert_eq!(script("nonsense", "echo nonsense").read(&pdf, PATIENCE), Err(PdfFailure::Died));
    let missing = PdfReader::new(desk.folder().join("missing"));
    assert_eq!(missing.read(&pdf, PATIENCE), Err(PdfFailure::NotStarted));
    let known = PageHints::default();
    assert_eq!(read_page(&pdf, known, &missing, PATIENCE), Err(UnreadablePage::Pdf(PdfFailure::NotStarted)));
    assert_eq!(read_page(&pdf, known, &reader(), PATIENCE), Err(UnreadablePage::Nothing));
}

#[test]
fn the_process_that_reads_pdfs_is_for_nobody_else() {
    let desk = Desk::bare();
    let help = Ran::of(desk.command().arg("--help"));
    assert!(!help.stdout.contains("pdf-text"));
    let said = Ran::fed(desk.command().arg("pdf-text"), b"no PDF");
    assert_eq!((said.status, said.stdout.as_str()), (Some(0), "{\"Err\":\"broken\"}\n"));
}

/// About so many zeros, packed: a zero, and then again and again the one before, 258 times at once.
fn deflated(zeros: usize) -> Vec<u8> {
    let mut bits: Vec<bool> = vec![true, true, false];
    let mut code = |code: u32, length: u32| bits.extend((0..length).rev().map(|bit| code >> bit & 1 == 1));
    code(0b0011_0000, 8);
    for _ in 0..16 {
        code(0b1100_0101, 8);
        code(0, 5);
    }
    let byte =
        |eight: &[bool]| eight.iter().enumerate().fold(0u8, |byte, (at, bit)| byte | u8::from(*bit) << at);
    let bytes: Vec<u8> = bits.chunks(8).map(byte).collect();
    // Eight of these are thirteen bytes, which come again as they are.
    let (head, again) = (&bytes[..2], &bytes[2..15]);
    [b"\x78\x9c", head, &again.repeat(zeros / 258 / 8)].concat()
}
