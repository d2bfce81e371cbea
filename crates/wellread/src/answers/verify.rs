//! The gate on what was written before: a run's answer, a note, or any text against given sources.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::domain::evidence::Ledger;
use wellread_core::domain::verdict::{GateReport, JudgedSentence, VerdictCounts};
use wellread_core::engine::log;
use wellread_core::research::{RunSection, find_run_sections};
use wellread_core::trust::citations::CitationContext;
use wellread_core::trust::gate::{EvidenceReader, judge, judge_against};
use wellread_core::{Error, Result};

use crate::app::App;

/// What is to be judged.
#[derive(Debug)]
pub enum VerifyTarget {
    /// A run's answer, by its own evidence.
    Run(String),
    /// A text, by the evidence that it cites where there are no sources, and by these where there are.
    Text {
        text: String,
        /// Where it stands, where it is a note.
        path: Option<String>,
        sources: Vec<(String, String)>,
    },
}

/// A text to judge another by.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SourceText {
    /// A file of the vault.
    Path(String),
    Text {
        name: String,
        text: String,
    },
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct VerifyAnswer {
    /// Each with `text`, `verdict`, `why` and `evidence: [{path, start_line, end_line, quote}]`.
    #[schemars(with = "Vec<serde_json::Value>")]
    pub sentences: Vec<JudgedSentence>,
    pub coverage: VerdictCounts,
}

impl SourceText {
    pub fn read(self, app: &App) -> Result<(String, String)> {
        match self {
            Self::Text { name, text } => Ok((name, text)),
            Self::Path(path) => {
                let path = app.ctx.vault.locate(&path)?;
                Ok((path.to_string(), app.ctx.vault.read(&path)?.text))
            }
        }
    }
}

pub fn verify(app: &App, judged: &VerifyTarget) -> Result<VerifyAnswer> {
    let places = EvidenceReader { corpora: &app.library.corpora, snapshots: &*app.records };
    let report = match judged {
        VerifyTarget::Run(named) => {
            let run = log::find_run(&*app.records, named)?.id;
            let events = app.records.events(&run)?;
            let answer = log::answer(&events).ok_or_else(|| {
                Error::invalid(format!("the run {run} has no answer yet"))
                    .hint(format!("`wellread resume {run}` continues it"))
            })?;
            let ledger = log::ledger(&run, &events);
            let corpora = app.corpora_with_folders(ledger.entries());
            judge(answer, &ledger, &EvidenceReader { corpora: &corpora, ..places })
        }
        VerifyTarget::Text { text, sources, .. } if !sources.is_empty() => judge_against(text, sources),
        VerifyTarget::Text { text, path, .. } => match find_run_sections(text) {
            sections if sections.is_empty() => {
                let ledger = collect_cited_ledger(app, text)?;
                let corpora = app.corpora_with_folders(ledger.entries());
                judge(text, &ledger, &EvidenceReader { corpora: &corpora, ..places })
            }
            sections => judge_sections(app, text, path.as_deref().unwrap_or_default(), &sections, &places)?,
        },
    };
    let GateReport { sentences, coverage } = report;
    Ok(VerifyAnswer { sentences, coverage })
}

/// The sections of a note that runs wrote: their links are the evidence that they stand for.
fn judge_sections(
    app: &App,
    text: &str,
    path: &str,
    sections: &[RunSection],
    places: &EvidenceReader<'_>,
) -> Result<GateReport> {
    let names = app.ctx.vault.links.names()?;
    let mut judged = Vec::new();
    for RunSection { run, body } in sections {
        let events = app.records.events(run).map_err(|error| {
            Error::not_found(format!("the run {run} that wrote this is not stored here: {error}"))
                .hint("name the source to judge it by: `--source FILE`")
        })?;
        let ledger = log::ledger(run, &events);
        let corpora = app.corpora_with_folders(ledger.entries());
        let places = EvidenceReader { corpora: &corpora, ..*places };
        let sources = CitationContext { ledger: &ledger, names: &names, from: path };
        judged.extend(judge(&sources.restore_ids(&text[body.clone()]), &ledger, &places).sentences);
    }
    Ok(GateReport::new(judged))
}

/// The evidence of all the runs that a text cites.
fn collect_cited_ledger(app: &App, text: &str) -> Result<Ledger> {
    let runs = log::cited_runs(text);
    let first = runs.first().cloned().ok_or_else(|| {
        Error::invalid("the text cites no evidence of a run")
            .hint("name the source to judge it by: `--source FILE`")
    })?;
    let (mut entries, mut shown) = (Vec::new(), Vec::new());
    for run in runs {
        // One that is not here is told of each sentence that cites it.
        let Ok(events) = app.records.events(&run) else { continue };
        let ledger = log::ledger(&run, &events);
        shown.extend(ledger.shown_ids().cloned());
        entries.extend(ledger.entries().iter().cloned());
    }
    Ok(Ledger::restore(first, entries, shown))
}
