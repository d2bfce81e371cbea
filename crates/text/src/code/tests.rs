//! Every language's query.

use streaming_iterator::StreamingIterator as _;

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
        let definitions = language.parse_definition_patterns();
        let uses = uses::UseMarks::parse(&language.grammar(), &language.uses.join("\n"));
        if definitions.is_none() || uses.is_none() {
            wrong += &format!("{}: a capture that has no meaning\n", language.name());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A short file of every language, with definitions, a comment and a use.
const SHORT_FILES: [(&str, &str); 15] = [
    ("bash", "# a\nreadonly A=1\nb() { local c=\"$1\"; d \"$c\"; }\n"),
    (
        "c",
        "/* a */\nstruct b { int c; };\nstatic const int d = 1, *e;\nint f(struct b *g) { return g->c; }\n",
    ),
    (
        "cpp",
        "namespace a { template <class T> struct B : C { int c; }; }\nauto d = std::make_unique<E>(f);\n",
    ),
    ("csharp", "class A : B { const int C = 1; [D] public E F(int g) => new E(g, this.h); }\n"),
    ("go", "package a\n\n// B.\nfunc (c *C) B(d, e int) (f F) { return g.H(d, e) }\n"),
    (
        "java",
        "class A extends B implements C, D { static final int E = 1; F g(int... h) { return new F(h); } }\n",
    ),
    ("javascript", "import a, { b as c } from 'd'\nexport const E = (f) => g.h(f)\nmodule.exports = { E }\n"),
    ("kotlin", "import a.*\nclass B(val c: D) : E(c) { private val f: G = h() }\n"),
    ("lua", "local a, b = require('a'), 1\nfunction a.c(d) return a.e(d) end\n"),
    (
        "php",
        "<?php\nuse A\\{B, C as D};\nclass E extends B { const F = 1; function g(D $h) { return $this->i($h); } }\n",
    ),
    ("python", "class A(B):\n    def c(self, d: int) -> str:\n        return e.f(d)\n\nG = H = 1\n"),
    ("ruby", "module A\n  class B < C\n    attr_reader :x, :y\n    def d; e.f; end\n  end\nend\n"),
    (
        "rust",
        "/// Doc.\nimpl A for B { fn c(&self) -> Option<D> { e::f(self.g) } }\nmacro_rules! h { () => {} }\n",
    ),
    ("tsx", "export const A = (b: C) => <D e={b}><f /></D>\n"),
    ("typescript", "export class A implements B, C { private c = (d: E) => f(d); }\nenum G { H, I }\n"),
];

#[test]
fn a_search_finds_what_the_grammars_own_queries_find() {
    assert_eq!(SHORT_FILES.map(|(name, _)| name).to_vec(), Language::ALL.map(Language::name).to_vec());
    for (name, text) in SHORT_FILES {
        compare_searches(Language::from_name(name).expect(name), text);
    }
}

/// Asserts that the patterns of a language find in this text what tree-sitter finds.
fn compare_searches(language: Language, text: &str) {
    let grammar = language.grammar();
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&grammar).unwrap();
    let tree = parser.parse(text, None).unwrap();
    for (purpose, texts) in [("definitions", language.definitions), ("uses", language.uses)] {
        let query = texts.join("\n");
        let patterns = patterns::PatternSet::parse(&grammar, &query).expect(purpose);
        let mut ours = Vec::new();
        pattern_search::search(&tree, text, &patterns, |found| {
            let names = found
                .captures
                .iter()
                .map(|(index, node)| (&*patterns.capture_names()[*index as usize], *node));
            ours.push(render_match(found.pattern, names));
        })
        .expect("an end");
        ours.sort();
        assert_eq!(ours, list_matches(&tree, text, &grammar, &query), "{} {purpose}", language.name());
    }
}

/// The matches that tree-sitter finds.
fn list_matches(
    tree: &tree_sitter::Tree,
    text: &str,
    grammar: &tree_sitter::Language,
    query: &str,
) -> Vec<String> {
    let query = tree_sitter::Query::new(grammar, query).expect("a query");
    let mut cursor = tree_sitter::QueryCursor::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    let mut all = Vec::new();
    while let Some(found) = matches.next() {
        let captures = found.captures().iter();
        let names = captures.map(|capture| (query.capture_names()[capture.index as usize], capture.node));
        all.push(render_match(found.pattern_index, names));
    }
    all.sort();
    all
}

/// A pattern, and for each capture its name and where the node is, in the order of the text.
fn render_match<'t>(
    pattern: usize,
    captures: impl Iterator<Item = (&'t str, tree_sitter::Node<'t>)>,
) -> String {
    let mut rendered: Vec<String> =
        captures.map(|(name, node)| format!("{:06} {} {name}", node.start_byte(), node.end_byte())).collect();
    rendered.sort();
    format!("{pattern}: {}", rendered.join(", "))
}

#[test]
fn a_list_of_thousands_side_by_side_is_read_like_a_short_one() {
    for (name, line, lines) in [
        ("javascript", "export const CODE_# = 1001;\n", 30_000),
        ("typescript", "const CODE_# = 1;\n", 30_000),
        ("python", "A#=1\n", 60_000),
        ("bash", "readonly A#=1\n", 20_000),
        ("go", "const A# = 1\n", 20_000),
    ] {
        let text: String = (0..lines).map(|at| line.replace('#', &at.to_string())).collect();
        let language = Language::from_name(name).unwrap();
        let read = parse::read(&text, language).map(|read| read.found.len());
        assert_eq!(read, Some(lines), "{name}");
    }
}
