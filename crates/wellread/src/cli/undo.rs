//! `wellread undo`: takes edits back.

use std::process::ExitCode;

use serde_json::json;
use wellread_core::Result;
use wellread_core::domain::corpus::VaultPath;
use wellread_core::domain::display::counted;
use wellread_core::library::vault::HistoryEntry;

use super::Invocation;
use crate::answers;
use crate::output::success;

/// Undo the last edit, or the given one
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An edit can be undone only if the note has not been changed since. An undo is an edit too: \
run `wellread undo` with its id to redo the change. For that, the old text of the last 2,000 edits is kept in the data \
folder; `--forget` removes it.\n\n\
Example:\n  wellread undo --list\n  wellread undo\n  wellread undo 9ec8ac243dc8\n  wellread undo --forget"
)]
pub struct UndoArgs {
    /// The id of an operation (or the end of it), batch or run [default: the last operation]
    operation: Option<String>,
    /// List what can be undone, newest first
    #[arg(long, conflicts_with = "operation")]
    list: bool,
    /// Forget the given edit, batch or run, or every edit: its old text is removed for good, and it can't be undone
    #[arg(long, conflicts_with = "list")]
    forget: bool,
    /// With --list: how many to list
    #[arg(long, default_value_t = 20, requires = "list")]
    limit: usize,
}

pub fn run(invocation: &Invocation, args: &UndoArgs) -> Result<ExitCode> {
    let app = invocation.open_app()?;
    if args.list {
        let history = app.ctx.vault.history(args.limit)?;
        if invocation.output.json {
            invocation.output.object(&success(json!({ "operations": history })))?;
        } else if history.is_empty() {
            invocation.output.notice("no edits yet");
        } else {
            invocation.output.text(&history.iter().map(render_line).collect::<String>())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if args.forget {
        let answer = answers::forget_edits(&app, args.operation.as_deref())?;
        if invocation.output.json {
            return invocation.output.object(&success(json!(answer))).map(|()| ExitCode::SUCCESS);
        }
        let edits = counted(answer.forgotten, "edit", "edits");
        invocation.output.text(&format!("forgot {edits}; what is forgotten can't be undone\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let undo = answers::undo(&app, args.operation.as_deref())?;
    if invocation.output.json {
        invocation.output.object(&success(json!(undo)))?;
    } else {
        for one in &undo.undone {
            let paths: Vec<&str> = one.paths.iter().map(String::as_str).collect();
            invocation.output.text(&format!("undid {} of {}\n", one.label, summarize_paths(&paths)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn render_line(entry: &HistoryEntry) -> String {
    let paths: Vec<&str> = entry.paths.iter().map(VaultPath::as_str).collect();
    let mark = if entry.undone { " (undone)" } else { "" };
    let when = entry.at.strftime("%Y-%m-%d %H:%M:%SZ");
    let group = entry.group.as_ref().map(|group| format!("  (batch {group})")).unwrap_or_default();
    format!("{}  {when}  {}{mark}  {}{group}\n", entry.operation, entry.label, summarize_paths(&paths))
}

fn summarize_paths(paths: &[&str]) -> String {
    const SHOWN: usize = 3;
    let more = paths.len().saturating_sub(SHOWN);
    let shown = paths.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
