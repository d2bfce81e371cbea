//! How far long work has come, in one line that goes away again.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use wellread_core::research::{Progress, Stage};

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

/// A step of research for people; nothing where it is none.
pub fn in_words(progress: &Progress) -> Option<String> {
    match progress {
        Progress::Run { .. } => None,
        Progress::Leaves { what, to, about } => Some(format!("will be sent to the {what} at {to}: {about}")),
        Progress::Stage { stage: Stage::Gather, done, of, about } => {
            let about = if about.is_empty() { String::new() } else { format!(": {about}") };
            Some(format!("gathering, {done} of {of}{about}"))
        }
        Progress::Stage { stage: Stage::Investigate, done, about, .. } => {
            Some(format!("investigating, step {}: {about}", done + 1))
        }
        Progress::Stage { stage, .. } => Some(stage.name().to_owned()),
        Progress::Step { step, about } => Some(format!("{}: {about}", step.name())),
    }
}

/// Research on a terminal: what will leave the machine on a line that stays, everything else on one that goes away again.
pub fn shown(output: Output) -> impl Fn(Progress) + Send + Sync {
    move |progress| match (&progress, in_words(&progress)) {
        (Progress::Leaves { .. }, Some(words)) => {
            output.passing("");
            output.notice(&words);
        }
        (_, Some(words)) => output.passing(&words),
        _ => {}
    }
}
