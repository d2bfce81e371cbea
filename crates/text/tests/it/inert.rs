//! Markdown from others, made inert: a table of attacks, clean texts that stay as they are, and soups of both.
//!
//! What comes out is looked at by a check that shares nothing with the filter.

mod attacks;
mod clean;
mod live;
mod soup;

use wellread_text::{AllowedLinks, InertText, make_inert};

use live::live;

/// Whatever leads there was put in by the attacker.
const HOST: &str = "evil.example";

const GOOD: [&str; 3] =
    ["https://good.example/page", "https://good.example/a_(b)?x=1&y=2", "http://www.good.example/"];

const NOTES: [&str; 5] = ["Bees", "Bees.md", "folder/Wax.md", "my note.md", "pic.png"];

fn filtered(markdown: &str) -> InertText {
    let allowed = AllowedLinks { urls: &|url| GOOD.contains(&url), notes: &|target| NOTES.contains(&target) };
    make_inert(markdown, &allowed)
}

/// That nothing is live in what comes out, and that a second time changes nothing.
fn check(markdown: &str, host: &str) -> InertText {
    let found = filtered(markdown);
    if let Some(live) = live(&found.text, host) {
        panic!("{live} is live in\n{}\nwhich came of\n{markdown}\n{:?}", found.text, found.removed);
    }
    let again = filtered(&found.text);
    assert_eq!(again.text, found.text, "a second time, of {markdown:?}");
    assert_eq!(again.removed.total(), 0, "of {markdown:?}");
    found
}
