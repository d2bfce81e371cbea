//! What notes are called: by their file, their aliases, their titles, and by what links show.

use std::collections::{BTreeMap, HashMap, HashSet};

use wellread_text::{fold, is_everyday};

use super::links::Links;
use super::reading::Notes;

/// Shorter names turn up everywhere.
const FEWEST_LETTERS: usize = 4;
/// A longer text is no name.
const MOST_WORDS: usize = 6;

pub(super) struct Called {
    pub note: usize,
    pub name: String,
    pub how: How,
    pub words: usize,
    /// Whether all of its words are of every day: then it may stand anywhere without being a name.
    pub is_everyday: bool,
    /// Whether it is one word in small letters: within a longer phrase it is a word of that, and no name.
    pub is_small: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    File,
    Alias,
    Title,
    /// By links alone: it is no alias yet.
    Shown,
}

/// The names that mean one note and no other, in the order of the notes; after them those that links show.
pub(super) fn called(notes: &Notes, links: &Links) -> Vec<Called> {
    let mut names: Vec<Called> = Vec::new();
    let mut owners: HashMap<String, HashSet<usize>> = HashMap::new();
    let mut known: HashSet<(usize, String)> = HashSet::new();
    let mut add = |names: &mut Vec<Called>, note: usize, name: &str, how: How| {
        let folded = fold(name);
        owners.entry(folded.clone()).or_default().insert(note);
        if known.insert((note, folded)) && is_name(name) {
            names.push(Called::new(note, name, how));
        }
    };
    for (at, note) in notes.all.iter().enumerate().filter(|(_, note)| !note.is_ours) {
        add(&mut names, at, note.path.stem(), How::File);
        note.aliases.iter().for_each(|alias| add(&mut names, at, alias, How::Alias));
        note.title.iter().for_each(|title| add(&mut names, at, title, How::Title));
    }
    let official = names.len();
    for (note, shown) in shown(links).into_iter().filter(|(note, shown)| !is_file_name(notes, *note, shown)) {
        add(&mut names, note, &shown, How::Shown);
    }
    let is_one = |folded: &String| owners.get(folded).is_some_and(|notes| notes.len() == 1);
    let all = names.into_iter().enumerate();
    // A name that links show for one note must not be another's, nor be shown for two.
    all.filter(|(at, called)| is_one(&fold(&called.name)) && (*at < official || !called.is_everyday))
        .map(|(_, called)| called)
        .collect()
}

impl Called {
    fn new(note: usize, name: &str, how: How) -> Self {
        let words = name.split_whitespace().count();
        let is_everyday = name.split_whitespace().all(is_everyday);
        let is_small = name.chars().all(char::is_lowercase);
        Self { note, name: name.to_owned(), how, words, is_everyday, is_small }
    }
}

fn is_name(name: &str) -> bool {
    name.chars().filter(|letter| letter.is_alphabetic()).count() >= FEWEST_LETTERS
        && name.split_whitespace().count() <= MOST_WORDS
        && !name.contains(['[', ']', '|', '#', '^', '\\', '`', '*', '<', '>', '!', '\n', '/'])
}

/// Whether what a link shows is what a file is called: that leads there without an alias, or to another note.
fn is_file_name(notes: &Notes, note: usize, shown: &str) -> bool {
    let path = notes.all[note].path.as_str();
    shown.ends_with(".md") || notes.names.resolve(shown, path).path().is_some()
}

/// What links show for a note, each spelling once: the one that most notes write stands for all.
fn shown(links: &Links) -> Vec<(usize, String)> {
    let mut spelled: BTreeMap<(u32, String), BTreeMap<&str, usize>> = BTreeMap::new();
    for (note, shown, _) in &links.shown {
        let name = shown.trim();
        *spelled.entry((*note, fold(name))).or_default().entry(name).or_default() += 1;
    }
    let best = |spellings: BTreeMap<&str, usize>| {
        spellings
            .into_iter()
            .max_by_key(|(spelling, count)| (*count, std::cmp::Reverse(*spelling)))
            .map(|(name, _)| name.to_owned())
    };
    spelled.into_iter().filter_map(|((note, _), spellings)| Some((note as usize, best(spellings)?))).collect()
}
