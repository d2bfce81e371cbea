//! What of a sentence can be looked up: its quotations, numbers, dates, names and identifiers.
//!
//! Knows nothing of sources; what a source holds of these is told by [`SourceIndex`](crate::Held), which reads its text by the
//! same scanners. Everything is read in its [`comparable`] form.
//!
//! A thing counts once: what stands in a quotation is looked up with the quotation, the digits of a date with the date.

mod date;
mod identifier;
mod name;
mod number;

pub use date::{Date, WrittenDate};
pub use identifier::Identifier;
pub use number::Number;

pub(crate) use date::{MONTHS, dates};
pub(crate) use identifier::identifiers;
pub use number::canonical_unit;
pub(crate) use number::numbers;

use crate::prose::sentences::quotations;
use crate::words::terms::is_common_stem;
use crate::{Sentence, SentenceKind, SentencePart, Span, Terms, fold, to_comparable};

/// A quotation of fewer characters is a word or a name in quotation marks.
pub const SHORTEST_QUOTATION: usize = 12;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// What stands between quotation marks, without them. Code and quoted blocks are quotations as a whole.
    pub quotations: Vec<String>,
    /// Shorter than [`SHORTEST_QUOTATION`].
    pub quoted_words: Vec<String>,
    pub numbers: Vec<Number>,
    pub dates: Vec<WrittenDate>,
    /// Each word of a name by itself, in lower case.
    pub names: Vec<String>,
    /// The word that the sentence begins with, in lower case: a name where it is one elsewhere in the text.
    pub opener: Option<String>,
    pub identifiers: Vec<Identifier>,
}

impl Claims {
    pub fn is_empty(&self) -> bool {
        self.quotations.is_empty()
            && self.quoted_words.is_empty()
            && self.numbers.is_empty()
            && self.dates.is_empty()
            && self.names.is_empty()
            && self.identifiers.is_empty()
    }
}

/// What a sentence claims.
pub fn extract_claims(sentence: &Sentence) -> Claims {
    let mut claims = Claims::default();
    if matches!(sentence.kind, SentenceKind::Code | SentenceKind::Quote) {
        let (text, _) = join_parts(&sentence.said);
        // A block is a quotation however short it is.
        claims.quotations.push(strip_marks(&to_comparable(&text)).to_owned());
        return claims;
    }
    let (text, code) = join_parts(&sentence.said);
    let mut prose = text.clone();
    for quotation in quotations(&text, &(0..text.len()), &code) {
        claims.add_quotation(strip_marks(&to_comparable(&text[quotation.clone()])));
        blank_out(&mut prose, &quotation);
    }
    for span in code {
        // What a quotation covers is no identifier any more.
        if prose[span.clone()].contains(|letter| !" |".contains(letter)) {
            claims.identifiers.extend(Identifier::from_code_span(&to_comparable(&text[span.clone()])));
        }
        blank_out(&mut prose, &span);
    }
    for said in &sentence.said {
        if let SentencePart::Address(address) = said {
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
        // A single one is a word more often than a number.
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

/// The words that carry the sentence, as stems, each once, without those that most sentences have.
pub fn content_words(sentence: &Sentence) -> Vec<String> {
    let (text, _) = join_parts(&sentence.said);
    let mut seen = std::collections::HashSet::new();
    let terms = Terms::from_text(&text);
    let words = terms.words.split(' ').filter(|word| !word.is_empty() && !is_common_stem(word));
    words.filter(|word| seen.insert((*word).to_owned())).map(str::to_owned).collect()
}

/// What a sentence says in one string, and where code stands in it.
fn join_parts(said: &[SentencePart]) -> (String, Vec<Span>) {
    let (mut text, mut code) = (String::new(), Vec::new());
    for part in said {
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

/// Puts blanks over a span, so that what follows finds nothing there and every offset stays.
fn blank_out(text: &mut String, span: &Span) {
    // A mark keeps what stands around it apart.
    let blank = format!("{}|", " ".repeat(span.len().saturating_sub(1)));
    if span.end <= text.len() && !span.is_empty() {
        text.replace_range(span.clone(), &blank);
    }
}

/// A quotation without the marks around it.
fn strip_marks(quotation: &str) -> &str {
    const MARKS: [char; 6] = ['"', '\'', '「', '」', '『', '』'];
    let quotation = quotation.trim();
    let Some(inner) = quotation.strip_prefix(MARKS) else { return quotation };
    inner.strip_suffix(MARKS).unwrap_or(quotation).trim()
}

/// The runs of letters and digits of a text in comparable form, with where they begin.
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

/// A word in the form in which names are compared.
pub(crate) fn name_key(word: &str) -> String {
    fold(word)
}

#[cfg(test)]
mod tests;
