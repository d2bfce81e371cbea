//! Lists of frequent words are a shortcut: with them, a search finds the same as without.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::library::indexing::Library;
use wellread_core::library::judge::JudgeRules;
use wellread_core::ports::PassageFilter;
use wellread_text::query_terms;

use crate::shelf::Random;

const NOTES: usize = 1200;

fn library(root: &Path, data: &str) -> Library {
    let index = Arc::new(SqliteIndex::new(&root.join(data), "vault"));
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

/// A word; the first ones are in most notes, the last ones in a few. Some are made of parts.
fn word(random: &mut Random) -> String {
    let most = 1 + random.below(90);
    let at = random.below(most);
    match at % 9 {
        0 => format!("hive{at}Wax"),
        1 => format!("bee-{at}"),
        _ => format!("honey{at}"),
    }
}

fn words(random: &mut Random, count: usize) -> String {
    (0..count).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}

fn write_note(root: &Path, number: usize, random: &mut Random) {
    let (title, heading) = (words(random, 2), words(random, 1));
    let (first, second) = (5 + random.below(40), 1 + random.below(20));
    let text = format!(
        "# {title}\n\n{}\n\n## {heading}\n\n{} honey0\n",
        words(random, first),
        words(random, second)
    );
    fs::write(root.join(format!("vault/Note {number}.md")), text).unwrap();
}

/// Everything that a query finds, by place: the score to its last bit, and whether all words are there and the note is named.
type FoundPlaces = BTreeMap<String, (u32, bool, bool)>;

fn found(library: &Library, query: &str) -> (FoundPlaces, Vec<usize>) {
    let found =
        library.passages.find_matching(&query_terms(query), &PassageFilter::default(), 1_000_000).unwrap();
    let ids: Vec<i64> = found.passages.iter().map(|scored| scored.id).collect();
    let stored = library.passages.load_passages(&ids).unwrap();
    let place = |at: usize| format!("{}:{}", stored[at].path, stored[at].lines.0);
    let places = found.passages.iter().enumerate().map(|(at, scored)| {
        let (complete, named) = (found.complete.contains(&scored.id), found.named.contains(&scored.id));
        (place(at), (scored.score.to_bits(), complete, named))
    });
    (places.collect(), found.unknown)
}

fn query(random: &mut Random) -> String {
    let count = 1 + random.below(4);
    match random.below(6) {
        0 => format!("\"{}\" {}", words(random, 2), word(random)),
        1 => format!("{} zanzibar", words(random, count)),
        _ => words(random, count),
    }
}

fn count_lists(root: &Path, data: &str) -> i64 {
    let index = Connection::open(root.join(data).join("index.db")).unwrap();
    index.query_row("SELECT COUNT(*) FROM frequent_words", [], |row| row.get(0)).unwrap()
}

fn check_alike(with: &Library, without: &Library, random: &mut Random, queries: usize, when: &str) {
    let mut frequent = 0;
    for _ in 0..queries {
        let query = query(random);
        let answer = found(with, &query);
        frequent += usize::from(answer.0.len() > 512);
        assert_eq!(answer, found(without, &query), "{when}: {query}");
    }
    assert!(frequent > queries / 4, "{when}: only {frequent} queries have a frequent word");
}

#[test]
fn a_search_finds_the_same_with_lists_of_frequent_words_as_without() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("vault")).unwrap();
    let random = &mut Random::seeded(19);
    for number in 0..NOTES {
        write_note(&root, number, random);
    }
    let (with, without) = (library(&root, "with"), library(&root, "without"));
    // Lists are written at the end of a whole update only.
    with.update(false, &|_| {}).unwrap();
    without.update_corpus(&CorpusName::Vault).unwrap();
    assert!(count_lists(&root, "with") > 5, "there are frequent words");
    assert_eq!(count_lists(&root, "without"), 0);
    check_alike(&with, &without, random, 120, "as indexed");

    // Some passages are newer than the lists, and some in the lists are gone.
    for number in (0..NOTES).step_by(17) {
        match number % 3 {
            0 => fs::remove_file(root.join(format!("vault/Note {number}.md"))).unwrap(),
            1 => write_note(&root, number, random),
            _ => write_note(&root, NOTES + number, random),
        }
    }
    for library in [&with, &without] {
        library.update_corpus(&CorpusName::Vault).unwrap();
    }
    check_alike(&with, &without, random, 120, "after some changes");

    // More than the lists are kept for.
    for number in 0..NOTES / 2 {
        write_note(&root, number, random);
    }
    with.update(false, &|_| {}).unwrap();
    without.update_corpus(&CorpusName::Vault).unwrap();
    check_alike(&with, &without, random, 60, "after lists were written again");
}
