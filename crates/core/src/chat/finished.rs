//! What a model said, made fit to be shown.

use serde_json::Value;
use wellread_text::{Allowed, Resolution, inert};

use super::{Chat, Session};
use crate::Result;
use crate::run::Run;

impl Chat {
    /// The text as it may be shown, and what had to be taken out. Which notes exist is asked once: run again, the turn
    /// gives the same bytes whatever became of the vault.
    pub(super) fn finished(
        &self,
        run: &Run,
        session: &Session,
        text: String,
    ) -> Result<(String, Option<Value>)> {
        run.draw("shown", || self.inert(session, &text))
    }

    /// Addresses only those that the user gave or that were read, links only to notes that exist, and nothing that acts.
    pub(super) fn inert(&self, session: &Session, text: &str) -> (String, Option<Value>) {
        let names = self.hands.ctx().vault.links.names().ok();
        let notes = |target: &str| {
            names.as_ref().is_some_and(|names| matches!(names.resolve(target, ""), Resolution::Found(_)))
        };
        let urls = |url: &str| session.urls.contains(url);
        let made = inert(text, &Allowed { urls: &urls, notes: &notes });
        let removed =
            (made.removed != Default::default()).then(|| serde_json::to_value(&made.removed).ok()).flatten();
        (made.text, removed)
    }
}
