//! Looking into a codebase: one function for each thing that can be done, for a person, a tool and a model alike.
//!
//! Everything goes through [`Codebase`], so nothing outside the repository or the scope is read. What is found comes with its
//! evidence: text at a true place. Nothing here asks a language model.

mod look;
mod outline;
mod relations;
mod servers;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

pub use look::{FindSymbolArgs, FoundSymbols, OpenSpanArgs, SearchArgs};
pub use outline::{Defined, OutlineArgs, Outlined, outlined};
pub use relations::{ExpandArgs, PackArgs, Spans, Telling, TraceArgs};
pub use servers::{AtArgs, Question};

use crate::codebase::{Codebase, SourceText, Symbol};
use crate::corpus::{Place, VaultPath};
use crate::evidence::{self, Found, Provenance, Source};
use crate::ports::LanguageServers;
use crate::search::Search;
use crate::untrusted::Untrusted;
use crate::{Error, Result};

/// What is looked with.
#[derive(Clone, Copy)]
pub struct Inspect<'a> {
    pub codebase: &'a Codebase,
    pub search: &'a Search,
    pub servers: &'a Arc<dyn LanguageServers>,
    /// For one action.
    pub limit: Duration,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Seen {
    /// An object.
    pub fields: Value,
    /// Each with the JSON pointer of the object that it stands in.
    pub evidence: Vec<(String, Found)>,
    /// In a few words.
    pub summary: String,
}

/// More lines than these of one definition are not shown unasked.
const LINES_OF_ONE: usize = 60;

impl Inspect<'_> {
    /// When an action that begins now has to be over.
    fn until(&self) -> Instant {
        Instant::now() + self.limit
    }

    /// Lines of a file as evidence.
    fn evidence(&self, place: &Place, text: &str, reason: &str, provenance: Provenance) -> Found {
        Found {
            source: Source::at(place, self.codebase.commit()),
            text: Untrusted::outside(text),
            reason: reason.to_owned(),
            provenance,
            score: None,
            symbol: self.symbol_at(place),
        }
    }

    /// The same of lines that are this symbol's own, the comment above it included.
    fn evidence_of(
        &self,
        symbol: &Symbol,
        (place, text): (&Place, &str),
        reason: &str,
        provenance: Provenance,
    ) -> Found {
        let known = evidence::Symbol { id: symbol.id.to_string(), kind: symbol.kind.name().to_owned() };
        Found { symbol: Some(known), ..self.evidence(place, text, reason, provenance) }
    }

    /// The innermost definition that holds all of a place.
    fn symbol_at(&self, place: &Place) -> Option<evidence::Symbol> {
        let stored = self.codebase.structure(&place.path).ok()??;
        let holds = |lines: (usize, usize)| lines.0 <= place.lines.0 && place.lines.1 <= lines.1;
        let innermost = stored.structure.definitions.iter().rev().find(|found| holds(found.lines))?;
        Some(evidence::Symbol {
            id: format!("{}::{}", place.path, innermost.qualified),
            kind: innermost.kind.name().to_owned(),
        })
    }

    /// The lines of a definition with the comment above it, or its first ones where it is long.
    fn definition(&self, source: &SourceText, symbol: &Symbol) -> Result<(Place, String)> {
        let (mut first, last) = symbol.lines;
        if let Some(doc) = self.doc_line(symbol) {
            first = doc.min(first);
        }
        source.lines(&self.codebase.corpus, first, last.min(first + LINES_OF_ONE - 1))
    }

    fn doc_line(&self, symbol: &Symbol) -> Option<usize> {
        let stored = self.codebase.structure(&symbol.path).ok()??;
        let doc = stored.structure.definitions.get(symbol.at?)?.doc.clone()?;
        let source = self.codebase.read(&symbol.path).ok().filter(|source| source.hash == stored.hash)?;
        Some(wellread_text::Lines::of(&source.text).line_of(doc.start))
    }

    /// Looks something up, and once more where a file that it speaks of is not what it was when it was indexed.
    fn level<T>(&self, look: impl Fn() -> Result<(T, Vec<VaultPath>)>) -> Result<T> {
        let (seen, mut files) = look()?;
        files.sort();
        files.dedup();
        let mut stale = Vec::new();
        for path in files {
            let hash = self.codebase.read(&path).ok().map(|source| source.hash);
            if self.codebase.structure(&path)?.map(|stored| stored.hash) != hash {
                stale.push(path);
            }
        }
        if stale.is_empty() {
            return Ok(seen);
        }
        self.codebase.library.touch(&self.codebase.corpus, &stale)?;
        Ok(look()?.0)
    }
}

fn fields(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::failed(format!("could not answer: {error}")))
}
