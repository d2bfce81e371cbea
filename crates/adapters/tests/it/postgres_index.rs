//! The index in a real PostgreSQL with pgvector: the same contracts and the same ranking as the SQLite file, spaces that do not
//! see each other, and the tables' versions.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::postgres::PostgresIndex;
use wellread_adapters::repository::RepositoryFiles;
use wellread_core::ErrorKind;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::library::indexing::Library;
use wellread_core::library::judge::{JudgeRules, VaultLayout};
use wellread_core::ports::{
    EmbeddingModel, Exclusions, Index, IndexUpkeep as _, NoOutsideText, PassageFilter, PassageScope,
    Passages, Symbols, TextHash, Vectors, WordMatches,
};
use wellread_testkit::contract;
use wellread_text::{QueryTerm, TermForm, query_terms};

use crate::postgres_server::{TestDatabase, run_sql, try_sql};
use crate::shelf::{Random, Shelf, hivelog};

/// Makes an empty index with each call: a space of its own.
fn make_indexes(database: &TestDatabase, data: &Path) -> impl Fn() -> PostgresIndex {
    let made = Cell::new(0);
    move || {
        made.set(made.get() + 1);
        database.open_index(&format!("space {}", made.get()), data)
    }
}

#[test]
fn an_index_in_postgres_keeps_the_contracts() {
    let Some(database) = TestDatabase::create_with_index() else { return };
    let data = TempDir::new().unwrap();
    let make = make_indexes(&database, data.path());
    contract::check_index(&make);
    contract::check_vectors(&make);
    contract::check_symbols(&make);
}

/// A library over the same files, with one index or the other.
fn library<I: Index + Passages + Vectors + Symbols + 'static>(root: &Path, index: Arc<I>) -> Library {
    let files = VaultFiles::open(&root.join("vault"), &root.join("journal"), &[]).unwrap();
    let repository = RepositoryFiles::open(&root.join("repo")).unwrap();
    let layout = VaultLayout { private_folders: vec!["Private".to_owned()], ..VaultLayout::default() };
    Library {
        corpora: vec![(CorpusName::Vault, Arc::new(files)), (hivelog(), Arc::new(repository))],
        away: Vec::new(),
        index: index.clone(),
        passages: index.clone(),
        vectors: index.clone(),
        symbols: index,
        clock: Arc::new(SystemClock),
        rules: JudgeRules { layout, outside: Arc::new(NoOutsideText) },
        whole: None,
        memory: Default::default(),
    }
}

/// Notes and code of generated words, some of them private.
fn generated_shelf() -> Shelf {
    const WORDS: [&str; 16] = [
        "honey",
        "hive",
        "queen",
        "lays",
        "eggs",
        "well-known",
        "wax",
        "mites",
        "swarm",
        "1.0.21",
        "parseRequest",
        "gruße",
        "日本",
        "bee",
        "frame",
        "C++",
    ];
    let shelf = Shelf::new(&[]);
    let mut random = Random::seeded(7);
    for number in 0..60 {
        let mut text = format!("# {} {}\n\n", random.one_of(&WORDS), random.one_of(&WORDS));
        for section in 0..random.below(4) {
            text += &format!("## {} {section}\n\n", random.one_of(&WORDS));
            for _ in 0..5 + random.below(60) {
                text += &format!("{} ", random.one_of(&WORDS));
            }
            text += ".\n\n";
        }
        let folder = ["", "Private/", "Work/"][number % 3];
        shelf.save(&format!("{folder}Note {number}.md"), text);
        let code = format!("def {}_{number}():\n    return {}\n", random.one_of(&WORDS[..4]), number);
        shelf.save(&format!("repo/{}{number}.py", random.one_of(&WORDS[..4])), code);
    }
    shelf
}

/// What a search finds, in an order that does not depend on ids.
type Comparable = (Vec<(String, u32)>, BTreeSet<String>, BTreeSet<String>, Vec<usize>);

fn comparable(library: &Library, found: &WordMatches) -> Comparable {
    let ids: Vec<i64> = found.passages.iter().map(|scored| scored.id).collect();
    let stored = library.passages.load_passages(&ids).unwrap();
    let places: BTreeMap<i64, String> = stored
        .iter()
        .map(|stored| (stored.id, format!("{}:{}:{}", stored.corpus, stored.path, stored.lines.0)))
        .collect();
    let place = |id: i64| places[&id].clone();
    let mut scored: Vec<(String, u32)> =
        found.passages.iter().map(|scored| (place(scored.id), scored.score.to_bits())).collect();
    scored.sort();
    let places = |ids: &std::collections::HashSet<i64>| ids.iter().map(|id| place(*id)).collect();
    (scored, places(&found.complete), places(&found.named), found.unknown.clone())
}

#[test]
fn both_engines_find_the_same_with_the_same_scores_to_the_last_bit() {
    let Some(database) = TestDatabase::create_with_index() else { return };
    let shelf = generated_shelf();
    let sqlite = library(shelf.root(), Arc::new(SqliteIndex::new(&shelf.data(), "shelf")));
    let index = Arc::new(database.open_index("ours", &shelf.data()));
    let postgres = library(shelf.root(), index.clone());
    let check_same = |what: &str| {
        for library in [&sqlite, &postgres] {
            library.update(false, &|_| {}).unwrap();
        }
        for (terms, filter) in queries() {
            let find = |library: &Library| {
                comparable(library, &library.passages.find_matching(&terms, &filter, 10_000).unwrap())
            };
            assert_eq!(find(&postgres), find(&sqlite), "{what}: {terms:?} {filter:?}");
            let list = |library: &Library| {
                let ids = library.passages.list_files(&filter, 1000).unwrap();
                let stored = library.passages.load_passages(&ids).unwrap();
                stored.into_iter().map(|passage| (passage.path, passage.lines)).collect::<Vec<_>>()
            };
            assert_eq!(list(&postgres), list(&sqlite), "{what}: {filter:?}");
            for letter in ['h', 'q', 'p', 'n', 'g', '日'] {
                let names = |library: &Library| library.passages.list_names(letter, &filter).unwrap();
                assert_eq!(names(&postgres), names(&sqlite), "{what}: {letter}");
            }
        }
    };
    check_same("all files");
    // Some change, some go, one becomes private.
    let text = std::fs::read_to_string(shelf.file("Note 3.md")).unwrap();
    shelf.save("Note 3.md", format!("{text}\n\nqueen queen swarm\n"));
    std::fs::remove_file(shelf.file("Note 6.md")).unwrap();
    std::fs::rename(shelf.file("Note 9.md"), shelf.file("Private/Note 9.md")).unwrap();
    check_same("after changes");
    let known = |library: &Library| library.index.coverage().unwrap().corpora;
    assert_eq!(known(&postgres), known(&sqlite));
    index.begin_anew("it was told to").unwrap();
    assert!(!postgres.index.read_state().unwrap().complete);
    assert_eq!(index.take_notice().as_deref(), Some("the index was rebuilt: it was told to"));
    check_same("made anew");
}

/// Words, phrases, beginnings and what is left out, with every scope.
fn queries() -> Vec<(Vec<QueryTerm>, PassageFilter)> {
    let texts = [
        "honey",
        "queen lays eggs",
        "\"queen lays\"",
        "\"hive queen bee\"",
        "well-known wax",
        "parse request",
        "parseRequest",
        "1.0.21",
        "gruße",
        "日本",
        "C++",
        "note 7",
        "zebra honey",
        "\"",
    ];
    let mut all: Vec<Vec<QueryTerm>> = texts.iter().map(|text| query_terms(text)).collect();
    all.push(vec![QueryTerm::from_form(TermForm::Prefix("que".to_owned()))]);
    all.push(vec![QueryTerm::from_form(TermForm::Prefix("h".to_owned()))]);
    let filters = [
        PassageFilter::default(),
        PassageFilter { scope: PassageScope::Public, ..PassageFilter::default() },
        PassageFilter { corpora: Some(vec![hivelog()]), ..PassageFilter::default() },
        PassageFilter { folder: Some("Work".to_owned()), ..PassageFilter::default() },
        PassageFilter {
            excluded: Exclusions { terms: query_terms("swarm \"queen bee\""), ..Exclusions::default() },
            ..PassageFilter::default()
        },
    ];
    all.into_iter().flat_map(|terms| filters.clone().map(|filter| (terms.clone(), filter))).collect()
}

/// The tables of the index that have rows of spaces.
fn tables(database: &TestDatabase) -> BTreeSet<String> {
    let sql = "SELECT string_agg(relname, ' ') FROM pg_class WHERE relnamespace = 'wellread'::regnamespace \
               AND relkind = 'r' AND starts_with(relname, 'index_') AND relname <> 'index_version'";
    database.run_sql(sql).unwrap().split(' ').map(str::to_owned).collect()
}

#[test]
fn the_database_alone_keeps_indexes_apart() {
    let Some(database) = TestDatabase::create_with_index() else { return };
    let shelf = generated_shelf();
    shelf.save("Work/Tagged.md", "---\nyear: 2024\n---\n#bee [[Note 1]]\n");
    let index = Arc::new(database.open_index("ours", &shelf.data()));
    let ours = library(shelf.root(), index.clone());
    ours.update(false, &|_| {}).unwrap();
    let model = EmbeddingModel { name: "m".to_owned(), hash: "1".to_owned(), dimension: 2 };
    index.keep(&model, &[(TextHash::compute("x"), vec![1.0, 0.0])]).unwrap();
    let elsewhere = TempDir::new().unwrap();
    let second = library(shelf.root(), Arc::new(database.open_index("ours", elsewhere.path())));
    second.update(false, &|_| {}).unwrap();
    let theirs = database.open_index("theirs", &shelf.data());
    let found = theirs.find_matching(&query_terms("honey"), &PassageFilter::default(), 9).unwrap();
    assert_eq!((found.passages, theirs.read_state().unwrap().version), (Vec::new(), 0));
    let tables = tables(&database);
    assert_eq!(tables.len(), 13, "{tables:?}");
    let url = database.url(&database.role());
    for table in &tables {
        // No statement names a space here, as if the program had forgotten to.
        let count = |space: &str| {
            let set =
                if space.is_empty() { String::new() } else { format!("SET wellread.space = '{space}'; ") };
            run_sql(&url, &format!("{set}SELECT count(*) FROM wellread.{table}")).unwrap()
        };
        assert_eq!((count("theirs"), count("")), ("0".to_owned(), "0".to_owned()), "{table}");
        let all = database.run_sql(&format!("SELECT count(*) FROM wellread.{table}")).unwrap();
        assert_eq!(count("ours"), all, "{table}");
        assert_ne!(all, "0", "{table}");
        let forced = format!(
            "SELECT relrowsecurity AND relforcerowsecurity FROM pg_class WHERE oid = 'wellread.{table}'::regclass"
        );
        assert_eq!(database.run_sql(&forced).as_deref(), Some("t"), "{table}");
        let key = format!(
            "SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] \
             WHERE i.indisprimary AND i.indrelid = 'wellread.{table}'::regclass"
        );
        assert_eq!(database.run_sql(&key).as_deref(), Some("space"), "{table}");
        let emptied = format!("SET wellread.space = 'theirs'; DELETE FROM wellread.{table}");
        run_sql(&url, &emptied);
        assert_eq!(count("ours"), all, "{table}");
    }
    for attempt in
        ["DROP TABLE wellread.index_words", "DELETE FROM wellread.index_version", "CREATE EXTENSION hstore"]
    {
        assert!(try_sql(&url, attempt).is_err(), "{attempt}");
    }
}

#[test]
fn tables_of_the_index_are_made_where_pgvector_can_be_had_and_records_need_none() {
    let Some(database) = TestDatabase::create() else { return };
    let data = TempDir::new().unwrap();
    let error = database.open_index("ours", data.path()).tidy(&[CorpusName::Vault], 0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotSetUp, "{error}");
    let error = database.open_index("ours", data.path()).read_state().unwrap_err();
    assert!(error.hint_text().unwrap().contains("wellread db migrate"), "{error}");
    // An owner who is no superuser may not install it.
    let owner = format!("owner_{}", database.role());
    database.run_sql(&format!("CREATE ROLE {owner} LOGIN; GRANT ALL ON SCHEMA wellread TO {owner}"));
    let error = database.open_as(&owner, "x").migrate_index().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotSetUp, "{error}");
    assert!(error.hint_text().unwrap().contains("CREATE EXTENSION vector"), "{error}");
    assert_eq!(database.open_as("postgres", "x").inspect(false).unwrap().index_schema, None);
    // A superuser installs it; the owner makes the tables.
    database.run_sql("CREATE EXTENSION vector");
    let report = database.open_as(&owner, "x").migrate_index().unwrap();
    assert_eq!((report.from, report.to), (0, 1));
    assert_eq!(database.open_as(&owner, "x").migrate_index().unwrap().from, 1);
    // The role has no rights on them before it is given some.
    let missing = database.open("x").inspect(true).unwrap().missing_rights;
    assert_eq!(missing.len(), 13 * 4, "{missing:?}");
    // Tables of an earlier version are made anew; those of a newer one are left as they are.
    database.run_sql("UPDATE wellread.index_version SET version = 0; DROP TABLE wellread.index_fields");
    assert_eq!(database.open_as("postgres", "x").migrate_index().unwrap().from, 0);
    database.run_sql("UPDATE wellread.index_version SET version = 99");
    let error = database.open_as("postgres", "x").migrate_index().unwrap_err();
    assert!(error.message().contains("newer"), "{error}");
    database.run_sql(&format!("DROP OWNED BY {owner}; DROP ROLE {owner}"));
}

/// A vector of length one.
fn vector(random: &mut Random, width: usize) -> Vec<f32> {
    let mut vector: Vec<f32> = (0..width).map(|_| random.below(2001) as f32 - 1000.0).collect();
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|value| *value /= length);
    vector
}

#[test]
fn a_graph_proposes_what_a_comparison_of_all_finds_and_filters_hold() {
    const NOTES: usize = 90;
    const SECTIONS: usize = 10;
    let Some(database) = TestDatabase::create_with_index() else { return };
    let shelf = Shelf::new(&[]);
    for number in 0..NOTES {
        let tag = if number == 7 { "rare" } else { ["bee", "wax"][number % 2] };
        let mut text = format!("#{tag}\n\n");
        for section in 0..SECTIONS {
            text +=
                &format!("## Section {section} of {number}\n\n{}\n\n", format!("text {number} ").repeat(20));
        }
        shelf.save(&format!("n{number}.md"), text);
    }
    let graph = Arc::new(database.open_index("ours", &shelf.data()).compare_at_most(100));
    let exact = Arc::new(SqliteIndex::new(&shelf.data(), "ours"));
    library(shelf.root(), graph.clone()).update(false, &|_| {}).unwrap();
    library(shelf.root(), exact.clone()).update(false, &|_| {}).unwrap();
    let model = EmbeddingModel { name: "m".to_owned(), hash: "1".to_owned(), dimension: 256 };
    let mut random = Random::seeded(3);
    let pending = graph.pending_passages(&model, PassageScope::All, 10_000).unwrap();
    let vectors: Vec<(TextHash, Vec<f32>)> =
        pending.iter().map(|passage| (passage.text, vector(&mut random, 256))).collect();
    assert!(vectors.len() >= NOTES * SECTIONS, "{}", vectors.len());
    graph.keep(&model, &vectors).unwrap();
    exact.keep(&model, &vectors).unwrap();
    assert_eq!(graph.progress(&model, PassageScope::All).unwrap(), (vectors.len(), vectors.len()));
    let tag = |name: &str| PassageFilter { tags: vec![name.to_owned()], ..PassageFilter::default() };
    for (filter, least) in [(PassageFilter::default(), 20), (tag("bee"), 20), (tag("rare"), SECTIONS)] {
        let (mut same, mut asked) = (0, 0);
        for _ in 0..20 {
            let query = vector(&mut random, 256);
            let near = graph.nearest(&model, &query, &filter, 20).unwrap();
            let expected = exact.nearest(&model, &query, &filter, 20).unwrap();
            assert!(near.len() >= least, "{filter:?}");
            let lines = |index: &dyn Passages, found: &[wellread_core::ports::PassageScore]| {
                let ids: Vec<i64> = found.iter().map(|scored| scored.id).collect();
                let stored = index.load_passages(&ids).unwrap();
                let scored = stored.into_iter().zip(found);
                scored
                    .map(|(passage, scored)| (passage.path, passage.lines, scored.score.to_bits()))
                    .collect::<BTreeSet<_>>()
            };
            let (near, expected) = (lines(&*graph, &near), lines(&*exact, &expected));
            same += near.intersection(&expected).count();
            asked += expected.len();
        }
        assert!(same * 100 >= asked * 95, "{same} of {asked} for {filter:?}");
    }
}
