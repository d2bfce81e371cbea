//! A port is a small trait: six methods at the most.

use super::lexer::{Token, code};
use super::sources::{Source, check, finds};

const MOST_METHODS: usize = 6;

/// The public traits of a source: name, line, and the number of methods.
fn traits(tokens: &[Token]) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    for (at, three) in tokens.windows(3).enumerate() {
        if three[0].text != "pub" || three[1].text != "trait" {
            continue;
        }
        let (mut depth, mut methods) = (0, 0);
        for token in &tokens[at..] {
            match token.text.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                "fn" if depth == 1 => methods += 1,
                _ => continue,
            }
            if depth == 0 {
                break;
            }
        }
        found.push((three[2].text.clone(), three[2].line, methods));
    }
    found
}

fn large_ports(source: &Source) -> Vec<String> {
    let is_port = source.inside("core").is_some_and(|path| path.starts_with("ports"));
    if !is_port || !source.is_in_src() {
        return Vec::new();
    }
    let large = traits(&code(&source.text)).into_iter().filter(|(_, _, methods)| *methods > MOST_METHODS);
    large
        .map(|(name, line, methods)| {
            source.at(line, format!("the port `{name}` has {methods} methods, {MOST_METHODS} are the most"))
        })
        .collect()
}

#[test]
fn a_port_has_six_methods_at_the_most() {
    check(large_ports);
}

#[test]
fn a_port_with_more_methods_is_found() {
    let methods = |count: usize| {
        (0..count).map(|n| format!("    fn f{n}(&self) {{ fn g() {{}} }}\n")).collect::<String>()
    };
    let text = format!(
        "pub trait Small: Send {{\n{}}}\npub trait Large: Send {{\n{}}}\ntrait Own {{\n{}}}\n",
        methods(6),
        methods(7),
        methods(9)
    );
    finds(large_ports, "crates/core/src/ports/index.rs", &text, &[9]);
    finds(large_ports, "crates/core/src/ports.rs", &text, &[9]);
    finds(large_ports, "crates/core/src/engine/run.rs", &text, &[]);
}
