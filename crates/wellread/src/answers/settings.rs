//! The merged settings, each with where its value came from. Secrets are not shown.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::config::Config;

#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingsAnswer {
    /// The settings by name.
    pub settings: BTreeMap<&'static str, SettingEntry>,
    /// The path of the settings file, whether or not it exists; null if there is no home folder.
    #[schemars(with = "serde_json::Value")]
    pub file: Option<PathBuf>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingEntry {
    #[schemars(with = "serde_json::Value")]
    pub value: Value,
    /// `default`, a file, `$A_VARIABLE` or a flag.
    pub from: String,
    pub about: &'static str,
}

pub fn list_settings(config: &Config) -> SettingsAnswer {
    let setting = |(key, value, origin): (&'static crate::config::SettingKey, _, &crate::config::Origin)| {
        (&*key.path, SettingEntry { value: json!(value), from: origin.to_string(), about: &key.about })
    };
    SettingsAnswer { settings: config.entries().map(setting).collect(), file: config.file.clone() }
}
