//! Finds quotations that differ from the source by a few characters.

use wellread_text::SourceIndex;

/// Of a longer quotation only this many characters are compared.
const MAX_COMPARED_CHARS: usize = 300;

/// The source's own wording where a quotation differs from it in at most a tenth of its characters.
pub(super) fn find_near_match(quotation: &str, source: &SourceIndex) -> Option<String> {
    let letters: Vec<char> = quotation.chars().take(MAX_COMPARED_CHARS).collect();
    let most = (letters.len() / 10).max(1);
    let piece = letters.len() / 4;
    for text in source.comparable_texts() {
        // With so few differences, at least one of four pieces is unchanged; the rest is near it.
        for part in (0..4).filter(|_| piece >= 3) {
            let wanted: String = letters[part * piece..(part + 1) * piece].iter().collect();
            for (at, _) in text.match_indices(&wanted).take(4) {
                let start =
                    text[..at].char_indices().rev().nth(part * piece + most).map_or(0, |(start, _)| start);
                let window: Vec<char> = text[start..].chars().take(letters.len() + 2 * most + 1).collect();
                if let Some(end) = find_with_changes(&letters, &window, most) {
                    return Some(window[end.0..end.1].iter().collect::<String>().trim().to_owned());
                }
            }
        }
    }
    None
}

/// The range of the window that matches the text with at most `most` characters changed, added or dropped.
fn find_with_changes(wanted: &[char], window: &[char], most: usize) -> Option<(usize, usize)> {
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
