//! Just enough of Rust's grammar to tell code from comments and strings, and to read paths and `use` trees.

/// A word, a number or a mark of the code, with its line.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub line: usize,
    pub text: String,
}

/// The tokens of a source, without comments, strings and characters. `::` is one token.
pub fn code(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let (mut tokens, mut line, mut at) = (Vec::new(), 1, 0);
    while at < chars.len() {
        let start = at;
        at = match chars[at] {
            '/' if chars.get(at + 1) == Some(&'/') => end_of_line(&chars, at),
            '/' if chars.get(at + 1) == Some(&'*') => end_of_block(&chars, at),
            '"' => end_of_string(&chars, at),
            '\'' => end_of_character(&chars, at),
            c if c.is_alphanumeric() || c == '_' => {
                let end = (at..chars.len())
                    .find(|n| !chars[*n].is_alphanumeric() && chars[*n] != '_')
                    .unwrap_or(chars.len());
                let word: String = chars[at..end].iter().collect();
                match (word.as_str(), chars.get(end)) {
                    ("r" | "br" | "cr", Some('"' | '#')) if is_raw(&chars, end) => end_of_raw(&chars, end),
                    ("b" | "c", Some('"')) => end_of_string(&chars, end),
                    ("b", Some('\'')) => end_of_character(&chars, end),
                    _ => {
                        tokens.push(Token { line, text: word });
                        end
                    }
                }
            }
            ':' if chars.get(at + 1) == Some(&':') => {
                tokens.push(Token { line, text: "::".to_owned() });
                at + 2
            }
            c if c.is_whitespace() => at + 1,
            c => {
                tokens.push(Token { line, text: c.to_string() });
                at + 1
            }
        };
        line += chars[start..at].iter().filter(|c| **c == '\n').count();
    }
    tokens
}

fn end_of_line(chars: &[char], at: usize) -> usize {
    (at..chars.len()).find(|n| chars[*n] == '\n').unwrap_or(chars.len())
}

fn end_of_block(chars: &[char], mut at: usize) -> usize {
    let mut depth = 0;
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn end_of_string(chars: &[char], at: usize) -> usize {
    let mut n = at + 1;
    while n < chars.len() && chars[n] != '"' {
        n += if chars[n] == '\\' { 2 } else { 1 };
    }
    (n + 1).min(chars.len())
}

fn is_raw(chars: &[char], at: usize) -> bool {
    chars[at..].iter().find(|c| **c != '#') == Some(&'"')
}

fn end_of_raw(chars: &[char], at: usize) -> usize {
    let hashes = chars[at..].iter().take_while(|c| **c == '#').count();
    let body = at + hashes + 1;
    let closes = |n: &usize| {
        chars[*n] == '"' && chars[n + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
    };
    (body..chars.len()).find(closes).map_or(chars.len(), |n| n + 1 + hashes)
}

/// `'x'`, `'\n'` and `'\u{1}'` are characters; `'a` is a lifetime, of which the mark alone is passed over.
fn end_of_character(chars: &[char], at: usize) -> usize {
    match (chars.get(at + 1), chars.get(at + 2)) {
        (Some('\\'), _) => (at + 3..chars.len()).find(|n| chars[*n] == '\'').map_or(chars.len(), |n| n + 1),
        (Some(_), Some('\'')) => at + 3,
        _ => at + 1,
    }
}

/// Every path in the code, groups spread out: `use a::{b, c::d}` is `a::b` and `a::c::d`, each with its line.
pub fn paths(tokens: &[Token]) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_word(&tokens[at]) {
            at = path(tokens, at, &[], &mut found);
        } else {
            at += 1;
        }
    }
    found
}

fn is_word(token: &Token) -> bool {
    token.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Reads one path from `at`, after what stands before its group, and gives the place behind it.
fn path(tokens: &[Token], mut at: usize, before: &[String], found: &mut Vec<(usize, Vec<String>)>) -> usize {
    let mut parts = before.to_vec();
    let line = tokens[at].line;
    loop {
        parts.push(tokens[at].text.clone());
        at += 1;
        if tokens.get(at).is_none_or(|token| token.text != "::") {
            break;
        }
        match tokens.get(at + 1) {
            Some(next) if next.text == "{" => return group(tokens, at + 2, &parts, found),
            Some(next) if is_word(next) => at += 1,
            // `a::*` and `a::<T>`
            _ => break,
        }
    }
    found.push((line, parts));
    at
}

fn group(tokens: &[Token], mut at: usize, before: &[String], found: &mut Vec<(usize, Vec<String>)>) -> usize {
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            "}" => return at + 1,
            _ if is_word(token) => at = path(tokens, at, before, found),
            _ => at += 1,
        }
    }
    at
}

#[test]
fn strings_comments_and_characters_are_no_code() {
    let text =
        "a /* b /* c */ */ \"d\\\" e\" r#\"f \" g\"# 'h' b'i' '\\'' 'j: k // l\nm b\"n\" cr#\"o\"# r#p";
    let words: Vec<(usize, String)> =
        code(text).into_iter().filter(is_word).map(|token| (token.line, token.text)).collect();
    let expected = [(1, "a"), (1, "j"), (1, "k"), (2, "m"), (2, "r"), (2, "p")];
    assert_eq!(words, expected.map(|(line, word)| (line, word.to_owned())));
}

#[test]
fn a_use_tree_is_spread_out() {
    let spread =
        |text: &str| paths(&code(text)).into_iter().map(|(_, path)| path.join("::")).collect::<Vec<_>>();
    assert_eq!(
        spread("use a::{b, c::{d, e as f}, self};"),
        ["use", "a::b", "a::c::d", "a::c::e", "a::c::as", "a::c::f", "a::self"]
    );
    assert_eq!(spread("x::y::<Z>(w)"), ["x::y", "Z", "w"]);
}
