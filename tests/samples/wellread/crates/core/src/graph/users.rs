//! Where a definition may be used: the names that it goes by, and the files that have them.

use std::collections::BTreeSet;

use wellread_text::{Language, Role};

use super::files::Spot;
use super::meaning::{Family, is_type};
use super::modules::{above, joined, stem};
use super::resolve::Landed;
use super::{Graph, builtin};
use crate::Result;

/// More files than are looked through for the uses of one name.
pub(super) const MOST_FILES: usize = 400;
/// More names than anything goes by.
const MOST_NAMES: usize = 24;

/// Files in which something may be used, by the names that it goes by there.
#[derive(Debug, Default)]
pub(super) struct Users {
    pub names: Vec<String>,
    pub files: Vec<usize>,
    /// How many further files have one of the names and were not looked at.
    pub left_out: usize,
}

impl Graph<'_> {
    /// The files that may use a definition.
    pub(super) fn users(&self, of: Spot) -> Result<Users> {
        let Some(read) = self.files.read(of.file)? else { return Ok(Users::default()) };
        let Some(definition) = read.definition(of.at) else { return self.importers(of.file) };
        let mut names = self.names_of(of, &definition.name)?;
        if is_type(definition.kind) && read.language == Language::Python {
            names.insert("cls".to_owned());
        }
        if builtin::is_constructor(read.language, definition)
            && let Some(owner) = self.owner(of)?
        {
            // It goes by the names of its class, and of those that inherit it.
            names.remove(&definition.name);
            names.extend(self.names_of_heirs(owner)?);
            names.extend(["super", "this", "cls"].map(str::to_owned));
            if builtin::constructor(read.language).is_some() {
                names.insert(definition.name.clone());
            }
        }
        self.files_with(of.file, names)
    }

    /// The files that may import a file.
    fn importers(&self, file: usize) -> Result<Users> {
        let mut names = BTreeSet::from([self.files.imported_as(file).to_owned()]);
        let path = self.files.path(file);
        names.insert(stem(path).to_owned());
        match self.files.language(file) {
            // A package goes by its folder, and the one at the root by the name of the whole.
            Some(Language::Go) => {
                names.extend(path.folder().rsplit('/').next().map(str::to_owned));
                names.extend(self.go_module(path.folder()));
            }
            Some(Language::Rust) => {
                names.extend(
                    self.crates().iter().filter(|(_, root)| **root == file).map(|(name, _)| name.clone()),
                );
                names.extend(["crate".to_owned(), "super".to_owned(), "self".to_owned()]);
            }
            Some(Language::Java | Language::Kotlin | Language::CSharp) => {
                names.extend(path.folder().rsplit('/').next().map(str::to_owned));
            }
            _ => {}
        }
        if let Some(read) = self.files.read(file)? {
            let top = (0..read.definitions().len()).filter(|&at| read.is_right_in(at, None));
            names.extend(top.take(200).map(|at| read.definitions()[at].name.clone()));
        }
        self.files_with(file, names)
    }

    /// The last part of the name under which a module of Go is known.
    fn go_module(&self, folder: &str) -> Option<String> {
        let mut at = folder;
        loop {
            if let Some(manifest) = self.files.text(&joined(at, "go.mod")) {
                let name = manifest.lines().find_map(|line| line.trim().strip_prefix("module "))?;
                return name.trim().rsplit('/').next().map(str::to_owned);
            }
            if at.is_empty() {
                return None;
            }
            at = above(at);
        }
    }

    /// The names by which others know a definition: its own, and those that it is handed on by.
    pub(super) fn names_of(&self, of: Spot, name: &str) -> Result<BTreeSet<String>> {
        let mut names = BTreeSet::from([name.to_owned()]);
        let is_script = self.files.language(of.file).map(Family::of) == Some(Family::Script);
        let mut open = vec![name.to_owned()];
        if is_script {
            // Who imports what a script exports without a name gives it one.
            let module = self.files.imported_as(of.file).to_owned();
            self.aliases(&module, "default", &mut names, &mut open)?;
        }
        while let Some(next) = open.pop() {
            if names.len() >= MOST_NAMES {
                break;
            }
            self.aliases(&next, &next, &mut names, &mut open)?;
        }
        Ok(names)
    }

    /// The names that imports of `name` give it, in the files that use `by`.
    fn aliases(
        &self,
        by: &str,
        name: &str,
        names: &mut BTreeSet<String>,
        open: &mut Vec<String>,
    ) -> Result<()> {
        for &user in self.files.using(by)?.iter().take(MOST_FILES) {
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

    /// The names of a class and of all that build on it.
    fn names_of_heirs(&self, class: Spot) -> Result<BTreeSet<String>> {
        let (mut names, mut seen, mut open) = (BTreeSet::new(), BTreeSet::from([class]), vec![class]);
        while let Some(next) = open.pop() {
            let Some(read) = self.files.read(next.file)? else { continue };
            let Some(definition) = read.definition(next.at).filter(|found| is_type(found.kind)) else {
                continue;
            };
            names.extend(self.names_of(next, &definition.name)?);
            for built in self.heirs(next)? {
                if seen.len() < 100 && seen.insert(built.heir) {
                    open.push(built.heir);
                }
            }
        }
        Ok(names)
    }

    fn files_with(&self, from: usize, names: BTreeSet<String>) -> Result<Users> {
        let mut files = BTreeSet::new();
        for name in &names {
            files.extend(self.files.using(name)?.iter().copied());
        }
        let family = self.files.language(from).map(Family::of);
        let mut files: Vec<usize> =
            files.into_iter().filter(|&file| self.files.language(file).map(Family::of) == family).collect();
        let left_out = files.len().saturating_sub(MOST_FILES);
        if left_out > 0 {
            // The nearest first: whoever is in the same folder, then whoever speaks of the same file.
            let module = self.files.imported_as(from);
            let speaking: BTreeSet<usize> = self.files.using(module)?.iter().copied().collect();
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
        Ok(Users { names: names.into_iter().collect(), files, left_out })
    }

    /// Every mention that lands on a definition or may: file, mention, and on what.
    pub(super) fn mentions_of(
        &self,
        of: Spot,
        users: &Users,
        roles: &[Role],
    ) -> Result<Vec<(usize, usize, Landed)>> {
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
                let landed = self.landed(file, index)?;
                let is_it = match &landed {
                    Landed::On(spot, ..) => *spot == of,
                    Landed::Among(spots, _) => spots.contains(&of),
                    Landed::Nowhere => false,
                };
                if is_it {
                    found.push((file, index, landed));
                }
            }
        }
        Ok(found)
    }
}
