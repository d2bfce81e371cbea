//! What waits for the user is put to them by the editor: an edit after text from outside, or a decision about research.
//!
//! Only a plain yes is one. An editor that fails, goes away, or does not answer in time has refused.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use wellread_core::Result;
use wellread_core::domain::decision::{DecidedBy, UserDecision};
use wellread_core::faces::chat::{ChatEvent, PendingEditView};

use super::AcpAgent;
use super::sessions::SessionTurn;
use super::updates::TurnUpdates;

const BY_ANSWER: UserDecision = UserDecision::new(DecidedBy::Question);
const ALLOW: &str = "allow";
const REJECT: &str = "reject";
/// How often one edit is put to the user, if its note changes each time.
const MOST_QUESTIONS: usize = 3;

impl AcpAgent {
    /// Puts each pending edit to the user, and makes or drops it.
    pub(super) async fn settle_pending(
        &self,
        turn: &SessionTurn,
        updates: &TurnUpdates<'_>,
        pending: Vec<PendingEditView>,
    ) -> Result<()> {
        for edit in pending {
            self.settle_edit(turn, updates, edit).await?;
        }
        Ok(())
    }

    /// Puts an edit to the user until it is made or dropped as it was shown: it may change meanwhile, or be decided elsewhere.
    async fn settle_edit(
        &self,
        turn: &SessionTurn,
        updates: &TurnUpdates<'_>,
        mut shown: PendingEditView,
    ) -> Result<()> {
        for _ in 0..MOST_QUESTIONS {
            let agreed = self.ask_permission(turn, updates, &shown).await;
            let session = self.reload_conversation(&turn.conversation)?;
            let mut waiting = session.pending.iter().map(PendingEditView::from_edit);
            let Some(stored) = waiting.find(|waiting| waiting.id == shown.id) else {
                let text = format!("{} no longer waits: it was decided elsewhere.", shown.id);
                updates.settle_pending(&shown.id, false, &text);
                return Ok(());
            };
            // The answer was about something else.
            if stored != shown {
                updates.say(&format!("\n\n{} has changed since it was shown. Look at it again.", shown.id));
                shown = stored;
                continue;
            }
            let made = AtomicBool::new(false);
            let watch = |event: ChatEvent| {
                if let ChatEvent::ToolDone { failed, .. } = event {
                    made.store(!failed, Ordering::SeqCst);
                }
            };
            // What was agreed to is done, though the turn be cancelled now.
            let response = self.chat.decide(BY_ANSWER, session, &shown.id, agreed, &watch).await?;
            updates.settle_pending(&shown.id, made.into_inner(), &response.response);
            // Its note has changed: it would do something else than what was shown.
            match response.pending.into_iter().find(|pending| pending.id == shown.id) {
                Some(changed) => shown = changed,
                None => break,
            }
        }
        Ok(())
    }

    /// Whether the user agrees.
    async fn ask_permission(
        &self,
        turn: &SessionTurn,
        updates: &TurnUpdates<'_>,
        edit: &PendingEditView,
    ) -> bool {
        if turn.stop.is_requested() {
            return false;
        }
        let question = self.client.ask(
            "session/request_permission",
            json!({
                "sessionId": turn.conversation.id,
                "toolCall": updates.describe_pending(edit),
                "options": [
                    { "optionId": ALLOW, "name": "Allow", "kind": "allow_once" },
                    { "optionId": REJECT, "name": "Reject", "kind": "reject_once" },
                ],
            }),
        );
        // Who has cancelled does not agree any more, whatever they answer after that.
        tokio::select! {
            biased;
            () = turn.stop.wait() => false,
            answer = tokio::time::timeout(self.answer_limit, question) => {
                is_yes(answer.ok().flatten().as_ref()) && !turn.stop.is_requested()
            }
        }
    }
}

fn is_yes(answer: Option<&Value>) -> bool {
    let outcome = answer.and_then(|answer| answer.get("outcome"));
    let field = |name: &str| outcome.and_then(|outcome| outcome.get(name)).and_then(Value::as_str);
    field("outcome") == Some("selected") && field("optionId") == Some(ALLOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_is_one() {
        assert!(is_yes(Some(&json!({ "outcome": { "outcome": "selected", "optionId": ALLOW } }))));
        for no in [
            json!({ "outcome": { "outcome": "selected", "optionId": REJECT } }),
            json!({ "outcome": { "outcome": "selected" } }),
            json!({ "outcome": { "outcome": "cancelled", "optionId": ALLOW } }),
            json!({ "outcome": "selected", "optionId": ALLOW }),
            json!({ "optionId": ALLOW }),
            json!(true),
            Value::Null,
        ] {
            assert!(!is_yes(Some(&no)), "{no}");
        }
        assert!(!is_yes(None));
    }
}
