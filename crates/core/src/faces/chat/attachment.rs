//! Texts that a client attaches to the user's message: what is open in an editor, or what the user picked there.
//!
//! The user chose them, and somebody else may have written them: a model sees them behind the barrier, and from then on the
//! conversation contains text from outside.

use serde::{Deserialize, Serialize};

use super::Session;
use crate::domain::id;
use crate::domain::untrusted::{Origin, Untrusted};
use crate::engine::run::Run;
use crate::trust::prompt::{PromptDocument, fence_document};
use crate::{Error, Result};

/// The longest texts that come with one message, all together, in bytes.
const LONGEST_ATTACHED: usize = 200_000;
/// The most texts that come with one message.
const MOST_ATTACHED: usize = 50;

/// A text that a client attached to the user's message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its path or address, as the client names it.
    pub name: String,
    /// The text, from outside whoever wrote it.
    text: Untrusted,
    /// Whether it is from a private note: then it never leaves this machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

impl Attachment {
    /// A text that is attached under this name.
    pub fn new(name: impl Into<String>, text: impl Into<String>, private: bool) -> Self {
        Self { name: name.into(), text: Untrusted::from_outside(text), private }
    }

    /// The length of name and text in bytes.
    pub(super) fn size(&self) -> usize {
        self.name.len() + self.text.size()
    }

    /// `Err` if this is more than a message can have with it.
    pub(super) fn check_size(attached: &[Self]) -> Result<()> {
        Self::check_total(attached.len(), attached.iter().map(Self::size).sum())
    }

    /// `Err` if a message can't have so many texts with it, or texts of so many bytes in all.
    pub fn check_total(texts: usize, bytes: usize) -> Result<()> {
        if texts > MOST_ATTACHED || bytes > LONGEST_ATTACHED {
            return Err(Error::invalid(format!(
                "a message can have {MOST_ATTACHED} attached texts of {LONGEST_ATTACHED} bytes in all"
            ))
            .hint("attach less, or name the notes: the model can read them"));
        }
        Ok(())
    }
}

/// Lowers what a conversation is trusted with to what is attached to a message of it.
pub(super) fn take_in(session: &mut Session, attached: &[Attachment]) {
    for attachment in attached {
        session.origin = session.origin.combine(Origin::Outside);
        session.private |= attachment.private;
        // Their words are not for a search service, as those of notes are not.
        session.notes = true;
    }
}

/// A message with what is attached to it, each text behind its barrier.
pub(super) fn attach_to_message(run: &Run, message: String, attached: &[Attachment]) -> Result<String> {
    attached.iter().try_fold(message, |message, Attachment { name, text, .. }| {
        let who = "a file that the user's editor attached";
        let document = PromptDocument { who, name, text, cap: usize::MAX, id: None };
        let mut nonce = || run.draw("nonce", id::nonce).unwrap_or_default();
        let fenced = fence_document(document, "answer the user's message above", &mut nonce)?.text;
        Ok(format!("{message}\n\n{fenced}"))
    })
}
