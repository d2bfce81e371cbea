//! Text that somebody wrote who is not the user speaking to us now, and how far it can be trusted.
//!
//! It can be stored, compared, searched and shown. It reaches a model only through [`crate::prompt`], which puts a barrier
//! around it: so there is no `Display`, no `Deref` and no `AsRef<str>` here.

use serde::{Deserialize, Serialize};

/// Who wrote a text. Later is trusted less.
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
    /// What two texts together are: the lower of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }

    pub fn is_outside(self) -> bool {
        self == Self::Outside
    }
}

/// Text of the user's notes, or of somebody else.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Untrusted {
    origin: Origin,
    text: String,
}

impl Untrusted {
    pub fn new(origin: Origin, text: impl Into<String>) -> Self {
        Self { origin, text: text.into() }
    }

    /// From a note that is the user's own.
    pub fn note(text: impl Into<String>) -> Self {
        Self::new(Origin::Notes, text)
    }

    /// From anywhere else.
    pub fn outside(text: impl Into<String>) -> Self {
        Self::new(Origin::Outside, text)
    }

    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The text, for comparing, storing and showing. A test keeps this out of what speaks to models.
    pub fn look(&self) -> &str {
        &self.text
    }

    /// Its words as they are compared, which is no text that could be shown.
    pub fn terms(&self) -> wellread_text::Terms {
        wellread_text::Terms::of(&self.text)
    }

    /// In bytes.
    pub fn size(&self) -> usize {
        self.text.len()
    }

    /// The same, trusted no further than this.
    #[must_use]
    pub fn lowered(mut self, origin: Origin) -> Self {
        self.origin = self.origin.and(origin);
        self
    }

    /// Both texts, with something of our own between them. Nothing raises an origin.
    #[must_use]
    pub fn join(mut self, between: &str, other: &Self) -> Self {
        self.text.push_str(between);
        self.text.push_str(&other.text);
        self.origin = self.origin.and(other.origin);
        self
    }
}

/// Says who wrote it and how long it is, so that no log repeats it.
impl std::fmt::Debug for Untrusted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Untrusted({:?}, {} bytes)", self.origin, self.text.len())
    }
}
