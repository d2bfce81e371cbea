//! Searches a corpus once for everything that is missing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wellread_text::{ExactSearch, FuzzySearch, LineIndex};

use super::candidates::{SimilarPlace, current_place, sort_by_likelihood};
use super::cited_file::{MAX_PLACES_SHOWN, SURELY_THE_SAME};
use super::difference::changed_state;
use super::line_history::FilePast;
use super::{CurrentPlace, FileCitation, FollowMethod, MAX_FILE_BYTES, RecheckState, decode_text};
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::ports::{Corpus, FileEntry, History};
use crate::{Error, Result};

/// The shortest text that is searched for in other files, blanks not counted: shorter ones occur by chance.
const MIN_TEXT_CHARS: usize = 20;
/// A text that occurs in more files than this is boilerplate, and did not move from one to another.
const MAX_FILES: usize = 8;
/// The most places of one text that are kept: enough for more than [`MAX_FILES`] files with sixteen each.
const MAX_PLACES: usize = 256;
/// The share of words that a similar passage must have in common with the text. In a file that nothing else points to,
/// it must be more.
const MIN_SIMILARITY: f64 = 0.5;
const MIN_SIMILARITY_ELSEWHERE: f64 = 0.6;
/// The share of words from which a passage in the cited file counts as the cited one although an equal text is in another
/// file, if no history tells an edited passage from one that was always beside it.
const SURELY_THE_SAME_WITHOUT_HISTORY: f64 = 0.85;
/// Shorter lines are ignored, since they occur in many texts.
const MIN_LINE_CHARS: usize = 8;

/// The state of the file that a missing text was cited from.
pub enum CitedFileState {
    There(String),
    Gone(String),
    LeftOut(String),
}

/// A citation whose text is not at its place any more.
pub struct MissingCitation<'a> {
    pub quoted: FileCitation<'a>,
    pub renamed: Option<VaultPath>,
    /// The commit that has the cited version of the file, if the history knows it.
    pub commit: Option<String>,
    own: CitedFileState,
    /// Where the whole text occurs in other files.
    exact: Vec<CurrentPlace>,
    /// The most similar passages: in its own file or that file's new name, and in others.
    like: Option<SimilarPlace>,
    elsewhere: Option<SimilarPlace>,
}

impl<'a> MissingCitation<'a> {
    pub fn new(quoted: FileCitation<'a>, own: CitedFileState, past: Option<&FilePast>) -> Self {
        let renamed = past.and_then(|past| past.renamed.clone());
        let commit = past.map(|past| past.commit.clone());
        Self { quoted, renamed, commit, own, exact: Vec::new(), like: None, elsewhere: None }
    }

    /// Offers a similar passage. A few words in the middle of a line are ignored, since they occur by chance.
    pub fn offer_similar(&mut self, like: SimilarPlace) {
        if like.is_whole_lines || self.is_long_enough() {
            keep_better(&mut self.like, like, MIN_SIMILARITY);
        }
    }

    /// Whether the text is long enough to be searched for in other files.
    fn is_long_enough(&self) -> bool {
        let letters = self.quoted.text.expose().chars().filter(|letter| !letter.is_whitespace());
        letters.take(MIN_TEXT_CHARS).count() == MIN_TEXT_CHARS
    }

    /// What became of the citation, after the search; `trouble` is the error that prevented the search.
    pub fn into_state(mut self, trouble: Option<&Error>) -> RecheckState {
        let (place, renamed) = (self.quoted.place, self.renamed.as_ref());
        sort_by_likelihood(&mut self.exact, &place.path, place.span.start, renamed);
        let least = if self.commit.is_some() { SURELY_THE_SAME } else { SURELY_THE_SAME_WITHOUT_HISTORY };
        if let Some(like) = self.like.take_if(|like| like.likeness >= least) {
            return changed_state(&self.quoted, like.to, &like.now);
        }
        let in_renamed = self.exact.iter().filter(|place| renamed == Some(&place.path)).count();
        if in_renamed > 0 {
            self.exact.truncate(in_renamed);
        }
        let files: BTreeSet<&VaultPath> = self.exact.iter().map(|place| &place.path).collect();
        if files.len() <= MAX_FILES {
            let how = if in_renamed > 0 { FollowMethod::Git } else { FollowMethod::Content };
            self.exact.truncate(MAX_PLACES_SHOWN);
            match self.exact.len() {
                0 => {}
                1 => return RecheckState::Moved { to: self.exact.swap_remove(0), how },
                _ => return RecheckState::Ambiguous { places: self.exact },
            }
        }
        if let Some(SimilarPlace { to, now, .. }) = self.like.or(self.elsewhere) {
            return changed_state(&self.quoted, to, &now);
        }
        match (self.own, trouble) {
            (CitedFileState::LeftOut(reason), _) => RecheckState::Unreachable { reason },
            // The text may be in a file that was not searched.
            (_, Some(error)) => RecheckState::Unreachable { reason: error.message().to_owned() },
            (CitedFileState::Gone(reason) | CitedFileState::There(reason), None) => {
                RecheckState::Gone { reason }
            }
        }
    }
}

/// Drops the places in other files whose text was already there when the citation was made: those are copies.
pub fn drop_older_copies(name: &CorpusName, history: &dyn History, missing: &mut [MissingCitation<'_>]) {
    let mut read: BTreeMap<(VaultPath, String), String> = BTreeMap::new();
    let mut was_there = |place: &CurrentPlace, commit: &str, text: &str| {
        let old = read.entry((place.path.clone(), commit.to_owned())).or_insert_with(|| {
            let bytes = history.read_at(name, &place.path, commit).ok().flatten().unwrap_or_default();
            String::from_utf8(bytes).unwrap_or_default()
        });
        old.contains(text)
    };
    for one in missing {
        let Some(commit) = one.commit.clone() else { continue };
        let files: BTreeSet<VaultPath> = one.exact.iter().map(|place| place.path.clone()).collect();
        // What is in more files is not followed anyway.
        if files.len() <= 2 * MAX_FILES {
            let text = one.quoted.text.expose();
            one.exact.retain(|place| !was_there(place, &commit, text));
        }
        if one.elsewhere.as_ref().is_some_and(|like| was_there(&like.to, &commit, &like.now)) {
            one.elsewhere = None;
        }
    }
}

fn keep_better(best: &mut Option<SimilarPlace>, like: SimilarPlace, least: f64) {
    if like.likeness >= least && best.as_ref().is_none_or(|best| like.likeness > best.likeness) {
        *best = Some(like);
    }
}

/// Searches every file of the corpus for all missing texts, reading each once. A file that can't be read is skipped.
pub fn sweep(name: &CorpusName, corpus: &dyn Corpus, missing: &mut [MissingCitation<'_>]) -> Result<()> {
    let any = missing.iter().any(MissingCitation::is_long_enough);
    let targets: BTreeSet<VaultPath> = missing.iter().filter_map(|one| one.renamed.clone()).collect();
    let endings: BTreeSet<Option<String>> =
        missing.iter().map(|one| lowercase_extension(&one.quoted.place.path)).collect();
    let may_hold = |entry: &FileEntry| {
        // A vault has many images.
        let fits = *name != CorpusName::Vault
            || entry.path.is_note()
            || endings.contains(&lowercase_extension(&entry.path));
        entry.size <= MAX_FILE_BYTES as u64 && (any && fits || targets.contains(&entry.path))
    };
    let texts: Vec<&str> = missing.iter().map(|one| one.quoted.text.expose()).collect();
    let (exact_search, lines) = (ExactSearch::new(texts.clone()), MissingLineIndex::new(&texts));
    for entry in corpus.list()?.files.iter().filter(|entry| may_hold(entry)) {
        let read = corpus.read(&entry.path).ok();
        let Some(text) = read.and_then(|content| decode_text(content.bytes).ok()) else { continue };
        search_file(&entry.path, &text, missing, &exact_search, &lines);
    }
    Ok(())
}

fn lowercase_extension(path: &VaultPath) -> Option<String> {
    path.extension().map(str::to_lowercase)
}

fn search_file(
    path: &VaultPath,
    text: &str,
    missing: &mut [MissingCitation<'_>],
    exact_search: &ExactSearch<'_>,
    whole: &MissingLineIndex<'_>,
) {
    let exact = exact_search.find_places(text);
    let alike: BTreeSet<usize> = whole.find_similar(text).collect();
    let became = missing.iter().enumerate().filter(|(_, one)| one.renamed.as_ref() == Some(path));
    let became: Vec<usize> = became.map(|(number, _)| number).collect();
    if exact.is_empty() && alike.is_empty() && became.is_empty() {
        return;
    }
    let lines = LineIndex::new(text);
    let mut wording = None;
    for number in exact.keys().chain(&alike).chain(&became).copied().collect::<BTreeSet<_>>() {
        let one = &mut missing[number];
        let is_its_own = one.renamed.as_ref() == Some(path);
        if one.quoted.place.path == *path || !is_its_own && !one.is_long_enough() {
            continue;
        }
        let (wanted, old_start) = (one.quoted.text.expose(), one.quoted.place.span.start);
        if let Some(places) = exact.get(&number) {
            if one.exact.len() >= MAX_PLACES && !is_its_own {
                continue;
            }
            one.exact.extend(places.iter().map(|&at| current_place(path, &lines, at..at + wanted.len())));
        } else if one.exact.is_empty() {
            let Some(nearest) =
                wording.get_or_insert_with(|| FuzzySearch::new(text)).find_nearest(wanted, old_start)
            else {
                continue;
            };
            let like = SimilarPlace::new(path, text, &lines, nearest);
            if is_its_own {
                one.offer_similar(like);
            } else {
                keep_better(&mut one.elsewhere, like, MIN_SIMILARITY_ELSEWHERE);
            }
        }
    }
}

/// An index of the missing texts' lines, which finds files that may have one of the texts in another form.
struct MissingLineIndex<'a> {
    texts: HashMap<&'a str, Vec<usize>>,
    /// The number of different lines of each text.
    counts: Vec<usize>,
}

impl<'a> MissingLineIndex<'a> {
    fn new(texts: &[&'a str]) -> Self {
        let mut by_line: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut counts = Vec::new();
        for (number, text) in texts.iter().enumerate() {
            let lines: BTreeSet<&str> = significant_lines(text).collect();
            counts.push(lines.len());
            for line in lines {
                by_line.entry(line).or_default().push(number);
            }
        }
        Self { texts: by_line, counts }
    }

    /// The texts of which this one has at least two lines, and at least half.
    fn find_similar(&self, text: &str) -> impl Iterator<Item = usize> {
        let mut held: BTreeMap<usize, usize> = BTreeMap::new();
        let shared: BTreeSet<&str> =
            significant_lines(text).filter(|line| self.texts.contains_key(line)).collect();
        for number in shared.into_iter().flat_map(|line| &self.texts[line]) {
            *held.entry(*number).or_default() += 1;
        }
        held.into_iter()
            .filter(|&(number, held)| held >= 2 && held * 2 >= self.counts[number])
            .map(|(n, _)| n)
    }
}

fn significant_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| line.len() >= MIN_LINE_CHARS)
}
