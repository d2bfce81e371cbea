//! `wellread status`: what there is, how much of it can be found, and which files could not be served.

use std::fmt::Display;
use std::process::ExitCode;

use serde_json::json;
use wellread_core::Result;
use wellread_core::domain::display::counted;
use wellread_core::ports::SkippedFile;

use super::Invocation;
use crate::answers::{self, FileStatus, RecordStatus, RepoStatus, StatusReport};
use crate::output::success;

/// Show what the vault contains, how much of it is indexed, and which files were skipped and why
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A file is `indexed`, `pending` (`wellread index` has not read it yet, or it has changed since), \
`named` (only its name is known), or `skipped` for a reason.\n\nExample:\n  wellread status\n  \
wellread status --files --json"
)]
pub struct StatusArgs {
    /// Also list every file with its state
    #[arg(long)]
    files: bool,
}

pub fn run(invocation: &Invocation, args: &StatusArgs) -> Result<ExitCode> {
    let config = invocation.load_config()?;
    let app = invocation.open_app_to_search()?;
    let status = answers::collect_status(&app, &config, args.files)?;
    invocation.report_index_rebuild(&app);
    if invocation.output.json {
        invocation.output.object(&success(json!(status)))
    } else {
        invocation.output.text(&render_status(&status))
    }?;
    Ok(ExitCode::SUCCESS)
}

fn render_records(records: &RecordStatus) -> String {
    if let Some(reason) = &records.unavailable {
        return reason.clone();
    }
    let kept = match records.kept_days {
        Some(days) => format!("kept for {}", counted(days, "day", "days")),
        None => "kept until you forget them (`wellread runs forget`)".to_owned(),
    };
    let runs = counted(records.runs, "run", "runs");
    format!("{:.1} MB, {runs}, {kept}, in {}", records.bytes as f64 / 1e6, records.place)
}

fn render_status(status: &StatusReport) -> String {
    let mut lines = String::new();
    let mut add = |name: &str, value: &dyn Display| lines += &format!("{name:<15}{value}\n");
    add("vault", &status.vault);
    add("data", &status.data);
    add("notes", &status.notes);
    add("files", &status.files);
    add("to be indexed", &status.pending);
    add("passages", &status.chunks);
    add("edits", &status.operations);
    add("vectors", &format!("{} made, {} pending", status.vectors.done, status.vectors.pending));
    let model = status.model.as_deref();
    add("search model", &model.unwrap_or("none: search works by words (`wellread doctor` says why)"));
    add("index", &format!("{:.1} MB", status.index_bytes as f64 / 1e6));
    add("records", &render_records(&status.records));
    for RepoStatus { name, path, files } in &status.repos {
        add("repo", &format!("{name}: {path} ({})", counted(*files, "file", "files")));
    }
    for (name, rows) in [("skipped", &status.skipped), ("warnings", &status.warnings)] {
        lines += &format!("{name:<15}{}\n", rows.len());
        for SkippedFile { path, reason } in rows {
            lines += &format!("  {path}: {reason}\n");
        }
    }
    for FileStatus { path, index, state, .. } in status.file_list.iter().flatten() {
        lines += &format!("{path}  {index}  {state}\n");
    }
    lines
}
