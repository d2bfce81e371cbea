//! Replacement of byte ranges: the only form in which this crate changes a text.

use std::fmt;

use crate::Span;

/// Replaces the bytes of `span` with `text`. An empty span is an insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// The bytes of the original text that are replaced.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// Why splices cannot be applied to a text. The text stays unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpliceError {
    /// The span ends after the text or before its own start.
    OutOfBounds(Span),
    /// The span begins or ends inside a character.
    InsideCharacter(Span),
    /// Two splices replace the same bytes.
    Overlap(Span, Span),
}

impl fmt::Display for SpliceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds(span) => write!(f, "bytes {}..{} are not in the text", span.start, span.end),
            Self::InsideCharacter(span) => {
                write!(f, "bytes {}..{} cut a character in two", span.start, span.end)
            }
            Self::Overlap(a, b) => {
                write!(
                    f,
                    "two changes touch the same bytes, {}..{} and {}..{}",
                    a.start, a.end, b.start, b.end
                )
            }
        }
    }
}

impl std::error::Error for SpliceError {}

/// Applies all splices at once. Spans refer to `base` and may come in any order; bytes outside of them do not change.
///
/// Several insertions at one place keep the order in which they are given.
pub fn apply_splices(base: &str, splices: &[Splice]) -> Result<String, SpliceError> {
    let mut ordered: Vec<&Splice> = splices.iter().collect();
    ordered.sort_by_key(|splice| (splice.span.start, splice.span.end));

    let mut out =
        String::with_capacity(base.len() + splices.iter().map(|splice| splice.text.len()).sum::<usize>());
    let mut last = 0..0;
    for Splice { span, text } in ordered {
        if span.start > span.end || span.end > base.len() {
            return Err(SpliceError::OutOfBounds(span.clone()));
        }
        if span.start < last.end {
            return Err(SpliceError::Overlap(last, span.clone()));
        }
        let (Some(kept), Some(_)) = (base.get(last.end..span.start), base.get(span.clone())) else {
            return Err(SpliceError::InsideCharacter(span.clone()));
        };
        out.push_str(kept);
        out.push_str(text);
        last = span.clone();
    }
    out.push_str(&base[last.end..]);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(span: Span, text: &str) -> Splice {
        Splice { span, text: text.to_owned() }
    }

    #[test]
    fn splices_apply_in_any_order_and_nothing_else_changes() {
        let splices = [at(4..5, "E"), at(0..0, "<"), at(1..3, ""), at(0..0, "<")];
        assert_eq!(apply_splices("abcde", &splices).unwrap(), "<<adE");
        assert_eq!(apply_splices("abc", &[]).unwrap(), "abc");
    }

    #[test]
    fn what_cannot_be_applied_is_an_error() {
        assert!(matches!(apply_splices("abc", &[at(2..9, "")]), Err(SpliceError::OutOfBounds(_))));
        #[allow(clippy::reversed_empty_ranges)]
        let backwards = at(2..1, "");
        assert!(matches!(apply_splices("abc", &[backwards]), Err(SpliceError::OutOfBounds(_))));
        assert!(matches!(apply_splices("é", &[at(1..1, "")]), Err(SpliceError::InsideCharacter(_))));
        assert!(matches!(apply_splices("é", &[at(0..1, "")]), Err(SpliceError::InsideCharacter(_))));
        assert!(matches!(apply_splices("abc", &[at(0..2, ""), at(1..3, "")]), Err(SpliceError::Overlap(..))));
    }
}
