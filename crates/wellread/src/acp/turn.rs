//! A prompt and its answer: a turn of the chat, or without a model an answer that is quoted from the notes.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::runtime::Handle;
use wellread_core::faces::chat::{Session, TurnEnd};
use wellread_core::faces::tools::{AskArgs, AskQuestion};
use wellread_core::research::{AskRecipe, Recipe as _};
use wellread_core::{Error, Result};

use super::AcpAgent;
use super::prompt::AcpPrompt;
use super::rpc::RpcError;
use super::sessions::SessionTurn;
use super::updates::TurnUpdates;
use crate::wiring;

const ENDED: &str = "end_turn";
const CANCELLED: &str = "cancelled";
const LIMIT_REACHED: &str = "max_turn_requests";

impl AcpAgent {
    /// Takes a turn on a thread of its own, and answers the request at its end.
    pub(super) fn start_turn(self: &Arc<Self>, id: Value, turn: SessionTurn, prompt: AcpPrompt) {
        let agent = self.clone();
        tokio::spawn(async move {
            let seat = tokio::select! {
                seat = agent.turns.acquire_seat() => seat.ok(),
                () = turn.stop.wait() => None,
            };
            let Some(seat) = seat else {
                drop(turn);
                return agent.client.answer(&id, Ok(stopped(CANCELLED)));
            };
            let (runtime, worker) = (Handle::current(), agent.clone());
            let taken = tokio::task::spawn_blocking(move || {
                let done = runtime.block_on(worker.take_turn(&turn, prompt));
                // Whoever was cancelled hears nothing of trouble; and the session is free before its answer is heard.
                if turn.stop.is_requested() { Ok(CANCELLED) } else { done }
            });
            let taken = taken
                .await
                .unwrap_or_else(|_| Err(Error::failed("internal error: this is a bug in Wellread")));
            agent.client.answer(&id, taken.map(stopped).map_err(RpcError::from));
            drop(seat);
        });
    }

    async fn take_turn(&self, turn: &SessionTurn, prompt: AcpPrompt) -> Result<&'static str> {
        let tools = &self.app.tools;
        let updates = TurnUpdates::new(&self.client, &turn.conversation.id, &self.files, tools);
        if let Some(notice) = &turn.notice {
            updates.say(&format!("note: {notice}\n\n"));
        }
        match &self.no_model {
            Some(why) => self.answer_without_model(turn, &prompt, why, &updates).await,
            None => self.converse(turn, prompt, &updates).await,
        }
    }

    async fn converse(
        &self,
        turn: &SessionTurn,
        prompt: AcpPrompt,
        updates: &TurnUpdates<'_>,
    ) -> Result<&'static str> {
        let session = self.reload_conversation(&turn.conversation)?;
        let chat = wiring::cancellable_chat(&self.chat, &self.app, self.tool_limit, turn.stop.clone());
        let watch = |event| updates.show_event(event);
        let response = chat.say_with(session, &prompt.message, prompt.attached, &watch).await?;
        updates.finish(&response);
        self.settle_pending(turn, updates, response.pending).await?;
        Ok(match response.end {
            TurnEnd::Said => ENDED,
            TurnEnd::Rounds | TurnEnd::Budget(_) => LIMIT_REACHED,
        })
    }

    /// Answers by quotations, as `wellread ask` does, and says why no model does.
    async fn answer_without_model(
        &self,
        turn: &SessionTurn,
        prompt: &AcpPrompt,
        why: &Error,
        updates: &TurnUpdates<'_>,
    ) -> Result<&'static str> {
        let hint = why.hint_text().map(|hint| format!(" ({hint})")).unwrap_or_default();
        updates.say(&format!("note: {why}{hint}. Without one, answers are quoted from what was found.\n\n"));
        if !prompt.attached.is_empty() {
            updates.say("note: attached files are not read without a model.\n\n");
        }
        let ctx = self.app.ctx.with_progress(Arc::new(|_| {}), turn.stop.clone());
        let query = prompt.message.clone();
        let answer = self.app.clone().call_in(ctx, AskQuestion, AskArgs { query }).await?;
        let shown = AskRecipe.render(&answer)?;
        updates.say(shown.text.trim_end());
        for notice in &shown.notices {
            updates.say(&format!("\n\n{notice}"));
        }
        Ok(ENDED)
    }

    /// The conversation as it is by now: another program may have gone on with it.
    pub(super) fn reload_conversation(&self, opened: &Session) -> Result<Session> {
        let stored = self.chat.sessions.session(&opened.id)?;
        stored.map_or_else(|| Ok(opened.clone()), Session::from_stored)
    }
}

fn stopped(reason: &str) -> Value {
    json!({ "stopReason": reason })
}
