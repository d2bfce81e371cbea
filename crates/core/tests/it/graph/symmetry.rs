//! An edge is the same from both of its ends.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use wellread_core::code::graph::{Direction, Edge, EdgeKind, Graph};

use super::known::{KNOWN, SECOND};
use super::program::Program;

/// Every edge, as its ends tell it: what leaves each node, and what arrives at each.
fn told(program: &Program) -> (BTreeSet<Edge>, BTreeSet<Edge>) {
    let graph = Graph::new(&program.codebase).unwrap();
    let (mut leaving, mut arriving) = (BTreeSet::new(), BTreeSet::new());
    for symbol in program.symbols() {
        let kinds = Some(&EdgeKind::ALL[..]);
        let out = graph.expand(&symbol, Direction::Out, 1, kinds).unwrap();
        leaving.extend(out.edges.into_iter().filter(|edge| edge.from == symbol.id.0));
        let into = graph.expand(&symbol, Direction::In, 1, kinds).unwrap();
        arriving.extend(into.edges.into_iter().filter(|edge| edge.to == symbol.id.0));
    }
    (leaving, arriving)
}

fn is_symmetric(name: &str, program: &Program) {
    let (leaving, arriving) = told(program);
    assert!(leaving.len() > 10, "{name}: {} edges", leaving.len());
    let only_out: Vec<&Edge> = leaving.difference(&arriving).collect();
    let only_in: Vec<&Edge> = arriving.difference(&leaving).collect();
    assert!(only_out.is_empty() && only_in.is_empty(), "{name}: out {only_out:#?} in {only_in:#?}");
}

#[test]
fn what_leaves_one_node_arrives_at_the_other() {
    for known in KNOWN.iter().chain(&SECOND) {
        is_symmetric(known.language, &Program::parse(known.text));
    }
}

#[test]
fn so_it_is_in_sources_that_people_wrote() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/samples/wellread/crates/core/src");
    let mut texts = Vec::new();
    for folder in ["codebase", "graph", "search", "corpus", "ports"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if let Ok(text) = std::fs::read_to_string(&path) {
                let name = path.file_name().unwrap().to_str().unwrap();
                texts.push((format!("core/src/{folder}/{name}"), text));
            }
        }
        let text = std::fs::read_to_string(root.join(format!("{folder}.rs"))).unwrap();
        texts.push((format!("core/src/{folder}.rs"), text));
    }
    let names: BTreeMap<&str, &str> = [("lib", "lib"), ("error", "error")].into();
    for (name, file) in names {
        texts.push((
            format!("core/src/{name}.rs"),
            std::fs::read_to_string(root.join(format!("{file}.rs"))).unwrap(),
        ));
    }
    is_symmetric("core", &Program::of(&texts));
}
