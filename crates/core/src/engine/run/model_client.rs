//! A model asked through a run, for structured replies.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use super::{ModelCallFailure, Run};
use crate::engine::llm::ModelClient;
use crate::ports::{Model, ModelFailure, ModelRequest, Reply};

/// A model asked through a run, for structured replies.
pub struct RunModelClient<'a> {
    /// The run that the calls are logged in.
    pub run: &'a Run,
    /// The model that is asked.
    pub model: &'a dyn Model,
    /// The last failure, other than an unsupported reply format.
    trouble: Mutex<Option<ModelCallFailure>>,
}

impl<'a> RunModelClient<'a> {
    /// Asks `model` through `run`.
    pub fn new(run: &'a Run, model: &'a dyn Model) -> Self {
        Self { run, model, trouble: Mutex::default() }
    }

    /// Takes the failure that the last request ended with, if any; the caller of `ask` sees only a placeholder.
    pub fn take_failure(&self) -> Option<ModelCallFailure> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl ModelClient for RunModelClient<'_> {
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>> {
        Box::pin(async move {
            let trouble = match self.run.ask_model(self.model, request, &|_| {}).await {
                Ok(reply) => return Ok(reply),
                // An unsupported reply format is tried again in a weaker mode.
                Err(ModelCallFailure::Model(failure @ ModelFailure::Unsupported { .. })) => {
                    return Err(failure);
                }
                Err(trouble) => trouble,
            };
            *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(trouble);
            Err(ModelFailure::Broken { message: "it was not asked".to_owned() })
        })
    }
}
