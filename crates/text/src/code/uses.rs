//! What a source file uses: which names, where, and what the file itself says about what they mean.
//!
//! Nothing is resolved here: other files are not known. A name that the file says more about carries that with it,
//! as an [`ExprValue`]; whoever knows the other files goes on from there.

mod bind;
mod imports;
mod marks;
mod notes;
mod query_patterns;
mod read;
mod scopes;
mod signatures;
mod tokens;
mod values;
mod walk;

use crate::Span;

pub(super) use imports::ImportNames;
pub(super) use marks::UseMarks;
pub(super) use read::collect_uses;

/// The names that a source file uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Uses {
    /// Uses of names, in the order of the text.
    pub mentions: Vec<Mention>,
    /// Imports from other files.
    pub imports: Vec<Import>,
    /// Types that inherit from others.
    pub bases: Vec<Inheritance>,
}

/// A use of a name: called, constructed, named as a type, or passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The last part of the name: `open` in `Store::open(…)` and `self.store.open(…)`.
    pub name: String,
    /// How the name is used.
    pub role: MentionRole,
    /// How the name is accessed.
    pub reached: NameAccess,
    /// The bytes of the name.
    pub span: Span,
    /// The number of the line, from 1.
    pub line: usize,
    /// The innermost definition that contains it, as an index into the outline's list.
    pub within: Option<usize>,
    /// The number of arguments of a call, if they can be counted.
    pub arguments: Option<usize>,
}

/// What is done with a name that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MentionRole {
    /// It is called. In some languages calling a type constructs a value.
    Call,
    /// A value of this type is constructed: `new T(…)`, `T { … }`.
    Make,
    /// It is used as a type.
    Type,
    /// It is passed on without being called: a function as an argument, a constant that is read.
    Value,
}

/// How a name is accessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameAccess {
    /// By itself; in this file, only definitions and imports bind it.
    Plain,
    /// By itself, as a parameter or variable of the function around it: it refers to nothing outside.
    Local,
    /// As a member of this value.
    Member(ExprValue),
}

/// The meaning of an expression, as far as the text of one file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExprValue {
    /// Unknown.
    Unknown,
    /// The object or type that contains the code: `self`, `this`, `Self`, `cls`.
    Own,
    /// The base of that object or type: `super`.
    Super,
    /// A value of the type with this path: declared, or constructed on the spot. Built-in types are named too: `str`.
    /// For a type that wraps another, such as `Option<Store>`, the last part of the path is the wrapped type:
    /// `<Store>`.
    Typed(Vec<String>),
    /// What this path names outside of the function: a module, a type, a function, a variable.
    Named(Vec<String>),
    /// The result of calling this value.
    Called(Box<ExprValue>),
    /// A member of this value.
    Member(Box<ExprValue>, String),
    /// The inner value of a wrapper: the `Store` of an `Option<Store>`, a `Result` or a `Promise`.
    Inner(Box<ExprValue>),
}

/// An import from another file or module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The module as the language writes it, without quotes: `crate::store`, `..pkg.mod`, `./util`, `net/http`,
    /// `hive.h`.
    pub module: String,
    /// The imported name: `None` is the module itself, `*` everything that it exports.
    pub name: Option<String>,
    /// The local name; `None` if the import does not bind one.
    pub known_as: Option<String>,
    /// The bytes of the import.
    pub span: Span,
    /// The number of the line, from 1.
    pub line: usize,
    /// The innermost definition that contains it, as an index into the outline's list.
    pub within: Option<usize>,
    /// Whether it is exported again: `pub use`, `export … from`.
    pub handed_on: bool,
}

/// A type that inherits from another or implements it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inheritance {
    /// The path of the type in this file, or its qualified name if it is defined here.
    pub heir: Vec<String>,
    /// The path of the base type.
    pub of: Vec<String>,
    /// The number of the line, from 1.
    pub line: usize,
}
