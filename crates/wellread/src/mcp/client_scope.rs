//! What a client sees: which tools, and whether private notes exist for it.

use std::sync::Arc;

use rmcp::ErrorData;
use wellread_core::Result;
use wellread_core::domain::id::RunId;
use wellread_core::domain::untrusted::Origin;
use wellread_core::engine::log;
use wellread_core::faces::tools::{Ctx, Group};
use wellread_core::library::vault::EditPolicy;
use wellread_core::ports::RunHeader;
use wellread_core::ports::event::LoggedEvent;

use super::access_scope::{AccessScope, AccessScopes};
use super::resource_uri::NotesAddress;
use super::tool_offer::ToolOffer;
use crate::app::App;
use crate::config::McpSettings;

/// The app as a client sees it.
#[derive(Clone)]
pub struct ClientScope {
    pub app: Arc<App>,
    /// What its calls work with: without private notes, unless it may see them; what they write is text from outside.
    pub ctx: Ctx,
    pub offer: Arc<ToolOffer>,
    /// Where its notes stand as resources.
    pub address: NotesAddress,
    /// What the user has allowed a remote client; nothing for one that the token lets in.
    scopes: Option<AccessScopes>,
}

impl ClientScope {
    pub fn new(app: Arc<App>, settings: &McpSettings, address: NotesAddress) -> Self {
        let ctx = if settings.sees_private { app.ctx.clone() } else { app.ctx.without_private() };
        // Nobody knows what the client's model has read: what it writes is not the user's until the user says so.
        let ctx = ctx.with_edits(EditPolicy { origin: Origin::Outside, ..EditPolicy::default() });
        // Who may only read gets by without services elsewhere.
        let sends = settings.scopes.as_ref().is_none_or(|scopes| scopes.contains(AccessScope::Research));
        let ctx = if sends { ctx } else { ctx.without_sending() };
        let offer = Arc::new(ToolOffer::new(&app.tools, settings));
        Self { app, ctx, offer, address, scopes: settings.scopes.clone() }
    }

    /// Whether the user lets the client do this.
    pub fn allows(&self, scope: AccessScope) -> bool {
        self.scopes.as_ref().is_none_or(|scopes| scopes.contains(scope))
    }

    /// Whether the client is on another machine: the runs of others are not its own.
    pub fn is_remote(&self) -> bool {
        self.scopes.is_some()
    }

    /// Returns an error if the user does not let the client do this.
    pub fn require(&self, scope: AccessScope) -> Result<(), ErrorData> {
        if self.allows(scope) {
            return Ok(());
        }
        let message =
            format!("this needs the scope `{}`, which the user has not allowed this client", scope.name());
        Err(ErrorData::invalid_request(message, None))
    }

    /// Where the notes stand. They are offered where their tools are.
    pub fn notes(&self) -> Option<&NotesAddress> {
        self.offer.includes(Group::Vault).then_some(&self.address)
    }

    /// Whether there is a run that may be shown to the client.
    pub fn has_run(&self, run: &RunId) -> bool {
        self.read_run(run).is_ok()
    }

    /// The events of a run, unless it may not be shown to the client.
    pub fn read_run(&self, run: &RunId) -> Result<Vec<LoggedEvent>> {
        log::read_shown_run(&*self.app.records, &self.ctx.vault, run)
    }

    /// Whether a run of the list is shown. Where private notes are hidden, one that was forgotten is not: nobody knows any more
    /// what it had.
    pub fn shows_run(&self, run: &RunHeader) -> bool {
        !self.ctx.vault.hides_private() || self.read_run(&run.id).is_ok()
    }
}
