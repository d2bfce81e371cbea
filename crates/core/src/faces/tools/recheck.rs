//! Checks everything that was ever cited again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::paged::{Paged, hundred};
use super::{AnswerOrigins, Ctx, Effect, Group, Tool};
use crate::domain::corpus::CorpusName;
use crate::domain::evidence::{Evidence, Source};
use crate::engine::log;
use crate::library::vault::{Vault, parse_day};
use crate::ports::{Corpus, History, NoHistory, RunLogs, Snapshots};
use crate::trust::recheck::{RecheckState, RecheckedCitation, Rechecker, filter_changed_since};
use crate::{Error, Result};

/// The tool that checks earlier citations again.
#[derive(Debug)]
pub struct Recheck;

/// The arguments of [`Recheck`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecheckArgs {
    /// Only what was cited since this date (YYYY-MM-DD), or from files that changed since this commit.
    #[serde(default)]
    pub since: Option<String>,
    /// Maximum number of entries to return.
    #[serde(default = "hundred")]
    pub limit: usize,
    /// Number of entries to skip.
    #[serde(default)]
    pub offset: usize,
}

/// What became of the citations.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecheckAnswer {
    /// The number of citations by state, of all of them.
    pub counts: BTreeMap<String, usize>,
    /// The number of citations in the whole list.
    pub total: usize,
    /// What no longer holds comes first. Each with `evidence`, `run_id`, `source`, `standing`, and if it moved or changed, `now` and `diff`; if its
    /// text is in several places, `places`.
    pub citations: Vec<Value>,
    /// The notes that are cited, or that have the text now.
    #[serde(skip)]
    files: Vec<String>,
}

impl RecheckAnswer {
    /// The answer for checked citations: counts of all, and the part that was asked for. What no longer holds comes first.
    pub fn from_citations(rechecked: &[RecheckedCitation], args: &RecheckArgs) -> Self {
        let mut counts = BTreeMap::new();
        for citation in rechecked {
            *counts.entry(citation.state.name().to_owned()).or_default() += 1;
        }
        let mut sorted: Vec<&RecheckedCitation> = rechecked.iter().collect();
        sorted.sort_by_key(|citation| citation.state == RecheckState::Holds);
        let Paged { results, total, .. } = Paged::new(sorted, args.limit, args.offset);
        let files = results.iter().flat_map(|citation| note_paths(citation)).collect();
        let citations = results.into_iter().map(RecheckedCitation::to_json).collect();
        Self { counts, total, citations, files }
    }
}

/// The notes that a checked citation names.
fn note_paths(citation: &RecheckedCitation) -> Vec<String> {
    let Source::Note(cited) = &citation.source else { return Vec::new() };
    let now = match &citation.state {
        RecheckState::Moved { to, .. } | RecheckState::Changed { to, .. } => vec![to],
        RecheckState::Ambiguous { places } => places.iter().collect(),
        RecheckState::Holds | RecheckState::Gone { .. } | RecheckState::Unreachable { .. } => Vec::new(),
    };
    now.into_iter().map(|place| place.path.to_string()).chain([cited.path.to_string()]).collect()
}

impl Tool for Recheck {
    const NAME: &'static str = "recheck";
    const ABOUT: &'static str = "Checks everything that research has ever cited again: is the text unchanged, moved, changed or \
                                 gone. Asks no model.";
    const GROUP: Group = Group::Agenda;
    const EFFECT: Effect = Effect::Reads;
    const LIMIT: Duration = Duration::from_secs(120);
    type Args = RecheckArgs;
    type Output = RecheckAnswer;
    const STUB: &'static [&'static str] = &["counts"];

    fn answer_origins(output: &RecheckAnswer) -> AnswerOrigins {
        AnswerOrigins::FilesAndOutside(output.files.clone())
    }

    async fn call(&self, ctx: &Ctx, args: RecheckArgs) -> Result<RecheckAnswer> {
        let store = CitationStore {
            vault: &ctx.vault,
            runs: &*ctx.research.runs.records,
            snapshots: &*ctx.research.snapshots,
            history: &*ctx.research.history,
        };
        let corpora = |_: &[Evidence]| ctx.search.library.corpora.clone();
        let rechecked = store.recheck(&args, &corpora, &|_, _| {})?;
        Ok(RecheckAnswer::from_citations(&rechecked, &args))
    }
}

/// The vault and the repositories, each with its name.
type Corpora = Vec<(CorpusName, Arc<dyn Corpus>)>;

/// Where citations are recorded, and what they cite.
pub struct CitationStore<'a> {
    /// The vault. In a view without private notes, runs that have text of one, or of a note that is gone, are left out.
    pub vault: &'a Vault,
    /// The runs.
    pub runs: &'a dyn RunLogs,
    /// The stored pages.
    pub snapshots: &'a dyn Snapshots,
    /// The history of the corpora.
    pub history: &'a dyn History,
}

impl CitationStore<'_> {
    /// Checks what was cited again. `corpora` opens what the citations are in; `progress` gets the number of citations
    /// that were checked, and of all.
    pub fn recheck(
        &self,
        args: &RecheckArgs,
        corpora: &dyn Fn(&[Evidence]) -> Corpora,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Vec<RecheckedCitation>> {
        let cited = self.collect_citations(args, corpora)?;
        let corpora = corpora(&cited);
        // The history has the names and the text of private notes, too.
        let history: &dyn History = if self.vault.hides_private() { &NoHistory } else { self.history };
        let rechecker = Rechecker { corpora: &corpora, snapshots: self.snapshots, history };
        rechecker.recheck(&cited, &|done| progress(done, cited.len()))
    }

    fn collect_citations(
        &self,
        args: &RecheckArgs,
        corpora: &dyn Fn(&[Evidence]) -> Corpora,
    ) -> Result<Vec<Evidence>> {
        let day = args.since.as_deref().map(parse_day);
        let from = match &day {
            Some(Ok(day)) => {
                let zone = self.vault.clock.now().time_zone().clone();
                let start = day
                    .to_zoned(zone)
                    .map_err(|_| Error::invalid(format!("there is no day {day} in this time zone")))?;
                Some(start.timestamp())
            }
            _ => None,
        };
        let mut cited: Vec<Evidence> = Vec::new();
        for run in self.runs.runs("", usize::MAX)? {
            if run.forgotten.is_some() || from.is_some_and(|from| run.began < from) {
                continue;
            }
            let events = self.runs.events(&run.id)?;
            if log::is_shown_by(self.vault, &events) {
                cited.extend(log::cited_evidence(&events));
            }
        }
        if let (Some(commit), Some(Err(_))) = (&args.since, &day) {
            let names: Vec<_> = corpora(&[]).iter().map(|(name, _)| name.clone()).collect();
            cited = filter_changed_since(&cited, commit, &names, self.history)?;
        }
        Ok(cited)
    }
}
