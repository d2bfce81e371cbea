//! The cost of indexing and searching, and how it grows with the vault: `cargo bench -p wellread --bench search [--
//! --sizes 1000,10000,100000] [--draw docs/growth.svg]`.
//!
//! Prints a table for `docs/benchmarks.md`. Nothing is asserted.
//!
//! The vectors of passages are made up, since real ones would take an hour and a scan takes as long with any. The
//! vector of the query is made by the real model, and its time counts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)]

#[path = "search/process.rs"]
mod process;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use wellread_adapters::clock::SystemClock;
use wellread_adapters::embed::ModelStore;
use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::library::indexing::Library;
use wellread_core::library::judge::JudgeRules;
use wellread_core::library::search::{SearchMode, SearchRequest, Searcher};
use wellread_core::ports::PassageScope;
use wellread_core::ports::{PassageFilter, TextHash};
use wellread_testkit::chart::{ChartLine, draw_chart, group_thousands};
use wellread_testkit::{large_vault, model_folder};

use self::process::Program;

const MODEL: &str = "all-MiniLM-L6-v2";
/// The size at which the memory of a server is measured.
const SERVED: usize = 10_000;
const VECTORS_AT_ONCE: usize = 4096;

/// One measurement of a vault; the time is set if it is drawn.
struct Row {
    what: &'static str,
    shown: String,
    drawn: Option<(&'static str, Duration)>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` only checks that it starts.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let after = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let sizes = after("--sizes").unwrap_or_else(|| "1000,10000".to_owned());
    let sizes: Vec<usize> = sizes.split(',').map(|size| size.trim().parse().unwrap()).collect();
    let columns: Vec<Vec<Row>> = sizes.iter().map(|size| measure_vault(*size)).collect();
    print_table(&sizes, &columns);
    if let Some(file) = after("--draw") {
        // Cargo runs a bench in the folder of its crate; the path is relative to the workspace.
        fs::write(Path::new("../..").join(file), picture(&sizes, &columns)).unwrap();
    }
}

fn print_table(sizes: &[usize], columns: &[Vec<Row>]) {
    let heads: Vec<String> =
        sizes.iter().map(|size| format!(" {} notes |", group_thousands(*size as u64))).collect();
    println!("| what |{}\n| --- |{}", heads.concat(), " ---: |".repeat(sizes.len()));
    for (at, row) in columns[0].iter().enumerate() {
        let cells: Vec<String> = columns.iter().map(|column| format!(" {} |", column[at].shown)).collect();
        println!("| {} |{}", row.what, cells.concat());
    }
}

fn picture(sizes: &[usize], columns: &[Vec<Row>]) -> String {
    let line = |(at, row): (usize, &Row)| {
        let (name, _) = row.drawn?;
        let point = |(size, column): (&usize, &Vec<Row>)| {
            let (_, time) = column[at].drawn?;
            Some((*size as f64, (time.as_secs_f64() * 1e3).max(0.1)))
        };
        Some(ChartLine { name, points: sizes.iter().zip(columns).filter_map(point).collect() })
    };
    let lines: Vec<ChartLine> = columns[0].iter().enumerate().filter_map(line).collect();
    draw_chart("How the time grows with the vault", "notes", &lines)
}

/// All measurements of a vault of this many notes.
fn measure_vault(notes: usize) -> Vec<Row> {
    eprintln!("{} notes", group_thousands(notes as u64));
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let program = Program { vault: root.join("vault"), data: root.join("data") };
    fs::create_dir(&program.vault).unwrap();
    large_vault::write_vault(&program.vault, notes).unwrap();
    // A file that has just been written is read again by the next update: its date may not distinguish two versions.
    sleep(Duration::from_secs(3));
    let mut rows = processes(&program);
    install_model(&program.data.join("models"));
    rows.extend(searches(&program));
    rows.extend(with_vectors(&program));
    rows.extend(server(&program, notes == SERVED));
    rows.extend(changes(&program));
    rows
}

/// The cost of the commands without a model.
fn processes(program: &Program) -> Vec<Row> {
    let full = program.run(&["index", "--no-vectors", "--json"]);
    let unchanged = program.mean_cpu(vec![vec!["index", "--no-vectors", "--json"]; 5]);
    let queries = large_vault::queries(20);
    let search = |query| vec!["search", "--mode", "keyword", query];
    let searched = program.mean_cpu(queries.iter().map(|query| search(query.as_str())));
    vec![
        drawn_row("index everything, by words: processor time", "index everything (CPU)", full.cpu),
        row("index everything, by words: time", seconds(full.wall)),
        row("index everything, by words: most memory", megabytes(full.peak)),
        drawn_row("index again, nothing changed: processor time", "nothing changed (CPU)", unchanged),
        drawn_row("`wellread search --mode keyword`: processor time", "search command (CPU)", searched),
    ]
}

/// The time of a search in a long-running process.
fn searches(program: &Program) -> Vec<Row> {
    let search = opened(program);
    let words = percentiles(&large_vault::queries(201), |query| find(&search, query, SearchMode::Keyword));
    fill_with_vectors(&search);
    let first = Instant::now();
    find(&search, "honey", SearchMode::Hybrid);
    let first = first.elapsed();
    let both = percentiles(&large_vault::queries(101), |query| find(&search, query, SearchMode::Hybrid));
    let coverage = search.library.index.coverage().unwrap();
    vec![
        drawn_row("search by words: half of the queries within", "keyword search", words.half),
        row("search by words: 95 % within", milliseconds(words.most)),
        drawn_row("search by words and meaning: half within", "hybrid search", both.half),
        row("search by words and meaning: 95 % within", milliseconds(both.most)),
        row("the first of these, which reads all vectors", milliseconds(first)),
        row("passages", group_thousands(coverage.passages as u64)),
        row("index with vectors, on disk", megabytes(coverage.bytes)),
    ]
}

/// The cost of the commands with vectors.
fn with_vectors(program: &Program) -> Vec<Row> {
    let unchanged = program.mean_cpu(vec![vec!["index", "--json"]; 5]);
    let queries = large_vault::queries(5);
    let searched = program.mean_cpu(queries.iter().map(|query| vec!["search", query.as_str()]));
    vec![
        row("index again, nothing changed, with vectors: processor time", milliseconds(unchanged)),
        row("`wellread search` by words and meaning: processor time", milliseconds(searched)),
    ]
}

fn server(program: &Program, wanted: bool) -> Vec<Row> {
    let memory_after = |mode: &str| {
        if !wanted {
            return String::new();
        }
        let mut server = program.serve();
        assert!(server.search(&large_vault::queries(1)[0], mode).contains(mode));
        sleep(Duration::from_secs(6));
        let memory = server.memory();
        server.end();
        megabytes(memory)
    };
    vec![
        row("`wellread mcp`, memory at rest after a search by words", memory_after("keyword")),
        row("`wellread mcp`, memory at rest after one by words and meaning", memory_after("hybrid")),
    ]
}

/// The time from saving a note to finding a word that only it contains.
fn changes(program: &Program) -> Vec<Row> {
    let search = opened(program);
    let files = VaultFiles::open(&program.vault, &program.data, &[]).unwrap();
    let mut round = 0;
    let mut change = |mode| {
        round += 1;
        let (name, word) = (large_vault::note_path(round * 13), format!("quartz{round}"));
        let path = files.rules().parse_file(&name).unwrap();
        let text = fs::read_to_string(program.vault.join(&name)).unwrap();
        let begun = Instant::now();
        fs::write(program.vault.join(&name), format!("{text}\nNow there is {word} in it.\n")).unwrap();
        search.library.update_files(&CorpusName::Vault, std::slice::from_ref(&path)).unwrap();
        let hits = find(&search, &word, mode);
        let took = begun.elapsed();
        assert!(hits.contains(&name), "{word}");
        took
    };
    let mut rounds = |mode| Percentiles::of((0..30).map(|_| change(mode)).collect());
    let (words, both) = (rounds(SearchMode::Keyword), rounds(SearchMode::Hybrid));
    vec![
        drawn_row(
            "a changed note, until it is found by words: half within",
            "changed note, found",
            words.half,
        ),
        row("a changed note, until it is found by words: slowest of 30", milliseconds(words.slowest)),
        row("a changed note, until it is found by words and meaning: half within", milliseconds(both.half)),
    ]
}

fn opened(program: &Program) -> Searcher {
    let kept = fs::read_dir(program.data.join("vaults")).unwrap().next().unwrap().unwrap().path();
    let files = Arc::new(VaultFiles::open(&program.vault, &kept, &[]).unwrap());
    let index = Arc::new(SqliteIndex::new(&kept, &program.vault.to_string_lossy()));
    let library = Arc::new(Library {
        corpora: vec![(CorpusName::Vault, files)],
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
    let model = ModelStore::new(program.data.join("models")).open(MODEL).unwrap();
    Searcher { library, embedder: Arc::new(model), sync: Arc::default() }
}

/// A folder of our own with links to the model's files, because the program writes a file next to them.
fn install_model(models: &Path) {
    let folder: PathBuf = models.join(MODEL);
    fs::create_dir_all(&folder).unwrap();
    for entry in fs::read_dir(model_folder().canonicalize().unwrap()).unwrap() {
        let entry = entry.unwrap();
        symlink(entry.path(), folder.join(entry.file_name())).unwrap();
    }
}

fn fill_with_vectors(search: &Searcher) {
    let model = search.embedder.model().unwrap();
    let all = search.library.index.coverage().unwrap().passages;
    let pending = search.library.vectors.pending_passages(&model, PassageScope::All, all).unwrap();
    for part in pending.chunks(VECTORS_AT_ONCE) {
        let made: Vec<(TextHash, Vec<f32>)> = part
            .iter()
            .map(|passage| (passage.text, random_vector(&passage.text, model.dimension)))
            .collect();
        search.library.vectors.keep(&model, &made).unwrap();
    }
}

/// A unit vector that depends only on the text.
fn random_vector(text: &TextHash, dimension: usize) -> Vec<f32> {
    let mut state = u128::from_le_bytes(text.0) as u64 | 1;
    let mut number = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    };
    let vector: Vec<f32> = (0..dimension).map(|_| number()).collect();
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.into_iter().map(|value| value / length).collect()
}

/// The paths of the results.
fn find(search: &Searcher, query: &str, mode: SearchMode) -> Vec<String> {
    let request = SearchRequest {
        query: query.to_owned(),
        mode,
        filter: PassageFilter::default(),
        limit: 10,
        per_file: 3,
    };
    let answer = search.find(&request).unwrap();
    assert_eq!(answer.mode, mode);
    answer.hits.into_iter().map(|hit| hit.place.path.to_string()).collect()
}

struct Percentiles {
    half: Duration,
    most: Duration,
    slowest: Duration,
}

impl Percentiles {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort();
        let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
        Self { half: at(50), most: at(95), slowest: at(100) }
    }
}

/// The time of each query. The first one warms up and does not count.
fn percentiles(queries: &[String], mut find: impl FnMut(&str) -> Vec<String>) -> Percentiles {
    let mut timed = |query: &String| {
        let begun = Instant::now();
        assert!(!find(query).is_empty(), "{query}");
        begun.elapsed()
    };
    timed(&queries[0]);
    Percentiles::of(queries[1..].iter().map(timed).collect())
}

fn row(what: &'static str, shown: String) -> Row {
    Row { what, shown, drawn: None }
}

fn drawn_row(what: &'static str, name: &'static str, time: Duration) -> Row {
    let shown = if time.as_secs() > 0 { seconds(time) } else { milliseconds(time) };
    Row { what, shown, drawn: Some((name, time)) }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
