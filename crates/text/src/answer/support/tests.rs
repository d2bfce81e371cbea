//! What a source holds.

use super::*;

#[test]
fn a_quotation_is_found_as_one_run_and_never_cuts_a_word() {
    let held = SourceIndex::new("# Hive\n\nThe **old** hive\nstood 1,100 days, in [the yard](x.md).\n", true);
    assert_eq!(held.find_quotation("The old hive stood"), Some((3, 4)));
    assert_eq!(held.find_quotation("in the yard."), Some((4, 4)));
    assert_eq!(held.find_quotation("in the yard,"), Some((4, 4)));
    assert_eq!(held.find_quotation("the old hive"), Some((3, 3)));
    assert_eq!(held.find_quotation("In the yard"), Some((4, 4)));
    for wrong in
        ["he old hive", "The old hiv", "The old ... stood", "100 days", "1,1", "the Old hive", "the yard!"]
    {
        assert_eq!(held.find_quotation(wrong), None, "{wrong}");
    }
    assert_eq!(SourceIndex::new("那是旧蜂巢。", true).find_quotation("旧蜂"), Some((1, 1)));
}

#[test]
fn code_is_held_as_it_is_written() {
    let held = SourceIndex::new("impl Foo {\n    fn bar(&self, at: usize) -> *const u8 {}\n}\n", false);
    for right in ["fn bar(&self, at: usize)", "Foo::bar()", "bar(at)", "*const u8"] {
        assert!(held.has_code(right), "{right}");
    }
    for wrong in ["foo", "Foo::baz", "ba", "at * usize", "a"] {
        assert!(!held.has_code(wrong), "{wrong}");
    }
}

#[test]
fn a_comment_is_quoted_without_its_marks() {
    let held = SourceIndex::new(
        "    /// When the ring is full the sample is\n    /// dropped, not the oldest.\n",
        false,
    );
    assert_eq!(held.find_quotation("the sample is dropped, not the oldest"), Some((1, 2)));
    assert_eq!(held.find_quotation("the sample is kept"), None);
}

#[test]
fn numbers_and_dates_know_what_they_count_and_where() {
    let held = SourceIndex::new("On 5 March 2024\nthe yard had 1 000 hives.", true);
    assert_eq!(held.numbers("1000")[0].unit.as_deref(), Some("hive"));
    assert_eq!(held.counts("hive"), [("1000".to_owned(), 2)]);
    assert_eq!(held.dates(), [(Date { year: Some(2024), month: 3, day: Some(5) }, 1)]);
    assert_eq!((held.numbers("2024").is_empty(), held.has_name("march")), (false, true));
    assert_eq!(held.lines_with("hive"), [2]);
}

#[test]
fn a_number_has_the_unit_of_its_column() {
    let (head, row) = ("| Boat | Length (m) | Price (€) |\n| --- | --- | --- |\n", "| Heron | 5.2 | 2300 |");
    for held in [SourceIndex::new(&format!("{head}{row}"), true), SourceIndex::below_head(head, row)] {
        assert_eq!(held.numbers("5.2")[0].unit.as_deref(), Some("m"));
        assert_eq!(held.numbers("2300")[0].unit.as_deref(), Some("€"));
    }
    assert_eq!(SourceIndex::new(row, true).numbers("2300")[0].unit, None);
}
