//! Quotations that are in the source but for a few characters.

use wellread_text::Held;

/// Longer quotations are compared by their beginning.
const LONGEST_NEAR: usize = 300;

/// What stands in the source where a quotation differs from it by few characters.
pub(super) fn nearly(quotation: &str, held: &Held) -> Option<String> {
    let letters: Vec<char> = quotation.chars().take(LONGEST_NEAR).collect();
    let most = (letters.len() / 10).max(1);
    let piece = letters.len() / 4;
    for text in held.comparable() {
        // With so few differences, one of four pieces is as it was; where it stands, the rest is near.
        for part in (0..4).filter(|_| piece >= 3) {
            let wanted: String = letters[part * piece..(part + 1) * piece].iter().collect();
            for (at, _) in text.match_indices(&wanted).take(4) {
                let start =
                    text[..at].char_indices().rev().nth(part * piece + most).map_or(0, |(start, _)| start);
                let window: Vec<char> = text[start..].chars().take(letters.len() + 2 * most + 1).collect();
                if let Some(end) = within(&letters, &window, most) {
                    return Some(window[end.0..end.1].iter().collect::<String>().trim().to_owned());
                }
            }
        }
    }
    None
}

/// Where a text stands in another with at most so many characters changed.
fn within(wanted: &[char], window: &[char], most: usize) -> Option<(usize, usize)> {
    // For each end in the window: the fewest changes, and where that match begins.
    let mut row: Vec<(usize, usize)> = (0..=window.len()).map(|at| (0, at)).collect();
    for (index, letter) in wanted.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = (index + 1, 0);
        for at in 1..=window.len() {
            let change = (diagonal.0 + usize::from(*letter != window[at - 1]), diagonal.1);
            diagonal = row[at];
            let dropped = (row[at].0 + 1, row[at].1);
            let added = (row[at - 1].0 + 1, row[at - 1].1);
            row[at] = change.min(dropped).min(added);
        }
    }
    let (end, (changes, start)) = row.into_iter().enumerate().min_by_key(|(_, found)| found.0)?;
    (changes <= most).then_some((start, end))
}
