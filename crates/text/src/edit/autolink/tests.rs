//! Names that become links, and those that do not.

use super::*;

#[test]
fn whole_names_become_links_the_longest_first() {
    let names = ["Bees", "Honey Bees", "New York", "New York City", "C++", "ab", "Zürich", "Öl"];
    for (text, after) in [
        ("Bees!", "[[Bees]]!"),
        ("Honey Bees and Bees", "[[Honey Bees]] and [[Bees]]"),
        ("New York City, New York", "[[New York City]], [[New York]]"),
        ("New York Cityscape", "[[New York]] Cityscape"),
        ("bees Beeswax xBees Bees_1", "bees Beeswax xBees Bees_1"),
        ("*Bees* (Bees) \"Bees\"", "*[[Bees]]* ([[Bees]]) \"[[Bees]]\""),
        ("# Bees\n- Bees\n> Bees", "# [[Bees]]\n- [[Bees]]\n> [[Bees]]"),
        ("in Zürich: Zürichsee", "in [[Zürich]]: Zürichsee"),
        ("ab Öl", "ab Öl"),
        ("C++ code", "[[C++]] code"),
        ("Bees.", "[[Bees]]."),
        ("", ""),
    ] {
        assert_eq!(link_names(text, &names), after);
    }
}

#[test]
fn what_is_no_prose_stays_as_it_is() {
    for text in [
        "```\nBees\n```",
        "~~~\nBees",
        "`Bees`",
        "$Bees$",
        "%%Bees%%",
        "<!-- Bees -->",
        "<a title=\"Bees\">",
        "https://example.com/Bees?x=Bees",
        "<https://example.com/Bees>",
        "www.Bees.com",
        "Bees.com /Bees lib/Bees Bees/x me@Bees",
        "[[Bees]] [[x|Bees]] ![[Bees]]",
        "[Bees](x.md) [x](Bees.md) [Bees](https://x.y) [Bees][r] [Bees]",
        "[^Bees] [!Bees]",
        "[r]: https://x.y/ \"Bees\"",
        "#Bees #x/Bees",
        "---\nk: Bees\n---\n",
        "    Bees",
    ] {
        assert_eq!(link_names(text, &["Bees"]), text);
    }
}

#[test]
fn names_that_no_link_can_hold_are_passed_over() {
    assert_eq!(link_names("a|b a#b [x] aaa", &["a|b", "a#b", "[x]", "", " aaa"]), "a|b a#b [x] aaa");
    assert_eq!(link_names("text", &[]), "text");
}

#[test]
fn linking_twice_is_linking_once() {
    let once = link_names("Honey Bees, Bees", &["Bees", "Honey Bees"]);
    assert_eq!(link_names(&once, &["Bees", "Honey Bees"]), once);
}
