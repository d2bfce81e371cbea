//! Selects the most relevant spans of a neighborhood that fit into a budget of tokens.

use std::collections::{BTreeMap, BTreeSet};

use wellread_text::SymbolKind;

use super::expand::Direction;
use super::files::NodeKey;
use super::rank::{overlap, weights, words};
use super::{EdgeKind, Graph};
use crate::code::codebase::{CodeSymbol, SourceText};
use crate::domain::corpus::{Place, VaultPath};
use crate::{Error, Result};

/// The number of steps from the requested symbols.
const DEPTH: usize = 2;
const MOST_NODES: usize = 300;
/// A longer body is reduced to its signature; requested symbols have a higher limit.
const LONG_LINES: usize = 60;
const LONG_ASKED: usize = 200;

/// The selected spans, most relevant first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanPack {
    /// The ranges of code, the most relevant first.
    pub spans: Vec<PackedSpan>,
    /// The approximate number of tokens of the texts.
    pub tokens: usize,
    /// How many further definitions did not fit into the budget.
    pub left_out: usize,
}

/// The lines of a definition, or only the first of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedSpan {
    /// Where the code is.
    pub place: Place,
    /// The code.
    pub text: String,
    /// The symbol that it defines.
    pub symbol: CodeSymbol,
    /// How it relates to the requested symbols.
    pub why: String,
}

impl Graph<'_> {
    /// The code that is most relevant to these symbols, and to the question if there is one, within the token budget.
    pub fn pack(
        &self,
        symbols: &[CodeSymbol],
        question: Option<&str>,
        token_budget: usize,
    ) -> Result<SpanPack> {
        if symbols.is_empty() {
            return Err(Error::invalid("no symbol was given").hint("give at least one"));
        }
        let (packed, stale) = self.collect_spans(symbols, question, token_budget)?;
        if stale.is_empty() {
            return Ok(packed);
        }
        // Changed files are indexed again, and the selection is repeated once.
        self.codebase.library.update_files(&self.codebase.corpus, &stale)?;
        let mut again = Graph::new(self.codebase)?;
        again.files.until = self.files.until;
        let symbols: Vec<CodeSymbol> =
            symbols.iter().filter_map(|symbol| again.refresh_symbol(symbol)).collect();
        if symbols.is_empty() {
            return Ok(packed);
        }
        Ok(again.collect_spans(&symbols, question, token_budget)?.0)
    }

    /// The current state of a symbol that was looked up earlier; `None` if it is gone.
    fn refresh_symbol(&self, symbol: &CodeSymbol) -> Option<CodeSymbol> {
        self.node_key(symbol).and_then(|spot| self.symbol(spot)).ok()
    }

    /// The selected spans, and the files that changed since they were indexed.
    fn collect_spans(
        &self,
        symbols: &[CodeSymbol],
        question: Option<&str>,
        budget: usize,
    ) -> Result<(SpanPack, Vec<VaultPath>)> {
        let seeds: Vec<NodeKey> =
            symbols.iter().map(|symbol| self.node_key(symbol)).collect::<Result<_>>()?;
        let reached = self.walk_neighborhood(&seeds, Direction::Both, DEPTH, &EdgeKind::ALL, MOST_NODES)?;
        let weights = weights(&seeds, &reached);
        let asked = question.map(words).unwrap_or_default();
        let mut sources: BTreeMap<usize, Option<SourceText>> = BTreeMap::new();
        let mut stale = BTreeSet::new();
        let mut ranked: Vec<(f64, NodeKey, PackedSpan)> = Vec::new();
        for &spot in &reached.nodes {
            let is_seed = seeds.contains(&spot);
            let Some(file) = self.files.read(spot.file)? else { continue };
            let source = sources.entry(spot.file).or_insert_with(|| self.codebase.read(&file.path).ok());
            let Some(source) = source else { continue };
            if source.hash != file.hash {
                stale.insert(file.path.clone());
                continue;
            }
            let Some(span) = self.span(spot, is_seed, source)? else { continue };
            let weight = weights.get(&spot).copied().unwrap_or_default();
            let about = overlap(&asked, &format!("{} {}", span.symbol.qualified, span.text));
            let small = 1.0 / (1.0 + span.text.len() as f64 / 2_000.0);
            let score = if is_seed { 10.0 } else { 0.0 } + about + weight * 4.0 + small * 0.1;
            ranked.push((
                score,
                spot,
                PackedSpan { why: self.explain_span(spot, &seeds, &reached.arcs)?, ..span },
            ));
        }
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut packed = SpanPack { spans: Vec::new(), tokens: 0, left_out: 0 };
        for (_, _, span) in ranked {
            let within = packed.spans.iter().any(|known| contains_place(&known.place, &span.place));
            let tokens = estimate_tokens(&span.text);
            if within {
                continue;
            }
            if packed.tokens + tokens > budget {
                packed.left_out += 1;
                continue;
            }
            packed.tokens += tokens;
            packed.spans.push(span);
        }
        Ok((packed, stale.into_iter().collect()))
    }

    /// The lines of a definition with the comment above it; for a long one, only up to its signature. `None` for
    /// modules that were not requested.
    fn span(&self, spot: NodeKey, is_seed: bool, source: &SourceText) -> Result<Option<PackedSpan>> {
        let Some(file) = self.files.read(spot.file)? else { return Ok(None) };
        let Some(definition) = file.definition(spot.at) else { return Ok(None) };
        if definition.kind == SymbolKind::Module && !is_seed {
            return Ok(None);
        }
        let line_of = |at: usize| source.text[..at.min(source.text.len())].matches('\n').count() + 1;
        let above = definition.doc.as_ref().filter(|doc| doc.end <= definition.span.start);
        let first = above.map_or(definition.lines.0, |doc| line_of(doc.start));
        let longest = if is_seed { LONG_ASKED } else { LONG_LINES };
        let last = if definition.lines.1 - first.min(definition.lines.1) < longest {
            definition.lines.1
        } else {
            line_of(definition.signature.end)
        };
        let (place, text) = source.lines(&self.codebase.corpus, first, last)?;
        Ok(Some(PackedSpan { place, text, symbol: self.symbol(spot)?, why: String::new() }))
    }

    fn explain_span(
        &self,
        spot: NodeKey,
        seeds: &[NodeKey],
        arcs: &BTreeSet<super::edges::RawEdge>,
    ) -> Result<String> {
        if seeds.contains(&spot) {
            return Ok("asked for".to_owned());
        }
        let near = |arc: &&super::edges::RawEdge| {
            (arc.from == spot && seeds.contains(&arc.to)) || (arc.to == spot && seeds.contains(&arc.from))
        };
        let mut direct: Vec<&super::edges::RawEdge> = arcs.iter().filter(near).collect();
        direct.sort_by_key(|arc| (arc.kind, arc.certainty, arc.from, arc.to));
        let Some(arc) = direct.first() else { return Ok("two steps away".to_owned()) };
        let seed = if arc.from == spot { arc.to } else { arc.from };
        let name = self.symbol(seed)?.qualified;
        let passive = match arc.kind {
            EdgeKind::Calls => "called by",
            EdgeKind::Imports => "imported by",
            EdgeKind::Contains => "part of",
            EdgeKind::Implements => "implemented by",
        };
        Ok(if arc.from == spot {
            format!("{} `{name}`", arc.kind.name())
        } else {
            format!("{passive} `{name}`")
        })
    }
}

/// A rough estimate of the number of tokens: four bytes each.
pub(super) fn estimate_tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

fn contains_place(outer: &Place, inner: &Place) -> bool {
    outer.path == inner.path && outer.lines.0 <= inner.lines.0 && inner.lines.1 <= outer.lines.1
}
