//! How often a text is gone through, and the last resort, which no ordinary attack comes to.

use super::*;

fn nothing() -> AllowedLinks<'static> {
    AllowedLinks { urls: &|_| false, notes: &|_| false }
}

/// How many rounds it takes until nothing is found, and how many edits there were.
fn work(text: &str) -> (usize, usize) {
    let (mut text, mut total) = (strip_hidden(text).0.into_owned(), 0);
    for round in 0..ROUNDS {
        let edits = edits(&text, &nothing());
        if edits.is_empty() {
            return (round, total);
        }
        total += edits.len();
        text = apply(&text, &edits, &mut RemovedCounts::default());
    }
    (ROUNDS, total)
}

#[test]
fn the_number_of_rounds_does_not_grow_with_the_text() {
    for mark in [
        "![",
        "![a](http://e) ",
        "[![a](http://e)](http://e)",
        "[[a]]",
        "[[",
        "]]",
        "![[a]]",
        "!",
        "<b>",
        "<!--",
        "<%",
        "%",
        "{",
        "$",
        "$$",
        "&#58;",
        "http://e ",
        "www.e.e ",
        "//e.e ",
        "> ",
        "- ",
        "`",
        "```\n",
        "```x\n",
        "`= a` ",
        "[a]: http://e\n",
        "\\",
        "\\[[",
        "a:",
        "\u{200b}",
        "<a href=\"",
        "*[",
        "|",
        "(",
        "http://(",
        "http://[",
    ] {
        let (few, _) = work(&mark.repeat(200));
        let text = mark.repeat(4_000);
        let (many, edits) = work(&text);
        assert!(many <= few + 1, "{mark:?}: {few} rounds, then {many}");
        assert!(edits <= text.len(), "{mark:?}: {edits} edits");
    }
}

#[test]
fn the_last_resort_is_inert_and_stays_as_it_is() {
    for text in [
        "![a](http://e.example) <b> %% {{x}} $$ [[a]] `= x`",
        "---\n# a\n\n    code\n\n```x\n<%\n```\n&#58; &colon; \\",
        "ab:/c d:\\e mailto:a@b www.x.y //x.y https://a.b/c",
        "[^1]: a\n[a]: b\n| a |\n|-|\n",
        "",
    ] {
        let found = plain::escape_all(text, RemovedCounts::default(), &nothing());
        assert!(found.removed.whole);
        assert!(edits(&found.text, &nothing()).is_empty(), "{}", found.text);
        assert!(!reading::is_live(&found.text, &nothing()), "{}", found.text);
        assert_eq!(make_inert(&found.text, &nothing()).text, found.text);
        assert!(!found.text.contains("e.example"), "{}", found.text);
    }
    let found = plain::escape_all("two *words*\n  & more", RemovedCounts::default(), &nothing());
    assert_eq!(found.text, "two \\*words\\*\n\\& more");
}

#[test]
fn a_text_that_was_made_to_take_forever_is_given_up_on() {
    let definitions: String = (0..40).map(|number| format!("[a]: x{number}\n\n")).collect();
    let found = make_inert(&format!("{definitions}\n[a]"), &nothing());
    assert!(found.removed.whole);
    assert_eq!(make_inert(&found.text, &nothing()).text, found.text);
}
