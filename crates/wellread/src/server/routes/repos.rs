//! The codebases beside the vault: listed as the settings file has them, added and removed. What is changed counts when the server
//! starts again.
//!
//! A folder that is added can be read by whoever has the token. The rules are those of `wellread repo add`, and stricter: only a git
//! repository.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::{Error, Result};

use crate::config::{Config, Flags, Origin, RepoSetting, SettingKey};
use crate::server::ServerContext;
use crate::server::body::{Json, PathParam};
use crate::server::route::{ApiAnswer, ApiResult, Route};
use crate::{folder, platform, repositories};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/repos", "The codebases beside the vault", list).answers::<RepoList>(),
        Route::post(
            "/api/repos",
            "Adds a folder of code to the settings file; it counts when the server starts again",
            add,
        )
        .with_body::<AddRequest>()
        .answers::<RepoList>()
        .fails(&[404, 409]),
        Route::delete(
            "/api/repos/{name}",
            "Removes a codebase from the settings file; its files are not touched",
            remove,
        )
        .answers::<RepoList>()
        .fails(&[404]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AddRequest {
    /// The folder: an absolute path, or one that begins with `~/`.
    path: String,
    /// Letters, digits, `-`, `_` and `.`; the folder's own name where it is left out.
    name: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RepoList {
    /// By name.
    repos: Vec<RepoEntry>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RepoEntry {
    name: String,
    #[schemars(with = "String")]
    path: PathBuf,
    /// Whether the folder is there.
    exists: bool,
    /// `served`; `added` or `removed` where that counts when the server starts again.
    state: &'static str,
}

impl RepoList {
    /// What the server works with, and what it will work with when it starts again, as far as whoever asks may know of it.
    fn new(site: &ServerContext) -> Result<Self> {
        let running = &site.config;
        let served = running.repos()?;
        // Where the file can't be read, the settings say so.
        let next = running.reload().and_then(|config| config.repos()).unwrap_or_else(|_| served.clone());
        let entry = |repo: &RepoSetting, state| RepoEntry {
            name: repo.name.clone(),
            path: repo.path.clone(),
            exists: repo.path.is_dir(),
            state,
        };
        let mut repos: Vec<RepoEntry> = served
            .iter()
            .map(|repo| entry(repo, if next.contains(repo) { "served" } else { "removed" }))
            .collect();
        repos.extend(next.iter().filter(|repo| !served.contains(repo)).map(|repo| entry(repo, "added")));
        repos.retain(|repo| site.app.sees_repository(&repo.name));
        repos.sort_by_key(|repo| repo.name.to_lowercase());
        Ok(Self { repos })
    }
}

async fn list(State(site): State<Arc<ServerContext>>) -> ApiResult<RepoList> {
    Ok(ApiAnswer(site.run_blocking(RepoList::new).await?))
}

async fn add(State(site): State<Arc<ServerContext>>, Json(request): Json<AddRequest>) -> ApiResult<RepoList> {
    let changed = site.run_blocking(move |site| {
        let path = request.path.trim();
        // The server stands somewhere, but the browser nowhere.
        if !platform::is_absolute_or_home(path) || path.contains(char::is_control) {
            return Err(Error::invalid("the folder must be an absolute path").hint(
                "write it from the root of the disk, such as /home/me/code/apiary, or from your home folder: ~/code/apiary",
            ));
        }
        let name = request.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
        folder::check_is_codebase(Path::new(path))?;
        repositories::add(&flags_for_change(&site.config)?, Path::new(path), name)?;
        RepoList::new(site)
    });
    Ok(ApiAnswer(changed.await?))
}

async fn remove(State(site): State<Arc<ServerContext>>, PathParam(name): PathParam) -> ApiResult<RepoList> {
    let changed = site.run_blocking(move |site| {
        repositories::remove(&flags_for_change(&site.config)?, &name)?;
        RepoList::new(site)
    });
    Ok(ApiAnswer(changed.await?))
}

/// The flags by which the list in the settings file is changed. It would not count where a variable has a list of its own.
fn flags_for_change(config: &Config) -> Result<Flags> {
    let origin = config.entry(SettingKey::find("repos")?).map(|(_, origin)| origin);
    match origin.and_then(Origin::variable) {
        Some(name) => Err(Error::refused(format!("the codebases come from the variable {name}"))
            .hint("change the variable, and start the server again")),
        None => config.flags_for_change(),
    }
}
