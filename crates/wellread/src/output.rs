//! The only module that writes to standard output and standard error. Whatever is written becomes [`TerminalText`] first: no
//! words of notes, code, pages or models act on a terminal.

mod terminal_text;

use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Command, ExitCode, Stdio};

use serde_json::{Value, json};
use wellread_core::{Error, ErrorKind, Result};

pub use self::terminal_text::LogWriter;
use self::terminal_text::TerminalText;

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
        let text = TerminalText::new(text);
        write_stdout(&text, !text.ends_line())
    }

    /// A result for programs: one JSON object.
    pub fn object(self, value: &Value) -> Result<()> {
        write_stdout(&TerminalText::from_json(value, true), true)
    }

    /// A result for programs that read line by line: one JSON object on one.
    pub fn line(self, value: &Value) -> Result<()> {
        write_stdout(&TerminalText::from_json(value, false), true)
    }

    /// Whether a person reads the results.
    pub fn is_interactive(self) -> bool {
        !self.json && io::stdout().is_terminal()
    }

    /// A piece of a result that is still coming.
    pub fn write_chunk(self, text: &str) -> Result<()> {
        write_stdout(&TerminalText::new(text), false)
    }

    /// Something that is no result: it goes to standard error.
    pub fn notice(self, text: &str) {
        if !self.quiet {
            write_stderr(&[TerminalText::new(text), TerminalText::new("\n")]);
        }
    }

    /// A question to the user, on standard error; the answer is typed behind it.
    pub fn prompt(self, text: &str) {
        write_stderr(&[TerminalText::new(text)]);
    }

    /// A line on a terminal that the next one takes the place of; an empty one takes it away.
    pub fn show_status(self, line: &str) {
        if !self.quiet && !self.json && io::stderr().is_terminal() {
            write_stderr(&[TerminalText::status_line(line, LONGEST_LINE)]);
        }
    }

    /// The error where a program or a person looks for it, and the exit status.
    pub fn error(self, error: &Error) -> ExitCode {
        let written =
            self.json && self.object(&wellread_core::faces::tools::envelope(Err(error.clone()))).is_ok();
        if !written {
            let hint = error.hint_text().map(|hint| format!("  hint: {hint}\n")).unwrap_or_default();
            let said = format!("{error}\n{hint}");
            write_stderr(&[TerminalText::error_label(self.color), TerminalText::new(&said)]);
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
    if !said.use_stderr() {
        // Help and version are our own words, and clap knows how they look best.
        let _ = said.print();
        return ExitCode::SUCCESS;
    }
    write_stderr(&[TerminalText::new(&said.render().to_string())]);
    ExitCode::from(exit_status(ErrorKind::Invalid))
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

fn write_stdout(text: &TerminalText<'_>, ends_line: bool) -> Result<()> {
    let mut out = io::stdout().lock();
    let end = if ends_line { TerminalText::new("\n") } else { TerminalText::new("") };
    match text.write_to(&mut out).and_then(|()| end.write_to(&mut out)).and_then(|()| out.flush()) {
        // A reader that has gone away, as `head` does, wants no more.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::failed(format!("could not write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Where standard error can't be written, nobody is there to be told.
fn write_stderr(texts: &[TerminalText<'_>]) {
    let mut err = io::stderr().lock();
    let _ = texts.iter().try_for_each(|text| text.write_to(&mut err)).and_then(|()| err.flush());
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

/// The exit status of a search that found nothing.
pub fn nothing_found() -> ExitCode {
    ExitCode::from(exit_status(ErrorKind::NotFound))
}

/// A list of things that were done, as an answer.
pub fn success(fields: Value) -> Value {
    wellread_core::faces::tools::envelope(Ok(if fields.is_object() {
        fields
    } else {
        json!({ "results": fields })
    }))
}
