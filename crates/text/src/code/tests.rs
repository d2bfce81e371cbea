//! Every language's query.

use super::*;

#[test]
fn every_query_is_understood() {
    let mut wrong = String::new();
    for language in Language::ALL {
        for (of, text) in [("defines", language.definitions.join("\n")), ("uses", language.uses.join("\n"))] {
            if let Err(error) = tree_sitter::Query::new(&language.grammar(), &text) {
                wrong += &format!("what {} {of}: {error}\n", language.name());
            }
        }
        let definitions = language.compile_query(&language.definitions.join("\n"));
        let uses = uses::UseMarks::parse(&language.grammar(), &language.uses.join("\n"));
        if definitions.is_none() || uses.is_none() {
            wrong += &format!("{}: a capture that has no meaning\n", language.name());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A short file of some languages, with a definition.
const SHORT_FILES: [(&str, &str); 5] = [
    ("cpp", "namespace a { template <class T> struct B { int c; }; }\n"),
    ("python", "class A(B):\n    def c(self, d: int) -> str:\n        return e.f(d)\n"),
    ("rust", "/// Doc.\nimpl A for B { fn c(&self) -> D { e::f() } }\n"),
    ("typescript", "export class A implements B { private c = (d: E) => f(d); }\n"),
    ("ruby", "module A\n  class B < C\n    def d; e.f; end\n  end\nend\n"),
];

#[test]
fn a_short_file_gets_fewer_patterns_and_all_its_matches() {
    for (name, text) in SHORT_FILES {
        let language = Language::from_name(name).expect(name);
        let grammar = language.grammar();
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&grammar).expect(name);
        let tree = parser.parse(text, None).expect(name);
        let compile = |text: &str| tree_sitter::Query::new(&grammar, text).ok();
        for (purpose, texts) in [("definitions", language.definitions), ("uses", language.uses)] {
            let lazy_for = |lazy: &lazy_query::LazyQuery<tree_sitter::Query>| {
                lazy.for_tree(texts, &grammar, &tree, compile).expect(name)
            };
            let lazy = lazy_query::LazyQuery::new();
            let (few, all) = (lazy_for(&lazy), compile(&texts.join("\n")).expect(name));
            assert!(
                few.pattern_count() < all.pattern_count(),
                "{name} {purpose}: all patterns were compiled"
            );
            assert_eq!(list_matches(&tree, text, &few), list_matches(&tree, text, &all), "{name} {purpose}");
            // Sooner or later all are compiled, and shared.
            let last = (0..100).map(|_| lazy_for(&lazy)).last().expect("some");
            assert_eq!(last.pattern_count(), all.pattern_count(), "{name} {purpose}");
            assert!(std::sync::Arc::ptr_eq(&last, &lazy_for(&lazy)), "{name} {purpose}");
        }
    }
}

/// The captures of every match, in order: the name and where the node is.
fn list_matches(tree: &tree_sitter::Tree, text: &str, query: &tree_sitter::Query) -> Vec<String> {
    let mut all = Vec::new();
    parse::search(tree, text, query, |found| {
        let captured = found.captures().iter().map(|capture| {
            format!("{} {:?}", query.capture_names()[capture.index as usize], capture.node.byte_range())
        });
        all.push(captured.collect::<Vec<_>>().join(", "));
    })
    .expect("an end");
    all.sort();
    all
}
