//! Which citations a recheck since a commit is about.

use std::collections::{BTreeMap, BTreeSet};

use crate::corpus::{CorpusName, VaultPath};
use crate::evidence::Evidence;
use crate::ports::History;
use crate::{Error, Result};

/// What is cited from files that are not as they were at that commit, in the corpora whose history has it: in the order
/// of `cited`. A commit that none of the corpora knows is an error.
pub fn since(
    cited: &[Evidence],
    commit: &str,
    corpora: &[CorpusName],
    history: &dyn History,
) -> Result<Vec<Evidence>> {
    let mut changed: BTreeMap<&CorpusName, BTreeSet<VaultPath>> = BTreeMap::new();
    for corpus in corpora {
        if let Some(files) = history.changed_since(corpus, commit)? {
            changed.insert(corpus, files.into_iter().collect());
        }
    }
    if changed.is_empty() {
        return Err(Error::not_found(format!("no repository knows the commit `{commit}`")).hint(
            "give a commit of a repository that `wellread repo list` shows, or of the vault, or a date",
        ));
    }
    let is_meant = |evidence: &&Evidence| {
        let file = evidence.source.file();
        file.is_some_and(|(corpus, place)| {
            changed.get(&corpus).is_some_and(|files| files.contains(&place.path))
        })
    };
    Ok(cited.iter().filter(is_meant).cloned().collect())
}
