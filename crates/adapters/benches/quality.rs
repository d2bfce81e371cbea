//! The quality of search: `cargo bench -p wellread-adapters --bench quality -- FOLDER`.
//!
//! The folder contains `code-search/` (functions.jsonl, queries.jsonl: questions with the function that answers each)
//! and `vault/` (notes with links: the text of a link is the question, the linked note the answer).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use wellread_adapters::clock::SystemClock;
use wellread_adapters::embed::LocalModel;
use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::repository::RepositoryFiles;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::library::indexing::{Library, embed_pending};
use wellread_core::library::judge::JudgeRules;
use wellread_core::library::search::{SearchMode, SearchRequest, Searcher};
use wellread_core::ports::{Corpus, KnownFileFilter, PassageFilter};
use wellread_text::{FileNames, Note};

/// How many results are considered.
const DEPTH: usize = 10;

struct Question {
    text: String,
    answer: String,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.find(|argument| !argument.starts_with('-')).map(PathBuf::from) else {
        return;
    };
    // Cargo runs a bench in the folder of its crate; the path is relative to the user's folder.
    let folder = if folder.exists() { folder } else { Path::new("../..").join(folder) };
    code(&folder.join("code-search"));
    vault(&folder.join("vault"));
}

fn code(folder: &Path) {
    let lines = |name: &str| -> Vec<Value> {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        text.lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let kept = tempfile::tempdir().unwrap();
    let root = kept.path().join("functions");
    fs::create_dir(&root).unwrap();
    for function in lines("functions.jsonl") {
        let name = format!("{}.py", function["id"]);
        fs::write(root.join(name), function["code"].as_str().unwrap()).unwrap();
    }
    let corpus = (
        CorpusName::Repository("functions".to_owned()),
        Arc::new(RepositoryFiles::open(&root).unwrap()) as _,
    );
    let questions = lines("queries.jsonl").into_iter().map(|query| Question {
        text: query["query"].as_str().unwrap().to_owned(),
        answer: format!("{}.py", query["id"]),
    });
    measure("code", &search(kept.path(), corpus), &questions.collect::<Vec<_>>());
}

fn vault(folder: &Path) {
    let kept = tempfile::tempdir().unwrap();
    let files = Arc::new(VaultFiles::open(folder, kept.path(), &[]).unwrap());
    let listing = files.list().unwrap();
    let names = FileNames::from_paths(listing.files.iter().map(|entry| entry.path.as_str().to_owned()));
    let mut questions = BTreeSet::new();
    for entry in listing.files.iter().filter(|entry| entry.path.is_note()) {
        let text = String::from_utf8(files.read(&entry.path).unwrap().bytes).unwrap();
        for link in Note::parse(&text).links {
            let answer = names.resolve(&link.target, entry.path.as_str());
            let Some(answer) =
                answer.path().filter(|path| path.ends_with(".md") && *path != entry.path.as_str())
            else {
                continue;
            };
            let shown = link.alias.clone().unwrap_or_else(|| link.target.clone());
            questions.insert((shown, answer.to_owned()));
        }
    }
    let questions: Vec<Question> =
        questions.into_iter().map(|(text, answer)| Question { text, answer }).collect();
    measure("vault", &search(kept.path(), (CorpusName::Vault, files)), &questions);
}

fn search(data: &Path, corpus: (CorpusName, Arc<dyn Corpus>)) -> Searcher {
    let index = Arc::new(SqliteIndex::new(data, "quality"));
    let library = Arc::new(Library {
        corpora: vec![corpus],
        away: Vec::new(),
        index: index.clone(),
        passages: index.clone(),
        vectors: index.clone(),
        symbols: index,
        clock: Arc::new(SystemClock),
        rules: JudgeRules::default(),
        whole: None,
    });
    let model = LocalModel::open(&wellread_testkit::model_folder(), "all-MiniLM-L6-v2", "").unwrap();
    library.update(false, &|_| {}).unwrap();
    embed_pending(&library, &model, &|| {}, &|_| true).unwrap();
    Searcher { library, embedder: Arc::new(model) }
}

fn measure(name: &str, search: &Searcher, questions: &[Question]) {
    let files: usize = search
        .library
        .corpora
        .iter()
        .map(|(corpus, _)| search.library.index.known_files(corpus, KnownFileFilter::All).unwrap().len())
        .sum();
    println!("\n{name}: {} questions over {files} files\n", questions.len());
    println!("| mode | nDCG@10 | MRR | recall@10 |\n| --- | ---: | ---: | ---: |");
    for mode in [SearchMode::Keyword, SearchMode::Semantic, SearchMode::Hybrid] {
        let (mut gain, mut reciprocal, mut found) = (0.0, 0.0, 0);
        for question in questions {
            let request = SearchRequest {
                query: question.text.clone(),
                mode,
                filter: PassageFilter::default(),
                limit: DEPTH,
                per_file: 1,
            };
            let hits = search.find(&request).unwrap().hits;
            if let Some(at) = hits.iter().position(|hit| hit.place.path.as_str() == question.answer) {
                gain += 1.0 / ((at + 2) as f64).log2();
                reciprocal += 1.0 / (at + 1) as f64;
                found += 1;
            }
        }
        let all = questions.len() as f64;
        println!(
            "| {mode:?} | {:.3} | {:.3} | {:.3} |",
            gain / all,
            reciprocal / all,
            f64::from(found) / all
        );
    }
}
