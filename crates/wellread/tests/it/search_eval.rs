//! How well search finds, over the example vault and its code base: labeled queries, and floors under the numbers.
//!
//! The binary is not run here: its parts are put together as it does, once for each model. With `--nocapture` the
//! table is shown, and every query whose answer is not the first.
#![allow(clippy::print_stderr, reason = "the table is for whoever asks for it")]

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use toml_edit::{DocumentMut, Item};
use wellread_adapters::clock::SystemClock;
use wellread_adapters::embed::{BuiltInModel, ModelStore};
use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::repository::RepositoryFiles;
use wellread_core::domain::corpus::{CorpusName, DEFAULT_EXCLUDED};
use wellread_core::library::indexing::{Library, embed_pending};
use wellread_core::library::judge::JudgeRules;
use wellread_core::library::search::{Hit, SearchMode, SearchRequest, Searcher};
use wellread_core::ports::{Embedder, PassageFilter};
use wellread_testkit::{model_folder, skip};

use crate::desk::{Desk, repository};

/// How far down an answer counts at all.
const DEPTH: usize = 10;

/// Bucket, and for hybrid and keyword the least that recall in the first five and the mean reciprocal rank may be.
const FLOORS: [(&str, [f64; 2], [f64; 2]); 6] = [
    ("exact", [0.95, 0.95], [0.95, 0.93]),
    ("paraphrase", [0.95, 0.88], [0.75, 0.64]),
    ("heading", [0.95, 0.82], [0.95, 0.82]),
    ("tag", [0.95, 0.95], [0.95, 0.93]),
    ("code_symbol", [0.95, 0.95], [0.95, 0.93]),
    ("other_language", [0.95, 0.95], [0.95, 0.95]),
];

/// More than this many results for a question without an answer are a list of noise.
const MOST_FOR_NOTHING: f64 = 3.0;

struct Query {
    text: String,
    expect: Vec<String>,
}

fn queries() -> BTreeMap<String, Vec<Query>> {
    let file = repository().join("crates/wellread/tests/it/search_eval/queries.toml");
    let document: DocumentMut = fs::read_to_string(file).unwrap().parse().unwrap();
    let strings = |item: &Item| -> Vec<String> {
        item.as_array().into_iter().flatten().map(|path| path.as_str().unwrap().to_owned()).collect()
    };
    let rows = |item: &Item| -> Vec<Query> {
        let rows = item.as_array_of_tables().unwrap().iter();
        rows.map(|row| Query {
            text: row["query"].as_str().unwrap().to_owned(),
            expect: row.get("expect").map(strings).unwrap_or_default(),
        })
        .collect()
    };
    document.iter().map(|(bucket, item)| (bucket.to_owned(), rows(item))).collect()
}

fn search(desk: &Desk, embedder: Arc<dyn Embedder>) -> Searcher {
    let excluded = DEFAULT_EXCLUDED.map(str::to_owned);
    let vault = Arc::new(VaultFiles::open(&desk.vault(), &desk.data(), &excluded).unwrap());
    let code = Arc::new(RepositoryFiles::open(&repository().join("examples/code/hivelog")).unwrap());
    let index = Arc::new(SqliteIndex::new(&desk.data(), "examples"));
    let library = Arc::new(Library {
        corpora: vec![(CorpusName::Vault, vault), (CorpusName::Repository("hivelog".to_owned()), code)],
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
    library.update(false, &|_| {}).unwrap();
    embed_pending(&library, &*embedder, &|| {}, &|_| true).unwrap();
    Searcher { library, embedder, sync: Arc::default() }
}

fn found(search: &Searcher, query: &str, mode: SearchMode) -> Vec<Hit> {
    let request = SearchRequest {
        query: query.to_owned(),
        mode,
        filter: PassageFilter::default(),
        limit: DEPTH,
        per_file: 1,
    };
    let answer = search.find(&request).unwrap();
    assert_eq!((answer.mode, answer.notice), (mode, None), "{query}");
    answer.hits
}

fn name(hit: &Hit) -> String {
    match hit.place.corpus.repository() {
        Some(repository) => format!("{repository}:{}", hit.place.path),
        None => hit.place.path.to_string(),
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Score {
    recall: f64,
    reciprocal: f64,
}

/// Of a bucket in a mode. What was not found first is told.
fn score(search: &Searcher, bucket: &str, queries: &[Query], mode: SearchMode) -> Score {
    let mut score = Score::default();
    for query in queries {
        let names: Vec<String> = found(search, &query.text, mode).iter().map(name).collect();
        let rank = names.iter().position(|name| query.expect.contains(name)).map(|at| at + 1);
        if rank != Some(1) {
            eprintln!(
                "  {bucket}, {mode:?}: {:?} is {rank:?}; before: {:?}",
                query.text,
                &names[..names.len().min(3)]
            );
        }
        score.recall += f64::from(u8::from(rank.is_some_and(|rank| rank <= 5)));
        score.reciprocal += rank.map_or(0.0, |rank| 1.0 / rank as f64);
    }
    let all = queries.len() as f64;
    Score { recall: score.recall / all, reciprocal: score.reciprocal / all }
}

/// Making every vector takes long, so each model makes them once for all checks.
fn check_model(model: Arc<dyn Embedder>) {
    let desk = Desk::new();
    let search = search(&desk, model);
    check_buckets(&search);
    check_no_answer(&search);
}

#[test]
fn search_finds_what_it_should_with_the_model_inside() {
    check_model(Arc::new(BuiltInModel::open().unwrap()));
}

#[test]
fn search_finds_what_it_should_with_the_model_that_can_be_installed() {
    if std::env::var_os("WELLREAD_LONG").is_none() {
        return skip("a long proof: WELLREAD_LONG=1 runs it");
    }
    let model = model_folder();
    let store = ModelStore::new(model.parent().unwrap().to_owned());
    check_model(Arc::new(store.open(&format!("{}/", model.display())).unwrap()));
}

/// Hybrid search is never worse than keyword search, and neither is below its floors.
fn check_buckets(search: &Searcher) {
    let queries = queries();
    let mut table = search.embedder.model().unwrap().name;
    table += &format!("\n{:<16}{:>4}", "bucket", "n");
    for mode in ["hybrid", "keyword", "semantic"] {
        table += &format!("{:>14}{:>8}", format!("{mode} R@5"), "MRR");
    }
    // How much words and meaning count was learned with the default model; with another one meaning may lead astray a little.
    let is_default = table.starts_with("wellread-encoder");
    let slack = if is_default { 0.0 } else { 0.12 };
    let mut wrong = Vec::new();
    for (bucket, hybrid_floor, keyword_floor) in FLOORS {
        let of_bucket = &queries[bucket];
        let [hybrid, keyword, semantic] = [SearchMode::Hybrid, SearchMode::Keyword, SearchMode::Semantic]
            .map(|mode| score(search, bucket, of_bucket, mode));
        table += &format!("\n{bucket:<16}{:>4}", of_bucket.len());
        for score in [hybrid, keyword, semantic] {
            table += &format!("{:>14.3}{:>8.3}", score.recall, score.reciprocal);
        }
        for (mode, score, floor) in [("hybrid", hybrid, hybrid_floor), ("keyword", keyword, keyword_floor)] {
            if score.recall < floor[0] || score.reciprocal < floor[1] - slack {
                wrong.push(format!("{bucket}, {mode}: {score:?} is below {floor:?}"));
            }
        }
        if hybrid.recall < keyword.recall || hybrid.reciprocal < keyword.reciprocal - slack {
            wrong.push(format!("{bucket}: hybrid {hybrid:?} is worse than keyword {keyword:?}"));
        }
    }
    eprintln!("{table}");
    assert!(wrong.is_empty(), "\n{}\n{table}", wrong.join("\n"));
}

/// A question without an answer gets nothing by words, and little by meaning.
fn check_no_answer(search: &Searcher) {
    let queries = &queries()["no_answer"];
    let mut results = 0;
    for query in queries {
        assert!(found(search, &query.text, SearchMode::Keyword).is_empty(), "{}", query.text);
        let hybrid = found(search, &query.text, SearchMode::Hybrid);
        let shown: Vec<String> = hybrid.iter().map(|hit| format!("{} {:.2}", name(hit), hit.score)).collect();
        eprintln!("{:?}: {shown:?}", query.text);
        results += hybrid.len();
    }
    let mean = results as f64 / queries.len() as f64;
    eprintln!("{mean:.1} results on the average");
    assert!(mean <= MOST_FOR_NOTHING, "{mean} results on the average");
}

#[test]
fn the_queries_are_enough_and_name_files_that_are_there() {
    let queries = queries();
    let buckets: Vec<&str> = FLOORS.iter().map(|(bucket, ..)| *bucket).chain(["no_answer"]).collect();
    assert!(queries.keys().all(|bucket| buckets.contains(&bucket.as_str())), "{:?}", queries.keys());
    for bucket in buckets {
        let of_bucket = &queries[bucket];
        assert!(of_bucket.len() >= 8, "{bucket} has {}", of_bucket.len());
        for Query { text, expect } in of_bucket {
            assert_eq!(expect.is_empty(), bucket == "no_answer", "{text}");
            for path in expect {
                let at = match path.strip_prefix("hivelog:") {
                    Some(path) => repository().join("examples/code/hivelog").join(path),
                    None => repository().join("examples/vault").join(path),
                };
                assert!(at.is_file(), "{path}");
            }
        }
    }
}

#[test]
fn the_planted_queries_of_the_examples_are_asked() {
    let text = fs::read_to_string(repository().join("examples/README.md")).unwrap();
    let planted = text.split("| Query | Expected notes |").nth(1).unwrap().split("\n\n").next().unwrap();
    let asked = &queries()["paraphrase"];
    let rows: Vec<&str> = planted.lines().skip(2).collect();
    assert_eq!(rows.len(), 9);
    for row in rows {
        let [_, query, notes, _] = row.split('|').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let known = asked.iter().find(|known| known.text == query.trim());
        let known = known.unwrap_or_else(|| panic!("{query} is not asked"));
        for path in notes.split('`').skip(1).step_by(2) {
            assert!(known.expect.iter().any(|expected| expected == path), "{query}: {path}");
        }
    }
}
