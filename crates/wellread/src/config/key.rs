//! The settings that there are. Each is declared once, in the file of its section, by [`settings!`]: that makes a typed key for the
//! code that reads it, and a row in the list from which variables, checks, `config set` and `config show` are derived.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::LazyLock;

use wellread_core::{Error, Result};

use super::value::SettingShape;
use super::{
    chat, code, database, embedding, gate, mcp, model, okf, research, search, server, speech, telemetry,
    vault, web,
};

/// A setting of a kind. What is read under it has the kind's type.
#[derive(Debug)]
pub struct Key<K> {
    path: Cow<'static, str>,
    kind: PhantomData<K>,
}

impl<K> Key<K> {
    pub const fn new(path: &'static str) -> Self {
        Self { path: Cow::Borrowed(path), kind: PhantomData }
    }

    /// A key that is put together, for things of which there are many: it must be among [`all_settings`].
    pub fn from_path(path: String) -> Self {
        Self { path: Cow::Owned(path), kind: PhantomData }
    }

    /// Its name, as `config show` lists it.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// A setting's declaration.
#[derive(Debug, Clone)]
pub struct SettingKey {
    pub path: Cow<'static, str>,
    pub shape: SettingShape,
    /// Older names of its environment variable; the first that is set counts.
    pub also: &'static [&'static str],
    pub about: Cow<'static, str>,
}

/// Declares the settings of a section: `NAME: Kind(limit) = "path", "what it is", also "VARIABLE";`. The kind is one of
/// [`super::kinds`], and the name a [`Key`] of it.
macro_rules! settings {
    ($($name:ident: $kind:ident $(($limit:expr))? = $path:literal, $about:literal $(, also $also:literal)?;)*) => {
        $(pub(super) const $name: crate::config::key::Key<crate::config::kinds::$kind> =
            crate::config::key::Key::new($path);)*

        /// The declarations, in the order in which they are listed.
        pub(super) fn settings() -> Vec<crate::config::SettingKey> {
            vec![$(crate::config::SettingKey {
                path: $path.into(),
                shape: crate::config::SettingShape::$kind $(($limit))?,
                also: &[$($also)?],
                about: $about.into(),
            },)*]
        }
    };
}
pub(super) use settings;

/// The sections, in the order in which they are listed.
const SECTIONS: &[fn() -> Vec<SettingKey>] = &[
    vault::settings,
    database::settings,
    embedding::settings,
    chat::settings,
    server::settings,
    mcp::settings,
    model::settings,
    gate::settings,
    research::settings,
    okf::settings,
    code::settings,
    search::settings_with_engines,
    speech::settings,
    web::settings,
    telemetry::settings,
];

/// Every setting.
pub fn all_settings() -> &'static [SettingKey] {
    static ALL: LazyLock<Vec<SettingKey>> =
        LazyLock::new(|| SECTIONS.iter().flat_map(|section| section()).collect());
    &ALL
}

impl SettingKey {
    /// `vault.path` is `WELLREAD_VAULT_PATH`.
    pub fn variable_name(&self) -> String {
        format!("WELLREAD_{}", self.path.replace('.', "_").to_uppercase())
    }

    pub fn find(path: &str) -> Result<&'static Self> {
        all_settings().iter().find(|key| key.path == path).ok_or_else(|| {
            let error = Error::invalid(format!("there is no setting `{path}`"));
            match Self::nearest(path) {
                Some(near) => error.hint(format!("did you mean `{}`?", near.path)),
                None => error.hint("`wellread config show` lists all of them"),
            }
        })
    }

    /// What somebody may have meant: the setting of that section which is described by this very word, the sooner the better, or
    /// else one that is spelled much like it.
    fn nearest(path: &str) -> Option<&'static Self> {
        let described = path.rsplit_once('.').and_then(|(section, word)| {
            let of_section = all_settings()
                .iter()
                .filter(|key| key.path.rsplit_once('.').is_some_and(|(own, _)| own == section));
            let at =
                |key: &Self| key.about.split(|c: char| !c.is_alphanumeric()).position(|told| told == word);
            of_section.filter_map(|key| Some((at(key)?, key))).min_by_key(|(at, _)| *at).map(|(_, key)| key)
        });
        described.or_else(|| {
            let near = all_settings().iter().max_by_key(|key| similarity(&key.path, path));
            near.filter(|key| similarity(&key.path, path) > 700)
        })
    }
}

/// How much two names are alike, in thousandths.
pub(super) fn similarity(one: &str, other: &str) -> u32 {
    (strsim::jaro_winkler(one, other) * 1000.0) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Config, Flags};
    use super::*;

    #[test]
    fn an_unknown_setting_is_answered_by_what_was_meant() {
        for (path, hint) in [
            ("embedding.endpoint", "did you mean `embedding.base_url`?"),
            ("embedding.providr", "did you mean `embedding.provider`?"),
            ("zzz", "`wellread config show` lists all of them"),
        ] {
            assert_eq!(SettingKey::find(path).unwrap_err().hint_text(), Some(hint), "{path}");
        }
    }

    #[test]
    fn a_setting_stands_once_with_a_default_and_variables_of_its_own() {
        let config = Config::from_flags(&Flags::default()).unwrap();
        assert_eq!(config.entries().count(), all_settings().len());
        let (mut paths, mut variables) = (BTreeSet::new(), BTreeSet::new());
        for key in all_settings() {
            assert!(paths.insert(&key.path), "{}", key.path);
            for variable in key.also.iter().map(|name| (*name).to_owned()).chain([key.variable_name()]) {
                assert!(variables.insert(variable.clone()), "{variable}");
            }
            assert!(!key.about.is_empty() && !key.about.ends_with('.'), "{}", key.path);
        }
    }

    #[test]
    fn settings_are_listed_by_section() {
        let mut sections: Vec<&str> =
            all_settings().iter().map(|key| key.path.split('.').next().unwrap()).collect();
        sections.dedup();
        assert_eq!(sections.len(), sections.iter().collect::<BTreeSet<_>>().len(), "{sections:?}");
    }
}
