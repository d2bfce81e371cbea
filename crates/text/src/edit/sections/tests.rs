//! Sections: tables of notes before and after.

use super::*;
use crate::{EditErrorKind, apply_splices};

fn replaced(text: &str, heading: &str, content: &str) -> String {
    apply_splices(text, &[replace_section(text, heading, content).unwrap()]).unwrap()
}

fn appended(text: &str, heading: &str, content: &str) -> String {
    let change = append_to_section(text, heading, content).unwrap();
    assert!(change.span.is_empty());
    apply_splices(text, &[change]).unwrap()
}

#[test]
fn a_heading_is_given_with_its_marks() {
    assert_eq!(parse_heading("## Research").unwrap(), (2, "Research".to_owned()));
    assert_eq!(parse_heading("  #  A b ## ").unwrap(), (1, "A b".to_owned()));
    for heading in ["", "Research", "#Research", "####### A", "# a\n# b"] {
        assert_eq!(parse_heading(heading).unwrap_err().kind(), EditErrorKind::Invalid, "{heading:?}");
    }
}

#[test]
fn a_section_ends_before_the_next_heading_that_is_not_below_it() {
    let text = "# A\n1\n## B\n2\n### C\n3\n## D\n4\n";
    for (heading, section) in
        [("# A", text), ("## b", "## B\n2\n### C\n3\n"), ("### C", "### C\n3\n"), ("## D ##", "## D\n4\n")]
    {
        assert_eq!(&text[find_section(text, heading).unwrap().span], section);
    }
}

#[test]
fn headings_match_whatever_their_case_composition_and_white_space() {
    for (written, asked) in
        [("## Cafe\u{301}  News ##", "## CAFÉ news"), ("Straße\n---", "## straße"), ("##\tA", "## a")]
    {
        assert!(find_section(written, asked).is_ok(), "{written:?}");
    }
    assert!(find_section("# A\n", "## A").is_err());
}

#[test]
fn headings_inside_fences_comments_and_quotes_never_match() {
    for text in [
        "```\n## A\n```\n",
        "%%\n## A\n%%\n",
        "> ## A\n",
        "- ## A\n",
        "---\na: |\n  x\n## A\n---\n",
        "~~~\n## A\n",
    ] {
        assert_eq!(find_section(text, "## A").unwrap_err().kind(), EditErrorKind::NotFound, "{text:?}");
    }
    let text = "## A\n```\n## B\n```\nend\n";
    assert_eq!(&text[find_section(text, "## A").unwrap().span], text);
}

#[test]
fn errors_name_what_is_there() {
    let error = find_section("# A\n## B\n", "## C").unwrap_err();
    assert_eq!(error.message(), "no heading `## C`; the note has `# A`, `## B`");
    assert_eq!(
        find_section("x", "## C").unwrap_err().message(),
        "no heading `## C`: the note has no headings"
    );
    let error = find_section("# A\n\n# a\nx\n# A #\n", "# A").unwrap_err();
    assert_eq!(error.kind(), EditErrorKind::Ambiguous);
    assert_eq!(error.message(), "the heading `# A` appears more than once, on lines 1, 3, 5");
    let many: String = (0..40).map(|n| format!("# H{n}\n")).collect();
    let message = find_section(&many, "# X").unwrap_err().message().to_owned();
    assert!(message.contains("`# H29` and 10 more") && !message.contains("H30"), "{message}");
}

#[test]
fn replacing_puts_the_content_in_place_of_heading_and_body() {
    for (text, content, after) in [
        ("# X\n\n## A\nold\n\n## B\nb\n", "## A\nnew", "# X\n\n## A\nnew\n\n## B\nb\n"),
        ("## A\nold\n## B\n", "## A\nnew\n\n\n", "## A\nnew\n\n## B\n"),
        ("## A\nold\n\n\n\n## B\n", "## A\n\nnew", "## A\n\nnew\n\n## B\n"),
        ("## A\nold\n", "## A\nnew", "## A\nnew\n"),
        ("## A\nold", "## A\nnew\n", "## A\nnew"),
        ("## A\nold\n### C\nc\n", "none", "none\n"),
        ("x\n\n## A\nold\n", "", "x\n\n"),
        ("x\n\n## A\nold", "", "x"),
        ("## A\r\nold\r\n\r\n## B\r\n", "## A\nnew\nline", "## A\r\nnew\r\nline\r\n\r\n## B\r\n"),
        ("\u{feff}## A\nold\n", "## A\nnew", "\u{feff}## A\nnew\n"),
        ("A\n---\nold\n\nB\n---\nb", "A\n---\nnew", "A\n---\nnew\n\nB\n---\nb"),
        ("---\nk: 1\n---\n## A\nold", "## A\nnew", "---\nk: 1\n---\n## A\nnew"),
    ] {
        assert_eq!(replaced(text, "## A", content), after, "{text:?}");
    }
}

#[test]
fn appending_goes_to_the_sections_end_after_a_blank_line() {
    for (text, after) in [
        ("## A\nold\n\n## B\n", "## A\nold\n\nnew\n\n## B\n"),
        ("## A\nold\n## B\n", "## A\nold\n\nnew\n\n## B\n"),
        ("## A\nold\n\n\n\n## B\n", "## A\nold\n\nnew\n\n\n\n## B\n"),
        ("## A\n## B\n", "## A\n\nnew\n\n## B\n"),
        ("## A\n", "## A\n\nnew\n"),
        ("## A", "## A\n\nnew"),
        ("## A\nold", "## A\nold\n\nnew"),
        ("## A\nold\n\n\n", "## A\nold\n\nnew\n\n\n"),
        ("## A\nold  \n", "## A\nold  \n\nnew\n"),
        ("A\n---\n", "A\n---\n\nnew\n"),
        ("## A\n```\ncode\n```", "## A\n```\ncode\n```\n\nnew"),
        ("## A\n### C\nc\n# Z\n", "## A\n### C\nc\n\nnew\n\n# Z\n"),
        ("## A\r\nold\r\n## B", "## A\r\nold\r\n\r\nnew\r\n\r\n## B"),
        ("\u{feff}## A", "\u{feff}## A\n\nnew"),
    ] {
        assert_eq!(appended(text, "## A", "new\n"), after, "{text:?}");
    }
    assert_eq!(appended("## A\r\nx\r\n", "## A", "\none\ntwo\n\n"), "## A\r\nx\r\n\r\none\r\ntwo\r\n");
    assert_eq!(appended("## A\nx\n", "## A", "\n"), "## A\nx\n");
}
