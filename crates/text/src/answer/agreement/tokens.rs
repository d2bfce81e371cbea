//! The words of a text as the comparison sees them: stems with their place, clause and role.

use super::lexicon::{ContrastSide, contrast_sides, synonym_groups};
use crate::prose::claims::word_runs;
use crate::prose::phrases::StopWords;
use crate::words::scripts::is_unspaced;
use crate::words::terms::{camel_parts, stem_word, to_plain};

/// A word of a text.
#[derive(Debug, Clone)]
pub(super) struct Token {
    /// In lower case and without accents.
    pub plain: String,
    pub stem: String,
    /// The byte offset in the text.
    pub start: usize,
    /// The clause of the text, from 0.
    pub clause: usize,
    /// Whether it carries meaning of its own: no stop word, no mark of polarity.
    pub is_content: bool,
    /// Whether it is written with a capital inside a sentence.
    pub is_name: bool,
    pub is_number: bool,
    /// Whether it is written with a capital, at the beginning of a sentence too.
    pub is_capital: bool,
    /// Whether it is a part of an amount of its sentence that measures or counts something.
    pub is_amount: bool,
    /// Whether it stands in a quotation or in code.
    pub is_quoted: bool,
    /// Whether a negation before it in the clause takes it in.
    pub is_negated: bool,
    groups: &'static [u16],
    pub contrasts: &'static [ContrastSide],
}

/// The clause at a place of the text that the tokens are from: that of the last token that begins before it or there.
pub(super) fn clause_at(tokens: &[Token], at: usize) -> usize {
    let before = tokens.partition_point(|token| token.start <= at);
    tokens[..before].last().map_or(0, |token| token.clause)
}

impl Token {
    fn new(written: &str, start: usize, clause: usize, stop: StopWords) -> Self {
        let plain = to_plain(written);
        let stem = stem_word(written);
        let is_number = written.bytes().any(|byte| byte.is_ascii_digit());
        let is_content = is_number
            || ORDINALS.contains(&plain.as_str())
            || !stop.has_plain(&plain)
            || written.chars().all(is_unspaced);
        let groups = synonym_groups(&stem);
        let contrasts = contrast_sides(&plain, &stem);
        Self {
            plain,
            stem,
            start,
            clause,
            is_content,
            is_name: false,
            is_capital: written.starts_with(char::is_uppercase),
            is_number,
            is_amount: false,
            is_negated: false,
            is_quoted: false,
            groups,
            contrasts,
        }
    }

    /// Whether both words mean the same in most sentences.
    pub fn means(&self, other: &Self) -> bool {
        self.is_same_word(other) || self.groups.iter().any(|group| other.groups.contains(group))
    }

    /// Whether both are forms of one word.
    pub fn is_same_word(&self, other: &Self) -> bool {
        self.stem == other.stem || !self.is_number && !other.is_number && are_related(&self.stem, &other.stem)
    }

    /// Whether the words exclude each other.
    pub fn excludes(&self, other: &Self) -> bool {
        let excludes = |(set, side): &ContrastSide| {
            other.contrasts.iter().any(|(other_set, other_side)| set == other_set && side != other_side)
        };
        let same_side = |side: &ContrastSide| other.contrasts.contains(side);
        self.contrasts.iter().any(excludes) && !self.contrasts.iter().any(same_side)
    }
}

/// Whether two stems share a long beginning: `weigh` and `weight`, `decid` and `decis`.
fn are_related(one: &str, other: &str) -> bool {
    let shared = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let longer = one.len().max(other.len());
    shared >= 5 && shared * 20 >= longer * 13
}

/// Stop words that tell one thing from another of its kind.
const ORDINALS: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "last"];

/// Conjunctions that begin a clause.
const CONJUNCTIONS: [&str; 22] = [
    "and", "but", "while", "whereas", "because", "although", "though", "which", "who", "where", "when", "if",
    "unless", "until", "und", "aber", "wahrend", "weil", "et", "mais", "pero", "maar",
];

/// The words of a text in comparable form.
pub(super) fn tokenize(text: &str, stop: StopWords) -> Vec<Token> {
    tokenize_by(text, stop, &breaks_clause, true)
}

/// The words of a table's row, whose clauses are its cells.
pub(super) fn tokenize_row(text: &str, stop: StopWords) -> Vec<Token> {
    tokenize_by(text, stop, &|gap, _, _, _| gap.contains(';'), false)
}

type ClauseRule<'a> = &'a dyn Fn(&str, &str, usize, usize) -> bool;

fn tokenize_by(text: &str, stop: StopWords, breaks: ClauseRule<'_>, conjunctions: bool) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let (mut clause, mut end) = (0, 0);
    for (start, run) in word_runs(text) {
        let gap = &text[end..start];
        let is_first = tokens.is_empty();
        if !is_first && breaks(gap, text, end, start) {
            clause += 1;
        }
        // `n't`
        if run == "t" && gap == "'" {
            end = start + run.len();
            if let Some(before) = tokens.last_mut() {
                let verb = before.plain.strip_suffix('n').filter(|verb| *verb != "ca").map(str::to_owned);
                if let Some(verb) = verb {
                    *before = Token::new(&verb, before.start, before.clause, stop);
                }
            }
            tokens.push(Token::new("not", start, clause, stop));
            continue;
        }
        let plain = to_plain(run);
        if conjunctions && !is_first && CONJUNCTIONS.contains(&plain.as_str()) {
            clause += 1;
        }
        let after_stop = end == 0 || gap.contains(['.', '!', '?', ':', '|', '"']);
        end = start + run.len();
        if run.contains(is_unspaced) {
            push_pairs(&mut tokens, run, start, clause, stop);
            continue;
        }
        let parts = camel_parts(run);
        for part in &parts {
            tokens.push(Token::new(part, start, clause, stop));
        }
        if parts.is_empty() {
            let mut token = Token::new(run, start, clause, stop);
            token.is_name = !after_stop && run.starts_with(char::is_uppercase) && token.is_content;
            tokens.push(token);
        }
    }
    mark_negations(&mut tokens);
    tokens
}

/// How many content words a negation takes in.
const SCOPE: usize = 3;

fn mark_negations(tokens: &mut [Token]) {
    let mut open: Option<(usize, usize)> = None;
    let mut is_choice = false;
    for at in 0..tokens.len() {
        let plain = tokens[at].plain.as_str();
        let next = tokens.get(at + 1).map_or("", |next| next.plain.as_str());
        let before = at.checked_sub(1).map_or("", |before| tokens[before].plain.as_str());
        let idle = plain == "no" && ["more", "less", "fewer", "later", "matter"].contains(&next)
            || plain == "not" && (next == "only" || next == "just")
            || plain == "without"
            || plain == "never" && next == "more"
            || plain == "nor" && before.is_empty();
        let chooses = plain == "rather" && next == "than" || plain == "instead" && next == "of";
        if chooses || super::cues::is_negation(&tokens[at]) && !idle {
            open = Some((tokens[at].clause, SCOPE));
            is_choice = chooses;
            continue;
        }
        let Some((clause, left)) = open else { continue };
        // A conjunction ends the scope, except between the negated words themselves.
        if tokens[at].clause != clause && plain != "or" || left == 0 {
            open = None;
            continue;
        }
        if tokens[at].is_content || super::cues::is_turned(&tokens[at]) {
            // `2.20 instead of 3.50` sets two amounts side by side, and the source may do so in other ways.
            tokens[at].is_negated = !(is_choice && tokens[at].is_number);
            open = Some((clause, left - 1));
        }
    }
}

/// Words of a script without spaces are compared by their pairs of letters.
fn push_pairs(tokens: &mut Vec<Token>, run: &str, start: usize, clause: usize, stop: StopWords) {
    let letters: Vec<(usize, char)> = run.char_indices().collect();
    if let [_] = letters[..] {
        tokens.push(Token::new(run, start, clause, stop));
    }
    for pair in letters.windows(2) {
        let end = pair[1].0 + pair[1].1.len_utf8();
        tokens.push(Token::new(&run[pair[0].0..end], start + pair[0].0, clause, stop));
    }
}

fn breaks_clause(gap: &str, text: &str, end: usize, start: usize) -> bool {
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let in_number = gap.len() == 1 && digit(bytes.get(end.wrapping_sub(1))) && digit(bytes.get(start));
    gap.contains([';', '(', ')', '|', '!', '?', '。', '、', '，', '；'])
        || !in_number && gap.contains([',', ':'])
        || gap.contains(" - ")
        || gap.contains(". ")
}
