//! Where the records are kept, as the settings say it: in a file of the data folder, until a database is named.

use std::path::PathBuf;

use wellread_core::{Error, ErrorKind, Result};

use super::key::settings;
use super::secret::WrittenSecret;
use super::{Config, Secret, non_empty};
use crate::platform;

settings! {
    URL: Text = "database.url",
        "the PostgreSQL database of the records, as postgres://USER@HOST/NAME without a password; empty keeps them in the data folder";
    PASSWORD: Secret = "database.password", "its password, or env:NAME or file:PATH";
    PASSWORD_FILE: Folder = "database.password_file", "a file with its password";
    SPACE: Text = "database.space",
        "which records of the database are used, others are never seen; empty means the vault's name, which is added if there are several";
    INDEX: Switch = "database.index",
        "whether the index is in the database, too, for all machines that share it; needs pgvector there";
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseSettings {
    pub url: String,
    /// Which records of the database are used.
    pub space: String,
    pub ca_file: Option<PathBuf>,
    /// Whether the index is in the database, too.
    pub has_index: bool,
    password: WrittenSecret,
}

impl DatabaseSettings {
    /// The password, looked up where the settings say that it is.
    pub fn password(&self) -> Result<Option<Secret>> {
        self.password.reveal(PASSWORD.path())
    }
}

impl Config {
    /// The database of the records; `None` if they are in the data folder. A password of the settings file goes to no
    /// address that only the environment names.
    pub fn database(&self) -> Result<Option<DatabaseSettings>> {
        let Some(url) = non_empty(self.get(&URL).trim()) else {
            return match self.get(&INDEX) {
                true => Err(Error::invalid("`database.index` is on, but `database.url` names no database")
                    .hint("set `database.url`, or `wellread config set database.index off`")),
                false => Ok(None),
            };
        };
        let (own, file) = (self.get(&PASSWORD), self.get(&PASSWORD_FILE).trim().to_owned());
        if !own.is_empty() && !file.is_empty() {
            return Err(Error::invalid("both `database.password` and `database.password_file` are set")
                .hint("leave one of them out"));
        }
        let is_foreign = matches!(self.origin(&URL), super::Origin::Environment(_));
        let password = match non_empty(&file) {
            Some(_) if is_foreign && matches!(self.origin(&PASSWORD_FILE), super::Origin::File(_)) => {
                WrittenSecret::new("")
            }
            Some(file) => WrittenSecret::new(&format!("file:{file}")),
            None if self.is_withheld(&URL, &PASSWORD) => WrittenSecret::new(""),
            None => own,
        };
        Ok(Some(DatabaseSettings {
            url: url.to_owned(),
            space: self.space(),
            ca_file: non_empty(self.get(&super::web::CA_FILE).trim())
                .map(platform::expand_home)
                .transpose()?,
            has_index: self.get(&INDEX),
            password,
        }))
    }

    /// The database of the accounts, which all vaults share; `None` if they are in the data folder. An error of kind `NotSetUp` if
    /// nothing says which of a database's accounts are meant.
    pub fn accounts_database(&self) -> Result<Option<DatabaseSettings>> {
        let Some(settings) = self.database()? else { return Ok(None) };
        let space = match (non_empty(self.get(&SPACE).trim()), self.vaults().is_empty()) {
            (Some(space), _) => space.to_owned(),
            (None, true) => settings.space.clone(),
            (None, false) => {
                let error =
                    Error::new(ErrorKind::NotSetUp, "accounts of several vaults need a `database.space`");
                return Err(error.hint("name the team: `wellread config set database.space team`"));
            }
        };
        Ok(Some(DatabaseSettings { space, ..settings }))
    }

    /// Of several vaults, each has its own.
    fn space(&self) -> String {
        match (non_empty(self.get(&SPACE).trim()), self.vaults().is_empty()) {
            (None, _) => self.vault_name().to_owned(),
            (Some(space), true) => space.to_owned(),
            (Some(space), false) => format!("{space}/{}", self.vault_name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Flags, Origin};
    use super::*;

    fn config(url: Origin) -> Config {
        let mut config = Config::from_flags(&Flags::default()).unwrap();
        assert_eq!(config.database().unwrap(), None, "SQLite without a step more");
        config.set(&URL, " postgres://me@db.example.org/n ".to_owned(), url);
        config
    }

    fn file() -> Origin {
        Origin::File("config.toml".into())
    }

    fn environment() -> Origin {
        Origin::Environment("WELLREAD_DATABASE_URL".to_owned())
    }

    #[test]
    fn a_password_of_the_file_goes_to_no_address_of_the_environment() {
        for (url, password, sent) in [
            (file(), file(), true),
            (file(), environment(), true),
            (environment(), environment(), true),
            (environment(), file(), false),
        ] {
            let mut config = config(url);
            config.set(&PASSWORD, WrittenSecret::new("s3cret"), password);
            let settings = config.database().unwrap().unwrap();
            assert_eq!(settings.url, "postgres://me@db.example.org/n");
            assert_eq!(settings.password().unwrap().is_some(), sent);
            assert!(!format!("{settings:?}").contains("s3cret"));
        }
    }

    #[test]
    fn a_password_is_read_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("password");
        std::fs::write(&path, "s3cret\n").unwrap();
        let mut config = config(file());
        config.set(&PASSWORD_FILE, path.display().to_string(), file());
        let settings = config.database().unwrap().unwrap();
        assert_eq!(settings.password().unwrap().unwrap().expose_secret(), "s3cret");
        config.set(&PASSWORD, WrittenSecret::new("other"), file());
        assert!(config.database().unwrap_err().message().contains("both"));
        std::fs::remove_file(&path).unwrap();
        config.set(&PASSWORD, WrittenSecret::new(""), file());
        let error = config.database().unwrap().unwrap().password().unwrap_err();
        assert!(error.message().contains("database.password"), "{error}");
    }

    #[test]
    fn an_index_in_a_database_needs_one() {
        let mut config = config(file());
        assert!(!config.database().unwrap().unwrap().has_index);
        config.set(&INDEX, "on".to_owned(), file());
        assert!(config.database().unwrap().unwrap().has_index);
        config.set(&URL, String::new(), file());
        let error = config.database().unwrap_err();
        assert!(error.message().contains("database.index"), "{error}");
    }

    #[test]
    fn a_space_is_the_vaults_name_unless_it_is_set() {
        let mut config = config(file());
        let space = |config: &Config| config.database().unwrap().unwrap().space;
        assert_eq!(space(&config), config.vault_name());
        config.set(&SPACE, " team ".to_owned(), file());
        assert_eq!(space(&config), "team");
        assert_eq!(config.accounts_database().unwrap().unwrap().space, "team");
    }
}
