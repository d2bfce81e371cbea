//! Judges passages of which many may be in the same file.

use std::cell::RefCell;
use std::collections::HashMap;

use wellread_text::Span;

use super::Vault;
use crate::domain::corpus::VaultPath;
use crate::domain::untrusted::Origin;
use crate::library::judge::OutsideSpans;

/// Judges passages of the vault's files, each of which is read once: a judgment holds for one search, and not for the next.
pub struct PassageJudge<'a> {
    vault: &'a Vault,
    private: RefCell<HashMap<VaultPath, bool>>,
    /// `None` for a file that can't be read.
    read: RefCell<HashMap<VaultPath, Option<ReadFile>>>,
}

struct ReadFile {
    headings: Vec<usize>,
    outside: OutsideSpans,
}

impl Vault {
    /// A judge for the passages of one search.
    pub fn judge_passages(&self) -> PassageJudge<'_> {
        PassageJudge { vault: self, private: RefCell::default(), read: RefCell::default() }
    }
}

impl PassageJudge<'_> {
    /// Whether a file must not leave this machine.
    pub fn is_private(&self, path: &VaultPath) -> bool {
        let known = self.private.borrow().get(path).copied();
        known.unwrap_or_else(|| {
            let private = self.vault.is_private(path);
            self.private.borrow_mut().insert(path.clone(), private);
            private
        })
    }

    /// Who wrote a passage, and the heading that it is shown with. A file that can't be read is from outside.
    pub fn origin_of(&self, path: &VaultPath, span: &Span) -> Origin {
        let mut read = self.read.borrow_mut();
        let file = read.entry(path.clone()).or_insert_with(|| self.read(path));
        let Some(file) = file else { return Origin::Outside };
        let heading = file.headings.iter().rfind(|start| **start <= span.start);
        file.outside.origin_of(&(heading.map_or(span.start, |start| *start)..span.end))
    }

    fn read(&self, path: &VaultPath) -> Option<ReadFile> {
        let note = self.vault.read(path).ok()?;
        let headings = note.parse().headings.iter().map(|heading| heading.span.start).collect();
        Some(ReadFile { headings, outside: self.vault.outside_spans(&note) })
    }
}
