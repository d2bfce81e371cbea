//! Text that was written by anyone but the user in the current conversation, and how far it can be trusted.
//!
//! It can be stored, compared, searched and shown. It reaches a model only through the trust group's prompts, which put
//! a barrier around it; so there is no `Display`, no `Deref` and no `AsRef<str>` here.

use serde::{Deserialize, Serialize};

/// Who wrote a text. Later variants are trusted less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The user's own words in this conversation, their settings, and our own messages.
    User,
    /// The user's notes.
    Notes,
    /// Pages, abstracts, source files, and notes that came from outside.
    Outside,
}

impl Origin {
    /// The origin of two texts joined: the less trusted one.
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        self.max(other)
    }

    /// Whether the text came from outside the vault.
    pub fn is_outside(self) -> bool {
        self == Self::Outside
    }
}

/// Text of the user's notes, or of somebody else; see the module about what may be done with it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Untrusted {
    origin: Origin,
    text: String,
}

impl Untrusted {
    /// Text of this origin.
    pub fn new(origin: Origin, text: impl Into<String>) -> Self {
        Self { origin, text: text.into() }
    }

    /// Text of a note that the user wrote.
    pub fn from_note(text: impl Into<String>) -> Self {
        Self::new(Origin::Notes, text)
    }

    /// Text from anywhere but the user's own notes.
    pub fn from_outside(text: impl Into<String>) -> Self {
        Self::new(Origin::Outside, text)
    }

    /// Who wrote the text.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The text, for comparing, storing and showing. A test keeps this out of code that builds prompts.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// The text's search terms, from which the text can't be restored.
    pub fn terms(&self) -> wellread_text::Terms {
        wellread_text::Terms::from_text(&self.text)
    }

    /// The text's length in bytes.
    pub fn size(&self) -> usize {
        self.text.len()
    }

    /// Lowers the text's origin to this one, unless it is trusted less already.
    #[must_use]
    pub fn lower_to(mut self, origin: Origin) -> Self {
        self.origin = self.origin.combine(origin);
        self
    }

    /// Joins two texts with words of our own between them. The origin is the less trusted one.
    #[must_use]
    pub fn join(mut self, between: &str, other: &Self) -> Self {
        self.text.push_str(between);
        self.text.push_str(&other.text);
        self.origin = self.origin.combine(other.origin);
        self
    }
}

/// Shows the origin and the length only, so that no log repeats the text.
impl std::fmt::Debug for Untrusted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Untrusted({:?}, {} bytes)", self.origin, self.text.len())
    }
}
