//! Compiles of a language's patterns those that a file needs.
//!
//! Compiling the patterns of a large grammar takes hundreds of milliseconds, much longer than reading a short file with them. A
//! pattern can match only where all the kinds of nodes occur that it names. So the first files of a process get the patterns
//! that can match in them; as soon as that would compile more patterns than there are, all of them are compiled at once and
//! shared by all further files.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use tree_sitter::{Language as Grammar, Tree};

use super::uses::{list_required_kinds, split_patterns};

/// The compiled patterns of one language for one purpose.
pub(super) struct LazyQuery<T> {
    whole: OnceLock<Option<Arc<T>>>,
    /// How many patterns were compiled for single files.
    compiled: AtomicUsize,
}

impl<T> LazyQuery<T> {
    pub const fn new() -> Self {
        Self { whole: OnceLock::new(), compiled: AtomicUsize::new(0) }
    }

    fn whole(&self, texts: &[&str], compile: impl Fn(&str) -> Option<T>) -> Option<Arc<T>> {
        self.whole.get_or_init(|| compile(&texts.join("\n")).map(Arc::new)).clone()
    }

    /// At least those patterns that can match in this tree.
    pub fn for_tree(
        &self,
        texts: &[&str],
        grammar: &Grammar,
        tree: &Tree,
        compile: impl Fn(&str) -> Option<T>,
    ) -> Option<Arc<T>> {
        if self.whole.get().is_some() {
            return self.whole(texts, compile);
        }
        let present = find_kinds(grammar, tree);
        let all: Vec<&str> = texts.iter().flat_map(|text| split_patterns(text)).collect();
        let is_needed = |pattern: &&str| {
            let required = list_required_kinds(pattern);
            required.into_iter().all(|kind| present.contains(kind) || !is_node_kind(grammar, kind))
        };
        let needed: Vec<&str> = all.iter().copied().filter(is_needed).collect();
        if self.compiled.fetch_add(needed.len(), Ordering::Relaxed) + needed.len() > all.len() {
            return self.whole(texts, compile);
        }
        compile(&needed.join("\n")).map(Arc::new)
    }
}

/// Whether nodes are of this kind themselves. Nodes of a supertype have the names of its subtypes.
fn is_node_kind(grammar: &Grammar, kind: &str) -> bool {
    let id = grammar.id_for_node_kind(kind, true);
    id != 0 && !grammar.node_kind_is_supertype(id)
}

/// The kinds of the nodes in a tree.
fn find_kinds<'g>(grammar: &'g Grammar, tree: &Tree) -> HashSet<&'g str> {
    let mut found = vec![false; grammar.node_kind_count()];
    let mut cursor = tree.walk();
    'tree: loop {
        if let Some(seen) = found.get_mut(usize::from(cursor.node().kind_id())) {
            *seen = true;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'tree;
            }
        }
    }
    let ids = found.iter().enumerate().filter(|(_, seen)| **seen);
    ids.filter_map(|(id, _)| grammar.node_kind_for_id(u16::try_from(id).ok()?)).collect()
}
