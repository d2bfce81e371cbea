//! What becomes of a citation in a history of refactorings.

mod refactorings;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use wellread_core::domain::corpus::CorpusName;
use wellread_core::domain::evidence::{PagePlace, Source};
use wellread_core::ports::{NoHistory, Snapshots as _};
use wellread_core::trust::recheck::{RecheckState, Rechecker};

use self::refactorings::{BEES, BEES_MD, HIVE, HIVE_RS, QUEEN, REFACTORINGS, WAX, WAX_RS};
use crate::citing::Where::{Code, Plain};
use crate::citing::{Kept, Past, evidence, recheck, said};

#[test]
fn of_each_refactoring_the_right_thing_is_said() {
    let mut wrong = Vec::new();
    for (name, at, path, text, happens, expected) in REFACTORINGS {
        let past =
            Past::new(*at, &[("Old.md", "An old note that was renamed long ago.\n"), ("LICENSE", "MIT\n")]);
        past.rename("Old.md", "New.md");
        past.commit();
        past.rename("New.md", "Newest.md");
        past.commit();
        for (path, text) in [
            (HIVE_RS, HIVE),
            (WAX_RS, WAX),
            (BEES_MD, BEES),
            ("Café.md", "Im Café gibt es Honig für jeden, der früh genug kommt.\n"),
            ("New.md", "# New\n\nSomething that was written under a name that another note once had.\n"),
        ] {
            past.save(path, text);
        }
        past.commit();
        let cited = [past.cite(path, text)];
        happens(&past);
        let standing = past.recheck(&cited).remove(0);
        let got = said(&standing, &cited[0], &past.root());
        let fits = if expected.ends_with(": ") { got.starts_with(expected) } else { got == *expected };
        if !fits || past.recheck(&cited)[0] != standing {
            wrong.push(format!("{name}: {got}\n    instead of {expected}"));
        }
    }
    assert!(REFACTORINGS.len() >= 60);
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn the_difference_goes_from_what_was_cited_to_what_is_there() {
    let past = Past::new(Code, &[(HIVE_RS, HIVE)]);
    let cited = [past.cite(HIVE_RS, QUEEN)];
    past.rename(HIVE_RS, "src/colony.rs");
    past.replace("src/colony.rs", "pub fn queen", "pub fn mother");
    past.commit();
    let RecheckState::Changed { diff, .. } = past.recheck(&cited).remove(0) else { panic!() };
    let shown = "--- src/hive.rs\n+++ src/colony.rs\n@@ -1,4 +1,4 @@\n-pub fn queen(bees: &[Bee]) -> Option<&Bee> {\n+pub fn mother(bees: &[Bee]) -> Option<&Bee> {\n     let grown = bees.iter().filter(|bee| bee.age > 2);\n     grown.max_by_key(|bee| bee.length)\n }\n";
    assert_eq!(diff.expose(), shown);
}

#[test]
fn what_is_at_the_head_of_every_file_did_not_go_from_one_to_another() {
    let head = "// Licensed to the bees under one or more agreements.\n// See the hive for more.\n";
    let past = Past::new(Code, &[]);
    for number in 0..20 {
        past.save(&format!("src/f{number}.rs"), format!("{head}\nfn f{number}() {{}}\n"));
    }
    past.commit();
    let cited = [past.cite("src/f3.rs", head)];
    past.save("src/f3.rs", "fn f3() {}\n");
    assert_eq!(
        said(&past.recheck(&cited)[0], &cited[0], &past.root()),
        "gone: nothing similar is left in the file"
    );
}

#[test]
fn a_copy_that_was_already_there_is_not_where_the_text_went() {
    for (at, expected) in
        [(Code, "gone: nothing similar is left in the file"), (Plain, "moved content src/wax.rs:8-11")]
    {
        let past = Past::new(at, &[(HIVE_RS, HIVE), (WAX_RS, &format!("{WAX}\n{QUEEN}"))]);
        let cited = [past.cite(HIVE_RS, QUEEN)];
        past.replace(HIVE_RS, QUEEN, "");
        past.commit();
        assert_eq!(said(&past.recheck(&cited)[0], &cited[0], &past.root()), expected, "{at:?}");
    }
}

#[test]
fn of_equal_lines_the_history_knows_which_were_cited() {
    let each = "    self.count += 1;\n";
    let file = |names: &[&str]| -> String {
        names.iter().map(|name| format!("fn {name}() {{\n{each}}}\n")).collect()
    };
    let past = Past::new(Code, &[(HIVE_RS, &file(&["one", "two", "three"]))]);
    let text = past.text(HIVE_RS);
    let cited = [past.cite_at(HIVE_RS, text.rfind(each).unwrap(), each)];
    // What is cited moves up by a function, to where an equal line was.
    past.save(HIVE_RS, file(&["two", "three"]));
    past.commit();
    assert_eq!(said(&past.recheck(&cited)[0], &cited[0], &past.root()), "moved git src/hive.rs:5-5");
}

#[test]
fn a_file_that_may_not_be_read_costs_itself_alone() {
    let past = Past::new(Plain, &[(HIVE_RS, HIVE), (WAX_RS, WAX)]);
    let cited = [past.cite(HIVE_RS, QUEEN), past.cite(WAX_RS, WAX)];
    let file = past.root().join(HIVE_RS);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    let readable = fs::read(&file).is_ok();
    let standings = past.recheck(&cited);
    assert_eq!(standings[1], RecheckState::Holds);
    // An administrator may read everything.
    if !readable {
        assert_eq!(standings[0].name(), "unreachable", "{standings:?}");
    }
}

#[test]
fn a_repository_that_was_taken_away_is_said_to_be() {
    let past = Past::new(Code, &[(HIVE_RS, HIVE)]);
    let cited = [past.cite(HIVE_RS, QUEEN)];
    let said = recheck(&[], &NoHistory, &cited).remove(0);
    let reason = "the repository `code` no longer exists".to_owned();
    assert_eq!(said, RecheckState::Unreachable { reason });
    let vault: [(CorpusName, _); 1] = [(CorpusName::Vault, past.open())];
    assert_eq!(recheck(&vault, &NoHistory, &cited)[0].name(), "unreachable");
}

#[test]
fn a_page_holds_as_long_as_what_was_kept_of_it() {
    let kept = Kept::default();
    let text = "Honey keeps. Wax melts.";
    let snapshot = kept.keep(text).unwrap();
    let lost = wellread_core::domain::corpus::Hash::compute(b"lost");
    let damaged = kept.keep("damaged").unwrap();
    let page = |snapshot, span| {
        let place = PagePlace { url: "https://bees.example/".to_owned(), title: None, snapshot, span };
        evidence(1, Source::Page(place), "Wax melts.")
    };
    let cited = [page(snapshot, 13..23), page(snapshot, 12..22), page(lost, 13..23), page(damaged, 0..7)];
    let rechecker = Rechecker { corpora: &[], snapshots: &kept, history: &NoHistory };
    let rechecked = rechecker.recheck(&cited, &|_| {}).unwrap();
    let names: Vec<&str> = rechecked.iter().map(|one| one.state.name()).collect();
    assert_eq!(names, ["holds", "gone", "gone", "unreachable"]);
}
