//! In what way a text differs from what was cited.

use wellread_text::{composed, fold, unified};

use super::{Quoted, Spot, Standing};
use crate::untrusted::Untrusted;

/// What alone is different, where the words are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Only {
    LineEndings,
    /// Blanks, indentation, how it is wrapped.
    WhiteSpace,
    LetterCase,
    /// How accents are put on their letters.
    UnicodeForm,
}

impl Only {
    pub fn name(self) -> &'static str {
        match self {
            Self::LineEndings => "line endings",
            Self::WhiteSpace => "white space",
            Self::LetterCase => "upper and lower case",
            Self::UnicodeForm => "Unicode form",
        }
    }

    fn between(old: &str, new: &str) -> Option<Self> {
        let endings = |text: &str| text.replace("\r\n", "\n");
        let blanks = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if endings(old) == endings(new) {
            Some(Self::LineEndings)
        } else if blanks(old) == blanks(new) {
            Some(Self::WhiteSpace)
        } else if composed(old) == composed(new) {
            Some(Self::UnicodeForm)
        } else if fold(old) == fold(new) {
            Some(Self::LetterCase)
        } else {
            None
        }
    }
}

pub fn changed(quoted: &Quoted<'_>, to: Spot, now: &str) -> Standing {
    let old = quoted.text.look();
    let diff = unified(quoted.place.path.as_str(), to.path.as_str(), old, now);
    let origin = quoted.text.origin();
    Standing::Changed {
        to,
        now: Untrusted::new(origin, now),
        diff: Untrusted::new(origin, diff),
        only: Only::between(old, now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_alone_is_different_is_said() {
        for (old, new, only) in [
            ("a\nb\n", "a\r\nb\r\n", Some(Only::LineEndings)),
            ("a b\nc", "  a\n  b c", Some(Only::WhiteSpace)),
            ("a \n", "a\r\n", Some(Only::WhiteSpace)),
            ("café", "cafe\u{301}", Some(Only::UnicodeForm)),
            ("Honey", "HONEY", Some(Only::LetterCase)),
            ("Honey", "Wax", None),
            ("a b", "ab", None),
        ] {
            assert_eq!(Only::between(old, new), only, "{old:?} {new:?}");
        }
    }
}
