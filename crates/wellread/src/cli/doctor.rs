//! `wellread doctor`: what is set up and what is missing, each with its remedy.

mod model;
mod servers;
mod telemetry;

use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;
use wellread_adapters::files::{Guarantee, VaultFiles};
use wellread_core::ports::{Corpus, Files};
use wellread_core::ports::{Embedder as _, Skipped};
use wellread_core::{Error, Result};

use super::Invocation;
use crate::app::App;
use crate::config::Config;
use crate::output::success;
use crate::reaching::Asked;

/// What is set up, reachable and missing, each with its remedy
#[derive(Debug, clap::Args)]
#[command(
    after_help = "To learn what the vault's file system can do, it makes two files in the vault and takes them away.\n\n\
Example:\n  wellread doctor\n  wellread doctor --try\n  wellread doctor --json"
)]
pub struct DoctorArgs {
    /// Ask the language model one small question; without this, only one on this machine is knocked at
    #[arg(long)]
    r#try: bool,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Check {
    fn good(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, ok: true, detail: detail.into(), remedy: None }
    }

    fn bad(name: &'static str, error: &Error, remedy: &str) -> Self {
        let remedy = error.hint_text().unwrap_or(remedy).to_owned();
        Self { name, ok: false, detail: error.message().to_owned(), remedy: Some(remedy) }
    }

    fn of(name: &'static str, result: Result<String>, remedy: &str) -> Self {
        result.map_or_else(|error| Self::bad(name, &error, remedy), |detail| Self::good(name, detail))
    }
}

pub fn run(invocation: &Invocation, args: &DoctorArgs) -> Result<ExitCode> {
    let mut checks = vec![Check::good("version", env!("CARGO_PKG_VERSION"))];
    match invocation.config() {
        Err(error) => checks.push(Check::bad("settings", &error, "mend the settings file")),
        Ok(config) => {
            checks.push(Check::good(
                "settings",
                match &config.file {
                    Some(file) if file.exists() => file.display().to_string(),
                    Some(file) => format!("{} (not there; defaults hold)", file.display()),
                    None => "no home folder, so no settings file; defaults hold".to_owned(),
                },
            ));
            examine(&config, &mut checks);
            examine_search(invocation, &config, &mut checks);
            checks.push(model::examine(&config, invocation.offline, args.r#try));
            checks.extend(servers::examine(&config));
            checks.push(telemetry::examine(&config, invocation.offline));
        }
    }
    let healthy = checks.iter().all(|check| check.ok);
    if invocation.output.json {
        invocation.output.object(&success(json!({ "healthy": healthy, "checks": checks })))?;
    } else {
        let mut lines = String::new();
        for check in &checks {
            lines += &format!("{}  {:<10}{}\n", if check.ok { "ok" } else { "!!" }, check.name, check.detail);
            if let Some(remedy) = &check.remedy {
                lines += &format!("      remedy: {remedy}\n");
            }
        }
        invocation.output.text(&lines)?;
    }
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What search has to work with. A model that is missing is no fault: words are searched.
fn examine_search(invocation: &Invocation, config: &Config, checks: &mut Vec<Check>) {
    let Ok(app) = App::open(config, Asked { offline: invocation.offline, web: false }) else { return };
    let indexed = app.library.index.standing().and_then(|standing| {
        if !standing.complete {
            return Ok("not made yet; the first search makes it, or `wellread index`".to_owned());
        }
        let coverage = app.library.index.coverage()?;
        Ok(format!("{} passages, {:.1} MB", coverage.passages, coverage.bytes as f64 / 1e6))
    });
    checks.push(Check::of("index", indexed, "`wellread index --full` makes it anew"));
    checks.push(examine_records(&app));
    for Skipped { path, reason } in &app.missing {
        let error = Error::failed(format!("the repository `{path}` can't be opened: {reason}"));
        checks.push(Check::bad("repository", &error, "`wellread repo remove NAME` forgets it"));
    }
    match app.embedder.model() {
        Ok(model) => {
            let vectors = format!("{}, {} numbers a vector", model.name, model.dimension);
            checks.push(Check::good("embedding", vectors));
        }
        Err(error) => {
            let hint = error.hint_text().map(|hint| format!(" ({hint})")).unwrap_or_default();
            checks
                .push(Check::good("embedding", format!("{}{hint}; search works by words", error.message())));
        }
    }
}

/// Whether what was done can be looked at.
fn examine_records(app: &App) -> Check {
    let extent = app.records.extent();
    if let Some(reason) = app.records.set_aside() {
        let error = Error::failed(reason);
        return Check::bad(
            "records",
            &error,
            "earlier runs are in that file; a copy from before may hold them whole",
        );
    }
    let told = extent.map(|extent| match extent.runs {
        0 => "no run yet".to_owned(),
        runs => format!("{runs} runs, {:.1} MB", extent.bytes as f64 / 1e6),
    });
    Check::of("records", told, "check the data folder's permissions")
}

fn examine(config: &Config, checks: &mut Vec<Check>) {
    let data = match config.data() {
        Ok(data) => data,
        Err(error) => return checks.push(Check::bad("data", &error, "choose another data folder")),
    };
    let opened = config.vault().and_then(|vault| VaultFiles::open(&vault, &data, &config.excluded()));
    let files = match opened {
        Ok(files) => files,
        Err(error) => return checks.push(Check::bad("vault", &error, "check the path and its permissions")),
    };
    let listed = files.list().map(|listing| {
        let notes = listing.files.iter().filter(|entry| entry.path.is_note()).count();
        let skipped = match listing.skipped.len() {
            0 => String::new(),
            n => format!(", {n} passed over (see `wellread status`)"),
        };
        let vault = config.vault().map(|vault| vault.display().to_string()).unwrap_or_default();
        format!("{vault}: {notes} notes{skipped}")
    });
    checks.push(Check::of("vault", listed, "check the folder's permissions"));
    let guarantee = files.guarantee().map(|guarantee| match guarantee {
        Guarantee::Exchange => "atomic exchange: a save in the same moment is never lost".to_owned(),
        Guarantee::CheckAndRename => {
            "this file system has no atomic exchange: a save in the same millisecond could be lost".to_owned()
        }
    });
    checks.push(Check::of("writing", guarantee, "check the permissions of the vault's folder"));
    let kept = files.operations(1).map(|_| data.display().to_string());
    checks.push(Check::of(
        "data",
        kept,
        "check the folder's permissions, or choose another with `wellread config set data.path DIR`",
    ));
    let recovered = files.recover().and_then(|found| match (found.completed, found.taken_back, found.set_aside) {
        (0, 0, 0) => Ok("nothing is left half done".to_owned()),
        (completed, back, 0) => {
            Ok(format!("an interrupted change was put right ({completed} completed, {back} taken back)"))
        }
        (.., aside) => Err(Error::failed(format!("{aside} interrupted changes could not be followed to their end"))
            .hint("what they replaced is kept in the data folder, in journal/damaged; compare it with the notes")),
    });
    checks.push(Check::of(
        "journal",
        recovered,
        "the journal is in the data folder; see its `pending` folder",
    ));
}
