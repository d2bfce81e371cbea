//! Makes notes out of pieces: every construct that an edit could trip over, in any order.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A note without frontmatter: blocks of text, with blank lines between some of them.
pub fn body() -> impl Strategy<Value = String> {
    vec((block(), select(vec!["", "\n", "\n\n"])), 0..8)
        .prop_map(|blocks| blocks.into_iter().map(|(block, gap)| format!("{block}\n{gap}")).collect())
}

/// A whole note: with a byte-order mark or not, either line ending, with or without a last newline.
pub fn note() -> impl Strategy<Value = String> {
    (prop::option::of(frontmatter()), body(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(frontmatter, body, bom, crlf, last_newline)| {
            let mut text = format!("{}{body}", frontmatter.unwrap_or_default());
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

/// A frontmatter that parses: fields of all shapes, each name once, comments and blank lines between.
pub fn frontmatter() -> impl Strategy<Value = String> {
    vec((value(), select(vec!["", "", "# a comment\n", "\n"])), 0..6).prop_map(|fields| {
        let names = ["title", "\"quoted key\"", "tags", "'single'", "k", "ключ"];
        let lines = fields.iter().zip(names).map(|((value, gap), name)| format!("{name}:{value}\n{gap}"));
        format!("---\n{}---\n", lines.collect::<String>())
    })
}

/// What may stand after a key's colon.
fn value() -> impl Strategy<Value = &'static str> {
    select(vec![
        "",
        " plain words",
        " 3 # a comment",
        " 2024-01-01",
        " 'it''s # quoted' # and a comment",
        " \"a \\\" quote\"",
        " [a, \"b, c\", 3]",
        " []",
        " {a: 1, b: [x]}",
        " [[Alpha]]",
        " \"[[Alpha|a]] and [[Beta]]\"",
        "\n  - a\n  # inside\n  - '[[Beta]]'\n  # after",
        "\n- a\n- b",
        "\n    - deep\n    - er",
        " |\n  a block\n  # no comment\n\n  more",
        " >-\n  folded\n  text",
        " over\n  several\n  lines",
        " \"quoted\n  over lines\"",
        "\n  x: 1\n  y:\n    - 2",
        " # only a comment",
        " true",
        " 日本 語",
    ])
}

/// A note in which every fence and comment is closed, so that it is clear what is inside of one.
pub fn closed_note() -> impl Strategy<Value = String> {
    let prose = select(vec!["# Alpha", "words", "- item", "> quote", "Set\n===", ""]).prop_map(str::to_owned);
    vec(prop_oneof![hidden(), prose], 0..8).prop_map(|blocks| format!("{}\n", blocks.join("\n")))
}

/// Blocks whose text is no part of the note's own outline.
fn hidden() -> impl Strategy<Value = String> {
    select(vec![
        "```\n# not a heading\n[[Alpha]]\n```",
        "````md\n```\n# not a heading\n```\n````",
        "~~~\n# not a heading\n```\n~~~",
        "- item\n  ```\n  # not a heading\n  ```",
        "> ```\n> # not a heading\n> ```",
        "\n%%\n# not a heading\n```\n%%\n",
        "\n<!--\n# not a heading\n-->",
        "\n<div>\n# not a heading\n</div>\n",
        "\n$$\na\n=\n# not a heading\n$$",
    ])
    .prop_map(str::to_owned)
}

fn block() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => select(vec!["# Alpha", "## Beta ##", "### Gamma *x*", "## Research", "  # Indented", "#", "## beta"])
            .prop_map(str::to_owned),
        1 => select(vec!["Set\n===", "Ext [[Alpha]]\n---", "Two\nlines\n---"]).prop_map(str::to_owned),
        4 => vec(inline(), 1..5).prop_map(|words| words.join(" ")),
        2 => vec(inline(), 1..4).prop_map(|words| format!("- {}\n  - nested\n    1. deep", words.join("\n- "))),
        1 => vec(inline(), 1..3).prop_map(|words| format!("> [!note] Title\n> # no heading\n> {}", words.join(" "))),
        1 => inline().prop_map(|word| format!("| a | b |\n| - | - |\n| {word} | [[Alpha\\|x]] |")),
        2 => hidden(),
        2 => select(vec![
            "~~~\n## Research\n~~~",
            "%% [[Alpha]] # x %%",
            "\tindented # code",
            "[ref]: Alpha.md",
            "[^1]: a footnote [[Beta]]",
            "---",
            "***",
            "^block-1",
        ]).prop_map(str::to_owned),
        1 => select(vec!["```\n# unclosed", "%%\n# unclosed", "<!-- unclosed", "> ```\n> open", "- ```"]).prop_map(str::to_owned),
    ]
}

fn inline() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(vec![
            "word", "Zürich", "日本語", "🗻", "e\u{301}", "*emphasis*", "`code [[x]]`", "$m_a$", "\\[\\[x]]", "a\\|b", "%%c%%",
            "<b>", "https://example.com/#x", "#tag", "#a/b", "#1", "$5", "100%%", "`", "$", "[", "]]", "^id", "\u{a0}", "x\r",
        ]).prop_map(str::to_owned),
        3 => link(),
        1 => "[ -~]{0,8}",
        1 => "\\PC{0,4}",
    ]
}

/// A link to one of the notes that the tests of moves know.
pub fn link() -> impl Strategy<Value = String> {
    let target = select(vec![
        "Alpha",
        "alpha.md",
        "Beta",
        "dir/Beta",
        "/dir/Beta.md",
        "./Alpha",
        "../Gamma",
        "dir/deep/Gamma",
        "Nobody",
    ]);
    (target, select(vec!["", "#head", "#^b"]), select(vec!["", "|alias"]), 0..6).prop_map(
        |(target, subpath, alias, form)| match form {
            0 => format!("![[{target}{subpath}{alias}]]"),
            1 => format!("[text]({target}{subpath})"),
            2 => format!("![x](<{target}{subpath}> \"title\")"),
            _ => format!("[[{target}{subpath}{alias}]]"),
        },
    )
}
