//! The cost of reading source code: `cargo bench -p wellread-text --bench code -- FOLDER…`.
//!
//! Every source file under the folders is only parsed, and then read as for the index: once for its chunks alone, and once for
//! the whole analysis. The figures are seconds for 100,000 lines. The last column tells whether two versions of the program
//! find the same.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use wellread_text::{Language, analyze_code, chunk_code};

const RUNS: usize = 3;

#[derive(Default)]
struct Cost {
    lines: usize,
    parse: Duration,
    chunks: Duration,
    all: Duration,
    definitions: usize,
    mentions: usize,
    found: DefaultHasher,
}

fn main() {
    let folders: Vec<PathBuf> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).map(PathBuf::from).collect();
    let mut costs: BTreeMap<&str, Cost> = BTreeMap::new();
    for file in folders.iter().flat_map(|folder| files(folder)) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let Some(language) = Language::detect(&file.to_string_lossy(), &text) else { continue };
        let cost = costs.entry(language.name()).or_default();
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&grammar(language.name())).unwrap();
        cost.parse += quickest(|| drop(parser.parse(&text, None)));
        cost.chunks += quickest(|| drop(chunk_code(&text, Some(language))));
        let read = analyze_code(&text, Some(language));
        cost.all += quickest(|| drop(analyze_code(&text, Some(language))));
        cost.lines += text.lines().count();
        cost.definitions += read.outline.definitions.len();
        cost.mentions += read.uses.mentions.len();
        format!("{read:?}").hash(&mut cost.found);
    }
    println!(
        "| language | lines | definitions | mentions | parse alone, s | chunks alone, s | all, s | found |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
    for (language, cost) in costs {
        let of = |time: Duration| time.as_secs_f64() * 100_000.0 / cost.lines as f64;
        println!(
            "| {language} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {:08x} |",
            cost.lines,
            cost.definitions,
            cost.mentions,
            of(cost.parse),
            of(cost.chunks),
            of(cost.all),
            cost.found.finish() as u32
        );
    }
}

/// The quickest of several runs, since other programs may run beside it.
fn quickest(mut work: impl FnMut()) -> Duration {
    let mut time = || {
        let begun = Instant::now();
        work();
        begun.elapsed()
    };
    (0..RUNS).map(|_| time()).min().unwrap_or_default()
}

fn grammar(name: &str) -> tree_sitter::Language {
    match name {
        "bash" => tree_sitter_bash::LANGUAGE.into(),
        "c" => tree_sitter_c::LANGUAGE.into(),
        "cpp" => tree_sitter_cpp::LANGUAGE.into(),
        "csharp" => tree_sitter_c_sharp::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "javascript" => tree_sitter_javascript::LANGUAGE.into(),
        "kotlin" => tree_sitter_kotlin_ng::LANGUAGE.into(),
        "lua" => tree_sitter_lua::LANGUAGE.into(),
        "php" => tree_sitter_php::LANGUAGE_PHP.into(),
        "python" => tree_sitter_python::LANGUAGE.into(),
        "ruby" => tree_sitter_ruby::LANGUAGE.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "typescript" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        _ => tree_sitter_rust::LANGUAGE.into(),
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut left) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
