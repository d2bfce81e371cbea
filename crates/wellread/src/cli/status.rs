//! `wellread status`: what there is, how much of it can be found, and which files could not be served.

use std::collections::HashMap;
use std::process::ExitCode;

use serde_json::{Value, json};
use wellread_core::Result;
use wellread_core::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{Embedder as _, Entry, FileState, Files as _, KnownFile, Skipped, Which};
use wellread_core::vault::Condition;

use super::Invocation;
use crate::app::App;
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
    let config = invocation.config()?;
    let app = invocation.app()?;
    let mut found = Found::default();
    for (corpus, _) in &app.library.corpora {
        found.look_at(&app, corpus, args.files)?;
    }
    let coverage = app.mended(|| app.library.index.coverage())?;
    let model = app.embedder.model().ok();
    let vectors = match &model {
        Some(model) => app.library.vectors.progress(model)?,
        None => (0, coverage.passages),
    };
    let files_of = |name: &CorpusName| {
        coverage.corpora.iter().find(|known| known.corpus == *name).map_or(0, |known| known.files)
    };
    let repos = config.repos()?.into_iter().map(|repo| {
        let files = files_of(&CorpusName::Repository(repo.name.clone()));
        json!({ "name": repo.name, "path": repo.path, "files": files })
    });
    let mut answer = json!({
        "vault": config.vault()?,
        "data": config.data()?,
        "notes": found.notes,
        "files": found.files,
        "chunks": coverage.passages,
        "vectors": { "done": vectors.0, "pending": vectors.1 - vectors.0 },
        "pending": found.pending,
        "model": model.map(|model| model.name),
        "index_bytes": coverage.bytes,
        "repos": repos.collect::<Vec<_>>(),
        "skipped": found.skipped,
        "warnings": found.warnings,
        "operations": app.files.operations(usize::MAX)?.len(),
    });
    if args.files {
        answer["file_list"] = Value::Array(found.rows);
    }
    invocation.told_of_index(&app);
    if invocation.output.json {
        invocation.output.object(&success(answer))
    } else {
        invocation.output.text(&shown(&answer))
    }?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Default)]
struct Found {
    notes: usize,
    files: usize,
    /// Files that the index has not seen as they are now.
    pending: usize,
    skipped: Vec<Skipped>,
    warnings: Vec<Skipped>,
    rows: Vec<Value>,
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
                let row = json!({
                    "path": path, "size": entry.size, "modified": entry.modified, "state": state, "index": indexed.name()
                });
                self.rows.push(row);
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

fn shown(answer: &Value) -> String {
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
