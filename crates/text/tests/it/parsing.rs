//! What a parse gives back points at what it says.

use proptest::prelude::*;
use wellread_text::{LineIndex, LinkForm, Note, Span, fold, take_page};

use crate::notes::{closed_note, note};

fn check(text: &str) {
    let parsed = Note::parse(text);
    let lines = LineIndex::new(text);
    let inside = |span: &Span| assert!(text.get(span.clone()).is_some(), "{span:?} of {text:?}");
    for heading in &parsed.headings {
        inside(&heading.span);
        assert_eq!(heading.line, lines.line_of(heading.span.start));
        assert!((1..=6).contains(&heading.level));
        let written = &text[heading.span.clone()];
        let first_words = heading.text.split([' ', '\r', '\n']).next().unwrap_or_default();
        assert!(written.contains(first_words), "{heading:?}");
        assert!(heading.span.end == text.len() || written.ends_with('\n'), "{heading:?}");
        let from_line_start = text[..heading.span.start].trim_start_matches('\u{feff}');
        assert!(from_line_start.is_empty() || from_line_start.ends_with('\n'), "{heading:?}");
    }
    for pair in parsed.headings.windows(2) {
        assert!(pair[0].span.end <= pair[1].span.start, "{pair:?}");
    }
    for link in &parsed.links {
        inside(&link.span);
        inside(&link.target_span);
        assert!(
            link.span.start <= link.target_span.start && link.target_span.end <= link.span.end,
            "{link:?}"
        );
        assert_eq!(link.line, lines.line_of(link.span.start));
        let written = &text[link.target_span.clone()];
        if !link.in_frontmatter && !written.contains(['%', '\\', '&', '\'']) {
            assert_eq!(written, link.target, "{text:?}");
        }
        let brackets = text[link.span.clone()].trim_start_matches('!').starts_with("[[");
        assert!(brackets || link.form != LinkForm::Wiki, "{link:?}");
    }
    for tag in &parsed.tags {
        assert_eq!(&text[tag.span.clone()], format!("#{}", tag.name));
    }
    for block in &parsed.blocks {
        let line = &text[lines.span(block.line, block.line).unwrap()];
        assert!(line.trim_end().ends_with(&format!("^{}", block.id)), "{block:?} in {line:?}");
    }
    parsed.opaque.iter().for_each(inside);
    if let Some(frontmatter) = &parsed.frontmatter {
        inside(&frontmatter.span);
        inside(&frontmatter.inner);
    }
}

proptest! {
    #[test]
    fn all_spans_hold_what_they_say(text in note()) {
        check(&text);
    }

    #[test]
    fn any_text_can_be_parsed(text in "\\PC{0,80}", marks in "[-#>`~$%\\[\\]|^!<>()*_=: \n\r\t'\"a1\u{feff}é\u{0}]{0,120}") {
        check(&text);
        check(&marks);
        check(&format!("---\n{marks}\n---\n{text}"));
    }

    #[test]
    fn headings_inside_fences_never_count(text in closed_note()) {
        for heading in Note::parse(&text).headings {
            prop_assert!(!heading.text.contains("not a heading"), "{text:?}");
        }
    }

    #[test]
    fn line_endings_change_nothing_that_is_found(text in note()) {
        let text = text.replace('\r', "");
        let (unix, dos) = (Note::parse(&text), Note::parse(&text.replace('\n', "\r\n")));
        let shown = |note: &Note| {
            let links: Vec<_> = note.links.iter().map(|link| (link.target.clone(), link.line)).collect();
            let headings: Vec<_> = note.headings.iter().map(|found| (found.level, found.text.clone(), found.line)).collect();
            (links, headings, note.all_tags(), note.aliases(), note.blocks.clone())
        };
        prop_assert_eq!(shown(&unix), shown(&dos));
    }

    #[test]
    fn parts_read_one_after_the_other_are_the_whole(text in note(), length in 1usize..20) {
        let (mut whole, mut next) = (String::new(), Some(0));
        while let Some(offset) = next {
            let part = take_page(&text, offset, length);
            whole += &part.text;
            next = part.next;
        }
        prop_assert_eq!(whole, text);
    }

    #[test]
    fn folding_twice_is_folding_once(name in "\\PC{0,20}") {
        prop_assert_eq!(fold(&fold(&name)), fold(&name));
    }
}
