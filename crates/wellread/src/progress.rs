//! Shows the progress of long work, in one line that is erased at the end.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use wellread_core::research::{ResearchEvent, ResearchStage};

use crate::output::Output;

#[derive(Debug)]
pub struct ProgressBar {
    output: Output,
    what: &'static str,
    last: Mutex<Option<Instant>>,
}

/// Often enough to look alive.
const EVERY: Duration = Duration::from_millis(100);

impl ProgressBar {
    pub fn new(output: Output, what: &'static str) -> Self {
        Self { output, what, last: Mutex::default() }
    }

    pub fn update(&self, done: usize, total: usize) {
        let Ok(mut last) = self.last.lock() else { return };
        if total > 0 && last.is_none_or(|last| last.elapsed() >= EVERY) {
            *last = Some(Instant::now());
            self.output.show_status(&format!("{done} of {total} {} ({} %)", self.what, done * 100 / total));
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.last.lock().is_ok_and(|last| last.is_some()) {
            self.output.show_status("");
        }
    }
}

/// A step of research for people; nothing where it is none.
pub fn render_progress(progress: &ResearchEvent) -> Option<String> {
    match progress {
        ResearchEvent::Run { .. } => None,
        ResearchEvent::Leaves { what, to, about } => {
            Some(format!("will be sent to the {what} at {to}: {about}"))
        }
        ResearchEvent::Stage { stage: ResearchStage::Gather, done, of, about } => {
            let about = if about.is_empty() { String::new() } else { format!(": {about}") };
            Some(format!("gathering, {done} of {of}{about}"))
        }
        ResearchEvent::Stage { stage: ResearchStage::Investigate, done, about, .. } => {
            Some(format!("investigating, step {}: {about}", done + 1))
        }
        ResearchEvent::Stage { stage, .. } => Some(stage.name().to_owned()),
        ResearchEvent::Step { step, about } => Some(format!("{}: {about}", step.name())),
    }
}

/// Research on a terminal: what will leave the machine on a line that stays, everything else on one that goes away again.
pub fn progress_printer(output: Output) -> impl Fn(ResearchEvent) + Send + Sync {
    move |progress| match (&progress, render_progress(&progress)) {
        (ResearchEvent::Leaves { .. }, Some(words)) => {
            output.show_status("");
            output.notice(&words);
        }
        (_, Some(words)) => output.show_status(&words),
        _ => {}
    }
}
