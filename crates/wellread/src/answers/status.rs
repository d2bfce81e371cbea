//! What there is, how much of it can be found, and which files could not be served.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::library::indexing::embedding_scope;
use wellread_core::library::vault::FileCondition;
use wellread_core::ports::{
    Embedder as _, FileEntry, FileState, KnownFile, KnownFileFilter, RecordTotals, SkippedFile,
};
use wellread_core::{ErrorKind, Result};

use crate::app::App;
use crate::config::Config;

#[derive(Debug, Serialize, JsonSchema)]
pub struct StatusReport {
    pub vault: String,
    pub data: String,
    pub notes: usize,
    /// The number of files in the vault, including notes.
    pub files: usize,
    /// The number of passages in the index.
    pub chunks: usize,
    pub vectors: VectorCount,
    /// Files that are new or changed since they were last indexed.
    pub pending: usize,
    /// The embedding model, or null if search is by words only.
    #[schemars(with = "serde_json::Value")]
    pub model: Option<String>,
    pub index_bytes: u64,
    pub records: RecordStatus,
    pub repos: Vec<RepoStatus>,
    pub skipped: Vec<SkippedFile>,
    pub warnings: Vec<SkippedFile>,
    /// The number of edits in the journal.
    pub operations: usize,
    /// Every file with its state, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_list: Option<Vec<FileStatus>>,
}

/// The size of what is recorded of the work.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordStatus {
    /// The file or the database that they are in.
    pub place: String,
    /// Why they can't be read at the moment; the numbers are 0 then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
    /// The number of runs, forgotten ones included.
    pub runs: u64,
    /// The number of stored pages.
    pub snapshots: u64,
    /// The number of conversations.
    pub sessions: u64,
    pub bytes: u64,
    /// After how many days the text of a run is forgotten; null if never.
    #[schemars(with = "serde_json::Value")]
    pub kept_days: Option<u64>,
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

pub fn collect_status(app: &App, config: &Config, files: bool) -> Result<StatusReport> {
    let mut found = StatusTally::default();
    for (corpus, _) in &app.library.corpora {
        found.add_corpus(app, corpus, files)?;
    }
    let coverage = app.retry_with_new_index(|| app.library.index.coverage())?;
    let model = app.embedder.model().ok();
    let (made, all) = match &model {
        Some(model) => app.library.vectors.progress(model, embedding_scope(&*app.embedder))?,
        None => (0, coverage.passages),
    };
    let files_of = |name: &CorpusName| {
        coverage.corpora.iter().find(|known| known.corpus == *name).map_or(0, |known| known.files)
    };
    let visible = config.repos()?.into_iter().filter(|repo| app.sees_repository(&repo.name));
    let repos = visible.map(|repo| {
        let files = files_of(&CorpusName::Repository(repo.name.clone()));
        RepoStatus { name: repo.name, path: repo.path.display().to_string(), files }
    });
    Ok(StatusReport {
        vault: if config.lacks_vault()? { "none".to_owned() } else { config.vault()?.display().to_string() },
        data: config.data_folder()?.display().to_string(),
        notes: found.notes,
        files: found.files,
        chunks: coverage.passages,
        vectors: VectorCount { done: made, pending: all.saturating_sub(made) },
        pending: found.pending,
        model: model.map(|model| model.name),
        index_bytes: coverage.bytes,
        records: record_status(app, config)?,
        repos: repos.collect(),
        skipped: found.skipped,
        warnings: found.warnings,
        operations: app.files.operations(usize::MAX)?.len(),
        file_list: files.then_some(found.rows),
    })
}

fn record_status(app: &App, config: &Config) -> Result<RecordStatus> {
    let (totals, unavailable) = match app.records.totals() {
        Ok(totals) => (totals, None),
        // Everything else can be said without them.
        Err(error) if matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::NotSetUp) => {
            (RecordTotals::default(), Some(error.to_string()))
        }
        Err(error) => return Err(error),
    };
    let RecordTotals { runs, snapshots, sessions, bytes } = totals;
    let kept_days = config.runs_kept_for().map(|kept| kept.as_secs() / (24 * 60 * 60));
    let place = app.records_place.clone();
    Ok(RecordStatus { place, unavailable, runs, snapshots, sessions, bytes, kept_days })
}

#[derive(Default)]
struct StatusTally {
    notes: usize,
    files: usize,
    pending: usize,
    skipped: Vec<SkippedFile>,
    warnings: Vec<SkippedFile>,
    rows: Vec<FileStatus>,
}

impl StatusTally {
    fn add_corpus(&mut self, app: &App, corpus: &CorpusName, rows: bool) -> Result<()> {
        let listing = app.library.corpus(corpus)?.list()?;
        let known =
            app.retry_with_new_index(|| app.library.index.known_files(corpus, KnownFileFilter::All))?;
        let known: HashMap<VaultPath, KnownFile> =
            known.into_iter().map(|file| (file.path.clone(), file)).collect();
        let named = |path: &str| match corpus.repository() {
            Some(name) => format!("{name}:{path}"),
            None => path.to_owned(),
        };
        self.skipped.extend(
            listing.skipped.into_iter().map(|skipped| SkippedFile { path: named(&skipped.path), ..skipped }),
        );
        for entry in &listing.files {
            let path = named(entry.path.as_str());
            let indexed = file_index_state(entry, known.get(&entry.path));
            let condition = match corpus {
                CorpusName::Vault => {
                    self.files += 1;
                    self.notes += usize::from(entry.path.is_note());
                    app.ctx.vault.condition(&entry.path)
                }
                CorpusName::Repository(_) => FileCondition::Fine,
            };
            let trouble = |reason: &str| SkippedFile { path: path.clone(), reason: reason.to_owned() };
            match (&condition, &indexed) {
                (FileCondition::Unserved(reason), _) | (_, FileIndexState::Skipped(reason)) => {
                    self.skipped.push(trouble(reason));
                }
                (FileCondition::Limited(reason), _) => self.warnings.push(trouble(reason)),
                (FileCondition::Fine, FileIndexState::Pending) => self.pending += 1,
                (FileCondition::Fine, _) => {}
            }
            if rows {
                let state = match &indexed {
                    FileIndexState::Skipped(reason) if condition == FileCondition::Fine => reason.clone(),
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
enum FileIndexState {
    Indexed,
    Named,
    Pending,
    Skipped(String),
}

impl FileIndexState {
    fn name(&self) -> &'static str {
        match self {
            Self::Indexed => "indexed",
            Self::Named => "named",
            Self::Pending => "pending",
            Self::Skipped(_) => "skipped",
        }
    }
}

fn file_index_state(entry: &FileEntry, known: Option<&KnownFile>) -> FileIndexState {
    let Some(file) = known else { return FileIndexState::Pending };
    let stamp = &file.stamp;
    // A file that was indexed right after a change is looked at once more, but it is not missing.
    if (stamp.size, stamp.modified, stamp.changed) != (entry.size, entry.modified, entry.changed) {
        return FileIndexState::Pending;
    }
    match &file.state {
        FileState::Indexed { .. } => FileIndexState::Indexed,
        FileState::Named => FileIndexState::Named,
        FileState::Skipped(reason) => FileIndexState::Skipped(reason.clone()),
    }
}
