//! What a name may refer to, on the way to the one definition that is meant.

use wellread_text::{ArgumentRule, Definition, Language, ModuleSystem, SymbolKind};

use super::files::NodeKey;
use super::{Certainty, EdgeReason};

/// Where a name is used: in this file, within this definition of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NameScope {
    pub file: usize,
    pub within: Option<usize>,
}

/// A name to look up, and what kind of thing is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameQuery<'n> {
    pub name: &'n str,
    pub want: WantedKind,
    pub arguments: Option<usize>,
}

impl<'n> NameQuery<'n> {
    pub fn new(name: &'n str, want: WantedKind) -> Self {
        Self { name, want, arguments: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WantedKind {
    /// Something that can be called.
    Callee,
    Type,
    /// Something with members: a module, a type, a value.
    Container,
    /// Something that can be passed as a value: data is preferred to functions.
    Data,
    Any,
}

/// A container of definitions that is not a type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Module {
    File(usize),
    /// A module within a file.
    Inline(NodeKey),
    /// All the files directly in a folder: a package of Go or Java, a folder of Python modules.
    Folder(String),
    /// A namespace, which several files may add to.
    Namespace(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Referent {
    Module(Module),
    Definition(NodeKey),
    /// A value of this type.
    Value(NodeKey),
    /// A built-in container of a value of the type with this path, which is to be resolved in this scope.
    Holding(NameScope, Vec<String>),
}

/// The things that match: one is the answer, several are candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Referents {
    pub things: Vec<Referent>,
    pub certainty: Certainty,
    pub why: EdgeReason,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    Found(Referents),
    /// It belongs to a library or to the language itself.
    Foreign,
    /// It was returned by foreign code, which may return a value of ours that was passed to it.
    Handed,
    /// It could not be resolved.
    Unknown,
}

impl Meaning {
    pub fn single(thing: Referent, certainty: Certainty, why: EdgeReason) -> Self {
        Self::Found(Referents { things: vec![thing], certainty, why })
    }

    pub fn definitions(spots: Vec<NodeKey>, certainty: Certainty, why: EdgeReason) -> Self {
        Self::Found(Referents {
            things: spots.into_iter().map(Referent::Definition).collect(),
            certainty,
            why,
        })
    }

    pub fn module(module: Module) -> Self {
        Self::single(Referent::Module(module), Certainty::Certain, EdgeReason::Import)
    }

    pub fn is_found(&self) -> bool {
        matches!(self, Self::Found(_))
    }

    /// Lowers the certainty to this one, with this reason, unless it is as low already.
    pub fn cap_certainty(mut self, certainty: Certainty, why: EdgeReason) -> Self {
        if let Self::Found(found) = &mut self
            && found.certainty < certainty
        {
            (found.certainty, found.why) = (certainty, why);
        }
        self
    }

    /// Replaces the reason, unless the certainty was lowered, since the reason then explains that.
    pub fn with_reason(mut self, why: EdgeReason) -> Self {
        if let Self::Found(found) = &mut self
            && found.certainty == Certainty::Certain
        {
            found.why = why;
        }
        self
    }
}

/// Whether a definition may be declared in one file and defined in another.
pub(super) fn has_prototypes(language: Language) -> bool {
    language.names.modules == ModuleSystem::Headers
}

pub(super) fn is_type(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Interface, Struct, Trait, Type};
    matches!(kind, Class | Struct | Enum | Interface | Trait | Type)
}

/// Whether it is data: code within its definition is run by the code around it.
pub(super) fn is_data(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field)
}

pub(super) fn is_callable(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro)
}

/// How well a kind matches what is wanted, 0 being best; `None` if it can't be meant.
pub(super) fn rank(kind: SymbolKind, want: WantedKind, language: Language) -> Option<u8> {
    use SymbolKind::{Constant, Field, Function, Macro, Method, Module, Variable};
    Some(match (want, kind) {
        (WantedKind::Any, _) => 0,
        (WantedKind::Callee, Function | Method) => 0,
        (WantedKind::Callee, Macro) => u8::from(language.names.marked_macros) * 2,
        (WantedKind::Callee, Variable | Constant | Field) => 2,
        (WantedKind::Callee, Module) => return None,
        (WantedKind::Callee, _) => 1,
        (WantedKind::Type, kind) if is_type(kind) => 0,
        (WantedKind::Type, Variable | Constant) => 2,
        (WantedKind::Type, Module) => 3,
        (WantedKind::Type, _) => return None,
        (WantedKind::Data, Variable | Constant | Field) => 0,
        (WantedKind::Data, Module) => 2,
        (WantedKind::Data, _) => 1,
        (WantedKind::Container, kind) if is_type(kind) || kind == Module => 0,
        (WantedKind::Container, Variable | Constant | Field) => 1,
        (WantedKind::Container, Macro) => return None,
        (WantedKind::Container, _) => 2,
    })
}

/// Whether a definition can be called with this number of arguments; true if either is not known.
pub(super) fn accepts_arguments(
    definition: &Definition,
    arguments: Option<usize>,
    language: Language,
) -> bool {
    let (Some((least, most)), Some(given)) = (definition.takes, arguments) else { return true };
    match language.names.arguments {
        ArgumentRule::Any => true,
        ArgumentRule::AsDeclared => least <= given && most.is_none_or(|most| given <= most),
        ArgumentRule::AsDeclaredOrReceiver => least <= given && most.is_none_or(|most| given <= most + 1),
    }
}
