//! An account as stored, with a checksum, and an entry of the log of decisions, sealed by a hash over all before it.

use wellread_core::domain::corpus::Hash;
use wellread_core::domain::rights::UserName;
use wellread_core::ports::{Account, AuditEntry};
use wellread_core::{Error, Result};

use super::checksum::Checksum;
use super::{chain, damaged_error, nanoseconds, to_checked_json};

/// An account as stored.
#[derive(Debug)]
pub struct AccountRow {
    pub name: String,
    pub state: String,
    pub sum: Hash,
}

impl AccountRow {
    /// The row of an account that goes by this name; one of another name would be a mistake of whoever changed it.
    pub fn new(name: &UserName, account: &Account) -> Result<Self> {
        if account.name != *name {
            return Err(Error::failed("internal error: an account can't change its name"));
        }
        let (name, state) = (name.as_str().to_owned(), to_checked_json("an account", account)?);
        let sum = checksum(&name, &state);
        Ok(Self { name, state, sum })
    }

    pub fn into_account(self) -> Result<Account> {
        let account: Option<Account> = serde_json::from_str(&self.state).ok();
        account
            .filter(|account| {
                self.sum == checksum(&self.name, &self.state) && account.name.as_str() == self.name
            })
            .ok_or_else(|| damaged_error(&format!("the account `{}`", self.name)))
    }
}

fn checksum(name: &str, state: &str) -> Hash {
    Checksum::default().text(name).text(state).finish()
}

/// An entry of the log as stored.
#[derive(Debug)]
pub struct AuditRow {
    pub number: u64,
    /// In nanoseconds.
    pub at: i64,
    pub entry: String,
    pub hash: Hash,
}

impl AuditRow {
    /// The row that follows the last one, if there is one.
    pub fn new(last: Option<(u64, Hash)>, entry: &AuditEntry) -> Result<Self> {
        let (number, before) = last.map_or((0, start()), |(number, hash)| (number + 1, hash));
        let (at, entry) = (nanoseconds(entry.at)?, to_checked_json("an entry of the log", entry)?);
        let hash = chain::link_hash(before, number, at, entry.as_bytes());
        Ok(Self { number, at, entry, hash })
    }
}

fn start() -> Hash {
    Hash::compute(b"wellread audit")
}

/// Reads the log one entry after the other, and verifies that each continues the chain.
#[derive(Debug)]
pub struct AuditReader {
    next: u64,
    before: Hash,
}

impl Default for AuditReader {
    fn default() -> Self {
        Self { next: 0, before: start() }
    }
}

impl AuditReader {
    /// The entry of the next row.
    pub fn read(&mut self, row: &AuditRow) -> Result<AuditEntry> {
        let hash = chain::link_hash(self.before, row.number, row.at, row.entry.as_bytes());
        let entry = serde_json::from_str(&row.entry).ok();
        let entry = entry.filter(|_| row.number == self.next && hash == row.hash);
        (self.next, self.before) = (self.next + 1, row.hash);
        entry.ok_or_else(|| damaged_error(&format!("entry {} of the log of decisions", self.next - 1)))
    }
}
