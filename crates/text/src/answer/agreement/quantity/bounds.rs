//! Words that limit an amount: `at least`, `about`, `or more`.

use super::Bound;
use crate::Span;

/// Phrases before an amount that limit it, the longest first.
const BOUNDS: [(&str, Bound); 46] = [
    ("no less than", Bound::AtLeast),
    ("not less than", Bound::AtLeast),
    ("no fewer than", Bound::AtLeast),
    ("no more than", Bound::AtMost),
    ("not more than", Bound::AtMost),
    ("no longer than", Bound::AtMost),
    ("a minimum of", Bound::AtLeast),
    ("a maximum of", Bound::AtMost),
    ("more than", Bound::MoreThan),
    ("greater than", Bound::MoreThan),
    ("longer than", Bound::MoreThan),
    ("older than", Bound::MoreThan),
    ("larger than", Bound::MoreThan),
    ("higher than", Bound::MoreThan),
    ("less than", Bound::LessThan),
    ("fewer than", Bound::LessThan),
    ("shorter than", Bound::LessThan),
    ("smaller than", Bound::LessThan),
    ("lower than", Bound::LessThan),
    ("at least", Bound::AtLeast),
    ("at most", Bound::AtMost),
    ("up to", Bound::AtMost),
    ("close to", Bound::About),
    ("just over", Bound::MoreThan),
    ("just under", Bound::LessThan),
    ("minimum", Bound::AtLeast),
    ("maximum", Bound::AtMost),
    ("over", Bound::MoreThan),
    ("above", Bound::MoreThan),
    ("exceeds", Bound::MoreThan),
    ("exceeding", Bound::MoreThan),
    ("exceed", Bound::MoreThan),
    ("under", Bound::LessThan),
    ("below", Bound::LessThan),
    ("nearly", Bound::About),
    ("almost", Bound::About),
    ("about", Bound::About),
    ("around", Bound::About),
    ("roughly", Bound::About),
    ("approximately", Bound::About),
    ("circa", Bound::About),
    ("ca.", Bound::About),
    ("some", Bound::About),
    ("etwa", Bound::About),
    ("rund", Bound::About),
    ("~", Bound::About),
];

/// How far around an amount words that limit it are looked for, in bytes.
const REACH: usize = 48;

/// How the words around an amount limit it.
pub(super) fn read_bound(text: &str, span: &Span) -> Bound {
    let before = text_before(text, span.start, REACH).to_lowercase();
    let before = before.trim_end_matches([' ', '$', '€', '£']);
    let before = before.strip_suffix(" a").or_else(|| before.strip_suffix(" an")).unwrap_or(before);
    let found = BOUNDS.iter().find(|(phrase, _)| {
        before
            .strip_suffix(phrase)
            .is_some_and(|rest| !rest.ends_with(|letter: char| letter.is_alphanumeric()))
    });
    if let Some((_, bound)) = found {
        return *bound;
    }
    let near: String = text[span.end..].chars().take(24).flat_map(char::to_lowercase).collect();
    if near.contains("or more")
        || near.contains("or longer")
        || near.starts_with('+')
        || near.contains("or above")
        || near.contains("or newer")
        || near.contains("or later")
        || near.contains("or higher")
        || near.contains("and above")
    {
        Bound::AtLeast
    } else if near.contains("or less")
        || near.contains("or fewer")
        || near.contains("or below")
        || near.contains(" at most")
    {
        Bound::AtMost
    } else if near.contains(" at least") {
        Bound::AtLeast
    } else {
        Bound::Exact
    }
}

/// The text before a place, this many bytes of it at the most: however long a text is, one amount in it is read in the same time.
pub(super) fn text_before(text: &str, at: usize, most: usize) -> &str {
    &text[text.ceil_char_boundary(at.saturating_sub(most))..at]
}

impl Bound {
    /// Whether both limit an amount from opposite sides.
    pub fn opposes(self, other: Self) -> bool {
        let side = |bound: Self| match bound {
            Self::Exact | Self::About => 0,
            Self::AtLeast | Self::MoreThan => 1,
            Self::AtMost | Self::LessThan => -1,
        };
        side(self) * side(other) < 0
    }
}
