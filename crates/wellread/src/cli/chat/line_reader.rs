//! The lines that are typed: with editing and a history on a terminal, as they are from a pipe.

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};
use wellread_core::{Error, Result};

const PROMPT: &str = "> ";
const REMEMBERED: usize = 500;
const LONGEST_LINE: usize = 4 * 1024 * 1024;

pub enum LineReader {
    Typed { editor: Box<Editor<(), FileHistory>>, file: PathBuf },
    Piped,
}

impl LineReader {
    /// What was typed before is remembered in the data folder, for the user alone.
    pub fn open(data: &Path) -> Self {
        if !std::io::stdin().is_terminal() {
            return Self::Piped;
        }
        let config = Config::builder()
            .max_history_size(REMEMBERED)
            .map(|config| config.auto_add_history(true).build());
        let Some(mut editor) = config.ok().and_then(|config| Editor::with_config(config).ok()) else {
            return Self::Piped;
        };
        let file = data.join("chat-history");
        // The first time there is none.
        let _ = editor.load_history(&file);
        Self::Typed { editor: Box::new(editor), file }
    }

    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Typed { .. })
    }

    /// The next line; none at the end.
    pub fn next_line(&mut self) -> Result<Option<String>> {
        match self {
            Self::Typed { editor, file } => match editor.readline(PROMPT) {
                Ok(line) => {
                    // A history that can't be kept is no reason to stop.
                    let _ = editor.save_history(file);
                    Ok(Some(line))
                }
                Err(ReadlineError::Interrupted | ReadlineError::Eof) => Ok(None),
                Err(error) => Err(Error::failed(format!("the line can't be read: {error}"))),
            },
            Self::Piped => read_piped_line(),
        }
    }
}

fn read_piped_line() -> Result<Option<String>> {
    let mut line = Vec::new();
    let unreadable = |why: &str| Error::invalid(format!("standard input can't be read: {why}"));
    let mut input = std::io::Read::take(std::io::stdin().lock(), LONGEST_LINE as u64 + 1);
    input.read_until(b'\n', &mut line).map_err(|error| unreadable(&error.to_string()))?;
    if line.len() > LONGEST_LINE {
        return Err(unreadable("a line is too long"));
    }
    if line.is_empty() {
        return Ok(None);
    }
    String::from_utf8(line).map(Some).map_err(|_| unreadable("it is not UTF-8"))
}
