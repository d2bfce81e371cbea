//! Whatever moves, links keep their meaning.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use wellread_text::{FileMoves, FileNames, Note, Resolution, apply_splices, update_links};

use crate::notes::note;

const FILES: [&str; 6] =
    ["Alpha.md", "dir/Beta.md", "dir/deep/Gamma.md", "Gamma.md", "dir/Alpha.md", "dir/here.md"];

/// Some of the files, each with somewhere to go; no two meet.
fn moves() -> impl Strategy<Value = HashMap<String, String>> {
    let places = select(vec![
        ["x/Alpha.md", "Beta.md", "dir/New (1).md", "dir/deep/Gamma 2.md", "dir/Beta 100%.md", "here.md"],
        ["dir/Zeta.md", "y/Beta.md", "deep/Gamma.md", "x/y/Gamma.md", "Ünder.md", "x/here.md"],
        ["Alpha it's.md", "dir/deep/Beta.md", "Beta.md", "a#b.md", "dir/deep/Alpha.md", "dir/deep/here.md"],
    ]);
    (places, subsequence((0..FILES.len()).collect::<Vec<_>>(), 0..=FILES.len())).prop_map(
        |(places, chosen)| {
            chosen.into_iter().map(|at| (FILES[at].to_owned(), places[at].to_owned())).collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_link_means_what_it_meant(text in note(), moves in moves(), holder in select(FILES.to_vec())) {
        let before = FileNames::from_paths(FILES);
        let after = FileNames::from_paths(FILES.iter().map(|&path| moves.get(path).map_or(path, String::as_str)));
        let moved = FileMoves { before: &before, after: &after, moves: &moves };
        let new_holder = moves.get(holder).map_or(holder, String::as_str);
        let parsed = Note::parse(&text);
        let followed = update_links(&text, &parsed, holder, new_holder, &moved);

        let changed = apply_splices(&text, &followed.splices).unwrap();
        let read = Note::parse(&changed);
        prop_assert_eq!(read.links.len(), parsed.links.len());
        let mut astray = 0;
        for (was, is) in parsed.links.iter().zip(&read.links) {
            prop_assert_eq!(
                (was.form, was.embed, &was.subpath, was.line, was.in_frontmatter),
                (is.form, is.embed, &is.subpath, is.line, is.in_frontmatter)
            );
            let meant = before.resolve(&was.target, holder);
            let Some(meant_path) = meant.path().filter(|_| !was.target.is_empty()) else {
                prop_assert_eq!(&was.target, &is.target);
                continue;
            };
            let must = moves.get(meant_path).map_or(meant_path, String::as_str);
            let now = after.resolve(&is.target, new_holder);
            let kept = now.path() == Some(must)
                && (matches!(now, Resolution::Found(_)) || matches!(meant, Resolution::Ambiguous { .. }));
            astray += usize::from(!kept);
        }
        prop_assert_eq!(astray, followed.refused.len(), "{:?}\n{:?}", followed, changed);
        prop_assert_eq!(
            parsed.frontmatter.map(|found| found.fields.is_ok()),
            read.frontmatter.map(|found| found.fields.is_ok())
        );
    }

    #[test]
    fn nothing_moves_nothing_changes(text in note(), holder in select(FILES.to_vec())) {
        let names = FileNames::from_paths(FILES);
        let moved = FileMoves { before: &names, after: &names, moves: &HashMap::new() };
        let followed = update_links(&text, &Note::parse(&text), holder, holder, &moved);
        prop_assert!(followed.splices.is_empty() && followed.refused.is_empty());
    }

    #[test]
    fn the_shortest_link_resolves_to_its_file(moves in moves(), from in select(FILES.to_vec())) {
        let names = FileNames::from_paths(FILES.iter().copied().chain(moves.values().map(String::as_str)));
        for path in FILES.iter().copied().chain(moves.values().map(String::as_str)) {
            prop_assert_eq!(names.resolve(&names.shortest_link(path, from), from), Resolution::Found(path.to_owned()));
        }
    }
}
