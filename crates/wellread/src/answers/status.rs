//! What there is, how much of it can be found, and which files could not be served.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::library::vault::Condition;
use wellread_core::ports::{Embedder as _, Entry, FileState, Files as _, KnownFile, Skipped, Which};

use crate::app::App;
use crate::config::Config;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Status {
    pub vault: String,
    pub data: String,
    pub notes: usize,
    /// The vault's files, notes among them.
    pub files: usize,
    /// Passages that the index holds.
    pub chunks: usize,
    pub vectors: VectorCount,
    /// Files that the index has not seen as they are now.
    pub pending: usize,
    /// The embedding model, or null where words alone are searched.
    #[schemars(with = "serde_json::Value")]
    pub model: Option<String>,
    pub index_bytes: u64,
    pub repos: Vec<RepoStatus>,
    pub skipped: Vec<Skipped>,
    pub warnings: Vec<Skipped>,
    /// How many edits the journal knows.
    pub operations: usize,
    /// Every file with its state, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_list: Option<Vec<FileStatus>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct VectorCount {
    pub done: usize,
    pub pending: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct RepoStatus {
    pub name: String,
    pub path: String,
    pub files: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FileStatus {
    pub path: String,
    pub size: u64,
    pub modified: String,
    pub state: String,
    /// `indexed`, `named`, `pending` or `skipped`.
    pub index: String,
}

pub fn status(app: &App, config: &Config, files: bool) -> Result<Status> {
    let mut found = Found::default();
    for (corpus, _) in &app.library.corpora {
        found.look_at(app, corpus, files)?;
    }
    let coverage = app.mended(|| app.library.index.coverage())?;
    let model = app.embedder.model().ok();
    let (made, all) = match &model {
        Some(model) => app.library.vectors.progress(model)?,
        None => (0, coverage.passages),
    };
    let files_of = |name: &CorpusName| {
        coverage.corpora.iter().find(|known| known.corpus == *name).map_or(0, |known| known.files)
    };
    let repos = config.repos()?.into_iter().map(|repo| {
        let files = files_of(&CorpusName::Repository(repo.name.clone()));
        RepoStatus { name: repo.name, path: repo.path.display().to_string(), files }
    });
    Ok(Status {
        vault: config.vault()?.display().to_string(),
        data: config.data()?.display().to_string(),
        notes: found.notes,
        files: found.files,
        chunks: coverage.passages,
        vectors: VectorCount { done: made, pending: all.saturating_sub(made) },
        pending: found.pending,
        model: model.map(|model| model.name),
        index_bytes: coverage.bytes,
        repos: repos.collect(),
        skipped: found.skipped,
        warnings: found.warnings,
        operations: app.files.operations(usize::MAX)?.len(),
        file_list: files.then_some(found.rows),
    })
}

#[derive(Default)]
struct Found {
    notes: usize,
    files: usize,
    pending: usize,
    skipped: Vec<Skipped>,
    warnings: Vec<Skipped>,
    rows: Vec<FileStatus>,
}

impl Found {
    fn look_at(&mut self, app: &App, corpus: &CorpusName, rows: bool) -> Result<()> {
        let listing = app.library.corpus(corpus)?.list()?;
        let known = app.mended(|| app.library.index.known(corpus, Which::All))?;
        let known: HashMap<VaultPath, KnownFile> =
            known.into_iter().map(|file| (file.path.clone(), file)).collect();
        let named = |path: &str| match corpus.repository() {
            Some(name) => format!("{name}:{path}"),
            None => path.to_owned(),
        };
        self.skipped.extend(
            listing.skipped.into_iter().map(|skipped| Skipped { path: named(&skipped.path), ..skipped }),
        );
        for entry in &listing.files {
            let path = named(entry.path.as_str());
            let indexed = standing(entry, known.get(&entry.path));
            let condition = match corpus {
                CorpusName::Vault => {
                    self.files += 1;
                    self.notes += usize::from(entry.path.is_note());
                    app.ctx.vault.condition(&entry.path)
                }
                CorpusName::Repository(_) => Condition::Fine,
            };
            let trouble = |reason: &str| Skipped { path: path.clone(), reason: reason.to_owned() };
            match (&condition, &indexed) {
                (Condition::Unserved(reason), _) | (_, Standing::Skipped(reason)) => {
                    self.skipped.push(trouble(reason));
                }
                (Condition::Limited(reason), _) => self.warnings.push(trouble(reason)),
                (Condition::Fine, Standing::Pending) => self.pending += 1,
                (Condition::Fine, _) => {}
            }
            if rows {
                let state = match &indexed {
                    Standing::Skipped(reason) if condition == Condition::Fine => reason.clone(),
                    _ => condition.to_string(),
                };
                self.rows.push(FileStatus {
                    path,
                    size: entry.size,
                    modified: entry.modified.to_string(),
                    state,
                    index: indexed.name().to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// What the index knows of a file as it is now.
enum Standing {
    Indexed,
    Named,
    Pending,
    Skipped(String),
}

impl Standing {
    fn name(&self) -> &'static str {
        match self {
            Self::Indexed => "indexed",
            Self::Named => "named",
            Self::Pending => "pending",
            Self::Skipped(_) => "skipped",
        }
    }
}

fn standing(entry: &Entry, known: Option<&KnownFile>) -> Standing {
    let Some(file) = known else { return Standing::Pending };
    let stamp = &file.stamp;
    // A file that was indexed right after a change is looked at once more, but it is not missing.
    if (stamp.size, stamp.modified, stamp.changed) != (entry.size, entry.modified, entry.changed) {
        return Standing::Pending;
    }
    match &file.state {
        FileState::Indexed { .. } => Standing::Indexed,
        FileState::Named => Standing::Named,
        FileState::Skipped(reason) => Standing::Skipped(reason.clone()),
    }
}
