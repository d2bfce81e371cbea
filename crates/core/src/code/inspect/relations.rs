//! Relations between symbols: neighborhoods, relevant code, and paths from one to another.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::edge_page::EdgePage;
use super::{Inspection, Inspector};
use crate::code::codebase::CodeSymbol;
use crate::code::graph::{
    DEEPEST, Direction, Edge, EdgeKind, Graph, Neighborhood, Node, TraceResult, UnresolvedUse,
};
use crate::domain::corpus::VaultPath;
use crate::domain::evidence::{NewEvidence, Provenance};
use crate::{Error, Result};

const MOST_SEEDS: usize = 20;
const MOST_TOKENS: usize = 16_000;
/// The most edges of which the lines are included.
const SHOWN_EDGES: usize = 40;

/// The arguments of expanding a symbol's neighborhood.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpandArgs {
    /// A name, `Class.method`, `path::Class.method`, or `path::<module>` for code outside any definition.
    pub symbol: String,
    /// How many steps to follow, 1 to 6.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 6))]
    pub depth: usize,
    /// `in`: what leads to it; `out`: what it leads to; `both`
    #[serde(default)]
    pub direction: Direction,
    /// Any of `calls`, `imports`, `contains`, `implements`; all by default.
    #[serde(default)]
    pub kinds: Option<Vec<EdgeKind>>,
    /// Maximum number of edges to return.
    #[serde(default = "EdgePage::usual_limit")]
    pub limit: usize,
    /// How many edges to skip.
    #[serde(default)]
    pub offset: usize,
}

fn one() -> usize {
    1
}

/// The arguments of collecting code around symbols.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackArgs {
    /// The symbols to start from.
    pub symbols: Vec<String>,
    /// Maximum number of tokens.
    #[serde(default = "tokens")]
    pub token_budget: usize,
    /// The question it is for: spans that match it come first.
    #[serde(default)]
    pub question: Option<String>,
}

fn tokens() -> usize {
    2_000
}

/// The arguments of finding a path.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceArgs {
    /// The symbol to start from.
    pub from: String,
    /// The symbol to reach.
    pub to: String,
}

/// The collected code.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PackResult {
    /// The ranges of code, the most relevant first.
    pub spans: Vec<PackResultSpan>,
    /// The approximate number of tokens.
    pub tokens: usize,
    /// How many more spans there were.
    pub left_out: usize,
}

/// An edge with the text of the line that states it.
#[derive(Debug, Serialize)]
pub struct EdgeWithLine {
    /// The edge.
    #[serde(flatten)]
    pub edge: Edge,
    /// The text of the line; absent for `contains` edges, and for edges far down a long list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The neighborhood of a symbol; its edges come with their lines.
#[derive(Debug, Serialize)]
pub struct GraphExpansion {
    /// The symbols.
    pub nodes: Vec<Node>,
    /// The edges between them.
    pub edges: Vec<EdgeWithLine>,
    /// Possible matches that could not be resolved.
    pub unknown: Vec<UnresolvedUse>,
    /// A note for the reader: nothing was found, or the result is incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The graph as a tree, one line for each node.
    pub tree: String,
}

/// A path from one symbol to another; its edges come with their lines.
#[derive(Debug, Serialize)]
pub struct TracedPath {
    /// Whether there is a path.
    pub found: bool,
    /// The edges from first to last, each with the line that proves it.
    pub edges: Vec<EdgeWithLine>,
    /// The symbols on the path.
    pub nodes: Vec<Node>,
    /// If no chain of calls was found: uses on the way that may lead there but could not be resolved.
    pub unknown: Vec<UnresolvedUse>,
    /// A notice for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// Its schema is that of the neighborhood: the lines are an extra that clients need not know.
impl JsonSchema for GraphExpansion {
    fn schema_name() -> Cow<'static, str> {
        Neighborhood::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Neighborhood::json_schema(generator)
    }
}

/// Its schema is that of the trace: the lines are an extra that clients need not know.
impl JsonSchema for TracedPath {
    fn schema_name() -> Cow<'static, str> {
        TraceResult::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        TraceResult::json_schema(generator)
    }
}

/// A range of code, and why it is included.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PackResultSpan {
    /// The file's path.
    pub path: String,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
    /// The id of the symbol that it defines.
    pub symbol: String,
    /// The kind of definition.
    pub kind: String,
    /// Why it was included.
    pub why: String,
    /// The code.
    pub text: String,
}

impl Inspector<'_> {
    /// The neighborhood of a symbol.
    pub fn graph_expand(&self, args: &ExpandArgs) -> Result<Inspection<GraphExpansion>> {
        if !(1..=DEEPEST).contains(&args.depth) {
            return Err(Error::invalid(format!("the depth is {}", args.depth))
                .hint(format!("give a depth from 1 to {DEEPEST}")));
        }
        let until = self.deadline();
        let question = format!("{:?}", (&args.symbol, args.direction, args.depth, &args.kinds));
        let expanded = self.with_fresh_index(|| {
            let library = &self.codebase.library;
            let version = library.index.read_state()?.version;
            let key = self.codebase.memory_key("neighborhood", &question);
            let found = library.memory.find_or_compute(version, key, || {
                let symbol = self.codebase.resolve_symbol(&args.symbol)?;
                let graph = Graph::with_deadline(self.codebase, until)?;
                let found = graph.expand(&symbol, args.direction, args.depth, args.kinds.as_deref())?;
                let rows = found.nodes.len() + found.edges.len() + found.unknown.len();
                Ok((found, 1 + rows))
            })?;
            let nodes =
                found.nodes.iter().map(|node| &node.path).chain(found.edges.iter().map(|edge| &edge.path));
            let files = nodes.map(|path| VaultPath::from_index(path.clone())).collect();
            Ok((found, files))
        })?;
        let summary = format!("{} edges, {} unknown", expanded.edges.len(), expanded.unknown.len());
        let Neighborhood { nodes, edges, unknown, notice, tree } =
            EdgePage { limit: args.limit, offset: args.offset }.cut(Arc::unwrap_or_clone(expanded));
        let (edges, evidence) = self.read_edge_lines(edges);
        let found = GraphExpansion { nodes, edges, unknown, notice, tree };
        Ok(Inspection { found, evidence, summary })
    }

    /// The most relevant code around some symbols, within the token budget.
    pub fn graph_pack(&self, args: &PackArgs) -> Result<Inspection<PackResult>> {
        if args.symbols.is_empty() {
            return Err(Error::invalid("no symbol was named").hint("name at least one"));
        }
        if args.token_budget == 0 {
            return Err(Error::invalid("the budget is zero tokens"));
        }
        let seeds = args
            .symbols
            .iter()
            .take(MOST_SEEDS)
            .map(|symbol| self.codebase.resolve_symbol(symbol))
            .collect::<Result<Vec<CodeSymbol>>>()?;
        let graph = Graph::with_deadline(self.codebase, self.deadline())?;
        let packed = graph.pack(&seeds, args.question.as_deref(), args.token_budget.min(MOST_TOKENS))?;
        let (mut rows, mut evidence) = (Vec::new(), Vec::new());
        for span in &packed.spans {
            let reason = format!("it belongs to the neighborhood: {}", span.why);
            evidence.push((
                format!("/spans/{}", rows.len()),
                self.symbol_evidence(&span.symbol, (&span.place, &span.text), &reason, Provenance::Graph),
            ));
            rows.push(PackResultSpan {
                path: span.place.path.to_string(),
                start_line: span.place.lines.0,
                end_line: span.place.lines.1,
                symbol: span.symbol.id.to_string(),
                kind: span.symbol.kind.name().to_owned(),
                why: span.why.clone(),
                text: span.text.clone(),
            });
        }
        let summary = format!("{} spans, about {} tokens", rows.len(), packed.tokens);
        let found = PackResult { spans: rows, tokens: packed.tokens, left_out: packed.left_out };
        Ok(Inspection { found, evidence, summary })
    }

    /// A path from one symbol to another, each hop with its line.
    pub fn graph_trace(&self, args: &TraceArgs) -> Result<Inspection<TracedPath>> {
        let until = self.deadline();
        let traced = self.with_fresh_index(|| {
            let (from, to) =
                (self.codebase.resolve_symbol(&args.from)?, self.codebase.resolve_symbol(&args.to)?);
            let found = Graph::with_deadline(self.codebase, until)?.trace(&from, &to)?;
            let hops = found.hops.iter().map(|hop| VaultPath::from_index(hop.path.clone()));
            let files = hops.chain([from.path, to.path]).collect();
            Ok((found, files))
        })?;
        let summary = match traced.found {
            true => format!("a path of {} hops", traced.hops.len()),
            false => "no path was found".to_owned(),
        };
        let TraceResult { found, hops, nodes, unknown, notice } = traced;
        let (edges, evidence) = self.read_edge_lines(hops);
        Ok(Inspection { found: TracedPath { found, edges, nodes, unknown, notice }, evidence, summary })
    }

    /// Adds the line of each edge as its text and as evidence.
    fn read_edge_lines(&self, edges: Vec<Edge>) -> (Vec<EdgeWithLine>, Vec<(String, NewEvidence)>) {
        let (mut rows, mut evidence) = (Vec::new(), Vec::new());
        let mut looked_at = 0;
        for (n, edge) in edges.into_iter().enumerate() {
            // A `contains` edge needs no line, since the nodes have theirs.
            let is_telling = edge.kind != EdgeKind::Contains && looked_at < SHOWN_EDGES;
            looked_at += usize::from(is_telling);
            let line = if is_telling { self.read_edge_line(&edge) } else { None };
            let (text, found) = line.unzip();
            evidence.extend(found.map(|found| (format!("/edges/{n}"), found)));
            rows.push(EdgeWithLine { edge, text });
        }
        (rows, evidence)
    }

    fn read_edge_line(&self, edge: &Edge) -> Option<(String, NewEvidence)> {
        let source = self.codebase.read(&self.codebase.parse_path(&edge.path).ok()?).ok()?;
        let (place, text) = source.lines(&self.codebase.corpus, edge.line, edge.line).ok()?;
        let reason = format!("`{}` {} `{}` here", edge.from, edge.kind.name(), edge.to);
        let evidence = self.evidence(&place, &text, &reason, Provenance::Graph);
        Some((text, evidence))
    }
}
