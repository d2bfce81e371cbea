//! A small sample of a text's shingles, which estimates how much of another text occurs in it.
//!
//! Sketches of many texts are stored, so that a new text can be compared with all of them without reading any. The
//! estimate is good where the texts are similar; for certainty, compare the texts themselves.

use crate::Shingles;

/// One shingle in this many is kept.
const ONE_IN: u64 = 16;
/// The minimum number of shingles that are kept, if the text has as many.
const FEWEST: usize = 64;

/// The smallest shingles of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Hashes, smallest first.
    numbers: Vec<u64>,
    /// Whether the sketch contains all shingles of its text.
    is_whole: bool,
}

impl Sketch {
    /// Samples the shingles of a text.
    pub fn from_shingles(shingles: &Shingles) -> Self {
        let all = shingles.numbers();
        let kept = all.partition_point(|number| *number < u64::MAX / ONE_IN).max(FEWEST).min(all.len());
        Self { numbers: all[..kept].to_vec(), is_whole: kept == all.len() }
    }

    /// Estimates the share of the other text's shingles that occur in the sketched text, from 0 to 1.
    pub fn estimate_containment(&self, other: &Shingles) -> f32 {
        let bound = if self.is_whole { u64::MAX } else { self.numbers.last().copied().unwrap_or_default() };
        let all = other.numbers();
        // Up to `bound` the sketch contains every shingle of its text.
        let within = &all[..all.partition_point(|number| *number <= bound)];
        let shared = within.iter().filter(|number| self.numbers.binary_search(number).is_ok()).count();
        if within.is_empty() { 0.0 } else { shared as f32 / within.len() as f32 }
    }

    /// The stored form.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = self.numbers.iter().flat_map(|number| number.to_le_bytes());
        std::iter::once(u8::from(self.is_whole)).chain(numbers).collect()
    }

    /// Reads the stored form; `None` if the bytes are not a sketch.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (is_whole, numbers) = bytes.split_first()?;
        let (numbers, rest) = numbers.as_chunks::<8>();
        let numbers: Vec<u64> = numbers.iter().map(|number| u64::from_le_bytes(*number)).collect();
        let fits = rest.is_empty() && *is_whole < 2 && numbers.is_sorted();
        fits.then_some(Self { numbers, is_whole: *is_whole == 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many words that no other beginning has.
    fn words(from: usize, count: usize) -> String {
        (from..from + count).map(|at| format!("w{at} ")).collect()
    }

    fn sketch(text: &str) -> Sketch {
        Sketch::from_shingles(&Shingles::from_text(text))
    }

    #[test]
    fn it_tells_about_how_much_of_a_text_stands_in_another() {
        let known = words(0, 4_000);
        for (from, share) in [(0, 1.0), (400, 0.9), (2_000, 0.5), (4_000, 0.0)] {
            let text = Shingles::from_text(&words(from, 4_000));
            let exact = text.containment_in(&Shingles::from_text(&known));
            assert!((exact - share).abs() < 0.01, "{from}: {exact}");
            let estimate = sketch(&known).estimate_containment(&text);
            assert!((estimate - exact).abs() < 0.1, "{from}: {estimate}");
        }
        // A short text in a long one.
        assert_eq!(sketch(&known).estimate_containment(&Shingles::from_text(&words(1_000, 200))), 1.0);
    }

    #[test]
    fn of_a_short_text_it_is_all_and_tells_it_to_the_letter() {
        let (known, text) = ("the bees fly to the linden", "in june the bees fly to the linden and home");
        let (of_known, of_text) = (Shingles::from_text(known), Shingles::from_text(text));
        assert_eq!(
            Sketch::from_shingles(&of_known).estimate_containment(&of_text),
            of_text.containment_in(&of_known)
        );
        assert_eq!(sketch("").estimate_containment(&of_text), 0.0);
        assert_eq!(sketch(known).estimate_containment(&Shingles::from_text("")), 0.0);
    }

    #[test]
    fn it_is_small_and_read_as_it_was_written() {
        for text in [String::new(), "one two three four".to_owned(), words(0, 100), words(0, 8_000)] {
            let (sketch, all) = (sketch(&text), Shingles::from_text(&text).len());
            assert!(sketch.numbers.len() <= FEWEST.max(all / 12), "{} of {all}", sketch.numbers.len());
            assert_eq!(Sketch::from_bytes(&sketch.to_bytes()), Some(sketch));
        }
        for broken in [&[][..], &[2], &[0, 1], &[1, 9, 9, 9, 9, 9, 9, 9, 9, 0]] {
            assert_eq!(Sketch::from_bytes(broken), None);
        }
    }
}
