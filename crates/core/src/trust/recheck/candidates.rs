//! Places where a missing text may be now, ranked.

use std::cmp::Reverse;

use wellread_text::{FuzzyMatch, LineIndex, Span};

use super::CurrentPlace;
use crate::domain::corpus::VaultPath;

/// A passage that is similar to the cited text.
#[derive(Debug, Clone)]
pub struct SimilarPlace {
    pub to: CurrentPlace,
    pub now: String,
    pub likeness: f64,
    pub is_whole_lines: bool,
}

impl SimilarPlace {
    pub fn new(path: &VaultPath, text: &str, lines: &LineIndex, nearest: FuzzyMatch) -> Self {
        let now = text[nearest.span.clone()].to_owned();
        let FuzzyMatch { span, likeness, is_whole_lines } = nearest;
        Self { to: current_place(path, lines, span), now, likeness, is_whole_lines }
    }
}

pub fn current_place(path: &VaultPath, lines: &LineIndex, span: Span) -> CurrentPlace {
    let last = span.end.saturating_sub(1).max(span.start);
    CurrentPlace {
        path: path.clone(),
        start_line: lines.line_of(span.start),
        end_line: lines.line_of(last),
        span,
    }
}

/// Sorts places in other files by likelihood: the file that the history names, one with the same name, of the same
/// kind, in nearby folders, and within a file the place nearest to the old one.
pub fn sort_by_likelihood(
    places: &mut [CurrentPlace],
    old_path: &VaultPath,
    start: usize,
    renamed: Option<&VaultPath>,
) {
    places.sort_by_cached_key(|place| {
        let shared = old_path.parts().zip(place.path.parts()).take_while(|(one, other)| one == other).count();
        (
            renamed != Some(&place.path),
            place.path.name() != old_path.name(),
            place.path.extension() != old_path.extension(),
            Reverse(shared),
            place.path.clone(),
            place.span.start.abs_diff(start),
            place.span.start,
        )
    });
}
