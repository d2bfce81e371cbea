//! Looks up only those file names that a new note needs, instead of reading all names of the vault.

use std::cell::{Ref, RefCell};
use std::collections::BTreeSet;

use wellread_text::{FileNames, link_key};

use crate::Result;
use crate::ports::LinkIndex;

/// The names looked up so far.
pub(super) struct NameLookup<'a> {
    links: &'a dyn LinkIndex,
    asked: RefCell<BTreeSet<String>>,
    names: RefCell<FileNames>,
}

impl<'a> NameLookup<'a> {
    pub fn new(links: &'a dyn LinkIndex) -> Self {
        Self { links, asked: RefCell::default(), names: RefCell::default() }
    }

    /// Looks up everything that links with these targets can mean, in one query. Targets known already are not queried
    /// again.
    pub fn look_up<'t>(&self, targets: impl IntoIterator<Item = &'t str>) -> Result<()> {
        // A target with its extension may also be a name without one: `Bees.md.md` is called `Bees.md`.
        let keys =
            targets.into_iter().flat_map(|target| [link_key(target), link_key(&format!("{target}.md"))]);
        let mut asked = self.asked.borrow_mut();
        let new: Vec<String> = keys.filter(|key| asked.insert(key.clone())).collect();
        if new.is_empty() {
            return Ok(());
        }
        let found = self.links.names_for_keys(&new)?;
        self.names.borrow_mut().extend(found);
        Ok(())
    }

    /// Adds a file that exists, even if the index does not have it yet.
    pub fn insert(&self, path: &str) {
        self.names.borrow_mut().insert(path);
    }

    pub fn names(&self) -> Ref<'_, FileNames> {
        self.names.borrow()
    }

    /// Whether a link from this note leads to a file; false if it can't be looked up.
    pub fn resolves(&self, target: &str, from: &str) -> bool {
        self.look_up([target]).is_ok() && self.names.borrow().resolve(target, from).path().is_some()
    }
}
