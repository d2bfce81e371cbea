//! Measures how much of one text occurs in another, by the runs of four words that both have.
//!
//! A text gives the same numbers on every machine and in every version, so they may be stored. What a word is: see
//! [`Words`].

use crate::Words;
use crate::words::SEED;

/// Words of a run. Shorter runs are shared by unrelated texts.
const WORDS: usize = 4;

/// The distinct runs of four words of a text, as hashes. A shorter text is one run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shingles(Vec<u64>);

impl Shingles {
    /// The shingles of a text.
    pub fn from_text(text: &str) -> Self {
        Self::from_words(&Words::from_text(text))
    }

    /// The shingles of a text whose words were read already.
    pub fn from_words(words: &Words) -> Self {
        let mut found: Vec<u64> = runs(words).collect();
        found.sort_unstable();
        found.dedup();
        Self(found)
    }

    /// The smallest hashes of a text, at most `most`: similar texts share nearly all of these.
    pub fn smallest(words: &Words, most: usize) -> Vec<u64> {
        let mut smallest: Vec<u64> = Vec::with_capacity(most + 1);
        for run in runs(words) {
            if smallest.len() == most && smallest.last().is_none_or(|largest| run >= *largest) {
                continue;
            }
            if let Err(at) = smallest.binary_search(&run) {
                smallest.insert(at, run);
                smallest.truncate(most);
            }
        }
        smallest
    }

    /// The number of distinct runs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the text has no words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The hashes, smallest first.
    pub fn numbers(&self) -> &[u64] {
        &self.0
    }

    /// The share of these runs that occur in the other text too, from 0 to 1; 0 if there are none.
    pub fn containment_in(&self, other: &Self) -> f32 {
        if self.0.is_empty() {
            return 0.0;
        }
        self.count_shared(other) as f32 / self.0.len() as f32
    }

    /// The number of runs that both texts have.
    pub fn count_shared(&self, other: &Self) -> usize {
        let (few, many) =
            if self.0.len() <= other.0.len() { (&self.0, &other.0) } else { (&other.0, &self.0) };
        // A short text against a long one, such as all notes together: binary search instead of a merge.
        if few.len() * 16 < many.len() {
            return few.iter().filter(|number| many.binary_search(number).is_ok()).count();
        }
        let (mut one, mut two, mut shared) = (0, 0, 0);
        while let (Some(left), Some(right)) = (few.get(one), many.get(two)) {
            shared += usize::from(left == right);
            one += usize::from(left <= right);
            two += usize::from(right <= left);
        }
        shared
    }

    /// Adds the runs of another text. No run crosses from one text into the other.
    pub fn merge(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
        self.0.sort_unstable();
        self.0.dedup();
    }
}

/// Joins the shingles of several texts.
impl FromIterator<Shingles> for Shingles {
    fn from_iter<All: IntoIterator<Item = Shingles>>(all: All) -> Self {
        let mut numbers: Vec<u64> = all.into_iter().flat_map(|one| one.0).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self(numbers)
    }
}

/// The runs in the order of the text.
fn runs(words: &Words) -> impl Iterator<Item = u64> {
    let row = WORDS.min(words.hashes.len()).max(1);
    words.hashes.windows(row).map(|row| row.iter().fold(SEED, |all, word| mix_hash(all, *word)))
}

/// Mixes one more word into a hash, so that the order counts and every bit has an effect.
pub(crate) fn mix_hash(all: u64, word: u64) -> u64 {
    let mut mixed = (all.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^= mixed >> 29;
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contained(one: &str, other: &str) -> f32 {
        Shingles::from_text(one).containment_in(&Shingles::from_text(other))
    }

    #[test]
    fn a_part_of_a_text_stands_in_it_whole_and_the_text_in_its_part_by_its_share() {
        let part = "the bees fly to the linden";
        let whole = "In June the bees fly to the linden, and come home late.";
        assert_eq!(contained(part, whole), 1.0);
        // 3 of the 9 runs of the whole.
        assert_eq!(contained(whole, part), 3.0 / 9.0);
    }

    #[test]
    fn case_accents_and_marks_do_not_matter_and_order_does() {
        assert_eq!(contained("Café au lait, **s'il** vous plaît", "cafe AU lait s'il vous plait"), 1.0);
        assert_eq!(contained("one two three four", "four three two one"), 0.0);
    }

    #[test]
    fn a_text_of_fewer_than_four_words_is_one_run() {
        assert_eq!(Shingles::from_text("Varroa mite").len(), 1);
        assert_eq!(contained("Varroa mite", "varroa MITE!"), 1.0);
        assert_eq!(contained("Varroa mite", "the varroa mite is small"), 0.0);
        assert_eq!(contained("", "the varroa mite is small"), 0.0);
        assert!(Shingles::from_text(" … \n").is_empty());
    }

    #[test]
    fn a_script_without_spaces_is_compared_by_its_letters() {
        assert_eq!(contained("蜜蜂飞到椴树", "六月蜜蜂飞到椴树上"), 1.0);
        assert_eq!(contained("蜜蜂飞到椴树", "冬天蜂群在巢箱里"), 0.0);
    }

    #[test]
    fn what_is_repeated_counts_once() {
        assert_eq!(Shingles::from_text("a b c d a b c d").len(), 4);
    }

    #[test]
    fn the_smallest_are_the_first_of_all() {
        let text: String = (0..200).map(|at| format!("w{} ", at % 90)).collect();
        let (words, all) = (Words::from_text(&text), Shingles::from_text(&text));
        assert_eq!(Shingles::smallest(&words, 8), all.numbers()[..8]);
        assert_eq!(Shingles::smallest(&words, 1000), all.numbers());
        assert!(
            Shingles::smallest(&words, 0).is_empty()
                && Shingles::smallest(&Words::from_text(""), 8).is_empty()
        );
    }

    #[test]
    fn several_texts_together_hold_what_each_holds() {
        let texts = ["one two three four five", "six seven eight nine ten"];
        let all: Shingles = texts.iter().map(|text| Shingles::from_text(text)).collect();
        let mut merged = Shingles::from_text(texts[0]);
        merged.merge(&Shingles::from_text(texts[1]));
        assert_eq!(all, merged);
        assert_eq!(contained(texts[1], texts[0]), 0.0);
        assert_eq!(Shingles::from_text(texts[1]).containment_in(&all), 1.0);
        assert_eq!(Shingles::from_text("four five six seven").containment_in(&all), 0.0);
    }

    #[test]
    fn looking_up_and_walking_through_count_the_same() {
        let long: String = (0..500).map(|at| format!("w{at} ")).collect();
        let short = Shingles::from_text("w7 w8 w9 w10 w11 x y z");
        let by_lookup = short.count_shared(&Shingles::from_text(&long));
        let by_hand = short
            .numbers()
            .iter()
            .filter(|number| Shingles::from_text(&long).numbers().contains(number))
            .count();
        assert_eq!((by_lookup, by_hand), (2, 2));
    }

    #[test]
    fn the_numbers_stay_what_they_are() {
        assert_eq!(Shingles::from_text("one two three four").numbers(), [15_095_404_048_040_530_003]);
    }
}
