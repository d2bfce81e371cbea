//! The cost of code: indexing a source tree, one changed file, outlines, definitions and the graph: `cargo bench -p
//! wellread --bench code [-- FOLDER…]`; without a folder, this repository's own source.
//!
//! Prints a table for `docs/benchmarks.md`. Nothing is asserted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use wellread_adapters::clock::SystemClock;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::repository::RepositoryFiles;
use wellread_core::code::codebase::{CodeSymbol, Codebase, Scope};
use wellread_core::code::graph::{Direction, Graph};
use wellread_core::code::inspect::outline_text;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::library::indexing::Library;
use wellread_core::library::judge::JudgeRules;

const ASKED: usize = 300;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` only checks that it starts.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let mut folders: Vec<PathBuf> =
        arguments.iter().filter(|argument| !argument.starts_with("--")).map(PathBuf::from).collect();
    if folders.is_empty() {
        folders.push("../../crates".into());
    }
    println!("| | {} |", folders.iter().map(|folder| name_of(folder)).collect::<Vec<_>>().join(" | "));
    println!("| --- |{}", " ---: |".repeat(folders.len()));
    let columns: Vec<Vec<(&str, String)>> = folders.iter().map(|folder| measured(folder)).collect();
    for (row, (what, _)) in columns[0].iter().enumerate() {
        let values: Vec<&str> = columns.iter().map(|column| column[row].1.as_str()).collect();
        println!("| {what} | {} |", values.join(" | "));
    }
}

fn name_of(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap();
    folder.file_name().unwrap().to_string_lossy().into_owned()
}

/// Copies the tree, so that a file can be changed.
fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => copied(&entry.path(), &target),
            kind if kind.is_file() => drop(fs::copy(entry.path(), target).unwrap()),
            _ => {}
        }
    }
}

fn measured(folder: &Path) -> Vec<(&'static str, String)> {
    let place = TempDir::new().unwrap();
    let root = place.path().join("code");
    copied(folder, &root);
    let index = Arc::new(SqliteIndex::new(&place.path().join("data"), "bench"));
    let corpus = CorpusName::Repository("code".to_owned());
    let library = Arc::new(Library {
        corpora: vec![(corpus.clone(), Arc::new(RepositoryFiles::open(&root).unwrap()))],
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
    let (begun, used) = (Instant::now(), processor_time());
    library.update(false, &|_| {}).unwrap();
    let (took, used) = (begun.elapsed(), processor_time() - used);
    let codebase = Codebase::new(library.clone(), "code", Scope::default()).unwrap();
    let sources = codebase.sources().unwrap();
    let texts: Vec<(VaultPath, String)> =
        sources.iter().map(|(path, _)| (path.clone(), codebase.read(path).unwrap().text)).collect();
    let lines: usize = texts.iter().map(|(_, text)| text.lines().count()).sum();
    let symbols = some_symbols(&codebase, &sources);
    let per = |time: Duration| time.as_secs_f64() * 100_000.0 / lines as f64;
    let changed = changed(&library, &corpus, &root, &texts);
    let outlines = timed(texts.iter().take(ASKED), |(path, text)| drop(outline_text(path, text)));
    let found = timed(symbols.iter(), |symbol| drop(codebase.find_symbols(&symbol.name, None).unwrap()));
    let fresh = || Codebase::new(library.clone(), "code", Scope::default()).unwrap();
    let near = timed(symbols.iter().take(100), |symbol| {
        let codebase = fresh();
        drop(Graph::new(&codebase).unwrap().expand(symbol, Direction::Both, 1, None).unwrap());
    });
    let far = timed(symbols.iter().take(50), |symbol| {
        let codebase = fresh();
        drop(Graph::new(&codebase).unwrap().expand(symbol, Direction::Both, 2, None).unwrap());
    });
    vec![
        ("files, lines of code", format!("{}, {lines}", sources.len())),
        ("index everything, for 100,000 lines: processor time", format!("{:.2} s", per(used))),
        ("the same: time", format!("{:.2} s", per(took))),
        ("most memory", format!("{:.0} MB", most_memory())),
        ("one changed file, until it is in the index: half within, 95 % within", changed),
        ("`outline`: half within, 95 % within", outlines),
        ("`find_symbol`, lookup: half within, 95 % within", found),
        ("`graph_expand`, one step both ways: half within, 95 % within", near),
        ("`graph_expand`, two steps both ways: half within, 95 % within", far),
    ]
}

/// Definitions from all parts of the tree.
fn some_symbols(codebase: &Codebase, sources: &[(VaultPath, String)]) -> Vec<CodeSymbol> {
    let mut symbols = Vec::new();
    for (path, _) in sources {
        let Some(stored) = codebase.structure(path).unwrap() else { continue };
        let all = &stored.structure.definitions;
        for name in all.iter().step_by(all.len() / 3 + 1).map(|found| &found.name) {
            let defined = codebase.find_definitions(name).unwrap();
            let own = defined.iter().find(|symbol| symbol.path == *path).unwrap();
            symbols.push(codebase.symbol(own).unwrap());
        }
    }
    let step = symbols.len() / ASKED + 1;
    symbols.into_iter().step_by(step).collect()
}

fn changed(library: &Library, corpus: &CorpusName, root: &Path, texts: &[(VaultPath, String)]) -> String {
    timed(texts.iter().step_by(texts.len() / 40 + 1), |(path, text)| {
        fs::write(root.join(path.as_str()), format!("{text}\n")).unwrap();
        library.update_files(corpus, std::slice::from_ref(path)).unwrap();
    })
}

fn timed<T>(all: impl Iterator<Item = T>, mut act: impl FnMut(T)) -> String {
    let mut times: Vec<Duration> = all
        .map(|one| {
            let begun = Instant::now();
            act(one);
            begun.elapsed()
        })
        .collect();
    times.sort();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e3;
    format!("{:.2}, {:.2} ms", at(50), at(95))
}

/// The processor time of this process so far, all threads.
fn processor_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

/// The memory in megabytes.
fn most_memory() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1e3
}
