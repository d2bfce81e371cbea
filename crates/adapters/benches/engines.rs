//! The index in SQLite and in PostgreSQL, side by side: `cargo bench -p wellread-adapters --bench engines -- URL
//! [--passages 10000,100000] [--owner URL]`. URL is a database with the tables of the index, by a role that may use them. The owner
//! of the tables drops the graph of the vectors before they are stored, and makes it anew afterwards, as one does for a large index.
//!
//! Both index the same generated vault, with generated vectors of 384 numbers in clusters; how long it takes, how long searches
//! take, and how many there are in a second. Times are those on the clock, since much of the work is done by the database.
//! Of each search it is compared what the two find.
//!
//! `-- --draw docs/engines.svg TABLE` draws the tables that earlier runs printed into a file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::postgres::{DatabaseAddress, DatabaseOptions, PostgresIndex};
use wellread_core::domain::corpus::CorpusName;
use wellread_core::library::indexing::Library;
use wellread_core::library::judge::JudgeRules;
use wellread_core::ports::{
    EmbeddingModel, Index, PassageFilter, PassageId, PassageScope, PassageScore, Passages, Symbols, TextHash,
    Vectors,
};
use wellread_testkit::chart::{ChartLine, draw_chart};
use wellread_testkit::large_vault;
use wellread_text::query_terms;

const WIDTH: usize = 384;
/// How many passages a note of the generated vault has.
const PASSAGES_PER_NOTE: usize = 6;
const CLUSTERS: usize = 400;
const QUERIES: usize = 60;
const DEPTH: usize = 50;
const SEARCHERS: usize = 4;
const SEARCHING: Duration = Duration::from_secs(5);
const CREATE_GRAPH: &str = "SET maintenance_work_mem = '4GB'; SET max_parallel_maintenance_workers = 2; \
    CREATE INDEX index_vectors_384 ON wellread.index_vectors \
    USING hnsw ((vector::public.halfvec(384)) public.halfvec_cosine_ops) WHERE dimension = 384";

const TITLE: &str = "Half of the searches take at most";
const WITHIN: &str = ": half, 95 % within";
/// Lines of the picture: label, row and column.
const DRAWN: [(&str, &str, usize); 6] = [
    ("2 or 3 words, SQLite", "words, 2 or 3", 3),
    ("2 or 3 words, PostgreSQL", "words, 2 or 3", 4),
    ("6 to 9 words, SQLite", "words, 6 to 9", 3),
    ("6 to 9 words, PostgreSQL", "words, 6 to 9", 4),
    ("meaning, SQLite", "meaning", 3),
    ("meaning, PostgreSQL", "meaning", 4),
];

/// One engine: the first is SQLite, the second PostgreSQL.
struct Engine {
    library: Library,
}

/// What is searched by words, and the text of each question.
type WordQuestions = (&'static str, Vec<String>);

fn main() {
    let all: Vec<String> = std::env::args().skip(1).filter(|one| one != "--bench").collect();
    if let [draw, picture, table] = all.as_slice()
        && draw == "--draw"
    {
        let table = std::fs::read_to_string(table).unwrap();
        std::fs::write(picture, draw_chart(TITLE, "passages", &read_lines(&table))).unwrap();
        return;
    }
    let Some(url) = all.first().filter(|first| first.starts_with("postgres")) else { return };
    let option = |name: &str| all.iter().position(|one| one == name).and_then(|at| all.get(at + 1));
    let sizes = option("--passages").map_or("10000,100000", String::as_str);
    let owner = option("--owner").map(String::as_str);
    println!("| what | passages | SQLite | PostgreSQL |");
    println!("| --- | ---: | ---: | ---: |");
    for size in sizes.split(',') {
        measure(url, owner, size.parse().unwrap());
    }
}

/// Half of the searches within, for each engine, as the rows of a table have it.
fn read_lines(table: &str) -> Vec<ChartLine> {
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('|').map(str::trim).collect()).collect();
    let line = |&(name, what, column): &(&'static str, &str, usize)| {
        let point = |row: &&Vec<&str>| {
            let half = row[column].split(',').next()?;
            Some((row[2].parse().ok()?, half.parse().ok()?))
        };
        let drawn = rows.iter().filter(|row| row.len() > 4 && row[1].strip_suffix(WITHIN) == Some(what));
        ChartLine { name, points: drawn.filter_map(|row| point(&row)).collect() }
    };
    DRAWN.iter().map(line).collect()
}

fn open_library<I: Index + Passages + Vectors + Symbols + 'static>(root: &Path, index: I) -> Library {
    let index = Arc::new(index);
    let files = VaultFiles::open(&root.join("vault"), &root.join("journal"), &[]).unwrap();
    Library {
        corpora: vec![(CorpusName::Vault, Arc::new(files))],
        away: Vec::new(),
        index: index.clone(),
        passages: index.clone(),
        vectors: index.clone(),
        symbols: index,
        clock: Arc::new(SystemClock),
        rules: JudgeRules::default(),
        whole: None,
        memory: Default::default(),
    }
}

fn open_engines(url: &str, root: &Path, passages: usize) -> [Engine; 2] {
    let space = format!("bench {} {passages}", std::process::id());
    let address = DatabaseAddress::parse(url).unwrap();
    let options = DatabaseOptions::new(address, None, None, &space).unwrap();
    let sqlite = SqliteIndex::new(&root.join("sqlite"), "bench");
    let postgres = PostgresIndex::new(options, &root.join("postgres"));
    [Engine { library: open_library(root, sqlite) }, Engine { library: open_library(root, postgres) }]
}

fn measure(url: &str, owner: Option<&str>, passages: usize) {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("vault")).unwrap();
    large_vault::write_vault(&root.path().join("vault"), passages.div_ceil(PASSAGES_PER_NOTE)).unwrap();
    let engines = open_engines(url, root.path(), passages);
    let model = EmbeddingModel { name: "bench".to_owned(), hash: "1".to_owned(), dimension: WIDTH };
    let mut generator = Generator::new();
    let report = |what: &str, figures: [String; 2]| {
        println!("| {what} | {passages} | {} | {} |", figures[0], figures[1]);
    };
    let update = |engine: &Engine| time(|| drop(engine.library.update(false, &|_| {}).unwrap()));
    report("index all words", engines.each_ref().map(update));
    let made = make_vectors(&engines[0].library, &model, &mut generator);
    let keep = |engine: &Engine| {
        time(|| made.chunks(2000).for_each(|part| engine.library.vectors.keep(&model, part).unwrap()))
    };
    if let Some(owner) = owner {
        run_sql(owner, "DROP INDEX wellread.index_vectors_384");
    }
    report("store all vectors", engines.each_ref().map(keep));
    if let Some(owner) = owner {
        report("make the graph", [String::new(), time(|| run_sql(owner, CREATE_GRAPH))]);
    }
    report("index again, nothing changed", engines.each_ref().map(update));
    let bytes = engines.each_ref().map(|engine| engine.library.index.coverage().unwrap().bytes);
    report("size", bytes.map(|bytes| format!("{} MB", bytes / 1_000_000)));
    search_by_words(&engines, &report);
    search_by_meaning(&engines, &model, &mut generator, &report);
    let per_second = engines
        .each_ref()
        .map(|engine| format!("{:.0}", count_searches(&engine.library, &model, &mut generator)));
    report("both, searches per second by 4 threads", per_second);
    // Nothing is left in the database.
    engines[1].library.index.tidy(&[], 0).unwrap();
}

fn time(act: impl FnOnce()) -> String {
    let begun = Instant::now();
    act();
    format!("{:.1} s", begun.elapsed().as_secs_f64())
}

fn run_sql(url: &str, statements: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute(statements).await.unwrap();
    });
}

/// Half within and 95 % within, in milliseconds.
fn percentiles(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    format!("{:.1}, {:.1} ms", at(0.5), at(0.95))
}

fn make_vectors(
    library: &Library,
    model: &EmbeddingModel,
    generator: &mut Generator,
) -> Vec<(TextHash, Vec<f32>)> {
    let pending = library.vectors.pending_passages(model, PassageScope::All, usize::MAX).unwrap();
    pending.into_iter().map(|passage| (passage.text, generator.vector())).collect()
}

fn word_questions() -> Vec<WordQuestions> {
    let medium = large_vault::queries(QUERIES);
    let phrases =
        medium.iter().map(|text| format!("\"{}\"", text.split(' ').take(2).collect::<Vec<_>>().join(" ")));
    let long = medium.chunks(3).map(|texts| texts.join(" ")).collect();
    vec![("words, 2 or 3", medium.clone()), ("words, 6 to 9", long), ("words, a phrase", phrases.collect())]
}

fn search_by_words(engines: &[Engine; 2], report: &dyn Fn(&str, [String; 2])) {
    for (what, questions) in word_questions() {
        let mut found: [Vec<Vec<(String, u32)>>; 2] = Default::default();
        let times = [0, 1].map(|at| {
            let library = &engines[at].library;
            let mut times = Vec::new();
            for text in &questions {
                let terms = query_terms(text);
                let begun = Instant::now();
                let matches =
                    library.passages.find_matching(&terms, &PassageFilter::default(), DEPTH).unwrap();
                times.push(begun.elapsed().as_secs_f64() * 1e3);
                found[at].push(places(library, &matches.passages));
            }
            percentiles(times)
        });
        report(&format!("{what}{WITHIN}"), times);
        let same = found[0].iter().zip(&found[1]).filter(|(one, other)| scores(one) == scores(other)).count();
        report(&format!("{what}: same scores"), [format!("{same} of {}", questions.len()), String::new()]);
    }
}

/// The passages of equal scores come in any order.
fn scores(found: &[(String, u32)]) -> Vec<u32> {
    found.iter().map(|(_, score)| *score).collect()
}

fn places(library: &Library, found: &[PassageScore]) -> Vec<(String, u32)> {
    let ids: Vec<PassageId> = found.iter().map(|scored| scored.id).collect();
    let stored = library.passages.load_passages(&ids).unwrap();
    let place =
        |passage: &wellread_core::ports::StoredPassage| format!("{}:{}", passage.path, passage.lines.0);
    stored.iter().zip(found).map(|(passage, scored)| (place(passage), scored.score.to_bits())).collect()
}

fn search_by_meaning(
    engines: &[Engine; 2],
    model: &EmbeddingModel,
    generator: &mut Generator,
    report: &dyn Fn(&str, [String; 2]),
) {
    let folder = Path::new(&large_vault::note_path(0)).parent().map(|folder| folder.display().to_string());
    let filters = [
        ("meaning", PassageFilter::default()),
        ("meaning, one folder", PassageFilter { folder, ..PassageFilter::default() }),
    ];
    let vectors: Vec<Vec<f32>> = (0..QUERIES).map(|_| generator.vector()).collect();
    for (what, filter) in filters {
        let mut found: [Vec<BTreeSet<(String, u32)>>; 2] = Default::default();
        let times = [0, 1].map(|at| {
            let library = &engines[at].library;
            let mut times = Vec::new();
            for vector in &vectors {
                let begun = Instant::now();
                let near = library.vectors.nearest(model, vector, &filter, DEPTH).unwrap();
                times.push(begun.elapsed().as_secs_f64() * 1e3);
                found[at].push(places(library, &near).into_iter().collect());
            }
            percentiles(times)
        });
        report(&format!("{what}{WITHIN}"), times);
        let asked: usize = found[0].iter().map(BTreeSet::len).sum();
        let same: usize =
            found[0].iter().zip(&found[1]).map(|(one, other)| one.intersection(other).count()).sum();
        report(
            &format!("{what}: of the {DEPTH} nearest, found"),
            [String::new(), format!("{:.3}", same as f64 / asked as f64)],
        );
    }
}

/// Searches by words and by meaning, from several threads.
fn count_searches(library: &Library, model: &EmbeddingModel, generator: &mut Generator) -> f64 {
    let (texts, done) = (large_vault::queries(QUERIES), AtomicUsize::new(0));
    let vectors: Vec<Vec<f32>> = (0..QUERIES).map(|_| generator.vector()).collect();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for searcher in 0..SEARCHERS {
            let (texts, vectors, done) = (&texts, &vectors, &done);
            scope.spawn(move || {
                for at in (searcher..).step_by(SEARCHERS) {
                    if begun.elapsed() > SEARCHING {
                        return;
                    }
                    let terms = query_terms(&texts[at % QUERIES]);
                    let filter = PassageFilter::default();
                    let words = library.passages.find_matching(&terms, &filter, DEPTH).unwrap();
                    let ids: Vec<PassageId> = words.passages.iter().map(|scored| scored.id).collect();
                    let vector = &vectors[at % QUERIES];
                    library.vectors.cosines(model, vector, &ids).unwrap();
                    library.vectors.nearest(model, vector, &filter, DEPTH).unwrap();
                    library.passages.load_passages(&ids).unwrap();
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    done.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64()
}

/// Vectors of length one, around some centers, as those of real texts are.
struct Generator {
    state: u64,
    centers: Vec<Vec<f32>>,
}

impl Generator {
    fn new() -> Self {
        let mut generator = Self { state: 1, centers: Vec::new() };
        generator.centers = (0..CLUSTERS).map(|_| (0..WIDTH).map(|_| generator.number()).collect()).collect();
        generator
    }

    fn number(&mut self) -> f32 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn vector(&mut self) -> Vec<f32> {
        let center = ((self.number() + 1.0) / 2.0 * CLUSTERS as f32) as usize;
        let center = self.centers[center.min(CLUSTERS - 1)].clone();
        let mut vector: Vec<f32> = center.iter().map(|value| value + 0.8 * self.number()).collect();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|value| *value /= length);
        vector
    }
}
