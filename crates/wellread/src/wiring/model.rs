//! The language model that the settings ask for. Where there is none, it answers with what to do about that.

use std::sync::Arc;

pub use wellread_adapters::llm::list_local_models;
use wellread_adapters::llm::{ModelService, ModelWireFormat, NoModel, RemoteModel};
use wellread_core::Error;
use wellread_core::ports::{Model, ModelFailure};

use crate::config::{Config, ModelProvider, ModelSettings, Secret};

/// The model for everything but research.
pub fn open_model(config: &Config, offline: bool) -> Arc<dyn Model> {
    into_shared(try_open_model(config, offline))
}

/// The model for research: the same, or another of the same endpoint. None where none is wanted, or none may be asked: then
/// research works without. One that is set up and lacks something is an error when it is asked.
pub fn open_research_model(config: &Config, offline: bool) -> Option<Arc<dyn Model>> {
    let settings = config.model();
    if settings.provider == ModelProvider::None && settings.api_key.is_empty() {
        return None;
    }
    let name = settings.research.clone().unwrap_or_else(|| settings.name.clone());
    let settings = ModelSettings { name, ..settings };
    // What --offline keeps from being asked could be asked otherwise.
    if offline
        && open_remote(config, &settings, true).is_err()
        && open_remote(config, &settings, false).is_ok()
    {
        return None;
    }
    Some(into_shared(open_remote(config, &settings, offline)))
}

/// Opens the model like [`open_model`], but returns an error instead of a model that always fails.
pub fn try_open_model(config: &Config, offline: bool) -> Result<RemoteModel, ModelFailure> {
    open_remote(config, &config.model(), offline)
}

fn into_shared(opened: Result<RemoteModel, ModelFailure>) -> Arc<dyn Model> {
    match opened {
        Ok(model) => Arc::new(model),
        Err(failure) => Arc::new(NoModel::from_failure(failure)),
    }
}

fn open_remote(
    config: &Config,
    settings: &ModelSettings,
    offline: bool,
) -> Result<RemoteModel, ModelFailure> {
    let base = &settings.base_url;
    let wire = match settings.provider {
        ModelProvider::OpenAi => ModelWireFormat::OpenAi,
        ModelProvider::Anthropic => ModelWireFormat::Anthropic,
        ModelProvider::None if config.is_model_switched_off() => {
            return Err(NoModel::switched_off().failure);
        }
        ModelProvider::None if !settings.api_key.is_empty() => {
            return Err(not_set_up(
                "a key for a model is set, but no endpoint",
                "set `model.base_url`, or `model.provider` to the service that the key is for",
            ));
        }
        ModelProvider::None => return Err(NoModel::not_set_up().failure),
    };
    let wrong = |error: &Error| not_set_up(error.message(), error.hint_text().unwrap_or(&settings.key_hint));
    let key = settings.key().map_err(|error| wrong(&error))?;
    if settings.needs_key && key.is_none() {
        return Err(ModelFailure::Key {
            message: format!("{base} needs a key, and none is set"),
            hint: settings.key_hint.clone(),
        });
    }
    if settings.name.is_empty() {
        let message = format!("no model is set for {base}");
        return Err(not_set_up(&message, "`wellread config set model.name NAME` sets one"));
    }
    let service = ModelService {
        wire,
        base_url: base.clone(),
        model: settings.name.clone(),
        key: key.as_ref().map(Secret::expose_secret).map(str::to_owned),
        key_hint: settings.key_hint.clone(),
        identity: config.identity().map_err(|error| wrong(&error))?,
        price: settings.price,
    };
    let model = RemoteModel::new(service).map_err(|error| wrong(&error))?;
    let identity = model.identity();
    if offline && !identity.is_local {
        let message = format!("the model at {} is not used: --offline", identity.endpoint);
        return Err(not_set_up(&message, "a model on this machine can be used: set `model.base_url` to it"));
    }
    Ok(model)
}

fn not_set_up(message: &str, hint: &str) -> ModelFailure {
    ModelFailure::NotSetUp { message: message.to_owned(), hint: hint.to_owned() }
}
