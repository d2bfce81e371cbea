//! Single letters that name a thing, and routes: both distinguish figures whose other words are the same.

use super::words::ClauseWord;

const FROM: [&str; 4] = ["from", "von", "de", "depuis"];
const TO: [&str; 5] = ["to", "nach", "a", "vers", "into"];

/// Whether a word is a letter that names something (`Model X`, `Plan B`): not `I`, an article, a unit or an initial.
pub(super) fn is_letter(text: &str, words: &[ClauseWord<'_>], at: usize) -> bool {
    let word = &words[at];
    let mut letters = word.written.chars();
    let is_capital = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    if !is_capital || word.written == "I" {
        return false;
    }
    let (before, behind) = (&text[..word.start], &text[word.end..]);
    if before.ends_with(['-', '\'', '’', '°', '.']) || behind.starts_with(['-', '\'', '’']) {
        return false;
    }
    // `5 V`, and `J. Smith`.
    let is_unit = before.trim_end().ends_with(|letter: char| letter.is_numeric());
    let is_initial = behind.starts_with(". ");
    let follows = at > 0 && text[words[at - 1].end..word.start].trim().is_empty();
    !is_unit && !is_initial && (word.written != "A" || follows)
}

/// The start and the end of a route, in this order: the way back is a different route.
pub(super) fn find_route(words: &[ClauseWord<'_>]) -> Option<String> {
    let name_after = |prepositions: &[&str], from: usize| {
        let two = words.windows(2).enumerate().skip(from);
        two.filter(|(_, two)| prepositions.contains(&two[0].plain.as_str()))
            .find(|(_, two)| two[1].written.starts_with(char::is_uppercase) && !two[1].is_stop)
            .map(|(at, two)| (at, two[1].stem.as_str()))
    };
    let (at, from) = name_after(&FROM, 0)?;
    let (_, to) = name_after(&TO, at + 1)?;
    Some(format!("{from} > {to}"))
}
