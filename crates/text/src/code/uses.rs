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

use serde::{Deserialize, Serialize};

use crate::Span;

pub(super) use imports::ImportNames;
pub(super) use marks::UseMarks;
pub(super) use read::collect_uses;

/// What a source file uses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uses {
    /// In the order of the text.
    pub mentions: Vec<Mention>,
    pub imports: Vec<Import>,
    pub bases: Vec<Inheritance>,
}

/// A name that is used: called, made, named as a type, or handed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// The last part of it: `open` in `Store::open(…)` and `self.store.open(…)`.
    pub name: String,
    pub role: MentionRole,
    pub reached: NameAccess,
    /// Of the name.
    pub span: Span,
    /// From 1.
    pub line: usize,
    /// The innermost definition around it, as an index into the outline's list.
    pub within: Option<usize>,
    /// How many arguments a call has, where that can be counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<usize>,
}

/// What is done with a name that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MentionRole {
    /// It is called. In some languages that is how values of a type are made, too.
    Call,
    /// A value of this type is made: `new T(…)`, `T { … }`.
    Make,
    /// It stands where a type stands.
    Type,
    /// It is handed on without being called: a function as an argument, a constant that is read.
    Value,
}

/// By what a name is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NameAccess {
    /// By itself, and nothing around it in this file binds it but definitions and imports.
    Plain,
    /// By itself, and it is a parameter or a variable of the function it stands in: nothing outside is meant.
    Local,
    /// As a member of this.
    Member(ExprValue),
}

/// What an expression stands for, as far as the text of one file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExprValue {
    Unknown,
    /// The object or the type that the code is in: `self`, `this`, `Self`, `cls`.
    Own,
    /// What that inherits from: `super`.
    Super,
    /// A value of this type, by the path that names the type: declared, or made on the spot. A type of the
    /// language's own is named, too: `str`. Of a type that only holds another, such as `Option<Store>`, the path's last
    /// part is what it holds: `<Store>`.
    Typed(Vec<String>),
    /// Whatever this path names outside the function: a module, a type, a function, a variable.
    Named(Vec<String>),
    /// What calling that gives.
    Called(Box<ExprValue>),
    /// A member of that.
    Member(Box<ExprValue>, String),
    /// What is in that, once it is there: a `Store` of an `Option<Store>`, a `Result` or a `Promise`.
    Inner(Box<ExprValue>),
}

/// Something that is brought in from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// From where, as the language writes it, without quotes: `crate::store`, `..pkg.mod`, `./util`, `net/http`, `hive.h`.
    pub module: String,
    /// What of it: none is the module itself, `*` all that it offers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// By which name it is known here; none where it gets no name of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_as: Option<String>,
    pub span: Span,
    pub line: usize,
    pub within: Option<usize>,
    /// Whether others get it from here: `pub use`, `export … from`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub handed_on: bool,
}

/// A type that builds on another: inherits from it, or does what it asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inheritance {
    /// The path that names the type in this file, or its qualified name where it is defined here.
    pub heir: Vec<String>,
    /// The path that names the other.
    pub of: Vec<String>,
    pub line: usize,
}
