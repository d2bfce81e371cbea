//! What kinds of definitions there are, whatever a language calls them.

use serde::{Deserialize, Serialize};

/// What is defined. A language's own kinds are mapped to the nearest: a union is a struct, a protocol an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    Function,
    /// A function that belongs to a type.
    Method,
    Class,
    Struct,
    Enum,
    Interface,
    Trait,
    /// A module, a namespace.
    Module,
    Constant,
    Variable,
    /// A name for a type.
    Type,
    Macro,
    /// What a class holds, as far as its language sets it apart from methods: a field, a property.
    Field,
}

impl SymbolKind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::Function,
        Self::Method,
        Self::Class,
        Self::Struct,
        Self::Enum,
        Self::Interface,
        Self::Trait,
        Self::Module,
        Self::Constant,
        Self::Variable,
        Self::Type,
        Self::Macro,
        Self::Field,
    ];

    /// The name of the kind, as queries, indexes and tools spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Module => "module",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Type => "type",
            Self::Macro => "macro",
            Self::Field => "field",
        }
    }

    /// The kind that [`name`](Self::name) gives this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it runs, so that what it holds is its own business.
    pub(super) fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }

    /// Whether the functions in it are methods.
    pub(super) fn is_type(self) -> bool {
        matches!(self, Self::Class | Self::Struct | Self::Enum | Self::Interface | Self::Trait)
    }

    /// Whether it is there for what it holds.
    pub(super) fn is_container(self) -> bool {
        self.is_type() || self == Self::Module
    }
}
