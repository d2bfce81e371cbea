//! Inheritance: the bases of a type, and the types that inherit from it.

use std::sync::Arc;

use wellread_text::Inheritance;

use super::Graph;
use super::files::{GraphFile, NodeKey};
use super::meaning::{Meaning, NameScope, Referent, WantedKind, is_type};
use crate::Result;

/// The longest lineage; longer than any that people write.
const LONGEST: usize = 100;

/// A line that states that one type (`heir`) inherits from another (`on`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InheritanceEdge {
    pub heir: NodeKey,
    pub on: NodeKey,
    pub file: usize,
    pub line: usize,
}

impl Graph<'_> {
    /// A type and all its bases, nearest first, in the order in which members are looked up. `None` stands for a base
    /// outside the repository.
    pub(super) fn lineage(&self, of: NodeKey) -> Result<Arc<Vec<Option<NodeKey>>>> {
        if let Some(known) = self.cache.lineages.borrow().get(&of) {
            return Ok(known.clone());
        }
        // A type that inherits from itself gets this provisional entry.
        self.cache.lineages.borrow_mut().insert(of, Arc::new(vec![Some(of)]));
        let mut line = vec![Some(of)];
        for base in self.bases(of)? {
            match base {
                None => line.push(None),
                Some(base) => line.extend(self.lineage(base)?.iter().copied()),
            }
        }
        // A base that is reached in two ways comes after everything that inherits from it.
        let mut kept: Vec<Option<NodeKey>> = Vec::new();
        for one in line.into_iter().rev() {
            if one.is_none() || !kept.contains(&one) {
                kept.push(one);
            }
        }
        kept.reverse();
        kept.truncate(LONGEST);
        let line = Arc::new(kept);
        if self.cache.is_complete() {
            self.cache.lineages.borrow_mut().insert(of, line.clone());
        } else {
            self.cache.lineages.borrow_mut().remove(&of);
        }
        Ok(line)
    }

    /// The direct bases of a type, in the order of the text; `None` for a base that is foreign or unknown.
    pub(super) fn bases(&self, of: NodeKey) -> Result<Vec<Option<NodeKey>>> {
        let mut found = Vec::new();
        for built in self.base_clauses(of)? {
            let (file, base) = built;
            let Some(read) = self.files.read(file)? else { continue };
            let on = self.resolve_base(&read, file, &base)?;
            if on.is_some() || !read.language.names.open_traits {
                found.push(on);
            }
        }
        found.dedup();
        Ok(found)
    }

    /// The statements in a type's own file about what it inherits from, each with the file.
    fn base_clauses(&self, of: NodeKey) -> Result<Vec<(usize, Inheritance)>> {
        let Some(file) = self.files.read(of.file)? else { return Ok(Vec::new()) };
        let Some(definition) = file.definition(of.at) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for base in &file.uses().bases {
            if base.heir.last() == Some(&definition.name)
                && self.resolve_heir(&file, of.file, base)? == Some(of)
            {
                found.push((of.file, base.clone()));
            }
        }
        Ok(found)
    }

    fn resolve_heir(&self, file: &GraphFile, at: usize, base: &Inheritance) -> Result<Option<NodeKey>> {
        let own = base.heir.join(".");
        if let Some(found) = file.find_qualified(&own).filter(|&found| is_type(file.kind(found))) {
            return Ok(Some(NodeKey::definition(at, found)));
        }
        self.resolve_type(NameScope { file: at, within: self.module_at(file, base.line) }, &base.heir)
    }

    pub(super) fn resolve_base(
        &self,
        file: &GraphFile,
        at: usize,
        base: &Inheritance,
    ) -> Result<Option<NodeKey>> {
        let heir = file.find_qualified(&base.heir.join(".")).and_then(|heir| file.definitions()[heir].parent);
        let within = heir.or_else(|| self.module_at(file, base.line));
        self.resolve_type(NameScope { file: at, within }, &base.of)
    }

    /// The innermost module that contains a line.
    fn module_at(&self, file: &GraphFile, line: usize) -> Option<usize> {
        let open = file.definitions().iter().enumerate().filter(|(_, definition)| {
            definition.kind == wellread_text::SymbolKind::Module
                && (definition.lines.0..=definition.lines.1).contains(&line)
        });
        open.map(|(at, _)| at).next_back()
    }

    fn resolve_type(&self, scope: NameScope, path: &[String]) -> Result<Option<NodeKey>> {
        let Meaning::Found(found) = self.resolve_path(scope, path, WantedKind::Type)? else {
            return Ok(None);
        };
        Ok(found.things.iter().find_map(|thing| match thing {
            Referent::Definition(spot) | Referent::Value(spot) => Some(*spot),
            Referent::Module(_) | Referent::Holding(..) => None,
        }))
    }

    /// All statements in a file that one type of the repository inherits from another.
    pub(super) fn inheritances_in(&self, file: usize) -> Result<Arc<Vec<InheritanceEdge>>> {
        if let Some(known) = self.cache.built.borrow().get(&file) {
            return Ok(known.clone());
        }
        let Some(read) = self.files.read(file)? else { return Ok(Arc::default()) };
        let mut found = Vec::new();
        for base in &read.uses().bases {
            let (heir, on) = (self.resolve_heir(&read, file, base)?, self.resolve_base(&read, file, base)?);
            if let (Some(heir), Some(on)) = (heir, on)
                && heir != on
            {
                found.push(InheritanceEdge { heir, on, file, line: base.line });
            }
        }
        let found = Arc::new(found);
        self.cache.built.borrow_mut().insert(file, found.clone());
        Ok(found)
    }

    /// The types that inherit from a type directly, and where they state it.
    pub(super) fn heirs(&self, of: NodeKey) -> Result<Vec<InheritanceEdge>> {
        let Some(file) = self.files.read(of.file)? else { return Ok(Vec::new()) };
        let Some(definition) = file.definition(of.at) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for name in self.known_names(of, &definition.name)? {
            for &user in self.files.files_using(&name)?.iter() {
                found.extend(self.inheritances_in(user)?.iter().filter(|built| built.on == of).copied());
            }
        }
        found.sort_by_key(|built| (built.file, built.line, built.heir));
        found.dedup();
        Ok(found)
    }

    /// What a type states to inherit from, in any file.
    pub(super) fn declared_bases(&self, of: NodeKey) -> Result<Vec<InheritanceEdge>> {
        let mut files = vec![of.file];
        if self.files.language(of.file).is_some_and(|language| language.names.open_traits)
            && let Some(file) = self.files.read(of.file)?
            && let Some(definition) = file.definition(of.at)
        {
            files.extend(self.files.files_using(&definition.name)?.iter().copied());
        }
        files.sort_unstable();
        files.dedup();
        let mut found = Vec::new();
        for file in files {
            found.extend(self.inheritances_in(file)?.iter().filter(|built| built.heir == of).copied());
        }
        Ok(found)
    }

    /// Whether a type implements a trait, in any file.
    pub(super) fn implements_trait(&self, of: NodeKey, wanted: NodeKey) -> Result<bool> {
        let Some(file) = self.files.read(wanted.file)? else { return Ok(false) };
        let Some(definition) = file.definition(wanted.at) else { return Ok(false) };
        let Some(own) = self.files.read(of.file)? else { return Ok(false) };
        let Some(heir) = own.definition(of.at) else { return Ok(false) };
        for &user in self.files.files_using(&definition.name)?.iter() {
            let Some(read) = self.files.read(user)? else { continue };
            for base in &read.uses().bases {
                if base.heir.last() == Some(&heir.name)
                    && base.of.last() == Some(&definition.name)
                    && self.resolve_heir(&read, user, base)? == Some(of)
                    && self.resolve_base(&read, user, base)? == Some(wanted)
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
