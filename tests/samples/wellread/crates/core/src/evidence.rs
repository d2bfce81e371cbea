//! Evidence: text at a place that can be read again, and the ledger that alone makes citations of it.

mod ledger;

use serde::{Deserialize, Serialize};
use wellread_text::Span;

use crate::corpus::{CorpusName, Hash, Place, VaultPath};
use crate::id::EvidenceId;
use crate::untrusted::Untrusted;

pub use ledger::Ledger;

/// Where a piece of evidence stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Source {
    Note(FilePlace),
    Code {
        repository: String,
        #[serde(flatten)]
        place: FilePlace,
        /// What was checked out, where the repository says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
    },
    Page(PagePlace),
    /// A page of arXiv: its id with the version, `2301.00001v2`.
    Paper {
        arxiv: String,
        #[serde(flatten)]
        place: PagePlace,
    },
}

/// A stretch of a file as it was when it had this hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePlace {
    pub path: VaultPath,
    /// From 1, both included.
    pub start_line: usize,
    pub end_line: usize,
    pub span: Span,
    /// Of the whole file.
    pub hash: Hash,
}

/// A stretch of a page's text as it was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PagePlace {
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Names the kept text.
    pub snapshot: Hash,
    pub span: Span,
}

impl Source {
    /// A place of the library. `commit` counts for code alone.
    pub fn at(place: &Place, commit: Option<String>) -> Self {
        let file = FilePlace {
            path: place.path.clone(),
            start_line: place.lines.0,
            end_line: place.lines.1,
            span: place.span.clone(),
            hash: place.hash,
        };
        match &place.corpus {
            CorpusName::Vault => Self::Note(file),
            CorpusName::Repository(name) => Self::Code { repository: name.clone(), place: file, commit },
        }
    }

    /// The corpus and the place in it, where it is a file.
    pub fn file(&self) -> Option<(CorpusName, &FilePlace)> {
        match self {
            Self::Note(place) => Some((CorpusName::Vault, place)),
            Self::Code { repository, place, .. } => Some((CorpusName::Repository(repository.clone()), place)),
            Self::Page(_) | Self::Paper { .. } => None,
        }
    }

    pub fn page(&self) -> Option<&PagePlace> {
        match self {
            Self::Page(place) | Self::Paper { place, .. } => Some(place),
            Self::Note(_) | Self::Code { .. } => None,
        }
    }

    /// What a reader follows: `Bees.md:3-7`, `wax: src/lib.rs:10-12`, or the address.
    pub fn shown(&self) -> String {
        let lines = |place: &FilePlace| format!("{}:{}-{}", place.path, place.start_line, place.end_line);
        match self {
            Self::Note(place) => lines(place),
            Self::Code { repository, place, .. } => format!("{repository}: {}", lines(place)),
            Self::Page(place) | Self::Paper { place, .. } => place.url.clone(),
        }
    }

    /// Whether both are the same stretch of the same text.
    fn is_same(&self, other: &Self) -> bool {
        match (self.file(), other.file()) {
            (Some((corpus, one)), Some((same, another))) => {
                corpus == same
                    && one.path == another.path
                    && one.span == another.span
                    && one.hash == another.hash
            }
            _ => match (self.page(), other.page()) {
                (Some(one), Some(another)) => one.snapshot == another.snapshot && one.span == another.span,
                _ => false,
            },
        }
    }
}

/// How a piece of evidence was come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    Bm25,
    Vector,
    Hybrid,
    Lsp,
    Syntax,
    Graph,
    /// A search service, or a page that it led to.
    Web,
    // Opened by its place.
    Manual,
}

impl Provenance {
    /// As it is written down.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bm25 => "bm25",
            Self::Vector => "vector",
            Self::Hybrid => "hybrid",
            Self::Lsp => "lsp",
            Self::Syntax => "syntax",
            Self::Graph => "graph",
            Self::Web => "web",
            Self::Manual => "manual",
        }
    }
}

/// What was found, before the ledger has given it an id.
#[derive(Debug, Clone)]
pub struct Found {
    pub source: Source,
    pub text: Untrusted,
    /// Why it was looked at.
    pub reason: String,
    pub provenance: Provenance,
    pub score: Option<f32>,
    pub symbol: Option<Symbol>,
}

/// The definition that a piece of code is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    pub id: String,
    pub kind: String,
}

/// An entry of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    pub id: EvidenceId,
    pub source: Source,
    /// What stands there, byte for byte.
    pub text: Untrusted,
    pub reason: String,
    pub provenance: Provenance,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<Symbol>,
}
