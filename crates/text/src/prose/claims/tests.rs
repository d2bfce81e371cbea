//! What sentences claim.

use super::*;
use crate::split_sentences;

fn of(text: &str) -> Claims {
    let all = split_sentences(text);
    assert_eq!(all.len(), 1, "{all:#?}");
    extract_claims(&all[0])
}

#[test]
fn quotations_are_found_whatever_their_marks() {
    for text in [
        "He said \"the old hive stood\".",
        "He said “the old hive stood”.",
        "«the old hive stood»",
        "„the old hive stood“",
        "‘the old hive stood’",
        "'the old hive stood'",
        "\"the **old** `hive` stood\"",
        "> the old\n> *hive* stood",
    ] {
        assert_eq!(of(text).quotations, ["the old hive stood"], "{text}");
    }
    assert_eq!(of("A \"short one\" isn't 'it' or the bees' 12\" one.").quoted_words, ["short one"]);
    assert_eq!(of("\"He said 'no' to the “old” hive\"").quotations, ["He said 'no' to the \"old\" hive"]);
    assert_eq!(of("The code `say(\"hello old world\")` runs.").quotations, Vec::<String>::new());
}

#[test]
fn numbers_have_one_value_however_they_are_grouped() {
    for (text, value) in [
        ("a 1,000 b", "1000"),
        ("a 1 000 b", "1000"),
        ("a 1\u{202f}000 b", "1000"),
        ("a 1'000 b", "1000"),
        ("a 1_000 b", "1000"),
        ("a 3,5 b", "3.5"),
        ("a 1,234,567.8 b", "1234567.8"),
        ("a 1.0.21 b", "1.0.21"),
        ("at 9:30 b", "9:30"),
        ("a twenty-one b", "21"),
        ("a １２ b", "12"),
    ] {
        let found = of(text).numbers;
        assert_eq!(found.iter().map(|number| number.value.as_str()).collect::<Vec<_>>(), [value], "{text}");
    }
    let units: Vec<_> = of("12 %, 12%, 12 percent, 12 per cent, $40, 40mm, 40 millimetres, -5 °C, 2 hives")
        .numbers
        .into_iter()
        .map(|number| number.unit.unwrap())
        .collect();
    assert_eq!(units, ["%", "%", "%", "%", "$", "mm", "mm", "°c", "hive"]);
    assert_eq!(of("a 3.5 million b").numbers[0].value, "3500000");
    assert!(of("the one and x86").numbers.is_empty());
    assert!(of("minus -5 b").numbers[0].negative && !of("range 3-5 b").numbers[1].negative);
}

#[test]
fn dates_are_the_same_however_they_are_written() {
    let day = Date { year: Some(2024), month: 3, day: Some(5) };
    for text in [
        "on 2024-03-05 b",
        "on 5 March 2024 b",
        "on March 5, 2024 b",
        "on the 5th of March 2024 b",
        "on Mar 5th 2024 b",
        "on 5. März 2024 b",
        "on 05.03.2024 b",
        "on 2024-03-05T10:00 b",
        "on 2024/3/5 b",
    ] {
        let claims = of(text);
        assert_eq!(
            claims.dates.iter().map(|dated| dated.readings.clone()).collect::<Vec<_>>(),
            [[day]],
            "{text}"
        );
    }
    assert_eq!(of("on 03/05/2024 b").dates[0].readings.len(), 2);
    assert_eq!(of("in March 2024 b").dates[0].readings, [Date { day: None, ..day }]);
    assert!(day.covers(&Date { year: None, ..day }) && !Date { year: None, ..day }.covers(&day));
    assert!(of("you may 5 times, version 1.2.3, 1.2.2024.5").dates.is_empty());
}

#[test]
fn the_ends_of_a_range_share_what_is_said_once() {
    let days = |text: &str| -> Vec<String> {
        let shown = |date: &Date| {
            let year = date.year.map(|year| year.to_string()).unwrap_or_default();
            format!("{year}-{}-{}", date.month, date.day.unwrap_or_default())
        };
        of(text).dates.iter().flat_map(|dated| dated.readings.iter().map(shown)).collect()
    };
    for (text, expected) in [
        ("from 1 January to 30 June 2027 b", ["2027-1-1", "2027-6-30"]),
        ("from 20 December to 6 January 2027 b", ["2026-12-20", "2027-1-6"]),
        ("between 3 May and 9 May 2025 b", ["2025-5-3", "2025-5-9"]),
        ("on 5–16 October 2026 b", ["2026-10-5", "2026-10-16"]),
        ("on 5 to 16 October 2026 b", ["2026-10-5", "2026-10-16"]),
        ("vom 5. bis 16. Oktober 2026 b", ["2026-10-5", "2026-10-16"]),
        ("on October 5–16, 2026 b", ["2026-10-5", "2026-10-16"]),
        ("in January 2026 and on 3 May 2027 b", ["2026-1-0", "2027-5-3"]),
        ("on 3 May, and rain fell on 4 May 2027 b", ["-5-3", "2027-5-4"]),
    ] {
        assert_eq!(days(text), expected, "{text}");
    }
    assert_eq!(of("chapter 2.5-16 October 2026 b").dates.len(), 1);
}

#[test]
fn an_entry_of_a_log_begins_with_a_day() {
    for entry in [
        "3 Oct 2023 – PU/PD, 4.9 kg",
        "17 Oct – 2 IU",
        "2023-10-03: weighed",
        "October 3, weighed",
        " 3. Mai: Regen",
    ] {
        assert!(super::begins_with_day(entry), "{entry}");
    }
    for other in ["3 hives stood there", "1.5 IU twice", "October was cold", "On 3 October", "12 – sweep", ""]
    {
        assert!(!super::begins_with_day(other), "{other}");
    }
}

#[test]
fn the_power_of_a_unit_is_no_number() {
    for (text, count) in
        [("214 mg of CH4 per m² and day", 1), ("88 mg m-2 d-1", 1), ("range 3-5 b", 2), ("a 10² b", 2)]
    {
        assert_eq!(of(text).numbers.len(), count, "{text} {:?}", of(text).numbers);
    }
}

#[test]
fn names_are_capitals_that_begin_no_sentence() {
    assert_eq!(
        of("The bees of Karl von Frisch met NASA's HTTP/2 at GitHub").names,
        ["karl", "frisch", "nasa", "http", "github"]
    );
    assert_eq!(of("However, Varroa came").names, ["varroa"]);
    assert_eq!(of("Karl Frisch came").names, ["karl", "frisch"]);
    assert_eq!(of("Frisch came").opener.as_deref(), Some("frisch"));
    assert_eq!(of("Hives fell: Bees left").names, Vec::<String>::new());
    assert_eq!(of("commit 3fa81b2 on x86").names, ["3fa81b2", "x86"]);
}

#[test]
fn identifiers_are_found_in_code_and_in_prose() {
    let code = |text: &str| Identifier::Code(text.to_owned());
    assert_eq!(
        of("The `Vec<T>` calls parse_request, parseRequest, foo::bar, foo.bar() with --dry-run and and/or")
            .identifiers,
        [
            code("Vec<T>"),
            code("parse_request"),
            code("parseRequest"),
            code("foo::bar"),
            code("foo.bar()"),
            code("--dry-run")
        ]
    );
    let path = |path: &str, lines| Identifier::Path { path: path.to_owned(), lines };
    assert_eq!(
        of("see src/lib.rs:10-12, (Bees.md:3) and `a/b.rs`.").identifiers,
        [path("a/b.rs", None), path("src/lib.rs", Some((10, 12))), path("Bees.md", Some((3, 3)))]
    );
    assert_eq!(
        of("see [it](https://x.org/a) now").identifiers,
        [Identifier::Address("https://x.org/a".into())]
    );
}

#[test]
fn a_sentence_that_only_leads_on_claims_nothing() {
    for text in ["Here is what the notes say:", "I found nothing that answers this.", "In short, it depends."]
    {
        assert!(of(text).is_empty(), "{text} {:?}", of(text));
    }
}
