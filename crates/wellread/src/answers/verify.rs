//! The gate on what was written before: a run's answer by its own evidence, anything else by the tool `check_claims`.

use std::sync::Arc;

use wellread_core::domain::corpus::CorpusName;
use wellread_core::domain::evidence::Evidence;
use wellread_core::engine::log;
use wellread_core::faces::tools::{CheckClaims, CheckClaimsArgs, ClaimReport, Ctx};
use wellread_core::ports::Corpus;
use wellread_core::research::find_run_sections;
use wellread_core::trust::gate::{EvidenceReader, judge};
use wellread_core::{Error, Result};

use crate::app::App;

/// What is to be judged.
#[derive(Debug)]
pub enum VerifyTarget {
    /// A run's answer, by its own evidence.
    Run(String),
    /// A text or a note.
    Text(CheckClaimsArgs),
}

/// Judges each sentence of the target.
pub async fn verify(app: &Arc<App>, ctx: Ctx, target: VerifyTarget) -> Result<ClaimReport> {
    match target {
        VerifyTarget::Run(named) => {
            let app = app.clone();
            let judged = tokio::task::spawn_blocking(move || judge_run(&app, &named)).await;
            judged.unwrap_or_else(|_| Err(Error::failed("internal error: this is a bug in Wellread")))
        }
        VerifyTarget::Text(args) => {
            let folders = find_cited_folders(app, &args);
            app.clone().call_in(ctx, CheckClaims { folders }, args).await
        }
    }
}

fn judge_run(app: &App, named: &str) -> Result<ClaimReport> {
    let run = log::find_run(&*app.records, named)?.id;
    let events = app.records.events(&run)?;
    let answer = log::answer(&events).ok_or_else(|| {
        Error::invalid(format!("the run {run} has no answer yet"))
            .hint(format!("`wellread resume {run}` continues it"))
    })?;
    let ledger = log::ledger(&run, &events);
    let corpora = app.corpora_with_folders(ledger.entries());
    let places = EvidenceReader {
        corpora: &corpora,
        snapshots: &*app.records,
        verifier: app.ctx.research.opinions.verifier.as_deref(),
    };
    Ok(ClaimReport::new(answer, judge(answer, &ledger, &places)))
}

/// The folders that the runs behind a text have researched without their having been added as repositories.
fn find_cited_folders(app: &App, args: &CheckClaimsArgs) -> Vec<(CorpusName, Arc<dyn Corpus>)> {
    let vault = &app.ctx.vault;
    let read = |path: &String| vault.locate(path).and_then(|path| vault.read(&path)).ok();
    let note = args.path.as_ref().filter(|_| args.text.is_none()).and_then(read);
    let Some(text) = args.text.as_deref().or(note.as_ref().map(|note| note.text.as_str())) else {
        return Vec::new();
    };
    let sections = find_run_sections(text).into_iter().map(|section| section.run);
    let runs = log::cited_runs(text).into_iter().chain(sections);
    let entries: Vec<Evidence> = runs
        .filter_map(|run| Some(log::ledger(&run, &app.records.events(&run).ok()?)))
        .flat_map(|ledger| ledger.entries().to_vec())
        .collect();
    app.corpora_with_folders(&entries).split_off(app.library.corpora.len())
}
