//! The log of decisions, where there are accounts: what is decided on the command line is in it like what users decide.

use wellread_core::ports::AuditEntry;
use wellread_core::{ErrorKind, Result};

use super::Invocation;
use crate::app::App;
use crate::wiring;

impl Invocation {
    /// Logs a decision that was made here, by whoever has the machine. What was done is done; where it can't be logged, that is
    /// said.
    pub(super) fn log_decision(&self, app: &App, action: &str, target: Option<&str>) {
        if let Err(error) = self.append_decision(app, action, target) {
            self.output.notice(&format!("warning: the decision could not be logged: {error}"));
        }
    }

    fn append_decision(&self, app: &App, action: &str, target: Option<&str>) -> Result<()> {
        let config = self.load_config()?;
        let accounts = match wiring::open_accounts(&config, self.offline) {
            // Nobody has an account where nothing says which accounts are meant.
            Err(error) if error.kind() == ErrorKind::NotSetUp => return Ok(()),
            opened => opened?,
        };
        if accounts.accounts()?.is_empty() {
            return Ok(());
        }
        accounts.append_audit(&AuditEntry {
            at: app.clock.now().timestamp(),
            who: "@".to_owned(),
            face: "terminal".to_owned(),
            action: action.to_owned(),
            vault: Some(config.vault_name().to_owned()),
            target: target.map(str::to_owned),
        })
    }
}
