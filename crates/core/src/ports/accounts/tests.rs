//! What an account goes through, from the invitation to the removal.

use jiff::ToSpan as _;

use super::*;
use crate::domain::rights::Right;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn hash(text: &str) -> Hash {
    Hash::compute(text.as_bytes())
}

fn rights(vault: &str) -> VaultRights {
    VaultRights { vault: vault.to_owned(), rights: Rights::from_iter([Right::Read]), repositories: None }
}

fn invite(known: Option<Account>, secret: &str) -> Result<Account> {
    let invitation = Invitation { hash: hash(secret), expires: at(100) + 1.hour() };
    Account::invite(known, &UserName::parse("anna").unwrap(), vec![rights("Work")], invitation, at(100))
}

#[test]
fn an_invitation_works_once_and_for_its_time() {
    let invited = invite(None, "link").unwrap();
    assert!(!invited.has_token(hash("token")) && invited.rights_in("work").is_none());
    for (secret, when) in [("other", 101), ("", 101), ("link", 100 + 3600)] {
        let refused = invited.clone().accept_invitation(hash(secret), hash("token"), at(when));
        assert_eq!(refused.unwrap_err().message(), invitation_error().message());
    }
    let active = invited.accept_invitation(hash("link"), hash("token"), at(101)).unwrap();
    assert!(active.has_token(hash("token")) && !active.has_token(hash("link")));
    assert!(active.rights_in("work").is_some() && active.rights_in("garden").is_none());
    assert!(active.clone().accept_invitation(hash("link"), hash("mine"), at(102)).is_err(), "once");
    assert!(invite(Some(active), "link").is_err(), "who has an account is not invited again");
}

#[test]
fn another_invitation_ends_the_first() {
    let first = invite(None, "one").unwrap();
    let second = invite(Some(first), "two").unwrap();
    assert!(second.clone().accept_invitation(hash("one"), hash("token"), at(101)).is_err());
    assert!(second.accept_invitation(hash("two"), hash("token"), at(101)).is_ok());
}

#[test]
fn removal_ends_everything_and_the_next_of_that_name_is_somebody_else() {
    let active =
        invite(None, "link").unwrap().accept_invitation(hash("link"), hash("token"), at(101)).unwrap();
    let (epoch, viewer) = (active.epoch, active.viewer());
    assert!(active.is_current(epoch));
    let removed = active.remove(at(102)).unwrap();
    assert!(
        !removed.has_token(hash("token")) && !removed.is_current(epoch) && !removed.is_current(epoch + 1)
    );
    assert!(removed.rights_in("work").is_none());
    assert!(
        removed.clone().remove(at(103)).is_err() && removed.clone().with_token(hash("x"), at(103)).is_err()
    );
    assert!(removed.clone().with_rights(vec![], at(103)).is_err());
    let again = invite(Some(removed), "new").unwrap();
    let again = again.accept_invitation(hash("new"), hash("token 2"), at(104)).unwrap();
    assert!(again.epoch > epoch && !again.is_current(epoch), "old sessions do not come back");
    assert_ne!(again.viewer(), viewer, "and neither do the records");
}

#[test]
fn a_new_token_ends_the_old_one_and_its_sessions() {
    let active = invite(None, "link").unwrap().accept_invitation(hash("link"), hash("old"), at(101)).unwrap();
    let (epoch, version, viewer) = (active.epoch, active.version, active.viewer());
    let renewed = active.with_token(hash("new"), at(102)).unwrap();
    assert!(renewed.has_token(hash("new")) && !renewed.has_token(hash("old")) && !renewed.is_current(epoch));
    assert!(renewed.version > version && renewed.viewer() == viewer);
}

#[test]
fn repositories_are_all_or_those_that_are_listed() {
    let all = rights("work");
    let some = VaultRights { repositories: Some(vec!["hivelog".to_owned()]), ..rights("work") };
    let none = VaultRights { repositories: Some(vec![]), ..rights("work") };
    assert!(all.allows_repository("x") && some.allows_repository("hivelog"));
    assert!(!some.allows_repository("hive") && !none.allows_repository("hivelog"));
}
