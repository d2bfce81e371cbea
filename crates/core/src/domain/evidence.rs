//! Evidence: text at a place that can be read again, and the ledger, the only source of citations.

mod ledger;

use serde::{Deserialize, Serialize};
use wellread_text::Span;

use crate::domain::corpus::{CorpusName, Hash, Place, VaultPath};
use crate::domain::id::EvidenceId;
use crate::domain::untrusted::Untrusted;

pub use ledger::Ledger;

/// Where a piece of evidence was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Source {
    /// A range of a note.
    Note(FilePlace),
    /// A range of a file in a repository.
    Code {
        /// The repository's name.
        repository: String,
        /// The range of the file.
        #[serde(flatten)]
        place: FilePlace,
        /// The commit that was checked out, if the repository has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
    },
    /// A range of a web page's stored text.
    Page(PagePlace),
    /// A range of an arXiv paper's stored text.
    Paper {
        /// The paper's id with its version: `2301.00001v2`.
        arxiv: String,
        /// The range of the stored text.
        #[serde(flatten)]
        place: PagePlace,
    },
}

/// A range of a file as of this hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePlace {
    /// The file's path in its corpus.
    pub path: VaultPath,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
    /// The range in bytes.
    pub span: Span,
    /// The hash of the whole file.
    pub hash: Hash,
}

/// A range of a page's stored text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PagePlace {
    /// The page's URL.
    pub url: String,
    /// The page's title, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The hash that identifies the stored text.
    pub snapshot: Hash,
    /// The range in bytes.
    pub span: Span,
}

impl Source {
    /// The source for a place in the library. `commit` is used for code only.
    pub fn from_place(place: &Place, commit: Option<String>) -> Self {
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

    /// The corpus and the place in it, if the source is a file.
    pub fn file(&self) -> Option<(CorpusName, &FilePlace)> {
        match self {
            Self::Note(place) => Some((CorpusName::Vault, place)),
            Self::Code { repository, place, .. } => Some((CorpusName::Repository(repository.clone()), place)),
            Self::Page(_) | Self::Paper { .. } => None,
        }
    }

    /// The page, if the source is a page or a paper.
    pub fn page(&self) -> Option<&PagePlace> {
        match self {
            Self::Page(place) | Self::Paper { place, .. } => Some(place),
            Self::Note(_) | Self::Code { .. } => None,
        }
    }

    /// The location as readers see it: `Bees.md:3-7`, `wax: src/lib.rs:10-12`, or the address.
    pub fn location(&self) -> String {
        let lines = |place: &FilePlace| format!("{}:{}-{}", place.path, place.start_line, place.end_line);
        match self {
            Self::Note(place) => lines(place),
            Self::Code { repository, place, .. } => format!("{repository}: {}", lines(place)),
            Self::Page(place) | Self::Paper { place, .. } => place.url.clone(),
        }
    }

    /// Whether both are the same range of the same text.
    fn is_same_place(&self, other: &Self) -> bool {
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

/// How a piece of evidence was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum Provenance {
    /// By keyword search.
    Bm25,
    /// By vector search.
    Vector,
    /// By both keyword and vector search.
    Hybrid,
    /// By a language server.
    Lsp,
    /// By parsing the source.
    Syntax,
    /// By following the graph of the code.
    Graph,
    /// By a web search, or on a page that one led to.
    Web,
    /// Opened by its place.
    Manual,
}

impl Provenance {
    /// The provenance's name in JSON and in logs.
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

/// A piece of evidence that has not got its id from the ledger yet.
#[derive(Debug, Clone)]
pub struct NewEvidence {
    /// Where the text was found.
    pub source: Source,
    /// The text, byte for byte.
    pub text: Untrusted,
    /// Why it was read.
    pub reason: String,
    /// How it was found.
    pub provenance: Provenance,
    /// Its score in the search that found it.
    pub score: Option<f32>,
    /// The definition around it, for code.
    pub symbol: Option<EnclosingSymbol>,
}

/// The definition that a piece of code is part of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnclosingSymbol {
    /// The symbol's id.
    pub id: String,
    /// The kind of definition, such as `function`.
    pub kind: String,
}

/// An entry of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The id by which it is cited.
    pub id: EvidenceId,
    /// Where the text was found.
    pub source: Source,
    /// The text, byte for byte.
    pub text: Untrusted,
    /// Why it was read.
    pub reason: String,
    /// How it was found.
    pub provenance: Provenance,
    /// Its score in the search that found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// The definition around it, for code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<EnclosingSymbol>,
}
