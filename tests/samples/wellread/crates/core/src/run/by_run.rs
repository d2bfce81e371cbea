//! A model that is asked by way of a run, for answers that have a shape.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use super::{Run, Trouble};
use crate::llm::Ask;
use crate::ports::{Model, ModelFailure, ModelRequest, Reply};

/// A model asked by way of a run, for answers that have a shape.
pub struct ByRun<'a> {
    pub run: &'a Run,
    pub model: &'a dyn Model,
    /// What went wrong that is no failure of the model's.
    trouble: Mutex<Option<Trouble>>,
}

impl<'a> ByRun<'a> {
    pub fn new(run: &'a Run, model: &'a dyn Model) -> Self {
        Self { run, model, trouble: Mutex::default() }
    }

    /// What kept it from asking, where something did.
    pub fn trouble(&self) -> Option<Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Ask for ByRun<'_> {
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>> {
        Box::pin(async move {
            let trouble = match self.run.ask(self.model, request, &|_| {}).await {
                Ok(reply) => return Ok(reply),
                // One that can't be held to a shape is asked in another way.
                Err(Trouble::Model(failure @ ModelFailure::Unsupported { .. })) => return Err(failure),
                Err(trouble) => trouble,
            };
            *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(trouble);
            Err(ModelFailure::Broken { message: "it was not asked".to_owned() })
        })
    }
}
