//! Reads PDFs in a separate process: they come from anywhere, and the parser may loop, panic or exhaust memory.
//!
//! The child is our own program with a hidden command. Before it reads a byte it drops its rights to memory, time,
//! files, sockets and children. Whatever happens to it, it is killed and reaped, and we continue.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use wellread_text::{PdfError, PdfText, extract_pdf_text};

use crate::platform::{ProcessLimits, limit_this_process};

/// The hidden command of the program.
pub const COMMAND: &str = "pdf-text";
/// The largest PDF in bytes that is read.
pub const LARGEST_PDF: u64 = 32 * 1024 * 1024;

/// The limits of the child: memory in bytes, CPU time in seconds, characters of text.
const MEMORY: u64 = 512 * 1024 * 1024;
const SECONDS: u64 = 20;
const MOST_CHARS: usize = 2_000_000;
/// The largest output in bytes: more than that many characters need as JSON.
const LARGEST_ANSWER: u64 = 16 * 1024 * 1024;

/// Why a PDF could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PdfFailure {
    Locked,
    Broken,
    TooLarge,
    /// It took longer than the limit.
    TimedOut,
    /// The child process died.
    Died,
    /// The child process could not be started.
    NotStarted,
}

impl PdfFailure {
    pub fn message(self) -> &'static str {
        match self {
            Self::Locked => "the PDF is locked with a password",
            Self::Broken => "the PDF is damaged",
            Self::TooLarge => "the PDF is too large",
            Self::TimedOut => "the PDF takes too long to read",
            Self::Died => "the PDF can't be read within the limits of memory and time",
            Self::NotStarted => "what reads PDFs could not be started",
        }
    }
}

/// Reads PDFs by starting the program as a child.
#[derive(Debug, Clone)]
pub struct PdfReader {
    program: PathBuf,
}

impl PdfReader {
    /// `program` is the path of our own executable.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into() }
    }

    /// Waits for the text, no longer than `limit`.
    pub fn read(&self, pdf: &[u8], limit: Duration) -> Result<PdfText, PdfFailure> {
        if pdf.len() as u64 > LARGEST_PDF {
            return Err(PdfFailure::TooLarge);
        }
        let mut command = Command::new(&self.program);
        command.arg(COMMAND).env_clear().current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|_| PdfFailure::NotStarted)?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let (answered, answer) = mpsc::channel();
        thread::scope(|threads| {
            threads.spawn(move || {
                // A child that died early does not read everything.
                let _ = to.map(|mut to| to.write_all(pdf));
            });
            threads.spawn(move || {
                let mut output = Vec::new();
                let read = from.map(|from| from.take(LARGEST_ANSWER + 1).read_to_end(&mut output));
                let _ = answered.send(read.is_some_and(|read| read.is_ok()).then_some(output));
            });
            let output = answer.recv_timeout(limit);
            // It has written everything, or its time is up. Killing a process that has ended does no harm.
            let _ = child.kill();
            let status = child.wait();
            match output {
                Err(_) => Err(PdfFailure::TimedOut),
                Ok(output) => parse_child_output(output, status.ok()),
            }
        })
    }
}

fn parse_child_output(output: Option<Vec<u8>>, status: Option<ExitStatus>) -> Result<PdfText, PdfFailure> {
    let output = output.filter(|output| output.len() as u64 <= LARGEST_ANSWER).ok_or(PdfFailure::TooLarge)?;
    if !status.is_some_and(|status| status.success()) {
        return Err(PdfFailure::Died);
    }
    match serde_json::from_slice(&output) {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(PdfError::Locked)) => Err(PdfFailure::Locked),
        Ok(Err(PdfError::Broken)) => Err(PdfFailure::Broken),
        Err(_) => Err(PdfFailure::Died),
    }
}

/// The child's side: drops privileges, reads a PDF, and returns its text for the caller to print.
pub fn run_child(mut input: impl Read) -> serde_json::Value {
    if !limit_this_process(ProcessLimits { memory: MEMORY, seconds: SECONDS }) {
        return serde_json::json!({ "Err": "broken" });
    }
    let mut pdf = Vec::new();
    let read = input.by_ref().take(LARGEST_PDF + 1).read_to_end(&mut pdf);
    let text = match read {
        Ok(length) if length as u64 <= LARGEST_PDF => extract_pdf_text(pdf, MOST_CHARS),
        _ => Err(PdfError::Broken),
    };
    serde_json::json!(text)
}
