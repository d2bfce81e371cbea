//! Generators of ordinary and awkward notes, for property tests.

use proptest::prelude::*;

/// The text of a note made of awkward blocks, with either line ending, with or without a byte-order mark and a final
/// newline.
pub fn note() -> impl Strategy<Value = String> {
    assemble_note(prop::collection::vec(block(), 0..12))
}

/// A note full of lines that look like headings (with the names of [`heading`]) and are not.
pub fn note_without_headings() -> impl Strategy<Value = String> {
    // An unclosed fence hides everything after it, or closes the fence that should hide it: it comes last.
    let last = prop::option::of(Just(UNCLOSED.to_owned()));
    assemble_note((prop::collection::vec(decoy(), 0..12), last).prop_map(|(mut blocks, last)| {
        blocks.extend(last);
        blocks
    }))
}

const UNCLOSED: &str = "```\n## Beta\nnever closed\n";

fn assemble_note(body: impl Strategy<Value = Vec<String>>) -> impl Strategy<Value = String> {
    (prop::option::of(frontmatter()), body, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(front, blocks, crlf, bom, last_newline)| {
            let mut text = front.unwrap_or_default();
            text += &blocks.join("\n");
            if !last_newline {
                text.truncate(text.trim_end_matches('\n').len());
            }
            if crlf {
                text = text.replace('\n', "\r\n");
            }
            if bom { format!("\u{feff}{text}") } else { text }
        },
    )
}

/// Bytes that are not UTF-8, with some text around them.
pub fn invalid_utf8() -> impl Strategy<Value = Vec<u8>> {
    (note(), prop::sample::select(vec![vec![0xff], vec![0xc3, 0x28], vec![0xed, 0xa0, 0x80], vec![0x80; 3]]))
        .prop_map(|(text, bad)| {
            let mut bytes = text.into_bytes();
            bytes.extend(bad);
            bytes.extend(b" tail\n");
            bytes
        })
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "honey",
        "Grüße",
        "日本語",
        "mite",
        "# no heading",
        "`# code`",
        "café",
        "e\u{301}",
        "😀",
        "1.0.21",
        "a  b",
        "\\#",
        "[[Bees]]",
        "[x](Bees.md)",
        "$x$",
        "%%no%%",
        "==mark==",
        "#tag/sub",
        "^block",
        "|",
        "- ",
    ])
    .prop_map(str::to_owned)
}

fn sentence() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..6).prop_map(|words| words.join(" "))
}

/// Headings of few levels and few words, so that some occur twice.
pub fn heading() -> impl Strategy<Value = String> {
    (1..4usize, prop::sample::select(vec!["Alpha", "Beta", "Gamma Delta", "Épsilon", "Research"]))
        .prop_map(|(level, name)| format!("{} {name}", "#".repeat(level)))
}

fn block() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => sentence().prop_map(|text| format!("{text}\n")),
        4 => heading().prop_map(|text| format!("{text}\n")),
        1 => sentence().prop_map(|text| format!("{}\n===\n", text.trim_start_matches(['#', '-', '|', ' ']))),
        1 => sentence().prop_map(|text| format!("{}\n---\n", text.trim_start_matches(['#', '-', '|', ' ']))),
        11 => decoy(),
        1 => Just(UNCLOSED.to_owned()),
        1 => Just("\n\n\n".to_owned()),
        1 => Just("trailing spaces   \n\t\n".to_owned()),
    ]
}

/// Blocks that contain what looks like a heading: code, quotes, lists, tables, comments, math.
fn decoy() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => sentence().prop_map(|text| format!("```md\n## Research\n{text}\n```\n")),
        1 => sentence().prop_map(|text| format!("~~~~\n```\n## Alpha\n```\n{text}\n~~~~\n")),
        1 => sentence().prop_map(|text| format!("> [!note] Title\n> ## Alpha\n> {text}\n")),
        1 => sentence().prop_map(|text| format!("- one\n  - two\n    ## Beta\n    - {text}\n1. three\n")),
        1 => Just("| a | b |\n| --- | --- |\n| [[Bees\\|x]] | ## Alpha |\n".to_owned()),
        1 => Just("%%\n## Research\n%%\n".to_owned()),
        1 => Just("    ## indented code\n".to_owned()),
        1 => Just("$$\n## Alpha\n$$\n".to_owned()),
        1 => Just("<!--\n## Research\n-->\n".to_owned()),
    ]
}

/// A frontmatter block with the kinds of fields that tools meet, with comments and odd spacing.
pub fn frontmatter() -> impl Strategy<Value = String> {
    let field = prop::sample::subsequence(
        vec![
            "title: A note # with a comment",
            "tags: [a, b]",
            "aliases:\n  - One\n  # between\n  - \"Two: too\"",
            "# a comment line",
            "date: 2024-05-01",
            "related: \"[[Bees]]\"",
            "count:   3",
            "done: false",
            "text: |\n  ## Research\n  second",
            "folded: >-\n  long\n  words",
            "nested:\n  a: 1\n  b: [x, y]",
            "'quoted key': 'it''s'",
            "list:\n- flush\n- left",
            "empty:",
            "",
            "ünï: ç",
        ],
        0..8,
    );
    field.prop_shuffle().prop_map(|fields| {
        let inner: String = fields.iter().map(|field| format!("{field}\n")).collect();
        format!("---\n{inner}---\n")
    })
}
