//! How files and types are named.

use std::collections::BTreeMap;

use super::lexer::code;
use super::sources::{Source, check, finds, refuse, sources};

fn headless(source: &Source) -> Vec<String> {
    let head = source
        .text
        .lines()
        .next()
        .is_some_and(|line| line.strip_prefix("//! ").is_some_and(|head| head.len() > 5));
    if head { Vec::new() } else { vec![source.at(1, "does not begin by saying what it is")] }
}

#[test]
fn every_source_begins_by_saying_what_it_is() {
    check(headless);
}

#[test]
fn a_source_without_a_head_is_found() {
    finds(headless, "crates/core/src/domain/id.rs", "use x;\n//! Late.\n", &[1]);
    finds(headless, "crates/core/src/domain/id.rs", "", &[1]);
    finds(headless, "crates/core/src/domain/id.rs", "//! Identifiers.\n", &[]);
}

fn nameless(source: &Source) -> Vec<String> {
    const SAYS_NOTHING: [&str; 10] =
        ["util", "utils", "common", "helper", "helpers", "misc", "manager", "managers", "shared", "stuff"];
    let parts = source.path.trim_end_matches(".rs").split('/');
    let empty = parts.filter(|part| SAYS_NOTHING.contains(&part.to_lowercase().as_str()));
    empty.map(|part| source.at(1, format!("`{part}` says nothing"))).collect()
}

#[test]
fn every_file_has_a_name_that_says_something() {
    check(nameless);
}

#[test]
fn a_name_that_says_nothing_is_found() {
    finds(nameless, "crates/core/src/utils.rs", "", &[1]);
    finds(nameless, "crates/core/tests/common/mod.rs", "", &[1]);
    finds(nameless, "crates/core/src/library/vault/commonplace.rs", "", &[]);
}

/// Names that stand twice in a crate because one of the two is compiled for each system.
const ONE_A_SYSTEM: [(&str, &str); 4] =
    [("adapters", "Listener"), ("adapters", "Dir"), ("adapters", "SystemDisk"), ("wellread", "Signals")];

/// The public types and traits that a source declares, each with its line.
fn public_types(source: &Source) -> Vec<(String, usize)> {
    let tokens = code(&source.text);
    let declares = |three: &&[super::lexer::Token]| {
        three[0].text == "pub"
            && ["struct", "enum", "union", "trait", "type"].contains(&three[1].text.as_str())
            && three[2].text.starts_with(char::is_alphabetic)
    };
    tokens.windows(3).filter(declares).map(|three| (three[2].text.clone(), three[2].line)).collect()
}

/// Type names that are declared more than once in a crate.
fn declared_twice(sources: &[Source]) -> Vec<String> {
    let mut first: BTreeMap<(String, String), String> = BTreeMap::new();
    let mut wrong = Vec::new();
    for source in sources.iter().filter(|source| source.is_in_src()) {
        let crate_name = source.path.split('/').nth(1).unwrap_or_default();
        for (name, line) in public_types(source) {
            if ONE_A_SYSTEM.contains(&(crate_name, &name)) {
                continue;
            }
            let here = source.at(line, format!("`{name}`"));
            if let Some(there) = first.insert((crate_name.to_owned(), name), here.clone()) {
                wrong.push(format!("{here} stands here and at {there}"));
            }
        }
    }
    wrong
}

#[test]
fn a_public_type_name_stands_once_in_a_crate() {
    refuse(&declared_twice(&sources()));
}

#[test]
fn a_public_type_name_that_stands_twice_is_found() {
    let sources = [
        Source::made_up("crates/core/src/a.rs", "pub struct Found;\nstruct Own;\npub(crate) enum Own2 {}\n"),
        Source::made_up("crates/core/src/b.rs", "pub enum Found {}\nstruct Own;\n// pub struct Other\n"),
        Source::made_up("crates/core/src/b/tests.rs", "pub enum Found {}\n"),
        Source::made_up("crates/text/src/b.rs", "pub trait Found {}\npub type Other = u8;\n"),
    ];
    let wrong = declared_twice(&sources);
    assert_eq!(wrong, ["crates/core/src/b.rs:1: `Found` stands here and at crates/core/src/a.rs:1: `Found`"]);
}
