//! `wellread index`: brings the index up to date.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use wellread_core::Result;
use wellread_core::library::indexing::{Updated, embed_pending};

use super::Invocation;
use crate::app::App;
use crate::index_follower::Follower;
use crate::output::success;
use crate::progress::Bar;

/// Bring the index up to date: read what changed, and make the vectors that are missing
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Words can be found as soon as a file is read; vectors take longer and are made after. Ctrl-C keeps what \
was done, and the next run goes on from there.\n\nExample:\n  wellread index\n  wellread index --full --json\n  \
wellread index --watch"
)]
pub struct IndexArgs {
    /// Read every file again, whatever its date
    #[arg(long)]
    full: bool,
    /// Leave the vectors for later
    #[arg(long)]
    no_vectors: bool,
    /// Go on and follow the files until Ctrl-C
    #[arg(long)]
    watch: bool,
}

pub fn run(invocation: &Invocation, args: &IndexArgs) -> Result<ExitCode> {
    let app = invocation.app()?;
    let begun = Instant::now();
    let bar = Bar::new(invocation.output, "files");
    let updated = app.update(args.full, &|progress| bar.at(progress.done, progress.total))?;
    bar.done();
    invocation.told_of_index(&app);
    let (pending, notice) = if args.no_vectors { (missing(&app), None) } else { vectors(invocation, &app)? };
    let answer = json!({
        "added": updated.added,
        "changed": updated.changed,
        "removed": updated.removed,
        "unchanged": updated.unchanged,
        "skipped": updated.skipped,
        "chunks": app.library.index.coverage()?.passages,
        "vectors_pending": pending,
        "took_ms": begun.elapsed().as_millis() as u64,
    });
    let mut answer = success(answer);
    if let Some(notice) = notice {
        answer["notice"] = json!(notice);
    }
    if invocation.output.json {
        invocation.output.object(&answer)?;
    } else {
        invocation.output.text(&shown(&answer))?;
    }
    if args.watch {
        follow(invocation, &app)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Follows the files until a signal ends the process.
fn follow(invocation: &Invocation, app: &Arc<App>) -> Result<()> {
    let output = invocation.output;
    output.notice("following the files; Ctrl-C ends it");
    let told = move |updated: &Updated| {
        let Updated { added, changed, removed, .. } = updated;
        if added + changed + removed > 0 {
            output.notice(&format!("{added} added, {changed} changed, {removed} removed"));
        }
    };
    let _follower = Follower::start(app, invocation.config()?.interval(), told);
    loop {
        std::thread::park();
    }
}

/// How many texts have no vector yet: all of them where there is no model.
fn missing(app: &App) -> usize {
    let search = &app.ctx.search;
    let model = search.embedder.model();
    let progress = model.and_then(|model| app.library.vectors.progress(&model));
    progress.map_or_else(
        |_| app.library.index.coverage().map_or(0, |coverage| coverage.passages),
        |(made, all)| all - made,
    )
}

fn vectors(invocation: &Invocation, app: &App) -> Result<(usize, Option<String>)> {
    let embedder = &app.ctx.search.embedder;
    if let Err(error) = embedder.model() {
        let hint = error.hint_text().map(|hint| format!(" ({hint})")).unwrap_or_default();
        return Ok((missing(app), Some(format!("{}{hint}; search works by words", error.message()))));
    }
    let total = missing(app);
    if total == 0 {
        return Ok((0, None));
    }
    let bar = Bar::new(invocation.output, "vectors");
    let go_on = |made: usize| {
        bar.at(made, total);
        true
    };
    embed_pending(&app.library, &**embedder, &wellread_adapters::background::be_modest, &go_on)?;
    bar.done();
    Ok((missing(app), None))
}

fn shown(answer: &serde_json::Value) -> String {
    let mut lines = format!(
        "{} added, {} changed, {} removed, {} unchanged: {} passages, in {} ms\n",
        answer["added"],
        answer["changed"],
        answer["removed"],
        answer["unchanged"],
        answer["chunks"],
        answer["took_ms"]
    );
    let skipped = answer["skipped"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !skipped.is_empty() {
        lines += &format!("{} passed over: see `wellread status`\n", skipped.len());
    }
    if let Some(notice) = answer["notice"].as_str() {
        lines += &format!("note: {notice}\n");
    }
    lines
}
