//! What is set up and what is missing, each with its remedy.
//!
//! Nothing leaves the machine for it unless that is asked for: see `model` and `web`.

mod clients;
mod model;
pub mod privacy;
mod programs;
mod remote;
mod servers;
mod speech;
mod telemetry;
mod web;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use wellread_core::domain::display::counted;
use wellread_core::ports::{Embedder as _, KnownFileFilter, SaveGuarantee, SkippedFile};
use wellread_core::{Error, Result};

use crate::app::App;
use crate::config::Config;
use crate::wiring;

#[derive(Debug, Serialize, JsonSchema)]
pub struct DoctorReport {
    /// Whether nothing is missing.
    pub healthy: bool,
    pub checks: Vec<DoctorCheck>,
}

/// One check.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DoctorCheck {
    pub name: &'static str,
    pub ok: bool,
    pub detail: String,
    /// How to fix it, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl DoctorCheck {
    fn good(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, ok: true, detail: detail.into(), remedy: None }
    }

    fn bad(name: &'static str, error: &Error, remedy: &str) -> Self {
        let remedy = error.hint_text().unwrap_or(remedy).to_owned();
        Self { name, ok: false, detail: error.message().to_owned(), remedy: Some(remedy) }
    }

    fn from_result(name: &'static str, result: Result<String>, remedy: &str) -> Self {
        result.map_or_else(|error| Self::bad(name, &error, remedy), |detail| Self::good(name, detail))
    }
}

impl DoctorReport {
    fn from_checks(checks: Vec<DoctorCheck>) -> Self {
        Self { healthy: checks.iter().all(|check| check.ok), checks }
    }

    /// Where the settings themselves can't be read.
    pub fn without_settings(error: &Error) -> Self {
        Self::from_checks(vec![check_version(), DoctorCheck::bad("settings", error, "fix the settings file")])
    }

    /// Looks at all but the search services and the model. Waits for the disk. The app is opened after what was left half done has been looked at,
    /// since opening puts that right; without one, what needs one is left out.
    pub fn examine(config: &Config, offline: bool, opened: impl FnOnce() -> Option<Arc<App>>) -> Self {
        let mut checks = vec![check_version()];
        checks.push(DoctorCheck::good(
            "settings",
            match &config.file {
                Some(file) if file.exists() => file.display().to_string(),
                Some(file) => format!("{} (does not exist; defaults apply)", file.display()),
                None => "no home folder, so no settings file; defaults apply".to_owned(),
            },
        ));
        check_vault(config, &mut checks);
        if let Some(app) = opened() {
            check_search(&app, &mut checks);
            checks.extend(privacy::check_privacy(&app));
        }
        checks.push(telemetry::check_collector(config, offline));
        checks.push(speech::check_speech(config, offline));
        checks.extend(servers::check_servers(config));
        checks.extend(remote::check_remote(config));
        checks.extend(clients::check_clients());
        Self::from_checks(checks)
    }

    /// Adds the checks of the search services and of the model. With `ask`, each of them is asked one small question.
    pub async fn with_services(mut self, config: &Config, offline: bool, ask: bool) -> Self {
        let place = |checks: &[DoctorCheck], name: &str| {
            checks.iter().position(|check| check.name == name).unwrap_or(checks.len())
        };
        let at = place(&self.checks, telemetry::NAME);
        self.checks.splice(at..at, web::check_search_services(config, offline, ask).await);
        // Before the servers that are asked about code, and the clients.
        let at = place(&self.checks, servers::NAME).min(place(&self.checks, clients::NAME));
        self.checks.insert(at, model::check_model(config, offline, ask).await);
        Self::from_checks(self.checks)
    }
}

fn check_version() -> DoctorCheck {
    DoctorCheck::good("version", env!("CARGO_PKG_VERSION"))
}

/// What search has to work with. A model that is missing is no fault: words are searched.
fn check_search(app: &App, checks: &mut Vec<DoctorCheck>) {
    let indexed = app.library.index.read_state().and_then(|standing| {
        if !standing.complete {
            return Ok("not built yet; the first search builds it, or `wellread index`".to_owned());
        }
        let coverage = app.library.index.coverage()?;
        let mut skipped = 0;
        for (corpus, _) in &app.library.corpora {
            skipped += app.library.index.known_files(corpus, KnownFileFilter::Skipped)?.len();
        }
        let skipped = match skipped {
            0 => String::new(),
            n => format!(", {} skipped (see `wellread status`)", counted(n, "file", "files")),
        };
        Ok(format!(
            "{}, {:.1} MB{skipped}",
            counted(coverage.passages, "passage", "passages"),
            coverage.bytes as f64 / 1e6
        ))
    });
    checks.push(DoctorCheck::from_result("index", indexed, "`wellread index --full` rebuilds it"));
    checks.push(check_records(app));
    for SkippedFile { path, reason } in &app.missing {
        let error = Error::failed(format!("the repository `{path}` can't be opened: {reason}"));
        checks.push(DoctorCheck::bad("repository", &error, "`wellread repo remove NAME` forgets it"));
    }
    match app.embedder.model() {
        Ok(model) => {
            let vectors = format!("{}, {} numbers per vector", model.name, model.dimension);
            checks.push(DoctorCheck::good("embedding", vectors));
        }
        Err(error) => {
            let hint = error.hint_text().map(|hint| format!(" ({hint})")).unwrap_or_default();
            checks.push(DoctorCheck::good(
                "embedding",
                format!("{}{hint}; search works by words", error.message()),
            ));
        }
    }
}

/// Whether what was done can be looked at.
fn check_records(app: &App) -> DoctorCheck {
    let extent = app.records.totals();
    if let Some(reason) = app.records.take_notice() {
        let error = Error::failed(reason);
        return DoctorCheck::bad(
            "records",
            &error,
            "earlier runs are in that file; an earlier copy may still contain them",
        );
    }
    let place = &app.records_place;
    let summary = extent.map(|extent| match extent.runs {
        0 => format!("no run yet, in {place}"),
        runs => {
            let bytes = extent.bytes as f64 / 1e6;
            format!("{}, {bytes:.1} MB, in {place}", counted(runs, "run", "runs"))
        }
    });
    let remedy = "check the data folder's permissions, or the database with `wellread db check`";
    DoctorCheck::from_result("records", summary, remedy)
}

fn check_vault(config: &Config, checks: &mut Vec<DoctorCheck>) {
    let data = match config.data_folder() {
        Ok(data) => data,
        Err(error) => return checks.push(DoctorCheck::bad("data", &error, "choose another data folder")),
    };
    let opened = wiring::open_vault_files(config);
    let files = match opened {
        Ok(files) => files,
        Err(error) => {
            return checks.push(DoctorCheck::bad("vault", &error, "check the path and its permissions"));
        }
    };
    let listed = files.list().map(|listing| {
        let notes = listing.files.iter().filter(|entry| entry.path.is_note()).count();
        let skipped = match listing.skipped.len() {
            0 => String::new(),
            n => format!(", {n} that can't be opened (see `wellread status`)"),
        };
        let vault = config.vault().map(|vault| vault.display().to_string()).unwrap_or_default();
        format!("{vault}: {}{skipped}", counted(notes, "note", "notes"))
    });
    checks.push(DoctorCheck::from_result("vault", listed, "check the folder's permissions"));
    let guarantee = files.probe_guarantee().map(|guarantee| match guarantee {
        SaveGuarantee::Exchange => "atomic exchange: a save at the same moment is never lost".to_owned(),
        SaveGuarantee::CheckAndRename => {
            "this file system has no atomic exchange: a save in the same millisecond could be lost".to_owned()
        }
    });
    checks.push(DoctorCheck::from_result(
        "writing",
        guarantee,
        "check the permissions of the vault's folder",
    ));
    let kept = files.operations(1).map(|_| data.display().to_string());
    checks.push(DoctorCheck::from_result(
        "data",
        kept,
        "check the folder's permissions, or choose another with `wellread config set data.path DIR`",
    ));
    let recovered = files.recover().and_then(|found| match (found.completed, found.taken_back, found.set_aside) {
        (0, 0, 0) => Ok("no interrupted changes".to_owned()),
        (completed, back, 0) => {
            Ok(format!("an interrupted change was repaired ({completed} completed, {back} undone)"))
        }
        (.., aside) => Err(Error::failed(format!("{} could not be completed", counted(aside, "interrupted change", "interrupted changes")))
            .hint("the text they replaced is kept in the data folder, in journal/damaged; compare it with the notes")),
    });
    checks.push(DoctorCheck::from_result(
        "journal",
        recovered,
        "the journal is in the data folder; see its `pending` folder",
    ));
}
