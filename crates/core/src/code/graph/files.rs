//! The files of a repository as the graph uses them, each read once for a query.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use wellread_text::{CargoManifest, Definition, Language, Mention, SymbolKind, Uses};

use super::meaning::is_data;
use super::paths::{join_path, parent_folder};
use crate::code::codebase::Codebase;
use crate::domain::corpus::{Hash, VaultPath};
use crate::ports::Structure;
use crate::{Error, Result};

/// Identifies a node: a definition by its file and index, or a file's code outside any definition (`at` is `None`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeKey {
    /// The index among the source files, which are sorted by path.
    pub file: usize,
    pub at: Option<usize>,
}

impl NodeKey {
    pub fn module(file: usize) -> Self {
        Self { file, at: None }
    }

    pub fn definition(file: usize, at: usize) -> Self {
        Self { file, at: Some(at) }
    }
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct GraphFile {
    pub path: VaultPath,
    pub language: Language,
    /// The hash of the indexed version.
    pub hash: Hash,
    structure: Arc<Structure>,
    /// Definitions by their own name.
    named: OnceLock<HashMap<String, Vec<usize>>>,
    /// Mentions by the definition that runs them.
    mentions: OnceLock<BTreeMap<Option<usize>, Vec<usize>>>,
}

impl GraphFile {
    pub fn definitions(&self) -> &[Definition] {
        &self.structure.definitions
    }

    pub fn uses(&self) -> &Uses {
        &self.structure.uses
    }

    pub fn definition(&self, at: Option<usize>) -> Option<&Definition> {
        self.structure.definitions.get(at?)
    }

    /// The indexes of the definitions with this name, at any nesting.
    pub fn definitions_named(&self, name: &str) -> &[usize] {
        let named = self.named.get_or_init(|| {
            let mut named: HashMap<String, Vec<usize>> = HashMap::new();
            for (at, definition) in self.definitions().iter().enumerate() {
                named.entry(definition.name.clone()).or_default().push(at);
            }
            named
        });
        named.get(name).map_or(&[], Vec::as_slice)
    }

    /// The definition with this qualified name; one with a body is preferred to a declaration.
    pub fn find_qualified(&self, qualified: &str) -> Option<usize> {
        let name = qualified.rsplit('.').next().unwrap_or(qualified);
        let all = self
            .definitions_named(name)
            .iter()
            .copied()
            .filter(|&at| self.structure.definitions[at].qualified == qualified);
        all.min_by_key(|&at| (!self.structure.definitions[at].has_body, at))
    }

    /// The definition that runs the code of a mention: data and the text before a signature are run by the code around
    /// them. `None` for code outside any definition.
    pub fn runner(&self, mention: usize) -> Option<usize> {
        self.uses().mentions.get(mention).and_then(|mention| find_runner(self.definitions(), mention))
    }

    /// The mentions that this definition runs, in the order of the text.
    pub fn mentions_run_by(&self, at: Option<usize>) -> &[usize] {
        let mentions = self.mentions.get_or_init(|| {
            let mut mentions: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
            for (index, mention) in self.uses().mentions.iter().enumerate() {
                mentions.entry(find_runner(self.definitions(), mention)).or_default().push(index);
            }
            mentions
        });
        mentions.get(&at).map_or(&[], Vec::as_slice)
    }

    /// The qualified name of what a definition belongs to: `Store` for `Store.open`, empty at the top level.
    pub fn owner_name(&self, at: usize) -> &str {
        let definition = &self.structure.definitions[at];
        let own = definition.qualified.len() - definition.name.len().min(definition.qualified.len());
        definition.qualified[..own].trim_end_matches('.')
    }

    /// Whether a definition belongs directly to this one; with `None`, to the file.
    pub fn is_directly_in(&self, at: usize, scope: Option<usize>) -> bool {
        let scope = self.definition(scope).map_or("", |scope| scope.qualified.as_str());
        self.owner_name(at) == scope
    }

    pub fn kind(&self, at: usize) -> SymbolKind {
        self.structure.definitions[at].kind
    }
}

/// The source files of a repository within a scope.
#[derive(Debug, Default)]
struct SourceTable {
    sources: Vec<(VaultPath, Option<Language>)>,
    by_path: HashMap<String, usize>,
    by_folder: HashMap<String, Vec<usize>>,
    /// The files by name, extension included.
    by_name: HashMap<String, Vec<usize>>,
}

impl SourceTable {
    fn new(codebase: &Codebase) -> Result<Self> {
        let mut table = Self::default();
        let sources = codebase.sources()?.into_iter();
        table.sources = sources.map(|(path, language)| (path, Language::from_name(&language))).collect();
        table.sources.sort();
        for (index, (path, _)) in table.sources.iter().enumerate() {
            table.by_path.insert(path.as_str().to_owned(), index);
            table.by_folder.entry(path.folder().to_owned()).or_default().push(index);
            table.by_name.entry(path.name().to_owned()).or_default().push(index);
        }
        Ok(table)
    }
}

pub(super) struct GraphFiles<'a> {
    /// When queries give up.
    pub until: Option<Instant>,
    codebase: &'a Codebase,
    /// The version of the index when the query began.
    version: u64,
    table: Arc<SourceTable>,
    read: RefCell<HashMap<usize, Option<Arc<GraphFile>>>>,
    defined: RefCell<HashMap<String, Arc<Vec<NodeKey>>>>,
    using: RefCell<HashMap<String, Arc<Vec<usize>>>>,
    /// The texts of files that are not code, such as manifests; `None` if there is no such file.
    texts: RefCell<HashMap<String, Option<Arc<str>>>>,
}

impl<'a> GraphFiles<'a> {
    pub fn new(codebase: &'a Codebase) -> Result<Self> {
        let version = codebase.library.index.read_state()?.version;
        let key = codebase.memory_key("sources", "");
        let table = codebase.library.memory.find_or_compute(version, key, || {
            let table = SourceTable::new(codebase)?;
            let rows = table.sources.len();
            Ok((table, rows))
        })?;
        Ok(Self {
            until: None,
            codebase,
            version,
            table,
            read: RefCell::default(),
            defined: RefCell::default(),
            using: RefCell::default(),
            texts: RefCell::default(),
        })
    }

    pub fn path(&self, file: usize) -> &VaultPath {
        &self.table.sources[file].0
    }

    pub fn language(&self, file: usize) -> Option<Language> {
        self.table.sources[file].1
    }

    /// Whether the languages of two files allow them to use each other's definitions.
    pub fn are_related(&self, one: usize, other: usize) -> bool {
        match (self.language(one), self.language(other)) {
            (Some(one), Some(other)) => one.is_related_to(other),
            (one, other) => one == other,
        }
    }

    /// The source at exactly this path.
    pub fn find_path(&self, path: &str) -> Option<usize> {
        self.table.by_path.get(path).copied()
    }

    /// The source files directly in this folder, sorted by path.
    pub fn files_in_folder(&self, folder: &str) -> &[usize] {
        self.table.by_folder.get(folder).map_or(&[], Vec::as_slice)
    }

    /// Whether there are source files below this folder.
    pub fn has_folder(&self, folder: &str) -> bool {
        let from = self.table.sources.partition_point(|(path, _)| path.as_str() < folder);
        let below = |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        self.table.sources[from..]
            .iter()
            .take_while(|(path, _)| path.as_str().starts_with(folder))
            .any(|(path, _)| below(path.as_str()))
    }

    /// The folders with source files whose path is this one or ends with it, sorted.
    pub fn folders_ending(&self, ending: &str) -> Vec<&str> {
        let mut found: Vec<&str> = self
            .table
            .by_folder
            .keys()
            .map(String::as_str)
            .filter(|folder| ends_with_path(folder, ending))
            .collect();
        found.sort_unstable();
        found
    }

    /// The source files whose path is this one or ends with it.
    pub fn files_with_suffix(&self, path: &str) -> Vec<usize> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let same = self.table.by_name.get(name).map_or(&[][..], Vec::as_slice);
        same.iter().copied().filter(|&file| ends_with_path(self.path(file).as_str(), path)).collect()
    }

    pub fn read(&self, file: usize) -> Result<Option<Arc<GraphFile>>> {
        if self.until.is_some_and(|until| Instant::now() > until) {
            return Err(Error::failed("it took too long and was stopped")
                .hint("ask for fewer steps, or name a scope"));
        }
        if let Some(known) = self.read.borrow().get(&file) {
            return Ok(known.clone());
        }
        let path = self.path(file);
        let stored = self.codebase.structure(path)?;
        let read = stored.and_then(|stored| {
            let language = Language::from_name(&stored.language)?;
            Some(Arc::new(GraphFile {
                path: path.clone(),
                language,
                hash: stored.hash,
                structure: stored.structure,
                named: OnceLock::new(),
                mentions: OnceLock::new(),
            }))
        });
        self.read.borrow_mut().insert(file, read.clone());
        Ok(read)
    }

    /// The definitions with exactly this name, sorted by path and line.
    pub fn find_definitions(&self, name: &str) -> Result<Arc<Vec<NodeKey>>> {
        if let Some(known) = self.defined.borrow().get(name) {
            return Ok(known.clone());
        }
        let found = self.codebase.find_definitions(name)?;
        let spots = found
            .iter()
            .filter_map(|symbol| Some(NodeKey::definition(self.find_path(symbol.path.as_str())?, symbol.at)));
        let mut spots: Vec<NodeKey> = spots.collect();
        spots.sort_unstable();
        let spots = Arc::new(spots);
        self.defined.borrow_mut().insert(name.to_owned(), spots.clone());
        Ok(spots)
    }

    /// The files that use, import or inherit from something with this name, sorted by path.
    pub fn files_using(&self, name: &str) -> Result<Arc<Vec<usize>>> {
        if let Some(known) = self.using.borrow().get(name) {
            return Ok(known.clone());
        }
        let found = self.codebase.files_using(name)?;
        let mut files: Vec<usize> = found.iter().filter_map(|path| self.find_path(path.as_str())).collect();
        files.sort_unstable();
        let files = Arc::new(files);
        self.using.borrow_mut().insert(name.to_owned(), files.clone());
        Ok(files)
    }

    /// The manifest that this is the text of.
    pub fn parse_manifest(&self, text: &str) -> Arc<CargoManifest> {
        let key = format!("manifest {}", Hash::compute(text.as_bytes()));
        let parsed = self.codebase.library.memory.find_or_compute(self.version, key, || {
            let manifest = CargoManifest::parse(text);
            let rows = 1 + manifest.dependencies.len();
            Ok((manifest, rows))
        });
        parsed.unwrap_or_default()
    }

    /// The text of any file, such as a manifest; `None` if it does not exist or is outside the scope.
    pub fn text(&self, path: &str) -> Option<Arc<str>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        let read = self.codebase.parse_path(path).and_then(|path| self.codebase.read(&path));
        let text = read.ok().map(|source| Arc::from(source.text));
        self.texts.borrow_mut().insert(path.to_owned(), text.clone());
        text
    }

    /// The nearest file with this name in a folder or above it: the folder that it is in, and its text.
    pub fn find_text_above<'f>(&self, folder: &'f str, name: &str) -> Option<(&'f str, Arc<str>)> {
        let mut at = folder;
        loop {
            if let Some(text) = self.text(&join_path(at, name)) {
                return Some((at, text));
            }
            if at.is_empty() {
                return None;
            }
            at = parent_folder(at);
        }
    }
}

fn ends_with_path(path: &str, ending: &str) -> bool {
    path == ending || path.strip_suffix(ending).is_some_and(|rest| rest.ends_with('/'))
}

fn find_runner(definitions: &[Definition], mention: &Mention) -> Option<usize> {
    let mut at = mention.within;
    while let Some(definition) = at.and_then(|at| definitions.get(at)) {
        let is_before = mention.span.start < definition.signature.start;
        if !is_before && !is_data(definition.kind) {
            break;
        }
        at = definition.parent;
    }
    at
}
