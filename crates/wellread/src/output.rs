//! The only module that writes to standard output and standard error. Whatever is written becomes [`TerminalText`] first: no
//! words of notes, code, pages or models act on a terminal.

mod styled_text;
mod terminal_text;

use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Command, ExitCode, Stdio};

use serde_json::{Value, json};
use wellread_core::{Error, ErrorKind, Result};

pub use self::styled_text::{SpanStyle, StyledText, TerminalFeatures};
pub use self::terminal_text::LogWriter;
use self::terminal_text::TerminalText;

/// Of a line that goes away again, in characters.
const LONGEST_LINE: usize = 78;

/// How to speak, as the flags say.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    pub json: bool,
    pub quiet: bool,
    /// Whether errors are colored.
    pub color: bool,
    /// What the terminal behind standard output can show.
    pub features: TerminalFeatures,
}

/// When colors are used.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also in files and pipes
    Always,
    /// Never
    Never,
}

impl ColorChoice {
    fn applies(self, is_terminal: bool) -> bool {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        match self {
            Self::Auto => is_terminal && !is_dumb && !is_set("NO_COLOR"),
            Self::Always => true,
            Self::Never => false,
        }
    }

    /// The same for what clap prints.
    pub fn for_clap(self) -> clap::ColorChoice {
        match self {
            Self::Auto => clap::ColorChoice::Auto,
            Self::Always => clap::ColorChoice::Always,
            Self::Never => clap::ColorChoice::Never,
        }
    }
}

impl Output {
    pub fn new(json: bool, quiet: bool, choice: ColorChoice) -> Self {
        let is_terminal = io::stdout().is_terminal();
        let features = TerminalFeatures {
            color: choice.applies(is_terminal),
            links: is_terminal && has_hyperlinks(),
            width: is_terminal.then(terminal_width).flatten(),
        };
        Self { json, quiet, color: choice.applies(io::stderr().is_terminal()), features }
    }

    /// A result for people with emphasis and links, wrapped to the width of the terminal, if one shows it.
    pub fn styled(self, text: &StyledText) -> Result<()> {
        let text = TerminalText::from_rendered(text.render(self.features));
        write_stdout(&text, !text.ends_line())
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

/// The columns of the terminal behind standard output.
fn terminal_width() -> Option<usize> {
    let (columns, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(columns.0)).filter(|columns| *columns > 0)
}

/// Whether the terminal is one that is known to show hyperlinks. Others would show the address between the words.
fn has_hyperlinks() -> bool {
    let read = |name: &str| std::env::var(name).unwrap_or_default();
    let (forced, term) = (read("FORCE_HYPERLINK"), read("TERM"));
    if !forced.is_empty() {
        return forced != "0";
    }
    const PROGRAMS: [&str; 7] = ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby"];
    const TERMS: [&str; 4] = ["kitty", "alacritty", "foot", "ghostty"];
    const VARIABLES: [&str; 3] = ["WT_SESSION", "DOMTERM", "KONSOLE_VERSION"];
    PROGRAMS.contains(&read("TERM_PROGRAM").as_str())
        || TERMS.iter().any(|known| term.contains(known))
        || VARIABLES.iter().any(|name| !read(name).is_empty())
        || read("VTE_VERSION").parse::<u32>().is_ok_and(|version| version >= 5000)
}

/// A program that is started speaks on none of our channels.
pub fn silence_streams(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

/// What clap has to say: help and version are results, a wrong word is not.
pub fn report_clap_error(said: &clap::Error, json: bool) -> ExitCode {
    if said.use_stderr() && json {
        return Output::new(json, true, ColorChoice::Never).error(&usage_error(said));
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
        ErrorKind::Failed | ErrorKind::Denied | ErrorKind::BadReply => 1,
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
