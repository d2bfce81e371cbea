//! `wellread runs forget`: removes the text of runs for good.

use std::time::Duration;

use serde_json::json;
use wellread_core::Result;
use wellread_core::domain::display::counted;

use crate::answers::{self, ForgetAnswer, ForgetSelection};
use crate::app::App;
use crate::cli::Invocation;
use crate::output::success;

/// Remove the text of runs for good; only that they happened is kept
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A run's log has text of notes and pages, and so do conversations. Forgetting removes the log, the \
conversations that belong to it, pages that nothing else cites and all cached pages, and rewrites the file without them. \
The id, the kind and the times of the run are kept. With --note and --private, the old text of edits of those notes goes, \
too, so these edits can't be undone, what findings and ended agendas say of them, and what the index has left of deleted \
text. What findings say of their pages and the notes themselves stay as they are; `wellread undo --forget` removes the old \
text of all edits. The setting data.keep_runs_days \
forgets old runs by itself.\n\nExample:\n  wellread runs forget 01kbd4\n  \
wellread runs forget --older 90\n  wellread runs forget --private\n  wellread runs forget --note Diary.md"
)]
#[command(group = clap::ArgGroup::new("which").required(true))]
pub struct ForgetArgs {
    /// The id of a run, or the first characters of it
    #[arg(value_name = "ID", group = "which")]
    run: Option<String>,
    /// Every run, and every conversation, that was last continued more than this many days ago
    #[arg(long, value_name = "DAYS", group = "which")]
    older: Option<u32>,
    /// Every run that has text of this note, whether the note still exists or not, and the old text of its edits
    #[arg(long, value_name = "PATH", group = "which")]
    note: Option<String>,
    /// The same for every note that is private or deleted by now
    #[arg(long, group = "which")]
    private: bool,
    /// Every run and every conversation
    #[arg(long, group = "which")]
    all: bool,
}

const A_DAY: u64 = 24 * 60 * 60;

pub fn run(invocation: &Invocation, app: &App, args: &ForgetArgs) -> Result<()> {
    let selection = match args {
        ForgetArgs { run: Some(run), .. } => ForgetSelection::Run(run.clone()),
        ForgetArgs { older: Some(days), .. } => {
            ForgetSelection::Older(Duration::from_secs(u64::from(*days) * A_DAY))
        }
        ForgetArgs { note: Some(note), .. } => ForgetSelection::Note(note.clone()),
        ForgetArgs { private: true, .. } => ForgetSelection::PrivateOrDeleted,
        _ => ForgetSelection::All,
    };
    let answer = answers::forget(app, &selection)?;
    if invocation.output.json {
        return invocation.output.object(&success(json!(answer)));
    }
    invocation.output.text(&render_answer(&answer))?;
    for run in &answer.forgotten.in_progress {
        invocation.output.notice(&format!("note: run {run} is in progress and was not forgotten"));
    }
    for agenda in &answer.open_agendas {
        invocation.output.notice(&format!(
            "note: the agenda {agenda} is about these notes and still open; cancel it (`wellread agenda cancel {agenda}`), then \
             forget again"
        ));
    }
    Ok(())
}

fn render_answer(answer: &ForgetAnswer) -> String {
    let ForgetAnswer { forgotten, edits, bytes_before, bytes, .. } = answer;
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let edits = match edits {
        0 => String::new(),
        edits => {
            format!(
                "removed the old text of {}, which can't be undone now\n",
                counted(*edits, "edit", "edits")
            )
        }
    };
    let inbox = match (answer.findings, answer.agendas) {
        (0, 0) => String::new(),
        (findings, agendas) => format!(
            "removed what {} and {} said of these notes\n",
            counted(findings, "finding", "findings"),
            counted(agendas, "agenda", "agendas")
        ),
    };
    format!(
        "{edits}{inbox}forgot {}, {} and {}; the records take {:.1} MB now, {:.1} MB before\n",
        counted(forgotten.runs, "run", "runs"),
        counted(forgotten.sessions, "conversation", "conversations"),
        counted(forgotten.snapshots, "stored page", "stored pages"),
        megabytes(*bytes),
        megabytes(*bytes_before),
    )
}
