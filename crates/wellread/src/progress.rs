//! How far long work has come, in one line that goes away again.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::output::Output;

#[derive(Debug)]
pub struct Bar {
    output: Output,
    what: &'static str,
    last: Mutex<Option<Instant>>,
}

/// Often enough to look alive.
const EVERY: Duration = Duration::from_millis(100);

impl Bar {
    pub fn new(output: Output, what: &'static str) -> Self {
        Self { output, what, last: Mutex::default() }
    }

    pub fn at(&self, done: usize, total: usize) {
        let Ok(mut last) = self.last.lock() else { return };
        if total > 0 && last.is_none_or(|last| last.elapsed() >= EVERY) {
            *last = Some(Instant::now());
            self.output.passing(&format!("{done} of {total} {} ({} %)", self.what, done * 100 / total));
        }
    }

    /// Takes the line away.
    pub fn done(&self) {
        if self.last.lock().is_ok_and(|last| last.is_some()) {
            self.output.passing("");
        }
    }
}
