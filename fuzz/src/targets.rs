//! The targets: each takes any bytes, reads them as its parser does, and checks what must hold of the result.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::Timestamp;
use wellread::fuzzing::{FuzzedMcpServer, resource_uri};
use wellread_adapters::embed::{ModelSource, ModelStore};
use wellread_adapters::files::VaultFiles;
use wellread_adapters::llm::EventParser;
use wellread_adapters::lsp::read_frame;
use wellread_adapters::records::unpack_snapshot;
use wellread_adapters::repository::{Renames, git_commit};
use wellread_core::domain::corpus::{Hash, address_fragment, normalize_address};
use wellread_core::domain::decision::{DecidedBy, UserDecision};
use wellread_core::domain::id::{OperationId, RunId};
use wellread_core::engine::llm::json_in_text;
use wellread_core::engine::log::{self, RunDocument};
use wellread_core::ports::event::{LoggedEvent, RunEvent};
use wellread_core::ports::{Files as _, FilesUpkeep as _, RunHeader};
use wellread_encoder::WordPiece;
use wellread_text::{
    AllowedLinks, Canvas, FileMoves, FileNames, Frontmatter, FrontmatterChange, LinkUpdates, Note, Span,
    apply_splices, change_frontmatter, chunk_canvas, chunk_note, decode_page, extract_pdf_text,
    find_addresses, make_inert, read_html_page, read_markdown_page, read_text_page, rename_footnotes,
    split_sentences, unified_diff, update_canvas_links, update_links,
};

use crate::scratch::Scratch;

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
    ("mcp", mcp),
    ("git", git),
    ("archive", archive),
    ("journal", journal),
    ("records", records),
    ("tokenizer", tokenizer),
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
        let mut parser = EventParser::default();
        let found = parser.push(data);
        (found, parser.finish())
    };
    // In pieces it means the same.
    let mut parser = EventParser::default();
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
        while read_frame(&mut from).await.is_ok() {}
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

/// A client that sends these lines, hangs up, and hears nothing but messages of the protocol.
fn mcp(data: &[u8]) {
    static SERVER: LazyLock<(FuzzedMcpServer, Scratch)> = LazyLock::new(|| {
        let scratch = Scratch::new("mcp");
        scratch.write("vault/Home.md", b"# Home\n\nSee [[Bees]].\n");
        let server = FuzzedMcpServer::open(&scratch.path().join("vault"), &scratch.path().join("data"));
        (server.expect("a server"), scratch)
    });
    let said = SERVER.0.answer(data);
    for line in said.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: serde_json::Value = serde_json::from_slice(line).expect("a message");
        assert_eq!(message["jsonrpc"], "2.0");
    }
    if let Some(uri) = resource_uri(&text(data)) {
        assert_eq!(resource_uri(&uri), Some(uri), "what was written is read as it was");
    }
}

/// What git says of renames, and what its own files say.
fn git(data: &[u8]) {
    static SCRATCH: LazyLock<Scratch> = LazyLock::new(|| Scratch::new("git"));
    let mut renames = Renames::default();
    let (newer, older) = data.split_at(data.len() / 2);
    renames.add(newer);
    renames.add(older);
    for name in data.split(|byte| *byte == 0).filter_map(|name| std::str::from_utf8(name).ok()) {
        renames.follow(name);
    }
    SCRATCH.write(".git/HEAD", newer);
    SCRATCH.write(".git/packed-refs", older);
    if let Some(commit) = git_commit(SCRATCH.path()) {
        assert!(commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}

/// A model that the user installs from an archive.
fn archive(data: &[u8]) {
    static SCRATCH: LazyLock<Scratch> = LazyLock::new(|| Scratch::new("archive"));
    let archive = SCRATCH.write("model.zip", data);
    let folder = SCRATCH.path().join("models");
    let store = ModelStore::new(folder.clone());
    let decided = UserDecision::new(DecidedBy::Command);
    let installed = store.install(decided, "fuzzed", &ModelSource::Path(archive), true, &|_| {});
    let left = std::fs::read_dir(&folder).into_iter().flatten().count();
    assert_eq!(left, usize::from(installed.is_ok()), "what was begun is gone");
    let _ = std::fs::remove_dir_all(&folder);
}

/// A record that an earlier process left in the journal. Its hash is right, whatever it says.
fn journal(data: &[u8]) {
    const NOTE: &[u8] = b"# Kept\n";
    let scratch = Scratch::new("journal");
    let outside = scratch.write("outside.md", NOTE);
    scratch.write("vault/a.md", NOTE);
    let record = [Hash::compute(data).to_string().as_bytes(), b"\n", data].concat();
    for folder in ["pending", "done"] {
        scratch.write(&format!("data/journal/{folder}/{}.json", OperationId::fresh()), &record);
    }
    let files = VaultFiles::open(&scratch.path().join("vault"), &scratch.path().join("data"), &[]);
    let files = files.expect("a vault");
    let _ = files.recover();
    let _ = files.operations(10);
    assert_eq!(std::fs::read(outside).expect("a file"), NOTE, "nothing outside of the vault is touched");
}

/// Logs, headers and texts, as the records have them: one on each line.
fn records(data: &[u8]) {
    let _ = unpack_snapshot(Hash::compute(data), &(data.len() as u64 * 64, data.to_vec()));
    let mut events = Vec::new();
    for line in data.split(|byte| *byte == b'\n') {
        let _ = serde_json::from_slice::<RunHeader>(line);
        let Ok(event) = serde_json::from_slice::<RunEvent>(line) else { continue };
        let written = serde_json::to_string(&event).expect("what was read can be written");
        let again: RunEvent = serde_json::from_str(&written).expect("what was written can be read");
        assert_eq!(serde_json::to_string(&again).expect("it can be written"), written);
        events.push(LoggedEvent { number: events.len() as u64, at: Timestamp::UNIX_EPOCH, event });
    }
    let run = RunId::parse("00000000000000").expect("an id");
    for document in ["trace.json", "evidence.json", "report.md"] {
        RunDocument::from_file_name(document).expect("a document").render(&run, &events);
    }
    log::summarize_run(&run, &events);
    log::mentioned_files(&events);
    log::ledger(&run, &events);
    log::compare((&run, &events), (&run, &events));
}

/// A tokenizer that came with a model, or text for one.
fn tokenizer(data: &[u8]) {
    const SMALL: &str = include_str!("../corpus/tokenizer/a");
    static KNOWN: LazyLock<WordPiece> =
        LazyLock::new(|| WordPiece::parse(SMALL.as_bytes()).expect("a tokenizer"));
    let text = text(data);
    for limit in [0, 1, 2, 16] {
        assert!(KNOWN.encode(&text, limit).len() <= limit.max(1));
    }
    if let Ok(read) = WordPiece::parse(data) {
        assert!(read.encode("Ünïcödé [SEP] 東京 playing", 16).len() <= 16);
    }
}
