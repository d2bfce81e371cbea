//! As whom records are read and written: runs, conversations and answers belong to somebody, and are not there for others.

use std::sync::Arc;

use super::Records;
use crate::domain::rights::UserName;

/// Somebody for whom records are read and written.
///
/// A store writes the viewer beside every run, conversation and answer, and shows a record to those of whom [`RecordViewer::sees`]
/// says so. Agendas, findings and pages belong to the vault: for them it makes no difference.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RecordViewer(Arc<str>);

/// Whoever has the machine.
const OWNER: &str = "@";
/// The vault itself.
const VAULT: &str = "*";

impl RecordViewer {
    /// Whoever has the machine or the server's own token. What was recorded before there were accounts is theirs.
    pub fn owner() -> Self {
        Self(OWNER.into())
    }

    /// The vault itself: runs that carry out an agenda are everybody's who may read it. Maintenance sees everything.
    pub fn vault() -> Self {
        Self(VAULT.into())
    }

    /// A user; `generation` tells those apart who had the same name one after the other.
    pub fn user(name: &UserName, generation: u64) -> Self {
        match generation {
            0 => Self(name.as_str().into()),
            generation => Self(format!("{name}~{generation}").into()),
        }
    }

    /// How it is written in records. Neither `@` nor `*` can be the name of a user.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a record of this owner exists for the viewer.
    pub fn sees(&self, owner: &str) -> bool {
        self.may_change(owner) || owner == VAULT
    }

    /// Whether the viewer may add to a record of this owner, or forget it.
    pub fn may_change(&self, owner: &str) -> bool {
        self.as_str() == VAULT || self.as_str() == owner || (self.as_str() == OWNER && owner == VAULT)
    }

    /// An idempotency key among those of the viewer: two users may make up the same.
    pub fn scope_key(&self, key: &str) -> String {
        match self.as_str() {
            OWNER | VAULT => key.to_owned(),
            user => format!("{user}\u{1}{key}"),
        }
    }
}

/// Records that can be seen by several people.
pub trait RecordViews: Send + Sync {
    /// The same records, as this viewer sees them.
    fn seen_by(&self, viewer: &RecordViewer) -> Arc<dyn Records>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_sees_their_own_and_the_vaults_and_changes_only_their_own() {
        let anna = RecordViewer::user(&UserName::parse("anna").unwrap(), 0);
        let later = RecordViewer::user(&UserName::parse("anna").unwrap(), 1);
        assert!(anna.sees("anna") && anna.sees("*") && anna.may_change("anna"));
        for other in ["@", "bob", "", "anna~1"] {
            assert!(!anna.sees(other) && !anna.may_change(other), "{other}");
        }
        assert!(!anna.may_change("*") && !later.sees("anna"));
        let (owner, vault) = (RecordViewer::owner(), RecordViewer::vault());
        assert!(owner.sees("@") && owner.may_change("*") && !owner.sees("anna"));
        assert!(["@", "anna", "*"].iter().all(|other| vault.may_change(other)));
    }

    #[test]
    fn keys_of_users_never_meet() {
        let anna = RecordViewer::user(&UserName::parse("anna").unwrap(), 0);
        assert_eq!(RecordViewer::owner().scope_key("k"), "k");
        assert_ne!(anna.scope_key("k"), "k");
        assert_ne!(
            anna.scope_key("k"),
            RecordViewer::user(&UserName::parse("bob").unwrap(), 0).scope_key("k")
        );
    }
}
