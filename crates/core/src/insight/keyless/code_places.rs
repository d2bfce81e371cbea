//! The places in code that answer a question best, and the lines of each that matter.

use std::collections::BTreeSet;
use std::ops::Range;

use wellread_text::{FileRole, significant_words};

use super::code_lines::{CodeText, has_value, is_comment, is_test, stems};

/// The weight of the question's words in the name and the path of a place, compared with the search score.
const NAME_WEIGHT: f32 = 1.0;
/// The factors for code that shows how a thing is used, and not what it is.
const TEST_FACTOR: f32 = 0.3;
const EXTRA_FACTOR: f32 = 0.6;
/// The share of the question's words that a place must have, by their weight.
const MIN_COVERAGE: f32 = 0.2;
/// A line of a condition, an error or a result, where something happens.
const EVENT_WORDS: [&str; 12] =
    ["if", "elif", "else", "raise", "throw", "return", "except", "catch", "match", "case", "assert", "panic"];
const EVENT_WEIGHT: f32 = 0.15;
const VALUE_WEIGHT: f32 = 0.3;
/// The weight of a word's second and later lines in an excerpt, compared with the first.
const REPEATED: f32 = 0.2;

/// Code that a search found.
#[derive(Debug, Clone, Copy)]
pub struct FoundCode<'a> {
    /// The lines, with their path and their definition.
    pub code: CodeText<'a>,
    /// The score of the search; higher is better.
    pub score: f32,
}

/// Code with its rank for a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedCode {
    /// The index in the input.
    pub of: usize,
    /// How well it fits; higher is better.
    pub score: f32,
}

/// Ranks code for a question, best first: by the search's own score, and by the question's words in its name and path;
/// tests and examples after the program itself. Documents, and code with hardly a word of the question, are left out.
pub fn rank_code(question: &str, found: &[FoundCode<'_>]) -> Vec<RankedCode> {
    let query = significant_words(question);
    let words: Vec<BTreeSet<String>> = found
        .iter()
        .map(|one| [one.code.text, one.code.path, one.code.symbol].into_iter().flat_map(stems).collect())
        .collect();
    let weights = weights(&query, &words);
    let all: f32 = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    let share = |has: &BTreeSet<String>| {
        let held = query.iter().zip(&weights).filter(|(stem, _)| has.contains(*stem));
        held.map(|(_, weight)| weight).sum::<f32>() / all
    };
    let best = found.iter().map(|one| one.score).fold(f32::MIN_POSITIVE, f32::max);
    let mut ranked = Vec::new();
    for (of, one) in found.iter().enumerate() {
        let role = FileRole::from_path(one.code.path);
        if role == FileRole::Prose || share(&words[of]) < MIN_COVERAGE {
            continue;
        }
        let name: BTreeSet<String> = [one.code.symbol, one.code.path].into_iter().flat_map(stems).collect();
        let factor = match role {
            _ if is_test(one.code.path, one.code.symbol) => TEST_FACTOR,
            FileRole::Extra => EXTRA_FACTOR,
            _ => 1.0,
        };
        ranked.push(RankedCode { of, score: (one.score / best + NAME_WEIGHT * share(&name)) * factor });
    }
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.of.cmp(&other.of)));
    ranked
}

/// The lines of a text, counted from 0, that answer a question best: at most `most` of them, in one piece, without blank
/// lines at either end. All lines if they are few enough. `wants_value` prefers lines that set a value.
pub fn choose_excerpt(question: &str, text: &str, most: usize, wants_value: bool) -> Range<usize> {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= most {
        return trim_blank(&lines, 0..lines.len());
    }
    let query = significant_words(question);
    let words: Vec<BTreeSet<String>> = lines.iter().map(|line| stems(line).into_iter().collect()).collect();
    let weights = weights(&query, &words);
    let extra: Vec<f32> = lines.iter().map(|line| line_bonus(line, wants_value)).collect();
    let score = |window: &Range<usize>| {
        let mut sum = 0.0;
        for (stem, weight) in query.iter().zip(&weights) {
            let times = words[window.clone()].iter().filter(|words| words.contains(stem)).count();
            sum += if times == 0 { 0.0 } else { weight * (1.0 + REPEATED * (times - 1).min(3) as f32) };
        }
        let matched = window.clone().filter(|&at| query.iter().any(|stem| words[at].contains(stem)));
        sum + matched.map(|at| extra[at]).sum::<f32>()
    };
    let windows = (0..=lines.len() - most).map(|start| start..start + most);
    let best = windows.max_by(|one, other| {
        score(one)
            .total_cmp(&score(other))
            .then_with(|| starts_well(&lines, one).cmp(&starts_well(&lines, other)))
    });
    let best = best.unwrap_or(0..most);
    trim_blank(&lines, tighten(&lines, best, &|at| query.iter().any(|stem| words[at].contains(stem))))
}

fn weights(query: &[String], words: &[BTreeSet<String>]) -> Vec<f32> {
    let all = words.len() as f32;
    let weight = |stem: &String| {
        let with = words.iter().filter(|words| words.contains(stem)).count() as f32;
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln() + 0.3
    };
    query.iter().map(weight).collect()
}

fn line_bonus(line: &str, wants_value: bool) -> f32 {
    let first = line.trim().split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty());
    let event = if first.is_some_and(|word| EVENT_WORDS.contains(&word)) { EVENT_WEIGHT } else { 0.0 };
    let value = if wants_value && has_value(line) && !is_comment(line.trim()) { VALUE_WEIGHT } else { 0.0 };
    event + value
}

/// Among equal windows, the one that begins where the code does: with the least indentation, after a blank line.
fn starts_well(
    lines: &[&str],
    window: &Range<usize>,
) -> (bool, std::cmp::Reverse<usize>, std::cmp::Reverse<usize>) {
    let line = lines[window.start];
    let after_blank = window.start == 0 || lines[window.start - 1].trim().is_empty();
    (after_blank, std::cmp::Reverse(line.len() - line.trim_start().len()), std::cmp::Reverse(window.start))
}

/// Drops lines at the ends of a window that match nothing and are outside the block of the first and last match.
fn tighten(lines: &[&str], window: Range<usize>, matches: &dyn Fn(usize) -> bool) -> Range<usize> {
    let Some(first) = window.clone().find(|&at| matches(at)) else { return window };
    let last = window.clone().rev().find(|&at| matches(at)).unwrap_or(first);
    // Some lines around the matches say what they belong to.
    let start = first.saturating_sub(2).max(window.start);
    let end = (last + 4).min(window.end);
    let start = (window.start..=start).rev().find(|&at| !is_closing(lines[at])).unwrap_or(window.start);
    // Half a comment says nothing: it is shown whole or not at all.
    let comment = |at: usize| is_comment(lines[at].trim());
    if start == 0 || !comment(start) || !comment(start - 1) {
        return start..end;
    }
    let above = (window.start..start).rev().take_while(|&at| comment(at)).last().unwrap_or(start);
    match above == 0 || !comment(above - 1) {
        true => above..end,
        false => (start..end).find(|&at| !comment(at)).unwrap_or(start)..end,
    }
}

fn is_closing(line: &str) -> bool {
    line.trim_start().starts_with([')', ']', '}'])
}

fn trim_blank(lines: &[&str], mut window: Range<usize>) -> Range<usize> {
    while window.start < window.end && lines[window.start].trim().is_empty() {
        window.start += 1;
    }
    while window.start < window.end && lines[window.end - 1].trim().is_empty() {
        window.end -= 1;
    }
    window
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(path: &'a str, symbol: &'a str, text: &'a str, score: f32) -> FoundCode<'a> {
        FoundCode { code: CodeText { path, text, first_line: 1, symbol }, score }
    }

    #[test]
    fn what_is_named_for_the_thing_comes_first_and_tests_last() {
        let all = [
            found("tests/test_keys.py", "test_key_made", "key made result", 1.0),
            found("pkg/store.py", "store_result", "def store_result(result): put(key(result), result)", 0.6),
            found("pkg/keys.py", "build_key", "def build_key(result): return result.key", 0.7),
            found("docs/keys.rst", "", "How the key of a result is made", 1.0),
            found("pkg/other.py", "unrelated", "def unrelated(): pass", 0.5),
        ];
        let order: Vec<usize> =
            rank_code("How is the key of a result built?", &all).iter().map(|ranked| ranked.of).collect();
        assert_eq!(order, [2, 1, 0]);
    }

    #[test]
    fn an_excerpt_is_the_few_lines_that_matter_in_one_piece() {
        let mut text: String = (0..40).map(|n| format!("    step_{n}()\n")).collect();
        text.push_str("\n    if jar.weight > limit:\n        raise TooHeavy(jar)\n    put(jar)\n");
        let lines = choose_excerpt("What happens when the weight of a jar is too heavy?", &text, 8, false);
        let shown: Vec<&str> = text.lines().collect::<Vec<_>>()[lines].to_vec();
        assert!(shown.contains(&"    if jar.weight > limit:"), "{shown:?}");
        assert!(shown.contains(&"        raise TooHeavy(jar)"), "{shown:?}");
        assert!(shown.len() <= 8, "{shown:?}");
        assert_eq!(choose_excerpt("anything", "\na = 1\n\n", 8, false), 1..2);
    }
}
