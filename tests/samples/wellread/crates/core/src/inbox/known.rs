//! The names of the vault that a note in the making asks for, and no others: a vault has more than anybody wants to read for
//! one note.

use std::cell::{Ref, RefCell};
use std::collections::BTreeSet;

use wellread_text::{Names, link_key};

use crate::Result;
use crate::ports::LinkIndex;

/// What was looked up so far.
pub(super) struct Known<'a> {
    links: &'a dyn LinkIndex,
    asked: RefCell<BTreeSet<String>>,
    names: RefCell<Names>,
}

impl<'a> Known<'a> {
    pub fn new(links: &'a dyn LinkIndex) -> Self {
        Self { links, asked: RefCell::default(), names: RefCell::default() }
    }

    /// Looks up all that links with these targets can mean, at once. What was asked before is not asked again.
    pub fn look_up<'t>(&self, targets: impl IntoIterator<Item = &'t str>) -> Result<()> {
        // A target with its ending may be a name without one: `Bees.md.md` is called `Bees.md`.
        let keys =
            targets.into_iter().flat_map(|target| [link_key(target), link_key(&format!("{target}.md"))]);
        let mut asked = self.asked.borrow_mut();
        let new: Vec<String> = keys.filter(|key| asked.insert(key.clone())).collect();
        if new.is_empty() {
            return Ok(());
        }
        let found = self.links.named(&new)?;
        self.names.borrow_mut().extend(found);
        Ok(())
    }

    /// A file that is there, whether the index has heard of it yet or not.
    pub fn is_there(&self, path: &str) {
        self.names.borrow_mut().insert(path);
    }

    pub fn names(&self) -> Ref<'_, Names> {
        self.names.borrow()
    }

    /// Whether a link leads to a file, from this note. One that can't be looked up leads nowhere.
    pub fn leads(&self, target: &str, from: &str) -> bool {
        self.look_up([target]).is_ok() && self.names.borrow().resolve(target, from).path().is_some()
    }
}
