//! `wellread status`: what the vault holds, and which files could not be served.

use std::process::ExitCode;

use serde_json::{Value, json};
use wellread_core::Result;
use wellread_core::ports::{Corpus, Files, Skipped};
use wellread_core::vault::Condition;

use super::Invocation;
use crate::output::success;

/// What the vault holds, and which files could not be served and why
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  wellread status\n  wellread status --files --json")]
pub struct StatusArgs {
    /// Add every file with its state
    #[arg(long)]
    files: bool,
}

pub fn run(invocation: &Invocation, args: &StatusArgs) -> Result<ExitCode> {
    let config = invocation.config()?;
    let app = invocation.app()?;
    let listing = app.files.list()?;
    let (mut skipped, mut warnings, mut files) = (listing.skipped, Vec::new(), Vec::new());
    let notes = listing.files.iter().filter(|entry| entry.path.is_note()).count();
    for entry in &listing.files {
        let state = app.ctx.vault.condition(&entry.path);
        let trouble = |reason: &str| Skipped { path: entry.path.to_string(), reason: reason.to_owned() };
        match &state {
            Condition::Fine => {}
            Condition::Limited(reason) => warnings.push(trouble(reason)),
            Condition::Unserved(reason) => skipped.push(trouble(reason)),
        }
        if args.files {
            files.push(json!({ "path": entry.path, "size": entry.size, "modified": entry.modified, "state": state.to_string() }));
        }
    }
    let mut answer = json!({
        "vault": config.vault()?,
        "data": config.data()?,
        "notes": notes,
        "files": listing.files.len(),
        "skipped": skipped,
        "warnings": warnings,
        "operations": app.files.operations(usize::MAX)?.len(),
    });
    if args.files {
        answer["file_list"] = Value::Array(files);
    }
    if invocation.output.json {
        invocation.output.object(&success(answer))
    } else {
        invocation.output.text(&shown(&answer))
    }?;
    Ok(ExitCode::SUCCESS)
}

fn shown(answer: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut lines = String::new();
    for name in ["vault", "data", "notes", "files", "operations"] {
        lines += &format!("{:<11}{}\n", name, text(&answer[name]));
    }
    for name in ["skipped", "warnings"] {
        let rows = answer[name].as_array().map(Vec::as_slice).unwrap_or_default();
        lines += &format!("{:<11}{}\n", name, rows.len());
        for row in rows {
            lines += &format!("  {}: {}\n", text(&row["path"]), text(&row["reason"]));
        }
    }
    for file in answer["file_list"].as_array().into_iter().flatten() {
        lines += &format!("{}  {}\n", text(&file["path"]), text(&file["state"]));
    }
    lines
}
