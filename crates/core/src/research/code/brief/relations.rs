//! How code is connected: what calls it, what it calls, what builds on it, and the path from one symbol to another.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use wellread_text::FileRole;

use super::rendering::{
    block_alone, code_block, is_unfinished, plain_line, qualified_name, render_edge, resolve_name, rows,
    statement_lines, symbol_name, text_field,
};
use super::{BriefPart, CodeBrief, LeftOut, summarize_envelope};
use crate::Result;
use crate::code::graph::MOST_NODES;
use crate::research::code::plan::AskedRelation;

/// The most definitions of which relations are collected, and the most edges that are shown of all of them.
const SEEDS: usize = 4;
const EDGES: usize = 8;
/// The most callers that are shown where nobody asked for them, or where it is not certain that they are.
const UNASKED: usize = 4;
/// The most lines of a statement that is shown whole.
const LONGEST_STATEMENT: usize = 6;
const PATH_HEADING: &str = "How it fits together";
const NO_CALL_FOUND: &str = "no call to it was found";

/// The edges that a relation consists of.
struct RelationEdges {
    heading: &'static str,
    direction: &'static str,
    kind: &'static str,
}

fn relation_edges(relation: AskedRelation) -> RelationEdges {
    let (heading, direction, kind) = match relation {
        AskedRelation::Callees => ("Calls", "out", "calls"),
        AskedRelation::Heirs => ("Implemented or inherited by", "in", "implements"),
        AskedRelation::Bases => ("Implements or inherits from", "out", "implements"),
        AskedRelation::Callers | AskedRelation::Path => ("Called by", "in", "calls"),
    };
    RelationEdges { heading, direction, kind }
}

/// Where a call may lead to a definition, or it is passed on to be called elsewhere.
const POSSIBLE_CALLS: RelationEdges =
    RelationEdges { heading: "May be called by", direction: "in", kind: "calls" };

/// What the graph says about one definition.
struct SeedEdges {
    symbol: Value,
    edges: Vec<Value>,
    unknown: Vec<Value>,
    notice: Option<String>,
}

impl SeedEdges {
    /// What may call it, as edges.
    fn possible_calls(&self) -> Self {
        let place = |row: &Value| (text_field(row, "path").to_owned(), row["line"].as_u64());
        let certain: BTreeSet<_> = self.edges.iter().map(place).collect();
        let as_edge = |row: &Value| {
            let kind = if row["why"] == "handed_on" { "passes on" } else { "may call" };
            json!({ "from": row["from"], "to": self.symbol["id"], "kind": kind, "path": row["path"], "line": row["line"] })
        };
        let open = self.unknown.iter().filter(|row| !certain.contains(&place(row)));
        Self {
            symbol: self.symbol.clone(),
            edges: open.map(as_edge).collect(),
            unknown: Vec::new(),
            notice: None,
        }
    }
}

impl CodeBrief<'_> {
    /// Collects what calls the first place that is shown, if there is one, where the question did not ask for it.
    pub(super) async fn collect_unasked_callers(&mut self, symbol: Option<&String>) -> Result<()> {
        let Some(symbol) = symbol else { return Ok(()) };
        let words = relation_edges(AskedRelation::Callers);
        let row = json!({ "id": symbol, "name": last_name(symbol) });
        let seed = self.expand_seed(&row, &words).await?;
        let edges = sort_edges(std::slice::from_ref(&seed), &words);
        self.show_edges(&[seed], &edges, &words, UNASKED).await?;
        Ok(())
    }

    /// Collects what has a relation to some definitions, tests last, and says what could not be found. Returns whether
    /// anything was.
    pub(super) async fn collect_relation(
        &mut self,
        relation: AskedRelation,
        definitions: &[Value],
    ) -> Result<bool> {
        let words = relation_edges(relation);
        let mut seeds = Vec::new();
        for row in definitions.iter().take(SEEDS) {
            seeds.push(self.expand_seed(row, &words).await?);
        }
        let edges = sort_edges(&seeds, &words);
        self.say_what_is_missing(relation, &seeds, edges.is_empty());
        let mut is_found = self.show_edges(&seeds, &edges, &words, EDGES).await?;
        if relation == AskedRelation::Callers {
            let possible: Vec<SeedEdges> = seeds.iter().map(SeedEdges::possible_calls).collect();
            let edges = sort_edges(&possible, &POSSIBLE_CALLS);
            is_found |= self.show_edges(&possible, &edges, &POSSIBLE_CALLS, UNASKED).await?;
        }
        Ok(is_found)
    }

    async fn expand_seed(&mut self, row: &Value, words: &RelationEdges) -> Result<SeedEdges> {
        let RelationEdges { direction, kind, .. } = words;
        let id = text_field(row, "id");
        let input =
            json!({ "symbol": id, "depth": 1, "direction": direction, "kinds": [kind], "limit": MOST_NODES });
        let found = self.run_action("graph_expand", input).await?;
        if found["success"] != true && found != Value::Null {
            let (name, why) = (name_of(row), plain_line(&summarize_envelope(&found)));
            self.findings.missing.push(format!("- The graph could not be asked about `{name}`: {why}."));
        }
        let edges = rows(&found, "edges");
        let notice =
            found["notice"].as_str().map(|notice| plain_line(&notice.replace(": see `unknown`", "")));
        Ok(SeedEdges { symbol: row.clone(), edges, unknown: rows(&found, "unknown"), notice })
    }

    /// Says which of the definitions nothing was found about, and what could not be determined.
    fn say_what_is_missing(&mut self, relation: AskedRelation, seeds: &[SeedEdges], found_nothing: bool) {
        let mut said = BTreeSet::new();
        for seed in seeds {
            let same = |other: &&SeedEdges| other.symbol["name"] == seed.symbol["name"];
            let is_twin = seeds.iter().filter(same).nth(1).is_some();
            let others = seeds.iter().filter(same).any(|other| !other.edges.is_empty());
            // Another definition of the name was found to have what this declaration or import has not.
            let is_secondary = seed.symbol["without_body"] == true;
            let name = match is_twin && others {
                true => plain_line(text_field(&seed.symbol, "qualified_name")),
                false => name_of(&seed.symbol),
            };
            let missing = match relation {
                AskedRelation::Callers | AskedRelation::Path => {
                    let notice = seed.notice.clone().filter(|notice| {
                        !(others && seed.edges.is_empty() && is_secondary && notice == NO_CALL_FOUND)
                    });
                    notice.map(|notice| format!("- `{name}`: {notice}."))
                }
                AskedRelation::Callees if !seed.unknown.is_empty() => {
                    Some(format!("- `{name}`: where {} of its calls lead is not known.", seed.unknown.len()))
                }
                AskedRelation::Callees if seed.edges.is_empty() && !is_secondary => {
                    Some(format!("- `{name}` calls nothing that is defined in the searched files."))
                }
                AskedRelation::Heirs if found_nothing => {
                    Some(format!("- Nothing that implements `{name}` or inherits from it was found."))
                }
                AskedRelation::Bases if found_nothing => {
                    Some(format!("- `{name}` implements and inherits from nothing in the searched files."))
                }
                _ => None,
            };
            if let Some(missing) = missing.filter(|missing| said.insert(missing.clone())) {
                self.findings.missing.push(missing);
            }
        }
    }

    /// Shows the first edges as a part of the answer. What is left out is counted, with the command that lists it.
    async fn show_edges(
        &mut self,
        seeds: &[SeedEdges],
        edges: &[(usize, Value)],
        words: &RelationEdges,
        most: usize,
    ) -> Result<bool> {
        let mut items = Vec::new();
        for (of, edge) in edges.iter().take(most) {
            items.extend(self.show_edge(edge, &name_of(&seeds[*of].symbol)).await?);
        }
        let with_edges = seeds.iter().filter(|seed| !seed.edges.is_empty());
        let commands = with_edges.take(2).map(|seed| {
            let id = text_field(&seed.symbol, "id");
            self.command(&["graph", "expand", id], &["--direction", words.direction, "--kinds", words.kind])
        });
        let is_found = !items.is_empty();
        let left_out = LeftOut { total: edges.len(), command: commands.collect::<Vec<_>>().join(", ") };
        self.findings.parts.push(BriefPart { heading: words.heading, items, left_out: Some(left_out) });
        Ok(is_found)
    }

    /// Collects the hops from one name to another. Returns whether there is a path.
    pub(super) async fn trace_path(&mut self, names: &[String], named: &[Value]) -> Result<bool> {
        let [from, to, ..] = names else { return Ok(false) };
        let (mut found, mut ends) = (Value::Null, (from.clone(), to.clone()));
        // A name may have several definitions: the first connected pair counts.
        'pairs: for start in resolve_name(from, named) {
            for end in resolve_name(to, named) {
                found = self.run_action("graph_trace", json!({ "from": start, "to": end })).await?;
                ends = (start.clone(), end);
                if !rows(&found, "edges").is_empty() {
                    break 'pairs;
                }
            }
        }
        let hops = rows(&found, "edges");
        let mut items = Vec::new();
        for hop in &hops {
            items.extend(self.show_edge(hop, "").await?);
        }
        if hops.is_empty() {
            let why = found["notice"].as_str().filter(|notice| *notice != "no path leads there");
            let why = why.map(|notice| format!(": {}", plain_line(notice))).unwrap_or_default();
            let ends = (plain_line(from), plain_line(to));
            let missing = format!("- No path from `{}` to `{}` was found{why}.", ends.0, ends.1);
            self.findings.missing.push(missing);
        }
        let is_found = !items.is_empty();
        let command = self.command(&["graph", "trace", &ends.0, &ends.1], &[]);
        let left_out = Some(LeftOut { total: hops.len(), command });
        self.findings.parts.push(BriefPart { heading: PATH_HEADING, items, left_out });
        Ok(is_found)
    }

    /// An edge with the statement that it is in, cited: whole if it fits, otherwise its line. `subject` is the name that
    /// was asked about.
    async fn show_edge(&mut self, edge: &Value, subject: &str) -> Result<Option<String>> {
        // Only the first edges of a long list come with their lines.
        let opened = match edge["evidence"].is_string() {
            true => edge.clone(),
            false => self.open_line(edge).await?,
        };
        let Some(cited) = self.cite(&opened) else { return Ok(None) };
        let (line, path) = (text_field(&opened, "text").trim().to_owned(), text_field(edge, "path"));
        let whole = match is_unfinished(&line) {
            true => self.open_statement(edge).await?,
            false => Some((line.clone(), cited.clone())),
        };
        let (names, other) =
            self.name_ends(edge, subject, whole.as_ref().map_or(&line, |(code, _)| code)).await?;
        let write = |code: &str, cited: &str| {
            let (from, to) = (&names.0, &names.1);
            format!("{} {cited}{other}", render_edge(edge, (from, to), code))
        };
        let (code, by) = whole.unwrap_or_else(|| (line.clone(), cited.clone()));
        let located =
            format!("{} in `{}` {cited}{other}", render_edge(edge, (&names.0, &names.1), &line), path);
        let mut forms = vec![write(&code, &by), write(&line, &cited), located, write("", &cited)];
        forms.dedup();
        // A block is a quotation as a whole, whatever a reader makes of a sentence about it.
        let block = code_block(path, &code);
        forms.extend(block.and_then(|block| block_alone(&block, &by)));
        self.first_that_passes(forms.into_iter())
    }

    async fn open_line(&mut self, edge: &Value) -> Result<Value> {
        let (path, line) = (text_field(edge, "path"), &edge["line"]);
        let input = json!({ "file_path": path, "start_line": line, "end_line": line });
        self.run_action("open_span", input).await
    }

    /// The whole statement that begins on an edge's line, with its citation; `None` if it is too long or began above.
    async fn open_statement(&mut self, edge: &Value) -> Result<Option<(String, String)>> {
        let (path, first) = (text_field(edge, "path"), edge["line"].as_u64().unwrap_or(1));
        let open = |last: u64| json!({ "file_path": path, "start_line": first, "end_line": last });
        let opened = self.run_action("open_span", open(first + LONGEST_STATEMENT as u64 - 1)).await?;
        let Some(count) = statement_lines(text_field(&opened, "text")) else { return Ok(None) };
        let whole = self.run_action("open_span", open(first + count as u64 - 1)).await?;
        Ok(self.cite(&whole).map(|cited| (text_field(&whole, "text").to_owned(), cited)))
    }

    /// The names of an edge's ends, and what else has to be cited for them. Two methods with one name are told apart by
    /// their types, of which the called one is where it is defined.
    async fn name_ends(
        &mut self,
        edge: &Value,
        subject: &str,
        code: &str,
    ) -> Result<((String, String), String)> {
        let from = symbol_name(edge, "from");
        let to = super::rendering::target_name(edge, subject, code);
        let qualified = (qualified_name(edge, "from"), qualified_name(edge, "to"));
        if from != to || qualified.0 == qualified.1 {
            return Ok(((from, to), String::new()));
        }
        let found = self.run_action("find_symbol", json!({ "name": text_field(edge, "to") })).await?;
        let cited = match rows(&found, "definitions").first() {
            Some(row) => self.cite_definition(row).await?,
            None => None,
        };
        Ok(match cited {
            Some(cited) => (qualified, cited),
            None => ((from, to), String::new()),
        })
    }

    /// A command of the program over the repository that is asked about.
    fn command(&self, words: &[&str], options: &[&str]) -> String {
        let job = self.work.job;
        let is_folder = job.repository.starts_with('/');
        let mut all = vec!["wellread"];
        all.extend(words);
        all.extend(is_folder.then_some(job.repository.as_str()));
        all.extend(options);
        if !is_folder {
            all.extend(["--repo", job.repository.as_str()]);
        }
        if !job.scope.is_empty() {
            all.extend(["--scope", job.scope.as_str()]);
        }
        let quoted = all.into_iter().map(quote_for_shell).collect::<Vec<_>>().join(" ");
        format!("`{}`", quoted.replace('`', "'"))
    }
}

fn quote_for_shell(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:,@".contains(letter);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// The edges of all definitions, each once: what is called in the order of the file, everything else with tests last.
fn sort_edges(seeds: &[SeedEdges], words: &RelationEdges) -> Vec<(usize, Value)> {
    let mut seen = BTreeSet::new();
    let mut edges: Vec<(usize, Value)> = Vec::new();
    for (of, seed) in seeds.iter().enumerate() {
        for edge in &seed.edges {
            let place = (text_field(edge, "path").to_owned(), edge["line"].as_u64());
            let ends = [text_field(edge, "from"), text_field(edge, "to")].map(|id| last_name(id).to_owned());
            if seen.insert((place, ends)) {
                edges.push((of, edge.clone()));
            }
        }
    }
    if words.direction == "out" {
        edges.sort_by_key(|(of, edge)| (*of, edge["line"].as_u64()));
    } else {
        edges.sort_by_key(|(_, edge)| match FileRole::from_path(text_field(edge, "path")) {
            FileRole::Source => 0,
            FileRole::Test => 2,
            _ => 1,
        });
    }
    edges
}

fn name_of(row: &Value) -> String {
    plain_line(text_field(row, "name"))
}

fn last_name(id: &str) -> &str {
    id.rsplit("::").next().unwrap_or(id)
}
