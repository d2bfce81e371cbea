//! The only module that writes to standard output, and how errors look on standard error.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use serde_json::{Value, json};
use wellread_core::{Error, Kind};

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
    pub fn text(self, text: &str) {
        let mut out = io::stdout().lock();
        // A reader that has gone away, as `head` does, wants no more.
        let _ = out.write_all(text.as_bytes());
        if !text.ends_with('\n') {
            let _ = out.write_all(b"\n");
        }
        let _ = out.flush();
    }

    /// A result for programs: one JSON object.
    pub fn object(self, value: &Value) {
        let mut out = io::stdout().lock();
        let _ = serde_json::to_writer_pretty(&mut out, value);
        let _ = out.write_all(b"\n");
        let _ = out.flush();
    }

    /// Something that is no result: it goes to standard error.
    pub fn notice(self, text: &str) {
        if !self.quiet {
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
    }

    /// The error where a program or a person looks for it, and the exit status.
    pub fn error(self, error: &Error) -> ExitCode {
        if self.json {
            self.object(&wellread_core::tools::envelope(Err(error.clone())));
        } else {
            let mut err = io::stderr().lock();
            let (red, plain) = if self.color { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
            let _ = writeln!(err, "{red}error{plain}: {error}");
            if let Some(hint) = error.hint_text() {
                let _ = writeln!(err, "  hint: {hint}");
            }
        }
        ExitCode::from(status(error.kind()))
    }
}

/// 0 done · 1 failed · 2 wrong usage · 3 not found · 4 refused · 5 not reachable
fn status(kind: Kind) -> u8 {
    match kind {
        Kind::Failed => 1,
        Kind::Invalid => 2,
        Kind::NotFound => 3,
        Kind::Refused | Kind::Conflict | Kind::Changed => 4,
        Kind::Unavailable => 5,
    }
}

/// A list of things that were done, as an answer.
pub fn success(fields: Value) -> Value {
    wellread_core::tools::envelope(Ok(if fields.is_object() { fields } else { json!({ "results": fields }) }))
}
