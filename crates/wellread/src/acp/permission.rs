//! What waits for the user is put to them by the editor: an edit after text from outside, or a decision about research.
//!
//! Only a plain yes is one. An editor that fails, goes away, or does not answer in time has refused.

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
        for mut edit in pending {
            for _ in 0..MOST_QUESTIONS {
                let agreed = self.ask_permission(turn, updates, &edit).await;
                let session = self.reload_conversation(&turn.conversation)?;
                let made = std::sync::atomic::AtomicBool::new(false);
                let watch = |event: ChatEvent| {
                    if let ChatEvent::ToolDone { failed, .. } = event {
                        made.store(!failed, std::sync::atomic::Ordering::SeqCst);
                    }
                };
                // What was agreed to is done, though the turn be cancelled now.
                let response = self.chat.decide(BY_ANSWER, session, &edit.id, agreed, &watch).await?;
                updates.settle_pending(&edit.id, made.into_inner(), &response.response);
                // Its note has changed: it would do something else than what was shown.
                match response.pending.into_iter().find(|pending| pending.id == edit.id) {
                    Some(changed) => edit = changed,
                    None => break,
                }
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
        tokio::select! {
            answer = tokio::time::timeout(self.answer_limit, question) => {
                is_yes(answer.ok().flatten().as_ref())
            }
            () = turn.stop.wait() => false,
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
