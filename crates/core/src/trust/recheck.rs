//! Checks whether earlier citations still hold. No model is asked.
//!
//! A cited text that is unchanged on its lines *holds*, whatever else changed in its file. For any other the history
//! is asked first: it has the version that was cited, so that the cited lines can be followed to where they are now,
//! also into a renamed file. Then the file's content is searched, and then the other files. A text that is found at
//! one place has *moved*; one that is found at several, of which the history says nothing, is *ambiguous*. Otherwise
//! it has *changed* if a similar passage is left, and is *gone* if not. Each file is read at most twice, however many
//! citations there are: once because it is cited, once to search it for missing texts; a renamed one once more.
//!
//! Of a page only the stored text is checked, not the web.
//!
//! `cited_file` checks a citation in its own file, by its `line_history` and its content; `sweep` searches a corpus once for everything that is missing;
//! `candidates` ranks the places found; `difference` classifies what changed.

mod candidates;
mod cited_file;
mod difference;
mod line_history;
mod render;
mod sweep;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use wellread_text::Span;

pub use self::difference::CosmeticDifference;
use self::line_history::FileHistory;
use self::sweep::{MissingCitation, drop_older_copies, sweep};
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::domain::evidence::{Evidence, FilePlace, Source};
use crate::domain::id::EvidenceId;
use crate::domain::untrusted::Untrusted;
use crate::ports::{Corpus, History, Snapshots};
use crate::{Error, ErrorKind, Result};

/// The largest file that is searched. In a larger one a citation can only hold at its place.
const MAX_FILE_BYTES: usize = 8 * 1024 * 1024;

/// What became of a citation.
#[derive(Debug, Clone, PartialEq)]
pub enum RecheckState {
    /// The text is unchanged on its lines.
    Holds,
    /// The text is unchanged, but elsewhere.
    Moved {
        /// Where it is now.
        to: CurrentPlace,
        /// How it was found there.
        how: FollowMethod,
    },
    /// The text is unchanged, but in several places, and nothing says which of them was cited.
    Ambiguous {
        /// The places, the most likely first; at least two, and not all if there are many.
        places: Vec<CurrentPlace>,
    },
    /// A similar passage is left.
    Changed {
        /// Where the similar passage is.
        to: CurrentPlace,
        /// The passage's text.
        now: Untrusted,
        /// The unified diff from the cited text to the current one.
        diff: Untrusted,
        /// The kind of difference if only the form differs and every word is the same.
        only: Option<CosmeticDifference>,
    },
    /// The text is gone.
    Gone {
        /// What happened to it.
        reason: String,
    },
    /// The place can't be read; the citation may hold.
    Unreachable {
        /// Why it can't be read.
        reason: String,
    },
}

impl RecheckState {
    /// The state's name in JSON and in the report.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Moved { .. } => "moved",
            Self::Ambiguous { .. } => "ambiguous",
            Self::Changed { .. } => "changed",
            Self::Gone { .. } => "gone",
            Self::Unreachable { .. } => "unreachable",
        }
    }
}

/// A place in a file as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentPlace {
    /// The file's path.
    pub path: VaultPath,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
    /// The range in bytes.
    pub span: Span,
}

/// How a text was found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowMethod {
    /// By searching its own file.
    Lines,
    /// By its text, in another file.
    Content,
    /// By the repository's history of the file, its lines and its names.
    Git,
}

/// A citation with its current state.
#[derive(Debug, Clone)]
pub struct RecheckedCitation {
    /// The evidence that is cited.
    pub evidence: EvidenceId,
    /// The place as it was cited.
    pub source: Source,
    /// What became of the citation.
    pub state: RecheckState,
}

/// Checks citations of files and stored pages.
pub struct Rechecker<'a> {
    /// The vault and the repositories.
    pub corpora: &'a [(CorpusName, Arc<dyn Corpus>)],
    /// The stored pages.
    pub snapshots: &'a dyn Snapshots,
    /// The history of the corpora.
    pub history: &'a dyn History,
}

impl Rechecker<'_> {
    /// The state of each citation, in the order of `cited`. A place that can't be read is reported as such and does not
    /// affect the others. `progress` gets the number of citations checked so far.
    pub fn recheck(&self, cited: &[Evidence], progress: &dyn Fn(usize)) -> Result<Vec<RecheckedCitation>> {
        let mut settled = RecheckResults { states: vec![None; cited.len()], count: 0, progress };
        let mut by_corpus: BTreeMap<CorpusName, BTreeMap<&VaultPath, Vec<usize>>> = BTreeMap::new();
        for (number, evidence) in cited.iter().enumerate() {
            match evidence.source.file() {
                Some((corpus, place)) => {
                    by_corpus.entry(corpus).or_default().entry(&place.path).or_default().push(number);
                }
                None => settled.record(number, self.recheck_page(evidence)),
            }
        }
        for (name, files) in by_corpus {
            match self.corpora.iter().find(|(known, _)| *known == name) {
                Some((_, corpus)) => self.recheck_corpus(&name, &**corpus, cited, &files, &mut settled),
                None => {
                    let reason = format!("the repository `{name}` no longer exists");
                    for number in files.into_values().flatten() {
                        settled.record(number, RecheckState::Unreachable { reason: reason.clone() });
                    }
                }
            }
        }
        let all = settled.states.into_iter().zip(cited);
        all.map(|(state, evidence)| {
            let state = state.ok_or_else(|| Error::failed("a citation was not checked"))?;
            Ok(RecheckedCitation { evidence: evidence.id.clone(), source: evidence.source.clone(), state })
        })
        .collect()
    }

    fn recheck_corpus(
        &self,
        name: &CorpusName,
        corpus: &dyn Corpus,
        cited: &[Evidence],
        files: &BTreeMap<&VaultPath, Vec<usize>>,
        settled: &mut RecheckResults<'_>,
    ) {
        let mut missing = Vec::new();
        for (path, numbers) in files {
            let there = cited_file::CitedFile::read(corpus, path);
            let mut history = FileHistory::new(name, corpus, self.history, path);
            for &number in numbers {
                let Some(quoted) = FileCitation::from_evidence(number, &cited[number]) else { continue };
                match there.find_citation(quoted, &mut history) {
                    cited_file::CitationLookup::Settled(state) => settled.record(number, state),
                    cited_file::CitationLookup::Missing(one) => missing.push(*one),
                }
            }
        }
        if missing.is_empty() {
            return;
        }
        self.follow_renames(name, &mut missing);
        let swept = sweep(name, corpus, &mut missing);
        drop_older_copies(name, self.history, &mut missing);
        for one in missing {
            let number = one.quoted.number;
            settled.record(number, one.into_state(swept.as_ref().err()));
        }
    }

    /// Asks the history what files are called now of which it does not have the cited version: once for each file and
    /// commit. If it does not know, the text is searched for.
    fn follow_renames(&self, name: &CorpusName, missing: &mut [MissingCitation<'_>]) {
        let mut lookups: BTreeMap<(VaultPath, Option<String>), Option<VaultPath>> = BTreeMap::new();
        for one in missing.iter_mut().filter(|one| one.commit.is_none()) {
            let key = (one.quoted.place.path.clone(), one.quoted.commit.map(str::to_owned));
            let renamed = lookups.entry(key).or_insert_with(|| {
                self.history.current_path(name, &one.quoted.place.path, one.quoted.commit).unwrap_or_default()
            });
            one.renamed = renamed.clone().filter(|new| *new != one.quoted.place.path);
        }
    }

    fn recheck_page(&self, evidence: &Evidence) -> RecheckState {
        let Some(place) = evidence.source.page() else {
            return RecheckState::Unreachable { reason: "neither a file nor a page".to_owned() };
        };
        match self.snapshots.load(place.snapshot) {
            Ok(Some(kept)) if kept.get(place.span.clone()) == Some(evidence.text.expose()) => {
                RecheckState::Holds
            }
            Ok(Some(_)) => {
                RecheckState::Gone { reason: "the kept copy of the page does not contain it".to_owned() }
            }
            Ok(None) => RecheckState::Gone { reason: "no copy of the page is kept".to_owned() },
            Err(error) => RecheckState::Unreachable { reason: error.message().to_owned() },
        }
    }
}

/// The results so far.
struct RecheckResults<'a> {
    states: Vec<Option<RecheckState>>,
    count: usize,
    progress: &'a dyn Fn(usize),
}

impl RecheckResults<'_> {
    fn record(&mut self, number: usize, state: RecheckState) {
        self.states[number] = Some(state);
        self.count += 1;
        (self.progress)(self.count);
    }
}

/// A citation of a file.
#[derive(Clone, Copy)]
struct FileCitation<'a> {
    /// Its index in the list of citations.
    number: usize,
    place: &'a FilePlace,
    commit: Option<&'a str>,
    text: &'a Untrusted,
}

impl<'a> FileCitation<'a> {
    fn from_evidence(number: usize, evidence: &'a Evidence) -> Option<Self> {
        let (_, place) = evidence.source.file()?;
        let commit = match &evidence.source {
            Source::Code { commit, .. } => commit.as_deref(),
            _ => None,
        };
        Some(Self { number, place, commit, text: &evidence.text })
    }
}

/// Decodes the text of a file. Otherwise returns the bytes and why they can't be searched.
fn decode_text(bytes: Vec<u8>) -> Result<String, (Vec<u8>, String)> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err((bytes, format!("the file is larger than {} MiB", MAX_FILE_BYTES / (1024 * 1024))));
    }
    if bytes.contains(&0) {
        return Err((bytes, "the file is binary now: it contains NUL bytes".to_owned()));
    }
    String::from_utf8(bytes).map_err(|error| (error.into_bytes(), "the file is no longer UTF-8".to_owned()))
}

/// Whether the error means that the file does not exist.
fn is_gone(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Invalid)
}

/// The citations of files that changed since the commit, in the corpora whose history has it; in the order of `cited`.
/// It is an error if no corpus knows the commit.
pub fn filter_changed_since(
    cited: &[Evidence],
    commit: &str,
    corpora: &[CorpusName],
    history: &dyn History,
) -> Result<Vec<Evidence>> {
    let mut changed: BTreeMap<&CorpusName, BTreeSet<VaultPath>> = BTreeMap::new();
    for corpus in corpora {
        if let Some(files) = history.changed_since(corpus, commit)? {
            changed.insert(corpus, files.into_iter().collect());
        }
    }
    if changed.is_empty() {
        return Err(Error::not_found(format!("no repository knows the commit `{commit}`")).hint(
            "give a commit of a repository that `wellread repo list` shows, or of the vault, or a date",
        ));
    }
    let is_meant = |evidence: &&Evidence| {
        let file = evidence.source.file();
        file.is_some_and(|(corpus, place)| {
            changed.get(&corpus).is_some_and(|files| files.contains(&place.path))
        })
    };
    Ok(cited.iter().filter(is_meant).cloned().collect())
}
