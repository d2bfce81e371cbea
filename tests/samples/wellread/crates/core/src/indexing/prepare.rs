//! From a file's bytes to what the index keeps of it.

use serde_json::Value;
use wellread_text::{Chunk, ChunkKind, Language, Note, Terms, code, fold, link_key, note_chunks};

use crate::corpus::{CorpusName, VaultPath};
use crate::ports::{
    FileContent, FileState, IndexChange, IndexedFile, IndexedPassage, Stamp, Structure, TextHash,
};

/// Larger than any note that a person wrote.
const LARGEST_NOTE: usize = 8 * 1024 * 1024;
/// Larger than code that a person wrote: what is larger was generated.
const LARGEST_SOURCE: usize = 1024 * 1024;
/// Longer on the average than lines that a person wrote.
const LONGEST_LINES: usize = 500;
/// As much as a sentence of a field; what is longer is no value that a note is looked up by.
const LONGEST_VALUE: usize = 200;

/// What is done about a file that was read.
pub fn prepared(corpus: &CorpusName, content: FileContent, stamp: Stamp) -> IndexChange {
    let path = content.entry.path;
    let is_note = *corpus == CorpusName::Vault || path.is_note();
    let mut file = match readable(is_note, content.bytes) {
        Ok(text) if is_note => note(&path, &text),
        Ok(text) => source(&path, &text),
        Err(Unreadable::Not(reason)) => {
            return IndexChange::Note { path, stamp, state: FileState::Skipped(reason) };
        }
        // Places in it would not be true. Where it links to is.
        Err(Unreadable::Encoding(bytes)) => {
            let mut file = if is_note { note(&path, &String::from_utf8_lossy(&bytes)) } else { named(&path) };
            file.passages.clear();
            file.trouble = Some("not UTF-8".to_owned());
            file
        }
    };
    file.stamp = stamp;
    file.hash = content.hash;
    IndexChange::Put(Box::new(file))
}

/// Whether the content of such a file is searched at all.
pub fn is_searched(corpus: &CorpusName, path: &VaultPath) -> bool {
    matches!(corpus, CorpusName::Repository(_)) || path.is_note()
}

enum Unreadable {
    Not(String),
    Encoding(Vec<u8>),
}

fn readable(is_note: bool, bytes: Vec<u8>) -> Result<String, Unreadable> {
    let largest = if is_note { LARGEST_NOTE } else { LARGEST_SOURCE };
    if bytes.len() > largest {
        return Err(Unreadable::Not(format!("larger than {} MiB", largest / (1024 * 1024))));
    }
    if bytes.contains(&0) {
        return Err(Unreadable::Not("binary: it holds zero bytes".to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|error| Unreadable::Encoding(error.into_bytes()))?;
    let lines = text.bytes().filter(|&byte| byte == b'\n').count() + 1;
    if !is_note && text.len() / lines > LONGEST_LINES {
        let reason = format!("looks generated: {} characters a line", text.len() / lines);
        return Err(Unreadable::Not(reason));
    }
    Ok(text)
}

fn note(path: &VaultPath, text: &str) -> IndexedFile {
    let note = Note::parse(text);
    let mut file = named(path);
    for alias in note.aliases() {
        let terms = Terms::of(&alias);
        join(&mut file.title, &terms.words);
        join(&mut file.title, &terms.parts);
    }
    file.links = note.links.iter().map(|link| link_key(&link.target)).filter(|key| !key.is_empty()).collect();
    file.links.sort();
    file.links.dedup();
    file.tags = note.all_tags().iter().map(|tag| fold(tag)).collect();
    if let Some(Ok(fields)) = note.frontmatter.as_ref().map(|front| &front.fields) {
        for (name, value) in fields {
            values(&fold(name), value, &mut file.fields);
        }
    }
    file.passages = passages(text, note_chunks(text, &note));
    file
}

fn source(path: &VaultPath, text: &str) -> IndexedFile {
    let mut file = named(path);
    let language = Language::of(path.as_str(), text);
    let code = code(text, language);
    file.language = language.map(Language::name);
    file.structure = language.map(|_| Structure { definitions: code.outline.definitions, uses: code.uses });
    file.passages = passages(text, code.chunks);
    file
}

/// A file by its name alone.
fn named(path: &VaultPath) -> IndexedFile {
    let title = Terms::of(path.stem());
    let folders = Terms::of(path.folder());
    IndexedFile {
        path: path.clone(),
        stamp: Stamp {
            size: 0,
            modified: jiff::Timestamp::UNIX_EPOCH,
            changed: jiff::Timestamp::UNIX_EPOCH,
            number: 0,
            settled: false,
        },
        hash: crate::corpus::Hash::of(b""),
        language: None,
        title: joined(title),
        folders: joined(folders),
        passages: Vec::new(),
        links: Vec::new(),
        tags: Vec::new(),
        fields: Vec::new(),
        structure: None,
        trouble: None,
    }
}

fn passages(text: &str, mut chunks: Vec<Chunk>) -> Vec<IndexedPassage> {
    // A file that says nothing is found by its name, at its first line.
    if chunks.is_empty() {
        chunks.push(Chunk { span: 0..0, lines: (1, 1), kind: ChunkKind::Block, context: Vec::new() });
    }
    let indexed = |chunk: Chunk| {
        let shown = &text[chunk.span.clone()];
        let Terms { words, parts } = Terms::of(shown);
        let heading = joined(Terms::of(&chunk.context.join(" ")));
        let text = TextHash::of(&embedded_text(chunk.kind, &chunk.context, shown));
        IndexedPassage { chunk, text, heading, words, parts }
    };
    chunks.into_iter().map(indexed).collect()
}

/// The text that a passage's vector is made of: what it stands under, and itself. The file's name is not in it, so
/// that a vector outlives a rename.
pub fn embedded_text(kind: ChunkKind, context: &[String], text: &str) -> String {
    match kind {
        ChunkKind::Frontmatter => text.replace("[[", "").replace("]]", ""),
        // A heading stands in the first passage of its section already.
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

fn joined(terms: Terms) -> String {
    let mut all = terms.words;
    join(&mut all, &terms.parts);
    all
}

fn join(words: &mut String, more: &str) {
    if !words.is_empty() && !more.is_empty() {
        words.push(' ');
    }
    words.push_str(more);
}

/// A field's values, folded. What stands in a list stands under the list's name.
fn values(name: &str, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| values(name, item, found)),
        Value::Object(fields) => {
            fields.iter().for_each(|(inner, value)| values(&format!("{name}.{}", fold(inner)), value, found));
        }
        Value::Null => found.push((name.to_owned(), String::new())),
        Value::String(text) if text.len() > LONGEST_VALUE => {}
        Value::String(text) => found.push((name.to_owned(), fold(text))),
        Value::Bool(_) | Value::Number(_) => found.push((name.to_owned(), value.to_string())),
    }
}
