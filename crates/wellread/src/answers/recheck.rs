//! Everything that was ever cited, looked at once more.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wellread_core::domain::evidence::Evidence;
use wellread_core::engine::log;
use wellread_core::library::vault::parse_day;
use wellread_core::trust::recheck::{RecheckedCitation, Rechecker, filter_changed_since};
use wellread_core::{Error, Result};

use crate::app::App;
use crate::config::Config;
use crate::wiring;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecheckRequest {
    /// Only what was cited since this date (YYYY-MM-DD), or from files that changed since this commit.
    pub since: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct RecheckAnswer {
    /// The number of citations by state.
    pub counts: BTreeMap<String, usize>,
    /// Each with `evidence`, `run_id`, `source`, `standing`, and if it moved or changed, `now` and `diff`; if its
    /// text is in several places, `places`.
    pub citations: Vec<Value>,
}

impl RecheckAnswer {
    pub fn from_citations(rechecked: &[RecheckedCitation]) -> Self {
        let mut counts = BTreeMap::new();
        for citation in rechecked {
            *counts.entry(citation.state.name().to_owned()).or_default() += 1;
        }
        Self { counts, citations: rechecked.iter().map(RecheckedCitation::to_json).collect() }
    }
}

pub fn recheck(
    app: &App,
    config: &Config,
    request: &RecheckRequest,
    progress: &dyn Fn(usize, usize),
) -> Result<Vec<RecheckedCitation>> {
    let history = wiring::open_history(app, config)?;
    let day = request.since.as_deref().map(parse_day);
    let from = match &day {
        Some(Ok(day)) => {
            let zone = app.ctx.vault.clock.now().time_zone().clone();
            let start = day
                .to_zoned(zone)
                .map_err(|_| Error::invalid(format!("there is no day {day} in this time zone")))?;
            Some(start.timestamp())
        }
        _ => None,
    };
    let mut cited: Vec<Evidence> = Vec::new();
    for run in app.records.runs("", usize::MAX)? {
        if from.is_none_or(|from| run.began >= from) {
            if run.forgotten.is_some() {
                continue;
            }
            cited.extend(log::cited_evidence(&app.records.events(&run.id)?));
        }
    }
    if let (Some(commit), Some(Err(_))) = (&request.since, &day) {
        let corpora: Vec<_> = app.library.corpora.iter().map(|(name, _)| name.clone()).collect();
        cited = filter_changed_since(&cited, commit, &corpora, &history)?;
    }
    let corpora = app.corpora_with_folders(&cited);
    let rechecker = Rechecker { corpora: &corpora, snapshots: &*app.records, history: &history };
    rechecker.recheck(&cited, &|done| progress(done, cited.len()))
}
