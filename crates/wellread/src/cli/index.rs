//! `wellread index`: brings the index up to date.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;
use wellread_core::Result;
use wellread_core::domain::display::{counted, render_duration};
use wellread_core::library::indexing::embedding_scope;
use wellread_core::library::indexing::{UpdateSummary, embed_pending};
use wellread_core::ports::{IntegrityCheck, SkippedFile};

use super::Invocation;
use crate::app::App;
use crate::output::success;
use crate::progress::ProgressBar;
use crate::wiring::{IndexFollower, lower_priority};

/// Update the index: read changed files and compute missing vectors
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Search by words works as soon as a file is read; vectors take longer and are computed afterwards. Ctrl-C keeps what \
is done, and the next run continues from there.\n\nExample:\n  wellread index\n  wellread index --full --json\n  \
wellread index --watch"
)]
pub struct IndexArgs {
    /// Read every file again, even if it is unchanged
    #[arg(long)]
    full: bool,
    /// Do not compute vectors now
    #[arg(long)]
    no_vectors: bool,
    /// Keep watching the files until Ctrl-C
    #[arg(long)]
    watch: bool,
}

/// What an update did, and what is left to do.
#[derive(Debug, Serialize)]
struct IndexAnswer {
    added: usize,
    changed: usize,
    removed: usize,
    unchanged: usize,
    skipped: Vec<SkippedFile>,
    /// Passages that the index holds.
    chunks: usize,
    vectors_pending: usize,
    took_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}

pub fn run(invocation: &Invocation, args: &IndexArgs) -> Result<ExitCode> {
    let app = invocation.open_app_to_search()?;
    let begun = Instant::now();
    let bar = ProgressBar::new(invocation.output, "files");
    let updated = app.update_checked(IntegrityCheck::Whole, args.full, &|progress| {
        bar.update(progress.done, progress.total);
    })?;
    bar.clear();
    invocation.report_index_rebuild(&app);
    let (pending, notice) =
        if args.no_vectors { (count_missing_vectors(&app), None) } else { embed_missing(invocation, &app)? };
    let answer = IndexAnswer {
        added: updated.added,
        changed: updated.changed,
        removed: updated.removed,
        unchanged: updated.unchanged,
        skipped: updated.skipped,
        chunks: app.library.index.coverage()?.passages,
        vectors_pending: pending,
        took_ms: begun.elapsed().as_millis() as u64,
        notice,
    };
    if invocation.output.json {
        invocation.output.object(&success(json!(answer)))?;
    } else {
        invocation.output.text(&render_summary(&answer))?;
    }
    if args.watch {
        follow_files(invocation, &app)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Follows the files until a signal ends the process.
fn follow_files(invocation: &Invocation, app: &Arc<App>) -> Result<()> {
    let output = invocation.output;
    output.notice("watching files; Ctrl-C stops");
    let on_update = move |updated: &UpdateSummary| {
        let UpdateSummary { added, changed, removed, .. } = updated;
        if added + changed + removed > 0 {
            output.notice(&format!("{added} added, {changed} changed, {removed} removed"));
        }
    };
    let _follower = IndexFollower::start(app, invocation.load_config()?.rescan_interval(), on_update);
    loop {
        std::thread::park();
    }
}

/// How many texts have no vector yet: all of them where there is no model.
fn count_missing_vectors(app: &App) -> usize {
    let search = &app.ctx.search;
    let model = search.embedder.model();
    let scope = embedding_scope(&*search.embedder);
    let progress = model.and_then(|model| app.library.vectors.progress(&model, scope));
    progress.map_or_else(
        |_| app.library.index.coverage().map_or(0, |coverage| coverage.passages),
        |(made, all)| all - made,
    )
}

fn embed_missing(invocation: &Invocation, app: &App) -> Result<(usize, Option<String>)> {
    let embedder = &app.ctx.search.embedder;
    if let Err(error) = embedder.model() {
        let hint = error.hint_text().map(|hint| format!(" ({hint})")).unwrap_or_default();
        return Ok((
            count_missing_vectors(app),
            Some(format!("{}{hint}; search works by words", error.message())),
        ));
    }
    let total = count_missing_vectors(app);
    if total == 0 {
        return Ok((0, None));
    }
    let bar = ProgressBar::new(invocation.output, "vectors");
    let go_on = |made: usize| {
        bar.update(made, total);
        true
    };
    embed_pending(&app.library, &**embedder, &lower_priority, &go_on)?;
    bar.clear();
    Ok((count_missing_vectors(app), None))
}

fn render_summary(answer: &IndexAnswer) -> String {
    let IndexAnswer { added, changed, removed, unchanged, chunks, took_ms, .. } = answer;
    let mut lines = format!(
        "{added} added, {changed} changed, {removed} removed, {unchanged} unchanged: {}, in {}\n",
        counted(*chunks, "passage", "passages"),
        render_duration(Duration::from_millis(*took_ms))
    );
    if !answer.skipped.is_empty() {
        lines +=
            &format!("{} skipped: see `wellread status`\n", counted(answer.skipped.len(), "file", "files"));
    }
    if let Some(notice) = &answer.notice {
        lines += &format!("note: {notice}\n");
    }
    lines
}
