//! The elements of results: nodes, edges, and unresolved uses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// Calls it, or creates a value of it.
    Calls,
    /// Imports it.
    Imports,
    /// Contains it.
    Contains,
    /// Inherits from it, or implements it.
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

/// How certain an edge is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// By the rules of the language there is exactly one answer.
    Certain,
    /// There is one answer, but the rules of the language do not prove it.
    Likely,
    /// There is no answer, or several.
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

/// How a name was resolved, or why it could not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EdgeReason {
    /// It is defined in the same file, where the name is visible.
    SameScope,
    /// It is defined in another file of the same package.
    SamePackage,
    /// It is imported.
    Import,
    /// The type of the value is declared.
    DeclaredType,
    /// It is a member of a base of the type.
    Inherited,
    /// It is the only definition with that name in the repository.
    UniqueName,
    /// A type that inherits from this one overrides it, and that may be called instead.
    Overridden,
    /// A language server resolved it.
    LanguageServer,
    /// Several definitions match equally well.
    SeveralFit,
    /// The type of the value is not known.
    UnknownType,
    /// It is not called here but passed as a value, and may be called from anywhere.
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

/// A definition, or the code of a file outside any definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Node {
    /// The symbol's id.
    pub id: String,
    /// The symbol's name.
    pub name: String,
    /// The kind of definition.
    pub kind: String,
    /// The file's path.
    pub path: String,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
}

/// A relation between two nodes, and the line that states it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Edge {
    /// The id of the symbol that the edge starts at.
    pub from: String,
    /// The id of the symbol that the edge leads to.
    pub to: String,
    /// The kind of edge.
    pub kind: EdgeKind,
    /// The file with the use.
    pub path: String,
    /// The line of the use, from 1.
    pub line: usize,
    /// How certain the edge is.
    pub certainty: Certainty,
    /// How the name was resolved.
    pub why: EdgeReason,
}

/// A use of a name that could not be resolved with certainty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct UnresolvedUse {
    /// The id of the symbol that contains the use.
    pub from: String,
    /// The name as written.
    pub name: String,
    /// The kind of edge that it would be.
    pub kind: EdgeKind,
    /// The file with the use.
    pub path: String,
    /// The line of the use, from 1.
    pub line: usize,
    /// The ids of the definitions in the repository that may be meant.
    pub candidates: Vec<String>,
    /// Why it could not be resolved.
    pub why: EdgeReason,
}
