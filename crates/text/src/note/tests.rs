//! What is found in notes, and what is not: tables of cases.

use super::*;

/// Each link as `target#subpath|alias`, with `!` before an embed.
fn links(text: &str) -> Vec<String> {
    let note = Note::parse(text);
    let shown = note.links.iter().map(|link| {
        let mut shown = if link.embed { "!".to_owned() } else { String::new() };
        shown += &link.target;
        shown += &link.subpath.as_ref().map(|subpath| format!("#{subpath}")).unwrap_or_default();
        shown += &link.alias.as_ref().map(|alias| format!("|{alias}")).unwrap_or_default();
        shown
    });
    shown.collect()
}

fn headings(text: &str) -> Vec<(u8, String, usize)> {
    Note::parse(text).headings.into_iter().map(|found| (found.level, found.text, found.line)).collect()
}

fn tags(text: &str) -> Vec<String> {
    Note::parse(text).tags.into_iter().map(|tag| tag.name).collect()
}

fn blocks(text: &str) -> Vec<(String, usize)> {
    Note::parse(text).blocks.into_iter().map(|block| (block.id, block.line)).collect()
}

#[test]
fn wikilinks_have_a_target_a_subpath_and_an_alias() {
    for (text, found) in [
        ("[[a]]", "a"),
        ("[[a#b|c]]", "a#b|c"),
        ("[[a#b#c]]", "a#b#c"),
        ("[[a#^block]]", "a#^block"),
        ("[[#here]]", "#here"),
        ("[[#^x]]", "#^x"),
        ("[[ a b | c ]]", "a b|c"),
        ("![[x.png|200]]", "!x.png|200"),
        ("[[a/b.md]]", "a/b.md"),
        ("[[a|b|c]]", "a|b|c"),
        ("[[a\\|b]]", "a|b"),
        ("[[a|`code`]]", "a|`code`"),
        ("[[[a]]]", "a"),
        ("[[a [[b]]", "b"),
        ("[[Zürich 🗻]]", "Zürich 🗻"),
        ("[[Re: hello]]", "Re: hello"),
        ("\\\\[[a]]", "a"),
        ("\\![[a]]", "a"),
    ] {
        assert_eq!(links(text), [found], "{text}");
    }
}

#[test]
fn markdown_links_are_decoded() {
    for (text, found) in [
        ("[x](a%20b.md#h)", "a b.md#h|x"),
        ("[x](a.md#my%20head)", "a.md#my head|x"),
        ("[x](<a b.md> \"title\")", "a b.md|x"),
        ("[x](<a b.md#h>)", "a b.md#h|x"),
        ("[x](a(1).md)", "a(1).md|x"),
        ("[x](a\\(1.md)", "a(1.md|x"),
        ("[x](a.md 'title')", "a.md|x"),
        ("![x](y.png)", "!y.png|x"),
        ("![x|100](y.png)", "!y.png|x|100"),
        ("[](a.md)", "a.md"),
        ("[x](#here)", "#here|x"),
        ("[x]( ../a.md )", "../a.md|x"),
        ("[a `](` b](c.md)", "c.md|a `](` b"),
        ("[ref]: dest.md", "dest.md"),
        ("[ref]: <de st.md> 'title'", "de st.md"),
        ("[r\\]ef]: dest.md#h", "dest.md#h"),
        ("[x](R%23D.md)", "R#D.md|x"),
    ] {
        assert_eq!(links(text), [found], "{text}");
    }
    assert_eq!(links("[![i](p.png)](a.md)"), ["a.md|![i](p.png)", "!p.png|i"]);
    assert_eq!(links("[a][r] [r][] [r]\n\n[r]: x.md"), ["x.md"]);
}

#[test]
fn links_stand_anywhere_in_prose() {
    for text in [
        "# Head [[a]]\n",
        "Head [[a]]\n====\n",
        "- item\n  - [[a]]\n",
        "1. [ ] [[a]]\n",
        "> quote [[a]]\n",
        "> [!note] Title [[a]]\n> body\n",
        "> [!note]- [[a]]\n",
        "| x | y |\n| - | - |\n| [[a]] | z |\n",
        "| x |\n| - |\n| [[a\\|b]] |\n",
        "Text[^1]\n\n[^1]: note [[a]]\n",
        "**bold [[a]]**",
        "*[[a]]*",
        "==[[a]]==",
        "<b>[[a]]</b>",
        "a\r\nb [[a]]\r\n",
        "\u{feff}[[a]]",
        "[[\n[[a]]",
        "$5 and [[a]] for $6",
        "100%% sure [[a]]",
        "`a` [[a]] `b`",
        "it is [[a]](b.md)",
    ] {
        assert_eq!(links(text).len(), 1, "{text:?}: {:?}", links(text));
        assert!(links(text)[0].starts_with('a'), "{text:?}");
    }
}

#[test]
fn what_is_not_prose_has_no_links_tags_or_headings() {
    for text in [
        "```\n[[a]] #tag\n# h\n```\n",
        "~~~md\n[[a]]\n# h\n~~~\n",
        "````\n```\n[[a]]\n# h\n```\n[[a]]\n````\n",
        "- x\n  ```\n  [[a]]\n  # h\n  ```\n",
        "> ```\n> [[a]]\n> # h\n> ```\n",
        "```\n[[a]]\n# unclosed\n",
        "    [[a]]\n    # h\n",
        "`[[a]] #tag`",
        "`` ` [[a]] ` ``",
        "$[[a]]$",
        "$$[[a]]$$",
        "$$\na\n=\n[[a]]\n\n# h\n$$\n",
        "%%`[[a]] #tag`%%",
        "%%\n```\n[[a]] #tag\n# h\n```\n%%",
        "%% [[a %% b]]",
        "<!-- [[a]] #tag -->",
        "<!--\n\n# h\n[[a]]\n-->",
        "<div>\n[[a]]\n# h\n</div>\n",
        "\\[\\[a]]",
        "\\[[a]]",
        "[[a\nb]]",
        "[[]] [[ ]] [[|x]] [[#]]",
        "[[a]",
        "[x](https://example.com) <https://example.com/#tag> [x](mailto:a@b.c) [x](obsidian://open?vault=x)",
        "[x](//example.com) ![x](data:image/png;base64,AA) [x]() [[https://example.com]]",
        "[ref]: https://example.com",
    ] {
        let note = Note::parse(text);
        assert_eq!(links(text), [""; 0], "{text:?}");
        assert_eq!(note.headings, [], "{text:?}");
        assert_eq!(note.tags, [], "{text:?}");
    }
}

#[test]
fn a_comment_has_links_and_tags_but_no_headings() {
    for (text, found, tagged) in [
        ("%%[[a]] #tag%%", &["a"][..], &["tag"][..]),
        ("%%#tag%%", &[], &["tag"]),
        ("text %% [[a]]\n[[b#c|d]] %%\n", &["a", "b#c|d"], &[]),
        ("%%\n# h\n\n[[a]]\n```\n%%\n[[b]]", &["a", "b"], &[]),
        ("%% [[a]]\n\n# h\nto the end #x/y", &["a"], &["x/y"]),
        ("%% [x](a%20b.md) ![[p.png]]\n\n[r]: c.md\n%%", &["a b.md|x", "!p.png", "c.md"], &[]),
        ("%%[x](https://example.com/#tag)%%", &[], &[]),
        ("> quote %%[[a]]%%\n- item %% #b %%", &["a"], &["b"]),
        ("%%%%[[a]]%%[[b]]", &["a", "b"], &[]),
        ("%%", &[], &[]),
        ("%%%", &[], &[]),
    ] {
        assert_eq!(links(text), found, "{text:?}");
        assert_eq!(tags(text), tagged, "{text:?}");
        assert_eq!(Note::parse(text).headings, [], "{text:?}");
    }
}

#[test]
fn what_follows_a_fence_or_a_comment_is_prose_again() {
    for text in [
        "```\n%%\n```\n[[a]]\n# h\n",
        "%%\n```\n%%\n[[a]]\n\n# h\n",
        "%% x %%\n[[a]]\n# h\n",
        "a %%\n\n[[a]]\n\n# h\n\n%% b",
        "`%%` [[a]]\n# h\n`%%`",
        "> ```\n> code\n\n[[a]]\n# h\n",
        "- ```\n  code\n\n[[a]]\n# h\n",
        "<!-- %% -->\n[[a]]\n# h\n%%",
        "$$ x $$\n[[a]]\n# h\n",
        "\\%% [[a]]\n\n# h\n\n\\%%",
    ] {
        assert_eq!(links(text), ["a"], "{text:?}");
        assert_eq!(Note::parse(text).headings.len(), 1, "{text:?}");
    }
}

#[test]
fn a_link_that_began_first_wins_over_math() {
    assert_eq!(links("[[US$]] and [[A$]]"), ["US$", "A$"]);
    assert_eq!(links("[x](a[[b]].md)"), ["a[[b]].md|x"]);
    assert_eq!(links("[a]: [[b]]"), ["b"]);
    assert_eq!(links("[see [[a]]](b.md)"), ["b.md|see [[a]]", "a"]);
}

#[test]
fn spans_hold_what_they_say() {
    let text = "---\nup: \"[[U#x|y]]\"\n---\r\nä [[a b#c|d]] ![x](<p q.png> \"t\") [y](e%20f.md#g)\r\n\r\n[r]: h.md\n";
    let note = Note::parse(text);
    let shown: Vec<_> = note
        .links
        .iter()
        .map(|link| {
            (&text[link.span.clone()], &text[link.target_span.clone()], link.line, link.in_frontmatter)
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("[[U#x|y]]", "U", 2, true),
            ("[[a b#c|d]]", "a b", 4, false),
            ("![x](<p q.png> \"t\")", "p q.png", 4, false),
            ("[y](e%20f.md#g)", "e%20f.md", 4, false),
            ("[r]: h.md", "h.md", 6, false),
        ]
    );
}

#[test]
fn frontmatter_links_count_but_not_in_its_comments() {
    for (yaml, found) in [
        ("up: \"[[Note|x]]\"", &["Note|x"][..]),
        ("up: '[[It''s]]'", &["It's"]),
        ("up: [[Note]]", &["Note"]),
        ("up:\n  - \"[[A]]\"\n  - '[[B#c]]'", &["A", "B#c"]),
        ("up: [\"[[A]]\", \"[[B]]\"]", &["A", "B"]),
        ("up: |\n  [[A]]\n  # [[B]]", &["A", "B"]),
        ("up: \"[x](a%20b.md)\"", &["a b.md|x"]),
        ("up: \"![x](a.png)\"", &["!a.png|x"]),
        ("# [[A]]\nup: x # [[B]]", &[]),
        ("up: \"[x](https://example.com)\"", &[]),
    ] {
        assert_eq!(links(&format!("---\n{yaml}\n---\n")), found, "{yaml}");
    }
}

#[test]
fn headings_are_those_of_the_note_itself() {
    for (text, found) in [
        ("# A\n", (1, "A", 1)),
        ("   ## A ##   \n", (2, "A", 1)),
        ("# A#\n", (1, "A#", 1)),
        ("# A \\#\n", (1, "A \\#", 1)),
        ("#\n", (1, "", 1)),
        ("### ###\n", (3, "", 1)),
        ("#\tA *b* [[c]]\n", (1, "A *b* [[c]]", 1)),
        ("A\n===\n", (1, "A", 1)),
        ("x\n\nA\nB\n---\n", (2, "A B", 3)),
        ("#hash\n---\n", (2, "#hash", 1)),
        ("a\r\n\r\n# A\r\n", (1, "A", 3)),
        ("\u{feff}# A", (1, "A", 1)),
        ("---\na: 1\n---\n# A\n", (1, "A", 4)),
        ("###### A", (6, "A", 1)),
    ] {
        assert_eq!(headings(text), [(found.0, found.1.to_owned(), found.2)], "{text:?}");
    }
    assert_eq!(headings("%%\nx\n%% y\n---\n"), []);
    for text in [
        "> # A\n",
        "- # A\n",
        "1. A\n   ---\n",
        "#A\n",
        "####### A\n",
        "a\n\n---\n",
        "---\n# A\n---\n",
        "[^1]: # A\n",
    ] {
        assert_eq!(headings(text), [], "{text:?}");
    }
}

#[test]
fn a_headings_span_is_its_own_lines() {
    let text = "x\n\n  # A\r\ny\n\nTwo\nlines\n===\nz\n## B";
    let note = Note::parse(text);
    let spans: Vec<_> = note.headings.iter().map(|heading| &text[heading.span.clone()]).collect();
    assert_eq!(spans, ["  # A\r\n", "Two\nlines\n===\n", "## B"]);
}

#[test]
fn lone_carriage_returns_end_no_line() {
    assert_eq!(headings("a\r# b\r# c\n"), []);
    assert_eq!(headings("# a\r# b\n"), [(1, "a\r# b".to_owned(), 1)]);
}

#[test]
fn tags_are_found_as_obsidian_finds_them() {
    for (text, found) in [
        ("#a", &["a"][..]),
        ("#a/b-c_d x", &["a/b-c_d"]),
        ("(#a) [#b] {#c}", &["a", "b", "c"]),
        ("- #a, #b.", &["a", "b"]),
        ("> #a", &["a"]),
        ("#straße #日本 #🚀x #é", &["straße", "日本", "🚀x", "é"]),
        ("#y2024 #2024y #1984 #12/34", &["y2024", "2024y"]),
        ("#a/ x", &["a"]),
        ("# a", &[]),
        ("a#b \\#c ##d &#35; https://x.y/#e", &[]),
        ("[[a#b]] [x](#c) [#d](e.md)", &[]),
        ("[[a]] #b [[c]]", &["b"]),
        ("# Heading #a", &["a"]),
        ("text\n#a\n#b", &["a", "b"]),
        ("#标签，文字", &["标签"]),
    ] {
        assert_eq!(tags(text), found, "{text:?}");
    }
}

#[test]
fn all_tags_are_those_of_frontmatter_and_body_once() {
    for (yaml, found) in [
        ("tags: [a, '#b', c/d]", &["a", "b", "c/d", "e"][..]),
        ("tags:\n  - A\n  - E", &["A", "E"]),
        ("tags: a, b #c", &["a", "b", "e"]),
        ("tag: a b", &["a", "b", "e"]),
        ("tags:", &["e"]),
        ("tags: 2024", &["2024", "e"]),
        ("tags: [a, [b], null]", &["a", "e"]),
        ("broken: [", &["e"]),
        ("Tags: [a]\nTAG: b", &["a", "b", "e"]),
        ("<<: {tags: a}\ntags: b", &["b", "a", "e"]),
    ] {
        assert_eq!(Note::parse(&format!("---\n{yaml}\n---\n#e #E\n")).all_tags(), found, "{yaml}");
    }
}

#[test]
fn aliases_are_a_list_or_a_string() {
    for (yaml, found) in [
        ("aliases: [A, B c]", &["A", "B c"][..]),
        ("aliases:\n  - A\n  - 3", &["A", "3"]),
        ("alias: My Note", &["My Note"]),
        ("aliases: A, B", &["A", "B"]),
        ("aliases:", &[]),
        ("aliases: ''", &[]),
    ] {
        assert_eq!(Note::parse(&format!("---\n{yaml}\n---\n")).aliases(), found, "{yaml}");
    }
}

#[test]
fn block_ids_stand_at_a_blocks_end() {
    for (text, found) in [
        ("text ^id\n", &[("id", 1)][..]),
        ("a\nb ^id-2\n\nc", &[("id-2", 2)]),
        ("- a ^x\n- b ^y\n  - c ^z\n", &[("x", 1), ("y", 2), ("z", 3)]),
        ("> quote\n\n^q\n", &[("q", 3)]),
        ("> quote ^q\n", &[("q", 1)]),
        ("# head ^h\n", &[("h", 1)]),
        ("a ^x\nb\n", &[]),
        ("a^x\n", &[]),
        ("a ^x y\n", &[]),
        ("a ^ö\n", &[]),
        ("`a ^x`\n", &[]),
        ("```\na ^x\n```\n", &[]),
        ("| a |\n| - |\n| b ^x |\n\n^t\n", &[("t", 5)]),
        ("a ^x\r\n", &[("x", 1)]),
    ] {
        let expected: Vec<_> = found.iter().map(|(id, line)| ((*id).to_owned(), *line)).collect();
        assert_eq!(blocks(text), expected, "{text:?}");
    }
}

#[test]
fn strange_texts_are_read_without_trouble() {
    for text in [
        "",
        "\u{feff}",
        "\n",
        "\r",
        "\0",
        "---",
        "---\n",
        "---\n---",
        "\u{feff}---\na: 1\n---",
        "%%",
        "$$",
        "[[",
        "#",
        "^",
    ] {
        let _ = Note::parse(text);
    }
}
