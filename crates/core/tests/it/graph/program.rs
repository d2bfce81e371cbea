//! A small program in memory, with the calls that it is known to make.

use std::collections::BTreeSet;
use std::sync::Arc;

use wellread_core::code::codebase::{CodeSymbol, Codebase, Scope};
use wellread_core::code::graph::{Certainty, Direction, Edge, EdgeKind, Graph, Neighborhood};
use wellread_core::domain::corpus::CorpusName;
use wellread_core::library::indexing::Library;
use wellread_core::library::judge::JudgeRules;
use wellread_testkit::{FixedClock, MemoryFiles, MemoryIndex, path_rules};

/// A program: `-- path` begins a file, `== calls` the calls it is known to make, `== unknown` the uses that nobody could
/// resolve from the text.
pub struct Program {
    pub codebase: Codebase,
    pub files: Arc<MemoryFiles>,
    /// `caller -> callee`.
    pub calls: BTreeSet<String>,
    /// `caller ? name`.
    pub unknown: BTreeSet<String>,
}

impl Program {
    pub fn parse(text: &str) -> Self {
        let mut files: Vec<(String, String)> = Vec::new();
        let (mut calls, mut unknown) = (BTreeSet::new(), BTreeSet::new());
        let mut section = "";
        for line in text.lines() {
            if let Some(path) = line.strip_prefix("-- ") {
                files.push((path.to_owned(), String::new()));
                section = "file";
            } else if let Some(name) = line.strip_prefix("== ") {
                section = if name == "calls" { "calls" } else { "unknown" };
            } else if section == "file" {
                let (_, text) = files.last_mut().unwrap();
                text.push_str(line);
                text.push('\n');
            } else if !line.trim().is_empty() && !line.starts_with('#') {
                if section == "calls" { &mut calls } else { &mut unknown }.insert(line.trim().to_owned());
            }
        }
        Self { calls, unknown, ..Self::of(&files) }
    }

    pub fn of(texts: &[(String, String)]) -> Self {
        let rules = path_rules();
        let clock = FixedClock::parse("2026-03-01T09:30[+00:00]");
        let files =
            texts.iter().map(|(path, text)| (rules.parse_file(path).unwrap(), text.clone().into_bytes()));
        let files = Arc::new(MemoryFiles::new(clock.0.timestamp(), files));
        let index = Arc::new(MemoryIndex::default());
        let library = Library {
            corpora: vec![(CorpusName::Repository("program".into()), files.clone())],
            away: Vec::new(),
            index: index.clone(),
            passages: index.clone(),
            vectors: index.clone(),
            symbols: index,
            clock: Arc::new(clock),
            rules: JudgeRules::default(),
            whole: None,
            memory: Default::default(),
        };
        library.update(false, &|_| {}).unwrap();
        let codebase = Codebase::new(Arc::new(library), "program", Scope::parse("").unwrap()).unwrap();
        Self { codebase, files, calls: BTreeSet::new(), unknown: BTreeSet::new() }
    }

    /// Every definition and every file's own code.
    pub fn symbols(&self) -> Vec<CodeSymbol> {
        let mut symbols = Vec::new();
        for (path, _) in self.codebase.sources().unwrap() {
            symbols.push(self.codebase.module(&path).unwrap());
            let stored = self.codebase.structure(&path).unwrap().unwrap();
            let definitions = stored.structure.definitions.iter().enumerate();
            symbols.extend(definitions.map(|(at, found)| {
                CodeSymbol {
                    at: Some(at),
                    ..self
                        .codebase
                        .symbol(&wellread_core::ports::StoredSymbol {
                            corpus: self.codebase.corpus.clone(),
                            path: path.clone(),
                            at,
                            name: found.name.clone(),
                            qualified: found.qualified.clone(),
                            kind: found.kind,
                            lines: found.lines,
                        })
                        .unwrap()
                }
            }));
        }
        symbols
    }

    pub fn expand(&self, symbol: &CodeSymbol, direction: Direction, kinds: &[EdgeKind]) -> Neighborhood {
        Graph::new(&self.codebase).unwrap().expand(symbol, direction, 1, Some(kinds)).unwrap()
    }

    /// Every call that the graph knows of.
    pub fn all_calls(&self) -> (Vec<Edge>, BTreeSet<String>) {
        let graph = Graph::new(&self.codebase).unwrap();
        let (mut edges, mut unknown) = (Vec::new(), BTreeSet::new());
        for symbol in self.symbols() {
            let found = graph.expand(&symbol, Direction::Out, 1, Some(&[EdgeKind::Calls])).unwrap();
            edges.extend(found.edges.into_iter().filter(|edge| edge.from == symbol.id.0));
            unknown.extend(found.unknown.iter().map(|open| format!("{} ? {}", open.from, open.name)));
        }
        edges.sort();
        edges.dedup();
        (edges, unknown)
    }

    pub fn measured(&self) -> Measured {
        let (edges, unknown) = self.all_calls();
        let found: BTreeSet<String> = edges.iter().map(line).collect();
        let certain = edges.iter().filter(|edge| edge.certainty == Certainty::Certain);
        Measured {
            wrong: found.difference(&self.calls).cloned().collect(),
            wrong_certain: certain.map(line).filter(|line| !self.calls.contains(line)).collect(),
            missed: self.calls.difference(&found).cloned().collect(),
            right: found.intersection(&self.calls).count(),
            unknown_missed: self.unknown.difference(&unknown).cloned().collect(),
            unknown_more: unknown.difference(&self.unknown).cloned().collect(),
            unknown: unknown.len(),
        }
    }
}

pub fn line(edge: &Edge) -> String {
    format!("{} -> {}", edge.from, edge.to)
}

/// What the graph finds, held against what is known.
#[derive(Debug)]
pub struct Measured {
    pub right: usize,
    pub wrong: Vec<String>,
    pub wrong_certain: Vec<String>,
    pub missed: Vec<String>,
    pub unknown: usize,
    pub unknown_missed: Vec<String>,
    pub unknown_more: Vec<String>,
}

impl Measured {
    pub fn precision(&self) -> f64 {
        self.right as f64 / (self.right + self.wrong.len()).max(1) as f64
    }

    pub fn recall(&self) -> f64 {
        self.right as f64 / (self.right + self.missed.len()).max(1) as f64
    }
}
