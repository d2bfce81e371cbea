//! What the documents promise is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::desk::{Desk, Ran, repository};

#[test]
fn the_reference_of_the_tools_is_the_catalog() {
    let made = Ran::of(Desk::bare().command().args(["tool", "--list", "--markdown"]));
    assert_eq!(made.status, Some(0));
    let kept = fs::read_to_string(repository().join("docs/tools.md")).unwrap_or_default();
    assert!(
        kept == made.stdout,
        "docs/tools.md does not say what the catalog says; generate it again:\n  cargo run -p wellread -- tool --list --markdown > docs/tools.md"
    );
}

#[test]
fn the_documents_name_only_commands_and_tools_that_exist() {
    let known = Known::ask();
    let mut wrong = Vec::new();
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        wrong.extend(known.wrong_in(&text).into_iter().map(|what| format!("{}:{what}", path.display())));
    }
    assert!(wrong.is_empty(), "these do not exist:\n{}", wrong.join("\n"));
}

#[test]
fn a_wrong_command_in_a_document_is_found() {
    let known = Known::ask();
    let text = "Text: wellread paints.\n```sh\nwellread paint\n$ VAULT_PATH=x wellread --vault ~/n status --files\n\
                wellread tool read_mind '{}' # no\nwellread undo --lst\nwellread mcp install x --dry-rum\nwellread mcp install x --dry-run\n```\nUse `wellread frob` and `wellread status`.\n";
    assert_eq!(
        known.wrong_in(text),
        [
            "3: wellread paint",
            "5: wellread tool read_mind",
            "6: wellread undo --lst",
            "7: wellread mcp --dry-rum",
            "10: wellread frob"
        ]
    );
}

/// README.md and docs/, as far as they exist.
fn documents() -> Vec<PathBuf> {
    let root = repository();
    let mut found = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found.retain(|path| path.exists());
    found
}

/// What the binary itself says that it has.
struct Known {
    commands: BTreeSet<String>,
    tools: BTreeSet<String>,
    desk: Desk,
}

impl Known {
    fn ask() -> Self {
        let desk = Desk::bare();
        let help = Ran::of(desk.command().arg("--help")).stdout;
        let listed = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
        let commands = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        let commands =
            commands.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect();
        let list = Ran::of(desk.command().args(["tool", "--list", "--json"])).done();
        let tools = list["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect();
        Self { commands, tools, desk }
    }

    /// `line: what` for each `wellread …` in code that names something unknown.
    fn wrong_in(&self, text: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut fenced = false;
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
                continue;
            }
            let codes: Vec<&str> =
                if fenced { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
            for code in codes {
                wrong.extend(self.unknown(code).map(|what| format!("{number}: {what}")));
            }
        }
        wrong
    }

    fn unknown(&self, code: &str) -> Option<String> {
        // What stands in quotation marks is one word, whatever is in it.
        let code = code.split('\'').step_by(2).collect::<Vec<_>>().join("'");
        let words: Vec<&str> = code.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
        let at = words.iter().position(|word| *word == "wellread")?;
        // Only where it is the command: at the start, after a prompt, variables or a pipe.
        let before = at == 0
            || words[..at].iter().all(|word| *word == "$" || word.contains('='))
            || words[at - 1] == "|";
        if !before {
            return None;
        }
        let mut rest = words[at + 1..].iter();
        let mut command = rest.next()?;
        while command.starts_with("--") {
            // `--vault DIR` and its like take a word, the switches do not.
            if ["--vault", "--data", "--config"].contains(command) {
                rest.next();
            }
            command = rest.next()?;
        }
        if command.starts_with('-') {
            return None;
        }
        let rest: Vec<&str> = rest.copied().collect();
        if !self.commands.contains(*command) {
            return Some(format!("wellread {command}"));
        }
        let plain = |word: &&&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if let ("tool", Some(name)) = (*command, rest.first().filter(plain))
            && !self.tools.contains(*name)
        {
            return Some(format!("wellread tool {name}"));
        }
        let mut help = Ran::of(self.desk.command().args([command, "--help"])).stdout;
        // A command of a command has options of its own.
        if let Some(below) = rest.first().filter(plain) {
            help += &Ran::of(self.desk.command().args([command, below, "--help"])).stdout;
        }
        let option = rest.iter().take_while(|word| **word != "|").find(|word| {
            word.starts_with("--") && word.len() > 2 && !help.contains(word.split('=').next().unwrap_or(word))
        });
        option.map(|option| format!("wellread {command} {option}"))
    }
}
