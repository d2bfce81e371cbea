//! A note's two ends, before and after.

use super::*;
use crate::apply_splices;

#[test]
fn appending_puts_content_on_its_own_line() {
    for (text, after) in [
        ("", "new\n"),
        ("\u{feff}", "\u{feff}new\n"),
        ("a\n", "a\nnew\n"),
        ("a", "a\nnew"),
        ("a\n\n", "a\n\nnew\n"),
        ("a\r\nb\r\n", "a\r\nb\r\nnew\r\n"),
        ("a\r\nb", "a\r\nb\r\nnew"),
        ("---\nk: 1\n---", "---\nk: 1\n---\nnew"),
        ("---\nk: 1\n---\n", "---\nk: 1\n---\nnew\n"),
        ("T\n===", "T\n===\nnew"),
        ("```\nopen", "```\nopen\nnew"),
    ] {
        let change = append(text, "new\n");
        assert!(change.span.is_empty());
        assert_eq!(apply_splices(text, &[change]).unwrap(), after, "{text:?}");
    }
    assert_eq!(apply_splices("a\r\n", &[append("a\r\n", "x\ny")]).unwrap(), "a\r\nx\r\ny\r\n");
    assert_eq!(append("a", "\n").text, "");
}

#[test]
fn prepending_goes_after_the_frontmatter_with_blank_lines_around() {
    for (text, after) in [
        ("", "new\n"),
        ("\u{feff}", "\u{feff}new\n"),
        ("a\n", "new\n\na\n"),
        ("a", "new\n\na"),
        ("\na\n", "new\n\na\n"),
        ("\u{feff}a", "\u{feff}new\n\na"),
        ("---\nk: 1\n---\na\n", "---\nk: 1\n---\n\nnew\n\na\n"),
        ("---\nk: 1\n---\n\na\n", "---\nk: 1\n---\n\nnew\n\na\n"),
        ("---\nk: 1\n---\n", "---\nk: 1\n---\n\nnew\n"),
        ("---\nk: 1\n---", "---\nk: 1\n---\n\nnew"),
        ("---\r\nk: 1\r\n---\r\na", "---\r\nk: 1\r\n---\r\n\r\nnew\r\n\r\na"),
        ("---\nnot closed", "new\n\n---\nnot closed"),
    ] {
        let change = prepend(text, "new\n");
        assert!(change.span.is_empty());
        assert_eq!(apply_splices(text, &[change]).unwrap(), after, "{text:?}");
    }
}

#[test]
fn a_rule_put_at_the_top_opens_no_frontmatter() {
    let text = "a\n\n---\nb\n";
    let after = apply_splices(text, &[prepend(text, "---\nx")]).unwrap();
    assert_eq!(after, "\n---\nx\n\na\n\n---\nb\n");
    assert!(Frontmatter::parse(&after).is_none());
}
