//! The language of a text, as far as its most frequent words tell.

use std::sync::LazyLock;

use crate::words::scripts::is_unspaced;
use crate::words::terms::to_plain;
use crate::words::word_list::WordList;

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextLanguage {
    Unknown,
    /// A language with spaces, by its place in the list.
    Spaced(usize),
    /// A script without spaces.
    Unspaced,
}

/// The words that make up a third of every text, by language: English, German, French, Spanish, Dutch, Italian,
/// Portuguese. A word that two of them share is left out.
const FREQUENT: [&str; 7] = [
    "the and of to is was that it for with are this from by be has have not they at or its were been their which when \
     than each after before only into but will can on",
    "der die das und ist nicht ein eine mit auf fur den dem des sich auch wird im zu von bei nach aus werden sind wurde \
     oder als zum zur uber noch nur wenn einen einer kein",
    "le les et est une pour dans pas que qui sur avec sont du au aux ce cette par plus ont ete mais ne leur ou sans il \
     elle nous vous chaque",
    "el los las y es una por para con que no se del al lo como pero su sus mas fue son este esta cada sin entre desde \
     hasta hay",
    "het een van en is niet met voor op te zijn dat die er aan bij ook naar wordt maar om uit worden werd nog alleen dan \
     door over zonder elke geen",
    "il lo gli e una per con che non di del della sono nel alla anche piu come ma ogni da questo",
    "o os as e uma para com que nao do da dos das em no na por mais foi mas cada sem",
];

impl TextLanguage {
    /// Detects the language of a text.
    pub fn detect(text: &str) -> Self {
        static LISTS: LazyLock<[WordList; 7]> = LazyLock::new(|| FREQUENT.map(WordList::new));
        let letters = text.chars().filter(|letter| letter.is_alphabetic());
        let (mut all, mut unspaced) = (0, 0);
        for letter in letters.take(4000) {
            all += 1;
            unspaced += usize::from(is_unspaced(letter));
        }
        if unspaced * 4 > all {
            return Self::Unspaced;
        }
        let mut hits = [0_usize; 7];
        for word in
            text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).take(600)
        {
            let plain = to_plain(word);
            for (hit, list) in hits.iter_mut().zip(LISTS.iter()) {
                *hit += usize::from(list.has(&plain));
            }
        }
        let mut order: Vec<usize> = (0..hits.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(hits[at]));
        let (first, second) = (hits[order[0]], hits[order[1]]);
        if first > second && (first >= 2 || second == 0 && first >= 1) {
            Self::Spaced(order[0])
        } else {
            Self::Unknown
        }
    }

    /// Whether nouns have a capital in this language, so that one is no sign of a name.
    pub fn writes_nouns_large(self) -> bool {
        self == Self::Spaced(1)
    }

    /// Whether both are known and different.
    pub fn differs(self, other: Self) -> bool {
        self != Self::Unknown && other != Self::Unknown && self != other
    }
}
