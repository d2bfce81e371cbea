//! One pass over a corpus for everything that is missing, and what it comes to.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wellread_text::{Lines, Sought, Wording};

use super::candidates::{Like, by_likelihood, spot};
use super::difference::changed;
use super::{Followed, LARGEST, Quoted, Spot, Standing, text_of};
use crate::corpus::{CorpusName, VaultPath};
use crate::ports::{Corpus, Entry};
use crate::{Error, Result};

/// A text with fewer characters, blanks not counted, is not looked for in other files: it is there by chance.
const SHORTEST: usize = 20;
/// What stands in more files than this is in every file's head, and did not go from one to another.
const MOST_FILES: usize = 8;
/// Places that are remembered of one text: a file gives sixteen at the most, so they are in more files than that.
const MOST_SPOTS: usize = 256;
/// What has a smaller part of the words in common is something else. In a file that nothing else speaks for, it has to be more.
const LIKE: f64 = 0.5;
const LIKE_ELSEWHERE: f64 = 0.6;
/// A shorter line is in many texts.
const SHORTEST_LINE: usize = 8;

/// What is the matter with the file that a missing text was cited from.
pub enum Own {
    There(String),
    Gone(String),
    LeftOut(String),
}

/// A citation that does not stand in its file as it was.
pub struct Missing<'a> {
    pub quoted: Quoted<'a>,
    pub renamed: Option<VaultPath>,
    own: Own,
    /// Where the whole text stands in other files.
    exact: Vec<Spot>,
    /// What is most like it: in its own file or the one that it became, and in the others.
    like: Option<Like>,
    elsewhere: Option<Like>,
}

impl<'a> Missing<'a> {
    pub fn new(quoted: Quoted<'a>, own: Own) -> Self {
        Self { quoted, renamed: None, own, exact: Vec::new(), like: None, elsewhere: None }
    }

    /// A few words in the middle of a line are there by chance.
    pub fn like(&mut self, like: Like) {
        if like.is_whole_lines || self.is_followed() {
            keep_better(&mut self.like, like, LIKE);
        }
    }

    /// Whether the text is long enough to be looked for in other files.
    fn is_followed(&self) -> bool {
        let letters = self.quoted.text.look().chars().filter(|letter| !letter.is_whitespace());
        letters.take(SHORTEST).count() == SHORTEST
    }

    /// What became of it, after the pass; `trouble` is why there was none.
    pub fn standing(mut self, trouble: Option<&Error>) -> Standing {
        let (place, renamed) = (self.quoted.place, self.renamed.as_ref());
        by_likelihood(&mut self.exact, &place.path, place.span.start, renamed);
        let files: BTreeSet<&VaultPath> = self.exact.iter().map(|spot| &spot.path).collect();
        let by_git = self.exact.first().is_some_and(|first| renamed == Some(&first.path));
        if by_git || !files.is_empty() && files.len() <= MOST_FILES {
            let mut spots = self.exact.into_iter();
            if let Some(to) = spots.next() {
                let how = if by_git { Followed::Git } else { Followed::Content };
                return Standing::Moved { to, how, also: spots.take(MOST_FILES).collect() };
            }
        }
        if let Some(Like { to, now, .. }) = self.like.or(self.elsewhere) {
            return changed(&self.quoted, to, &now);
        }
        match (self.own, trouble) {
            (Own::LeftOut(reason), _) => Standing::Unreachable { reason },
            // It may stand in a file that was not looked into.
            (_, Some(error)) => Standing::Unreachable { reason: error.message().to_owned() },
            (Own::Gone(reason) | Own::There(reason), None) => Standing::Gone { reason },
        }
    }
}

fn keep_better(best: &mut Option<Like>, like: Like, least: f64) {
    if like.likeness >= least && best.as_ref().is_none_or(|best| like.likeness > best.likeness) {
        *best = Some(like);
    }
}

/// Looks for all of them in every file of the corpus, each read once. A file that can't be read is passed over.
pub fn sweep(name: &CorpusName, corpus: &dyn Corpus, missing: &mut [Missing<'_>]) -> Result<()> {
    let any = missing.iter().any(Missing::is_followed);
    let targets: BTreeSet<VaultPath> = missing.iter().filter_map(|one| one.renamed.clone()).collect();
    let endings: BTreeSet<Option<String>> =
        missing.iter().map(|one| ending(&one.quoted.place.path)).collect();
    let may_hold = |entry: &Entry| {
        // A vault is full of pictures.
        let fits =
            *name != CorpusName::Vault || entry.path.is_note() || endings.contains(&ending(&entry.path));
        entry.size <= LARGEST as u64 && (any && fits || targets.contains(&entry.path))
    };
    let texts: Vec<&str> = missing.iter().map(|one| one.quoted.text.look()).collect();
    let (sought, lines) = (Sought::new(texts.clone()), WholeLines::of(&texts));
    for entry in corpus.list()?.files.iter().filter(|entry| may_hold(entry)) {
        let read = corpus.read(&entry.path).ok();
        let Some(text) = read.and_then(|content| text_of(content.bytes).ok()) else { continue };
        look_in(&entry.path, &text, missing, &sought, &lines);
    }
    Ok(())
}

fn ending(path: &VaultPath) -> Option<String> {
    path.ending().map(str::to_lowercase)
}

fn look_in(
    path: &VaultPath,
    text: &str,
    missing: &mut [Missing<'_>],
    sought: &Sought<'_>,
    whole: &WholeLines<'_>,
) {
    let exact = sought.places(text);
    let alike: BTreeSet<usize> = whole.alike(text).collect();
    let became = missing.iter().enumerate().filter(|(_, one)| one.renamed.as_ref() == Some(path));
    let became: Vec<usize> = became.map(|(number, _)| number).collect();
    if exact.is_empty() && alike.is_empty() && became.is_empty() {
        return;
    }
    let lines = Lines::of(text);
    let mut wording = None;
    for number in exact.keys().chain(&alike).chain(&became).copied().collect::<BTreeSet<_>>() {
        let one = &mut missing[number];
        let is_its_own = one.renamed.as_ref() == Some(path);
        if one.quoted.place.path == *path || !is_its_own && !one.is_followed() {
            continue;
        }
        let (wanted, stood) = (one.quoted.text.look(), one.quoted.place.span.start);
        if let Some(places) = exact.get(&number) {
            if one.exact.len() >= MOST_SPOTS && !is_its_own {
                continue;
            }
            one.exact.extend(places.iter().map(|&at| spot(path, &lines, at..at + wanted.len())));
        } else if one.exact.is_empty() {
            let Some(nearest) = wording.get_or_insert_with(|| Wording::of(text)).nearest(wanted, stood)
            else {
                continue;
            };
            let like = Like::here(path, text, &lines, nearest);
            if is_its_own {
                one.like(like);
            } else {
                keep_better(&mut one.elsewhere, like, LIKE_ELSEWHERE);
            }
        }
    }
}

/// The lines of the missing texts, by which a file is known that may hold one of them in another form.
struct WholeLines<'a> {
    texts: HashMap<&'a str, Vec<usize>>,
    /// How many different lines each has.
    counts: Vec<usize>,
}

impl<'a> WholeLines<'a> {
    fn of(texts: &[&'a str]) -> Self {
        let mut by_line: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut counts = Vec::new();
        for (number, text) in texts.iter().enumerate() {
            let lines: BTreeSet<&str> = lines(text).collect();
            counts.push(lines.len());
            for line in lines {
                by_line.entry(line).or_default().push(number);
            }
        }
        Self { texts: by_line, counts }
    }

    /// The texts of which this one has at least two lines, and at least half.
    fn alike(&self, text: &str) -> impl Iterator<Item = usize> {
        let mut held: BTreeMap<usize, usize> = BTreeMap::new();
        let shared: BTreeSet<&str> = lines(text).filter(|line| self.texts.contains_key(line)).collect();
        for number in shared.into_iter().flat_map(|line| &self.texts[line]) {
            *held.entry(*number).or_default() += 1;
        }
        held.into_iter()
            .filter(|&(number, held)| held >= 2 && held * 2 >= self.counts[number])
            .map(|(n, _)| n)
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| line.len() >= SHORTEST_LINE)
}
