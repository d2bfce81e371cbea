//! Many citations: each file is read at most twice, and what is still there is never lost.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use wellread_core::domain::corpus::{CorpusName, Hash, PathRules, Place, VaultPath};
use wellread_core::domain::evidence::{Evidence, Source};
use wellread_core::ports::{Corpus, FileContent, FileEntry, FileIdentity, FileListing, NoHistory};
use wellread_core::trust::recheck::RecheckState;
use wellread_core::{Error, Result};
use wellread_testkit::{FixedClock, MemoryFiles};
use wellread_text::LineIndex;

use crate::citing::{evidence, recheck};

const CODE: &str = "code";

fn path(written: &str) -> VaultPath {
    PathRules::new([], &[]).parse_file(written).unwrap()
}

fn files<'a>(files: impl IntoIterator<Item = (String, &'a str)>) -> MemoryFiles {
    let now = FixedClock::parse("2026-03-01T09:30[+00:00]").0.timestamp();
    MemoryFiles::new(now, files.into_iter().map(|(name, text)| (path(&name), text.as_bytes().to_vec())))
}

fn cited(number: u32, name: &str, whole: &str, span: std::ops::Range<usize>) -> Evidence {
    let lines = LineIndex::new(whole);
    let place = Place {
        corpus: CorpusName::Repository(CODE.to_owned()),
        path: path(name),
        lines: (lines.line_of(span.start), lines.line_of(span.end - 1)),
        hash: Hash::compute(whole.as_bytes()),
        span: span.clone(),
    };
    evidence(number, Source::from_place(&place, None), &whole[span])
}

/// Counts what is read.
struct Counting {
    files: MemoryFiles,
    reads: Mutex<HashMap<VaultPath, usize>>,
    lists: AtomicUsize,
}

impl Corpus for Counting {
    fn list(&self) -> Result<FileListing> {
        self.lists.fetch_add(1, Ordering::Relaxed);
        self.files.list()
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        self.files.find(path)
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        *self.reads.lock().unwrap().entry(path.clone()).or_default() += 1;
        self.files.read(path)
    }

    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        self.files.identify(path)
    }
}

#[test]
fn two_thousand_citations_are_one_pass() {
    const MANY: usize = 2000;
    let text = |n: usize| {
        let lines = (0..20).map(|line| format!("    let value_{n}_{line} = compute({n}, {line});\n"));
        format!("fn f{n}() {{\n{}}}\n", lines.collect::<String>())
    };
    let was: Vec<String> = (0..MANY).map(text).collect();
    let all: Vec<Evidence> = (0..MANY)
        .map(|n| {
            let (start, end) = (was[n].find("    let").unwrap(), was[n].len());
            cited(n as u32 + 1, &format!("src/f{n}.rs"), &was[n], start..end)
        })
        .collect();
    // A quarter each: as it was, moved in its file, in another file, edited in another file.
    let now = (0..MANY).map(|n| match n % 4 {
        0 => (format!("src/f{n}.rs"), was[n].clone()),
        1 => (format!("src/f{n}.rs"), format!("// more\n{}", was[n])),
        2 => (format!("lib/g{n}.rs"), was[n].clone()),
        _ => (format!("lib/g{n}.rs"), was[n].replace("_7 =", "_seven =")),
    });
    let now: Vec<(String, String)> = now.collect();
    let held = files(now.iter().map(|(name, text)| (name.clone(), text.as_str())));
    let counting = Arc::new(Counting { files: held, reads: Mutex::default(), lists: AtomicUsize::new(0) });
    let corpora: [(CorpusName, Arc<dyn Corpus>); 1] =
        [(CorpusName::Repository(CODE.to_owned()), counting.clone())];
    let standings = recheck(&corpora, &NoHistory, &all);
    for (n, standing) in standings.iter().enumerate() {
        let expected = ["holds", "moved", "moved", "changed"][n % 4];
        assert_eq!(standing.name(), expected, "{n}: {standing:?}");
        if let RecheckState::Moved { to, .. } | RecheckState::Changed { to, .. } = standing {
            assert_eq!(to.path.as_str(), now[n].0);
        }
    }
    let reads = counting.reads.lock().unwrap();
    assert!(reads.values().all(|times| *times <= 2), "a file was read more than twice");
    // A file that is gone was asked for once.
    let there: usize = now.iter().map(|(name, _)| reads[&path(name)]).sum();
    assert!(there <= 2 * MANY && counting.lists.load(Ordering::Relaxed) == 1, "{there}");
}

/// A corpus that can be read and not listed.
struct Unlisted(MemoryFiles);

impl Corpus for Unlisted {
    fn list(&self) -> Result<FileListing> {
        Err(Error::failed("the folder could not be listed"))
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        self.0.find(path)
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        self.0.read(path)
    }

    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        self.0.identify(path)
    }
}

#[test]
fn where_nothing_can_be_listed_nothing_is_said_to_be_gone() {
    let was = "fn here() {}\nfn there_is_something_else() {}\n";
    let held = Unlisted(files([("a.rs".to_owned(), "fn here() {}\n"), ("b.rs".to_owned(), was)]));
    held.0.make_unreadable(&path("b.rs"));
    let corpora: [(CorpusName, Arc<dyn Corpus>); 1] =
        [(CorpusName::Repository(CODE.to_owned()), Arc::new(held))];
    let all = [
        cited(1, "a.rs", was, 0..13),
        cited(2, "a.rs", was, 13..was.len()),
        cited(3, "gone.rs", was, 13..was.len()),
        cited(4, "b.rs", was, 0..13),
    ];
    let names: Vec<&str> = recheck(&corpora, &NoHistory, &all).iter().map(RecheckState::name).collect();
    assert_eq!(names, ["holds", "unreachable", "unreachable", "unreachable"]);
}

/// Lines that are unlike each other and long enough to be looked for anywhere.
fn line(number: usize) -> String {
    const WORDS: [&str; 8] = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath"];
    let word = |shift: usize| WORDS[number / shift % 8];
    format!("line {number} of {} {} {}, and {} more\n", word(1), word(8), word(64), number * 7919 % 1013)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_still_there_is_never_gone(
        (count, order, from, length) in (3_usize..40).prop_flat_map(|count| (
            Just(count),
            Just((0..count).collect::<Vec<_>>()).prop_shuffle(),
            0..count,
            1_usize..4,
        )),
        added in prop::collection::vec(0_usize..40, 0..10),
        another_file in any::<bool>(),
        keep in any::<bool>(),
    ) {
        let was: String = (0..count).map(line).collect();
        let end = (from + length).min(count);
        let start: usize = (0..from).map(|n| line(n).len()).sum();
        let text: String = (from..end).map(line).collect();
        let evidence = cited(1, "src/a.rs", &was, start..start + text.len());
        // The cited lines stay together, the others are shuffled around them, and new ones are put in.
        let others = order.into_iter().filter(|n| !(from..end).contains(n)).map(line);
        let mut pieces: Vec<String> = others.collect();
        for (n, at) in added.iter().enumerate() {
            pieces.insert(*at % (pieces.len() + 1), line(1000 + n));
        }
        let at = added.first().copied().unwrap_or(from) % (pieces.len() + 1);
        pieces.insert(at, text.clone());
        let now: String = pieces.concat();
        let mut tree = vec![("src/c.rs".to_owned(), "fn nothing() {}\n")];
        tree.push((if another_file { "src/b.rs" } else { "src/a.rs" }.to_owned(), now.as_str()));
        let emptied: String = (0..count).filter(|n| !(from..end).contains(n)).map(line).collect();
        if another_file && keep {
            tree.push(("src/a.rs".to_owned(), &emptied));
        }
        let held: Arc<dyn Corpus> = Arc::new(files(tree));
        let corpora = [(CorpusName::Repository(CODE.to_owned()), held.clone())];
        let standing = recheck(&corpora, &NoHistory, std::slice::from_ref(&evidence)).remove(0);
        match &standing {
            RecheckState::Holds => {
                let lines = LineIndex::new(&now).span(from + 1, end);
                prop_assert!(!another_file && lines.is_some_and(|lines| now[lines] == text));
            }
            RecheckState::Moved { to, .. } => {
                let there = String::from_utf8(held.read(&to.path).unwrap().bytes).unwrap();
                prop_assert_eq!(&there[to.span.clone()], &text);
                let lines = LineIndex::new(&there).span(to.start_line, to.end_line);
                prop_assert_eq!(lines, Some(to.span.clone()));
                prop_assert_eq!(to.path.as_str(), if another_file { "src/b.rs" } else { "src/a.rs" });
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn whatever_became_of_a_file_what_is_said_can_be_read(
        was in "[a-d \\n}é]{1,80}", now in "[a-d \\n}é\r]{0,80}", from in 0_usize..80, length in 1_usize..40,
    ) {
        let start = was.floor_char_boundary(from % was.len());
        let end = was.ceil_char_boundary((start + length).min(was.len()));
        prop_assume!(start < end);
        let evidence = cited(1, "a.rs", &was, start..end);
        let held: Arc<dyn Corpus> = Arc::new(files([("a.rs".to_owned(), now.as_str())]));
        let corpora = [(CorpusName::Repository(CODE.to_owned()), held)];
        let standing = recheck(&corpora, &NoHistory, std::slice::from_ref(&evidence)).remove(0);
        let wanted = &was[start..end];
        match standing {
            RecheckState::Holds => {
                let (_, place) = evidence.source.file().unwrap();
                let lines = LineIndex::new(&now).span(place.start_line, place.end_line).unwrap();
                prop_assert!(now[lines].contains(wanted));
            }
            RecheckState::Moved { to, .. } => prop_assert_eq!(&now[to.span], wanted),
            RecheckState::Ambiguous { places } => {
                prop_assert!(places.len() > 1);
                for place in places {
                    prop_assert_eq!(&now[place.span], wanted);
                }
            }
            RecheckState::Changed { to, now: says, .. } => {
                prop_assert_eq!(&now[to.span.clone()], says.expose());
                prop_assert!(!now.contains(wanted));
            }
            RecheckState::Gone { .. } => prop_assert!(!now.contains(wanted)),
            RecheckState::Unreachable { reason } => prop_assert!(false, "{reason}"),
        }
    }
}
