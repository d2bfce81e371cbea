//! What the doctor says of the language model. Nothing leaves the machine for it unless that is asked for.

use std::time::Duration;

use wellread_core::Error;
use wellread_core::ports::{Message, Model as _, ModelFailure, ModelRequest, ToolChoice};

use super::DoctorCheck;
use crate::config::Config;
use crate::wiring::model;

/// For the one small question.
const PATIENCE: Duration = Duration::from_secs(60);

pub async fn check_model(config: &Config, offline: bool, ask: bool) -> DoctorCheck {
    let settings = config.model();
    let model = match model::try_open_model(config, offline) {
        Ok(model) => model,
        // To have none is no fault: notes are read, searched and edited without.
        Err(ModelFailure::NotSetUp { message, hint }) => {
            return DoctorCheck::good("model", format!("{message} ({hint})"));
        }
        Err(failure) => return failed_check(failure),
    };
    let identity = model.identity();
    let research =
        model::open_research_model(config, offline).map_or_else(String::new, |model| model.identity().name);
    let research =
        if research == identity.name { String::new() } else { format!(", {research} for research") };
    let key = if settings.api_key.is_empty() { "no key" } else { "a key" };
    let what = format!("{}{research} at {}, {key}", identity.name, settings.base_url);
    let tried = match (ask, identity.is_local) {
        (true, _) => model.ask(&test_question(), &|_| ()).await.map(|_| "it answers"),
        (false, true) => model.probe().await.map(|()| "it responds"),
        (false, false) => Ok("set up, not tested; `wellread doctor --try` tests it"),
    };
    match tried {
        Ok(found) => DoctorCheck::good("model", format!("{what}: {found}")),
        Err(failure) => failed_check(failure),
    }
}

fn failed_check(failure: ModelFailure) -> DoctorCheck {
    DoctorCheck::bad("model", &Error::from(failure), "check the settings of `model`")
}

fn test_question() -> ModelRequest {
    ModelRequest {
        system: String::new(),
        messages: vec![Message::User { text: "Say: ready".to_owned() }],
        tools: Vec::new(),
        choice: ToolChoice::Auto,
        shape: None,
        max_tokens: 16,
        temperature: None,
        limit: PATIENCE,
    }
}
