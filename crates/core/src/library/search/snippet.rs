//! The few lines of a text that show why it was found.

use std::collections::HashSet;

use wellread_text::{TermForm, Terms, query_terms};

const LONGEST: usize = 240;
const MOST_LINES: usize = 3;

/// The lines with the most words of the query, in order; the first lines if none has any.
pub fn snippet(text: &str, query: &str) -> String {
    let wanted: HashSet<String> =
        query_terms(query).into_iter().flat_map(|term| term.forms).flat_map(form_words).collect();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut ranked: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .map(|(at, line)| (count_matches(line, &wanted), at))
        .filter(|(held, _)| *held > 0)
        .collect();
    ranked.sort_by_key(|&(held, at)| (std::cmp::Reverse(held), at));
    let mut chosen: Vec<usize> = ranked.iter().take(MOST_LINES).map(|&(_, at)| at).collect();
    if chosen.is_empty() {
        chosen = (0..lines.len().min(MOST_LINES)).collect();
    }
    let mut left = LONGEST;
    let mut parts: Vec<(usize, String)> = Vec::new();
    // The best line is included whole, or as much of it as fits.
    for at in chosen {
        if left < 20 {
            break;
        }
        let shown = clip_line(lines[at], &wanted, left);
        left = left.saturating_sub(shown.chars().count() + 1);
        parts.push((at, shown));
    }
    parts.sort_by_key(|&(at, _)| at);
    parts.into_iter().map(|(_, shown)| shown).collect::<Vec<_>>().join("\n")
}

fn form_words(form: TermForm) -> Vec<String> {
    match form {
        TermForm::Word(word) | TermForm::Prefix(word) => vec![word],
        TermForm::Phrase(words) => words,
    }
}

/// How many of the wanted words occur in a text.
fn count_matches(text: &str, wanted: &HashSet<String>) -> usize {
    let terms = Terms::from_text(text);
    let all: HashSet<&str> = terms.words.split(' ').chain(terms.parts.split(' ')).collect();
    wanted.iter().filter(|word| all.contains(word.as_str())).count()
}

/// As much of a line as fits, around the first wanted word.
fn clip_line(line: &str, wanted: &HashSet<String>, room: usize) -> String {
    let letters: Vec<(usize, char)> = line.char_indices().collect();
    if letters.len() <= room {
        return line.to_owned();
    }
    let first = line
        .split(char::is_whitespace)
        .find(|word| count_matches(word, wanted) > 0)
        .map_or(0, |word| word.as_ptr() as usize - line.as_ptr() as usize);
    let at = letters.partition_point(|&(byte, _)| byte < first);
    let start = at.saturating_sub(room / 4).min(letters.len() - room);
    // Cut at a space if there is one near, not within a word.
    let start = (start..at).find(|&at| start == 0 || letters[at].1.is_whitespace()).unwrap_or(start);
    let end = (start + room).min(letters.len());
    let end = if end < letters.len() {
        (start + room / 2..end).rev().find(|&at| letters[at].1.is_whitespace()).unwrap_or(end)
    } else {
        end
    };
    let from = letters[start].0;
    let to = letters.get(end).map_or(line.len(), |&(byte, _)| byte);
    let (before, after) = (if start > 0 { "… " } else { "" }, if end < letters.len() { " …" } else { "" });
    format!("{before}{}{after}", line[from..to].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_hold_the_words_are_shown_in_their_order() {
        let text = "Intro.\n\nThe queen leaves.\nNothing here.\nSwarms follow the old queen.\n";
        assert_eq!(snippet(text, "swarm queen"), "The queen leaves.\nSwarms follow the old queen.");
        assert_eq!(snippet(text, "zebra"), "Intro.\nThe queen leaves.\nNothing here.");
    }

    #[test]
    fn a_long_line_is_cut_around_the_word() {
        let line = format!("{} threshold {}", "filler ".repeat(100), "more ".repeat(100));
        let shown = snippet(&line, "thresholds");
        assert!(shown.contains("threshold") && shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!(shown.chars().count() <= LONGEST + 4, "{}", shown.chars().count());
    }

    #[test]
    fn letters_are_never_cut_in_half() {
        let line = "蜂".repeat(1000);
        assert!(snippet(&line, "蜜").chars().all(|letter| letter == '蜂' || " …".contains(letter)));
        assert_eq!(snippet("", "x"), "");
    }
}
