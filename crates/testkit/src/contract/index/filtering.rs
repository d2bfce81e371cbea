//! Every filter of passages, over four files that differ in all that is filtered by.

use wellread_core::domain::corpus::CorpusName;
use wellread_core::ports::{Exclusions, Index, PassageFilter, Passages, PathPattern};
use wellread_text::query_terms;

use super::fixtures::{file, moment, no_filter, put, repository, search_places, vault};
use crate::contract::path;
use crate::contract::symbols::structure;

/// Four files that differ in everything that is filtered by, and hold the same word.
pub fn put_four_files<I: Index>(index: &I) {
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut log = file("Bees/Log.md", 10, &["honey"]);
    log.tags = vec!["bee/queen".to_owned(), "log".to_owned()];
    log.fields = vec![field("status", "done"), field("year", "2024"), field("year", "2025")];
    let mut hive = file("Bees/Hives/Oak.md", 20, &["honey"]);
    hive.tags = vec!["bee".to_owned()];
    hive.fields = vec![field("status", "open"), field("year", "2024")];
    let mut other = file("Bees0/Beech.md", 30, &["honey"]);
    other.tags = vec!["bee0".to_owned(), "beekeeping".to_owned()];
    put(index, &vault(), &[log, hive, other]);
    let mut source = file("src/honey.rs", 40, &["honey"]);
    source.language = Some("Rust");
    source.structure = Some(structure(&["jar.honey"], &[]));
    put(index, &repository(), &[source]);
}

const LOG: &str = "Bees/Log.md:1";
const OAK: &str = "Bees/Hives/Oak.md:1";
const BEECH: &str = "Bees0/Beech.md:1";
const CODE: &str = "src/honey.rs:1";

/// Every filter, and which of the four it lets through.
pub fn filters() -> Vec<(PassageFilter, Vec<&'static str>)> {
    let some = |text: &str| Some(text.to_owned());
    let fields = |pairs: &[(&str, &str)]| PassageFilter {
        fields: pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..no_filter()
    };
    let folder = |text: &str| PassageFilter { folder: some(text), ..no_filter() };
    let tag = |text: &str| PassageFilter { tags: vec![text.to_owned()], ..no_filter() };
    let corpora = |names: &[CorpusName]| PassageFilter { corpora: Some(names.to_vec()), ..no_filter() };
    let dates = |from: Option<i64>, before: Option<i64>| PassageFilter {
        modified_from: from.map(moment),
        modified_before: before.map(moment),
        ..no_filter()
    };
    let language = |name: &str| PassageFilter { language: some(name), ..no_filter() };
    let own = |corpus: CorpusName, written: &str| PassageFilter {
        path: Some((corpus, path(written))),
        ..no_filter()
    };
    vec![
        (no_filter(), vec![OAK, LOG, BEECH, CODE]),
        (folder("Bees"), vec![OAK, LOG]),
        (folder("Bees/"), vec![OAK, LOG]),
        (folder("Bees/Hives"), vec![OAK]),
        (folder(""), vec![OAK, LOG, BEECH, CODE]),
        (folder("Bee"), vec![]),
        (tag("bee"), vec![OAK, LOG]),
        (tag("#bee"), vec![OAK, LOG]),
        (tag("bee/queen"), vec![LOG]),
        (tag("bee/que"), vec![]),
        (tag("log"), vec![LOG]),
        (fields(&[("year", "2024")]), vec![OAK, LOG]),
        (fields(&[("year", "2025")]), vec![LOG]),
        (fields(&[("year", "2024"), ("status", "open")]), vec![OAK]),
        (fields(&[("year", "2024"), ("year", "2025")]), vec![LOG]),
        (fields(&[("year", "")]), vec![]),
        (dates(Some(20), None), vec![OAK, BEECH, CODE]),
        (dates(None, Some(20)), vec![LOG]),
        (dates(Some(20), Some(40)), vec![OAK, BEECH]),
        (language("Rust"), vec![CODE]),
        (language("Python"), vec![]),
        (corpora(&[vault()]), vec![OAK, LOG, BEECH]),
        (corpora(&[repository()]), vec![CODE]),
        (corpora(&[repository(), vault()]), vec![OAK, LOG, BEECH, CODE]),
        (corpora(&[CorpusName::Repository("none".to_owned())]), vec![]),
        (corpora(&[]), vec![]),
        (own(vault(), "Bees/Log.md"), vec![LOG]),
        (own(repository(), "Bees/Log.md"), vec![]),
        (own(repository(), "src/honey.rs"), vec![CODE]),
        (PassageFilter { tags: vec!["bee".to_owned()], ..folder("Bees/Hives") }, vec![OAK]),
        (PassageFilter { tags: vec!["log".to_owned()], ..folder("Bees/Hives") }, vec![]),
        (PassageFilter { corpora: Some(vec![repository()]), ..tag("bee") }, vec![]),
        (PassageFilter { corpora: Some(vec![vault()]), ..dates(Some(30), None) }, vec![BEECH]),
    ]
}

/// Every filter that a query can have, and which of the four it lets through.
pub fn query_filters() -> Vec<(PassageFilter, Vec<&'static str>)> {
    let paths = |patterns: &[&str]| PassageFilter { paths: patterns_from(patterns), ..no_filter() };
    let without = |excluded: Exclusions| PassageFilter { excluded, ..no_filter() };
    let without_paths =
        |written: &[&str]| without(Exclusions { paths: patterns_from(written), ..Exclusions::default() });
    let without_tag = |tag: &str| without(Exclusions { tags: vec![tag.to_owned()], ..Exclusions::default() });
    vec![
        (PassageFilter { tags: vec!["bee".to_owned(), "log".to_owned()], ..no_filter() }, vec![LOG]),
        (without_tag("bee"), vec![BEECH, CODE]),
        (without_tag("bee/queen"), vec![OAK, BEECH, CODE]),
        (paths(&["bees"]), vec![OAK, LOG]),
        (paths(&["hives"]), vec![OAK]),
        (paths(&["/hives"]), vec![]),
        (paths(&["/Bees/Hives/"]), vec![OAK]),
        (paths(&["Bees", "Hives"]), vec![OAK]),
        (paths(&["log"]), vec![LOG]),
        (paths(&["Bees/Log.md"]), vec![LOG]),
        (paths(&["src/honey.rs"]), vec![CODE]),
        (paths(&["%"]), vec![]),
        (without_paths(&["hives"]), vec![LOG, BEECH, CODE]),
        (without_paths(&["hives", "src"]), vec![LOG, BEECH]),
        (without_paths(&["/bees"]), vec![BEECH, CODE]),
        (without(excluded_words(&["honey"])), vec![]),
        (without(excluded_words(&["wax"])), vec![OAK, LOG, BEECH, CODE]),
    ]
}

fn patterns_from(written: &[&str]) -> Vec<PathPattern> {
    written.iter().filter_map(|text| PathPattern::parse(text)).collect()
}

fn excluded_words(words: &[&str]) -> Exclusions {
    Exclusions { terms: words.iter().flat_map(|word| query_terms(word)).collect(), ..Exclusions::default() }
}

/// A file with an excluded word anywhere is left out as a whole; the name of a folder is none of its words.
pub fn a_file_with_an_excluded_word_is_left_out<I: Index + Passages>(index: &I) {
    let files = [
        file("Bees/Both.md", 10, &["honey", "wax moth"]),
        file("Wax/Apart.md", 20, &["honey", "moth or wax"]),
        file("Wax/None.md", 30, &["honey"]),
    ];
    put(index, &vault(), &files);
    let without = |query: &str| PassageFilter {
        excluded: Exclusions { terms: query_terms(query), ..Exclusions::default() },
        ..no_filter()
    };
    assert_eq!(search_places(index, "honey", &without("moths")), ["Wax/None.md:1"]);
    assert_eq!(search_places(index, "honey", &without("\"wax moth\"")), ["Wax/Apart.md:1", "Wax/None.md:1"],);
    assert_eq!(search_places(index, "honey", &without("none")), ["Bees/Both.md:1", "Wax/Apart.md:1"]);
}

/// Files are listed by their filter alone, the newest first.
pub fn files_are_listed_newest_first<I: Index + Passages>(index: &I) {
    put_four_files(index);
    let listed = |filter: &PassageFilter, limit: usize| {
        let ids = index.list_files(filter, limit).expect("the files");
        let passages = index.load_passages(&ids).expect("the passages");
        passages.into_iter().map(|passage| passage.path.to_string()).collect::<Vec<_>>()
    };
    let tag = PassageFilter { tags: vec!["bee".to_owned()], ..no_filter() };
    assert_eq!(listed(&tag, 10), ["Bees/Hives/Oak.md", "Bees/Log.md"]);
    assert_eq!(listed(&tag, 1), ["Bees/Hives/Oak.md"]);
    assert_eq!(listed(&no_filter(), 10).len(), 4);
}

pub fn filters_let_through_what_they_say<I: Index + Passages>(index: &I) {
    put_four_files(index);
    for (filter, expected) in filters().into_iter().chain(query_filters()) {
        assert_eq!(search_places(index, "honey", &filter), expected, "{filter:?}");
    }
}

pub fn a_filter_is_for_the_file_and_not_for_its_words<I: Index + Passages>(index: &I) {
    put(index, &vault(), &[file("Bees/Log.md", 1, &["folder Mead", "tag mead", "mead"])]);
    let mead = PassageFilter { folder: Some("Mead".to_owned()), ..no_filter() };
    assert_eq!(search_places(index, "mead", &mead), [""; 0]);
    let hostile = PassageFilter { folder: Some("' OR 1=1 --".to_owned()), ..no_filter() };
    assert_eq!(search_places(index, "mead", &hostile), [""; 0]);
    let hostile = PassageFilter { tags: vec!["%".to_owned()], ..no_filter() };
    assert_eq!(search_places(index, "mead", &hostile), [""; 0]);
}
