//! Goes through what was cited and says of each citation whether it still holds. No model is asked.
//!
//! A text that stands where it stood, byte for byte, holds, whatever else changed in its file. One that stands elsewhere has
//! moved: in its file, in the file that history says it became, or in one that holds the same text. One that stands
//! nowhere has changed, where a stretch is left that is like it, and is gone otherwise. Each file is read at most
//! twice, however many citations there are: once because it is cited, once to look for what is missing.
//!
//! Of a page only what was kept of it is looked at, not the web.
//!
//! | file | what |
//! | --- | --- |
//! | `inside` | a citation in its own file |
//! | `sweep` | one pass over a corpus for everything that is missing |
//! | `candidates` | which of several places it is |
//! | `difference` | in what way a text differs |
//! | `since` | which citations a recheck since a commit is about |

mod candidates;
mod difference;
mod inside;
mod shown;
mod since;
mod sweep;

use std::collections::BTreeMap;
use std::sync::Arc;

use wellread_text::Span;

pub use self::difference::Only;
pub use self::since::since;
use self::sweep::{Missing, sweep};
use crate::corpus::{CorpusName, VaultPath};
use crate::evidence::{Evidence, FilePlace, Source};
use crate::id::EvidenceId;
use crate::ports::{Corpus, History, Snapshots};
use crate::untrusted::Untrusted;
use crate::{Error, Kind, Result};

/// In a larger file a citation still holds where it stood; it is not looked for.
const LARGEST: usize = 8 * 1024 * 1024;

/// How a citation stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    Holds,
    /// The same text, byte for byte, at another place.
    Moved {
        to: Spot,
        how: Followed,
        /// Where it stands as well, and could have come from as easily: the first few.
        also: Vec<Spot>,
    },
    /// Something is left that is like it.
    Changed {
        to: Spot,
        now: Untrusted,
        /// Unified, from what was cited to what is there.
        diff: Untrusted,
        /// Set where no word is another.
        only: Option<Only>,
    },
    Gone {
        reason: String,
    },
    /// It could not be looked at: it may hold.
    Unreachable {
        reason: String,
    },
}

impl Standing {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Moved { .. } => "moved",
            Self::Changed { .. } => "changed",
            Self::Gone { .. } => "gone",
            Self::Unreachable { .. } => "unreachable",
        }
    }
}

/// A place in a file as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    pub path: VaultPath,
    /// From 1, both included.
    pub start_line: usize,
    pub end_line: usize,
    pub span: Span,
}

/// How a text was found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// In its own file.
    Lines,
    /// In another file, by the text alone.
    Content,
    /// In the file that its own became, by the repository's history.
    Git,
}

#[derive(Debug, Clone)]
pub struct Rechecked {
    pub evidence: EvidenceId,
    /// As it was cited.
    pub source: Source,
    pub standing: Standing,
}

pub struct Rechecker<'a> {
    pub corpora: &'a [(CorpusName, Arc<dyn Corpus>)],
    pub snapshots: &'a dyn Snapshots,
    pub history: &'a dyn History,
}

impl Rechecker<'_> {
    /// How each stands, in the order of `cited`. What can't be looked at is said to be so, and costs nothing else. `progress`
    /// hears how many are settled.
    pub fn recheck(&self, cited: &[Evidence], progress: &dyn Fn(usize)) -> Result<Vec<Rechecked>> {
        let mut settled = Settled { standings: vec![None; cited.len()], count: 0, progress };
        let mut by_corpus: BTreeMap<CorpusName, BTreeMap<&VaultPath, Vec<usize>>> = BTreeMap::new();
        for (number, evidence) in cited.iter().enumerate() {
            match evidence.source.file() {
                Some((corpus, place)) => {
                    by_corpus.entry(corpus).or_default().entry(&place.path).or_default().push(number);
                }
                None => settled.put(number, self.page(evidence)),
            }
        }
        for (name, files) in by_corpus {
            match self.corpora.iter().find(|(known, _)| *known == name) {
                Some((_, corpus)) => self.corpus(&name, &**corpus, cited, &files, &mut settled),
                None => {
                    let reason = format!("there is no repository `{name}` any more");
                    for number in files.into_values().flatten() {
                        settled.put(number, Standing::Unreachable { reason: reason.clone() });
                    }
                }
            }
        }
        let all = settled.standings.into_iter().zip(cited);
        all.map(|(standing, evidence)| {
            let standing = standing.ok_or_else(|| Error::failed("a citation was not looked at"))?;
            Ok(Rechecked { evidence: evidence.id.clone(), source: evidence.source.clone(), standing })
        })
        .collect()
    }

    fn corpus(
        &self,
        name: &CorpusName,
        corpus: &dyn Corpus,
        cited: &[Evidence],
        files: &BTreeMap<&VaultPath, Vec<usize>>,
        settled: &mut Settled<'_>,
    ) {
        let mut missing = Vec::new();
        for (path, numbers) in files {
            let there = inside::There::read(corpus, path);
            for &number in numbers {
                let Some(quoted) = Quoted::of(number, &cited[number]) else { continue };
                match there.look(quoted) {
                    inside::Looked::Settled(standing) => settled.put(number, standing),
                    inside::Looked::Missing(one) => missing.push(one),
                }
            }
        }
        if missing.is_empty() {
            return;
        }
        self.follow(name, &mut missing);
        let swept = sweep(name, corpus, &mut missing);
        for one in missing {
            let number = one.quoted.number;
            settled.put(number, one.standing(swept.as_ref().err()));
        }
    }

    /// Asks once for each file and commit what the file is called now. No answer is no trouble: the text is looked for.
    fn follow(&self, name: &CorpusName, missing: &mut [Missing<'_>]) {
        let mut asked: BTreeMap<(VaultPath, Option<String>), Option<VaultPath>> = BTreeMap::new();
        for one in missing {
            let key = (one.quoted.place.path.clone(), one.quoted.commit.map(str::to_owned));
            let renamed = asked.entry(key).or_insert_with(|| {
                self.history.renamed(name, &one.quoted.place.path, one.quoted.commit).unwrap_or_default()
            });
            one.renamed = renamed.clone().filter(|new| *new != one.quoted.place.path);
        }
    }

    fn page(&self, evidence: &Evidence) -> Standing {
        let Some(place) = evidence.source.page() else {
            return Standing::Unreachable { reason: "neither a file nor a page".to_owned() };
        };
        match self.snapshots.kept(place.snapshot) {
            Ok(Some(kept)) if kept.get(place.span.clone()) == Some(evidence.text.look()) => Standing::Holds,
            Ok(Some(_)) => Standing::Gone { reason: "what was kept of the page does not hold it".to_owned() },
            Ok(None) => Standing::Gone { reason: "nothing is kept of the page".to_owned() },
            Err(error) => Standing::Unreachable { reason: error.message().to_owned() },
        }
    }
}

/// What is known so far.
struct Settled<'a> {
    standings: Vec<Option<Standing>>,
    count: usize,
    progress: &'a dyn Fn(usize),
}

impl Settled<'_> {
    fn put(&mut self, number: usize, standing: Standing) {
        self.standings[number] = Some(standing);
        self.count += 1;
        (self.progress)(self.count);
    }
}

/// A citation of a file.
#[derive(Clone, Copy)]
struct Quoted<'a> {
    /// Its place among the cited.
    number: usize,
    place: &'a FilePlace,
    commit: Option<&'a str>,
    text: &'a Untrusted,
}

impl<'a> Quoted<'a> {
    fn of(number: usize, evidence: &'a Evidence) -> Option<Self> {
        let (_, place) = evidence.source.file()?;
        let commit = match &evidence.source {
            Source::Code { commit, .. } => commit.as_deref(),
            _ => None,
        };
        Some(Self { number, place, commit, text: &evidence.text })
    }
}

/// The text of a file; the bytes and the reason, where they are none that is looked into.
fn text_of(bytes: Vec<u8>) -> Result<String, (Vec<u8>, String)> {
    if bytes.len() > LARGEST {
        return Err((bytes, format!("the file is larger than {} MiB", LARGEST / (1024 * 1024))));
    }
    if bytes.contains(&0) {
        return Err((bytes, "the file is binary now: it holds zero bytes".to_owned()));
    }
    String::from_utf8(bytes)
        .map_err(|error| (error.into_bytes(), "the file is not UTF-8 any more".to_owned()))
}

/// Whether an error says that there is no such file.
fn is_gone(error: &Error) -> bool {
    matches!(error.kind(), Kind::NotFound | Kind::Invalid)
}
