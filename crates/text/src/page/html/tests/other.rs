//! Markdown and plain text, in the shape of pages.

use crate::{read_markdown_page, read_text_page};

#[test]
fn markdown_stays_markdown_without_what_is_hidden() {
    let page = "---\ntitle: The hive\nauthor: Ann Other\ndate: 2024-05-01\n---\n# Bees\n\nThey *swarm* in [May](may.md).\n\n\
                <div style=\"display:none\">xyzzy</div>\n\n- one\n- two `code`\n\n```rust\nfn f() {}\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n\
                ![picture](x.png) <script>xyzzy()</script>\n\n<!-- xyzzy -->\n";
    let read = read_markdown_page(page, Some("https://example.org/docs/hive.md"));
    assert_eq!(
        read.markdown,
        "# Bees\n\nThey swarm in [May](https://example.org/docs/may.md).\n\n- one\n- two `code`\n\n```rust\nfn f() {}\n```\n\n\
         | a | b |\n| --- | --- |\n| 1 | 2 |\n"
    );
    assert_eq!((read.title.as_deref(), read.author.as_deref()), (Some("The hive"), Some("Ann Other")));
    assert_eq!(read.date.as_deref(), Some("2024-05-01"));
    assert!(!format!("{read:?}").contains("xyzzy"));
    assert_eq!(read_markdown_page("# Bees\n\ntext", None).title.as_deref(), Some("Bees"));
    assert_eq!(read_markdown_page("", None).text, "");
}

#[test]
fn plain_text_keeps_its_lines_and_what_is_laid_out() {
    let read = read_text_page("Bees\r\nand *wasps*\n\n    col    col\n    1      2\n\n<b>no tag</b>\n");
    assert_eq!(
        read.markdown,
        "Bees\nand \\*wasps\\*\n\n```\n    col    col\n    1      2\n```\n\n\\<b>no tag\\</b>\n"
    );
    assert_eq!(read.text, "Bees\nand *wasps*\n\n    col    col\n    1      2\n\n<b>no tag</b>\n");
    assert_eq!(read_text_page(" \n\n").text, "");
}
