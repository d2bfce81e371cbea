//! A large vault, the same each time: for measuring.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

const WORDS: [&str; 48] = [
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
];

/// Writes so many notes of about 3 KB each, in folders of 200, with frontmatter, headings, links and tags. `Hub.md` is
/// linked to by 500 of them.
pub fn vault(folder: &Path, notes: usize) -> io::Result<()> {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for n in 0..notes {
        let path = folder.join(path(n));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, note(n, notes, &mut random))?;
    }
    fs::write(folder.join("Hub.md"), "# Hub\n\nEverything meets here.\n")
}

/// Where the n-th note stands.
pub fn path(n: usize) -> String {
    format!("Area {:03}/Note {n:05}.md", n / 200)
}

fn note(n: usize, notes: usize, random: &mut Random) -> String {
    let mut text = format!(
        "---\ntitle: Note {n}\ntags: [area{}, topic{}]\ndate: 20{:02}-{:02}-{:02}\n---\n# Note {n}\n",
        n / 200,
        n % 17,
        10 + n % 15,
        1 + n % 12,
        1 + n % 28
    );
    for section in 0..4 {
        let _ = write!(text, "\n## Section {section}\n\n");
        for _ in 0..3 {
            for word in 0..38 {
                let _ = write!(text, "{} ", WORDS[random.below(WORDS.len())]);
                if word == 20 {
                    let other = random.below(notes);
                    let _ = match random.below(4) {
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

/// A small generator of numbers that are good enough for filling pages.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
