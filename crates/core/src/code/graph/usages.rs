//! Finds where a definition may be used: the names that it is known by, and the files that contain them.

use std::collections::BTreeSet;

use wellread_text::MentionRole;

use super::files::NodeKey;
use super::meaning::is_type;
use super::paths::stem;
use super::resolve::MentionTarget;
use super::{Graph, builtin};
use crate::Result;

/// The most files that are searched for the uses of one definition.
pub(super) const MOST_FILES: usize = 400;
/// The most names of one definition that are followed.
const MOST_NAMES: usize = 24;

/// The files in which something may be used, and the names by which it may be known there.
#[derive(Debug, Default)]
pub(super) struct UsageFiles {
    pub names: Vec<String>,
    pub files: Vec<usize>,
    /// How many further files contain one of the names and were not searched.
    pub left_out: usize,
}

impl Graph<'_> {
    /// The files that may use a definition.
    pub(super) fn find_usage_files(&self, of: NodeKey) -> Result<UsageFiles> {
        let Some(read) = self.files.read(of.file)? else { return Ok(UsageFiles::default()) };
        let Some(definition) = read.definition(of.at) else { return self.importers(of.file) };
        let mut names = self.known_names(of, &definition.name)?;
        if is_type(definition.kind) {
            names.extend(read.language.names.class_word.map(str::to_owned));
        }
        if builtin::is_constructor(read.language, definition)
            && let Some(owner) = self.owner(of)?
        {
            // A constructor is used by the names of its class, and of those that inherit it.
            names.remove(&definition.name);
            names.extend(self.heir_names(owner)?);
            names.extend(["super", "this", "cls"].map(str::to_owned));
            if builtin::constructor_name(read.language).is_some() {
                names.insert(definition.name.clone());
            }
        }
        self.files_with_names(of.file, names)
    }

    /// The files that may import a file.
    fn importers(&self, file: usize) -> Result<UsageFiles> {
        let mut names = BTreeSet::from([self.files.import_name(file).to_owned()]);
        let path = self.files.path(file);
        names.insert(stem(path).to_owned());
        names.extend(self.module_rules(file).importer_names(self, file));
        if let Some(read) = self.files.read(file)? {
            let top = (0..read.definitions().len()).filter(|&at| read.is_directly_in(at, None));
            names.extend(top.take(200).map(|at| read.definitions()[at].name.clone()));
        }
        self.files_with_names(file, names)
    }

    /// The names by which others know a definition: its own, and its aliases in imports and re-exports.
    pub(super) fn known_names(&self, of: NodeKey, name: &str) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::from([name.to_owned()]);
        let mut open = vec![name.to_owned()];
        if self.files.language(of.file).is_some_and(|language| language.names.default_exports) {
            // An importer of a default export chooses its name.
            let module = self.files.import_name(of.file).to_owned();
            self.collect_aliases(&module, "default", &mut names, &mut open)?;
        }
        while let Some(next) = open.pop() {
            if names.len() >= MOST_NAMES {
                break;
            }
            self.collect_aliases(&next, &next, &mut names, &mut open)?;
        }
        Ok(names)
    }

    /// Adds the aliases that imports of `name` declare, in the files that use `by`.
    fn collect_aliases(
        &self,
        by: &str,
        name: &str,
        names: &mut BTreeSet<String>,
        open: &mut Vec<String>,
    ) -> Result<()> {
        for &user in self.files.files_using(by)?.iter().take(MOST_FILES) {
            let Some(read) = self.files.read(user)? else { continue };
            for import in &read.uses().imports {
                let is_it = import.name.as_deref() == Some(name)
                    || (import.name.is_none() && import.module.rsplit([':', '.', '/']).next() == Some(name));
                let Some(alias) = import.known_as.as_ref().filter(|_| is_it) else { continue };
                if names.len() < MOST_NAMES && alias != "_" && names.insert(alias.clone()) && import.handed_on
                {
                    open.push(alias.clone());
                }
            }
        }
        Ok(())
    }

    /// The names of a class and of all its heirs.
    fn heir_names(&self, class: NodeKey) -> Result<BTreeSet<String>> {
        let (mut names, mut seen, mut open) = (BTreeSet::new(), BTreeSet::from([class]), vec![class]);
        while let Some(next) = open.pop() {
            let Some(read) = self.files.read(next.file)? else { continue };
            let Some(definition) = read.definition(next.at).filter(|found| is_type(found.kind)) else {
                continue;
            };
            names.extend(self.known_names(next, &definition.name)?);
            for built in self.heirs(next)? {
                if seen.len() < 100 && seen.insert(built.heir) {
                    open.push(built.heir);
                }
            }
        }
        Ok(names)
    }

    fn files_with_names(&self, from: usize, names: BTreeSet<String>) -> Result<UsageFiles> {
        let mut files = BTreeSet::new();
        for name in &names {
            files.extend(self.files.files_using(name)?.iter().copied());
        }
        let mut files: Vec<usize> =
            files.into_iter().filter(|&file| self.files.are_related(from, file)).collect();
        let left_out = files.len().saturating_sub(MOST_FILES);
        if left_out > 0 {
            // The nearest files first: those in the same folder, then those that mention the same module.
            let module = self.files.import_name(from);
            let speaking: BTreeSet<usize> = self.files.files_using(module)?.iter().copied().collect();
            let folder = self.files.path(from).folder();
            files.sort_by_key(|&file| {
                let other = self.files.path(file).folder();
                let common =
                    folder.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count();
                (other != folder, !speaking.contains(&file), std::cmp::Reverse(common), file)
            });
            files.truncate(MOST_FILES);
            files.sort_unstable();
        }
        Ok(UsageFiles { names: names.into_iter().collect(), files, left_out })
    }

    /// Every mention that refers to a definition or may: its file, its index, and its target.
    pub(super) fn find_mentions(
        &self,
        of: NodeKey,
        users: &UsageFiles,
        roles: &[MentionRole],
    ) -> Result<Vec<(usize, usize, MentionTarget)>> {
        let mut found = Vec::new();
        for &file in &users.files {
            let Some(read) = self.files.read(file)? else { continue };
            let mut names: BTreeSet<&str> = users.names.iter().map(String::as_str).collect();
            for import in &read.uses().imports {
                let by = import
                    .name
                    .as_deref()
                    .unwrap_or_else(|| import.module.rsplit([':', '.', '/']).next().unwrap_or_default());
                if names.contains(by) || by == "default" {
                    names.extend(import.known_as.as_deref());
                }
            }
            for (index, mention) in read.uses().mentions.iter().enumerate() {
                if !roles.contains(&mention.role) || !names.contains(mention.name.trim_end_matches('!')) {
                    continue;
                }
                let landed = self.resolve_mention(file, index)?;
                let is_it = match &landed {
                    MentionTarget::On(spot, ..) => *spot == of,
                    MentionTarget::Among(spots, _) => spots.contains(&of),
                    MentionTarget::Nowhere => false,
                };
                if is_it {
                    found.push((file, index, landed));
                }
            }
        }
        Ok(found)
    }
}
