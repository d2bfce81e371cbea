//! The kinds of definitions, common to all languages.

use serde::{Deserialize, Serialize};

/// The kind of a definition. Kinds of a single language are mapped to the nearest: a union is a struct, a protocol an
/// interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A function that belongs to a type.
    Method,
    /// A class.
    Class,
    /// A struct or a union.
    Struct,
    /// An enumeration.
    Enum,
    /// An interface or a protocol.
    Interface,
    /// A trait.
    Trait,
    /// A module or a namespace.
    Module,
    /// A constant.
    Constant,
    /// A variable.
    Variable,
    /// A type alias.
    Type,
    /// A macro.
    Macro,
    /// A member of a class that is not a method: a field or a property.
    Field,
}

impl SymbolKind {
    /// All kinds.
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

    /// The name of the kind in indexes and in JSON.
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

    /// The kind with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it is executable, so that definitions inside of it are local.
    pub(super) fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }

    /// Whether functions inside of it are methods.
    pub(super) fn is_type(self) -> bool {
        matches!(self, Self::Class | Self::Struct | Self::Enum | Self::Interface | Self::Trait)
    }

    /// Whether it mainly contains other definitions.
    pub(super) fn is_container(self) -> bool {
        self.is_type() || self == Self::Module
    }
}
