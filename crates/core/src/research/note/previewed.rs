//! Writes what a dry run showed: the same text into the same note, and nothing is asked again.

use super::okf_fields::OKF_MARK;
use super::{HEADING, NoteAnswer, NoteJob, read_researchable};
use crate::domain::id::RunId;
use crate::engine::log::read_shown_run;
use crate::engine::run::RunSpec;
use crate::library::vault::ChangeOutcome;
use crate::ports::event::{LoggedEvent, RunEvent, RunKind, RunOutcome};
use crate::research::okf::OkfMark;
use crate::research::section::ShownSection;
use crate::research::{Context, Research};
use crate::{Error, Result};

/// A dry run's job and answer, and the body of the section that it showed.
struct Preview {
    job: NoteJob,
    answer: NoteAnswer,
    body: String,
    okf: Option<OkfMark>,
}

impl Research {
    /// Writes the section that a dry run of this note showed, as an edit of that run. `Err` if the run was none, or if
    /// something else would be written because the note has changed.
    pub fn write_previewed_note(&self, context: Context<'_>, path: &str, run: &str) -> Result<NoteAnswer> {
        let run = RunId::parse(run)?;
        let Preview { job, answer, body, okf } =
            Preview::read(&run, &read_shown_run(&*self.runs.records, context.vault, &run)?)?;
        let path = read_researchable(context, path)?.path;
        if path.as_str() != job.path {
            return Err(Error::invalid(format!("the run {run} is about `{}`, not `{path}`", job.path))
                .with_path(path.as_str()));
        }
        let section = ShownSection::new(&run, ("research_note", HEADING), &body, job.before.as_ref(), okf);
        let shown = added_lines(answer.diff.as_deref());
        match section.place(context.vault, &path, true)?.0 {
            ChangeOutcome::Shown { diff } if added_lines(Some(&diff)) != shown => {
                return Err(Error::conflict("the note has changed since the preview")
                    .with_path(path.as_str())
                    .hint("nothing was written; preview it again"));
            }
            _ => {}
        }
        let operation = match section.place(context.vault, &path, false)?.0 {
            ChangeOutcome::Written { operation, .. } => Some(operation.to_string()),
            _ => None,
        };
        Ok(NoteAnswer { operation, dry_run: false, diff: None, ..answer })
    }
}

impl Preview {
    fn read(run: &RunId, events: &[LoggedEvent]) -> Result<Self> {
        let spec = RunSpec::from_log(events).filter(|spec| spec.kind == RunKind::Note);
        let job: Option<NoteJob> = spec.and_then(|spec| serde_json::from_value(spec.request).ok());
        let job = job.filter(|job| job.dry_run);
        let drawn = |wanted: &str| {
            events.iter().rev().find_map(|stamped| match &stamped.event {
                RunEvent::Drawn { name, value, .. } if name == wanted => Some(value.clone()),
                _ => None,
            })
        };
        let body = drawn("body").and_then(|body| body.as_str().map(str::to_owned));
        let okf = drawn(OKF_MARK).and_then(|mark| serde_json::from_value(mark).ok());
        let answer = events.iter().rev().find_map(|stamped| match &stamped.event {
            RunEvent::Ended(ended) if ended.outcome == RunOutcome::Done => {
                serde_json::from_value::<NoteAnswer>(ended.result.clone()).ok()
            }
            _ => None,
        });
        match (job, answer, body) {
            (Some(job), Some(answer), Some(body)) => Ok(Self { job, answer, body, okf }),
            _ => Err(Error::invalid(format!("the run {run} is no finished dry run of research of a note"))
                .hint("begin with `--dry-run`, and take the run that it names")),
        }
    }
}

/// The lines that a diff adds.
fn added_lines(diff: Option<&str>) -> Vec<&str> {
    let lines = diff.unwrap_or_default().lines();
    lines.filter(|line| line.starts_with('+') && !line.starts_with("+++")).collect()
}
