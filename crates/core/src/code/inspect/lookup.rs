//! Searches code, opens lines, and finds definitions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::SymbolKind;

use super::outline::OutlineNode;
use super::{Inspection, Inspector};
use crate::domain::evidence::Provenance;
use crate::library::search::{SearchMode, SearchRequest};
use crate::ports::PassageFilter;
use crate::{Error, Result};

const MOST_HITS: usize = 50;
/// The most hits that are requested to find enough within a scope.
const FURTHEST: usize = 10_000;
const MOST_SYMBOLS: usize = 50;
/// The most symbols of which the lines are included.
const SHOWN_SYMBOLS: usize = 8;
const MOST_LINES: usize = 400;
const OF_A_FILE: usize = 5;

/// The arguments of a search.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchArgs {
    /// What to look for, in words or names.
    pub query: String,
    /// How many passages, at the most.
    #[serde(default = "ten")]
    pub k: usize,
}

fn ten() -> usize {
    10
}

/// The arguments of opening lines of a file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenSpanArgs {
    /// The file, relative to the repository.
    pub file_path: String,
    /// From 1, both included.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
}

/// The arguments of finding a symbol.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindSymbolArgs {
    /// A name, `Class.method` or `path::Class.method`.
    pub name: String,
    /// `function`, `method`, `class`, `struct`, `enum`, `interface`, `trait`, `module`, `constant`, `variable`, `type`,
    /// `macro`, `field`
    #[serde(default)]
    pub kind: Option<String>,
}

/// The definitions with a name.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundSymbols {
    /// The definitions.
    pub definitions: Vec<OutlineNode>,
    /// Similar names, if there is no match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
    /// A notice for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// The passages that match a query.
#[derive(Debug, Serialize)]
pub struct SearchFindings {
    /// The results, best first.
    pub results: Vec<SearchResultRow>,
    /// A notice for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A passage that matches a query.
#[derive(Debug, Serialize)]
pub struct SearchResultRow {
    /// The file's path.
    pub path: String,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
    /// The definition that the passage is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The score; higher is better.
    pub score: f32,
    /// Which search found it.
    pub provenance: Provenance,
    /// The text of the lines.
    pub text: String,
}

/// Opened lines of a file.
#[derive(Debug, Serialize)]
pub struct OpenedSpan {
    /// The file's path.
    pub path: String,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
    /// How many lines the whole file has.
    pub lines_of_file: usize,
    /// The text of the lines.
    pub text: String,
    /// A notice for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Inspector<'_> {
    /// The passages that match best, by words and by meaning.
    pub fn hybrid_search(&self, args: &SearchArgs) -> Result<Inspection<SearchFindings>> {
        let k = args.k.clamp(1, MOST_HITS);
        let mut limit = k;
        let found = loop {
            let found = self.search.find(&SearchRequest {
                query: args.query.clone(),
                mode: SearchMode::Hybrid,
                filter: PassageFilter {
                    corpora: Some(vec![self.codebase.corpus.clone()]),
                    ..PassageFilter::default()
                },
                limit,
                per_file: OF_A_FILE,
            })?;
            let inside =
                found.hits.iter().filter(|hit| self.codebase.scope.contains(&hit.place.path)).count();
            // The scope may exclude the best hits: then more are requested.
            if inside >= k || found.hits.len() < limit || limit >= FURTHEST {
                break found;
            }
            limit *= 8;
        };
        let (mut rows, mut evidence) = (Vec::new(), Vec::new());
        for hit in found.hits.iter().filter(|hit| self.codebase.scope.contains(&hit.place.path)).take(k) {
            let mut found = self.evidence(&hit.place, &hit.text, "it matches the query", hit.provenance);
            found.score = Some(hit.score);
            evidence.push((format!("/results/{}", rows.len()), found));
            rows.push(SearchResultRow {
                path: hit.place.path.to_string(),
                start_line: hit.place.lines.0,
                end_line: hit.place.lines.1,
                symbol: hit.symbol(),
                score: hit.score,
                provenance: hit.provenance,
                text: hit.text.clone(),
            });
        }
        let summary = format!("{} passages", rows.len());
        let found = SearchFindings { results: rows, notice: found.notice };
        Ok(Inspection { found, evidence, summary })
    }

    /// Opens lines of a file. At most `MOST_LINES` are returned; the notice says if there are more.
    pub fn open_span(&self, args: &OpenSpanArgs) -> Result<Inspection<OpenedSpan>> {
        let path = self.codebase.parse_path(&args.file_path)?;
        let source = self.codebase.read(&path)?;
        let last = args.end_line.min(args.start_line.saturating_add(MOST_LINES - 1));
        let (place, text) = source.lines(&self.codebase.corpus, args.start_line, last)?;
        let is_cut = last < args.end_line && place.lines.1 == last;
        let summary = format!("{path}:{}-{}", place.lines.0, place.lines.1);
        let evidence = self.evidence(&place, &text, "its lines were opened", Provenance::Manual);
        let found = OpenedSpan {
            path: path.to_string(),
            start_line: place.lines.0,
            end_line: place.lines.1,
            lines_of_file: source.line_count(),
            text,
            notice: is_cut
                .then(|| format!("at most {MOST_LINES} lines at once; open the rest with another step")),
        };
        Ok(Inspection { found, evidence: vec![(String::new(), evidence)], summary })
    }

    /// The definitions with a name; all that match are listed.
    pub fn find_symbol(&self, args: &FindSymbolArgs) -> Result<Inspection<FoundSymbols>> {
        let kind = args.kind.as_deref().filter(|kind| !kind.is_empty()).map(parse_kind).transpose()?;
        let definitions = self.with_fresh_index(|| {
            let definitions = self.codebase.find_symbols(&args.name, kind)?;
            let files = definitions.found.iter().map(|symbol| symbol.path.clone()).collect();
            Ok((definitions, files))
        })?;
        let count = definitions.count;
        let (mut rows, mut evidence) = (Vec::new(), Vec::new());
        for symbol in definitions.found.iter().take(MOST_SYMBOLS) {
            let source = self.codebase.read(&symbol.path)?;
            let mut row = super::outline::symbol_entry(self.codebase, &source, symbol);
            if rows.len() < SHOWN_SYMBOLS
                && let Ok((place, text)) = self.definition_lines(&source, symbol)
            {
                row.text = Some(text.clone());
                let reason = format!("it defines `{}`", symbol.qualified);
                evidence.push((
                    format!("/definitions/{}", rows.len()),
                    self.symbol_evidence(symbol, (&place, &text), &reason, Provenance::Syntax),
                ));
            }
            rows.push(row);
        }
        let notice =
            (count > MOST_SYMBOLS).then(|| format!("{count} match; the first {MOST_SYMBOLS} are listed"));
        let near = if count == 0 { definitions.near } else { Vec::new() };
        let found = FoundSymbols { definitions: rows, near, notice };
        Ok(Inspection { found, evidence, summary: format!("{count} definitions") })
    }
}

fn parse_kind(written: &str) -> Result<SymbolKind> {
    SymbolKind::from_name(&written.to_lowercase()).ok_or_else(|| {
        let known: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.name()).collect();
        Error::invalid(format!("there is no kind `{written}`"))
            .hint(format!("choose one of: {}", known.join(", ")))
    })
}
