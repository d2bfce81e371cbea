//! Words as they are stored: what counts as one, and where in a file each of them is.
//!
//! Text was made into terms before it gets here; these are cut into words as FTS5 cuts them in the SQLite file (`index`), so
//! that both find the same. The list of a word in a file has, for each passage that contains it, the passage's length,
//! and for each field how often and at which places the word is there.

use std::collections::BTreeMap;

use wellread_core::domain::corpus::Hash;
use wellread_core::ports::{IndexedFile, PassageId, WORD_WEIGHTS};

use crate::index_format::varint::{push_varint, read_varint};

/// The number of fields.
pub const FIELDS: usize = WORD_WEIGHTS.len();
/// The fields that a name can be in: title and headings.
const NAME_FIELDS: u8 = 0b11;
/// A longer word is stored as its beginning and its hash, since an index entry can't be long.
const LONGEST_WORD: usize = 256;
const KEPT_OF_LONG: usize = 200;
/// Separates the two; no word contains it.
const HASH_MARK: char = '\u{1}';

/// The words of a text, as they are stored.
pub fn split_words(text: &str) -> impl Iterator<Item = String> {
    let is_part =
        |letter: char| !letter.is_ascii() || letter.is_ascii_alphanumeric() || "._-".contains(letter);
    text.split(move |letter| !is_part(letter)).filter(|word| !word.is_empty()).map(store_word)
}

fn store_word(word: &str) -> String {
    let word = word.to_ascii_lowercase();
    if word.len() <= LONGEST_WORD {
        return word;
    }
    let hash = Hash::compute(word.as_bytes()).to_string();
    let kept = &word[..word.floor_char_boundary(KEPT_OF_LONG)];
    format!("{kept}{HASH_MARK}{hash}")
}

/// Whether a stored word is all of the word that it stands for.
pub fn is_whole(stored: &str) -> bool {
    !stored.contains(HASH_MARK)
}

/// The words of a file: each with its list, in alphabetical order, and how many words the passages have in all.
pub struct FileWords {
    pub lists: Vec<WordEntry>,
    pub count: u64,
}

pub struct WordEntry {
    pub word: String,
    /// Whether it is in the title or in a heading.
    pub is_name: bool,
    /// The list without the number of the file's first passage, which stands before it.
    rest: Vec<u8>,
}

impl WordEntry {
    /// The list in a file whose first passage has this number in its corpus.
    pub fn list(&self, first: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.rest.len() + 4);
        push_varint(&mut bytes, first);
        bytes.extend(&self.rest);
        bytes
    }
}

impl FileWords {
    /// The words of a file.
    pub fn collect(file: &IndexedFile) -> Self {
        let mut places: BTreeMap<String, Vec<WordPlace>> = BTreeMap::new();
        let mut count = 0;
        for (at, passage) in (0..).zip(&file.passages) {
            let fields = [&file.title, &passage.heading, &file.folders, &passage.words, &passage.parts];
            let words: Vec<(usize, u32, String)> = fields
                .into_iter()
                .enumerate()
                .flat_map(|(field, text)| {
                    (0..).zip(split_words(text)).map(move |(at, word)| (field, at, word))
                })
                .collect();
            let length = u32::try_from(words.len()).unwrap_or(u32::MAX);
            count += u64::from(length);
            for (field, position, word) in words {
                let known = places.entry(word).or_default();
                if known.last().is_none_or(|last| last.passage != at) {
                    known.push(WordPlace { passage: at, length, ..WordPlace::default() });
                }
                if let Some(positions) = known.last_mut().and_then(|last| last.positions.get_mut(field)) {
                    positions.push(position);
                }
            }
        }
        let lists = places.into_iter().map(|(word, places)| WordEntry {
            word,
            is_name: places.iter().any(|place| place.field_mask() & NAME_FIELDS != 0),
            rest: pack(&places),
        });
        Self { lists: lists.collect(), count }
    }
}

/// Where a word is in one passage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordPlace {
    /// The passage's id; while a list is made, its place in the file.
    pub passage: PassageId,
    /// The id of the first passage of its file.
    pub first: PassageId,
    /// How many words the passage has.
    pub length: u32,
    /// The places in each field, in order.
    pub positions: [Vec<u32>; FIELDS],
}

impl WordPlace {
    pub fn count(&self) -> CountedPlace {
        let counts = self.positions.each_ref().map(|positions| positions.len() as u32);
        CountedPlace { passage: self.passage, first: self.first, length: self.length, counts }
    }

    fn field_mask(&self) -> u8 {
        let used = self.positions.iter().enumerate().filter(|(_, positions)| !positions.is_empty());
        used.fold(0, |mask, (field, _)| mask | 1 << field)
    }
}

fn pack(places: &[WordPlace]) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_varint(&mut bytes, places.len() as u64);
    let mut before = 0;
    for place in places {
        push_varint(&mut bytes, (place.passage - before).cast_unsigned());
        push_varint(&mut bytes, place.length.into());
        bytes.push(place.field_mask());
        for positions in place.positions.iter().filter(|positions| !positions.is_empty()) {
            push_varint(&mut bytes, positions.len() as u64);
            let mut last = 0;
            for position in positions {
                push_varint(&mut bytes, u64::from(position - last));
                last = *position;
            }
        }
        before = place.passage;
    }
    bytes
}

/// A passage in a list, without the places of the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedPlace {
    pub passage: PassageId,
    /// The id of the first passage of its file.
    pub first: PassageId,
    /// How many words the passage has.
    pub length: u32,
    /// How often the word is in each field.
    pub counts: [u32; FIELDS],
}

/// The places in any number of lists, one after the other, in the corpus whose ids begin here, in the order of the ids;
/// `None` if the bytes are no lists.
pub fn unpack(bytes: &[u8], base: PassageId) -> Option<Vec<WordPlace>> {
    let mut places: Vec<WordPlace> = Vec::new();
    read_lists(bytes, base, |place, mut positions| {
        let mut read = WordPlace {
            passage: place.passage,
            first: place.first,
            length: place.length,
            ..WordPlace::default()
        };
        for (field, count) in read.positions.iter_mut().zip(place.counts).filter(|(_, count)| *count > 0) {
            read_varint(&mut positions)?;
            let mut position = 0;
            for _ in 0..count {
                position = u32::try_from(read_varint(&mut positions)?).ok()?.checked_add(position)?;
                field.push(position);
            }
        }
        places.push(read);
        Some(())
    })?;
    places.sort_by_key(|place| place.passage);
    Some(places)
}

/// The same without the places in the passages.
pub fn unpack_counts(bytes: &[u8], base: PassageId) -> Option<Vec<CountedPlace>> {
    let mut places = Vec::new();
    read_lists(bytes, base, |place, _| {
        places.push(*place);
        Some(())
    })?;
    places.sort_by_key(|place| place.passage);
    Some(places)
}

/// Shows each place with the bytes of its fields.
fn read_lists(
    mut bytes: &[u8],
    base: PassageId,
    mut see: impl FnMut(&CountedPlace, &[u8]) -> Option<()>,
) -> Option<()> {
    while !bytes.is_empty() {
        let first = base.checked_add_unsigned(read_varint(&mut bytes)?)?;
        let mut passage = first;
        for _ in 0..read_varint(&mut bytes)? {
            passage = passage.checked_add_unsigned(read_varint(&mut bytes)?)?;
            let length = u32::try_from(read_varint(&mut bytes)?).ok()?;
            let (mask, rest) = bytes.split_first()?;
            bytes = rest;
            let fields = bytes;
            let mut counts = [0; FIELDS];
            let used = counts.iter_mut().enumerate().filter(|(field, _)| mask & 1 << field != 0);
            for (_, counted) in used {
                *counted = u32::try_from(read_varint(&mut bytes)?).ok()?;
                // A passage has no more places than words.
                if *counted > length {
                    return None;
                }
                for _ in 0..*counted {
                    read_varint(&mut bytes)?;
                }
            }
            see(&CountedPlace { passage, first, length, counts }, fields)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_into_words_as_fts5_cuts_it() {
        let words = |text: &str| split_words(text).collect::<Vec<_>>();
        assert_eq!(words("Queen lays  1.0.21 well-known"), ["queen", "lays", "1.0.21", "well-known"]);
        assert_eq!(words("a+b \u{0}c \"d\" gruße 日本"), ["a", "b", "c", "d", "gruße", "日本"]);
        let long = "é".repeat(400);
        let stored = words(&long);
        assert!(stored[0].len() <= LONGEST_WORD + 16 && !is_whole(&stored[0]), "{stored:?}");
        assert_ne!(words(&format!("{long}x")), stored);
    }

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let place = |passage: i64, positions: [Vec<u32>; FIELDS]| WordPlace {
            passage,
            length: 300,
            positions,
            ..WordPlace::default()
        };
        let places = [
            place(0, [vec![0, 2], vec![], vec![], vec![7, 290], vec![]]),
            place(4, [vec![], vec![], vec![], vec![], vec![3]]),
        ];
        let base = 1 << 40;
        let list = |first: u64, places: &[WordPlace]| {
            WordEntry { word: String::new(), is_name: false, rest: pack(places) }.list(first)
        };
        let bytes = [list(900, &places[1..]), list(20, &places)].concat();
        let read = unpack(&bytes, base).expect("lists");
        let ids: Vec<i64> = read.iter().map(|place| place.passage - base).collect();
        assert_eq!(ids, [20, 24, 904]);
        assert_eq!(read[0].positions, places[0].positions);
        assert_eq!((read[2].first - base, read[2].length), (900, 300));
        let counted = unpack_counts(&bytes, base).expect("lists");
        assert_eq!(counted[0].counts, [2, 0, 0, 2, 0]);
        assert_eq!(counted.iter().map(|place| place.passage - base).collect::<Vec<_>>(), ids);
        for end in 1..bytes.len() {
            // Cut off anywhere, it is no list, or only the first one.
            let cut = unpack(&bytes[..end], base);
            assert!(cut.is_none_or(|places| places.len() == 1), "{end}");
        }
        assert!(unpack(&[0, 1, 0, 1, 1, 0x7f], 0).is_none(), "more places than words");
    }
}
