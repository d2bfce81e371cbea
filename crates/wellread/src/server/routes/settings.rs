//! What is set, and what works. One setting at a time can be changed in the settings file, unless a browser may not
//! (`config::page_access`); it counts when the server starts again.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::Result;
use wellread_core::domain::rights::Right;

use crate::answers::{self, DoctorReport, SettingsAnswer};
use crate::config::{self, SettingChange, SettingKey, WrittenValue};
use crate::server::ServerContext;
use crate::server::body::{Json, PathParam};
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/api/settings",
            "The effective settings and where each was set, with secrets hidden",
            settings,
        )
        .needs(&[Right::Admin])
        .answers::<SettingsAnswer>(),
        Route::post(
            "/api/settings/{key}",
            "Writes a setting to the settings file; it counts when the server starts again",
            set,
        )
        .with_body::<SetRequest>()
        .answers::<ChangedSetting>(),
        Route::delete(
            "/api/settings/{key}",
            "Removes a setting from the settings file, so that its default counts when the server starts again",
            unset,
        )
        .answers::<ChangedSetting>()
        .fails(&[400]),
        Route::get("/api/doctor", "What is configured, reachable or missing, and how to fix it", doctor)
            .needs(&[Right::Admin])
            .answers::<DoctorReport>(),
    ]
}

/// The new value.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetRequest {
    /// As `wellread config set` takes it; a list may have its items one by one.
    value: RequestedValue,
}

/// As it is sent. It may be a key, so it can't be shown.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum RequestedValue {
    Switch(bool),
    Number(serde_json::Number),
    Text(String),
    Items(Vec<String>),
}

/// The settings after a change.
#[derive(Debug, Serialize, JsonSchema)]
struct ChangedSetting {
    #[serde(flatten)]
    settings: SettingsAnswer,
    /// What to know about the value that was written.
    notes: Vec<String>,
}

impl RequestedValue {
    fn into_written(self) -> WrittenValue {
        match self {
            Self::Switch(on) => WrittenValue::Text(if on { "on" } else { "off" }.to_owned()),
            Self::Number(number) => WrittenValue::Text(number.to_string()),
            Self::Text(text) => WrittenValue::Text(text),
            Self::Items(items) => WrittenValue::Items(items),
        }
    }
}

impl ChangedSetting {
    fn new(site: &ServerContext, change: SettingChange) -> Result<Self> {
        let mut notes = change.notes;
        if change.value.is_none() && !change.was_set {
            notes.push("nothing was removed: the settings file does not set it here".to_owned());
        }
        if let Some((value, origin)) = change.hidden_by {
            notes.push(format!("{value} from {origin} still takes precedence"));
        }
        Ok(Self { settings: answers::list_server_settings(&site.config)?, notes })
    }
}

async fn settings(State(site): State<Arc<ServerContext>>) -> ApiResult<SettingsAnswer> {
    Ok(ApiAnswer(site.run_blocking(|site| answers::list_server_settings(&site.config)).await?))
}

async fn set(
    State(site): State<Arc<ServerContext>>,
    PathParam(name): PathParam,
    Json(request): Json<SetRequest>,
) -> ApiResult<ChangedSetting> {
    let written = request.value.into_written();
    let changed = site.run_blocking(move |site| {
        let key = SettingKey::find(&name)?;
        key.require_page_access()?;
        key.check_page_value(&key.parse_written(&written)?)?;
        key.check_keys_stay(&site.config.reload()?)?;
        ChangedSetting::new(site, config::set_setting(&site.config.flags_for_change()?, key, &written)?)
    });
    Ok(ApiAnswer(changed.await?))
}

async fn unset(
    State(site): State<Arc<ServerContext>>,
    PathParam(name): PathParam,
) -> ApiResult<ChangedSetting> {
    let changed = site.run_blocking(move |site| {
        let key = SettingKey::find(&name)?;
        key.require_page_access()?;
        key.check_keys_stay(&site.config.reload()?)?;
        ChangedSetting::new(site, config::unset_setting(&site.config.flags_for_change()?, key)?)
    });
    Ok(ApiAnswer(changed.await?))
}

async fn doctor(State(site): State<Arc<ServerContext>>) -> ApiResult<DoctorReport> {
    let offline = site.app.ctx.reach.offline;
    let examined = site
        .run_blocking(move |site| Ok(DoctorReport::examine(&site.config, offline, || Some(site.app.clone()))))
        .await?;
    Ok(ApiAnswer(examined.with_services(&site.config, offline, false).await))
}
