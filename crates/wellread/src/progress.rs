//! Shows the progress of long work, in one line that is erased at the end.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use wellread_core::domain::display::render_duration;
use wellread_core::research::{ResearchEvent, ResearchStage};

use crate::output::Output;

#[derive(Debug)]
pub struct ProgressBar {
    output: Output,
    what: &'static str,
    begun: Instant,
    last: Mutex<Option<Instant>>,
}

/// Often enough to look alive.
const EVERY: Duration = Duration::from_millis(100);

/// Before that, nobody knows how fast it goes.
const ENOUGH: Duration = Duration::from_secs(2);

impl ProgressBar {
    pub fn new(output: Output, what: &'static str) -> Self {
        Self { output, what, begun: Instant::now(), last: Mutex::default() }
    }

    pub fn update(&self, done: usize, total: usize) {
        let Ok(mut last) = self.last.lock() else { return };
        if total > 0 && last.is_none_or(|last| last.elapsed() >= EVERY) {
            *last = Some(Instant::now());
            let left = estimate_left(self.begun.elapsed(), done, total);
            let left = left.map(|left| format!(", about {} left", render_duration(left))).unwrap_or_default();
            self.output.show_status(&format!(
                "{done} of {total} {} ({} %){left}",
                self.what,
                done * 100 / total
            ));
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.last.lock().is_ok_and(|last| last.is_some()) {
            self.output.show_status("");
        }
    }
}

/// How much longer it takes if it goes on as it did, in whole seconds; nothing until enough is known of it.
fn estimate_left(elapsed: Duration, done: usize, total: usize) -> Option<Duration> {
    let share = done as f64 / total as f64;
    let seconds = elapsed.as_secs_f64() * (1.0 - share) / share;
    (elapsed >= ENOUGH && (0.02..1.0).contains(&share)).then(|| Duration::from_secs(seconds.ceil() as u64))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_once_enough_is_known() {
        let left = |elapsed, done, total| estimate_left(Duration::from_secs(elapsed), done, total);
        assert_eq!(left(10, 25, 100), Some(Duration::from_secs(30)));
        assert_eq!(left(10, 99, 100), Some(Duration::from_secs(1)));
        for (elapsed, done, total) in
            [(1, 50, 100), (10, 0, 100), (10, 1, 100), (10, 100, 100), (10, 120, 100)]
        {
            assert_eq!(left(elapsed, done, total), None, "{elapsed} {done} {total}");
        }
    }
}
