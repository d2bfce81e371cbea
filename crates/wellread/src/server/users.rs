//! As whom a request is made. What a request shows (a token, a browser's session, a client's grant) only says whose it claims to be;
//! whether that still counts, the store of the accounts is asked, every time: a user who was removed is nobody at once, in every
//! process that shares the store.

use std::sync::Arc;

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::rights::UserName;
use wellread_core::ports::{Account, Accounts};
use wellread_core::{ErrorKind, Result};

use super::problem::Problem;
use super::user_token::ShownSecret;
use crate::config::Config;
use crate::wiring;

/// A user, in what was given to them: it ends when their epoch does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserRef {
    pub name: UserName,
    pub epoch: u64,
}

impl UserRef {
    pub fn new(account: &Account) -> Self {
        Self { name: account.name.clone(), epoch: account.epoch }
    }
}

/// Whose a request claims to be, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserClaim {
    /// By a token of theirs.
    Token { name: UserName, hash: Hash },
    /// By what was given to them before, and was found to be right.
    Given(UserRef),
}

impl From<ShownSecret> for UserClaim {
    fn from(shown: ShownSecret) -> Self {
        Self::Token { name: shown.name, hash: shown.hash }
    }
}

/// The users of a server.
#[derive(Clone)]
pub struct ServerUsers {
    /// Nothing where the settings leave open which accounts are meant: then nobody but the owner gets in.
    accounts: Option<Arc<dyn Accounts>>,
}

impl ServerUsers {
    /// Those of the store that the settings name. Nothing is opened before a user comes.
    pub fn open(config: &Config, offline: bool) -> Result<Self> {
        match wiring::open_accounts(config, offline) {
            Ok(accounts) => Ok(Self { accounts: Some(accounts) }),
            Err(error) if error.kind() == ErrorKind::NotSetUp => Ok(Self { accounts: None }),
            Err(error) => Err(error),
        }
    }

    pub fn accounts(&self) -> Option<&Arc<dyn Accounts>> {
        self.accounts.as_ref()
    }

    /// The account behind a claim; `None` if nothing is behind it. Waits for the disk or the database.
    pub fn find(&self, claim: &UserClaim) -> Result<Option<Account>> {
        let Some(accounts) = &self.accounts else { return Ok(None) };
        let (UserClaim::Token { name, .. } | UserClaim::Given(UserRef { name, .. })) = claim;
        let is_right = |account: &Account| match claim {
            UserClaim::Token { hash, .. } => account.has_token(*hash),
            UserClaim::Given(given) => account.is_current(given.epoch),
        };
        Ok(accounts.account(name)?.filter(is_right))
    }

    /// Whether what was given to a user still counts. Where nobody can say, it does not.
    pub fn is_current(&self, given: &UserRef) -> bool {
        self.find(&UserClaim::Given(given.clone())).is_ok_and(|account| account.is_some())
    }

    /// The account behind a claim, on a thread that may wait.
    pub async fn resolve(&self, claim: UserClaim) -> Result<Option<Account>, Problem> {
        let users = self.clone();
        let found = tokio::task::spawn_blocking(move || users.find(&claim)).await;
        let bug = "internal error: this is a bug in Wellread";
        found
            .map_err(|_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, bug, "try again"))?
            .map_err(Problem::from)
    }
}
