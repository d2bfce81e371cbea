//! What a change does to an index: files that are put, seen, noted and gone, and the end of an update.

use wellread_core::domain::corpus::CorpusName;
use wellread_core::ports::{
    FileStamp, FileState, Index, IndexChange, KnownFileFilter, PassageFilter, Passages,
};
use wellread_text::{Chunk, ChunkKind, query_terms};

use super::fixtures::{
    file, file_states, indexed_state, moment, no_filter, put, repository, search_places, stamp, vault,
};
use crate::contract::path;

pub fn what_is_put_is_known_and_found<I: Index + Passages>(index: &I) {
    assert_eq!((file_states(index), search_places(index, "honey", &no_filter())), (Vec::new(), Vec::new()));
    let mut bees = file("Bees.md", 1, &["honey in the hive", "mites", "more honey"]);
    bees.passages[2].chunk.context = vec!["Harvest".to_owned(), "Late, and little".to_owned()];
    bees.passages[1].chunk.kind = ChunkKind::Frontmatter;
    put(index, &vault(), &[bees.clone(), file("Mead.md", 1, &["yeast"])]);
    assert_eq!(search_places(index, "honey", &no_filter()), ["Bees.md:1", "Bees.md:5"]);
    let known = index.known_files(&vault(), KnownFileFilter::These(&[&bees.path])).unwrap();
    assert_eq!(known.len(), 1);
    assert_eq!((known[0].stamp, &known[0].path), (bees.stamp, &bees.path));
    let scored = index.find_matching(&query_terms("honey mites"), &no_filter(), 9).unwrap().passages;
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

pub fn what_is_put_again_takes_the_place_of_the_first<I: Index + Passages>(index: &I) {
    let mut first = file("Bees.md", 1, &["honey", "mites", "wax"]);
    (first.tags, first.links) = (vec!["old".to_owned()], vec!["mead".to_owned()]);
    put(index, &vault(), &[first]);
    let second = file("Bees.md", 2, &["honey and nectar"]);
    put(index, &vault(), std::slice::from_ref(&second));
    assert_eq!(file_states(index), [indexed_state(&second)]);
    assert_eq!(search_places(index, "honey", &no_filter()), ["Bees.md:1"]);
    assert_eq!(search_places(index, "wax mites", &no_filter()), [""; 0]);
    assert_eq!(
        search_places(index, "honey", &PassageFilter { tags: vec!["old".to_owned()], ..no_filter() }),
        [""; 0],
        "its tags were replaced, too"
    );
    assert!(index.find_linking_files(&vault(), &["mead".to_owned()]).unwrap().is_empty());
    // And twice in one change.
    put(index, &vault(), &[file("Bees.md", 3, &["pollen"]), file("Bees.md", 3, &["brood", "swarm"])]);
    assert_eq!(search_places(index, "pollen brood swarm honey", &no_filter()), ["Bees.md:1", "Bees.md:3"]);
}

pub fn what_is_gone_is_found_no_more<I: Index + Passages>(index: &I) {
    let (bees, mead) = (file("Bees.md", 1, &["honey"]), file("Mead.md", 1, &["honey wine"]));
    put(index, &vault(), &[bees.clone(), mead.clone()]);
    let gone = IndexChange::Gone { path: bees.path, stamp: bees.stamp };
    index.apply(&vault(), &[gone.clone(), gone]).unwrap();
    assert_eq!(file_states(index), [indexed_state(&mead)]);
    assert_eq!(search_places(index, "honey", &no_filter()), ["Mead.md:1"]);
}

pub fn what_was_seen_keeps_its_text_under_another_date<I: Index + Passages>(index: &I) {
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

pub fn a_note_takes_the_place_of_a_text<I: Index + Passages>(index: &I) {
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

pub fn what_is_older_is_left_out<I: Index + Passages>(index: &I) {
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

pub fn what_is_gone_in_another_version_stays<I: Index + Passages>(index: &I) {
    let bees = file("Bees.md", 5, &["honey"]);
    put(index, &vault(), std::slice::from_ref(&bees));
    let gone = |minute| IndexChange::Gone { path: bees.path.clone(), stamp: stamp(minute) };
    index.apply(&vault(), &[gone(4), gone(6)]).unwrap();
    assert_eq!(file_states(index), [indexed_state(&bees)]);
    index.apply(&vault(), &[gone(5)]).unwrap();
    assert_eq!(file_states(index), []);
}

pub fn a_tidying_forgets_other_corpora_and_says_that_it_is_complete<I: Index + Passages>(index: &I) {
    assert!(!index.read_state().unwrap().complete);
    put(index, &vault(), &[file("Bees.md", 1, &["honey"])]);
    let mut code = file("honey.rs", 1, &["honey"]);
    code.links = vec!["bees".to_owned()];
    put(index, &repository(), &[code]);
    assert!(!index.read_state().unwrap().complete, "an update has not come to its end");
    index.tidy(&[vault(), repository()], 0).unwrap();
    assert!(index.read_state().unwrap().complete);
    assert_eq!(search_places(index, "honey", &no_filter()).len(), 2);
    index.tidy(&[vault()], 0).unwrap();
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

pub fn every_change_makes_another_version<I: Index>(index: &I) {
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
    index.tidy(&[vault(), repository()], 0).unwrap();
    check("the end of an update");
    index.tidy(&[vault()], 0).unwrap();
    check("a corpus forgotten");
    index.apply(&vault(), &[IndexChange::Gone { path: path("Bees.md"), stamp: stamp(2) }]).unwrap();
    check("a file gone");
}

pub fn a_corpus_can_be_called_as_the_vault_is<I: Index + Passages>(index: &I) {
    let namesake = CorpusName::Repository("vault".to_owned());
    put(index, &vault(), &[file("a.md", 1, &["honey"])]);
    put(index, &namesake, &[file("a.md", 1, &["honey"])]);
    let of = |corpus: &CorpusName| PassageFilter { corpora: Some(vec![corpus.clone()]), ..no_filter() };
    assert_eq!(search_places(index, "honey", &of(&vault())).len(), 1);
    assert_eq!(search_places(index, "honey", &of(&namesake)).len(), 1);
    assert_eq!(search_places(index, "honey", &no_filter()).len(), 2);
    index.tidy(&[vault()], 0).unwrap();
    assert_eq!(search_places(index, "honey", &of(&namesake)), [""; 0]);
}
