//! The quality of search: `cargo bench -p wellread-adapters --features built-in-model --bench quality -- FOLDER [--model built-in|minilm] [--most N]
//! [--signals FILE] [--database URL]`.
//!
//! Each folder in the folder is a set. One with `functions.jsonl` and `queries.jsonl` has questions with the function that
//! answers each. Any other is a vault with questions that are made from its notes:
//!
//! - link: the text of a link; the answer is the linked note
//! - heading: a heading that occurs once; the answer is its note
//! - title: the name of a note; the answer is the note
//! - typo: the same with a mistake in its longest word
//!
//! A vault's `queries.jsonl` has more: `{"query", "path"}`. Questions about something else are asked of every set, and
//! nothing should be found.
//!
//! With `--database`, the index is in that database, which has the tables of the index; otherwise it is a SQLite file.
//! With `--signals`, what the scores are computed from is written to a file, a line for each question: `training/fusion.py` reads it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use wellread_adapters::clock::SystemClock;
use wellread_adapters::embed::{BuiltInModel, LocalModel};
use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::postgres::{DatabaseAddress, DatabaseOptions, PostgresIndex};
use wellread_adapters::repository::RepositoryFiles;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::library::indexing::{Library, embed_pending};
use wellread_core::library::judge::JudgeRules;
use wellread_core::library::search::{Hit, Relevance, SearchMode, SearchRequest, Searcher};
use wellread_core::ports::{
    Corpus, Embedder, Index, KnownFileFilter, PassageFilter, Passages, Symbols, Vectors,
};
use wellread_text::{FileNames, LinkForm, Note};

/// How many results are considered.
const DEPTH: usize = 10;
/// Questions about neither software nor notes: no set has the answer.
const OFF_TOPIC: [&str; 12] = [
    "zzzqqqxyz",
    "qwrtplkj vbnmxcz",
    "symptoms of chickenpox in toddlers",
    "how to tune a violin",
    "pruning rose bushes in march",
    "offside rule in football",
    "capital of mongolia",
    "recipe for sourdough pancakes",
    "volcanoes beneath iceland",
    "medieval siege engines",
    "how do whales sleep",
    "knitting a woolen scarf",
];

struct Question {
    bucket: &'static str,
    text: String,
    answer: String,
}

struct Options {
    folder: PathBuf,
    model: String,
    most: usize,
    signals: Option<PathBuf>,
    database: Option<String>,
}

fn main() {
    let Some(options) = read_options() else { return };
    println!("| set | bucket | questions | mode | nDCG@10 | MRR@10 | recall@10 |");
    println!("| --- | --- | ---: | --- | ---: | ---: | ---: |");
    let mut sets: Vec<PathBuf> = fs::read_dir(&options.folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    sets.sort();
    for set in sets {
        let name = set.file_name().unwrap().to_string_lossy().into_owned();
        let kept = tempfile::tempdir().unwrap();
        let (corpus, questions) = if set.join("functions.jsonl").exists() {
            read_code(&set, kept.path())
        } else {
            read_vault(&set, kept.path())
        };
        if questions.is_empty() {
            continue;
        }
        let (search, cost) = open_search(kept.path(), corpus, &options, &name);
        let questions = limit_questions(questions, options.most);
        match &options.signals {
            Some(file) => write_signals(&name, &search, &questions, file),
            None => measure(&name, &search, &questions, cost),
        }
    }
}

fn read_options() -> Option<Options> {
    let all: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| all.iter().position(|one| one == name).and_then(|at| all.get(at + 1)).cloned();
    let folder = all.first().filter(|first| !first.starts_with('-')).map(PathBuf::from)?;
    // Cargo runs a bench in the folder of its crate; the path is relative to the user's folder.
    let folder = if folder.exists() { folder } else { Path::new("../..").join(folder) };
    let most = after("--most").map_or(usize::MAX, |most| most.parse().unwrap());
    let model = after("--model").unwrap_or_else(|| "built-in".to_owned());
    let signals = after("--signals").map(PathBuf::from);
    Some(Options { folder, model, most, signals, database: after("--database") })
}

type Set = ((CorpusName, Arc<dyn Corpus>), Vec<Question>);

fn read_lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn read_code(folder: &Path, kept: &Path) -> Set {
    let root = kept.join("functions");
    fs::create_dir(&root).unwrap();
    for function in read_lines(&folder.join("functions.jsonl")) {
        let name = format!("{}.py", function["id"]);
        fs::write(root.join(name), function["code"].as_str().unwrap()).unwrap();
    }
    let corpus = CorpusName::Repository("functions".to_owned());
    let questions = read_lines(&folder.join("queries.jsonl")).into_iter().map(|query| Question {
        bucket: "function",
        text: query["query"].as_str().unwrap().to_owned(),
        answer: format!("{}.py", query["id"]),
    });
    ((corpus, Arc::new(RepositoryFiles::open(&root).unwrap())), questions.collect())
}

fn read_vault(folder: &Path, kept: &Path) -> Set {
    let files = Arc::new(VaultFiles::open(folder, kept, &[]).unwrap());
    let listing = files.list().unwrap();
    let names = FileNames::from_paths(listing.files.iter().map(|entry| entry.path.as_str().to_owned()));
    let mut links: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut headings: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut titles: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in listing.files.iter().filter(|entry| entry.path.is_note()) {
        let path = entry.path.as_str().to_owned();
        let Ok(text) = String::from_utf8(files.read(&entry.path).unwrap().bytes) else { continue };
        let note = Note::parse(&text);
        titles
            .entry(entry.path.stem().replace(['-', '_', '.'], " ").to_lowercase())
            .or_default()
            .insert(path.clone());
        for heading in note.headings.iter().filter(|heading| heading.text.split_whitespace().count() > 2) {
            headings.entry(heading.text.to_lowercase()).or_default().insert(path.clone());
        }
        for link in &note.links {
            let found = names.resolve(&link.target, &path);
            if let Some(answer) = found.path().filter(|found| found.ends_with(".md") && **found != path) {
                let shown = link.alias.clone().filter(|shown| !shown.contains(".md"));
                let Some(shown) = shown.or((link.form == LinkForm::Wiki).then(|| link.target.clone())) else {
                    continue;
                };
                links.entry(shown).or_default().insert(answer.to_owned());
            }
        }
    }
    let typos = titles.iter().filter_map(|(title, paths)| Some((misspell(title)?, paths.clone()))).collect();
    let mut questions = Vec::new();
    for (bucket, asked) in [("link", links), ("heading", headings), ("title", titles), ("typo", typos)] {
        let alone = asked.into_iter().filter(|(text, paths)| paths.len() == 1 && !text.trim().is_empty());
        questions.extend(alone.map(|(text, paths)| Question {
            bucket,
            text,
            answer: paths.into_iter().next().unwrap(),
        }));
    }
    questions.extend(read_lines(&folder.join("queries.jsonl")).into_iter().map(|query| Question {
        bucket: "question",
        text: query["query"].as_str().unwrap().to_owned(),
        answer: query["path"].as_str().unwrap().to_owned(),
    }));
    ((CorpusName::Vault, files), questions)
}

/// A title with the third letter from the end of its longest word changed; `None` if it has no long word.
fn misspell(title: &str) -> Option<String> {
    let word = title.split_whitespace().max_by_key(|word| word.len())?;
    if word.len() < 6 || !word.bytes().all(|letter| letter.is_ascii_lowercase()) {
        return None;
    }
    let at = word.len() - 3;
    let other = if &word[at..=at] == "e" { "a" } else { "e" };
    Some(title.replace(word, &format!("{}{other}{}", &word[..at], &word[at + 1..])))
}

/// At most so many questions of each bucket, spread evenly.
fn limit_questions(questions: Vec<Question>, most: usize) -> Vec<Question> {
    let mut buckets: BTreeMap<&'static str, Vec<Question>> = BTreeMap::new();
    for question in questions {
        buckets.entry(question.bucket).or_default().push(question);
    }
    let spread = |all: Vec<Question>| {
        let step = all.len().div_ceil(most.max(1)).max(1);
        all.into_iter().step_by(step)
    };
    buckets.into_values().flat_map(spread).collect()
}

/// The processor time of indexing by words, and of the vectors.
type IndexCost = (f64, f64);

fn open_library<I: Index + Passages + Vectors + Symbols + 'static>(
    corpus: (CorpusName, Arc<dyn Corpus>),
    index: I,
) -> Library {
    let index = Arc::new(index);
    Library {
        corpora: vec![corpus],
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

fn open_search(
    data: &Path,
    corpus: (CorpusName, Arc<dyn Corpus>),
    options: &Options,
    name: &str,
) -> (Searcher, IndexCost) {
    let library = Arc::new(match &options.database {
        Some(url) => {
            let space = format!("quality {} {name}", std::process::id());
            let address = DatabaseAddress::parse(url).unwrap();
            let database = DatabaseOptions::new(address, None, None, &space).unwrap();
            open_library(corpus, PostgresIndex::new(database, data))
        }
        None => open_library(corpus, SqliteIndex::new(data, "quality")),
    });
    let embedder: Arc<dyn Embedder> = match options.model.as_str() {
        "minilm" => {
            Arc::new(LocalModel::open(&wellread_testkit::model_folder(), "all-MiniLM-L6-v2", "").unwrap())
        }
        _ => Arc::new(BuiltInModel::open().unwrap()),
    };
    let begun = processor_seconds();
    library.update(false, &|_| {}).unwrap();
    let indexed = processor_seconds();
    embed_pending(&library, &*embedder, &|| {}, &|_| true).unwrap();
    let cost = (indexed - begun, processor_seconds() - indexed);
    (Searcher { library, embedder, sync: Arc::default() }, cost)
}

/// The processor time of this process in user and system mode, in seconds.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    ticks / 100.0
}

fn find(search: &Searcher, text: &str, mode: SearchMode) -> Vec<Hit> {
    let request = SearchRequest {
        query: text.to_owned(),
        mode,
        filter: PassageFilter::default(),
        limit: DEPTH,
        per_file: 1,
    };
    search.find(&request).unwrap().hits
}

/// How many results of a question are written with their signals.
const SIGNALS: usize = 150;

fn write_signals(name: &str, search: &Searcher, questions: &[Question], file: &Path) {
    let mut out = fs::OpenOptions::new().create(true).append(true).open(file).unwrap();
    for question in questions {
        let request = SearchRequest {
            query: question.text.clone(),
            mode: SearchMode::Hybrid,
            filter: PassageFilter::default(),
            limit: SIGNALS,
            per_file: 3,
        };
        let row = |hit: &Hit| {
            let signals = hit.signals;
            json!([
                hit.place.path.as_str(),
                hit.kind.name(),
                signals.words,
                signals.all_words,
                signals.named,
                signals.cosine
            ])
        };
        let rows: Vec<Value> = search.find(&request).unwrap().hits.iter().map(row).collect();
        let Question { bucket, text, answer } = question;
        let line = json!({ "set": name, "bucket": bucket, "query": text, "answer": answer, "rows": rows });
        writeln!(out, "{line}").unwrap();
    }
}

fn measure(name: &str, search: &Searcher, questions: &[Question], (words, vectors): IndexCost) {
    let buckets: BTreeSet<&str> = questions.iter().map(|question| question.bucket).collect();
    let modes = [SearchMode::Keyword, SearchMode::Semantic, SearchMode::Hybrid];
    let mut costs = Vec::new();
    for mode in modes {
        let begun = processor_seconds();
        for bucket in &buckets {
            let (mut gain, mut reciprocal, mut found, mut all) = (0.0, 0.0, 0.0, 0.0);
            for question in questions.iter().filter(|question| question.bucket == *bucket) {
                let hits = find(search, &question.text, mode);
                all += 1.0;
                if let Some(at) = hits.iter().position(|hit| hit.place.path.as_str() == question.answer) {
                    gain += 1.0 / ((at + 2) as f64).log2();
                    reciprocal += 1.0 / (at + 1) as f64;
                    found += 1.0;
                }
            }
            println!(
                "| {name} | {bucket} | {all} | {mode:?} | {:.3} | {:.3} | {:.3} |",
                gain / all,
                reciprocal / all,
                found / all
            );
        }
        let per_query = (processor_seconds() - begun) / questions.len() as f64;
        let found: Vec<Vec<Hit>> = OFF_TOPIC.iter().map(|text| find(search, text, mode)).collect();
        let empty = found.iter().filter(|hits| hits.is_empty()).count();
        let strong = |hit: &&Hit| hit.relevance == Relevance::Strong;
        let hits: usize = found.iter().map(|hits| hits.iter().filter(strong).count()).sum();
        costs.push(format!(
            "{mode:?} {:.2} ms a query, {empty} of {} off topic found nothing, {:.1} strong results each",
            per_query * 1e3,
            OFF_TOPIC.len(),
            hits as f64 / OFF_TOPIC.len() as f64
        ));
    }
    let files = |(corpus, _): &(CorpusName, _)| {
        search.library.index.known_files(corpus, KnownFileFilter::All).unwrap().len()
    };
    let files: usize = search.library.corpora.iter().map(files).sum();
    let passages = search.library.index.coverage().unwrap().passages;
    println!(
        "<!-- {name}: {files} files, {passages} passages; indexing {words:.2} s, vectors {vectors:.2} s; {} -->",
        costs.join("; ")
    );
}
