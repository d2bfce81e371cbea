//! The checkable parts of a sentence: its quotations, numbers, dates, names and identifiers.
//!
//! Sources are not known here; [`SourceIndex`](crate::SourceIndex) finds these parts in a source, whose text it reads
//! with the same scanners. All text is in its [comparable](crate::to_comparable) form.
//!
//! Each part counts once: words inside a quotation count as part of the quotation, the digits of a date as part of
//! the date.

mod column;
mod date;
mod identifier;
mod name;
mod number;

pub use column::find_table_head;
pub use date::{Date, WrittenDate, begins_with_day};
pub use identifier::Identifier;
pub use number::Number;

pub(crate) use column::{cells, column_unit, is_row, is_rule};
pub(crate) use date::{MONTHS, dates};
pub(crate) use identifier::identifiers;
pub use number::canonical_unit;
pub(crate) use number::numbers;

use crate::prose::sentences::quotations;
use crate::words::terms::is_common_stem;
use crate::{Sentence, SentenceKind, SentencePart, Span, Terms, fold, to_comparable};

/// A shorter quotation, in characters, is a word or a name in quotation marks.
pub const SHORTEST_QUOTATION: usize = 12;

/// The checkable parts of a sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// The texts between quotation marks, without the marks. Code and block quotes are quotations as a whole.
    pub quotations: Vec<String>,
    /// Quotations shorter than [`SHORTEST_QUOTATION`].
    pub quoted_words: Vec<String>,
    /// Numbers outside of quotations and dates.
    pub numbers: Vec<Number>,
    /// Dates.
    pub dates: Vec<WrittenDate>,
    /// The single words of names, in lower case.
    pub names: Vec<String>,
    /// The first word of the sentence in lower case: it is a name if it is one elsewhere in the text.
    pub opener: Option<String>,
    /// Code identifiers, paths and addresses.
    pub identifiers: Vec<Identifier>,
}

impl Claims {
    /// Whether there is nothing to check.
    pub fn is_empty(&self) -> bool {
        self.quotations.is_empty()
            && self.quoted_words.is_empty()
            && self.numbers.is_empty()
            && self.dates.is_empty()
            && self.names.is_empty()
            && self.identifiers.is_empty()
    }
}

/// Extracts the checkable parts of a sentence.
pub fn extract_claims(sentence: &Sentence) -> Claims {
    let mut claims = Claims::default();
    if matches!(sentence.kind, SentenceKind::Code | SentenceKind::Quote) {
        let (text, _) = join_parts(&sentence.parts);
        // A block is a quotation, however short.
        claims.quotations.push(strip_marks(&to_comparable(&text)).to_owned());
        return claims;
    }
    let (text, code) = join_parts(&sentence.parts);
    let mut prose = text.clone();
    for quotation in quotations(&text, &(0..text.len()), &code) {
        claims.add_quotation(strip_marks(&to_comparable(&text[quotation.clone()])));
        blank_out(&mut prose, &quotation);
    }
    for span in code {
        // What is part of a quotation is not an identifier.
        if prose[span.clone()].contains(|letter| !" |".contains(letter)) {
            claims.identifiers.extend(Identifier::from_code_span(&to_comparable(&text[span.clone()])));
        }
        blank_out(&mut prose, &span);
    }
    for part in &sentence.parts {
        if let SentencePart::Address(address) = part {
            claims.identifiers.push(Identifier::Address(to_comparable(address)));
        }
    }
    let mut prose = to_comparable(&prose);
    for (span, identifier) in identifiers(&prose) {
        claims.identifiers.push(identifier);
        blank_out(&mut prose, &span);
    }
    for (span, dated) in dates(&prose) {
        claims.dates.push(dated);
        blank_out(&mut prose, &span);
    }
    for (span, number) in numbers(&prose) {
        // A spelled-out "one" is rarely a number.
        if number.value == "1" && number.spelled {
            continue;
        }
        claims.numbers.push(number);
        blank_out(&mut prose, &span);
    }
    (claims.names, claims.opener) = name::names(&prose);
    claims
}

impl Claims {
    fn add_quotation(&mut self, quotation: &str) {
        if !quotation.contains(char::is_alphanumeric) {
            return;
        }
        let long = quotation.chars().count() >= SHORTEST_QUOTATION;
        if long { &mut self.quotations } else { &mut self.quoted_words }.push(quotation.to_owned());
    }
}

/// The content words of a sentence as stems, without duplicates and without the most common words.
pub fn content_words(sentence: &Sentence) -> Vec<String> {
    let (text, _) = join_parts(&sentence.parts);
    let mut seen = std::collections::HashSet::new();
    let terms = Terms::from_text(&text);
    let words = terms.words.split(' ').filter(|word| !word.is_empty() && !is_common_stem(word));
    words.filter(|word| seen.insert((*word).to_owned())).map(str::to_owned).collect()
}

/// The text of a sentence, and the spans of its code.
fn join_parts(parts: &[SentencePart]) -> (String, Vec<Span>) {
    let (mut text, mut code) = (String::new(), Vec::new());
    for part in parts {
        match part {
            SentencePart::Prose(words) => text.push_str(words),
            SentencePart::Code(words) => {
                let start = text.len();
                text.push_str(words);
                code.push(start..text.len());
            }
            SentencePart::Address(_) => {}
        }
    }
    (text, code)
}

/// Replaces a span with blanks, so that later scanners find nothing there and all offsets stay valid.
fn blank_out(text: &mut String, span: &Span) {
    // A `|` keeps the text before and after it apart.
    let blank = format!("{}|", " ".repeat(span.len().saturating_sub(1)));
    if span.end <= text.len() && !span.is_empty() {
        text.replace_range(span.clone(), &blank);
    }
}

/// A quotation without its quotation marks.
fn strip_marks(quotation: &str) -> &str {
    const MARKS: [char; 6] = ['"', '\'', '「', '」', '『', '』'];
    let quotation = quotation.trim();
    let Some(inner) = quotation.strip_prefix(MARKS) else { return quotation };
    inner.strip_suffix(MARKS).unwrap_or(quotation).trim()
}

/// The runs of letters and digits of a text in comparable form, with their positions.
pub(crate) fn word_runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word =
        |letter: char| letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter);
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_word)?;
        at = text[start..].find(|letter| !is_word(letter)).map_or(text.len(), |length| start + length);
        Some((start, &text[start..at]))
    })
}

/// The form in which the words of names are compared.
pub(crate) fn name_key(word: &str) -> String {
    fold(word)
}

#[cfg(test)]
mod tests;
