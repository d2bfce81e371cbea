//! The sites of users with accounts: to each their own routes, over the vaults that they may read, with their own records.
//!
//! What a user has no right to is not there: other vaults have no site, other repositories are in no corpus, tools that they may not
//! call are in no list, and a route that needs more than they have says so and does nothing else. A site is made when its user comes,
//! and ends when anything about the account changes: streams, runs and conversations that are under way end with it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wellread_core::Result;
use wellread_core::domain::rights::UserName;
use wellread_core::engine::run::StopSignal;
use wellread_core::ports::{Account, AccountState};

use super::guard::{self, Credentials};
use super::problem::Problem;
use super::sites::{InVault, SiteOwner, Sites, VaultSite};
use super::state::ServerState;
use super::{McpEndpoints, ServerContext};
use crate::app::OpenVault;
use crate::audited_files::FileAudit;
use crate::mcp::AccessScopes;

/// How soon what is under way ends after an account was changed.
const LOOKED_AT_EVERY: Duration = Duration::from_secs(2);

/// The sites of those users who came since the server was started.
pub struct UserSites {
    /// The vaults of the server, with the owner's sites, in their order.
    vaults: Vec<(OpenVault, Arc<ServerContext>)>,
    open: Mutex<HashMap<UserName, UserSite>>,
}

/// The sites of one user, by one version of the account.
#[derive(Clone)]
struct UserSite {
    version: u64,
    sites: Arc<Vec<VaultSite>>,
    over: StopSignal,
}

impl UserSite {
    /// Ends all that is under way.
    fn end(&self) {
        self.over.request();
        for site in self.sites.iter() {
            site.context.mcp.end();
            site.context.turns.abort_all();
        }
    }
}

impl UserSites {
    pub fn new(vaults: Vec<(OpenVault, Arc<ServerContext>)>) -> Self {
        Self { vaults, open: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<UserName, UserSite>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the requests of users share.
    pub fn contexts(&self) -> Vec<Arc<ServerContext>> {
        let open = self.lock();
        open.values().flat_map(|user| user.sites.iter().map(|site| site.context.clone())).collect()
    }

    /// The sites of a user; those of an earlier version of the account end.
    fn enter(&self, state: &Arc<ServerState>, account: &Account) -> Result<Arc<Vec<VaultSite>>> {
        let mut open = self.lock();
        if let Some(known) = open.get(&account.name).filter(|known| known.version >= account.version) {
            return Ok(known.sites.clone());
        }
        let site = self.make(state, account)?;
        let sites = site.sites.clone();
        if let Some(old) = open.insert(account.name.clone(), site) {
            old.end();
        }
        Ok(sites)
    }

    fn make(&self, state: &Arc<ServerState>, account: &Account) -> Result<UserSite> {
        let (account, over) = (Arc::new(account.clone()), StopSignal::default());
        let view = |face: &'static str| -> Vec<(OpenVault, &Arc<ServerContext>)> {
            let theirs = self.vaults.iter();
            theirs
                .filter_map(|(vault, owner)| Some((view_vault(state, &account, vault, face)?, owner)))
                .collect()
        };
        let (seen, by_protocol) = (view("http"), view("mcp"));
        let names: Vec<_> =
            state.vaults.iter().filter(|(name, _)| account.rights_in(name).is_some()).cloned().collect();
        let mut sites = Vec::new();
        for (at, (vault, owner)) in seen.iter().enumerate() {
            // The first reaches all that are theirs, as the owner's does.
            let others = if at == 0 { seen.len() } else { 1 };
            let reached: Vec<OpenVault> =
                by_protocol.iter().skip(at).take(others).map(|(vault, _)| vault.clone()).collect();
            let Some((first, others)) = reached.split_first() else { continue };
            let site_owner = SiteOwner {
                user: Some(account.clone()),
                worker: owner.worker.clone(),
                vaults: names.clone(),
                over: over.clone(),
                is_first: at == 0,
            };
            sites.push(VaultSite::open(state, vault, McpEndpoints::new(first, others)?, site_owner)?);
        }
        Ok(UserSite { version: account.version, sites: Arc::new(sites), over })
    }

    /// Ends what is under way of those whose account was changed. Where nobody can say, it goes on for now: a new request does not.
    fn end_changed(&self, state: &ServerState) {
        if self.lock().is_empty() {
            return;
        }
        let Some(Ok(accounts)) = state.users.accounts().map(|accounts| accounts.accounts()) else { return };
        self.lock().retain(|name, site| {
            let account = accounts.iter().find(|account| account.name == *name);
            let goes_on = account.is_some_and(|account| {
                account.state == AccountState::Active && account.version == site.version
            });
            if !goes_on {
                site.end();
            }
            goes_on
        });
    }
}

/// A vault as a user sees it who comes by this face; `None` if it does not exist for them.
fn view_vault(
    state: &ServerState,
    account: &Account,
    vault: &OpenVault,
    face: &'static str,
) -> Option<OpenVault> {
    let name = vault.config.vault_name();
    let audit = FileAudit {
        accounts: state.users.accounts()?.clone(),
        clock: vault.app.clock.clone(),
        user: account.name.clone(),
        face,
        vault: name.to_owned(),
    };
    let app = vault.app.for_account(account, account.rights_in(name)?, audit);
    Some(OpenVault { app: Arc::new(app), config: vault.config.clone() })
}

/// Looks after the accounts of those who came, until it is dropped.
pub async fn watch_accounts(state: Arc<ServerState>, sites: Arc<Sites>) {
    loop {
        tokio::time::sleep(LOOKED_AT_EVERY).await;
        let (state, sites) = (state.clone(), sites.clone());
        let _ = tokio::task::spawn_blocking(move || sites.users.end_changed(&state)).await;
    }
}

/// The site that a request is served by: the owner's, or that of its user. A vault that somebody has no right to does not exist.
pub async fn find_site(
    state: &Arc<ServerState>,
    sites: &Arc<Sites>,
    owner: VaultSite,
    credentials: &mut Credentials,
    named: Option<&InVault>,
) -> Result<VaultSite, Problem> {
    let Some(claim) = credentials.claim() else {
        return if named.is_some_and(|vault| !vault.is_known) {
            Err(Problem::not_found())
        } else {
            Ok(owner)
        };
    };
    let Some(account) = state.users.resolve(claim).await? else {
        let problem = guard::reject_token(&owner.context, "this token is not valid, or no longer");
        return Err(match (credentials.remote(), &state.remote) {
            (Some(client), Some(remote)) => remote.challenge(problem, &client.resource, true),
            _ => problem,
        });
    };
    if let Credentials::Remote(client) = credentials {
        let theirs = account.vaults.iter().map(|vault| AccessScopes::from_rights(&vault.rights));
        let theirs = theirs.fold(AccessScopes::default(), |all, one| all.union(&one));
        client.scopes = client.scopes.intersection(&theirs);
    }
    let (state, sites) = (state.clone(), sites.clone());
    let entered = tokio::task::spawn_blocking(move || sites.users.enter(&state, &account)).await;
    let entered = entered.map_err(|_| Problem::not_found())??;
    let is_named = |site: &&VaultSite| {
        named.is_none_or(|named| site.context.config.vault_name().eq_ignore_ascii_case(&named.name))
    };
    entered.iter().find(is_named).cloned().ok_or_else(Problem::not_found)
}
