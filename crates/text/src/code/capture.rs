//! What a query's captures mean. They are listed beside the queries.

use super::SymbolKind;

/// What a captured node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Capture {
    Definition(SymbolKind),
    Part(SymbolKind),
    Scope,
    Name,
    Owner,
    Body,
    Doc,
    Wrapper,
    Wrapped,
    Comment,
    Attribute,
    /// Named for the query's own use.
    Inner,
}

/// The meaning of each of a query's captures, by index.
#[derive(Debug)]
pub(super) struct Captures(Vec<Capture>);

impl Captures {
    /// `None` when one of the names has no meaning.
    pub(super) fn from_names(names: &[String]) -> Option<Self> {
        names.iter().map(|name| capture(name)).collect::<Option<Vec<_>>>().map(Self)
    }

    pub(super) fn get(&self, index: u32) -> Capture {
        self.0.get(index as usize).copied().unwrap_or(Capture::Inner)
    }
}

fn capture(name: &str) -> Option<Capture> {
    if let Some(kind) = name.strip_prefix("definition.") {
        return SymbolKind::from_name(kind).map(Capture::Definition);
    }
    if let Some(kind) = name.strip_prefix("part.") {
        return SymbolKind::from_name(kind).map(Capture::Part);
    }
    Some(match name {
        "scope" => Capture::Scope,
        "name" => Capture::Name,
        "owner" => Capture::Owner,
        "body" => Capture::Body,
        "doc" => Capture::Doc,
        "wrapper" => Capture::Wrapper,
        "wrapped" => Capture::Wrapped,
        "comment" => Capture::Comment,
        "attribute" => Capture::Attribute,
        inner if inner.starts_with('_') => Capture::Inner,
        _ => return None,
    })
}
