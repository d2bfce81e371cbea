//! What must hold for every source file, whole or torn.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use wellread_text::{
    BOM, CHUNK_BYTES, ChunkKind, Language, LineIndex, Span, SyntaxState, analyze_code, chunk_code,
    outline_code,
};

use crate::languages::{SAMPLES, language};
use crate::uses::{USES, check_uses};

/// Sources to tear, besides the samples: longer than a chunk.
const LONG: &[(&str, &str)] = &[
    ("languages.rs", include_str!("samples/long/languages.txt")),
    ("edits.rs", include_str!("samples/long/edits.txt")),
    ("resolve.rs", include_str!("samples/long/resolve.txt")),
];

/// What a torn file may hold where it was torn.
const SCRAPS: &[&str] = &[
    "",
    "\n",
    "\n\n",
    " ",
    "\t",
    "{",
    "}",
    "(",
    ")",
    "[",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "/*",
    "*/",
    "//",
    "#",
    "=",
    ";",
    ",",
    ":",
    "\\",
    "end",
    "<<EOF\n",
    "\"\"\"",
    "${",
    "\u{0}",
    "\u{feff}",
    "é",
    "漢字\n",
    "\r",
    "\r\n",
    "fn f() {",
    "class A:\n",
    "def f(x):\n",
    "namespace a {",
    "<?php ",
    "@",
    "#[x]",
    "%{",
    "template <",
    "```",
];

fn source() -> impl Strategy<Value = (Language, String)> {
    let all: Vec<(&str, &str)> = SAMPLES
        .iter()
        .chain(USES)
        .map(|(file, text, _)| (*file, *text))
        .chain(LONG.iter().copied())
        .collect();
    let tears = vec((any::<Index>(), 0..80usize, select(SCRAPS)), 0..6);
    (select(all), select(Language::ALL.to_vec()), any::<u8>(), tears).prop_map(
        |((file, text), other, dice, tears)| {
            let own = Language::detect(file, text).unwrap();
            let mut text = text.to_owned();
            for (at, len, scrap) in tears {
                let start = floor(&text, at.index(text.len() + 1));
                let end = floor(&text, (start + len).min(text.len()));
                text.replace_range(start..end, scrap);
            }
            if dice & 1 == 1 {
                text = text.replace('\n', "\r\n");
            }
            if dice & 2 == 2 {
                text.insert(0, BOM);
            }
            if dice & 4 == 4 {
                text = text.trim_end().to_owned();
            }
            // Now and then in a language that it is not.
            (if dice < 32 { other } else { own }, text)
        },
    )
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap()
}

/// All that a reader of chunks and definitions relies on.
pub fn check(text: &str, language: Option<Language>) {
    let read = analyze_code(text, language);
    assert_eq!(chunk_code(text, language), read.chunks);
    let lines = LineIndex::new(text);
    let true_lines =
        |span: &Span| (lines.line_of(span.start), lines.line_of(span.end.saturating_sub(1).max(span.start)));
    let blank = |span: Span| text[span].trim().is_empty();

    let mut covered = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    for chunk in &read.chunks {
        let span = &chunk.span;
        assert!(!span.is_empty() && span.len() <= CHUNK_BYTES, "{span:?}");
        assert!(span.start >= covered && blank(covered..span.start), "{span:?} after {covered}");
        assert_eq!(chunk.lines, true_lines(span));
        // A line may be cut when it is about as long as a chunk.
        let short = |byte: usize| {
            lines.span(lines.line_of(byte), lines.line_of(byte)).unwrap().len() <= CHUNK_BYTES * 3 / 4
        };
        if short(span.start) {
            let line = lines.span(chunk.lines.0, chunk.lines.0).unwrap();
            assert!(
                span.start == line.start || text[..span.start] == *BOM.to_string(),
                "{span:?} begins inside a line"
            );
        }
        if short(span.end - 1) {
            let line = lines.span(chunk.lines.1, chunk.lines.1).unwrap();
            assert!(blank(span.end..line.end), "{span:?} ends inside a line");
        }
        assert_eq!(chunk.kind == ChunkKind::Definition, !chunk.context.is_empty());
        assert!(matches!(chunk.kind, ChunkKind::Definition | ChunkKind::Block));
        covered = span.end;
    }
    assert!(blank(covered..text.len()), "the end is in no chunk");

    check_uses(text, &read);
    let definitions = &read.outline.definitions;
    if let Some(language) = language {
        assert_eq!(outline_code(text, language), read.outline);
    }
    assert!(read.outline.syntax != SyntaxState::Unread || definitions.is_empty());
    for (index, definition) in definitions.iter().enumerate() {
        let span = &definition.span;
        assert!(!text[span.clone()].trim().is_empty() && !definition.name.is_empty());
        assert_eq!(definition.lines, true_lines(span));
        let name = &definition.name_span;
        assert!(span.start <= name.start && name.end <= span.end && text.get(name.clone()).is_some());
        assert!(definition.qualified.ends_with(&definition.name));
        let signature = &definition.signature;
        assert!(
            span.start <= signature.start && signature.end <= span.end && !text[signature.clone()].is_empty()
        );
        assert!(definition.doc.as_ref().is_none_or(|doc| !text[doc.clone()].trim().is_empty()));
        assert!(index == 0 || definitions[index - 1].span.start <= span.start, "out of order");
        if let Some(parent) = definition.parent {
            let outer = &definitions[parent];
            assert!(parent < index && outer.span.start <= span.start && span.end <= outer.span.end);
            assert!(definition.qualified.starts_with(&format!("{}.", outer.qualified)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_torn_source_is_in_chunks_whole_and_in_order((language, text) in source()) {
        check(&text, Some(language));
        check(&text, None);
    }

    #[test]
    fn any_text_is_in_chunks_whole_and_in_order(
        text in "(?s)\\PC{0,200}|(.{0,20}[ \\n{}();:#/\"'=<>]{0,3}){0,60}",
        language in select(Language::ALL.to_vec()),
    ) {
        check(&text, Some(language));
    }
}

#[test]
fn a_long_function_is_cut_between_statements_and_each_part_knows_where_it_stands() {
    let statement = |index: usize| {
        format!(
            "    let value{index} = compute({index});\n    if value{index} > {index} {{\n        panic!(\"too much\");\n    }}\n"
        )
    };
    let body: String = (0..60).map(statement).collect();
    let text = format!("/// Counts.\nfn count() {{\n{body}}}\n");
    let chunks = chunk_code(&text, Some(language("rust")));
    assert!(chunks.len() > 3);
    for chunk in &chunks {
        assert_eq!(chunk.context, ["count"]);
        let part = text[chunk.span.clone()].trim_start();
        assert!(["let ", "if ", "/// "].iter().any(|start| part.starts_with(start)), "{part}");
    }
    check(&text, Some(language("rust")));
}

#[test]
fn functions_inside_a_long_function_have_their_own_chunks() {
    let inner = |index: usize| format!("    def inner{index}():\n        return '{}'\n\n", "x".repeat(400));
    let text = format!("def outer():\n{}    return 1\n", (0..4).map(inner).collect::<String>());
    let chunks = chunk_code(&text, Some(language("python")));
    let contexts: Vec<String> = chunks.iter().map(|chunk| chunk.context.join(".")).collect();
    assert_eq!(contexts, ["outer", "outer.inner0", "outer.inner1", "outer.inner2", "outer.inner3", "outer"]);
}

#[test]
fn a_long_constant_has_its_own_chunks_and_short_ones_share() {
    let rows: String = (0..100).map(|row| format!("    (\"row\", {row}),\n")).collect();
    let text = format!(
        "const A: u8 = 1;\nconst B: u8 = 2;\n\nconst TABLE: &[(&str, u8)] = &[\n{rows}];\n\nconst C: u8 = 3;\n"
    );
    let chunks = chunk_code(&text, Some(language("rust")));
    let contexts: Vec<String> = chunks.iter().map(|chunk| chunk.context.join(".")).collect();
    assert_eq!(contexts, ["", "TABLE", "TABLE", "C"]);
}

#[test]
fn a_language_that_is_not_known_is_cut_at_blank_lines() {
    let text = format!("\u{feff}{}\n\n{}\n", "a b\n".repeat(200), "c d\n".repeat(200));
    let read = analyze_code(&text, None);
    let lines: Vec<_> = read.chunks.iter().map(|chunk| (chunk.kind, chunk.lines)).collect();
    assert_eq!(lines, [(ChunkKind::Block, (1, 200)), (ChunkKind::Block, (203, 402))]);
    assert_eq!(read.outline.syntax, SyntaxState::Unread);
}

#[test]
fn a_signature_ends_before_the_comments_above_its_body() {
    let text = "def one(a):  # first\n    # says one\n    return a\n\n\ndef two(b,  # kept\n        c):\n    return b\n";
    let outline = outline_code(text, Language::from_name("python").unwrap());
    let signatures: Vec<&str> =
        outline.definitions.iter().map(|definition| &text[definition.signature.clone()]).collect();
    assert_eq!(signatures, ["def one(a):", "def two(b,  # kept\n        c):"]);
}
