//! Sizes that the eye can hold: files, functions, and no lint switched off that counts.

use super::lexer::{Token, code};
use super::sources::{Source, finds, refuse, sources};

const MOST_LINES: usize = 400;
const MOST_LINES_OF_A_FUNCTION: usize = 60;

/// What is still larger than it may be, and its size: a path, or a path and a function. An entry leaves this list when
/// it is cut and may not grow until then; none comes in.
const LARGE: &[(&str, usize)] = &[
    ("crates/core/src/engine/agent.rs", 414),
    ("crates/testkit/src/contract/index.rs", 564),
    ("crates/testkit/src/index.rs", 422),
];

/// Lints that count arguments and lines, where they are still switched off.
const SWITCHED_OFF: &[(&str, usize)] = &[];

/// Something that is too large or there too often: what it is called in a list of exceptions, its size, and where it is.
struct TooMuch {
    name: String,
    size: usize,
    told: String,
}

/// The functions that have a body: name, first line and last line.
fn functions(tokens: &[Token]) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    for (at, two) in tokens.windows(2).enumerate() {
        if two[0].text != "fn" || !two[1].text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            continue;
        }
        let (mut depth, mut within) = (0_usize, 0_usize);
        for token in &tokens[at + 2..] {
            match token.text.as_str() {
                "(" | "[" => within += 1,
                ")" | "]" => within = within.saturating_sub(1),
                ";" if depth == 0 && within == 0 => break,
                "{" => depth += 1,
                "}" if depth <= 1 => {
                    found.push((two[1].text.clone(), two[0].line, token.line));
                    break;
                }
                "}" => depth -= 1,
                _ => {}
            }
        }
    }
    found
}

fn too_large(source: &Source) -> Vec<TooMuch> {
    if !source.is_in_src() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let lines = source.text.lines().count();
    if lines > MOST_LINES {
        let told = source.at(1, format!("{lines} lines, {MOST_LINES} are the most"));
        found.push(TooMuch { name: source.path.clone(), size: lines, told });
    }
    for (name, first, last) in functions(&code(&source.text)) {
        let lines = last - first + 1;
        if lines > MOST_LINES_OF_A_FUNCTION {
            let told = source
                .at(first, format!("`{name}` has {lines} lines, {MOST_LINES_OF_A_FUNCTION} are the most"));
            found.push(TooMuch { name: format!("{} {name}", source.path), size: lines, told });
        }
    }
    found
}

/// Where a lint that counts is switched off. Written apart, so that this file is not found.
fn switched_off(source: &Source) -> Vec<TooMuch> {
    let counts = ["arguments", "lines"].map(|what| format!("too_many_{what}"));
    let tokens = code(&source.text).into_iter().filter(|token| counts.contains(&token.text));
    let lines: Vec<usize> = tokens.map(|token| token.line).collect();
    let told = |line: &usize| TooMuch {
        name: source.path.clone(),
        size: lines.len(),
        told: source.at(*line, "a lint that counts is switched off: make it smaller"),
    };
    lines.iter().map(told).collect()
}

/// What is too much and in no list of exceptions, and exceptions that nothing needs any more.
fn unexcused(found: &[TooMuch], excused: &[(&str, usize)]) -> Vec<String> {
    let is_excused =
        |one: &&TooMuch| !excused.iter().any(|(name, size)| *name == one.name && one.size <= *size);
    let mut wrong: Vec<String> = found.iter().filter(is_excused).map(|one| one.told.clone()).collect();
    let done = excused.iter().filter(|(name, _)| !found.iter().any(|one| one.name == *name));
    wrong.extend(done.map(|(name, _)| format!("{name}: small now: take it off the list of exceptions")));
    wrong
}

fn lines_of(found: Vec<TooMuch>) -> Vec<String> {
    found.into_iter().map(|one| one.told).collect()
}

#[test]
fn files_and_functions_stay_small() {
    let found: Vec<TooMuch> = sources().iter().flat_map(too_large).collect();
    refuse(&unexcused(&found, LARGE));
}

#[test]
fn a_large_file_and_a_large_function_are_found() {
    let rule = |source: &Source| lines_of(too_large(source));
    let long = "x\n".repeat(401);
    finds(rule, "crates/core/src/engine/run.rs", &long, &[1]);
    finds(rule, "crates/core/src/engine/run.rs", &long[2..], &[]);
    finds(rule, "crates/core/src/engine/run/tests.rs", &long, &[]);
    finds(rule, "crates/core/tests/it/graph.rs", &long, &[]);
    let body = "    let s = \"}\";\n".repeat(58);
    let text = format!(
        "trait T {{\n    fn a(&self, x: [u8; 3]);\n}}\nfn b(x: [u8; 2]) {{\n{body}}}\nfn c()\nwhere T: U\n{{\n{body}}}\n"
    );
    finds(rule, "crates/text/src/span.rs", &text, &[64]);
}

#[test]
fn no_lint_that_counts_is_switched_off() {
    let found: Vec<TooMuch> = sources().iter().flat_map(switched_off).collect();
    refuse(&unexcused(&found, SWITCHED_OFF));
}

#[test]
fn a_lint_that_counts_and_is_switched_off_is_found() {
    let rule = |source: &Source| lines_of(switched_off(source));
    let text = format!(
        "#[allow(clippy::too_many_{})]\nfn f() {{}}\n#![expect(clippy::too_many_{})]\n",
        "arguments", "lines"
    );
    finds(rule, "crates/core/src/engine/run.rs", &text, &[1, 3]);
    finds(rule, "crates/core/tests/it/graph.rs", &text, &[1, 3]);
}

#[test]
fn an_exception_may_not_grow_and_goes_when_nothing_needs_it() {
    let large = |size| TooMuch { name: "a.rs".to_owned(), size, told: "a.rs:1: large".to_owned() };
    assert_eq!(unexcused(&[large(450)], &[("a.rs", 450)]), [""; 0]);
    assert_eq!(unexcused(&[large(451)], &[("a.rs", 450)]), ["a.rs:1: large"]);
    assert_eq!(unexcused(&[], &[("a.rs", 450)]).len(), 1);
}
