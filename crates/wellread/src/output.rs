//! The only module that writes to standard output, and how errors look on standard error.

use std::io::{self, IsTerminal, Write};
use std::process::{Command, ExitCode, Stdio};

use serde_json::{Value, json};
use wellread_core::{Error, ErrorKind, Result};

/// Of a line that goes away again, in characters.
const LONGEST_LINE: usize = 78;

/// How to speak, as the flags say.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    pub json: bool,
    pub quiet: bool,
    pub color: bool,
}

impl Output {
    pub fn new(json: bool, quiet: bool, no_color: bool) -> Self {
        let color = !no_color && std::env::var_os("NO_COLOR").is_none() && io::stderr().is_terminal();
        Self { json, quiet, color }
    }

    /// A result for people: one or more whole lines.
    pub fn text(self, text: &str) -> Result<()> {
        write_stdout(text, if text.ends_with('\n') { "" } else { "\n" })
    }

    /// A result for programs: one JSON object.
    pub fn object(self, value: &Value) -> Result<()> {
        write_stdout(&format!("{value:#}"), "\n")
    }

    /// A result for programs that read line by line: one JSON object on one.
    pub fn line(self, value: &Value) -> Result<()> {
        write_stdout(&value.to_string(), "\n")
    }

    /// Whether a person reads the results.
    pub fn is_interactive(self) -> bool {
        !self.json && io::stdout().is_terminal()
    }

    /// A piece of a result that is still coming.
    pub fn write_chunk(self, text: &str) -> Result<()> {
        write_stdout(text, "")
    }

    /// Something that is no result: it goes to standard error.
    pub fn notice(self, text: &str) {
        if !self.quiet {
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
    }

    /// A line on a terminal that the next one takes the place of; an empty one takes it away.
    pub fn show_status(self, line: &str) {
        if !self.quiet && !self.json && io::stderr().is_terminal() {
            // It may hold others' words, and must stay on one line.
            let line: String =
                line.chars().filter(|letter| !letter.is_control()).take(LONGEST_LINE).collect();
            let _ = write!(io::stderr().lock(), "\r\x1b[K{line}");
        }
    }

    /// The error where a program or a person looks for it, and the exit status.
    pub fn error(self, error: &Error) -> ExitCode {
        let written =
            self.json && self.object(&wellread_core::faces::tools::envelope(Err(error.clone()))).is_ok();
        if !written {
            let mut err = io::stderr().lock();
            let (red, plain) = if self.color { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
            let _ = writeln!(err, "{red}error{plain}: {error}");
            if let Some(hint) = error.hint_text() {
                let _ = writeln!(err, "  hint: {hint}");
            }
        }
        ExitCode::from(exit_status(error.kind()))
    }
}

/// A program that is started speaks on none of our channels.
pub fn silence_streams(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

/// What clap has to say: help and version are results, a wrong word is not.
pub fn report_clap_error(said: &clap::Error, json: bool) -> ExitCode {
    if said.use_stderr() && json {
        return Output { json, quiet: true, color: false }.error(&usage_error(said));
    }
    let _ = said.print();
    ExitCode::from(if said.use_stderr() { exit_status(ErrorKind::Invalid) } else { 0 })
}

/// What clap says to a person, for a program.
fn usage_error(error: &clap::Error) -> Error {
    let said = error.render().to_string();
    let said = said.trim_start_matches("error: ");
    let message = said.split("\n\n").next().unwrap_or(said).split_whitespace().collect::<Vec<_>>().join(" ");
    let tip = said.lines().find_map(|line| line.trim().strip_prefix("tip: "));
    Error::invalid(message)
        .hint(tip.unwrap_or("`wellread --help` and `wellread COMMAND --help` show what there is"))
}

fn write_stdout(text: &str, end: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(end.as_bytes()))
        .and_then(|()| out.flush())
    {
        // A reader that has gone away, as `head` does, wants no more.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::failed(format!("could not write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// 0 done · 1 failed · 2 wrong usage · 3 not found · 4 refused · 5 not reachable
fn exit_status(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Failed | ErrorKind::BadReply => 1,
        ErrorKind::Invalid => 2,
        ErrorKind::NotFound => 3,
        ErrorKind::Refused | ErrorKind::Conflict | ErrorKind::Changed => 4,
        ErrorKind::NotSetUp | ErrorKind::Unavailable => 5,
    }
}

/// A list of things that were done, as an answer.
pub fn success(fields: Value) -> Value {
    wellread_core::faces::tools::envelope(Ok(if fields.is_object() {
        fields
    } else {
        json!({ "results": fields })
    }))
}
