//! How far long work has come, in one line on standard error, where that is a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::output::Output;

#[derive(Debug)]
pub struct Bar {
    what: &'static str,
    shown: bool,
    last: Mutex<Option<Instant>>,
}

/// Often enough to look alive.
const EVERY: Duration = Duration::from_millis(100);

impl Bar {
    pub fn new(output: Output, what: &'static str) -> Self {
        let shown = !output.quiet && !output.json && io::stderr().is_terminal();
        Self { what, shown, last: Mutex::default() }
    }

    pub fn at(&self, done: usize, total: usize) {
        let Ok(mut last) = self.last.lock() else { return };
        if self.shown && total > 0 && last.is_none_or(|last| last.elapsed() >= EVERY) {
            *last = Some(Instant::now());
            let percent = done * 100 / total;
            let _ = write!(io::stderr().lock(), "\r\x1b[K{done} of {total} {} ({percent} %)", self.what);
        }
    }

    /// Takes the line away.
    pub fn done(&self) {
        if self.last.lock().is_ok_and(|last| last.is_some()) {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}
