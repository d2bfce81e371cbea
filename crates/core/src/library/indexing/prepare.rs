//! Prepares a file's content for the index.

use serde_json::Value;
use wellread_text::{
    Canvas, CanvasChunk, Chunk, ChunkKind, Language, Link, Note, ProseFields, Terms, analyze_code,
    chunk_canvas, chunk_note, chunk_org, chunk_prose, fold, link_key, name_key, query_terms,
};

use crate::domain::corpus::{CorpusName, VaultPath};
use crate::ports::{
    FileContent, FileStamp, FileState, IndexChange, IndexedFile, IndexedPassage, Structure, TextHash,
};

/// Larger than any note that a person wrote.
const MAX_NOTE_BYTES: usize = 8 * 1024 * 1024;
/// Larger files are generated code.
const MAX_SOURCE_BYTES: usize = 1024 * 1024;
/// Files whose lines are longer on average are generated.
const MAX_AVERAGE_LINE: usize = 500;
/// A longer value of a frontmatter field is not one that notes are looked up by.
const MAX_VALUE_CHARS: usize = 200;
/// A longer value is read from its note when it is asked for.
const MAX_VALUE_BYTES: usize = 1000;

/// The change of the index for a file that was read.
pub fn prepare_change(
    corpus: &CorpusName,
    content: FileContent,
    stamp: FileStamp,
    private: bool,
) -> IndexChange {
    let path = content.entry.path;
    let is_note = *corpus == CorpusName::Vault || path.is_note();
    let mut file = match decode_text(is_note, content.bytes) {
        Ok(text) if is_note && path.is_canvas() => index_canvas(&path, &text),
        Ok(text) if path.is_other_prose() => index_prose(&path, &text),
        Ok(text) if path.is_base() => index_source(&path, &text),
        Ok(text) if is_note => index_note(&path, &text),
        Ok(text) => index_source(&path, &text),
        Err(UnreadableReason::Not(reason)) => {
            return IndexChange::Note { path, stamp, state: FileState::Skipped(reason) };
        }
        // Places in it would be wrong. Its links are right.
        Err(UnreadableReason::Encoding(bytes)) => {
            let mut file = if path.is_note() {
                index_note(&path, &String::from_utf8_lossy(&bytes))
            } else {
                index_name_only(&path)
            };
            file.passages.clear();
            file.trouble = Some("not UTF-8".to_owned());
            file
        }
    };
    file.stamp = stamp;
    file.private = private;
    file.hash = content.hash;
    IndexChange::Put(Box::new(file))
}

/// Whether the content of such a file is searched at all.
pub fn is_searchable(corpus: &CorpusName, path: &VaultPath) -> bool {
    matches!(corpus, CorpusName::Repository(_))
        || path.is_note()
        || path.is_canvas()
        || path.is_other_prose()
        || path.is_base()
}

enum UnreadableReason {
    Not(String),
    Encoding(Vec<u8>),
}

fn decode_text(is_note: bool, bytes: Vec<u8>) -> Result<String, UnreadableReason> {
    let largest = if is_note { MAX_NOTE_BYTES } else { MAX_SOURCE_BYTES };
    if bytes.len() > largest {
        return Err(UnreadableReason::Not(format!("larger than {} MiB", largest / (1024 * 1024))));
    }
    if bytes.contains(&0) {
        return Err(UnreadableReason::Not("binary, not text: it contains NUL bytes".to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|error| UnreadableReason::Encoding(error.into_bytes()))?;
    let lines = text.bytes().filter(|&byte| byte == b'\n').count() + 1;
    if !is_note && text.len() / lines > MAX_AVERAGE_LINE {
        let reason = format!("looks generated: {} characters a line", text.len() / lines);
        return Err(UnreadableReason::Not(reason));
    }
    Ok(text)
}

fn index_note(path: &VaultPath, text: &str) -> IndexedFile {
    let note = Note::parse(text);
    let mut file = index_name_only(path);
    let mut names = vec![path.stem().to_owned()];
    names.extend(note.headings.first().filter(|first| first.level == 1).map(|first| first.text.clone()));
    for name in frontmatter_title(&note).into_iter().chain(note.aliases()) {
        push_words(&mut file.title, &join_terms(Terms::from_text(&name)));
        names.push(name);
    }
    file.names = name_keys(names.iter().map(String::as_str));
    file.links = link_keys(&note.links);
    file.tags = note.all_tags().iter().map(|tag| fold(tag)).collect();
    if let Some(Ok(fields)) = note.frontmatter.as_ref().map(|front| &front.fields) {
        for (name, value) in fields {
            collect_field_values(&fold(name), value, &mut file.fields);
            file.values.push((name.clone(), Some(value.clone()).filter(is_storable)));
        }
    }
    file.passages = index_passages(text, chunk_note(text, &note));
    file
}

/// Whether a value of a field can be stored and read back as it is.
fn is_storable(value: &Value) -> bool {
    let text = value.to_string();
    text.len() <= MAX_VALUE_BYTES && serde_json::from_str::<Value>(&text).is_ok_and(|read| read == *value)
}

/// The keys of the names that a file has, sorted, each once.
fn name_keys<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut keys: Vec<String> =
        names.map(|name| name_key(&query_terms(name))).filter(|key| !key.is_empty()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The title that a note's frontmatter gives it.
fn frontmatter_title(note: &Note) -> Option<String> {
    let fields = note.frontmatter.as_ref()?.fields.as_ref().ok()?;
    let title = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("title"))?.1.as_str()?.trim();
    (!title.is_empty() && title.len() <= MAX_VALUE_CHARS).then(|| title.to_owned())
}

/// A canvas: the text of its cards, and their links. A file that is none is indexed by its name.
fn index_canvas(path: &VaultPath, text: &str) -> IndexedFile {
    let mut file = index_name_only(path);
    match Canvas::parse(text) {
        Err(reason) => file.trouble = Some(reason),
        Ok(canvas) => {
            file.links = link_keys(&canvas.links);
            file.tags = canvas.tags.iter().map(|tag| fold(tag)).collect();
            let chunks = chunk_canvas(text, &canvas);
            file.passages = if chunks.is_empty() {
                index_passages(text, Vec::new())
            } else {
                let indexed = |CanvasChunk { chunk, text: words }| {
                    index_passage(&text[chunk.span.clone()], &words, chunk)
                };
                chunks.into_iter().map(indexed).collect()
            };
        }
    }
    file
}

/// The keys of the files that links may lead to, sorted, each once.
fn link_keys(links: &[Link]) -> Vec<String> {
    let mut keys: Vec<String> =
        links.iter().map(|link| link_key(&link.target)).filter(|key| !key.is_empty()).collect();
    keys.sort();
    keys.dedup();
    keys
}

fn index_prose(path: &VaultPath, text: &str) -> IndexedFile {
    let mut file = index_name_only(path);
    let is_org = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("org"));
    let chunks = if is_org { chunk_org(text) } else { chunk_prose(text) };
    let title = chunks.iter().find_map(|chunk| chunk.context.first());
    file.names = name_keys([path.stem()].into_iter().chain(title.map(String::as_str)));
    file.tags = ProseFields::parse(text, is_org).tags.iter().map(|tag| fold(tag)).collect();
    file.passages = index_passages(text, chunks);
    file
}

fn index_source(path: &VaultPath, text: &str) -> IndexedFile {
    let mut file = index_name_only(path);
    let language = Language::detect(path.as_str(), text);
    let code = analyze_code(text, language);
    file.language = language.map(Language::name);
    file.structure = language.map(|_| Structure { definitions: code.outline.definitions, uses: code.uses });
    file.passages = index_passages(text, code.chunks);
    file
}

/// A file indexed by its name only.
fn index_name_only(path: &VaultPath) -> IndexedFile {
    let title = Terms::from_text(path.stem());
    let folders = Terms::from_text(path.folder());
    IndexedFile {
        path: path.clone(),
        stamp: FileStamp {
            size: 0,
            modified: jiff::Timestamp::UNIX_EPOCH,
            changed: jiff::Timestamp::UNIX_EPOCH,
            number: 0,
            settled: false,
        },
        hash: crate::domain::corpus::Hash::compute(b""),
        private: false,
        language: None,
        title: join_terms(title),
        names: Vec::new(),
        folders: join_terms(folders),
        passages: Vec::new(),
        links: Vec::new(),
        tags: Vec::new(),
        fields: Vec::new(),
        values: Vec::new(),
        structure: None,
        trouble: None,
    }
}

fn index_passages(text: &str, mut chunks: Vec<Chunk>) -> Vec<IndexedPassage> {
    // A file without text is found by its name, at its first line.
    if chunks.is_empty() {
        chunks.push(Chunk { span: 0..0, lines: (1, 1), kind: ChunkKind::Block, context: Vec::new() });
    }
    let indexed = |chunk: Chunk| {
        let shown = &text[chunk.span.clone()];
        index_passage(shown, shown, chunk)
    };
    chunks.into_iter().map(indexed).collect()
}

/// A passage that is found by the words of `readable`, and shown as it is written in its file.
fn index_passage(written: &str, readable: &str, chunk: Chunk) -> IndexedPassage {
    let Terms { words, parts } = Terms::from_text(readable);
    let heading = join_terms(Terms::from_text(&chunk.context.join(" ")));
    let text = TextHash::compute(&embedding_text(chunk.kind, &chunk.context, written));
    IndexedPassage { chunk, text, heading, words, parts }
}

/// The text that a passage's vector is computed from: its headings, and itself. The file's name is left out, so that
/// the vector survives a rename.
pub fn embedding_text(kind: ChunkKind, context: &[String], text: &str) -> String {
    match kind {
        ChunkKind::Frontmatter => text.replace("[[", "").replace("]]", ""),
        // The first passage of a section contains the heading already.
        ChunkKind::Text
            if context
                .last()
                .is_none_or(|own| !text.trim_start_matches('#').trim_start().starts_with(own.as_str())) =>
        {
            format!("{}\n{text}", context.join(" > "))
        }
        ChunkKind::Text => match &context[..context.len().saturating_sub(1)] {
            [] => text.to_owned(),
            above => format!("{}\n{text}", above.join(" > ")),
        },
        ChunkKind::Definition | ChunkKind::Block => text.to_owned(),
    }
}

fn join_terms(terms: Terms) -> String {
    let mut all = terms.words;
    push_words(&mut all, &terms.parts);
    all
}

fn push_words(words: &mut String, more: &str) {
    if !words.is_empty() && !more.is_empty() {
        words.push(' ');
    }
    words.push_str(more);
}

/// Collects a field's values, case-folded. Items of a list go under the list's name.
fn collect_field_values(name: &str, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_field_values(name, item, found)),
        Value::Object(fields) => {
            fields.iter().for_each(|(inner, value)| {
                collect_field_values(&format!("{name}.{}", fold(inner)), value, found);
            });
        }
        Value::Null => found.push((name.to_owned(), String::new())),
        Value::String(text) if text.len() > MAX_VALUE_CHARS => {}
        Value::String(text) => found.push((name.to_owned(), fold(text))),
        Value::Bool(_) | Value::Number(_) => found.push((name.to_owned(), value.to_string())),
    }
}
