//! The contract of [`Index`] and [`Passages`].

use jiff::Timestamp;
use wellread_core::domain::corpus::{CorpusName, Hash, VaultPath};
use wellread_core::ports::{
    FileStamp, FileState, Index, IndexChange, IndexedFile, IndexedPassage, KnownFileFilter, PassageFilter,
    Passages, TextHash,
};
use wellread_text::{Chunk, ChunkKind, QueryTerm, TermForm, Terms, query_terms};

use super::path;
use super::symbols::structure;

/// What the contract is asked of, and how an empty one is made.
pub fn check_index<I: Index + Passages>(make: &dyn Fn() -> I) {
    what_is_put_is_known_and_found(&make());
    what_is_put_again_takes_the_place_of_the_first(&make());
    what_is_gone_is_found_no_more(&make());
    what_was_seen_keeps_its_text_under_another_date(&make());
    a_note_takes_the_place_of_a_text(&make());
    what_is_older_is_left_out(&make());
    what_is_gone_in_another_version_stays(&make());
    known_files_are_asked_for_in_three_ways(&make());
    files_are_found_by_what_they_link_to(&make());
    files_are_found_by_what_a_link_to_them_has(&make());
    filters_let_through_what_they_say(&make());
    a_filter_is_for_the_file_and_not_for_its_words(&make());
    words_phrases_and_beginnings_are_found(&make());
    the_best_comes_first_and_no_more_than_asked(&make());
    passages_are_given_in_the_order_of_the_question(&make());
    a_tidying_forgets_other_corpora_and_says_that_it_is_complete(&make());
    every_change_makes_another_version(&make());
    a_corpus_can_be_called_as_the_vault_is(&make());
    coverage_counts_what_there_is(&make());
}

pub fn vault() -> CorpusName {
    CorpusName::Vault
}

pub fn repository() -> CorpusName {
    CorpusName::Repository("hivelog".to_owned())
}

/// A file whose passages are these texts, each on a line of its own with an empty line between.
pub fn file(written: &str, minute: i64, texts: &[&str]) -> IndexedFile {
    let whole = texts.join("\n\n");
    let mut start = 0;
    let mut passages = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let span = start..start + text.len();
        start = span.end + 2;
        let line = 2 * at + 1;
        let Terms { words, parts } = Terms::from_text(text);
        passages.push(IndexedPassage {
            chunk: Chunk { span, lines: (line, line), kind: ChunkKind::Text, context: Vec::new() },
            text: TextHash::compute(text),
            heading: String::new(),
            words,
            parts,
        });
    }
    let path = path(written);
    IndexedFile {
        stamp: stamp(minute),
        hash: Hash::compute(whole.as_bytes()),
        language: None,
        title: Terms::from_text(path.stem()).words,
        folders: Terms::from_text(path.folder()).words,
        passages,
        links: Vec::new(),
        tags: Vec::new(),
        fields: Vec::new(),
        structure: None,
        trouble: None,
        path,
    }
}

/// Of a file that was changed in this minute.
pub fn stamp(minute: i64) -> FileStamp {
    FileStamp { size: 10, modified: moment(minute), changed: moment(minute), number: 7, settled: true }
}

fn moment(minute: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + minute * 60).expect("a moment")
}

pub fn put(index: &dyn Index, corpus: &CorpusName, files: &[IndexedFile]) {
    let changes: Vec<IndexChange> =
        files.iter().map(|file| IndexChange::Put(Box::new(file.clone()))).collect();
    index.apply(corpus, &changes).expect("a change");
}

/// Where the query's words stand, as `path:line`, sorted.
fn search_places<I: Index + Passages>(index: &I, query: &str, filter: &PassageFilter) -> Vec<String> {
    let mut places = ranked_places(index, &query_terms(query), filter, 100);
    places.sort();
    places
}

fn ranked_places<I: Passages>(
    index: &I,
    terms: &[QueryTerm],
    filter: &PassageFilter,
    limit: usize,
) -> Vec<String> {
    let scored = index.find_matching(terms, filter, limit).expect("an answer");
    assert!(scored.iter().all(|found| found.score > 0.0), "{scored:?}");
    assert!(scored.windows(2).all(|two| two[0].score >= two[1].score), "{scored:?}");
    let ids: Vec<_> = scored.iter().map(|found| found.id).collect();
    places(index, &ids)
}

pub fn places<I: Passages + ?Sized>(index: &I, ids: &[i64]) -> Vec<String> {
    let stored = index.load_passages(ids).expect("passages");
    stored.iter().map(|passage| format!("{}:{}", passage.path, passage.lines.0)).collect()
}

fn no_filter() -> PassageFilter {
    PassageFilter::default()
}

fn file_states<I: Index>(index: &I) -> Vec<(String, FileState)> {
    let mut known = index.known_files(&vault(), KnownFileFilter::All).expect("files");
    known.sort_by(|one, other| one.path.cmp(&other.path));
    known.into_iter().map(|file| (file.path.to_string(), file.state)).collect()
}

fn indexed_state(file: &IndexedFile) -> (String, FileState) {
    (file.path.to_string(), FileState::Indexed { hash: file.hash })
}

fn what_is_put_is_known_and_found<I: Index + Passages>(index: &I) {
    assert_eq!((file_states(index), search_places(index, "honey", &no_filter())), (Vec::new(), Vec::new()));
    let mut bees = file("Bees.md", 1, &["honey in the hive", "mites", "more honey"]);
    bees.passages[2].chunk.context = vec!["Harvest".to_owned(), "Late, and little".to_owned()];
    bees.passages[1].chunk.kind = ChunkKind::Frontmatter;
    put(index, &vault(), &[bees.clone(), file("Mead.md", 1, &["yeast"])]);
    assert_eq!(search_places(index, "honey", &no_filter()), ["Bees.md:1", "Bees.md:5"]);
    let known = index.known_files(&vault(), KnownFileFilter::These(&[&bees.path])).unwrap();
    assert_eq!(known.len(), 1);
    assert_eq!((known[0].stamp, &known[0].path), (bees.stamp, &bees.path));
    let scored = index.find_matching(&query_terms("honey mites"), &no_filter(), 9).unwrap();
    let mut stored = index.load_passages(&scored.iter().map(|found| found.id).collect::<Vec<_>>()).unwrap();
    stored.sort_by_key(|passage| passage.lines);
    assert_eq!(stored.len(), 3);
    for (passage, put) in stored.iter().zip(&bees.passages) {
        let Chunk { span, lines, kind, context } = &put.chunk;
        assert_eq!((&passage.span, passage.lines, passage.kind), (span, *lines, *kind));
        assert_eq!((&passage.context, passage.text, passage.hash), (context, put.text, bees.hash));
        assert_eq!((&passage.corpus, &passage.path), (&vault(), &bees.path));
    }
}

fn what_is_put_again_takes_the_place_of_the_first<I: Index + Passages>(index: &I) {
    let mut first = file("Bees.md", 1, &["honey", "mites", "wax"]);
    (first.tags, first.links) = (vec!["old".to_owned()], vec!["mead".to_owned()]);
    put(index, &vault(), &[first]);
    let second = file("Bees.md", 2, &["honey and nectar"]);
    put(index, &vault(), std::slice::from_ref(&second));
    assert_eq!(file_states(index), [indexed_state(&second)]);
    assert_eq!(search_places(index, "honey", &no_filter()), ["Bees.md:1"]);
    assert_eq!(search_places(index, "wax mites", &no_filter()), [""; 0]);
    assert_eq!(
        search_places(index, "honey", &PassageFilter { tag: Some("old".to_owned()), ..no_filter() }),
        [""; 0],
        "its tags were replaced, too"
    );
    assert!(index.find_linking_files(&vault(), &["mead".to_owned()]).unwrap().is_empty());
    // And twice in one change.
    put(index, &vault(), &[file("Bees.md", 3, &["pollen"]), file("Bees.md", 3, &["brood", "swarm"])]);
    assert_eq!(search_places(index, "pollen brood swarm honey", &no_filter()), ["Bees.md:1", "Bees.md:3"]);
}

fn what_is_gone_is_found_no_more<I: Index + Passages>(index: &I) {
    let (bees, mead) = (file("Bees.md", 1, &["honey"]), file("Mead.md", 1, &["honey wine"]));
    put(index, &vault(), &[bees.clone(), mead.clone()]);
    let gone = IndexChange::Gone { path: bees.path, stamp: bees.stamp };
    index.apply(&vault(), &[gone.clone(), gone]).unwrap();
    assert_eq!(file_states(index), [indexed_state(&mead)]);
    assert_eq!(search_places(index, "honey", &no_filter()), ["Mead.md:1"]);
}

fn what_was_seen_keeps_its_text_under_another_date<I: Index + Passages>(index: &I) {
    let bees = file("Bees.md", 1, &["honey"]);
    put(index, &vault(), std::slice::from_ref(&bees));
    let later = FileStamp { size: 11, number: 8, settled: false, ..stamp(5) };
    index.apply(&vault(), &[IndexChange::Seen { path: bees.path.clone(), stamp: later }]).unwrap();
    assert_eq!(index.known_files(&vault(), KnownFileFilter::All).unwrap()[0].stamp, later);
    assert_eq!(search_places(index, "honey", &no_filter()), ["Bees.md:1"]);
    let earlier = IndexChange::Seen { path: bees.path.clone(), stamp: stamp(2) };
    let stranger = IndexChange::Seen { path: path("Nobody.md"), stamp: stamp(9) };
    index.apply(&vault(), &[earlier, stranger]).unwrap();
    assert_eq!(
        index.known_files(&vault(), KnownFileFilter::All).unwrap()[0].stamp,
        later,
        "an earlier look says nothing"
    );
    assert_eq!(file_states(index), [indexed_state(&bees)], "what is not known was not seen");
    let since = PassageFilter { modified_from: Some(moment(5)), ..no_filter() };
    assert_eq!(search_places(index, "honey", &since), ["Bees.md:1"], "the new date counts");
}

fn a_note_takes_the_place_of_a_text<I: Index + Passages>(index: &I) {
    put(index, &vault(), &[file("Bees.md", 1, &["honey"])]);
    let broken = FileState::Skipped("binary".to_owned());
    let note =
        |written: &str, state: FileState| IndexChange::Note { path: path(written), stamp: stamp(2), state };
    index.apply(&vault(), &[note("Bees.md", broken.clone()), note("hive.png", FileState::Named)]).unwrap();
    assert_eq!(search_places(index, "honey", &no_filter()), [""; 0]);
    let expected = [("Bees.md".to_owned(), broken), ("hive.png".to_owned(), FileState::Named)];
    assert_eq!(file_states(index), expected);
    put(index, &vault(), &[file("Bees.md", 3, &["honey again"])]);
    assert_eq!(search_places(index, "honey", &no_filter()), ["Bees.md:1"]);
}

fn what_is_older_is_left_out<I: Index + Passages>(index: &I) {
    let newer = file("Bees.md", 9, &["honey"]);
    put(index, &vault(), std::slice::from_ref(&newer));
    let broken = FileState::Skipped("binary".to_owned());
    let changes = [
        IndexChange::Put(Box::new(file("Bees.md", 8, &["mites"]))),
        IndexChange::Note { path: newer.path.clone(), stamp: stamp(8), state: broken },
        IndexChange::Put(Box::new(file("Mead.md", 8, &["yeast"]))),
    ];
    index.apply(&vault(), &changes).unwrap();
    assert_eq!(file_states(index)[0], indexed_state(&newer));
    assert_eq!(search_places(index, "mites honey", &no_filter()), ["Bees.md:1"]);
    assert_eq!(
        search_places(index, "yeast", &no_filter()),
        ["Mead.md:1"],
        "the others are made all the same"
    );
    let same_moment = file("Bees.md", 9, &["wax"]);
    put(index, &vault(), &[same_moment]);
    assert_eq!(
        search_places(index, "wax", &no_filter()),
        ["Bees.md:1"],
        "of two at one moment the last counts"
    );
}

fn what_is_gone_in_another_version_stays<I: Index + Passages>(index: &I) {
    let bees = file("Bees.md", 5, &["honey"]);
    put(index, &vault(), std::slice::from_ref(&bees));
    let gone = |minute| IndexChange::Gone { path: bees.path.clone(), stamp: stamp(minute) };
    index.apply(&vault(), &[gone(4), gone(6)]).unwrap();
    assert_eq!(file_states(index), [indexed_state(&bees)]);
    index.apply(&vault(), &[gone(5)]).unwrap();
    assert_eq!(file_states(index), []);
}

fn known_files_are_asked_for_in_three_ways<I: Index>(index: &I) {
    let mut unclear = file("Unclear.md", 1, &[]);
    unclear.trouble = Some("not UTF-8".to_owned());
    put(index, &vault(), &[file("Bees.md", 1, &["honey"]), file("Mead.md", 1, &["yeast"]), unclear]);
    put(index, &repository(), &[file("Bees.md", 1, &["fn honey"])]);
    let broken = FileState::Skipped("binary".to_owned());
    let note = IndexChange::Note { path: path("Data.md"), stamp: stamp(1), state: broken };
    index.apply(&vault(), &[note]).unwrap();
    let asked = |corpus: &CorpusName, which: KnownFileFilter<'_>| {
        let known = index.known_files(corpus, which).unwrap();
        let mut paths: Vec<String> = known.iter().map(|file| file.path.to_string()).collect();
        paths.sort();
        paths
    };
    assert_eq!(asked(&vault(), KnownFileFilter::All), ["Bees.md", "Data.md", "Mead.md", "Unclear.md"]);
    assert_eq!(asked(&vault(), KnownFileFilter::Skipped), ["Data.md", "Unclear.md"]);
    let (bees, nobody) = (path("Bees.md"), path("Nobody.md"));
    assert_eq!(asked(&vault(), KnownFileFilter::These(&[&nobody, &bees])), ["Bees.md"]);
    assert_eq!(asked(&vault(), KnownFileFilter::These(&[])), [""; 0]);
    assert_eq!(asked(&repository(), KnownFileFilter::All), ["Bees.md"]);
    assert_eq!(asked(&CorpusName::Repository("none".to_owned()), KnownFileFilter::All), [""; 0]);
}

fn files_are_found_by_what_they_link_to<I: Index + Passages>(index: &I) {
    let linking = |written: &str, keys: &[&str]| {
        let links = keys.iter().map(|&key| key.to_owned()).collect();
        IndexedFile { links, ..file(written, 1, &["text"]) }
    };
    let mut unclear = linking("c.md", &["mead"]);
    (unclear.trouble, unclear.passages) = (Some("not UTF-8".to_owned()), Vec::new());
    put(index, &vault(), &[linking("b.md", &["bees", "mead"]), linking("a.md", &["bees"]), unclear]);
    put(index, &repository(), &[linking("d.md", &["bees"])]);
    let asked = |corpus: &CorpusName, keys: &[&str]| {
        let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        let paths = index.find_linking_files(corpus, &keys).unwrap();
        paths.iter().map(VaultPath::to_string).collect::<Vec<_>>()
    };
    assert_eq!(asked(&vault(), &["bees"]), ["a.md", "b.md"]);
    assert_eq!(asked(&vault(), &["mead", "bees"]), ["a.md", "b.md", "c.md"], "each once, sorted");
    assert_eq!(asked(&vault(), &["mead"]), ["b.md", "c.md"], "one that is no text links all the same");
    assert_eq!(asked(&vault(), &["bee", "Bees", ""]), [""; 0]);
    assert_eq!(asked(&vault(), &[]), [""; 0]);
    assert_eq!(asked(&repository(), &["bees"]), ["d.md"]);
}

fn files_are_found_by_what_a_link_to_them_has<I: Index + Passages>(index: &I) {
    put(index, &vault(), &[file("Hives/Bees.md", 1, &["text"]), file("bees.md", 1, &["text"])]);
    let note =
        |written: &str, state: FileState| IndexChange::Note { path: path(written), stamp: stamp(1), state };
    let named =
        [note("Bees.png", FileState::Named), note("Old/BEES", FileState::Skipped("broken".to_owned()))];
    index.apply(&vault(), &named).unwrap();
    put(index, &repository(), &[file("src/bees.md", 1, &["text"])]);
    let asked = |corpus: &CorpusName, keys: &[&str]| {
        let keys: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        let mut paths = index.find_named_files(corpus, &keys).unwrap();
        paths.sort();
        paths.iter().map(VaultPath::to_string).collect::<Vec<_>>()
    };
    let all = ["Hives/Bees.md", "Old/BEES", "bees.md"];
    assert_eq!(asked(&vault(), &["bees"]), all, "whatever can be read of it");
    assert_eq!(asked(&vault(), &["bees.png", "none"]), ["Bees.png"]);
    assert_eq!(asked(&vault(), &["bee", "Bees", ""]), [""; 0]);
    assert_eq!(asked(&vault(), &[]), [""; 0]);
    assert_eq!(asked(&repository(), &["bees"]), ["src/bees.md"]);
    put(index, &vault(), &[file("bees.md", 2, &["other"])]);
    index.apply(&vault(), &[IndexChange::Gone { path: path("Hives/Bees.md"), stamp: stamp(1) }]).unwrap();
    assert_eq!(asked(&vault(), &["bees"]), ["Old/BEES", "bees.md"], "and no longer than it is there");
}

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
    let tag = |text: &str| PassageFilter { tag: some(text), ..no_filter() };
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
        (PassageFilter { tag: some("bee"), ..folder("Bees/Hives") }, vec![OAK]),
        (PassageFilter { tag: some("log"), ..folder("Bees/Hives") }, vec![]),
        (PassageFilter { corpora: Some(vec![repository()]), ..tag("bee") }, vec![]),
        (PassageFilter { corpora: Some(vec![vault()]), ..dates(Some(30), None) }, vec![BEECH]),
    ]
}

fn filters_let_through_what_they_say<I: Index + Passages>(index: &I) {
    put_four_files(index);
    for (filter, expected) in filters() {
        assert_eq!(search_places(index, "honey", &filter), expected, "{filter:?}");
    }
}

fn a_filter_is_for_the_file_and_not_for_its_words<I: Index + Passages>(index: &I) {
    put(index, &vault(), &[file("Bees/Log.md", 1, &["folder Mead", "tag mead", "mead"])]);
    let mead = PassageFilter { folder: Some("Mead".to_owned()), ..no_filter() };
    assert_eq!(search_places(index, "mead", &mead), [""; 0]);
    let hostile = PassageFilter { folder: Some("' OR 1=1 --".to_owned()), ..no_filter() };
    assert_eq!(search_places(index, "mead", &hostile), [""; 0]);
    let hostile = PassageFilter { tag: Some("%".to_owned()), ..no_filter() };
    assert_eq!(search_places(index, "mead", &hostile), [""; 0]);
}

fn words_phrases_and_beginnings_are_found<I: Index + Passages>(index: &I) {
    let texts = [
        "the queen lays eggs",
        "eggs that the queen lays",
        "parseRequest reads well-known headers",
        "version 1.0.21 of Grüße",
        "日本語の本",
        "laying down",
    ];
    put(index, &vault(), &[file("n.md", 1, &texts)]);
    let is_found = |query: &str, lines: &[usize]| {
        let expected: Vec<String> = lines.iter().map(|line| format!("n.md:{line}")).collect();
        assert_eq!(search_places(index, query, &no_filter()), expected, "{query}");
    };
    is_found("queen", &[1, 3]);
    is_found("QUEENS", &[1, 3]);
    is_found("laid lays", &[1, 11, 3]);
    is_found("\"queen lays eggs\"", &[1]);
    is_found("\"eggs queen\"", &[]);
    is_found("\"lays eggs that\"", &[]);
    is_found("request", &[5]);
    is_found("parseRequest", &[5]);
    is_found("well-known", &[5]);
    is_found("1.0.21", &[7]);
    is_found("1.0.22", &[]);
    is_found("grusse", &[7]);
    is_found("grus", &[]);
    is_found("gruße", &[7]);
    is_found("日本", &[9]);
    is_found("本", &[9]);
    is_found("日語", &[]);
    is_found("\"", &[]);
    is_found("NEAR(queen, 2) AND body:eggs* OR ^lays", &[1, 11, 3]);
    let beginning = |start: &str| {
        let term = QueryTerm::from_form(TermForm::Prefix(start.to_owned()));
        let mut places = ranked_places(index, &[term], &no_filter(), 9);
        places.sort();
        places
    };
    assert_eq!(beginning("que"), ["n.md:1", "n.md:3"]);
    assert_eq!(beginning("ueen"), [""; 0]);
    assert_eq!(ranked_places(index, &[], &no_filter(), 9), [""; 0], "nothing asked, nothing found");
}

fn the_best_comes_first_and_no_more_than_asked<I: Index + Passages>(index: &I) {
    let mut files: Vec<IndexedFile> = (0..8)
        .map(|n| file(&format!("n{n}.md"), 1, &["a word of honey among a good many other words here"]))
        .collect();
    files.push(file("Honey.md", 1, &["honey, honey and honey"]));
    files.push(file("Other.md", 1, &["nothing of the kind"]));
    put(index, &vault(), &files);
    let terms = query_terms("honey");
    assert_eq!(ranked_places(index, &terms, &no_filter(), 1), ["Honey.md:1"]);
    assert_eq!(ranked_places(index, &terms, &no_filter(), 3).len(), 3);
    assert_eq!(ranked_places(index, &terms, &no_filter(), 100).len(), 9);
    assert_eq!(ranked_places(index, &terms, &no_filter(), 0), [""; 0]);
    let twice = [terms.clone(), terms].concat();
    assert_eq!(ranked_places(index, &twice, &no_filter(), 100).len(), 9, "a passage is found once");
}

fn passages_are_given_in_the_order_of_the_question<I: Index + Passages>(index: &I) {
    put(index, &vault(), &[file("n.md", 1, &["honey one", "honey two", "honey three"])]);
    let scored = index.find_matching(&query_terms("honey"), &no_filter(), 9).unwrap();
    let mut ids: Vec<i64> = scored.iter().map(|found| found.id).collect();
    ids.sort_unstable();
    assert_eq!(places(index, &ids), ["n.md:1", "n.md:3", "n.md:5"]);
    ids.reverse();
    assert_eq!(places(index, &ids), ["n.md:5", "n.md:3", "n.md:1"]);
    assert_eq!(places(index, &[ids[2], 987_654_321, ids[0]]), ["n.md:1", "n.md:5"]);
    assert_eq!(places(index, &[]), [""; 0]);
    put(index, &vault(), &[file("n.md", 2, &["mead"])]);
    assert_eq!(places(index, &ids), [""; 0], "what was replaced is gone");
}

fn a_tidying_forgets_other_corpora_and_says_that_it_is_complete<I: Index + Passages>(index: &I) {
    assert!(!index.read_state().unwrap().complete);
    put(index, &vault(), &[file("Bees.md", 1, &["honey"])]);
    let mut code = file("honey.rs", 1, &["honey"]);
    code.links = vec!["bees".to_owned()];
    put(index, &repository(), &[code]);
    assert!(!index.read_state().unwrap().complete, "an update has not come to its end");
    index.tidy(&[vault(), repository()]).unwrap();
    assert!(index.read_state().unwrap().complete);
    assert_eq!(search_places(index, "honey", &no_filter()).len(), 2);
    index.tidy(&[vault()]).unwrap();
    assert_eq!(search_places(index, "honey", &no_filter()), ["Bees.md:1"]);
    assert!(index.known_files(&repository(), KnownFileFilter::All).unwrap().is_empty());
    assert!(index.find_linking_files(&repository(), &["bees".to_owned()]).unwrap().is_empty());
    let names: Vec<CorpusName> =
        index.coverage().unwrap().corpora.into_iter().map(|corpus| corpus.corpus).collect();
    assert_eq!(names, [vault()]);
    // One that comes back is as good as new.
    put(index, &repository(), &[file("wax.rs", 1, &["honey"])]);
    assert_eq!(search_places(index, "honey", &no_filter()), ["Bees.md:1", "wax.rs:1"]);
}

fn every_change_makes_another_version<I: Index>(index: &I) {
    let mut seen = vec![index.read_state().unwrap().version];
    let mut check = |what: &str| {
        let now = index.read_state().unwrap().version;
        assert!(now > *seen.last().unwrap(), "{what}");
        seen.push(now);
        assert_eq!(index.read_state().unwrap().version, now, "looking changes nothing");
    };
    put(index, &vault(), &[file("Bees.md", 1, &["honey"])]);
    check("a file");
    index.apply(&vault(), &[IndexChange::Seen { path: path("Bees.md"), stamp: stamp(2) }]).unwrap();
    check("a date");
    put(index, &repository(), &[file("honey.rs", 1, &["honey"])]);
    index.tidy(&[vault(), repository()]).unwrap();
    check("the end of an update");
    index.tidy(&[vault()]).unwrap();
    check("a corpus forgotten");
    index.apply(&vault(), &[IndexChange::Gone { path: path("Bees.md"), stamp: stamp(2) }]).unwrap();
    check("a file gone");
}

fn a_corpus_can_be_called_as_the_vault_is<I: Index + Passages>(index: &I) {
    let namesake = CorpusName::Repository("vault".to_owned());
    put(index, &vault(), &[file("a.md", 1, &["honey"])]);
    put(index, &namesake, &[file("a.md", 1, &["honey"])]);
    let of = |corpus: &CorpusName| PassageFilter { corpora: Some(vec![corpus.clone()]), ..no_filter() };
    assert_eq!(search_places(index, "honey", &of(&vault())).len(), 1);
    assert_eq!(search_places(index, "honey", &of(&namesake)).len(), 1);
    assert_eq!(search_places(index, "honey", &no_filter()).len(), 2);
    index.tidy(&[vault()]).unwrap();
    assert_eq!(search_places(index, "honey", &of(&namesake)), [""; 0]);
}

fn coverage_counts_what_there_is<I: Index>(index: &I) {
    put(index, &vault(), &[file("a.md", 1, &["one", "two"]), file("b.md", 1, &["three"])]);
    put(index, &repository(), &[file("c.rs", 1, &["four"])]);
    let note = |written: &str, state| IndexChange::Note { path: path(written), stamp: stamp(1), state };
    let broken = FileState::Skipped("binary".to_owned());
    index.apply(&vault(), &[note("d.png", FileState::Named), note("e.md", broken)]).unwrap();
    let coverage = index.coverage().unwrap();
    let counts: Vec<_> = coverage
        .corpora
        .iter()
        .map(|corpus| (corpus.corpus.clone(), corpus.files, corpus.indexed, corpus.skipped))
        .collect();
    assert_eq!(counts, [(vault(), 4, 2, 1), (repository(), 1, 1, 0)]);
    assert_eq!(coverage.passages, 4);
}
