//! The accounts of the users who share a server, and the log of what they decided and changed.
//!
//! The rules are here, as pure functions: who may be invited, what an invitation and a token are worth, and what ends with an
//! account. A store loads an account, calls these functions, and writes the result together with an entry of the log.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::RecordViewer;
use crate::domain::corpus::Hash;
use crate::domain::rights::{Rights, UserName};
use crate::{Error, Result};

/// Stored accounts, and the log of what was decided and changed, which only grows.
///
/// Accounts are never deleted: what is recorded of a user's work stays theirs, and somebody else of the same name gets nothing of it.
pub trait Accounts: Send + Sync {
    /// The account of this name, in whatever state. Every request of a user asks for it.
    fn account(&self, name: &UserName) -> Result<Option<Account>>;

    /// All accounts, in the order of their names.
    fn accounts(&self) -> Result<Vec<Account>>;

    /// Changes or creates an account, and adds the entry to the log, in one transaction. If `change` fails, nothing is written.
    fn change_account(
        &self,
        name: &UserName,
        change: &mut dyn FnMut(Option<Account>) -> Result<(Account, AuditEntry)>,
    ) -> Result<Account>;

    /// Adds an entry to the log.
    fn append_audit(&self, entry: &AuditEntry) -> Result<()>;

    /// Calls `see` with each entry of the log and its number, from 0. Each is sealed by a hash over all before it: an entry that was
    /// changed or removed is an error that names it.
    fn for_each_audit(&self, see: &mut dyn FnMut(u64, AuditEntry)) -> Result<()>;
}

/// The account of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The user's name.
    pub name: UserName,
    /// The state that the account is in.
    pub state: AccountState,
    /// What the user may do, by vault.
    pub vaults: Vec<VaultRights>,
    /// How often the name was given to somebody anew after a removal. Records of an earlier one are not theirs.
    #[serde(default)]
    pub generation: u64,
    /// Rises whenever the token, the browsers' sessions and the clients' grants of the user end.
    pub epoch: u64,
    /// Rises with every change.
    pub version: u64,
    /// The hash of the user's token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Hash>,
    /// The invitation, until it is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invitation: Option<Invitation>,
    /// When the user was first invited.
    pub created: Timestamp,
    /// When the account was last changed.
    pub changed: Timestamp,
}

/// The state of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountState {
    /// The invitation was not used yet.
    Invited,
    /// The user has a token.
    Active,
    /// Nothing lets the user in any more.
    Removed,
}

impl AccountState {
    /// Its name in lists.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Invited => "invited",
            Self::Active => "active",
            Self::Removed => "removed",
        }
    }
}

/// What a user may do in one vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VaultRights {
    /// The vault's name.
    pub vault: String,
    /// The rights in it.
    pub rights: Rights,
    /// The repositories beside it that the user may read; `None` if all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repositories: Option<Vec<String>>,
}

impl VaultRights {
    /// Whether the user may read this repository.
    pub fn allows_repository(&self, name: &str) -> bool {
        self.repositories.as_ref().is_none_or(|allowed| allowed.iter().any(|known| known == name))
    }
}

/// An invitation that was sent and not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// The hash of its secret.
    pub hash: Hash,
    /// When it ends.
    pub expires: Timestamp,
}

impl Account {
    /// Invites a user, or invites one again who has not come yet or was removed. An error of kind `Conflict` if the user has a token.
    pub fn invite(
        known: Option<Self>,
        name: &UserName,
        vaults: Vec<VaultRights>,
        invitation: Invitation,
        now: Timestamp,
    ) -> Result<Self> {
        if known.as_ref().is_some_and(|known| known.state == AccountState::Active) {
            return Err(Error::conflict(format!("`{name}` has an account already")).hint(format!(
                "nothing was changed; `wellread users rights {name}` changes what they may do, and `wellread users token {name}` \
                 makes a new token"
            )));
        }
        let removed = known.as_ref().is_some_and(|known| known.state == AccountState::Removed);
        let (generation, epoch, version, created) = known.map_or((0, 0, 0, now), |known| {
            (known.generation + u64::from(removed), known.epoch + 1, known.version + 1, known.created)
        });
        let invitation = Some(invitation);
        let (name, state, token) = (name.clone(), AccountState::Invited, None);
        Ok(Self { name, state, vaults, generation, epoch, version, token, invitation, created, changed: now })
    }

    /// Uses the invitation with this secret up: the user gets a token with this hash. An error of kind `Refused` if there is none, if
    /// it is another one, or if it is too old, and nobody learns which.
    pub fn accept_invitation(self, secret: Hash, token: Hash, now: Timestamp) -> Result<Self> {
        let is_good = |invitation: &Invitation| invitation.hash == secret && now < invitation.expires;
        if self.state != AccountState::Invited || !self.invitation.as_ref().is_some_and(is_good) {
            return Err(invitation_error());
        }
        let changed = Self { state: AccountState::Active, invitation: None, token: Some(token), ..self };
        Ok(changed.touch(now))
    }

    /// Changes what the user may do.
    pub fn with_rights(self, vaults: Vec<VaultRights>, now: Timestamp) -> Result<Self> {
        self.check_not_removed()?;
        Ok(Self { vaults, ..self }.touch(now))
    }

    /// Gives the user a new token. The old one ends, and with it every session and every grant.
    pub fn with_token(self, token: Hash, now: Timestamp) -> Result<Self> {
        self.check_not_removed()?;
        let epoch = self.epoch + 1;
        let changed =
            Self { state: AccountState::Active, token: Some(token), invitation: None, epoch, ..self };
        Ok(changed.touch(now))
    }

    /// Removes the user: nothing lets them in any more. An error of kind `NotFound` if they were removed before.
    pub fn remove(self, now: Timestamp) -> Result<Self> {
        self.check_not_removed()?;
        let epoch = self.epoch + 1;
        Ok(Self { state: AccountState::Removed, token: None, invitation: None, epoch, ..self }.touch(now))
    }

    fn touch(self, now: Timestamp) -> Self {
        Self { version: self.version + 1, changed: now, ..self }
    }

    fn check_not_removed(&self) -> Result<()> {
        if self.state == AccountState::Removed { Err(Self::not_found_error(&self.name)) } else { Ok(()) }
    }

    /// The error for a name that no user has.
    pub fn not_found_error(name: &UserName) -> Error {
        Error::not_found(format!("there is no user `{name}`"))
            .hint("`wellread users list` shows them; `wellread users invite` invites one")
    }

    /// Whether a token with this hash lets the user in. The hashes are compared in constant time.
    pub fn has_token(&self, given: Hash) -> bool {
        self.state == AccountState::Active && self.token.is_some_and(|token| token == given)
    }

    /// Whether what was given to the user in this epoch still lets them in.
    pub fn is_current(&self, epoch: u64) -> bool {
        self.state == AccountState::Active && self.epoch == epoch
    }

    /// What the user may do in a vault; `None` if it does not exist for them.
    pub fn rights_in(&self, vault: &str) -> Option<&VaultRights> {
        let named = |rights: &&VaultRights| rights.vault.eq_ignore_ascii_case(vault);
        self.vaults.iter().find(named).filter(|_| self.state == AccountState::Active)
    }

    /// As whom the user's runs, conversations and answers are recorded.
    pub fn viewer(&self) -> RecordViewer {
        RecordViewer::user(&self.name, self.generation)
    }
}

/// The error for an invitation that does not let anybody in.
pub fn invitation_error() -> Error {
    Error::refused("this invitation was used, is too old, or was replaced by another")
        .hint("ask for a new one: `wellread users invite` makes it")
}

/// An entry of the log: who did what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// When it was done.
    pub at: Timestamp,
    /// The user's name; `@` for whoever has the server's own token or the machine.
    pub who: String,
    /// By which face: `terminal`, `page`, `api`, or `mcp` with a remote client.
    pub face: String,
    /// What was done, such as `users remove` or `accept_finding`.
    pub action: String,
    /// The vault that it was done in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vault: Option<String>,
    /// What it was done to: a user, a note, an agenda or a finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

#[cfg(test)]
mod tests;
