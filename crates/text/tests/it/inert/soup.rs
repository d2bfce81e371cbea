//! Fragments of attacks thrown together at random, and texts made to take time.

use proptest::prelude::*;

use super::{check, filtered, live};

const FRAGMENTS: &[&str] = &[
    "![",
    "[",
    "]",
    "](",
    ")",
    "(",
    "<",
    ">",
    "http://evil.example",
    "https://good.example/page",
    "//evil.example",
    "www.evil.example",
    "javascript:x",
    "data:x",
    "[a]: ",
    "[^1]: ",
    "[^1]",
    "[a]",
    "![a]",
    "\n",
    "\n\n",
    " ",
    "    ",
    "\t",
    "> ",
    "- ",
    "1. ",
    "# ",
    "```",
    "```js\n",
    "~~~",
    "`",
    "``",
    "$",
    "$$",
    "%%",
    "<%",
    "%>",
    "{{",
    "}}",
    "<!--",
    "-->",
    "<img src=",
    "<div>",
    "</div>",
    "<script>",
    "<a href=\"",
    "\"",
    "'",
    "\\",
    "&#58;",
    "&colon;",
    "&lt;",
    "&",
    ";",
    "!",
    "|",
    "|-|\n",
    "| a |\n",
    "---\n",
    "===\n",
    "[[",
    "]]",
    "[[Bees",
    "![[",
    "Nowhere",
    "*",
    "_",
    "~~",
    "==",
    "x",
    "\u{200b}",
    "\r\n",
    "\r",
    "\u{1b}[0m",
    "```dataview\n",
    "`= x`",
    ":",
    "/",
    "http",
    "www",
    ".",
    "é",
    "😀",
    "<b>",
    "[a](https://good.example/page)",
    "<https://good.example/page>",
    "^[",
    "\\href{",
    "<?",
    "?>",
    "<![CDATA[",
    "]]>",
];

fn soup(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(FRAGMENTS), 0..most).prop_map(|parts| parts.concat())
}

/// Thrown together, the host may end up in words that are no address.
const ADDRESS: &str = "://evil.example";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_soup_of_fragments_leaves_anything_live(text in soup(14)) {
        check(&text, ADDRESS);
    }

    #[test]
    fn nor_does_a_longer_one(text in soup(60)) {
        check(&text, ADDRESS);
    }
}

/// What is counted is that all of it is dealt with, and that the answer does not grow beyond what escaping needs. That
/// the number of passes does not grow with the text is tested beside the filter.
#[test]
fn much_of_one_mark_is_made_inert() {
    let more = ["![a](http://evil.example) ", "[[Nowhere]] ", "> > ", "- - ", "![![", "<a ", "[a](", "$a "];
    for mark in FRAGMENTS.iter().chain(&more) {
        bounded(&mark.repeat(20_000 / mark.len()));
    }
}

#[test]
fn a_megabyte_of_everything_is_made_inert() {
    let once = FRAGMENTS.concat();
    bounded(&once.repeat(1_000_000 / once.len()));
}

fn bounded(text: &str) {
    let found = filtered(text);
    let start: String = text.chars().take(40).collect();
    assert_eq!(live(&found.text, ADDRESS), None, "{start:?}");
    assert!(found.text.len() <= text.len() * 5 + 64, "{start:?}");
}
