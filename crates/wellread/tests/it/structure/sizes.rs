//! Sizes that the eye can hold: files, functions, and no lint switched off that counts.

use super::lexer::{Token, code};
use super::sources::{Source, check, finds};

const MOST_LINES: usize = 400;
const MOST_LINES_OF_A_FUNCTION: usize = 60;

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

fn too_large(source: &Source) -> Vec<String> {
    if !source.is_in_src() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let lines = source.text.lines().count();
    if lines > MOST_LINES {
        found.push(source.at(1, format!("{lines} lines, {MOST_LINES} are the most")));
    }
    for (name, first, last) in functions(&code(&source.text)) {
        let lines = last - first + 1;
        if lines > MOST_LINES_OF_A_FUNCTION {
            let wrong = format!("`{name}` has {lines} lines, {MOST_LINES_OF_A_FUNCTION} are the most");
            found.push(source.at(first, wrong));
        }
    }
    found
}

/// Where a lint that counts is switched off. Written apart, so that this file is not found.
fn switched_off(source: &Source) -> Vec<String> {
    let counts = ["arguments", "lines"].map(|what| format!("too_many_{what}"));
    let tokens = code(&source.text).into_iter().filter(|token| counts.contains(&token.text));
    tokens.map(|token| source.at(token.line, "a lint that counts is switched off: make it smaller")).collect()
}

#[test]
fn files_and_functions_stay_small() {
    check(too_large);
}

#[test]
fn a_large_file_and_a_large_function_are_found() {
    let long = "x\n".repeat(401);
    finds(too_large, "crates/core/src/engine/run.rs", &long, &[1]);
    finds(too_large, "crates/core/src/engine/run.rs", &long[2..], &[]);
    finds(too_large, "crates/core/src/engine/run/tests.rs", &long, &[]);
    finds(too_large, "crates/core/tests/it/graph.rs", &long, &[]);
    let body = "    let s = \"}\";\n".repeat(58);
    let text = format!(
        "trait T {{\n    fn a(&self, x: [u8; 3]);\n}}\nfn b(x: [u8; 2]) {{\n{body}}}\nfn c()\nwhere T: U\n{{\n{body}}}\n"
    );
    finds(too_large, "crates/text/src/span.rs", &text, &[64]);
}

#[test]
fn no_lint_that_counts_is_switched_off() {
    check(switched_off);
}

#[test]
fn a_lint_that_counts_and_is_switched_off_is_found() {
    let text = format!(
        "#[allow(clippy::too_many_{})]\nfn f() {{}}\n#![expect(clippy::too_many_{})]\n",
        "arguments", "lines"
    );
    finds(switched_off, "crates/core/src/engine/run.rs", &text, &[1, 3]);
    finds(switched_off, "crates/core/tests/it/graph.rs", &text, &[1, 3]);
}
