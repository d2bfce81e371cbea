//! Made-up files of an index, and where its passages are found, for the suites of an index.

use jiff::Timestamp;
use wellread_core::domain::corpus::{CorpusName, Hash};
use wellread_core::ports::{
    FileStamp, FileState, Index, IndexChange, IndexedFile, IndexedPassage, KnownFileFilter, PassageFilter,
    Passages, TextHash,
};
use wellread_text::{Chunk, ChunkKind, QueryTerm, Terms, query_terms};

use crate::contract::path;

pub fn vault() -> CorpusName {
    CorpusName::Vault
}

pub fn repository() -> CorpusName {
    CorpusName::Repository("hivelog".to_owned())
}

/// A file whose passages are these texts, each on a line of its own with an empty line between.
pub fn file(written: &str, minute: i64, texts: &[&str]) -> IndexedFile {
    let whole = texts.join("\n\n");
    let mut start = 0;
    let mut passages = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let span = start..start + text.len();
        start = span.end + 2;
        let line = 2 * at + 1;
        let Terms { words, parts } = Terms::from_text(text);
        passages.push(IndexedPassage {
            chunk: Chunk { span, lines: (line, line), kind: ChunkKind::Text, context: Vec::new() },
            text: TextHash::compute(text),
            heading: String::new(),
            words,
            parts,
        });
    }
    let path = path(written);
    IndexedFile {
        stamp: stamp(minute),
        hash: Hash::compute(whole.as_bytes()),
        private: false,
        language: None,
        title: Terms::from_text(path.stem()).words,
        names: Vec::new(),
        folders: Terms::from_text(path.folder()).words,
        passages,
        links: Vec::new(),
        tags: Vec::new(),
        fields: Vec::new(),
        values: Vec::new(),
        structure: None,
        trouble: None,
        path,
    }
}

/// Of a file that was changed in this minute.
pub fn stamp(minute: i64) -> FileStamp {
    FileStamp { size: 10, modified: moment(minute), changed: moment(minute), number: 7, settled: true }
}

pub fn moment(minute: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + minute * 60).expect("a moment")
}

pub fn put(index: &dyn Index, corpus: &CorpusName, files: &[IndexedFile]) {
    let changes: Vec<IndexChange> =
        files.iter().map(|file| IndexChange::Put(Box::new(file.clone()))).collect();
    index.apply(corpus, &changes).expect("a change");
}

/// Where the query's words stand, as `path:line`, sorted.
pub fn search_places<I: Index + Passages>(index: &I, query: &str, filter: &PassageFilter) -> Vec<String> {
    let mut places = ranked_places(index, &query_terms(query), filter, 100);
    places.sort();
    places
}

pub fn ranked_places<I: Passages>(
    index: &I,
    terms: &[QueryTerm],
    filter: &PassageFilter,
    limit: usize,
) -> Vec<String> {
    let scored = index.find_matching(terms, filter, limit).expect("an answer").passages;
    assert!(scored.iter().all(|found| found.score > 0.0), "{scored:?}");
    assert!(scored.windows(2).all(|two| two[0].score >= two[1].score), "{scored:?}");
    let ids: Vec<_> = scored.iter().map(|found| found.id).collect();
    places(index, &ids)
}

pub fn places<I: Passages + ?Sized>(index: &I, ids: &[i64]) -> Vec<String> {
    let stored = index.load_passages(ids).expect("passages");
    stored.iter().map(|passage| format!("{}:{}", passage.path, passage.lines.0)).collect()
}

pub fn no_filter() -> PassageFilter {
    PassageFilter::default()
}

pub fn file_states<I: Index>(index: &I) -> Vec<(String, FileState)> {
    let mut known = index.known_files(&vault(), KnownFileFilter::All).expect("files");
    known.sort_by(|one, other| one.path.cmp(&other.path));
    known.into_iter().map(|file| (file.path.to_string(), file.state)).collect()
}

pub fn indexed_state(file: &IndexedFile) -> (String, FileState) {
    (file.path.to_string(), FileState::Indexed { hash: file.hash })
}
