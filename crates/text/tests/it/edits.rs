//! What edits must keep.

use proptest::prelude::*;
use wellread_text::{
    Note, Splice, append, append_to_section, apply_splices, close_open_blocks, find_section, line_ending,
    link_names, prepend, replace_section, unified_diff,
};

use crate::notes::{body, note};

/// Applies a change and makes sure that only its span is different.
fn applied(text: &str, change: &Splice) -> String {
    let after = apply_splices(text, std::slice::from_ref(change)).unwrap();
    assert!(after.starts_with(&text[..change.span.start]));
    assert!(after.ends_with(&text[change.span.end..]));
    assert_eq!(after.len(), text.len() - change.span.len() + change.text.len());
    after
}

fn content() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("one line".to_owned()),
        Just("two\nlines\n".to_owned()),
        Just("\r\nodd\r\n\n".to_owned())
    ]
}

/// Whether the text leaves nothing open that would swallow what comes after.
fn is_closed(text: &str) -> bool {
    close_open_blocks(text) == text
}

proptest! {
    #[test]
    fn ends_are_extended_and_nothing_else_changes(text in note(), content in content()) {
        for change in [append(&text, &content), prepend(&text, &content)] {
            prop_assert!(change.span.is_empty());
            let after = applied(&text, &change);
            let body = text.trim_start_matches('\u{feff}');
            if !body.is_empty() {
                prop_assert_eq!(after.ends_with('\n'), text.ends_with('\n'), "{:?}", after);
                if line_ending(&text) == "\n" {
                    prop_assert!(!change.text.contains('\r'));
                } else {
                    prop_assert_eq!(change.text.matches('\n').count(), change.text.matches("\r\n").count());
                }
            }
            let (before, after) = (Note::parse(&text), Note::parse(&after));
            prop_assert_eq!(before.frontmatter.map(|found| found.fields), after.frontmatter.map(|found| found.fields));
        }
    }

    #[test]
    fn a_section_is_extended_inside_and_the_others_stay(text in note(), content in content()) {
        let headings = Note::parse(&text).headings;
        for heading in &headings {
            let asked = format!("{} {}", "#".repeat(heading.level.into()), heading.text);
            let Ok(section) = find_section(&text, &asked) else { continue };
            let change = append_to_section(&text, &asked, &content).unwrap();
            prop_assert!(change.span.is_empty());
            prop_assert!(section.span.start <= change.span.start && change.span.end <= section.span.end);
            let after = applied(&text, &change);
            prop_assert_eq!(after.ends_with('\n'), text.ends_with('\n'));
            if !is_closed(&text[..section.span.end]) {
                continue;
            }
            let found = find_section(&after, &asked).unwrap();
            prop_assert!(after[found.span.clone()].contains(content.trim().lines().next().unwrap()));
            prop_assert_eq!(&after[found.span.end..], &text[section.span.end..]);
            let shown = |note: &Note| note.headings.iter().map(|found| found.text.clone()).collect::<Vec<_>>();
            prop_assert_eq!(shown(&Note::parse(&after)), shown(&Note::parse(&text)));
            if found.span.end < after.len() {
                let before_next = after[..found.span.end].replace('\r', "");
                prop_assert!(before_next.ends_with("\n\n") || before_next.lines().last().unwrap().trim().is_empty());
            }
        }
    }

    #[test]
    fn a_section_is_replaced_whole_and_the_others_stay(text in note()) {
        for heading in Note::parse(&text).headings {
            let asked = format!("{} {}", "#".repeat(heading.level.into()), heading.text);
            let Ok(old) = find_section(&text, &asked) else { continue };
            let change = replace_section(&text, &asked, &format!("{asked}\n\nfresh")).unwrap();
            prop_assert_eq!(&change.span, &old.span);
            let after = applied(&text, &change);
            prop_assert_eq!(after.ends_with('\n'), text.ends_with('\n'));
            let found = find_section(&after, &asked).unwrap();
            let section = after[found.span.clone()].replace('\r', "").trim_end().to_owned();
            prop_assert_eq!(section, format!("{asked}\n\nfresh").replace('\r', ""));
            prop_assert_eq!(&after[found.span.end..], &text[old.span.end..]);
        }
    }

    #[test]
    fn closed_text_stays_closed(text in body()) {
        let closed = close_open_blocks(&text);
        prop_assert!(closed.starts_with(&text));
        prop_assert_eq!(close_open_blocks(&closed), closed.clone());
        let after = format!("\n{closed}\n\n# The next heading\n");
        prop_assert_eq!(Note::parse(&after).headings.last().map(|found| found.text.clone()), Some("The next heading".to_owned()));
    }

    #[test]
    fn linking_names_only_adds_links(text in note()) {
        let names = ["word", "Zürich", "Alpha", "item"];
        let linked = link_names(&text, &names);
        let plain = |text: &str| text.replace("[[", "").replace("]]", "");
        prop_assert_eq!(plain(&linked), plain(&text));
        prop_assert_eq!(link_names(&linked, &names), linked.clone());
        let (before, after) = (Note::parse(&text), Note::parse(&linked));
        prop_assert!(after.links.len() >= before.links.len(), "{:?}\n{:?}", text, linked);
        prop_assert_eq!(after.headings.len(), before.headings.len());
    }

    #[test]
    fn a_difference_says_which_lines_go_and_come(old in note(), new in note()) {
        let shown = unified_diff("a", "b", &old, &new);
        prop_assert_eq!(shown.is_empty(), old == new);
        let kept = |sign: char| {
            let body = shown.split_inclusive('\n').skip(2).filter(|line| line.starts_with(sign));
            body.map(|line| line[1..].to_owned()).collect::<Vec<_>>()
        };
        for line in kept('-') {
            prop_assert!(old.split_inclusive('\n').any(|other| other.trim_end_matches('\n') == line.trim_end_matches('\n')));
        }
        for line in kept('+') {
            prop_assert!(new.split_inclusive('\n').any(|other| other.trim_end_matches('\n') == line.trim_end_matches('\n')));
        }
    }
}
