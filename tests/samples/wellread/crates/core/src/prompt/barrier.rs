//! The barrier around one text: who wrote it, that nothing in it counts as an instruction, the task, and two markers.

use wellread_text::{neutral, page};

use super::{Cut, Document, Template};
use crate::Result;
use crate::prompt::markers;

const BARRIER: Template = Template::of(include_str!("barrier.md"));

/// In characters. Names and addresses are written by others too.
const MOST_NAME: usize = 300;
const MOST_WHO: usize = 200;
pub(super) const MOST_TASK: usize = 1_000;

/// A text as it will stand in the prompt, before its nonce is drawn.
#[derive(Debug)]
pub(super) struct Fixed {
    who: String,
    name: String,
    text: String,
    pub cut: Option<Cut>,
}

impl Fixed {
    pub(super) fn new(document: Document<'_>) -> Self {
        let name = one_line(document.name, MOST_NAME);
        let capped = capped(document.text.look(), document.cap);
        let cut = capped.cut.then(|| Cut {
            name: name.clone(),
            id: document.id.map(|id| one_line(id, MOST_NAME)),
            kept: capped.kept,
            of: capped.of,
        });
        // What was cut can't be cited, so it is not given the id by which it would be.
        let cited = document.id.filter(|_| cut.is_none()).map(|id| one_line(id, MOST_NAME));
        let name = cited.map(|id| format!("{name} (cite as [{id}])")).unwrap_or(name);
        Self { who: one_line(document.who, MOST_WHO), name, text: capped.text, cut }
    }

    pub(super) fn behind(&self, task: &str, nonce: &str) -> Result<String> {
        let cut = self.cut.as_ref().map(|cut| {
            format!(
                "Only its first {} of {} characters stand here; the rest was cut by us.",
                cut.kept, cut.of
            )
        });
        let (begin, end) = (markers::begin(nonce), markers::end(nonce));
        BARRIER.fill(&[
            ("who", &self.who),
            ("cut", cut.as_deref().unwrap_or("It stands here as a whole.")),
            ("task", task),
            ("name", &self.name),
            ("nonce", nonce),
            ("begin", &begin),
            ("text", &self.text),
            ("end", &end),
        ])
    }
}

/// A text without tokens of chat templates or hidden characters, and no longer than allowed.
pub(super) struct Capped {
    pub text: String,
    pub cut: bool,
    pub kept: usize,
    pub of: usize,
}

pub(super) fn capped(text: &str, cap: usize) -> Capped {
    let part = page(&neutral(text).text, 0, cap);
    // Where it was cut, half a token may have become a whole one.
    let text = neutral(&part.text).text.into_owned();
    Capped { text, cut: part.next.is_some(), kept: cap.min(part.total), of: part.total }
}

/// Words that go into a line of ours: neutral, on one line, and short.
pub(super) fn one_line(text: &str, cap: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    capped(&words, cap).text
}
