//! A program of this machine that gets a recording's path and prints what is said in it. No shell reads the command.

use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{BoxFuture, Recording, Speech};
use wellread_core::{Error, ErrorKind, Result};

use super::unavailable_error;
use crate::platform;

const PATIENCE: Duration = Duration::from_secs(280);
const LARGEST_ANSWER: u64 = 8 * 1024 * 1024;
/// In characters of a program's last line.
const LONGEST_COMPLAINT: usize = 200;
/// How long a program that has failed is waited for to say why.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How often it is looked at whether the program has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub struct SpeechCommand {
    program: String,
    arguments: Vec<String>,
    patience: Duration,
}

impl SpeechCommand {
    /// A command as it is written: words with spaces between them, `"` around what holds spaces itself.
    pub fn new(written: &str) -> Result<Self> {
        let mut words = words(written)?.into_iter();
        let program = words.next().ok_or_else(|| Error::invalid("the command is empty"))?;
        Ok(Self { program, arguments: words.collect(), patience: PATIENCE })
    }
}

impl Speech for SpeechCommand {
    fn endpoint(&self) -> (String, bool) {
        (self.program.clone(), true)
    }

    fn transcribe<'a>(&'a self, recording: &'a Recording) -> BoxFuture<'a, Result<Untrusted>> {
        Box::pin(async move {
            let (program, arguments) = (self.program.clone(), self.arguments.clone());
            let (recording, patience) = (recording.clone(), self.patience);
            let given_up = Arc::new(AtomicBool::new(false));
            let _ends_it = CancelOnDrop(given_up.clone());
            let work = move || {
                let file = TempRecording::new(&recording)?;
                run(&program, &arguments, &file.path, patience, &given_up)
            };
            let done = tokio::task::spawn_blocking(work).await;
            done.unwrap_or_else(|_| Err(Error::failed("the program was not run")))
                .map(Untrusted::from_outside)
        })
    }
}

/// Whoever waits no longer does not leave the program running.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn run(
    program: &str,
    arguments: &[String],
    file: &Path,
    patience: Duration,
    given_up: &AtomicBool,
) -> Result<String> {
    let mut child = Command::new(program)
        .args(arguments)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            let message = format!("`{program}` can't be started: {error}");
            Error::new(ErrorKind::NotSetUp, message)
                .hint("`speech.command` names the program that transcribes")
        })?;
    let Some(printed) = child.stdout.take() else {
        return Err(unavailable_error(format!("`{program}` prints nothing")));
    };
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        printed.take(LARGEST_ANSWER + 1).read_to_end(&mut text).map(|_| text)
    });
    let complaints = child.stderr.take().map(collect_complaints);
    let status = wait(&mut child, program, patience, given_up)?;
    let text = reader.join().ok().and_then(std::result::Result::ok).unwrap_or_default();
    if text.len() as u64 > LARGEST_ANSWER {
        return Err(unavailable_error(format!("`{program}` printed more than {LARGEST_ANSWER} bytes")));
    }
    if !status {
        // Whatever the program left running may hold the line open.
        let last = complaints.and_then(|last| last.recv_timeout(LAST_WORDS).ok()).unwrap_or_default();
        return Err(unavailable_error(format!("`{program}` failed{last}")));
    }
    Ok(strip_times(&String::from_utf8_lossy(&text)))
}

/// Reads what a program complains of, so that it is never held up; told is the last line, as the end of a message.
fn collect_complaints(mut said: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let (mut end, mut piece) = (Vec::new(), [0; 4096]);
        while let Ok(read @ 1..) = said.read(&mut piece) {
            end.extend_from_slice(&piece[..read]);
            let excess = end.len().saturating_sub(piece.len());
            end.drain(..excess);
        }
        let _ = send.send(last_complaint(&end));
    });
    receive
}

fn last_complaint(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let last: String = last.chars().filter(|c| !c.is_control()).take(LONGEST_COMPLAINT).collect();
    if last.is_empty() { last } else { format!(": {last}") }
}

/// A transcript without the times that whisper.cpp puts before each line: `[00:00:00.000 --> 00:00:02.500]`.
fn strip_times(text: &str) -> String {
    let without = |line: &str| -> Option<String> {
        let (times, said) = line.trim_start().strip_prefix('[')?.split_once(']')?;
        let is_time = |time: &str| {
            time.contains(':') && time.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.' | ','))
        };
        let (from, to) = times.split_once(" --> ")?;
        (is_time(from.trim()) && is_time(to.trim())).then(|| said.trim().to_owned())
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    // Only where every line has them: otherwise they are somebody's words.
    let bare: Option<Vec<String>> = lines.map(without).collect();
    bare.filter(|lines| !lines.is_empty()).map_or_else(|| text.to_owned(), |lines| lines.join("\n"))
}

/// Waits for the end, and makes one where it takes too long.
fn wait(child: &mut Child, program: &str, patience: Duration, given_up: &AtomicBool) -> Result<bool> {
    let until = Instant::now() + patience;
    let end = |child: &mut Child, why: &str| {
        // It may have ended by now.
        let _ = child.kill();
        let _ = child.wait();
        Err(unavailable_error(format!("`{program}` {why}")))
    };
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if given_up.load(Ordering::Acquire) => return end(child, "was stopped"),
            Ok(None) if Instant::now() >= until => return end(child, "did not end in time"),
            Ok(None) => {}
            Err(error) => return end(child, &format!("can't be waited for: {error}")),
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// The recording as a file that only the user can read; gone when this is dropped.
struct TempRecording {
    folder: PathBuf,
    path: PathBuf,
}

impl TempRecording {
    fn new(recording: &Recording) -> Result<Self> {
        let failed = |error: std::io::Error| {
            Error::failed(format!("the recording can't be stored temporarily: {error}"))
        };
        let folder = std::env::temp_dir().join(format!("wellread-{}", wellread_core::domain::id::nonce()));
        platform::create_private_folder(&folder).map_err(failed)?;
        // A name that looks like an option, or leads elsewhere, is none: only the ending counts.
        let ending = recording.name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let ending: String = ending.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        let kept = Self { path: folder.join(format!("recording.{ending}")), folder };
        let file = std::fs::OpenOptions::new().write(true).create_new(true).open(&kept.path);
        file.and_then(|mut file| file.write_all(&recording.bytes)).map_err(failed)?;
        Ok(kept)
    }
}

impl Drop for TempRecording {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn words(written: &str) -> Result<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quoted) = (None::<String>, false);
    for letter in written.chars() {
        match letter {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            letter if letter.is_whitespace() && !quoted => words.extend(word.take()),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    if quoted {
        return Err(Error::invalid("a quotation mark in the command is not closed"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests;
