//! What calls what, what a neighbourhood says, and how one thing reaches another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Inspect, Seen, fields};
use crate::codebase::Symbol;
use crate::corpus::VaultPath;
use crate::evidence::{Found, Provenance};
use crate::graph::{Direction, Edge, EdgeKind, Graph};
use crate::{Error, Result};

const MOST_SEEDS: usize = 20;
const MOST_TOKENS: usize = 16_000;
/// Of so many edges the lines are shown.
const SHOWN_EDGES: usize = 40;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpandArgs {
    /// A name, `Class.method`, `path::Class.method`, or `path::<module>` for code outside any definition.
    pub symbol: String,
    /// How many steps away, 1 to 6.
    #[serde(default = "one")]
    pub depth: usize,
    /// `in`: what leads to it; `out`: what it leads to; `both`
    #[serde(default)]
    pub direction: Direction,
    /// Some of `calls`, `imports`, `contains`, `implements`; all where left out.
    #[serde(default)]
    pub kinds: Option<Vec<EdgeKind>>,
}

fn one() -> usize {
    1
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PackArgs {
    /// Where to begin.
    pub symbols: Vec<String>,
    /// How much, at the most.
    #[serde(default = "tokens")]
    pub token_budget: usize,
    /// What it is for: spans that speak of it come first.
    #[serde(default)]
    pub question: Option<String>,
}

fn tokens() -> usize {
    2_000
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceArgs {
    /// The symbol to begin with.
    pub from: String,
    /// The symbol to arrive at.
    pub to: String,
}

/// Spans of a neighbourhood.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Spans {
    pub spans: Vec<Telling>,
    /// About how many they are.
    pub tokens: usize,
    /// How many more there were.
    pub left_out: usize,
}

/// A span, and why it is there.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Telling {
    pub path: String,
    pub start_line: usize,
    pub end_line: usize,
    pub symbol: String,
    pub kind: String,
    pub why: String,
    pub text: String,
}

impl Inspect<'_> {
    /// The neighbours of a symbol.
    pub fn graph_expand(&self, args: &ExpandArgs) -> Result<Seen> {
        let until = self.until();
        let expanded = self.level(|| {
            let symbol = self.codebase.symbol_named(&args.symbol)?;
            let graph = Graph::within(self.codebase, until)?;
            let found = graph.expand(&symbol, args.direction, args.depth, args.kinds.as_deref())?;
            let nodes =
                found.nodes.iter().map(|node| &node.path).chain(found.edges.iter().map(|edge| &edge.path));
            let files = nodes.map(|path| VaultPath::from_index(path.clone())).collect();
            Ok((found, files))
        })?;
        let mut found = fields(&expanded)?;
        let evidence = self.lines_of(&mut found, "edges", &expanded.edges);
        let summary = format!("{} edges, {} unknown", expanded.edges.len(), expanded.unknown.len());
        Ok(Seen { fields: found, evidence, summary })
    }

    /// The most telling spans around some symbols, as far as the budget goes.
    pub fn graph_pack(&self, args: &PackArgs) -> Result<Seen> {
        if args.symbols.is_empty() {
            return Err(Error::invalid("no symbol is named").hint("name at least one"));
        }
        if args.token_budget == 0 {
            return Err(Error::invalid("the budget is no tokens at all"));
        }
        let seeds = args
            .symbols
            .iter()
            .take(MOST_SEEDS)
            .map(|symbol| self.codebase.symbol_named(symbol))
            .collect::<Result<Vec<Symbol>>>()?;
        let graph = Graph::within(self.codebase, self.until())?;
        let packed = graph.pack(&seeds, args.question.as_deref(), args.token_budget.min(MOST_TOKENS))?;
        let (mut rows, mut evidence) = (Vec::new(), Vec::new());
        for span in &packed.spans {
            let reason = format!("it belongs to the neighbourhood: {}", span.why);
            evidence.push((
                format!("/spans/{}", rows.len()),
                self.evidence_of(&span.symbol, (&span.place, &span.text), &reason, Provenance::Graph),
            ));
            rows.push(Telling {
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
        let spans = Spans { spans: rows, tokens: packed.tokens, left_out: packed.left_out };
        Ok(Seen { fields: fields(&spans)?, evidence, summary })
    }

    /// How one symbol reaches another, each hop with its place.
    pub fn graph_trace(&self, args: &TraceArgs) -> Result<Seen> {
        let until = self.until();
        let traced = self.level(|| {
            let (from, to) = (self.codebase.symbol_named(&args.from)?, self.codebase.symbol_named(&args.to)?);
            let found = Graph::within(self.codebase, until)?.trace(&from, &to)?;
            let hops = found.hops.iter().map(|hop| VaultPath::from_index(hop.path.clone()));
            let files = hops.chain([from.path, to.path]).collect();
            Ok((found, files))
        })?;
        let mut found = fields(&traced)?;
        let evidence = self.lines_of(&mut found, "edges", &traced.hops);
        let summary = match traced.found {
            true => format!("a path of {} hops", traced.hops.len()),
            false => "no path was found".to_owned(),
        };
        Ok(Seen { fields: found, evidence, summary })
    }

    /// Puts the line of each edge beside it, as evidence.
    fn lines_of(&self, found: &mut Value, list: &str, edges: &[Edge]) -> Vec<(String, Found)> {
        let mut evidence = Vec::new();
        // That one thing stands in another needs no line: the nodes have theirs.
        let telling = edges.iter().enumerate().filter(|(_, edge)| edge.kind != EdgeKind::Contains);
        for (n, edge) in telling.take(SHOWN_EDGES) {
            let Ok(path) = self.codebase.path(&edge.path) else { continue };
            let Ok(source) = self.codebase.read(&path) else { continue };
            let Ok((place, text)) = source.lines(&self.codebase.corpus, edge.line, edge.line) else {
                continue;
            };
            let pointer = format!("/{list}/{n}");
            if let Some(Value::Object(row)) = found.pointer_mut(&pointer) {
                row.insert("text".to_owned(), json!(text));
            }
            let reason = format!("`{}` {} `{}` here", edge.from, edge.kind.name(), edge.to);
            evidence.push((pointer, self.evidence(&place, &text, &reason, Provenance::Graph)));
        }
        evidence
    }
}
