//! What is sent to a model, put together in one place: our instructions, the user's own words, and texts that others
//! wrote, each behind a barrier.
//!
//! [`Untrusted`] text enters a prompt here and nowhere else. Whether a model keeps to the barrier is not relied upon: the
//! gate, the tools' own refusals and the filter of what is written hold whatever it says.

mod barrier;
mod markers;
mod template;

use crate::untrusted::{Origin, Untrusted};
use crate::{Error, Result};

use barrier::Fixed;
pub use template::{
    AGENDA, CHAT_SYSTEM, CODE_MEMO, CODE_RESEARCH, FINDING, QUICK_ANSWER, REPAIR, RESEARCH_EXTRACT,
    RESEARCH_NOTE, RESEARCH_TOPICS, SUMMARY, Template,
};

/// Our own instructions are never as long, in characters: more is a mistake of ours.
const MOST_INSTRUCTIONS: usize = 64_000;

/// A text that somebody else wrote, and how it is to be introduced.
#[derive(Clone, Copy)]
pub struct Document<'a> {
    /// Who wrote it, in our words: "a note of the user", "a web page".
    pub who: &'a str,
    /// Its path, title or address.
    pub name: &'a str,
    pub text: &'a Untrusted,
    /// How many characters of it the model may see at the most.
    pub cap: usize,
    /// The id by which it can be cited, where it is evidence.
    pub id: Option<&'a str>,
}

/// A prompt that is being put together. Its parts stand in the order in which they were added.
#[derive(Debug)]
pub struct Prompt {
    instructions: String,
    parts: Vec<Part>,
    cut: Vec<Cut>,
    shown: Vec<String>,
    origin: Origin,
}

#[derive(Debug)]
enum Part {
    User(String),
    Document(Fixed),
}

/// A prompt that can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    pub text: String,
    /// The lowest origin of all that is in it.
    pub origin: Origin,
    /// What did not fit.
    pub cut: Vec<Cut>,
    /// Ids of the evidence that is in it as a whole: what was cut was not shown.
    pub shown: Vec<String>,
    /// In the order of the documents.
    pub nonces: Vec<String>,
}

/// A part that the model sees only the beginning of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub name: String,
    pub id: Option<String>,
    /// In characters.
    pub kept: usize,
    pub of: usize,
}

impl Prompt {
    /// Begins with instructions of our own, which are also the task that each document is there for.
    pub fn new(instructions: &str) -> Self {
        Self {
            instructions: instructions.trim_end().to_owned(),
            parts: Vec::new(),
            cut: Vec::new(),
            shown: Vec::new(),
            origin: Origin::User,
        }
    }

    /// Adds the user's own words, up to so many characters. They need no barrier, but can't forge one either.
    #[must_use]
    pub fn user(mut self, text: &str, cap: usize) -> Self {
        let fixed = barrier::capped(text, cap);
        let said = fixed.cut.then(|| format!("\n[cut: {} of {} characters]", fixed.kept, fixed.of));
        if fixed.cut {
            let name = "the user's message".to_owned();
            self.cut.push(Cut { name, id: None, kept: fixed.kept, of: fixed.of });
        }
        self.parts.push(Part::User(fixed.text + &said.unwrap_or_default()));
        self
    }

    /// Adds a text that others wrote, behind a barrier.
    #[must_use]
    pub fn document(mut self, document: Document<'_>) -> Self {
        self.origin = self.origin.and(document.text.origin());
        let fixed = Fixed::new(document);
        match &fixed.cut {
            Some(cut) => self.cut.push(cut.clone()),
            None => self.shown.extend(document.id.map(str::to_owned)),
        }
        self.parts.push(Part::Document(fixed));
        self
    }

    /// Draws a nonce for each document, in order, and puts everything together; parses the outcome, and draws anew where
    /// its markers are not exactly those that were put there.
    pub fn build(self, nonce: &mut dyn FnMut() -> String) -> Result<Built> {
        const TASK: &str = "as the instructions above this text say.";
        self.build_for(TASK, nonce)
    }

    fn build_for(self, task: &str, nonce: &mut dyn FnMut() -> String) -> Result<Built> {
        let length = self.instructions.chars().count();
        if length > MOST_INSTRUCTIONS {
            return Err(Error::failed(format!("the instructions of a prompt are {length} characters long")));
        }
        let documents = self.parts.iter().filter(|part| matches!(part, Part::Document(_))).count();
        for _ in 0..markers::ATTEMPTS {
            let nonces = (0..documents).map(|_| nonce()).collect::<Vec<_>>();
            if let Some(bad) = nonces.iter().find(|nonce| !markers::is_nonce(nonce)) {
                return Err(Error::failed(format!("`{bad}` is no nonce")));
            }
            let text = self.assembled(task, &nonces)?;
            if markers::are_exactly(&text, &nonces) {
                let Self { origin, cut, shown, .. } = self;
                return Ok(Built { text, origin, cut, shown, nonces });
            }
        }
        Err(Error::failed("no prompt could be made whose markers are its own")
            .hint("one of the texts holds markers of ours; leave it out"))
    }

    fn assembled(&self, task: &str, nonces: &[String]) -> Result<String> {
        let mut nonces = nonces.iter();
        let mut parts = Vec::with_capacity(self.parts.len() + 1);
        if !self.instructions.is_empty() {
            parts.push(self.instructions.clone());
        }
        for part in &self.parts {
            parts.push(match part {
                Part::User(text) => text.clone(),
                Part::Document(fixed) => fixed.behind(task, nonces.next().map_or("", String::as_str))?,
            });
        }
        Ok(parts.join("\n\n"))
    }
}

/// One text that others wrote, behind its barrier: what a tool's result in a conversation is made of.
pub fn fenced(document: Document<'_>, task: &str, nonce: &mut dyn FnMut() -> String) -> Result<Built> {
    Prompt::new("").document(document).build_for(&barrier::one_line(task, barrier::MOST_TASK), nonce)
}
