//! Words that mean the same in most sentences, and words that exclude each other.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::words::terms::stem_word;

/// A set of words that exclude each other, and the word's side in it.
pub(super) type ContrastSide = (u16, u16);

static SYNONYMS: LazyLock<HashMap<String, Vec<u16>>> = LazyLock::new(|| {
    let mut groups: HashMap<String, Vec<u16>> = HashMap::new();
    for (group, line) in (0_u16..).zip(include_str!("synonyms.txt").lines()) {
        for word in line.split_whitespace() {
            let all = groups.entry(stem_word(word)).or_default();
            if all.last() != Some(&group) {
                all.push(group);
            }
        }
    }
    groups
});

static CONTRASTS: LazyLock<HashMap<String, Vec<ContrastSide>>> = LazyLock::new(|| {
    let mut sets: HashMap<String, Vec<ContrastSide>> = HashMap::new();
    for (set, line) in (0_u16..).zip(include_str!("contrasts.txt").lines()) {
        for (side, words) in (0_u16..).zip(line.split(" / ")) {
            for word in words.split_whitespace() {
                for form in [word.to_owned(), stem_word(word)] {
                    let sides = sets.entry(form).or_default();
                    if !sides.contains(&(set, side)) {
                        sides.push((set, side));
                    }
                }
            }
        }
    }
    sets
});

/// The groups of synonyms that a stem belongs to.
pub(super) fn synonym_groups(stem: &str) -> &'static [u16] {
    SYNONYMS.get(stem).map_or(&[], Vec::as_slice)
}

/// The contrasts that a word belongs to, by its plain form or else by its stem.
pub(super) fn contrast_sides(plain: &str, stem: &str) -> &'static [ContrastSide] {
    let by_stem = || CONTRASTS.get(stem).filter(|_| stem.len() >= 5);
    CONTRASTS.get(plain).or_else(by_stem).map_or(&[], Vec::as_slice)
}
