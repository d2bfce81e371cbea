//! Reads the text of a page or a saved file according to its kind.

use std::time::Duration;

use wellread_text::{
    ReadablePage, decode_page, pdf_to_page, read_html_page, read_markdown_page, read_text_page,
};

use super::pdf::{PdfFailure, PdfReader};

/// What is known of a page besides its bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct PageHints<'a> {
    /// The content type that the server declared, including parameters.
    pub content_type: Option<&'a str>,
    /// Its address on the web, which relative links are resolved against.
    pub url: Option<&'a str>,
    /// The file's name.
    pub name: Option<&'a str>,
}

/// Why a page can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreadablePage {
    /// It contains no text.
    Nothing,
    /// It is neither text nor PDF.
    Kind,
    Pdf(PdfFailure),
}

impl UnreadablePage {
    pub fn message(self) -> &'static str {
        match self {
            Self::Nothing => "it has no readable content",
            Self::Kind => "it is neither text nor PDF",
            Self::Pdf(failure) => failure.message(),
        }
    }
}

/// Reads a page. A PDF may take up to `limit`; anything else takes time by its size only.
pub fn read_page(
    bytes: &[u8],
    known: PageHints<'_>,
    pdf: &PdfReader,
    limit: Duration,
) -> Result<ReadablePage, UnreadablePage> {
    let read = match kind(bytes, known) {
        PageKind::Pdf => pdf_to_page(&pdf.read(bytes, limit).map_err(UnreadablePage::Pdf)?),
        PageKind::Other => return Err(UnreadablePage::Kind),
        PageKind::Html => read_html_page(&decode_page(bytes, known.content_type), known.url),
        PageKind::Markdown => read_markdown_page(&decode_page(bytes, known.content_type), known.url),
        PageKind::Text => read_text_page(&decode_page(bytes, known.content_type)),
    };
    if read.text.trim().is_empty() { Err(UnreadablePage::Nothing) } else { Ok(read) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageKind {
    Html,
    Markdown,
    Text,
    Pdf,
    Other,
}

fn kind(bytes: &[u8], known: PageHints<'_>) -> PageKind {
    let head = &bytes[..bytes.len().min(1024)];
    if head.windows(5).any(|five| five == b"%PDF-") {
        return PageKind::Pdf;
    }
    let is_wide = head.starts_with(b"\xfe\xff")
        || head.starts_with(b"\xff\xfe")
        || head.starts_with(b"<\0")
        || head.starts_with(b"\0<");
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f);
    if !is_wide && head.iter().any(is_control) {
        return PageKind::Other;
    }
    let essence = known
        .content_type
        .and_then(|declared| declared.split(';').next())
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let name = known.name.unwrap_or_default().to_ascii_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match (essence.as_str(), ending) {
        ("text/html" | "application/xhtml+xml", _) => PageKind::Html,
        ("text/markdown" | "text/x-markdown", _) => PageKind::Markdown,
        (_, "md" | "markdown" | "mdown" | "mkd") => PageKind::Markdown,
        (_, "html" | "htm" | "xhtml" | "shtml" | "mhtml") => PageKind::Html,
        (xml, _) if xml.ends_with("xml") => PageKind::Html,
        ("text/plain", _) | (_, "txt" | "text" | "log" | "csv" | "tsv" | "json") => PageKind::Text,
        _ => guess_kind(&decode_page(head, known.content_type)),
    }
}

fn guess_kind(head: &str) -> PageKind {
    let start = head.trim_start();
    let mut letters = start.chars();
    if letters.next() == Some('<')
        && letters.next().is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '!' | '?'))
    {
        return PageKind::Html;
    }
    let marks = ["# ", "## ", "```", "---", "- [", "> "];
    match start.lines().any(|line| marks.iter().any(|mark| line.starts_with(mark))) {
        true => PageKind::Markdown,
        false => PageKind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_thing_is_follows_from_its_bytes_then_its_label_then_its_name() {
        type Case<'a> = (&'a [u8], Option<&'a str>, Option<&'a str>, PageKind);
        let cases: [Case<'_>; 17] = [
            (b"%PDF-1.7\n", Some("text/html"), None, PageKind::Pdf),
            (b"\n%PDF-1.4", None, Some("a.txt"), PageKind::Pdf),
            (b"\x89PNG\r\n\x1a\n\0\0", None, Some("a.html"), PageKind::Other),
            (b"PK\x03\x04", Some("text/html"), None, PageKind::Other),
            (b"<p>x", Some("text/html; charset=utf-8"), None, PageKind::Html),
            (b"<p>x", Some("text/plain"), None, PageKind::Text),
            (b"# x", Some("text/markdown"), None, PageKind::Markdown),
            (b"<p>x", None, Some("A.HTML"), PageKind::Html),
            (b"<p>x", None, Some("a.md"), PageKind::Markdown),
            (b"words", None, Some("a.txt"), PageKind::Text),
            (b"  <!DOCTYPE html>", None, None, PageKind::Html),
            (b"\xef\xbb\xbf<html>", None, None, PageKind::Html),
            (b"<?xml version='1.0'?><html>", None, None, PageKind::Html),
            (b"\xff\xfe<\0p\0>\0", None, None, PageKind::Html),
            (b"# Title\n\ntext", None, None, PageKind::Markdown),
            (b"a < b", None, None, PageKind::Text),
            (b"", None, None, PageKind::Text),
        ];
        for (bytes, content_type, name, expected) in cases {
            let known = PageHints { content_type, name, url: None };
            assert_eq!(
                kind(bytes, known),
                expected,
                "{:?} {content_type:?} {name:?}",
                String::from_utf8_lossy(bytes)
            );
        }
    }
}
