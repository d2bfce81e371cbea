//! Ends an investigation whose steps are used up: the model has to answer from the evidence it has seen.

use super::CodeJob;
use super::actions::FinalizeArgs;
use crate::Result;
use crate::engine::agent::Conversation;
use crate::engine::llm::ask_structured;
use crate::engine::run::{ModelCallFailure, RunModelClient};
use crate::ports::{Message, Model, ModelRequest, ToolChoice};
use crate::research::Work;

const INSTRUCTION: &str = "Your steps are used up. Answer now from the evidence above: `answer`, each sentence with the id of the evidence \
                    that bears it, and `confidence`. Say what could not be found out.";

impl Work<'_, CodeJob> {
    /// Asks for the answer without further actions; `None` if the model gives none.
    pub(super) async fn force_answer(
        &self,
        model: &dyn Model,
        so_far: &Conversation,
    ) -> Result<Option<FinalizeArgs>> {
        let mut messages = so_far.messages.clone();
        messages.push(Message::User { text: INSTRUCTION.to_owned() });
        let request = ModelRequest {
            system: so_far.system.clone(),
            messages,
            tools: Vec::new(),
            choice: ToolChoice::None,
            shape: None,
            max_tokens: self.research.settings.reply_tokens,
            temperature: Some(0),
            limit: self.research.settings.reply_time,
        };
        let client = RunModelClient::new(self.run, model);
        match ask_structured::<FinalizeArgs>(&client, request, "finalize").await {
            Ok(said) => Ok(Some(said.value).filter(|said| !said.answer.trim().is_empty())),
            Err(_) => match client.take_failure() {
                Some(ModelCallFailure::Log(error)) => Err(error),
                _ => Ok(None),
            },
        }
    }
}
