//! The cost of researching a note without a model, in a vault of 10,000 notes: `cargo bench -p wellread --bench
//! keyless`.
//!
//! Prints a table for `docs/benchmarks.md`. Nothing is asserted. Searches use words alone, as without an embedding
//! model.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::fs;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::insight::keyless::{
    Passage, find_dead_links, find_differences, find_forgotten_notes, find_open_questions, find_quotes,
    find_topics,
};
use wellread_core::library::indexing::{IndexSync, IndexedLinks, Library, ScannedLinks};
use wellread_core::library::judge::JudgeRules;
use wellread_core::library::public_view::Visibility;
use wellread_core::library::search::{Hit, SearchMode, SearchRequest, Searcher};
use wellread_core::library::vault::{EditPolicy, Turns, Vault, VaultLayout};
use wellread_core::ports::NoOutsideText;
use wellread_core::ports::{Embedder, EmbeddingModel, EmbeddingPurpose, PassageFilter};
use wellread_core::{Error, Result};
use wellread_testkit::large_vault;

const NOTES: usize = 10_000;
const RUNS: usize = 20;
const STEPS: [&str; 7] = [
    "index level",
    "topics",
    "searches",
    "sentences",
    "differences",
    "forgotten",
    "questions and dead links",
];

fn main() {
    // `cargo test --benches` only checks that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (notes, data) = (root.join("vault"), root.join("data"));
    fs::create_dir(&notes).unwrap();
    fs::create_dir(&data).unwrap();
    large_vault::write_vault(&notes, NOTES).unwrap();
    // A file that has just been written is read again by the next update.
    sleep(Duration::from_secs(3));
    let files = Arc::new(VaultFiles::open(&notes, &data, &[]).unwrap());
    let index = Arc::new(SqliteIndex::new(&data, &notes.to_string_lossy()));
    let library = Arc::new(Library {
        corpora: vec![(CorpusName::Vault, files.clone())],
        away: Vec::new(),
        index: index.clone(),
        passages: index.clone(),
        vectors: index.clone(),
        symbols: index,
        clock: Arc::new(SystemClock),
        rules: JudgeRules::default(),
        whole: None,
        memory: Default::default(),
    });
    let vault = Vault {
        rules: files.rules().clone(),
        links: Arc::new(IndexedLinks::new(
            library.clone(),
            ScannedLinks::new(files.clone()),
            Arc::new(IndexSync::default()),
        )),
        files,
        clock: Arc::new(SystemClock),
        layout: VaultLayout::default(),
        edits: EditPolicy::default(),
        outside: Arc::new(NoOutsideText),
        visibility: Visibility::default(),
        turns: Turns::default(),
    };
    let search = Searcher { library, embedder: Arc::new(NoModel), sync: Arc::default() };
    search.library.update(false, &|_| {}).unwrap();

    let runs: Vec<[Duration; 7]> =
        (0..RUNS).map(|run| research(&vault, &search, &large_vault::note_path(run * 487 % NOTES))).collect();
    println!(
        "{} notes; median (slowest) of {RUNS} notes\n\n| what | median | slowest |\n| --- | ---: | ---: |",
        NOTES + 1
    );
    for (at, step) in STEPS.iter().enumerate() {
        row(step, runs.iter().map(|run| run[at]).collect());
    }
    row("**all**", runs.iter().map(|run| run.iter().sum()).collect());
}

/// No embedding model is installed.
struct NoModel;

impl Embedder for NoModel {
    fn model(&self) -> Result<EmbeddingModel> {
        Err(Error::failed("no model is installed"))
    }

    fn embed(&self, _: &[&str], _: EmbeddingPurpose) -> Result<Vec<Vec<f32>>> {
        self.model().map(|_| Vec::new())
    }
}

/// The time of each step for one note.
fn research(vault: &Vault, search: &Searcher, path: &str) -> [Duration; 7] {
    let mut times = [Duration::ZERO; 7];
    let mut begun = Instant::now();
    let mut step = 0;
    let mut done = || {
        times[step] = begun.elapsed();
        step += 1;
        begun = Instant::now();
    };
    search.library.update(false, &|_| {}).unwrap();
    done();
    let note = vault.read(&vault.rules.parse_file(path).unwrap()).unwrap();
    let topics = find_topics(note.path.stem(), &note.text, None, 10, &|_| 1.0);
    assert_eq!(topics.len(), 10);
    done();
    let found: Vec<(String, Vec<Hit>)> =
        topics.iter().map(|topic| (topic.topic.clone(), hits(search, &topic.topic))).collect();
    done();
    let mut quotes = 0;
    for (topic, hits) in &found {
        let passages: Vec<Passage<'_>> = hits.iter().map(Passage::from_hit).collect();
        quotes += find_quotes(topic, &passages, 3, 1).len();
    }
    assert!(quotes > 0);
    done();
    let hits = found.iter().flat_map(|(_, hits)| hits).filter(|hit| hit.place.path != note.path);
    let passages: Vec<Passage<'_>> =
        std::iter::once(Passage::from_note(&note)).chain(hits.map(Passage::from_hit)).collect();
    let _ = find_differences(&passages, Some(&note.text), 10);
    done();
    let _ = find_forgotten_notes(vault, &note, &found, &[], 5).unwrap();
    done();
    let _ = (find_open_questions(&note.text), find_dead_links(vault, &note).unwrap());
    done();
    times
}

fn hits(search: &Searcher, topic: &str) -> Vec<Hit> {
    let request = SearchRequest {
        query: topic.to_owned(),
        mode: SearchMode::Hybrid,
        filter: PassageFilter::default(),
        limit: 5,
        per_file: 2,
    };
    search.find(&request).unwrap().hits
}

fn row(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let shown = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    println!("| {what} | {} | {} |", shown(times[times.len() / 2]), shown(times[times.len() - 1]));
}
