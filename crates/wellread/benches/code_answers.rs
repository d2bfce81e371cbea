//! How often `wellread code` shows the right place without a model: questions about code with the places that answer them.
//!
//! `cargo bench -p wellread --bench code_answers -- FOLDER [--binary PATH] [--part open|locked|all] [--show missed|all]`.
//! `FOLDER` has one folder for each suite of `benches/code_answers/`, with the sources of the package named there. Locked
//! questions are not looked at while the rules are tuned. A place is a definition, or lines outside any: the share of
//! questions is printed for which a place that answers them is the first, or among the first three, that the answer
//! cites. Nothing is asserted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use toml_edit::DocumentMut;

type Lines = (u64, u64);

struct CodeQuestion {
    ask: String,
    at: Vec<(String, Lines)>,
    locked: bool,
}

struct Asker {
    binary: PathBuf,
    home: tempfile::TempDir,
    folder: PathBuf,
    outlines: HashMap<String, Vec<Lines>>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` only checks that it starts.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let folder = arguments.first().filter(|first| !first.starts_with('-')).cloned().unwrap_or_default();
    let part = value("--part").unwrap_or_else(|| "open".to_owned());
    let show = value("--show").unwrap_or_default();
    let binary = value("--binary").map_or_else(|| env!("CARGO_BIN_EXE_wellread").into(), PathBuf::from);
    let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/code_answers");
    let mut files: Vec<PathBuf> = fs::read_dir(suites).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    println!(
        "| package | questions | first place right | among the first three |\n| --- | ---: | ---: | ---: |"
    );
    let mut all = (0, 0, 0);
    for file in files {
        let (name, questions) = read_suite(&fs::read_to_string(file).unwrap());
        let home = tempfile::tempdir().unwrap();
        let folder = Path::new(&folder).join(&name);
        let mut asker = Asker { binary: binary.clone(), home, folder, outlines: HashMap::new() };
        let mut counts = (0, 0, 0);
        for question in questions.iter().filter(|one| part == "all" || one.locked == (part == "locked")) {
            let (rank, answer) = asker.rank(question);
            let is_right = rank.is_some_and(|rank| rank <= 3);
            counts = (counts.0 + 1, counts.1 + u32::from(rank == Some(1)), counts.2 + u32::from(is_right));
            if show == "all" || show == "missed" && !is_right {
                println!("\n--- {} {:?}\n{answer}\n", question.ask, question.at);
            }
        }
        println!("| {name} | {} | {} | {} |", counts.0, counts.1, counts.2);
        all = (all.0 + counts.0, all.1 + counts.1, all.2 + counts.2);
    }
    println!("| all | {} | {} | {} |", all.0, all.1, all.2);
}

fn read_suite(text: &str) -> (String, Vec<CodeQuestion>) {
    let document: DocumentMut = text.parse().unwrap();
    let question = |table: &toml_edit::Table| CodeQuestion {
        ask: table["ask"].as_str().unwrap().to_owned(),
        at: table["at"].as_array().unwrap().iter().map(|place| read_place(place.as_str().unwrap())).collect(),
        locked: table.get("locked").is_some_and(|locked| locked.as_bool() == Some(true)),
    };
    let questions = document["question"].as_array_of_tables().unwrap().iter().map(question).collect();
    (document["name"].as_str().unwrap().to_owned(), questions)
}

/// `path:10-20`
fn read_place(written: &str) -> (String, Lines) {
    let (path, lines) = written.rsplit_once(':').unwrap();
    let (first, last) = lines.split_once('-').unwrap();
    (path.to_owned(), (first.parse().unwrap(), last.parse().unwrap()))
}

impl Asker {
    fn run(&self, arguments: &[&str]) -> Value {
        let mut command = Command::new(&self.binary);
        command.env_clear().env("HOME", self.home.path()).arg("--offline").args(arguments).arg("--json");
        serde_json::from_slice(&command.output().unwrap().stdout).unwrap_or_default()
    }

    /// The rank of the first place that answers the question, and the answer.
    fn rank(&mut self, question: &CodeQuestion) -> (Option<usize>, String) {
        let answer = self.run(&["code", &question.ask, self.folder.to_str().unwrap()]);
        let mut places: Vec<(String, Lines)> = Vec::new();
        let mut found = None;
        for citation in answer["citations"].as_array().into_iter().flatten() {
            let path = citation["path"].as_str().unwrap().to_owned();
            let lines = (citation["start_line"].as_u64().unwrap(), citation["end_line"].as_u64().unwrap());
            let place = (path.clone(), self.enclosing(&path, lines));
            let at = places.iter().position(|known| *known == place).unwrap_or_else(|| {
                places.push(place);
                places.len() - 1
            });
            if question.at.iter().any(|(wanted, region)| *wanted == path && is_reached(*region, lines)) {
                found = found.or(Some(at + 1));
            }
        }
        (found, answer["answer"].as_str().unwrap_or_default().to_owned())
    }

    /// The innermost definition that the last of these lines is in, or the lines themselves.
    fn enclosing(&mut self, path: &str, lines: Lines) -> Lines {
        if !self.outlines.contains_key(path) {
            let outline = self.run(&["outline", self.folder.join(path).to_str().unwrap()]);
            let mut all = Vec::new();
            collect(&outline["definitions"], &mut all);
            self.outlines.insert(path.to_owned(), all);
        }
        let holds = |known: &&Lines| known.0 <= lines.1 && lines.1 <= known.1;
        let innermost = self.outlines[path].iter().filter(holds).min_by_key(|known| known.1 - known.0);
        innermost.copied().unwrap_or(lines)
    }
}

fn collect(definitions: &Value, all: &mut Vec<Lines>) {
    for row in definitions.as_array().into_iter().flatten() {
        all.push((row["start_line"].as_u64().unwrap(), row["end_line"].as_u64().unwrap()));
        collect(&row["children"], all);
    }
}

/// Whether cited lines are mostly within a region, or contain all of it.
fn is_reached(region: Lines, cited: Lines) -> bool {
    let shared = (region.1.min(cited.1) + 1).saturating_sub(region.0.max(cited.0));
    shared > 0 && (shared * 2 > cited.1 - cited.0 || shared == region.1 + 1 - region.0)
}
