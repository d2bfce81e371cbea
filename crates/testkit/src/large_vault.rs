//! A large vault for measurements, the same each time.
//!
//! Word frequencies follow those of a language: the second word is half as frequent as the first, the third a third.
//! The cost of a search depends on how often its words occur, so a vault of equally frequent words would not be
//! realistic.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

/// The most frequent words, in this order. All others are generated.
const WORDS: [&str; 48] = [
    "the",
    "a",
    "of",
    "in",
    "and",
    "with",
    "after",
    "before",
    "because",
    "while",
    "honey",
    "hive",
    "mite",
    "queen",
    "brood",
    "frame",
    "nectar",
    "swarm",
    "winter",
    "pollen",
    "syrup",
    "comb",
    "wax",
    "drone",
    "colony",
    "weight",
    "sensor",
    "sample",
    "batch",
    "yeast",
    "mead",
    "gravity",
    "garden",
    "clover",
    "linden",
    "orchard",
    "forage",
    "rain",
    "record",
    "average",
    "threshold",
    "treatment",
    "index",
    "query",
    "buffer",
    "packet",
    "battery",
    "signal",
];
const VOCABULARY: usize = 20_000;

/// Writes this many notes of about 3 KB each, in folders of 200, with frontmatter, headings, links and tags. `Hub.md`
/// is linked from 500 of them.
pub fn write_vault(folder: &Path, notes: usize) -> io::Result<()> {
    let words = vocabulary();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for n in 0..notes {
        let path = folder.join(note_path(n));
        if let Some(parent) = path.parent().filter(|_| n.is_multiple_of(200)) {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, note_text(n, notes, &words, &mut random))?;
    }
    fs::write(folder.join("Hub.md"), "# Hub\n\nEverything meets here.\n")
}

/// The path of the n-th note.
pub fn note_path(n: usize) -> String {
    format!("Area {:03}/Note {n:05}.md", n / 200)
}

/// Queries of two or three words of medium frequency: each word occurs in between one note in four and one in a
/// hundred.
pub fn queries(n: usize) -> Vec<String> {
    let words = vocabulary();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut query = || {
        let count = 2 + random.next_below(2);
        let picked: Vec<&str> =
            (0..count).map(|_| words[random.next_rank(200, VOCABULARY / 4)].as_str()).collect();
        picked.join(" ")
    };
    (0..n).map(|_| query()).collect()
}

/// All words, the most frequent first: those above, then generated ones, short and long mixed.
fn vocabulary() -> Vec<String> {
    let made_up = (0..VOCABULARY - WORDS.len()).map(|n| {
        // A step without a common divisor visits every word of that length once.
        if n.is_multiple_of(3) { spell(n / 3 * 7_919 % 10_000, 2) } else { spell(n * 618_031 % 1_000_000, 3) }
    });
    WORDS.iter().map(|word| (*word).to_owned()).chain(made_up).collect()
}

/// A number spelled in syllables, of which there are a hundred.
fn spell(mut number: usize, syllables: usize) -> String {
    let mut word = String::new();
    for _ in 0..syllables {
        word.push(char::from(b"bcdfghjklmnpqrstvwxz"[number % 20]));
        word.push(char::from(b"aeiou"[number / 20 % 5]));
        number /= 100;
    }
    word
}

fn note_text(n: usize, notes: usize, words: &[String], random: &mut Random) -> String {
    let mut text = format!(
        "---\ntitle: Note {n}\ntags: [area{}, topic{}]\ndate: 20{:02}-{:02}-{:02}\n---\n# Note {n}\n",
        n / 200,
        n % 17,
        10 + n % 15,
        1 + n % 12,
        1 + n % 28
    );
    for _ in 0..4 {
        let _ = write!(text, "\n## The {} {}\n\n", random.next_word(words), random.next_word(words));
        for _ in 0..3 {
            for word in 0..38 {
                text.push_str(random.next_word(words));
                text.push(' ');
                if word == 20 {
                    let other = random.next_below(notes);
                    let _ = match random.next_below(4) {
                        0 => write!(text, "[[Note {other:05}|see]] "),
                        1 => write!(text, "[there](../Area%20{:03}/Note%20{other:05}.md) ", other / 200),
                        _ => write!(text, "[[Note {other:05}]] "),
                    };
                }
            }
            text.push_str(".\n\n");
        }
    }
    if notes >= 500 && n.is_multiple_of(notes / 500) && n / (notes / 500) < 500 {
        text.push_str("It all comes back to [[Hub]].\n");
    }
    text
}

/// A small random number generator, good enough to fill pages.
struct Random(u64);

impl Random {
    fn next_below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// A rank in this range; the n-th has the probability 1/n.
    fn next_rank(&mut self, from: usize, to: usize) -> usize {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let rank = (from + 1) as f64 * (share * ((to + 1) as f64 / (from + 1) as f64).ln()).exp();
        (rank as usize - 1).clamp(from, to - 1)
    }

    fn next_word<'a>(&mut self, words: &'a [String]) -> &'a str {
        &words[self.next_rank(0, words.len())]
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
