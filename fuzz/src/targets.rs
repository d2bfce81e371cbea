//! The targets: each takes any bytes, reads them as its parser does, and checks what must hold of the result.

use std::collections::HashMap;

use wellread_core::domain::corpus::{address_fragment, normalize_address};
use wellread_core::engine::llm::json_in_text;
use wellread_text::{
    AllowedLinks, Canvas, FileMoves, FileNames, Frontmatter, FrontmatterChange, LinkUpdates, Note, Span,
    apply_splices, change_frontmatter, chunk_canvas, chunk_note, decode_page, extract_pdf_text,
    find_addresses, make_inert, read_html_page, read_markdown_page, read_text_page, rename_footnotes,
    split_sentences, unified_diff, update_canvas_links, update_links,
};

use crate::{events, framing};

/// Every target by its name.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("note", note),
    ("frontmatter", frontmatter),
    ("links", links),
    ("canvas", canvas),
    ("html", html),
    ("pdf", pdf),
    ("charset", charset),
    ("url", url),
    ("sse", sse),
    ("json", json),
    ("lsp", lsp),
    ("patch", patch),
    ("inert", inert),
    ("sentences", sentences),
];

pub fn names() -> Vec<&'static str> {
    TARGETS.iter().map(|(name, _)| *name).collect()
}

/// The text that all parsers of notes get; bytes that are not UTF-8 are replaced as the program does it.
fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

#[track_caller]
fn check_span(text: &str, span: &Span) {
    assert!(text.get(span.clone()).is_some(), "{span:?} is no part of the text");
}

fn note(data: &[u8]) {
    let text = text(data);
    let note = Note::parse(&text);
    note.links.iter().for_each(|link| {
        check_span(&text, &link.span);
        check_span(&text, &link.target_span);
    });
    note.headings.iter().for_each(|heading| check_span(&text, &heading.span));
    note.tags.iter().for_each(|tag| check_span(&text, &tag.span));
    note.opaque.iter().for_each(|span| check_span(&text, span));
    chunk_note(&text, &note).iter().for_each(|chunk| check_span(&text, &chunk.span));
    rename_footnotes(&text, &["[^1] [^a]"]);
}

fn frontmatter(data: &[u8]) {
    let text = text(data);
    Frontmatter::parse(&text);
    for change in [FrontmatterChange::Set("x: [".into()), FrontmatterChange::Append(3.into())] {
        if let Ok(Some(splice)) = change_frontmatter(&text, "added", &change) {
            let changed = apply_splices(&text, &[splice]).expect("the splice fits the text");
            let field = Frontmatter::parse(&changed).and_then(|front| front.field("added").cloned());
            assert!(field.is_some(), "the field is not there");
        }
    }
}

/// Every file of a small vault, one of which moves.
fn moved(update: impl Fn(&FileMoves<'_>) -> LinkUpdates) -> LinkUpdates {
    let before = FileNames::from_paths(["a.md", "b/a.md", "b/c.png", "Home.md", "x.canvas"]);
    let after = FileNames::from_paths(["d/e f.md", "b/a.md", "b/c.png", "Home.md", "x.canvas"]);
    let moves = HashMap::from([("a.md".to_owned(), "d/e f.md".to_owned())]);
    update(&FileMoves { before: &before, after: &after, moves: &moves })
}

fn links(data: &[u8]) {
    let text = text(data);
    let note = Note::parse(&text);
    let updates = moved(|moves| update_links(&text, &note, "Home.md", "Home.md", moves));
    assert!(apply_splices(&text, &updates.splices).is_ok());
}

fn canvas(data: &[u8]) {
    let text = text(data);
    let Ok(canvas) = Canvas::parse(&text) else { return };
    canvas.links.iter().for_each(|link| check_span(&text, &link.target_span));
    chunk_canvas(&text, &canvas).iter().for_each(|chunk| check_span(&text, &chunk.chunk.span));
    let updates = moved(|moves| update_canvas_links(&text, &canvas, "x.canvas", "x.canvas", moves));
    let changed = apply_splices(&text, &updates.splices).expect("the splices fit the text");
    assert!(Canvas::parse(&changed).is_ok(), "a move broke the canvas");
}

fn html(data: &[u8]) {
    let text = decode_page(data, Some("text/html"));
    read_html_page(&text, Some("https://example.com/a/"));
    read_markdown_page(&text, None);
    read_text_page(&text);
}

fn pdf(data: &[u8]) {
    let _ = extract_pdf_text(data.to_vec(), 10_000);
}

fn charset(data: &[u8]) {
    let (kind, bytes) = data.split_at(data.len().min(12));
    decode_page(bytes, None);
    decode_page(bytes, Some(&format!("text/html; charset={}", String::from_utf8_lossy(kind))));
}

fn url(data: &[u8]) {
    let text = text(data);
    if let Some(normal) = normalize_address(&text) {
        assert_eq!(normalize_address(&normal).as_ref(), Some(&normal));
        assert_eq!(address_fragment(&normal), None);
    }
    find_addresses(&text).iter().for_each(|address| check_span(&text, &address.span));
}

fn sse(data: &[u8]) {
    let whole = {
        let mut parser = events::EventParser::default();
        let found = parser.push(data);
        (found, parser.finish())
    };
    // In pieces it means the same.
    let mut parser = events::EventParser::default();
    let mut found = Ok(Vec::new());
    for byte in data.chunks(3) {
        found = match (found, parser.push(byte)) {
            (Ok(mut all), Ok(more)) => {
                all.extend(more);
                Ok(all)
            }
            (Err(error), _) | (_, Err(error)) => Err(error),
        };
    }
    if let (Ok(one), Ok(other)) = (&whole.0, &found) {
        assert_eq!((one, &whole.1), (other, &parser.finish()));
    }
}

fn json(data: &[u8]) {
    json_in_text(&text(data));
}

fn lsp(data: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let mut from = data;
        while framing::read_frame(&mut from).await.is_ok() {}
    });
}

fn patch(data: &[u8]) {
    let text = text(data);
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let (old, new) = text.split_at(middle);
    assert_eq!(unified_diff("a", "b", old, new).is_empty(), old == new);
}

fn inert(data: &[u8]) {
    let text = text(data);
    let (none, some) = (|_: &str| false, |url: &str| url.starts_with("https://example.com/"));
    let allowed = AllowedLinks { urls: &some, notes: &none };
    let made = make_inert(&text, &allowed).text;
    assert_eq!(make_inert(&made, &allowed).text, made, "what is inert stays as it is");
}

fn sentences(data: &[u8]) {
    let text = text(data);
    split_sentences(&text).iter().for_each(|sentence| check_span(&text, &sentence.span));
}
