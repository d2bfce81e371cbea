//! The pages of the book, and the commands in them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::desk::repository;

/// The info of a fence that shows what the one command in the fence before prints.
const OUTPUT: &str = "text,output";

/// A page by its path in `docs/book/src`.
pub struct Page {
    pub name: String,
    pub text: String,
}

/// A fence with commands.
#[derive(Debug)]
pub struct Block {
    info: String,
    /// Whether what the commands print stands below each.
    pub shows_output: bool,
    pub commands: Vec<BookCommand>,
}

/// A command of a page, and what the page says that it prints.
#[derive(Debug)]
pub struct BookCommand {
    /// Its first and its last line, from 1.
    pub line: usize,
    pub last_line: usize,
    pub text: String,
    output: Vec<String>,
}

pub fn book() -> PathBuf {
    repository().join("docs/book")
}

/// Every page of the book, by its name.
pub fn pages() -> Vec<Page> {
    let root = book().join("src");
    let (mut names, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                names.push(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    names.sort();
    assert!(names.len() > 10, "{names:?}");
    names.iter().map(|name| Page::read(name)).collect()
}

impl Page {
    pub fn read(name: &str) -> Self {
        let path = book().join("src").join(Path::new(name));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { name: name.to_owned(), text }
    }

    pub fn made_up(text: &str) -> Self {
        Self { name: "page.md".to_owned(), text: text.to_owned() }
    }

    /// The lines outside of fences, each with its number from 1.
    pub fn prose(&self) -> Vec<(usize, &str)> {
        let mut fence = "";
        let mut prose = Vec::new();
        for (number, line) in (1..).zip(self.text.lines()) {
            let mark = fence_mark(line);
            if fence.is_empty() && !mark.is_empty() {
                fence = mark;
            } else if !fence.is_empty() {
                if mark.len() >= fence.len() && line.trim() == mark {
                    fence = "";
                }
            } else {
                prose.push((number, line));
            }
        }
        assert!(fence.is_empty(), "{}: a fence is left open", self.name);
        prose
    }

    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut fence: Option<(&str, &str)> = None;
        for (number, line) in (1..).zip(self.text.lines()) {
            let mark = fence_mark(line);
            match fence {
                None if !mark.is_empty() => {
                    let info = line.trim().trim_start_matches('`');
                    fence = Some((mark, info));
                    if info == OUTPUT {
                        blocks.last_mut().unwrap().expect_output(number);
                    } else if is_shell(info) {
                        let shows_output = info.starts_with("console");
                        blocks.push(Block { info: info.to_owned(), shows_output, commands: Vec::new() });
                    }
                }
                Some((open, _)) if mark.len() >= open.len() && line.trim() == mark => fence = None,
                Some((_, OUTPUT)) => blocks.last_mut().unwrap().push_output(line),
                Some((_, info)) if is_shell(info) => blocks.last_mut().unwrap().push(number, line),
                _ => {}
            }
        }
        blocks
    }
}

fn fence_mark(line: &str) -> &str {
    let line = line.trim_start();
    let mark = &line[..line.len() - line.trim_start_matches('`').len()];
    if mark.len() >= 3 { mark } else { "" }
}

fn is_shell(info: &str) -> bool {
    let language = info.split(',').next();
    language == Some("sh") || language == Some("console")
}

impl Block {
    pub fn is_run(&self) -> bool {
        !self.info.split(',').any(|word| word == "norun")
    }

    fn push(&mut self, number: usize, line: &str) {
        if let Some(last) = self.commands.last_mut()
            && last.text.ends_with('\\')
        {
            last.text = format!("{}\n{line}", last.text);
            last.last_line = number;
            return;
        }
        let text = if self.shows_output { line.strip_prefix("$ ") } else { Some(line) };
        match text {
            Some(text) if text.trim().is_empty() || text.trim_start().starts_with('#') => {}
            Some(text) => self.commands.push(BookCommand {
                line: number,
                last_line: number,
                text: text.to_owned(),
                output: Vec::new(),
            }),
            None => self.push_output(line),
        }
    }

    /// What its one command prints follows below this line, in a fence of its own.
    fn expect_output(&mut self, number: usize) {
        assert_eq!(self.commands.len(), 1, "line {number}: output of which command?");
        self.shows_output = true;
        self.commands[0].last_line = number;
    }

    fn push_output(&mut self, line: &str) {
        let last = self.commands.last_mut();
        last.unwrap_or_else(|| panic!("output before a command: {line}")).output.push(line.to_owned());
    }
}

impl BookCommand {
    /// What it prints, as the page says; a blank line before the next command does not count.
    pub fn output(&self) -> &[String] {
        let end = self.output.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        &self.output[..end]
    }

    /// The words after each `wellread` that is called, in the shell's quotes or without.
    pub fn calls(&self) -> Vec<Vec<String>> {
        let mut calls = Vec::new();
        for words in shell_words(&self.text) {
            let mut words = words.into_iter().skip_while(|word| {
                word.split_once('=')
                    .is_some_and(|(name, _)| name.chars().all(|c| c == '_' || c.is_ascii_uppercase()))
            });
            if words.next().as_deref() == Some("wellread") {
                let redirects = |word: &String| word.starts_with(['<', '>']) || word.starts_with("2>");
                calls.push(words.take_while(|word| !redirects(word)).collect());
            }
        }
        calls
    }
}

/// The words of each command of a line: split at `|`, `&&` and `;`, with quotes taken off and comments left out.
fn shell_words(text: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let (mut word, mut quote, mut begun) = (String::new(), None, false);
    let mut letters = text.replace("\\\n", " ").chars().collect::<Vec<_>>().into_iter().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => word.push(letter),
            (None, '\'' | '"') => (quote, begun) = (Some(letter), true),
            (None, '#') if !begun => break,
            (None, ' ' | '|' | ';' | '&') => {
                if begun {
                    commands.last_mut().unwrap().push(std::mem::take(&mut word));
                    begun = false;
                }
                // `2>&1` is no end of a command.
                if letter != ' ' {
                    commands.push(Vec::new());
                }
            }
            (None, '>') if letters.peek() == Some(&'&') => {
                letters.next();
                (begun, word) = (true, format!("{word}>"));
            }
            (None, _) => {
                begun = true;
                word.push(letter);
            }
        }
    }
    if begun {
        commands.last_mut().unwrap().push(word);
    }
    commands
}
