//! The kinds of settings: as what each is read, and as what it is set. [`SettingShape`](super::SettingShape) has a variant of
//! the same name for each.

use wellread_core::agendas::jobs;

use super::SettingValue;
use super::code::LanguageCommands;
use super::repos::RepoSetting;
use super::secret::WrittenSecret;
use super::value::parse_decimal;
use super::vaults::VaultSetting;

/// What a setting's key is typed by.
pub trait SettingKind {
    /// What is read; its default stands for a setting that has no value.
    type Value<'a>: Default;
    /// What is set.
    type Stored;

    fn read(value: &SettingValue) -> Option<Self::Value<'_>>;
    fn store(stored: Self::Stored) -> SettingValue;
}

macro_rules! kinds {
    ($($(#[$about:meta])* $name:ident: $variant:ident($stored:ty), read as $value:ty, by $read:expr;)*) => {$(
        $(#[$about])*
        #[derive(Debug)]
        pub enum $name {}

        impl SettingKind for $name {
            type Value<'a> = $value;
            type Stored = $stored;

            fn read(value: &SettingValue) -> Option<Self::Value<'_>> {
                match value {
                    SettingValue::$variant(value) => Some($read(value)),
                    _ => None,
                }
            }

            fn store(stored: $stored) -> SettingValue {
                SettingValue::$variant(stored)
            }
        }
    )*};
}

kinds! {
    Text: Text(String), read as &'a str, by String::as_str;
    /// The path of a folder or a file.
    Folder: Text(String), read as &'a str, by String::as_str;
    /// One of the log's levels.
    Level: Text(String), read as &'a str, by String::as_str;
    /// One of some words.
    OneOf: Text(String), read as &'a str, by String::as_str;
    /// A decimal number; nothing where it is not known.
    Decimal: Text(String), read as Option<f64>, by |text: &String| parse_decimal(text);
    /// On or off.
    Switch: Text(String), read as bool, by |text: &String| text == "on";
    /// A weekday and an hour; nothing where it is off.
    Schedule: Text(String), read as Option<jobs::Schedule>, by |text: &String| jobs::Schedule::parse(text);
    List: List(Vec<String>), read as &'a [String], by Vec::as_slice;
    /// Some of a number of words, each once.
    Choices: List(Vec<String>), read as &'a [String], by Vec::as_slice;
    Number: Number(u64), read as u64, by u64::clone;
    /// A key, as it is written.
    Secret: Secret(WrittenSecret), read as WrittenSecret, by WrittenSecret::clone;
    /// The codebases beside the vault.
    Repos: Repos(Vec<RepoSetting>), read as &'a [RepoSetting], by Vec::as_slice;
    /// The named vaults.
    Vaults: Vaults(Vec<VaultSetting>), read as &'a [VaultSetting], by Vec::as_slice;
    /// A command for each of some languages.
    Commands: Commands(LanguageCommands), read as LanguageCommands, by LanguageCommands::clone;
}
