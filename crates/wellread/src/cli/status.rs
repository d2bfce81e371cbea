//! `wellread status`: what there is, how much of it can be found, and which files could not be served.

use std::process::ExitCode;

use serde_json::{Value, json};
use wellread_core::Result;

use super::Invocation;
use crate::answers;
use crate::output::success;

/// What the vault holds, how much of it can be found, and which files could not be served and why
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A file is `indexed`, `pending` where `wellread index` has not read it yet or it has changed since, \
`named` where only its name is known, or `skipped` for a reason.\n\nExample:\n  wellread status\n  \
wellread status --files --json"
)]
pub struct StatusArgs {
    /// Add every file with its state
    #[arg(long)]
    files: bool,
}

pub fn run(invocation: &Invocation, args: &StatusArgs) -> Result<ExitCode> {
    let config = invocation.load_config()?;
    let app = invocation.open_app()?;
    let status = answers::collect_status(&app, &config, args.files)?;
    invocation.report_index_rebuild(&app);
    let answer = json!(status);
    if invocation.output.json {
        invocation.output.object(&success(answer))
    } else {
        invocation.output.text(&render_status(&answer))
    }?;
    Ok(ExitCode::SUCCESS)
}

fn render_status(answer: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut lines = String::new();
    for name in ["vault", "data", "notes", "files", "pending", "chunks", "operations"] {
        lines += &format!("{:<11}{}\n", name, text(&answer[name]));
    }
    let model = answer["model"].as_str().unwrap_or("none: search works by words (`wellread model install`)");
    lines += &format!(
        "{:<11}{} made, {} pending\n",
        "vectors", answer["vectors"]["done"], answer["vectors"]["pending"]
    );
    lines += &format!("{:<11}{model}\n", "model");
    lines += &format!("{:<11}{:.1} MB\n", "index", answer["index_bytes"].as_f64().unwrap_or_default() / 1e6);
    for repo in answer["repos"].as_array().into_iter().flatten() {
        lines += &format!(
            "{:<11}{}: {} ({} files)\n",
            "repo",
            text(&repo["name"]),
            text(&repo["path"]),
            repo["files"]
        );
    }
    for name in ["skipped", "warnings"] {
        let rows = answer[name].as_array().map(Vec::as_slice).unwrap_or_default();
        lines += &format!("{:<11}{}\n", name, rows.len());
        for row in rows {
            lines += &format!("  {}: {}\n", text(&row["path"]), text(&row["reason"]));
        }
    }
    for file in answer["file_list"].as_array().into_iter().flatten() {
        lines += &format!("{}  {}  {}\n", text(&file["path"]), text(&file["index"]), text(&file["state"]));
    }
    lines
}
