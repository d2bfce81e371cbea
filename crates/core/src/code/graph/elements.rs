//! What the graph is told in: nodes, edges, and what could not be resolved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How one part hangs on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// Runs it, or makes a value of it.
    Calls,
    /// Brings it in from elsewhere.
    Imports,
    /// Holds it.
    Contains,
    /// Inherits from it, or does what it asks.
    Implements,
}

impl EdgeKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Calls, Self::Imports, Self::Contains, Self::Implements];

    /// The name of the kind, as tools spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Imports => "imports",
            Self::Contains => "contains",
            Self::Implements => "implements",
        }
    }
}

/// How sure an edge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// The rules of the language leave one answer.
    Certain,
    /// There is one answer, by something short of the rules.
    Likely,
    Unknown,
}

impl Certainty {
    /// The name of the certainty, as tools spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::Unknown => "unknown",
        }
    }
}

/// By what an edge was found, or why none could be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EdgeReason {
    /// It is defined in the same file, where the name is seen.
    SameScope,
    /// It is defined in another file of the same package.
    SamePackage,
    Import,
    /// The text says of which type the value is.
    DeclaredType,
    /// A type that it builds on has it.
    Inherited,
    /// Nothing else in the repository has that name.
    UniqueName,
    /// A type that builds on this one has another of that name, and it may be that.
    Overridden,
    LanguageServer,
    /// Several fit as well as each other.
    SeveralFit,
    /// Nothing says of which type the value is.
    UnknownType,
    /// It is not called here but handed on, and may be called from anywhere.
    HandedOn,
}

impl EdgeReason {
    /// The reason in words, as tools spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::SameScope => "same scope",
            Self::SamePackage => "same package",
            Self::Import => "import",
            Self::DeclaredType => "declared type",
            Self::Inherited => "inherited",
            Self::UniqueName => "unique name",
            Self::Overridden => "overridden elsewhere",
            Self::LanguageServer => "language server",
            Self::SeveralFit => "several fit",
            Self::UnknownType => "type not known",
            Self::HandedOn => "handed on as a value",
        }
    }
}

/// A definition, or the code of a file outside any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Node {
    pub id: String,
    pub name: String,
    pub kind: String,
    pub path: String,
    pub start_line: usize,
    pub end_line: usize,
}

/// That one hangs on the other, and the line that says so.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Edge {
    pub from: String,
    pub to: String,
    pub kind: EdgeKind,
    pub path: String,
    pub line: usize,
    pub certainty: Certainty,
    pub why: EdgeReason,
}

/// A name that is used where nothing tells for sure what it means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct UnresolvedUse {
    pub from: String,
    pub name: String,
    pub kind: EdgeKind,
    pub path: String,
    pub line: usize,
    /// What it may be, as far as the repository goes.
    pub candidates: Vec<String>,
    pub why: EdgeReason,
}
