//! The cost of reading source code: `cargo bench -p wellread-text --bench code -- FOLDER…`.
//!
//! Every source file under the folders is read as for the index: once for its chunks alone, and once for the whole
//! analysis. The figures are seconds for 100,000 lines.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use wellread_text::{Language, analyze_code, chunk_code};

#[derive(Default)]
struct Cost {
    lines: usize,
    chunks: Duration,
    all: Duration,
    definitions: usize,
    mentions: usize,
}

fn main() {
    let folders: Vec<PathBuf> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).map(PathBuf::from).collect();
    let mut costs: BTreeMap<&str, Cost> = BTreeMap::new();
    for file in folders.iter().flat_map(|folder| files(folder)) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let Some(language) = Language::detect(&file.to_string_lossy(), &text) else { continue };
        let cost = costs.entry(language.name()).or_default();
        let begun = Instant::now();
        chunk_code(&text, Some(language));
        cost.chunks += begun.elapsed();
        let begun = Instant::now();
        let read = analyze_code(&text, Some(language));
        cost.all += begun.elapsed();
        cost.lines += text.lines().count();
        cost.definitions += read.outline.definitions.len();
        cost.mentions += read.uses.mentions.len();
    }
    println!("| language | lines | definitions | mentions | chunks alone, s | all, s |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for (language, cost) in costs {
        let of = |time: Duration| time.as_secs_f64() * 100_000.0 / cost.lines as f64;
        println!(
            "| {language} | {} | {} | {} | {:.2} | {:.2} |",
            cost.lines,
            cost.definitions,
            cost.mentions,
            of(cost.chunks),
            of(cost.all)
        );
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
