//! Words as BERT's tokenizer sees them: cleaned, without accents, in lower case, punctuation and ideographs apart.
//!
//! Which characters are punctuation, marks or controls follows the same old tables as the original: newer ones
//! would give other words than those that the models were trained on.

use unicode_categories::UnicodeCategories;
use unicode_normalization::char::decompose_canonical;

/// What is done to the letters.
#[derive(Clone, Copy)]
pub(crate) struct LetterRules {
    pub clean: bool,
    pub space_ideographs: bool,
    pub strip_accents: bool,
    pub lowercase: bool,
}

/// The words of a text one after the other, made as they are asked for.
pub(crate) struct Words<'t> {
    letters: std::str::Chars<'t>,
    writing: LetterRules,
    word: String,
    /// Made from the letters and not yet in a word, in reverse.
    waiting: Vec<char>,
}

impl<'t> Words<'t> {
    pub(crate) fn new(text: &'t str, writing: LetterRules) -> Self {
        Self { letters: text.chars(), writing, word: String::new(), waiting: Vec::new() }
    }

    /// The next word. Not an iterator: the word lies in memory that the next one takes.
    pub(crate) fn next(&mut self) -> Option<&str> {
        self.word.clear();
        while let Some(letter) = self.next_letter() {
            if letter.is_whitespace() {
                if self.word.is_empty() {
                    continue;
                }
                break;
            }
            if letter.is_ascii_punctuation() || letter.is_punctuation() {
                if self.word.is_empty() {
                    self.word.push(letter);
                } else {
                    self.waiting.push(letter);
                }
                break;
            }
            self.word.push(letter);
        }
        (!self.word.is_empty()).then_some(self.word.as_str())
    }

    fn next_letter(&mut self) -> Option<char> {
        loop {
            if let Some(letter) = self.waiting.pop() {
                return Some(letter);
            }
            let letter = self.letters.next()?;
            if letter.is_ascii() && !letter.is_ascii_control() {
                return Some(if self.writing.lowercase { letter.to_ascii_lowercase() } else { letter });
            }
            self.rewrite(letter);
            self.waiting.reverse();
        }
    }

    /// Puts what becomes of a letter into `waiting`: often nothing, sometimes several.
    fn rewrite(&mut self, letter: char) {
        let LetterRules { clean, space_ideographs, strip_accents, lowercase } = self.writing;
        if clean && (matches!(letter, '\0' | '\u{fffd}') || is_control(letter)) {
            return;
        }
        let letter = if clean && letter.is_whitespace() { ' ' } else { letter };
        let waiting = &mut self.waiting;
        let mut write = |letter: char| {
            if lowercase { waiting.extend(letter.to_lowercase()) } else { waiting.push(letter) }
        };
        let apart = space_ideographs && is_ideograph(letter);
        if apart {
            write(' ');
        }
        if strip_accents {
            decompose_canonical(letter, |part| {
                if !part.is_mark_nonspacing() {
                    write(part);
                }
            });
        } else {
            write(letter);
        }
        if apart {
            write(' ');
        }
    }
}

fn is_control(letter: char) -> bool {
    !matches!(letter, '\t' | '\n' | '\r') && letter.is_other()
}

fn is_ideograph(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x20000..=0x2A6DF
            | 0x2A700..=0x2B73F
            | 0x2B740..=0x2B81F
            | 0x2B920..=0x2CEAF
            | 0xF900..=0xFAFF
            | 0x2F800..=0x2FA1F
    )
}
