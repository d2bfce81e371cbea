//! Texts that were edited, and where they are found again.

use proptest::prelude::*;

use super::*;

fn found<'a>(old: &str, new: &'a str) -> (&'a str, f64) {
    let nearest = FuzzySearch::new(new).find_nearest(old, 0).unwrap();
    (&new[nearest.span], nearest.likeness)
}

#[test]
fn a_renamed_function_is_found_with_its_braces() {
    let new = "fn first() {\n    one();\n}\n\nfn sum(bees: &[Bee]) -> u32 {\n    bees.iter().map(weight).sum()\n}\n\nfn last() {}\n";
    let old = "fn total(bees: &[Bee]) -> u32 {\n    bees.iter().map(weight).sum()\n}\n";
    let (now, likeness) = found(old, new);
    assert_eq!(now, "fn sum(bees: &[Bee]) -> u32 {\n    bees.iter().map(weight).sum()\n}\n");
    assert!(likeness > 0.7, "{likeness}");
}

#[test]
fn wrapping_indenting_case_and_form_leave_the_words_alone() {
    let old = "Honey keeps for years in a closed jar.\nNobody knows how long at the café.";
    for new in [
        "# Bees\n\nHoney keeps for years\nin a closed jar. Nobody knows\nhow long at the café.\n\nWax melts.\n",
        "# Bees\n\n    Honey keeps for years in a closed jar.\n    Nobody knows how long at the café.\n\nWax.\n",
        "# Bees\n\nHONEY keeps for years in a closed jar.\r\nNobody knows how long at the cafe\u{301}.\r\n\r\nWax.\r\n",
    ] {
        let (now, likeness) = found(old, new);
        assert_eq!(likeness, 1.0, "{now}");
        assert!(now.trim_start().to_lowercase().starts_with("honey") && now.ends_with('.'), "{now:?}");
    }
}

#[test]
fn a_sentence_in_a_long_line_is_found_without_the_rest_of_the_line() {
    let new = "Wax melts at sixty degrees and is used for candles of all sorts. Honey keeps for nine years in a closed jar. Bees dance to tell each other where the flowers are.\n";
    let (now, _) = found("Honey keeps for ten years in a closed jar.", new);
    assert_eq!(now, "Honey keeps for nine years in a closed jar.");
}

#[test]
fn what_is_put_in_between_is_taken_in() {
    let new =
        "intro words here\nalpha beta gamma delta\nsomething new\nepsilon zeta eta theta\noutro words\n";
    let (now, _) = found("alpha beta gamma delta\nepsilon zeta eta theta\n", new);
    assert_eq!(now, "alpha beta gamma delta\nsomething new\nepsilon zeta eta theta\n");
}

#[test]
fn what_every_function_has_makes_no_two_alike() {
    let getter =
        |name: &str| format!("    pub fn {name}(&self) -> &str {{\n        &self.{name}\n    }}\n\n");
    let others: String =
        ["title", "author", "year", "place", "pages", "price", "weight", "series", "shelf", "cover"]
            .map(getter)
            .concat();
    let (_, likeness) = found(&getter("name"), &others);
    assert!(likeness < 0.5, "{likeness}");
}

#[test]
fn of_two_that_are_alike_the_nearer_one_is_taken() {
    let new = "one two four\n\nsome other words\n\none two five\n";
    for (near, now) in [(0, "one two four"), (new.len(), "one two five")] {
        let nearest = FuzzySearch::new(new).find_nearest("one two three", near).unwrap();
        assert_eq!(&new[nearest.span], now);
    }
}

#[test]
fn a_script_without_blanks_is_compared_by_its_characters() {
    let (now, likeness) = found(
        "蜂蜜は何年も保存できる。",
        "蝋は六十度で溶ける。\n蜂蜜は十年も保存できる。\n花の場所を踊る。\n",
    );
    assert_eq!(now, "蜂蜜は十年も保存できる。");
    assert!(likeness > 0.7, "{likeness}");
}

#[test]
fn a_text_without_words_is_like_nothing() {
    assert_eq!(FuzzySearch::new("a b").find_nearest("}\n", 0), None);
    assert_eq!(FuzzySearch::new("{}\n").find_nearest("a", 0), None);
    assert_eq!(FuzzySearch::new("").find_nearest("", 0), None);
}

proptest! {
    #[test]
    fn what_is_still_there_is_found_whole_and_every_span_can_be_read(
        before in "[a-c \\n}é]{0,30}", old in "[a-z]{3}[a-z \\n{}日é]{0,40}", after in "[a-c \\n}\r]{0,30}", near in 0_usize..100,
    ) {
        let text = format!("{before} {old} {after}");
        let nearest = FuzzySearch::new(&text).find_nearest(&old, near).unwrap();
        prop_assert!(nearest.likeness == 1.0, "{nearest:?}");
        prop_assert!(text.get(nearest.span.clone()).is_some());
        let other = FuzzySearch::new(&before).find_nearest(&old, near);
        prop_assert!(other.is_none_or(|other| before.get(other.span).is_some()));
    }
}
