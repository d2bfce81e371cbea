//! The merged settings, each with where its value came from, what it may be, and whether the page may change it. Secrets are not
//! shown.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use wellread_core::Result;

use crate::config::{Config, LOG_LEVELS, Origin, SettingKey, SettingShape, SettingValue};

#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingsAnswer {
    /// The settings by name.
    pub settings: BTreeMap<&'static str, SettingEntry>,
    /// The path of the settings file, whether or not it exists; null if there is no home folder.
    #[schemars(with = "serde_json::Value")]
    pub file: Option<PathBuf>,
    /// Why the settings file could not be read now; left out if it could.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_problem: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingEntry {
    #[schemars(with = "serde_json::Value")]
    pub value: Value,
    /// `default`, a file, `$A_VARIABLE` or a flag.
    pub from: String,
    pub about: &'static str,
    pub shape: ShapeEntry,
    #[schemars(with = "serde_json::Value")]
    pub default: Value,
    /// Why a browser can't change it; left out if it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<&'static str>,
    /// What counts when the server starts again; left out where that is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextValue>,
}

/// What a setting's value may be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShapeEntry {
    /// `text`, `folder`, `list`, `choices`, `number`, `decimal`, `one_of`, `switch`, `schedule`, `secret`, `repos` or `commands`.
    pub kind: &'static str,
    /// The words to choose from, for `choices`, `one_of` and `switch`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<&'static str>,
    /// The largest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct NextValue {
    #[schemars(with = "serde_json::Value")]
    pub value: Value,
    /// `default`, a file, `$A_VARIABLE` or a flag.
    pub from: String,
}

impl ShapeEntry {
    fn new(shape: SettingShape) -> Self {
        let (kind, options, most): (_, &[&'static str], _) = match shape {
            SettingShape::Text => ("text", &[], None),
            SettingShape::Folder => ("folder", &[], None),
            SettingShape::Level => ("one_of", &LOG_LEVELS, None),
            SettingShape::List => ("list", &[], None),
            SettingShape::Choices(words) => ("choices", words, None),
            SettingShape::Number(most) => ("number", &[], Some(most)),
            SettingShape::Decimal => ("decimal", &[], None),
            SettingShape::OneOf(words) => ("one_of", words, None),
            SettingShape::Switch => ("switch", &["on", "off"], None),
            SettingShape::Schedule => ("schedule", &[], None),
            SettingShape::Secret => ("secret", &[], None),
            SettingShape::Repos => ("repos", &[], None),
            SettingShape::Vaults => ("vaults", &[], None),
            SettingShape::Commands => ("commands", &[], None),
        };
        Self { kind, options: options.to_vec(), most }
    }
}

/// The settings as they count.
pub fn list_settings(config: &Config) -> Result<SettingsAnswer> {
    let defaults = Config::defaults()?;
    let default = |key: &SettingKey| defaults.entry(key).map(|(value, _)| json!(value)).unwrap_or_default();
    let setting = |(key, value, origin): (&'static SettingKey, &SettingValue, &Origin)| {
        let entry = SettingEntry {
            value: json!(value),
            from: origin.to_string(),
            about: &key.about,
            shape: ShapeEntry::new(key.shape),
            default: default(key),
            locked: key.lock_reason(),
            next: None,
        };
        (&*key.path, entry)
    };
    let settings = config.entries().map(setting).collect();
    Ok(SettingsAnswer { settings, file: config.file.clone(), file_problem: None })
}

/// The settings of a server that runs, and what will be different when it starts again.
pub fn list_server_settings(running: &Config) -> Result<SettingsAnswer> {
    let mut answer = list_settings(running)?;
    if running.file.is_none() {
        return Ok(answer);
    }
    match running.reload() {
        Ok(now) => {
            for (key, value, origin) in now.entries() {
                let is_same = running.entry(key).is_some_and(|(known, _)| known == value);
                if let Some(entry) = answer.settings.get_mut(&*key.path).filter(|_| !is_same) {
                    entry.next = Some(NextValue { value: json!(value), from: origin.to_string() });
                }
            }
        }
        Err(error) => answer.file_problem = Some(error.message().to_owned()),
    }
    Ok(answer)
}
