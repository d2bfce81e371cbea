//! Texts made to take a parser's time or its stack. Each is read in a moment, or the test run shows it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::json;
use wellread_text::{
    FileMoves, FileNames, FrontmatterChange, LineIndex, Note, append, append_to_section, change_frontmatter,
    check_okf, close_open_blocks, link_names, prepend, take_page, unified_diff, update_links,
};

const SIZE: usize = 50_000;

/// Far above what any of them needs, even unoptimized on a busy machine; far below what a square of the size takes.
const LIMIT: Duration = Duration::from_secs(20);

fn repeated(pattern: &str) -> String {
    pattern.repeat(SIZE / pattern.len())
}

/// Does to the text all that can be done.
fn exercise(name: &str, text: &str) {
    let start = Instant::now();
    let note = Note::parse(text);
    let names = FileNames::from_paths(["a.md", "dir/b.md"]);
    let after = FileNames::from_paths(["c.md", "dir/b.md"]);
    let moves = HashMap::from([("a.md".to_owned(), "c.md".to_owned())]);
    let _ = update_links(
        text,
        &note,
        "x.md",
        "x.md",
        &FileMoves { before: &names, after: &after, moves: &moves },
    );
    let _ =
        (append(text, "x"), prepend(text, "x"), LineIndex::new(text).count(), take_page(text, SIZE / 2, 100));
    let _ = append_to_section(text, "# a", "x");
    let _ = change_frontmatter(text, "k", &FrontmatterChange::Append(json!("x")));
    let _ = (close_open_blocks(text), link_names(text, &["aaa", "name"]));
    let _ = unified_diff("a", "b", text, &text.replace('a', "b"));
    assert!(start.elapsed() < LIMIT, "{name} took {:?}", start.elapsed());
}

/// All that has a meaning to somebody.
const MARKS: &[&str] = &[
    "[",
    "[[",
    "[[a",
    "[[a]]",
    "]]",
    "![",
    "![[",
    "](",
    "[a](",
    "[a](b",
    "[a](a.md) ",
    "[a]: b\n",
    "[a]:",
    "[^a]: ",
    "> ",
    ">",
    "- ",
    "* ",
    "1. ",
    "- > ",
    "$",
    "$$",
    "$$\n",
    "$a ",
    "${",
    "%",
    "%%",
    "%% ",
    "%%\n",
    "%%a",
    "a %%\n\n",
    "`",
    "`` ` ",
    "```\n",
    "~~~\n> ",
    "<",
    "<!--",
    "<!-- ",
    "\n<!--",
    "<a \"",
    "<?",
    "&",
    "\\",
    "\\[[",
    "|",
    "|a",
    "#",
    "# ",
    "#a ",
    "#a",
    "# a\n",
    "a\n=\n",
    "^a\n\n",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\0",
    "a",
    "a\n",
    "\u{1f5fb}",
    "[[a|b\\|",
    "www.",
    "://",
    "---\n",
    "***",
    "*a_",
    "__",
    "{{",
    "\u{feff}",
    "- a\n\n  ",
    "|-|\n",
    "a|b\n",
    "name ",
    "aaa",
];

#[test]
fn one_mark_over_and_over() {
    for mark in MARKS {
        exercise(mark, &repeated(mark));
    }
}

#[test]
fn a_large_text_of_one_mark_is_read_in_one_pass() {
    for mark in MARKS {
        let text = mark.repeat(250_000 / mark.len());
        let start = Instant::now();
        let _ = Note::parse(&text);
        assert!(start.elapsed() < LIMIT, "{mark} took {:?}", start.elapsed());
    }
}

#[test]
fn one_mark_over_and_over_in_the_frontmatter() {
    for pattern in [
        "[", "[[a]] ", "{", "- ", "a: ", "&a ", "*a ", "'", "\"", "\"\\", "#", " #", "|\n", "a\n", "? ", "!",
        "](", "\t", "\n", "# c\n", "  # c\n",
    ] {
        let inner = pattern.repeat(100_000 / pattern.len());
        exercise(pattern, &format!("---\nk: {inner}\n---\nbody\n"));
        exercise(pattern, &format!("---\n{inner}\n---\nbody\n"));
    }
    exercise("unclosed", &format!("---\n{}", "a: 1\n".repeat(50_000)));
    exercise("large", &format!("---\nk: {}\n---\n", "x".repeat(SIZE)));
}

#[test]
fn deep_containers_with_many_lines_after_them() {
    let lines = "b\n".repeat(10_000);
    for (name, opening) in [
        ("quotes", "> ".repeat(20_000)),
        ("tight quotes", ">".repeat(20_000)),
        ("lists", "- ".repeat(20_000)),
        ("numbers", "1. ".repeat(20_000)),
        ("mixed", "- > ".repeat(10_000)),
        ("steps", (0..500).map(|depth| format!("{}- a\n", "  ".repeat(depth))).collect()),
        ("quoted steps", (0..500).map(|depth| format!("{}a\n", "> ".repeat(depth))).collect()),
        ("tabs", (0..300).map(|depth| format!("{}- a\n", "\t".repeat(depth))).collect()),
    ] {
        exercise(name, &format!("{opening}a\n{lines}"));
        exercise(name, &format!("{opening}a\n{}", "\n".repeat(10_000)));
        exercise(name, &format!("{opening}```\n{lines}"));
    }
}

#[test]
fn runs_of_growing_length() {
    exercise("backticks", &(0..700).map(|length| format!("{} ", "`".repeat(length))).collect::<String>());
    exercise("dollars", &(0..700).map(|length| format!("{} ", "$".repeat(length))).collect::<String>());
    exercise("brackets", &(0..700).map(|length| format!("{} ", "[".repeat(length))).collect::<String>());
    exercise("fences", &(3..700).map(|length| format!("{}\n", "`".repeat(length))).collect::<String>());
}

#[test]
fn images_in_images() {
    exercise("images", &format!("{}a{}", "![".repeat(20_000), "](b)".repeat(20_000)));
}

#[test]
fn many_footnotes_of_an_okf_note() {
    let note = |number: usize| format!("Said[^{number}].\n\n[^{number}]: Words of note {number}\n\n");
    let body: String = (0..20_000).map(note).collect();
    let start = Instant::now();
    let found = check_okf(&format!("---\ntype: x\nsources: [{{id: a, resource: r}}]\n---\n{body}"));
    assert_eq!((found.len(), found[19_999].line), (20_000, 80_003));
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
}

#[test]
fn many_links_on_one_line() {
    let text = "[[a|b]] [x](a.md) #tag ".repeat(10_000);
    let start = Instant::now();
    let note = Note::parse(&text);
    assert_eq!((note.links.len(), note.tags.len()), (20_000, 10_000));
    let (before, after) = (FileNames::from_paths(["a.md"]), FileNames::from_paths(["c.md"]));
    let moves = HashMap::from([("a.md".to_owned(), "c.md".to_owned())]);
    let followed = update_links(
        &text,
        &note,
        "x.md",
        "x.md",
        &FileMoves { before: &before, after: &after, moves: &moves },
    );
    assert_eq!((followed.splices.len(), followed.refused.len()), (20_000, 0));
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
}

#[test]
fn a_heading_is_found_even_in_a_text_that_is_cut_short_in_depth() {
    let text = format!("{}deep\n\n# Found [[a]]\n", "> ".repeat(5_000));
    let note = Note::parse(&text);
    assert_eq!(note.headings.len(), 1);
    assert_eq!(note.links.len(), 1);
}
