//! Inspects a codebase: one function per action, shared by commands, tools and models.
//!
//! Everything goes through [`Codebase`], so nothing outside the repository or the scope is read. Results come with
//! their evidence: text at a place that can be read again. No language model is asked here.

mod edge_page;
mod literals;
mod lookup;
mod outline;
mod relations;
mod servers;
mod values;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

pub use literals::{FindLiteralArgs, LiteralFindings, LiteralRow, find_message};
pub use lookup::{
    FindSymbolArgs, FoundSymbols, OpenSpanArgs, OpenedSpan, SearchArgs, SearchFindings, SearchResultRow,
};
pub use outline::{FileOutline, OutlineArgs, OutlineNode, outline_text};
pub use relations::{
    EdgeWithLine, ExpandArgs, GraphExpansion, PackArgs, PackResult, PackResultSpan, TraceArgs, TracedPath,
};
pub use servers::{PlaceRow, PositionAnswer, PositionArgs, PositionQuestion};
pub use values::FindValueArgs;

use crate::code::codebase::{CodeSymbol, Codebase, SourceText};
use crate::domain::corpus::{Place, VaultPath};
use crate::domain::evidence::{self, NewEvidence, Provenance, Source};
use crate::domain::untrusted::Untrusted;
use crate::library::search::Searcher;
use crate::ports::LanguageServers;
use crate::{Error, Result};

/// What an inspection works with.
#[derive(Clone, Copy)]
pub struct Inspector<'a> {
    /// The repository.
    pub codebase: &'a Codebase,
    /// The search over the library.
    pub search: &'a Searcher,
    /// The language servers.
    pub servers: &'a Arc<dyn LanguageServers>,
    /// The time limit of one action.
    pub limit: Duration,
}

/// The result of an action, with its evidence and a summary.
#[derive(Debug, Clone)]
pub struct Inspection<T> {
    /// The result; it serializes to a JSON object.
    pub found: T,
    /// The evidence, each with the JSON pointer of the object in `found` that it belongs to.
    pub evidence: Vec<(String, NewEvidence)>,
    /// The result in a few words.
    pub summary: String,
}

impl<T: Serialize> Inspection<T> {
    /// Converts the result to JSON, for a model.
    pub fn into_json(self) -> Result<Inspection<Value>> {
        let found = serde_json::to_value(self.found)
            .map_err(|error| Error::failed(format!("could not answer: {error}")))?;
        Ok(Inspection { found, evidence: self.evidence, summary: self.summary })
    }
}

/// The most lines of one definition that are shown unless more are requested.
const LINES_OF_ONE: usize = 60;

impl Inspector<'_> {
    /// The time at which an action that starts now must end.
    fn deadline(&self) -> Instant {
        Instant::now() + self.limit
    }

    /// Lines of a file as evidence.
    fn evidence(&self, place: &Place, text: &str, reason: &str, provenance: Provenance) -> NewEvidence {
        NewEvidence {
            source: Source::from_place(place, self.codebase.commit()),
            text: Untrusted::from_outside(text),
            reason: reason.to_owned(),
            provenance,
            score: None,
            symbol: self.symbol_at(place),
        }
    }

    /// Evidence from the lines of this symbol, the comment above it included.
    fn symbol_evidence(
        &self,
        symbol: &CodeSymbol,
        (place, text): (&Place, &str),
        reason: &str,
        provenance: Provenance,
    ) -> NewEvidence {
        let known =
            evidence::EnclosingSymbol { id: symbol.id.to_string(), kind: symbol.kind.name().to_owned() };
        NewEvidence { symbol: Some(known), ..self.evidence(place, text, reason, provenance) }
    }

    /// The innermost definition that contains the whole place.
    fn symbol_at(&self, place: &Place) -> Option<evidence::EnclosingSymbol> {
        let stored = self.codebase.structure(&place.path).ok()??;
        let holds = |lines: (usize, usize)| lines.0 <= place.lines.0 && place.lines.1 <= lines.1;
        let innermost = stored.structure.definitions.iter().rev().find(|found| holds(found.lines))?;
        Some(evidence::EnclosingSymbol {
            id: format!("{}::{}", place.path, innermost.qualified),
            kind: innermost.kind.name().to_owned(),
        })
    }

    /// The lines of a definition with the comment above it; only the first ones if it is long.
    fn definition_lines(&self, source: &SourceText, symbol: &CodeSymbol) -> Result<(Place, String)> {
        let (mut first, last) = symbol.lines;
        if let Some(doc) = self.doc_line(symbol) {
            first = doc.min(first);
        }
        source.lines(&self.codebase.corpus, first, last.min(first + LINES_OF_ONE - 1))
    }

    fn doc_line(&self, symbol: &CodeSymbol) -> Option<usize> {
        let stored = self.codebase.structure(&symbol.path).ok()??;
        let doc = stored.structure.definitions.get(symbol.at?)?.doc.clone()?;
        let source = self.codebase.read(&symbol.path).ok().filter(|source| source.hash == stored.hash)?;
        Some(wellread_text::LineIndex::new(&source.text).line_of(doc.start))
    }

    /// Runs a lookup, and repeats it once if files that it returns changed since they were indexed.
    fn with_fresh_index<T>(&self, look: impl Fn() -> Result<(T, Vec<VaultPath>)>) -> Result<T> {
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
        self.codebase.library.update_files(&self.codebase.corpus, &stale)?;
        Ok(look()?.0)
    }
}
