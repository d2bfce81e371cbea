//! No model: an answer that says what to do about it, so that nobody has to ask first whether there is one.

use std::future::Future;
use std::pin::Pin;

use wellread_core::ports::{DeltaHandler, Model, ModelFailure, ModelIdentity, ModelRequest, Reply};

/// Answers every request with the same failure.
#[derive(Debug, Clone)]
pub struct NoModel {
    pub failure: ModelFailure,
    pub identity: ModelIdentity,
}

impl NoModel {
    /// Where nothing was set up.
    pub fn not_set_up() -> Self {
        Self::from_failure(ModelFailure::NotSetUp {
            message: "no model is set up".to_owned(),
            hint: "set FIREWORKS_API_KEY, OPENAI_API_KEY or ANTHROPIC_API_KEY, or name an endpoint with `wellread config \
                   set model.base_url URL`"
                .to_owned(),
        })
    }

    /// Where the user said that no model is wanted.
    pub fn switched_off() -> Self {
        Self::from_failure(ModelFailure::NotSetUp {
            message: "the model is switched off: `model.provider` is `none`".to_owned(),
            hint: "`wellread config unset model.provider` switches it on again, or unset WELLREAD_MODEL_PROVIDER where that \
                   is set"
                .to_owned(),
        })
    }

    pub fn from_failure(failure: ModelFailure) -> Self {
        let identity =
            ModelIdentity { name: String::new(), endpoint: String::new(), is_local: true, price: None };
        Self { failure, identity }
    }
}

impl Model for NoModel {
    fn identity(&self) -> ModelIdentity {
        self.identity.clone()
    }

    fn ask<'a>(
        &'a self,
        _: &'a ModelRequest,
        _: DeltaHandler<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>> {
        Box::pin(async { Err(self.failure.clone()) })
    }
}
