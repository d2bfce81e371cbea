//! The names of notes: by file, aliases and titles, and as links show them.

use std::collections::{BTreeMap, HashMap, HashSet};

use wellread_text::{fold, is_everyday_word};

use super::links::Links;
use super::notes::Notes;

/// Shorter names occur everywhere.
const MIN_LETTERS: usize = 4;
/// A longer text is not a name.
const MAX_WORDS: usize = 6;

pub(super) struct NoteName {
    pub note: usize,
    pub name: String,
    pub how: NameOrigin,
    pub words: usize,
    /// Whether all of its words are everyday words: then it may occur without being a name.
    pub is_everyday: bool,
    /// Whether it is one lower-case word: within a longer phrase it is part of that, and not a name.
    pub is_small: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameOrigin {
    File,
    Alias,
    Title,
    /// Only by links: it is not an alias yet.
    Shown,
}

/// The names that mean one note and no other, in the order of the notes; after them those that links show.
pub(super) fn collect_note_names(notes: &Notes, links: &Links) -> Vec<NoteName> {
    let mut names: Vec<NoteName> = Vec::new();
    let mut owners: HashMap<String, HashSet<usize>> = HashMap::new();
    let mut known: HashSet<(usize, String)> = HashSet::new();
    let mut add = |names: &mut Vec<NoteName>, note: usize, name: &str, how: NameOrigin| {
        let folded = fold(name);
        owners.entry(folded.clone()).or_default().insert(note);
        if known.insert((note, folded)) && is_name(name) {
            names.push(NoteName::new(note, name, how));
        }
    };
    for (at, note) in notes.all.iter().enumerate().filter(|(_, note)| !note.is_ours) {
        add(&mut names, at, note.path.stem(), NameOrigin::File);
        note.aliases.iter().for_each(|alias| add(&mut names, at, alias, NameOrigin::Alias));
        note.title.iter().for_each(|title| add(&mut names, at, title, NameOrigin::Title));
    }
    let official = names.len();
    for (note, shown) in
        names_shown_by_links(links).into_iter().filter(|(note, shown)| !is_file_name(notes, *note, shown))
    {
        add(&mut names, note, &shown, NameOrigin::Shown);
    }
    let is_one = |folded: &String| owners.get(folded).is_some_and(|notes| notes.len() == 1);
    let all = names.into_iter().enumerate();
    // A name that links show for one note must not be another's, nor be shown for two.
    all.filter(|(at, called)| is_one(&fold(&called.name)) && (*at < official || !called.is_everyday))
        .map(|(_, called)| called)
        .collect()
}

impl NoteName {
    fn new(note: usize, name: &str, how: NameOrigin) -> Self {
        let words = name.split_whitespace().count();
        let is_everyday = name.split_whitespace().all(is_everyday_word);
        let is_small = name.chars().all(char::is_lowercase);
        Self { note, name: name.to_owned(), how, words, is_everyday, is_small }
    }
}

fn is_name(name: &str) -> bool {
    name.chars().filter(|letter| letter.is_alphabetic()).count() >= MIN_LETTERS
        && name.split_whitespace().count() <= MAX_WORDS
        && !name.contains(['[', ']', '|', '#', '^', '\\', '`', '*', '<', '>', '!', '\n', '/'])
}

/// Whether the shown name is a file's name: then it needs no alias, or means another note.
fn is_file_name(notes: &Notes, note: usize, shown: &str) -> bool {
    let path = notes.all[note].path.as_str();
    shown.ends_with(".md") || notes.names.resolve(shown, path).path().is_some()
}

/// The names that links show for a note. Of several spellings the most common one is used.
fn names_shown_by_links(links: &Links) -> Vec<(usize, String)> {
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
