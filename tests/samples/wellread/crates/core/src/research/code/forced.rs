//! The end of an investigation whose steps are used up: the model answers now, from the evidence that it has seen.

use super::actions::FinalizeArgs;
use crate::Result;
use crate::agent::Conversation;
use crate::llm::structured;
use crate::ports::{Message, Model, ModelRequest, ToolChoice};
use crate::research::Research;
use crate::run::{ByRun, Run, Trouble};

const TOLD: &str = "Your steps are used up. Answer now from the evidence above: `answer`, each sentence with the id of the evidence \
                    that bears it, and `confidence`. Say what could not be found out.";

impl Research {
    /// The answer that the model gives where it can't look any further; nothing where it gives none.
    pub(super) async fn forced(
        &self,
        run: &Run,
        model: &dyn Model,
        so_far: &Conversation,
    ) -> Result<Option<FinalizeArgs>> {
        let mut messages = so_far.messages.clone();
        messages.push(Message::User { text: TOLD.to_owned() });
        let request = ModelRequest {
            system: so_far.system.clone(),
            messages,
            tools: Vec::new(),
            choice: ToolChoice::None,
            shape: None,
            max_tokens: self.settings.reply_tokens,
            temperature: Some(0),
            limit: self.settings.reply_time,
        };
        let ask = ByRun::new(run, model);
        match structured::<FinalizeArgs>(&ask, request, "finalize").await {
            Ok(said) => Ok(Some(said.value).filter(|said| !said.answer.trim().is_empty())),
            Err(_) => match ask.trouble() {
                Some(Trouble::Log(error)) => Err(error),
                _ => Ok(None),
            },
        }
    }
}
