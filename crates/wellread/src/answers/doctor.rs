//! What is set up and what is missing, each with its remedy.
//!
//! Nothing leaves the machine for it unless that is asked for: see `model`.

mod model;
mod servers;
mod telemetry;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use wellread_adapters::files::{Guarantee, VaultFiles};
use wellread_core::ports::{Corpus, Files};
use wellread_core::ports::{Embedder as _, Skipped};
use wellread_core::{Error, Result};

use crate::app::App;
use crate::config::Config;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Doctor {
    /// Whether nothing is missing.
    pub healthy: bool,
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Check {
    pub name: &'static str,
    pub ok: bool,
    pub detail: String,
    /// What to do about it, where it is not well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
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

impl Doctor {
    fn of(checks: Vec<Check>) -> Self {
        Self { healthy: checks.iter().all(|check| check.ok), checks }
    }

    /// Where the settings themselves can't be read.
    pub fn without_settings(error: &Error) -> Self {
        Self::of(vec![version(), Check::bad("settings", error, "mend the settings file")])
    }

    /// Looks at all but the model. Waits for the disk. The app is opened after what was left half done has been looked at,
    /// since opening puts that right; without one, what needs one is left out.
    pub fn examined(config: &Config, offline: bool, opened: impl FnOnce() -> Option<Arc<App>>) -> Self {
        let mut checks = vec![version()];
        checks.push(Check::good(
            "settings",
            match &config.file {
                Some(file) if file.exists() => file.display().to_string(),
                Some(file) => format!("{} (not there; defaults hold)", file.display()),
                None => "no home folder, so no settings file; defaults hold".to_owned(),
            },
        ));
        examine(config, &mut checks);
        if let Some(app) = opened() {
            examine_search(&app, &mut checks);
        }
        checks.push(telemetry::examine(config, offline));
        checks.extend(servers::examine(config));
        Self::of(checks)
    }

    /// The same with what can be said of the model. With `ask`, it is asked one small question.
    pub async fn with_model(mut self, config: &Config, offline: bool, ask: bool) -> Self {
        // Before the servers that are asked about code.
        let at = self.checks.iter().position(|check| check.name == servers::NAME);
        let at = at.unwrap_or(self.checks.len());
        self.checks.insert(at, model::examine(config, offline, ask).await);
        Self::of(self.checks)
    }
}

fn version() -> Check {
    Check::good("version", env!("CARGO_PKG_VERSION"))
}

/// What search has to work with. A model that is missing is no fault: words are searched.
fn examine_search(app: &App, checks: &mut Vec<Check>) {
    let indexed = app.library.index.standing().and_then(|standing| {
        if !standing.complete {
            return Ok("not made yet; the first search makes it, or `wellread index`".to_owned());
        }
        let coverage = app.library.index.coverage()?;
        Ok(format!("{} passages, {:.1} MB", coverage.passages, coverage.bytes as f64 / 1e6))
    });
    checks.push(Check::of("index", indexed, "`wellread index --full` makes it anew"));
    checks.push(examine_records(app));
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
