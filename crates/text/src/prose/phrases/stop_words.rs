//! Stop words in the supported languages, and detection of a text's language by them.

use std::sync::LazyLock;

use crate::words::terms::to_plain;
use crate::words::word_list::WordList;

static LISTS: LazyLock<[WordList; 3]> = LazyLock::new(|| {
    [include_str!("english.txt"), include_str!("german.txt"), include_str!("french.txt")]
        .map(WordList::new_plain)
});

/// The stop words of one text: `die` is an article in German but not in English.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StopWords {
    languages: [bool; 3],
}

impl StopWords {
    /// Detects the language of most of the text's words, or several languages if they are mixed.
    pub(crate) fn detect(text: &str) -> Self {
        let mut hits = [0_usize; 3];
        for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let word = to_plain(word);
            for (hit, list) in hits.iter_mut().zip(LISTS.iter()) {
                *hit += usize::from(list.has(&word));
            }
        }
        let best = hits.into_iter().max().unwrap_or_default();
        // Several lists share words; a single word is not enough to assume another language than English.
        let [english, others @ ..] = hits;
        let is_spoken = |count: usize| count == best || count * 3 > best * 2;
        let [german, french] = others.map(|count| count > 1 && is_spoken(count));
        Self { languages: [is_spoken(english) || !german && !french, german, french] }
    }

    /// Whether the word is a stop word, ignoring case and accents.
    pub(crate) fn has(self, word: &str) -> bool {
        self.has_plain(&to_plain(word))
    }

    /// Whether a word without case and accents is a stop word.
    pub(crate) fn has_plain(self, plain: &str) -> bool {
        let lists = LISTS.iter().zip(self.languages);
        plain.chars().nth(1).is_none() || lists.filter(|(_, on)| *on).any(|(list, _)| list.has(plain))
    }

    /// Whether a word without case and accents is a stop word in any language.
    pub(crate) fn is_stop_word(plain: &str) -> bool {
        LISTS.iter().any(|list| list.has(plain))
    }

    pub(crate) fn is_german(self) -> bool {
        self.languages == [false, true, false]
    }
}
