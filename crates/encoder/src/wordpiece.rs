//! Cuts text into the pieces that a BERT model knows, exactly as the model's own tokenizer does.
//!
//! Reads the vocabulary and the few switches of `tokenizer.json`, or uses those of the built-in model. Only WordPiece behind
//! BERT's normalizer: a file that asks for another kind of tokenizer is refused, never cut up in some other way.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

#[cfg(feature = "weights")]
use crate::weights::Vocabulary;
use crate::words::{LetterRules, Words};

/// A tokenizer with its vocabulary.
pub struct WordPiece {
    pieces: Pieces,
    /// What stands before a piece that does not begin a word.
    mark: String,
    /// Tokens that stand for themselves wherever their text occurs, such as `[SEP]`. The built-in model has none: its marks are ours to
    /// set, and in a note they are words in brackets.
    added: Vec<(String, u32)>,
    begin: u32,
    end: u32,
    unknown: u32,
    longest_word: usize,
    writing: LetterRules,
}

#[derive(Deserialize)]
struct TokenizerFile {
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
    normalizer: Option<Normalizer>,
    pre_tokenizer: Option<PreTokenizer>,
    model: Model,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u32,
    content: String,
}

#[derive(Deserialize)]
struct PreTokenizer {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Normalizer {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    clean_text: bool,
    #[serde(default)]
    handle_chinese_chars: bool,
    strip_accents: Option<bool>,
    #[serde(default)]
    lowercase: bool,
}

#[derive(Deserialize)]
struct Model {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    unk_token: String,
    #[serde(default)]
    continuing_subword_prefix: String,
    #[serde(default)]
    max_input_chars_per_word: usize,
    vocab: HashMap<String, u32>,
}

/// The numbers of the pieces.
enum Pieces {
    Read(HashMap<String, u32>),
    #[cfg(feature = "weights")]
    BuiltIn(Vocabulary),
}

impl Pieces {
    fn number(&self, piece: &str) -> Option<u32> {
        match self {
            Self::Read(pieces) => pieces.get(piece).copied(),
            #[cfg(feature = "weights")]
            Self::BuiltIn(vocabulary) => vocabulary.number(piece),
        }
    }
}

impl WordPiece {
    /// The built-in model's own.
    #[cfg(feature = "weights")]
    pub(crate) fn built_in(vocabulary: Vocabulary) -> Result<Self, String> {
        let writing =
            LetterRules { clean: true, space_ideographs: true, strip_accents: true, lowercase: true };
        Self::new(Pieces::BuiltIn(vocabulary), Vec::new(), "##".to_owned(), "[UNK]", 100, writing)
    }

    /// The text of a `tokenizer.json`.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        const OTHER_KIND: &str = "only BERT tokenizers are built in";
        let file: TokenizerFile = serde_json::from_slice(bytes)
            .map_err(|error| format!("{OTHER_KIND}, and this is a different one: {error}"))?;
        let normalizer = file.normalizer.filter(|normalizer| normalizer.kind == "BertNormalizer");
        let splits = file.pre_tokenizer.is_some_and(|splitter| splitter.kind == "BertPreTokenizer");
        let (Some(normalizer), true, "WordPiece" | "") = (normalizer, splits, file.model.kind.as_str())
        else {
            return Err(OTHER_KIND.to_owned());
        };
        let added = file.added_tokens.into_iter().map(|added| (added.content, added.id)).collect();
        let writing = LetterRules {
            clean: normalizer.clean_text,
            space_ideographs: normalizer.handle_chinese_chars,
            strip_accents: normalizer.strip_accents.unwrap_or(normalizer.lowercase),
            lowercase: normalizer.lowercase,
        };
        let Model {
            continuing_subword_prefix: mark,
            unk_token: unknown,
            max_input_chars_per_word,
            vocab,
            ..
        } = file.model;
        Self::new(Pieces::Read(vocab), added, mark, &unknown, max_input_chars_per_word, writing)
    }

    fn new(
        pieces: Pieces,
        added: Vec<(String, u32)>,
        mark: String,
        unknown: &str,
        longest_word: usize,
        writing: LetterRules,
    ) -> Result<Self, String> {
        let number = |piece: &str| pieces.number(piece).ok_or(format!("it has no piece {piece}"));
        let (begin, end, unknown) = (number("[CLS]")?, number("[SEP]")?, number(unknown)?);
        Ok(Self { pieces, mark, added, begin, end, unknown, longest_word, writing })
    }

    /// At most `limit` tokens, the first and the last of them the marks of beginning and end. A text that is longer is
    /// not even read to its end.
    pub fn encode(&self, text: &str, limit: usize) -> Vec<u32> {
        let room = limit.saturating_sub(1);
        let mut tokens = vec![self.begin];
        let mut rest = text;
        while tokens.len() < room && !rest.is_empty() {
            let (plain, added, after) = self.next_added(rest);
            let mut words = Words::new(plain, self.writing);
            while tokens.len() < room
                && let Some(word) = words.next()
            {
                self.split_word(word, &mut tokens);
            }
            tokens.extend(added);
            rest = after;
        }
        tokens.truncate(room);
        tokens.push(self.end);
        tokens
    }

    /// The text up to the next token that stands for itself, that token, and the text after it.
    fn next_added<'t>(&self, text: &'t str) -> (&'t str, Option<u32>, &'t str) {
        let places = self.added.iter().filter_map(|(content, number)| {
            text.find(content.as_str()).map(|at| (at, std::cmp::Reverse(content.len()), *number))
        });
        match places.filter(|(_, length, _)| length.0 > 0).min() {
            Some((at, length, number)) => (&text[..at], Some(number), &text[at + length.0..]),
            None => (text, None, ""),
        }
    }

    /// The longest piece that is known, then the longest of what is left; a word with no such end is unknown.
    fn split_word(&self, word: &str, tokens: &mut Vec<u32>) {
        if word.chars().count() > self.longest_word {
            tokens.push(self.unknown);
            return;
        }
        let before = tokens.len();
        let mut rest = Cow::Borrowed(word);
        let mut mark = 0;
        while rest.len() > mark {
            let ends = rest[mark..].char_indices().map(|(at, letter)| mark + at + letter.len_utf8()).rev();
            let Some((end, number)) =
                ends.map(|end| (end, self.pieces.number(&rest[..end]))).find(|(_, found)| found.is_some())
            else {
                tokens.truncate(before);
                tokens.push(self.unknown);
                return;
            };
            tokens.extend(number);
            rest = Cow::Owned(format!("{}{}", self.mark, &rest[end..]));
            mark = self.mark.len();
        }
    }
}

#[cfg(test)]
#[cfg(feature = "weights")]
mod tests;
