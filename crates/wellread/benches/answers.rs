//! How good `wellread ask` is without a model: questions with known answers, and questions that have none.
//!
//! `cargo bench -p wellread --bench answers -- FOLDER [--binary PATH] [--part open|locked|all] [--show VERDICT]`. `FOLDER` has
//! one folder for each collection of `benches/answers/`, with the documentation of the package named there; the example vault and
//! those beside the questions are always asked. Every third question is locked: it is not looked at while the
//! rules are tuned. Prints a table for `docs/benchmarks.md`; nothing is asserted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use toml_edit::DocumentMut;

struct AnswerSuite {
    name: String,
    question: Vec<Answerable>,
    /// Questions that nothing in the collection answers.
    unanswerable: Vec<String>,
}

struct Answerable {
    ask: String,
    /// The line that answers it.
    at: String,
    /// What a right answer has; `a|b` is either of them.
    words: Vec<String>,
}

struct Options {
    folder: PathBuf,
    binary: PathBuf,
    part: String,
    show: String,
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
    let options = Options {
        folder: PathBuf::from(folder),
        binary: value("--binary").map_or_else(|| env!("CARGO_BIN_EXE_wellread").into(), PathBuf::from),
        part: value("--part").unwrap_or_else(|| "open".to_owned()),
        show: value("--show").unwrap_or_default(),
    };
    let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/answers");
    let mut files: Vec<PathBuf> = fs::read_dir(suites).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.is_file());
    files.sort();
    let mut counts: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for file in files {
        let suite: AnswerSuite = read_suite(&fs::read_to_string(file).unwrap());
        for (verdict, count) in ask_suite(&suite, &options) {
            *counts.entry(suite.name.clone()).or_default().entry(verdict).or_default() += count;
            *counts.entry("all".to_owned()).or_default().entry(verdict).or_default() += count;
        }
    }
    print_table(&counts);
}

fn read_suite(text: &str) -> AnswerSuite {
    let document: DocumentMut = text.parse().unwrap();
    let string = |table: &toml_edit::Table, key: &str| table[key].as_str().unwrap().to_owned();
    let tables = |key: &str| document[key].as_array_of_tables().unwrap().iter();
    let question = |table: &toml_edit::Table| Answerable {
        ask: string(table, "ask"),
        at: string(table, "at"),
        words: table["words"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap().to_owned())
            .collect(),
    };
    AnswerSuite {
        name: string(document.as_table(), "name"),
        question: tables("question").map(question).collect(),
        unanswerable: tables("unanswerable").map(|table| string(table, "ask")).collect(),
    }
}

/// Asks the questions of a suite, and counts the verdicts.
fn ask_suite(suite: &AnswerSuite, options: &Options) -> BTreeMap<&'static str, usize> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = here.join("benches/answers").join(&suite.name);
    let vault = match suite.name.as_str() {
        "examples" => here.join("../../examples/vault"),
        _ if own.is_dir() => own,
        name => options.folder.join(name),
    };
    let mut counts = BTreeMap::new();
    if !vault.is_dir() {
        println!("skipped {}: there is no folder {}", suite.name, vault.display());
        return counts;
    }
    let data = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&options.binary);
        command.env_clear().env("HOME", data.path()).arg("--offline").arg("--vault").arg(&vault);
        command.arg("--data").arg(data.path().join("data")).args(arguments).output().unwrap()
    };
    run(&["index"]);
    let chosen = |at: usize| options.part == "all" || (at % 3 == 2) == (options.part == "locked");
    let ask = |question: &str| -> Value {
        serde_json::from_slice(&run(&["ask", "--json", question]).stdout).unwrap_or_default()
    };
    for (_, question) in suite.question.iter().enumerate().filter(|(at, _)| chosen(*at)) {
        let answer = ask(&question.ask);
        let verdict = judge_answer(&answer, &question.words);
        *counts.entry(verdict).or_default() += 1;
        show(options, verdict, &format!("{} ({})", question.ask, question.at), &answer);
    }
    for (_, question) in suite.unanswerable.iter().enumerate().filter(|(at, _)| chosen(*at)) {
        let answer = ask(question);
        let verdict = match (answer["kind"].as_str(), answer["source"].is_string()) {
            (Some("answer"), _) => "answered",
            (_, true) => "closest given",
            _ => "refused",
        };
        *counts.entry(verdict).or_default() += 1;
        show(options, verdict, question, &answer);
    }
    counts
}

/// An answer without a source says that none was found.
fn judge_answer(answer: &Value, words: &[String]) -> &'static str {
    let (said, certain) =
        (comparable(answer["answer"].as_str().unwrap_or_default()), answer["kind"] == "answer");
    let has = |word: &String| word.split('|').any(|either| said.contains(&comparable(either)));
    match (answer["source"].is_string(), certain, words.iter().all(has)) {
        (false, ..) => "none",
        (_, true, true) => "right",
        (_, false, true) => "right, hedged",
        (_, true, false) => "wrong",
        (_, false, false) => "wrong, hedged",
    }
}

fn comparable(text: &str) -> String {
    let body = text.split("\n\nSource:").next().unwrap_or(text).to_lowercase();
    let plain: String = body.chars().filter(|letter| !"`*“”\"\\".contains(*letter)).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn show(options: &Options, verdict: &str, question: &str, answer: &Value) {
    if options.show == verdict || options.show == "every" {
        println!("[{verdict}] {question}\n{}\n", answer["answer"].as_str().unwrap_or_default());
    }
}

fn print_table(counts: &BTreeMap<String, BTreeMap<&str, usize>>) {
    let answerable = ["right", "right, hedged", "wrong", "wrong, hedged", "none"];
    let unanswerable = ["refused", "closest given", "answered"];
    println!("| collection | {} | {} |", answerable.join(" | "), unanswerable.join(" | "));
    println!("| --- |{}", " ---: |".repeat(answerable.len() + unanswerable.len()));
    for (name, verdicts) in counts {
        let cells = [answerable.as_slice(), unanswerable.as_slice()].map(|kinds| {
            let count = |kind: &&str| verdicts.get(kind).copied().unwrap_or_default();
            let all: usize = kinds.iter().map(count).sum();
            let cell = |kind: &&str| format!("{} ({} %)", count(kind), count(kind) * 100 / all.max(1));
            kinds.iter().map(cell).collect::<Vec<_>>().join(" | ")
        });
        println!("| {name} | {} | {} |", cells[0], cells[1]);
    }
}
