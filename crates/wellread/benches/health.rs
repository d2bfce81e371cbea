//! The cost of a report on the whole knowledge base, in a vault of 10,000 notes: `cargo bench -p wellread --bench
//! health`.
//!
//! Prints a table for `docs/benchmarks.md`. Nothing is asserted. The processor time is that of the report alone,
//! reading every note included; the files were read before, so that the disk is not measured.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::fs;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::records::RecordStore;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::insight::health::{HealthExamination, HealthInputs, examine};
use wellread_core::library::indexing::{Library, ScannedLinks};
use wellread_core::library::judge::JudgeRules;
use wellread_core::library::public_view::Visibility;
use wellread_core::library::search::Searcher;
use wellread_core::library::vault::{EditPolicy, Turns, Vault, VaultLayout};
use wellread_core::ports::NoOutsideText;
use wellread_core::ports::PassageScope;
use wellread_core::ports::{Embedder, EmbeddingModel, EmbeddingPurpose, RunLogs as _, Vectors as _};
use wellread_core::{Error, Result};
use wellread_testkit::large_vault;

const NOTES: usize = 10_000;
const RUNS: usize = 5;
const DIMENSION: usize = 384;

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
    (0..NOTES).for_each(|n| with_figures(&notes, n));
    let files = Arc::new(VaultFiles::open(&notes, &data, &[]).unwrap());
    let index = Arc::new(SqliteIndex::new(&data, &notes.to_string_lossy()));
    let library = Arc::new(Library {
        corpora: vec![(CorpusName::Vault, files.clone())],
        away: Vec::new(),
        index: index.clone(),
        passages: index.clone(),
        vectors: index.clone(),
        symbols: index.clone(),
        clock: Arc::new(SystemClock),
        rules: JudgeRules::default(),
        whole: None,
        memory: Default::default(),
    });
    let vault = Vault {
        rules: files.rules().clone(),
        links: Arc::new(ScannedLinks::new(files.clone())),
        files,
        clock: Arc::new(SystemClock),
        layout: VaultLayout::default(),
        edits: EditPolicy::default(),
        outside: Arc::new(NoOutsideText),
        visibility: Visibility::default(),
        turns: Turns::default(),
    };
    let records = RecordStore::new(&data);
    println!("{} notes; median (slowest) of {RUNS}\n", NOTES + 1);
    println!("| what | CPU | slowest | memory |\n| --- | ---: | ---: | ---: |");
    let report = |what: &str, search: &Searcher| {
        row(what, || {
            let drawn_on = &records.notes_in_evidence().unwrap();
            let ground = HealthInputs { vault: &vault, search, drawn_on, without_private: false };
            examine(&ground).unwrap()
        });
    };
    report(
        "by words",
        &Searcher { library: library.clone(), embedder: Arc::new(Made(false)), sync: Arc::default() },
    );
    library.update(false, &|_| {}).unwrap();
    let model = Made(true).model().unwrap();
    loop {
        let pending = index.pending_passages(&model, PassageScope::All, 10_000).unwrap();
        if pending.is_empty() {
            break;
        }
        let made: Vec<_> = pending.iter().map(|passage| (passage.text, vector(passage.text.0))).collect();
        index.keep(&model, &made).unwrap();
    }
    report("by vectors", &Searcher { library, embedder: Arc::new(Made(true)), sync: Arc::default() });
}

/// Adds facts: one sentence in each note about a thing of its own, and one about a thing that several notes share.
fn with_figures(notes: &Path, n: usize) {
    const THINGS: [&str; 5] = ["linden hive", "garden scale", "winter feed", "clover field", "wax press"];
    let mut note = OpenOptions::new().append(true).open(notes.join(large_vault::note_path(n))).unwrap();
    let (thing, share) = (THINGS[n % 5], THINGS[n % 3]);
    writeln!(
        note,
        "\nThe {thing} of row {n} weighed {}.{} kg on 2024-{:02}-{:02}.\n",
        20 + n % 30,
        n % 10,
        1 + n % 12,
        1 + n % 28
    )
    .unwrap();
    writeln!(note, "- The {share} number {} needs {} days.", n / 7, 3 + n % 2).unwrap();
}

/// An embedder that is present or not. Its vectors are made by [`vector`].
struct Made(bool);

impl Embedder for Made {
    fn model(&self) -> Result<EmbeddingModel> {
        let model = EmbeddingModel { name: "made up".to_owned(), hash: "1".to_owned(), dimension: DIMENSION };
        self.0.then_some(model).ok_or_else(|| Error::failed("no model is installed"))
    }

    fn embed(&self, _: &[&str], _: EmbeddingPurpose) -> Result<Vec<Vec<f32>>> {
        Err(Error::failed("nothing is embedded here"))
    }
}

/// A unit vector for a text: a common part and a part of its own.
fn vector(text: [u8; 16]) -> Vec<f32> {
    let mut state = u64::from_le_bytes(text[..8].try_into().unwrap()) | 1;
    let mut drawn = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    let mut made: Vec<f32> =
        (0..DIMENSION).map(|at| drawn() + if at.is_multiple_of(3) { 0.2 } else { 0.0 }).collect();
    let length = made.iter().map(|value| value * value).sum::<f32>().sqrt();
    made.iter_mut().for_each(|value| *value /= length);
    made
}

fn row(what: &str, report: impl Fn() -> HealthExamination) {
    // The files are cached from here on.
    let HealthExamination { health, graph } = report();
    let mut times: Vec<f64> = (0..RUNS).map(|_| timed(&report)).collect();
    times.sort_by(f64::total_cmp);
    println!(
        "| {what}: {} links, {} clusters, {} contradictions | {:.2} s | {:.2} s | {} MB |",
        graph.edges.len(),
        health.clusters.len(),
        health.contradictions.len(),
        times[RUNS / 2],
        times[RUNS - 1],
        number("/proc/self/status", "VmHWM:") / 1024
    );
}

/// The seconds of processor time of a call: it has one thread, and the kernel counts its nanoseconds.
fn timed(report: &impl Fn() -> HealthExamination) -> f64 {
    let spent = || number("/proc/thread-self/schedstat", "");
    let before = spent();
    assert_eq!(report().health.notes, NOTES + 1);
    (spent() - before) as f64 / 1e9
}

/// The number after a name in a file of the kernel.
fn number(file: &str, name: &str) -> u64 {
    let text = fs::read_to_string(file).unwrap();
    let rest = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    rest.split_whitespace().next().unwrap().parse().unwrap()
}
