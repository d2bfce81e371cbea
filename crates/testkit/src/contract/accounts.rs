//! The contract of [`Accounts`].

use jiff::Timestamp;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::rights::{Rights, UserName};
use wellread_core::ports::{Account, Accounts, AuditEntry, Invitation, VaultRights};
use wellread_core::{Error, ErrorKind, Result};

use crate::run_fixtures::event_time;

/// What the contract is asked of, and how an empty one is made.
pub fn check_accounts<A: Accounts>(make: &dyn Fn() -> A) {
    an_empty_store_has_nobody(&make());
    an_account_is_kept_as_it_is(&make());
    what_fails_changes_nothing(&make());
    an_invitation_is_used_once_by_many_at_once(&make());
    the_log_keeps_its_order(&make());
}

fn name(text: &str) -> UserName {
    UserName::parse(text).unwrap()
}

/// An entry of the log.
pub fn entry(action: &str) -> AuditEntry {
    AuditEntry {
        at: event_time(1),
        who: "@".to_owned(),
        face: "terminal".to_owned(),
        action: action.to_owned(),
        vault: None,
        target: Some("\u{1f41d} \"quoted\"".to_owned()),
    }
}

fn hash(text: &str) -> Hash {
    Hash::compute(text.as_bytes())
}

/// Invites a user.
pub fn invite(accounts: &dyn Accounts, user: &str, secret: &str) -> Result<Account> {
    accounts.change_account(&name(user), &mut |known| {
        let rights = VaultRights {
            vault: "work".to_owned(),
            rights: Rights::parse("read,research")?,
            repositories: Some(vec!["hivelog".to_owned()]),
        };
        let invitation = Invitation { hash: hash(secret), expires: Timestamp::MAX };
        let account = Account::invite(known, &name(user), vec![rights], invitation, event_time(1))?;
        Ok((account, entry("users invite")))
    })
}

fn join(accounts: &dyn Accounts, user: &str, secret: &str, token: &str) -> Result<Account> {
    accounts.change_account(&name(user), &mut |known| {
        let known = known.ok_or_else(|| Account::not_found_error(&name(user)))?;
        let account = known.accept_invitation(hash(secret), hash(token), event_time(2))?;
        Ok((account, entry("users join")))
    })
}

fn log(accounts: &dyn Accounts) -> Vec<(u64, String)> {
    let mut entries = Vec::new();
    accounts.for_each_audit(&mut |number, entry| entries.push((number, entry.action))).unwrap();
    entries
}

fn an_empty_store_has_nobody(accounts: &impl Accounts) {
    assert_eq!(accounts.account(&name("anna")).unwrap(), None);
    assert_eq!(accounts.accounts().unwrap(), []);
    assert_eq!(log(accounts), []);
}

fn an_account_is_kept_as_it_is(accounts: &impl Accounts) {
    invite(accounts, "bob", "x").unwrap();
    let invited = invite(accounts, "anna", "link").unwrap();
    assert_eq!(accounts.account(&name("anna")).unwrap().as_ref(), Some(&invited));
    let active = join(accounts, "anna", "link", "token").unwrap();
    assert!(active.has_token(hash("token")));
    assert_eq!(accounts.account(&name("anna")).unwrap().as_ref(), Some(&active));
    let names: Vec<String> =
        accounts.accounts().unwrap().iter().map(|known| known.name.to_string()).collect();
    assert_eq!(names, ["anna", "bob"]);
}

fn what_fails_changes_nothing(accounts: &impl Accounts) {
    let invited = invite(accounts, "anna", "link").unwrap();
    assert!(join(accounts, "anna", "other", "token").is_err());
    let failed = accounts.change_account(&name("bob"), &mut |_| Err(Error::invalid("no")));
    assert_eq!(failed.unwrap_err().kind(), ErrorKind::Invalid);
    let renamed = accounts.change_account(&name("bob"), &mut |_| Ok((invited.clone(), entry("x"))));
    assert!(renamed.is_err(), "an account keeps its name");
    assert_eq!(accounts.accounts().unwrap(), [invited]);
    assert_eq!(log(accounts).len(), 1);
}

fn an_invitation_is_used_once_by_many_at_once(accounts: &impl Accounts) {
    invite(accounts, "anna", "link").unwrap();
    let joined: Vec<bool> = std::thread::scope(|scope| {
        let attempts: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn(move || join(accounts, "anna", "link", &format!("token {number}")).is_ok())
            })
            .collect();
        attempts.into_iter().map(|attempt| attempt.join().unwrap()).collect()
    });
    assert_eq!(joined.iter().filter(|joined| **joined).count(), 1, "{joined:?}");
    assert_eq!(log(accounts).len(), 2);
}

fn the_log_keeps_its_order(accounts: &impl Accounts) {
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for number in 0..5 {
                    accounts.append_audit(&entry(&format!("{thread} {number}"))).unwrap();
                }
            });
        }
    });
    let entries = log(accounts);
    assert!(entries.iter().enumerate().all(|(at, (number, _))| at as u64 == *number), "{entries:?}");
    for thread in 0..4 {
        let of_thread = entries.iter().filter(|(_, action)| action.starts_with(&format!("{thread} ")));
        let numbers: Vec<&str> = of_thread.map(|(_, action)| &action[2..]).collect();
        assert_eq!(numbers, ["0", "1", "2", "3", "4"]);
    }
}
