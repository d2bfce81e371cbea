//! Classifies how a text differs from the cited one.

use wellread_text::{fold, to_nfc, unified_diff};

use super::{CurrentPlace, FileCitation, RecheckState};
use crate::domain::untrusted::Untrusted;

/// A difference in form only: every word is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CosmeticDifference {
    /// `\r\n` instead of `\n`, or the reverse.
    LineEndings,
    /// Blanks, indentation, or line breaks.
    WhiteSpace,
    /// Upper and lower case.
    LetterCase,
    /// Composed instead of decomposed characters, or the reverse.
    UnicodeForm,
}

impl CosmeticDifference {
    /// The difference's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::LineEndings => "line endings",
            Self::WhiteSpace => "white space",
            Self::LetterCase => "upper and lower case",
            Self::UnicodeForm => "Unicode form",
        }
    }

    fn detect(old: &str, new: &str) -> Option<Self> {
        let endings = |text: &str| text.replace("\r\n", "\n");
        let blanks = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if endings(old) == endings(new) {
            Some(Self::LineEndings)
        } else if blanks(old) == blanks(new) {
            Some(Self::WhiteSpace)
        } else if to_nfc(old) == to_nfc(new) {
            Some(Self::UnicodeForm)
        } else if fold(old) == fold(new) {
            Some(Self::LetterCase)
        } else {
            None
        }
    }
}

pub fn changed_state(quoted: &FileCitation<'_>, to: CurrentPlace, now: &str) -> RecheckState {
    let old = quoted.text.expose();
    let diff = unified_diff(quoted.place.path.as_str(), to.path.as_str(), old, now);
    let origin = quoted.text.origin();
    RecheckState::Changed {
        to,
        now: Untrusted::new(origin, now),
        diff: Untrusted::new(origin, diff),
        only: CosmeticDifference::detect(old, now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_alone_is_different_is_said() {
        for (old, new, only) in [
            ("a\nb\n", "a\r\nb\r\n", Some(CosmeticDifference::LineEndings)),
            ("a b\nc", "  a\n  b c", Some(CosmeticDifference::WhiteSpace)),
            ("a \n", "a\r\n", Some(CosmeticDifference::WhiteSpace)),
            ("café", "cafe\u{301}", Some(CosmeticDifference::UnicodeForm)),
            ("Honey", "HONEY", Some(CosmeticDifference::LetterCase)),
            ("Honey", "Wax", None),
            ("a b", "ab", None),
        ] {
            assert_eq!(CosmeticDifference::detect(old, new), only, "{old:?} {new:?}");
        }
    }
}
