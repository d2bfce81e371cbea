//! Places where a missing text may stand now, and which of them it is.

use std::cmp::Reverse;

use wellread_text::{Lines, Nearest, Span};

use super::Spot;
use crate::corpus::VaultPath;

/// A stretch that is like what was cited.
#[derive(Debug, Clone)]
pub struct Like {
    pub to: Spot,
    pub now: String,
    pub likeness: f64,
    pub is_whole_lines: bool,
}

impl Like {
    pub fn here(path: &VaultPath, text: &str, lines: &Lines, nearest: Nearest) -> Self {
        let now = text[nearest.span.clone()].to_owned();
        let Nearest { span, likeness, is_whole_lines } = nearest;
        Self { to: spot(path, lines, span), now, likeness, is_whole_lines }
    }
}

pub fn spot(path: &VaultPath, lines: &Lines, span: Span) -> Spot {
    let last = span.end.saturating_sub(1).max(span.start);
    Spot { path: path.clone(), start_line: lines.line_of(span.start), end_line: lines.line_of(last), span }
}

/// Sorts places in other files, the likeliest first: the file that history names, one of the same name, of the same kind, in
/// folders that are near, and in a file the place that is nearest to where the text stood.
pub fn by_likelihood(spots: &mut [Spot], stood: &VaultPath, start: usize, renamed: Option<&VaultPath>) {
    spots.sort_by_cached_key(|spot| {
        let shared = stood.parts().zip(spot.path.parts()).take_while(|(one, other)| one == other).count();
        (
            renamed != Some(&spot.path),
            spot.path.name() != stood.name(),
            spot.path.ending() != stood.ending(),
            Reverse(shared),
            spot.path.clone(),
            spot.span.start.abs_diff(start),
            spot.span.start,
        )
    });
}
