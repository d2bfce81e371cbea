//! `wellread users`: the accounts of those who share a server.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use wellread_core::domain::rights::{Rights, UserName};
use wellread_core::ports::{Account, Accounts, AuditEntry, Clock, Invitation, VaultRights};
use wellread_core::{Error, Result};

use super::Invocation;
use crate::config::Config;
use crate::output::success;
use crate::server::{UserSecret, invitation_url};
use crate::wiring;

/// Invite users to your server, change their rights and remove them
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without any account, the server is yours alone and nothing changes. A user has rights in each vault (read, \
research, write, decide, admin) and reads all repositories or those that you list. `--vault NAME` chooses the vault. A change counts \
at once, in every process that shares the records.\n\n\
Example:\n  wellread users invite anna --rights read,research\n  wellread users rights anna --rights read,write --repos hivelog\n  \
wellread users list\n  wellread users remove anna\n  wellread users audit"
)]
pub struct UsersArgs {
    #[command(subcommand)]
    what: UsersCommand,
}

#[derive(Debug, clap::Subcommand)]
enum UsersCommand {
    /// List the users with their rights
    #[command(after_help = "Example:\n  wellread users list\n  wellread users list --json")]
    List,
    /// Invite a user by a link, which works once
    #[command(
        after_help = "Whoever opens the link gets a token of their own, which is shown once. If it gets lost before that, invite again: \
only the last link works.\n\nExample:\n  wellread users invite anna --rights read,research --vault work"
    )]
    Invite {
        /// The user's name: lower-case letters, digits, `-`, `_` and `.`
        name: String,
        /// What the user may do in the vault: some of read, research, write, decide and admin, with commas between them
        #[arg(long, default_value = "read")]
        rights: String,
        /// The repositories that the user may read, with commas between them; `none` for none [default: all]
        #[arg(long, value_name = "NAMES")]
        repos: Option<String>,
        /// For how many days the link works
        #[arg(long, default_value_t = 7, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=90))]
        days: u32,
    },
    /// Change what a user may do in a vault
    #[command(
        after_help = "Example:\n  wellread users rights anna --rights read,write --vault work\n  wellread users rights anna --none --vault work"
    )]
    Rights {
        /// The user's name
        name: String,
        /// The user's rights from now on: some of read, research, write, decide and admin, with commas between them
        #[arg(long, required_unless_present = "none")]
        rights: Option<String>,
        /// The repositories that the user may read, with commas between them; `none` for none [default: all]
        #[arg(long, value_name = "NAMES")]
        repos: Option<String>,
        /// Take the vault from the user
        #[arg(long, conflicts_with_all = ["rights", "repos"])]
        none: bool,
    },
    /// Remove a user: token, sessions, remote clients and what is under way end at once
    #[command(after_help = "The user's runs and conversations are kept, and nobody is shown them.\n\n\
Example:\n  wellread users remove anna")]
    Remove {
        /// The user's name
        name: String,
    },
    /// Make a new token for a user, and show it once; the old one ends, and so do sessions and remote clients
    #[command(after_help = "Example:\n  wellread users token anna")]
    Token {
        /// The user's name
        name: String,
    },
    /// Show who was invited, changed and removed, and who decided and changed what
    #[command(after_help = "The log only grows, and every entry is sealed by a hash over all before it.\n\n\
Example:\n  wellread users audit\n  wellread users audit --last 20 --json")]
    Audit {
        /// Only the last entries
        #[arg(long, value_name = "N")]
        last: Option<usize>,
    },
}

pub fn run(invocation: &Invocation, args: &UsersArgs) -> Result<ExitCode> {
    let config = invocation.load_config()?;
    let accounts = wiring::open_accounts(&config, invocation.offline)?;
    let users = Users { accounts, clock: wiring::open_clock(), config };
    let (answer, text) = match &args.what {
        UsersCommand::List => users.list(),
        UsersCommand::Invite { name, rights, repos, days } => {
            users.invite(&UserName::parse(name)?, Rights::parse(rights)?, repos.as_deref(), *days)
        }
        UsersCommand::Rights { name, rights, repos, none } => {
            let rights = rights.as_deref().filter(|_| !none).map(Rights::parse).transpose()?;
            users.set_rights(&UserName::parse(name)?, rights, repos.as_deref())
        }
        UsersCommand::Remove { name } => users.remove(&UserName::parse(name)?),
        UsersCommand::Token { name } => users.renew_token(&UserName::parse(name)?),
        UsersCommand::Audit { last } => users.show_audit(last.unwrap_or(usize::MAX)),
    }?;
    match invocation.output.json {
        true => invocation.output.object(&success(answer)),
        false => invocation.output.text(&text),
    }?;
    Ok(ExitCode::SUCCESS)
}

struct Users {
    config: Config,
    accounts: Arc<dyn Accounts>,
    clock: Arc<dyn Clock>,
}

impl Users {
    fn list(&self) -> Result<(Value, String)> {
        let accounts = self.accounts.accounts()?;
        let mut text: String = accounts.iter().map(render_account).collect();
        if accounts.is_empty() {
            text = "no users yet: the server is yours alone; `wellread users invite NAME` invites one\n"
                .to_owned();
        }
        Ok((json!({ "users": accounts.iter().map(describe).collect::<Vec<_>>() }), text))
    }

    fn invite(
        &self,
        name: &UserName,
        rights: Rights,
        repos: Option<&str>,
        days: u32,
    ) -> Result<(Value, String)> {
        let (code, now) = (UserSecret::new_invitation(name)?, self.clock.now().timestamp());
        let expires = now + Duration::from_secs(24 * 60 * 60 * u64::from(days));
        let theirs = self.rights(rights, repos)?;
        let account = self.change(name, "users invite", &mut |known| {
            // Who was invited before and not come keeps what they have in other vaults.
            let waiting = known.as_ref().filter(|known| known.invitation.is_some());
            let vaults = waiting.map(|known| known.vaults.clone()).unwrap_or_default();
            let invitation = Invitation { hash: code.hash, expires };
            Account::invite(known, name, replace(vaults, theirs.clone()), invitation, now)
        })?;
        let link = invitation_url(&self.config, &code.text)?;
        let answer = json!({ "user": describe(&account), "link": link, "expires": expires.to_string() });
        let text = format!(
            "{link}\n\nSend it to {name}. It works once, until {}; whoever opens it becomes `{name}`.\n",
            expires.strftime("%Y-%m-%d %H:%M UTC")
        );
        Ok((answer, text))
    }

    fn set_rights(
        &self,
        name: &UserName,
        rights: Option<Rights>,
        repos: Option<&str>,
    ) -> Result<(Value, String)> {
        let theirs = rights.map(|rights| self.rights(rights, repos)).transpose()?;
        let account = self.change(name, "users rights", &mut |known| {
            let known = known.ok_or_else(|| Account::not_found_error(name))?;
            let vaults = match &theirs {
                Some(theirs) => replace(known.vaults.clone(), theirs.clone()),
                None => {
                    let vault = self.config.vault_name();
                    let is_other = |rights: &VaultRights| !rights.vault.eq_ignore_ascii_case(vault);
                    known.vaults.iter().filter(|rights| is_other(rights)).cloned().collect()
                }
            };
            known.with_rights(vaults, self.clock.now().timestamp())
        })?;
        Ok((json!({ "user": describe(&account) }), render_account(&account)))
    }

    fn remove(&self, name: &UserName) -> Result<(Value, String)> {
        let account = self.change(name, "users remove", &mut |known| {
            known.ok_or_else(|| Account::not_found_error(name))?.remove(self.clock.now().timestamp())
        })?;
        Ok((
            json!({ "user": describe(&account) }),
            format!("removed `{name}`: nothing lets them in any more\n"),
        ))
    }

    fn renew_token(&self, name: &UserName) -> Result<(Value, String)> {
        let token = UserSecret::new_token(name)?;
        let account = self.change(name, "users token", &mut |known| {
            let known = known.ok_or_else(|| Account::not_found_error(name))?;
            known.with_token(token.hash, self.clock.now().timestamp())
        })?;
        let text = format!(
            "{}\n\nThis is the token of {name}, shown this once. The old one no longer works.\n",
            token.text
        );
        Ok((json!({ "user": describe(&account), "token": token.text }), text))
    }

    fn show_audit(&self, last: usize) -> Result<(Value, String)> {
        let mut entries = Vec::new();
        self.accounts.for_each_audit(&mut |number, entry| entries.push((number, entry)))?;
        let shown = entries.split_off(entries.len().saturating_sub(last));
        let rows = shown.iter().map(|(number, entry)| {
            let mut row = json!(entry);
            row["number"] = json!(number);
            row
        });
        let text = shown.iter().map(|(_, entry)| render_entry(entry)).collect();
        Ok((json!({ "entries": rows.collect::<Vec<_>>() }), text))
    }

    /// Changes an account, and logs that it was done here.
    fn change(
        &self,
        name: &UserName,
        action: &str,
        change: &mut dyn FnMut(Option<Account>) -> Result<Account>,
    ) -> Result<Account> {
        self.accounts.change_account(name, &mut |known| {
            let entry = AuditEntry {
                at: self.clock.now().timestamp(),
                who: "@".to_owned(),
                face: "terminal".to_owned(),
                action: action.to_owned(),
                vault: Some(self.config.vault_name().to_owned()),
                target: Some(name.to_string()),
            };
            Ok((change(known)?, entry))
        })
    }

    /// Rights in the vault that was chosen. A repository that is not set here is a mistake.
    fn rights(&self, rights: Rights, repos: Option<&str>) -> Result<VaultRights> {
        let known: Vec<String> = self.config.repos()?.into_iter().map(|repo| repo.name).collect();
        let check = |name: &str| match known.iter().any(|known| known == name) {
            true => Ok(name.to_owned()),
            false => Err(Error::not_found(format!("there is no repository `{name}`"))
                .hint("`wellread repo list` shows those that there are; `--repos none` allows none")),
        };
        let repositories = match repos.map(str::trim) {
            None | Some("all") => None,
            Some("none") => Some(Vec::new()),
            Some(names) => Some(names.split(',').map(|name| check(name.trim())).collect::<Result<_>>()?),
        };
        Ok(VaultRights { vault: self.config.vault_name().to_owned(), rights, repositories })
    }
}

/// The rights in one vault in place of those that there were.
fn replace(mut vaults: Vec<VaultRights>, theirs: VaultRights) -> Vec<VaultRights> {
    vaults.retain(|rights| !rights.vault.eq_ignore_ascii_case(&theirs.vault));
    vaults.push(theirs);
    vaults
}

/// Without anything that lets anybody in.
fn describe(account: &Account) -> Value {
    json!({
        "name": account.name,
        "state": account.state.name(),
        "vaults": account.vaults,
        "created": account.created.to_string(),
        "changed": account.changed.to_string(),
    })
}

fn render_account(account: &Account) -> String {
    let rights = account.vaults.iter().map(|vault| {
        let repos = match &vault.repositories {
            None => String::new(),
            Some(names) if names.is_empty() => "; no repositories".to_owned(),
            Some(names) => format!("; repositories: {}", names.join(", ")),
        };
        format!("{}: {}{repos}", vault.vault, vault.rights)
    });
    let rights: Vec<String> = rights.collect();
    let rights = if rights.is_empty() { "no vault".to_owned() } else { rights.join("  ") };
    format!("{:<16} {:<8} {rights}\n", account.name.as_str(), account.state.name())
}

fn render_entry(entry: &AuditEntry) -> String {
    let AuditEntry { at, who, face, action, vault, target } = entry;
    let (vault, target) = (vault.as_deref().unwrap_or("-"), target.as_deref().unwrap_or_default());
    let when = at.strftime("%Y-%m-%d %H:%M:%S");
    format!("{when}  {who:<12} {face:<8} {vault:<10} {action}  {target}\n")
}
