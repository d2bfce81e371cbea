//! What is asked of the graph: neighborhoods, ways, spans, references, and what stands at a place.

use wellread_core::code::codebase::CodeSymbol;
use wellread_core::code::graph::{Certainty, Direction, EdgeKind, EdgeReason, Graph, Neighborhood};

use super::program::{Program, line};

const HIVE: &str = "\
-- hive.py
from wax import Comb, melt


class Hive:
    \"\"\"Where bees live.\"\"\"

    def __init__(self):
        self.comb = Comb()

    def fill(self):
        self.comb.fill()
        melt()

    def unused(self):
        pass


def start(anything):
    hive = Hive()
    hive.fill()
    anything.drain()
    anything.soar()
    register(callback)


def callback():
    pass


def register(task):
    pass


def a():
    b()


def b():
    a()
-- wax.py
class Shape:
    def drain(self):
        pass


class Comb(Shape):
    def fill(self):
        melt()

    def drain(self):
        pass


def melt():
    pass
-- sky.py
class Kite:
    def soar(self):
        pass


class Bird:
    def soar(self):
        pass
";

fn hive() -> Program {
    Program::parse(HIVE)
}

fn named(program: &Program, name: &str) -> CodeSymbol {
    program.codebase.resolve_symbol(name).unwrap()
}

fn calls(program: &Program, name: &str, direction: Direction) -> Neighborhood {
    program.expand(&named(program, name), direction, &[EdgeKind::Calls])
}

#[test]
fn an_edge_says_where_it_stands_how_sure_it_is_and_why() {
    let found = calls(&hive(), "start", Direction::Out);
    let edge = found.edges.iter().find(|edge| edge.to.ends_with("Hive.fill")).unwrap();
    assert_eq!((edge.path.as_str(), edge.line), ("hive.py", 20));
    assert_eq!((edge.certainty, edge.why), (Certainty::Certain, EdgeReason::DeclaredType));
    let json = serde_json::to_value(&found).unwrap();
    let mut fields: Vec<&String> = json["nodes"][0].as_object().unwrap().keys().collect();
    fields.sort();
    assert_eq!(fields, ["end_line", "id", "kind", "name", "path", "start_line"]);
    let edge = json["edges"].as_array().unwrap().iter().find(|edge| edge["line"] == 20).unwrap();
    assert_eq!((&edge["kind"], &edge["certainty"]), (&"calls".into(), &"certain".into()));
}

#[test]
fn what_nothing_calls_is_told_from_what_nobody_could_tell() {
    let program = hive();
    let unused = calls(&program, "Hive.unused", Direction::In);
    assert_eq!(unused.notice.as_deref(), Some("no call to it was found"));
    assert!(unused.edges.is_empty() && unused.unknown.is_empty());
    let drain = calls(&program, "Comb.drain", Direction::In);
    let notice = drain.notice.unwrap();
    assert!(notice.starts_with("could not determine what calls it; 1 place may"), "{notice}");
    assert!(drain.edges.is_empty());
    assert_eq!(drain.unknown[0].candidates, ["wax.py::Shape.drain", "wax.py::Comb.drain"]);
    assert_eq!(
        (drain.unknown[0].from.as_str(), drain.unknown[0].why),
        ("hive.py::start", EdgeReason::UnknownType)
    );
    let handed = calls(&program, "callback", Direction::In);
    assert!(handed.notice.unwrap().contains("passed as a value in 1 place"));
    assert_eq!(handed.unknown[0].why, EdgeReason::HandedOn);
}

#[test]
fn files_are_imported_types_build_on_others_and_hold_their_parts() {
    let program = hive();
    let module = program.codebase.module(&program.codebase.parse_path("hive.py").unwrap()).unwrap();
    let imports = program.expand(&module, Direction::Out, &[EdgeKind::Imports]);
    let ends: Vec<&str> = imports.edges.iter().map(|edge| edge.to.as_str()).collect();
    assert_eq!(ends, ["wax.py::<module>", "wax.py::Comb", "wax.py::melt"]);
    let comb = named(&program, "Comb");
    let around = program.expand(&comb, Direction::Both, &[EdgeKind::Implements, EdgeKind::Contains]);
    let lines: Vec<String> =
        around.edges.iter().map(|edge| format!("{} {}", edge.kind.name(), line(edge))).collect();
    assert_eq!(
        lines,
        [
            "contains wax.py::<module> -> wax.py::Comb",
            "implements wax.py::Comb -> wax.py::Shape",
            "contains wax.py::Comb -> wax.py::Comb.fill",
            "contains wax.py::Comb -> wax.py::Comb.drain",
        ]
    );
}

#[test]
fn a_neighborhood_is_drawn_as_a_tree_and_circles_are_marked() {
    let program = hive();
    let graph = Graph::new(&program.codebase).unwrap();
    let found = graph.expand(&named(&program, "a"), Direction::Out, 6, Some(&[EdgeKind::Calls])).unwrap();
    assert_eq!(found.tree, "a hive.py:34\n└─ calls → b hive.py:38\n   └─ calls → a hive.py:34 ↺");
    assert_eq!(found.nodes.len(), 2);
    assert!(graph.expand(&named(&program, "a"), Direction::Out, 0, None).is_err());
    let deep = graph.expand(&named(&program, "a"), Direction::Out, 99, None).unwrap();
    assert!(deep.notice.unwrap().contains("the maximum depth is 6"));
}

#[test]
fn a_way_is_told_hop_by_hop_and_without_one_what_may_lead_there() {
    let program = hive();
    let graph = Graph::new(&program.codebase).unwrap();
    let way = graph.trace(&named(&program, "start"), &named(&program, "melt")).unwrap();
    let hops: Vec<String> =
        way.hops.iter().map(|hop| format!("{}:{} {}", hop.path, hop.line, line(hop))).collect();
    assert_eq!(
        hops,
        ["hive.py:20 hive.py::start -> hive.py::Hive.fill", "hive.py:12 hive.py::Hive.fill -> wax.py::melt"]
    );
    assert!(way.found && way.notice.is_none());
    let other = graph.trace(&named(&program, "start"), &named(&program, "Shape.drain")).unwrap();
    assert!(other.found && other.notice.unwrap().starts_with("no chain of calls is known"));
    assert_eq!(other.unknown[0].name, "drain");
    let none = graph.trace(&named(&program, "start"), &named(&program, "Kite.soar")).unwrap();
    assert!(!none.found && none.hops.is_empty());
    assert_eq!(
        none.notice.as_deref(),
        Some("could not determine a path; 1 unresolved use on the way may lead there")
    );
    assert_eq!((none.unknown[0].name.as_str(), none.unknown[0].candidates.len()), ("soar", 2));
    let nothing = graph.trace(&named(&program, "melt"), &named(&program, "a")).unwrap();
    assert_eq!(nothing.notice.as_deref(), Some("no path leads there"));
}

#[test]
fn a_path_that_is_too_long_to_search_for_is_not_denied() {
    let steps = |count: usize| {
        let step = |number: usize| format!("def step_{number}():\n    step_{}()\n\n\n", number + 1);
        let text: String = (0..count).map(step).collect();
        Program::of(&[("chain.py".to_owned(), format!("{text}def step_{count}():\n    pass\n"))])
    };
    for (count, is_found) in [(40, true), (70, false)] {
        let program = steps(count);
        let last = format!("step_{count}");
        let graph = Graph::new(&program.codebase).unwrap();
        let way = graph.trace(&named(&program, "step_0"), &named(&program, &last)).unwrap();
        assert_eq!(way.found, is_found, "{count}");
        let notice = "no path of at most 64 steps leads there; there may be a longer one";
        assert_eq!(way.notice.as_deref(), (!is_found).then_some(notice));
    }
}

#[test]
fn a_pack_holds_what_was_asked_for_first_and_keeps_to_its_budget() {
    let program = hive();
    let graph = Graph::new(&program.codebase).unwrap();
    let symbols = [named(&program, "Hive.fill")];
    let packed = graph.pack(&symbols, Some("how is wax melted"), 1_000).unwrap();
    assert_eq!(packed.spans[0].text, "    def fill(self):\n        self.comb.fill()\n        melt()");
    assert_eq!((packed.spans[0].place.lines, packed.spans[0].why.as_str()), ((10, 12), "asked for"));
    assert!(
        packed.spans.iter().any(|span| span.symbol.name == "melt" && span.why == "called by `Hive.fill`")
    );
    for budget in [0, 5, 20, 40, 80, 200] {
        let packed = graph.pack(&symbols, None, budget).unwrap();
        let tokens: usize = packed.spans.iter().map(|span| span.text.len().div_ceil(4)).sum();
        assert!(tokens == packed.tokens && tokens <= budget, "{tokens} of {budget}");
    }
    assert!(graph.pack(&[], None, 100).is_err());
}

#[test]
fn a_file_that_changed_is_read_as_it_stands() {
    let program = hive();
    let symbols = [named(&program, "melt")];
    let changed = HIVE
        .split("-- wax.py\n")
        .nth(1)
        .unwrap()
        .split("-- sky")
        .next()
        .unwrap()
        .replace("def melt():\n    pass", "\n\ndef melt():\n    return 7");
    program.files.save(&program.codebase.parse_path("wax.py").unwrap(), changed.as_bytes());
    let packed = Graph::new(&program.codebase).unwrap().pack(&symbols, None, 1_000).unwrap();
    assert_eq!(packed.spans[0].text, "def melt():\n    return 7");
    assert_eq!(packed.spans[0].place.lines, (16, 17));
}

#[test]
fn references_are_calls_imports_and_values() {
    let program = hive();
    let graph = Graph::new(&program.codebase).unwrap();
    let told = |name: &str| {
        let found = graph.references(&named(&program, name)).unwrap();
        found
            .places
            .iter()
            .map(|place| format!("{}:{} {}", place.path, place.line, place.role))
            .collect::<Vec<_>>()
    };
    assert_eq!(told("melt"), ["hive.py:1 import", "hive.py:12 call", "wax.py:8 call"]);
    assert_eq!(told("callback"), ["hive.py:23 value"]);
    assert_eq!(graph.references(&named(&program, "Comb.drain")).unwrap().unknown.len(), 1);
}

#[test]
fn a_place_is_a_use_or_the_name_of_a_definition() {
    let program = hive();
    let graph = Graph::new(&program.codebase).unwrap();
    let path = program.codebase.parse_path("hive.py").unwrap();
    let at = |line, column| graph.resolve_position(&path, line, column).unwrap();
    let fill = at(20, 11).unwrap();
    assert_eq!((fill.name.as_str(), fill.symbols[0].id.0.as_str()), ("fill", "hive.py::Hive.fill"));
    let drain = at(21, 15).unwrap();
    assert_eq!((drain.certainty, drain.symbols.len()), (Certainty::Unknown, 2));
    let own = at(18, 6).unwrap();
    assert_eq!((own.symbols[0].name.as_str(), own.why), ("start", None));
    assert!(at(2, 1).is_none());
}

#[test]
fn what_is_outside_the_scope_is_not_named() {
    let program = hive();
    let mut codebase = program.codebase.clone();
    codebase.scope = wellread_core::code::codebase::Scope::parse("hive.py").unwrap();
    let graph = Graph::new(&codebase).unwrap();
    let found = graph.expand(&codebase.resolve_symbol("start").unwrap(), Direction::Both, 6, None).unwrap();
    assert!(!serde_json::to_string(&found).unwrap().contains("wax.py"), "{found:#?}");
}

#[test]
fn a_popular_name_is_looked_for_nearby_and_the_rest_is_said() {
    let mut texts = vec![("pkg/core.py".to_owned(), "def helper():\n    pass\n".to_owned())];
    for number in 0..450 {
        let text = "from pkg.core import helper\n\n\ndef use():\n    helper()\n";
        texts.push((format!("pkg/use_{number:03}.py"), text.to_owned()));
    }
    let program = Program::of(&texts);
    let found = calls(&program, "helper", Direction::In);
    let notice = found.notice.unwrap();
    assert!(notice.contains("50 more files") && notice.contains("cut at 400 nodes"), "{notice}");
    assert_eq!(found.nodes.len(), 400);
}
