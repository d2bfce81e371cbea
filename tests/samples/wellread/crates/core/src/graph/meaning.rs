//! What a name may mean, on the way to the one definition that is meant.

use wellread_text::{Definition, Language, SymbolKind};

use super::files::Spot;
use super::{Certainty, Why};

/// Where a name stands: in this file, in this definition of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scope {
    pub file: usize,
    pub within: Option<usize>,
}

/// A name that is looked for, and for what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sought<'n> {
    pub name: &'n str,
    pub want: Want,
    pub arguments: Option<usize>,
}

impl<'n> Sought<'n> {
    pub fn new(name: &'n str, want: Want) -> Self {
        Self { name, want, arguments: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    /// What can be called.
    Callee,
    Type,
    /// What has members: a module, a type, a value.
    Around,
    /// What can be handed on: data before what runs.
    Data,
    Any,
}

/// What holds definitions without being a type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Module {
    File(usize),
    /// A module that stands in a file with others.
    Inline(Spot),
    /// All the files right in a folder: a package of Go or Java, a folder of Python's modules.
    Folder(String),
    /// A namespace, whichever files add to it.
    Namespace(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Thing {
    Module(Module),
    Definition(Spot),
    /// A value of this type.
    Value(Spot),
    /// Something of the language's own that only holds a value of the type with this path, as the file at this scope
    /// writes it.
    Holding(Scope, Vec<String>),
}

/// What fits: one is the answer, several are candidates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub things: Vec<Thing>,
    pub certainty: Certainty,
    pub why: Why,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    Found(Found),
    /// Somebody else's: a library, the language itself.
    Foreign,
    /// What something of somebody else's gives, which may be one of ours that it was given.
    Handed,
    /// Nothing says what it is.
    Unknown,
}

impl Meaning {
    pub fn one(thing: Thing, certainty: Certainty, why: Why) -> Self {
        Self::Found(Found { things: vec![thing], certainty, why })
    }

    pub fn definitions(spots: Vec<Spot>, certainty: Certainty, why: Why) -> Self {
        Self::Found(Found { things: spots.into_iter().map(Thing::Definition).collect(), certainty, why })
    }

    pub fn module(module: Module) -> Self {
        Self::one(Thing::Module(module), Certainty::Certain, Why::Import)
    }

    pub fn is_found(&self) -> bool {
        matches!(self, Self::Found(_))
    }

    /// No surer than that.
    pub fn at_most(mut self, certainty: Certainty, why: Why) -> Self {
        if let Self::Found(found) = &mut self
            && found.certainty < certainty
        {
            (found.certainty, found.why) = (certainty, why);
        }
        self
    }

    /// The same, found another way, where nothing took from its certainty.
    pub fn by(mut self, why: Why) -> Self {
        if let Self::Found(found) = &mut self
            && found.certainty == Certainty::Certain
        {
            found.why = why;
        }
        self
    }
}

/// Languages whose files use each other's definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    C,
    Script,
    Alone(Language),
}

impl Family {
    pub fn of(language: Language) -> Self {
        match language {
            Language::C | Language::Cpp => Self::C,
            Language::JavaScript | Language::TypeScript | Language::Tsx => Self::Script,
            other => Self::Alone(other),
        }
    }
}

/// Whether a method sees what its type has without saying `this`.
pub(super) fn has_implicit_this(language: Language) -> bool {
    matches!(language, Language::Java | Language::Cpp | Language::CSharp | Language::Kotlin | Language::Ruby)
}

/// Whether a type that builds on another can have methods of its own in place of the other's.
pub(super) fn overrides(language: Language) -> bool {
    !matches!(language, Language::Rust | Language::Go | Language::C | Language::Bash)
}

/// Whether making a value of a type runs something that a call graph knows.
pub(super) fn constructs(language: Language) -> bool {
    !matches!(language, Language::Rust | Language::Go | Language::C | Language::Bash | Language::Lua)
}

/// Whether the parts of a type may stand in other files than the type.
pub(super) fn is_spread(language: Language) -> bool {
    use Language::{CSharp, Cpp, Go, Ruby, Rust};
    matches!(language, Rust | Go | Cpp | CSharp | Ruby)
}

pub(super) fn is_type(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Interface, Struct, Trait, Type};
    matches!(kind, Class | Struct | Enum | Interface | Trait | Type)
}

/// Whether it is data: what stands in it is run by the code around it.
pub(super) fn is_data(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field)
}

pub(super) fn is_callable(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro)
}

/// How well a kind fits what is wanted; none where it can't be meant.
pub(super) fn rank(kind: SymbolKind, want: Want, language: Language) -> Option<u8> {
    use SymbolKind::{Constant, Field, Function, Macro, Method, Module, Variable};
    Some(match (want, kind) {
        (Want::Any, _) => 0,
        (Want::Callee, Function | Method) => 0,
        (Want::Callee, Macro) => u8::from(language == Language::Rust) * 2,
        (Want::Callee, Variable | Constant | Field) => 2,
        (Want::Callee, Module) => return None,
        (Want::Callee, _) => 1,
        (Want::Type, kind) if is_type(kind) => 0,
        (Want::Type, Variable | Constant) => 2,
        (Want::Type, Module) => 3,
        (Want::Type, _) => return None,
        (Want::Data, Variable | Constant | Field) => 0,
        (Want::Data, Module) => 2,
        (Want::Data, _) => 1,
        (Want::Around, kind) if is_type(kind) || kind == Module => 0,
        (Want::Around, Variable | Constant | Field) => 1,
        (Want::Around, Macro) => return None,
        (Want::Around, _) => 2,
    })
}

/// Whether a call with so many arguments can be one of it.
pub(super) fn takes(definition: &Definition, arguments: Option<usize>, language: Language) -> bool {
    let (Some((least, most)), Some(given)) = (definition.takes, arguments) else { return true };
    match language {
        // What is left out is undefined, what is too many is ignored.
        Language::JavaScript | Language::TypeScript | Language::Tsx => true,
        // `Store::open(&store, path)` hands over what the method belongs to.
        Language::Rust => least <= given && most.is_none_or(|most| given <= most + 1),
        _ => least <= given && most.is_none_or(|most| given <= most),
    }
}
