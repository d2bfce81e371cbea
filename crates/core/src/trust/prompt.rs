//! Builds every prompt: our instructions, the user's own words, and texts that others wrote, each behind a barrier.
//!
//! [`Untrusted`] text enters a prompt here and nowhere else. We do not rely on the model to respect the barrier: the
//! gate, the refusals of the tools and the output filter apply whatever it says.

mod barrier;
mod markers;
mod template;

use crate::domain::untrusted::{Origin, Untrusted};
use crate::{Error, Result};

use barrier::PreparedDocument;
pub use template::{
    AGENDA, ASK, CHAT_SYSTEM, CODE_MEMO, CODE_RESEARCH, FINDING, REPAIR, RESEARCH_EXTRACT, RESEARCH_NOTE,
    RESEARCH_TOPICS, SECOND_OPINION, SUMMARY, Template,
};

/// The longest instructions of our own, in characters; longer ones are a bug.
const MAX_INSTRUCTIONS: usize = 64_000;

/// A text that somebody else wrote, and how it is introduced.
#[derive(Clone, Copy)]
pub struct PromptDocument<'a> {
    /// Who wrote it, in our words: "a note of the user", "a web page".
    pub who: &'a str,
    /// The text's path, title or address.
    pub name: &'a str,
    /// The text.
    pub text: &'a Untrusted,
    /// The most characters of it that the model may see.
    pub cap: usize,
    /// The id by which it can be cited, if it is evidence.
    pub id: Option<&'a str>,
}

/// A prompt under construction. Its parts keep the order in which they were added.
#[derive(Debug)]
pub struct Prompt {
    instructions: String,
    parts: Vec<PromptPart>,
    cut: Vec<TruncatedPart>,
    shown: Vec<String>,
    origin: Origin,
}

#[derive(Debug)]
enum PromptPart {
    User(String),
    Document(PreparedDocument),
}

/// A prompt that is ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltPrompt {
    /// The whole prompt.
    pub text: String,
    /// The least trusted origin of its parts.
    pub origin: Origin,
    /// The parts that were cut because they were too long.
    pub cut: Vec<TruncatedPart>,
    /// Ids of the evidence that is in it as a whole; evidence that was cut does not count as shown.
    pub shown: Vec<String>,
    /// The nonces of the barriers, in the order of the documents.
    pub nonces: Vec<String>,
}

/// A part of which the model sees only the beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruncatedPart {
    /// The part's name.
    pub name: String,
    /// The part's id, if it is evidence.
    pub id: Option<String>,
    /// How many characters were kept.
    pub kept: usize,
    /// How many characters it has.
    pub of: usize,
}

impl Prompt {
    /// Begins a prompt with our own instructions, which are also repeated as the task at each document.
    pub fn new(instructions: &str) -> Self {
        Self {
            instructions: instructions.trim_end().to_owned(),
            parts: Vec::new(),
            cut: Vec::new(),
            shown: Vec::new(),
            origin: Origin::User,
        }
    }

    /// Adds the user's own words, up to `cap` characters. They need no barrier, but can't forge one either.
    #[must_use]
    pub fn user(mut self, text: &str, cap: usize) -> Self {
        let fixed = barrier::cap_text(text, cap);
        let cut_notice = fixed.cut.then(|| format!("\n[cut: {} of {} characters]", fixed.kept, fixed.of));
        if fixed.cut {
            let name = "the user's message".to_owned();
            self.cut.push(TruncatedPart { name, id: None, kept: fixed.kept, of: fixed.of });
        }
        self.parts.push(PromptPart::User(fixed.text + &cut_notice.unwrap_or_default()));
        self
    }

    /// Adds a text that others wrote, behind a barrier.
    #[must_use]
    pub fn document(mut self, document: PromptDocument<'_>) -> Self {
        self.origin = self.origin.combine(document.text.origin());
        let fixed = PreparedDocument::new(document);
        match &fixed.cut {
            Some(cut) => self.cut.push(cut.clone()),
            None => self.shown.extend(document.id.map(str::to_owned)),
        }
        self.parts.push(PromptPart::Document(fixed));
        self
    }

    /// Generates a nonce for each document, in order, and assembles the prompt. Parses the result, and generates new
    /// nonces if its markers are not exactly those that were put there.
    pub fn build(self, nonce: &mut dyn FnMut() -> String) -> Result<BuiltPrompt> {
        const TASK: &str = "as the instructions above this text say.";
        self.build_for(TASK, nonce)
    }

    fn build_for(self, task: &str, nonce: &mut dyn FnMut() -> String) -> Result<BuiltPrompt> {
        let length = self.instructions.chars().count();
        if length > MAX_INSTRUCTIONS {
            return Err(Error::failed(format!("the instructions of a prompt are {length} characters long")));
        }
        let documents = self.parts.iter().filter(|part| matches!(part, PromptPart::Document(_))).count();
        for _ in 0..markers::ATTEMPTS {
            let nonces = (0..documents).map(|_| nonce()).collect::<Vec<_>>();
            if let Some(bad) = nonces.iter().find(|nonce| !markers::is_nonce(nonce)) {
                return Err(Error::failed(format!("`{bad}` is no nonce")));
            }
            let text = self.assemble(task, &nonces)?;
            if markers::markers_match(&text, &nonces) {
                let Self { origin, cut, shown, .. } = self;
                return Ok(BuiltPrompt { text, origin, cut, shown, nonces });
            }
        }
        Err(Error::failed("no prompt could be made whose markers are its own")
            .hint("one of the texts contains our markers; leave it out"))
    }

    fn assemble(&self, task: &str, nonces: &[String]) -> Result<String> {
        let mut nonces = nonces.iter();
        let mut parts = Vec::with_capacity(self.parts.len() + 1);
        if !self.instructions.is_empty() {
            parts.push(self.instructions.clone());
        }
        for part in &self.parts {
            parts.push(match part {
                PromptPart::User(text) => text.clone(),
                PromptPart::Document(fixed) => {
                    fixed.render_barrier(task, nonces.next().map_or("", String::as_str))?
                }
            });
        }
        Ok(parts.join("\n\n"))
    }
}

/// Puts one text that others wrote behind its barrier, as in a tool's result within a conversation.
pub fn fence_document(
    document: PromptDocument<'_>,
    task: &str,
    nonce: &mut dyn FnMut() -> String,
) -> Result<BuiltPrompt> {
    Prompt::new("").document(document).build_for(&barrier::one_line(task, barrier::MAX_TASK), nonce)
}
