//! The barrier around one text: who wrote it, that nothing in it is an instruction, the task, and two markers.

use wellread_text::{neutralize, take_page};

use super::{PromptDocument, Template, TruncatedPart};
use crate::Result;
use crate::trust::prompt::markers;

const BARRIER: Template = Template::new(include_str!("barrier.md"));

/// The longest name, in characters. Names and addresses are written by others too.
const MAX_NAME: usize = 300;
const MAX_WHO: usize = 200;
pub(super) const MAX_TASK: usize = 1_000;

/// A text ready for the prompt, before it gets its nonce.
#[derive(Debug)]
pub(super) struct PreparedDocument {
    who: String,
    name: String,
    text: String,
    pub cut: Option<TruncatedPart>,
}

impl PreparedDocument {
    pub(super) fn new(document: PromptDocument<'_>) -> Self {
        let name = one_line(document.name, MAX_NAME);
        let capped = cap_text(document.text.expose(), document.cap);
        let cut = capped.cut.then(|| TruncatedPart {
            name: name.clone(),
            id: document.id.map(|id| one_line(id, MAX_NAME)),
            kept: capped.kept,
            of: capped.of,
        });
        // Text that was cut can't be cited, so it is shown without its id.
        let cited = document.id.filter(|_| cut.is_none()).map(|id| one_line(id, MAX_NAME));
        let name = cited.map(|id| format!("{name} (cite as [{id}])")).unwrap_or(name);
        Self { who: one_line(document.who, MAX_WHO), name, text: capped.text, cut }
    }

    pub(super) fn render_barrier(&self, task: &str, nonce: &str) -> Result<String> {
        let cut = self.cut.as_ref().map(|cut| {
            format!(
                "Only its first {} of {} characters stand here; the rest was cut by us.",
                cut.kept, cut.of
            )
        });
        let (begin, end) = (markers::begin_marker(nonce), markers::end_marker(nonce));
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

/// A text without chat-template tokens and hidden characters, and no longer than allowed.
pub(super) struct CappedText {
    pub text: String,
    pub cut: bool,
    pub kept: usize,
    pub of: usize,
}

pub(super) fn cap_text(text: &str, cap: usize) -> CappedText {
    let part = take_page(&neutralize(text).text, 0, cap);
    // A cut may have turned half a token into a whole one.
    let text = neutralize(&part.text).text.into_owned();
    CappedText { text, cut: part.next.is_some(), kept: cap.min(part.total), of: part.total }
}

/// Text of others for one line of ours: neutralized, on one line, and short.
pub(super) fn one_line(text: &str, cap: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cap_text(&words, cap).text
}
