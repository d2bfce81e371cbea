//! The records of a vault together with the accounts of all vaults, which are in another store.

use std::sync::Arc;

use wellread_core::{Error, ErrorKind, Result};

use super::RecordRows;
use crate::record_format::tables::{TableGroup, read_row};

/// The records of a vault and the accounts, as one store whose rows can be copied.
pub struct RecordsWithAccounts {
    /// The records of the vault.
    pub vault: Arc<dyn RecordRows>,
    /// Where the accounts are; `None` if the settings leave open which are meant.
    pub accounts: Option<Arc<dyn RecordRows>>,
}

impl RecordRows for RecordsWithAccounts {
    fn place(&self) -> String {
        self.vault.place()
    }

    fn for_each_row(&self, group: TableGroup, see: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        match (group, &self.accounts) {
            (TableGroup::Vault, _) => self.vault.for_each_row(group, see),
            (TableGroup::Accounts, Some(accounts)) => accounts.for_each_row(group, see),
            (TableGroup::Accounts, None) => Ok(()),
        }
    }

    fn insert_rows(&self, lines: &[String]) -> Result<u64> {
        let (mut of_vault, mut of_accounts) = (Vec::new(), Vec::new());
        for line in lines {
            match TableGroup::from_table(read_row(line)?.0) {
                TableGroup::Vault => of_vault.push(line.clone()),
                TableGroup::Accounts => of_accounts.push(line.clone()),
            }
        }
        let inserted = self.vault.insert_rows(&of_vault)?;
        match &self.accounts {
            _ if of_accounts.is_empty() => Ok(inserted),
            Some(accounts) => Ok(inserted + accounts.insert_rows(&of_accounts)?),
            None => Err(no_place_error()),
        }
    }

    fn check_place_for(&self, group: TableGroup) -> Result<()> {
        match group {
            TableGroup::Accounts if self.accounts.is_none() => Err(no_place_error()),
            _ => Ok(()),
        }
    }
}

fn no_place_error() -> Error {
    Error::new(
        ErrorKind::NotSetUp,
        "the file has accounts, and accounts of several vaults need a `database.space`",
    )
    .hint("nothing was changed; name the team, `wellread config set database.space team`, and import again")
}
