//! Clean markdown stays as it is, byte for byte.

use proptest::prelude::*;

use super::filtered;

const CLEAN: &[&str] = &[
    "",
    "\n",
    "Plain words. 2 < 3, a <- b, 5 % of $5 and $6.\n",
    "# Title\n\nText with *emphasis*, **strong**, ~~gone~~, ==marked== and `code`.\n",
    "Title\n=====\n\nOther\n-----\n\nx\n\n---\n\ny\n",
    "- a\n  - b\n    1. c\n- [ ] todo\n- [x] done\n",
    "| a | b |\n| --- | :-: |\n| 1 | [[Bees\\|x]] |\n",
    "> [!note] Title\n> Text\n> > more\n",
    "[good](https://good.example/page) and <https://good.example/page> and https://good.example/page.\n",
    "(https://good.example/a_(b)?x=1&y=2), **https://good.example/page**, [https://good.example/page](https://good.example/page)\n",
    "www.good.example/ and \"https://good.example/page\"\n",
    "| https://good.example/page | x |\n|-|-|\n|https://good.example/page|y|\n",
    "[x][r] and [r]\n\n[r]: https://good.example/page \"Title\"\n",
    "[a](https://good.example/page \"a title\") [b](<https://good.example/page>)\n",
    "[[Bees]] [[Bees|the bees]] [[Bees#Honey]] [[#Here]] [here](#here) [n](folder/Wax.md#x) [m](my%20note.md) [m](<my note.md>)\n",
    "A note[^1] and another[^n].\n\n[^1]: Text.\n[^n]: Word\n",
    "```rust\nlet x: Vec<u8> = fetch(\"http://evil.example\"); // {{x}} %% $$ [[Nowhere]]\n```\n",
    "```\n<img src=\"http://evil.example\">\n```\n\n~~~html title=x\n<b>\n~~~\n",
    "Text:\n\n    indented <b> http://evil.example\n\nmore\n",
    "`<b>` and `http://evil.example` and ``![`](x)`` and `==` and `=>` and `[[Nowhere]]`\n",
    "- ```js\n  a<b>c\n  ```\n",
    "```mermaid\ngraph TD\nA[One<br>two] --> B\nB <--> C\n```\n",
    "$x^2$ and $$y < 3$$\n\n$$\na + b\n$$\n",
    "می\u{200c}خواهم 👩\u{200d}👧 ❤\u{fe0f}\r\n\r\nzweite Zeile\r\n",
    "#tag and ^block\n\nkey:: value\n",
    "me@bees.example, a/b, and/or, 10:30, std::fs, C:\\Users, a && b &amp; c &copy; &lt;\n",
    "\\<b> \\[[x]] \\![a](#x) 100\\% \\$\\$\n",
    "[ev-01jabcdefghj2k-001] says so. [1] [x] [a] (b) ![c]\n",
];

#[test]
fn clean_markdown_stays_byte_for_byte() {
    for text in CLEAN {
        let found = filtered(text);
        assert_eq!(&found.text, text);
        assert_eq!(found.removed.total(), 0, "{text:?}");
    }
}

fn inline() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "words",
        "*soft*",
        "**loud**",
        "`code <b>`",
        "~~old~~",
        "==new==",
        "[[Bees]]",
        "[[Bees|them]]",
        "$x+1$",
        "[a](https://good.example/page)",
        "<https://good.example/page>",
        "https://good.example/page",
        "3 < 4",
        "[b](#part)",
        "#tag",
        "50 %",
        "_a_",
        "Übung",
        "日本",
        "a & b",
        "(so)",
        "[ev-1]",
        "x[^1]",
        "\\*",
        "…",
    ]);
    prop::collection::vec(pieces, 1..6).prop_map(|pieces| pieces.join(" "))
}

fn block() -> impl Strategy<Value = String> {
    prop_oneof![
        inline(),
        inline().prop_map(|text| format!("## {text}")),
        inline().prop_map(|text| format!("> {text}\n> more")),
        inline().prop_map(|text| format!("> [!tip] {text}\n> more")),
        prop::collection::vec(inline(), 1..4).prop_map(|items| format!("- {}", items.join("\n- "))),
        prop::collection::vec(inline(), 1..4).prop_map(|items| format!("1. {}", items.join("\n2. "))),
        (inline(), inline()).prop_map(|(a, b)| format!(
            "| a | b |\n| --- | --- |\n| {} | {} |",
            a.replace('|', "\\|"),
            b.replace('|', "\\|")
        )),
        Just("```rust\nlet a: Vec<u8> = \"http://evil.example\";\n```".to_owned()),
        Just("~~~\n![](http://evil.example) %% {{\n~~~".to_owned()),
        Just("$$\na + b\n$$".to_owned()),
        Just("***".to_owned()),
    ]
}

proptest! {
    #[test]
    fn generated_clean_markdown_stays_byte_for_byte(blocks in prop::collection::vec(block(), 0..8), crlf: bool) {
        let mut text = blocks.join("\n\n") + "\n\n[^1]: A footnote.\n";
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let found = filtered(&text);
        prop_assert_eq!(found.text, text);
        prop_assert_eq!(found.removed.total(), 0);
    }
}
