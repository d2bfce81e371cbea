//! What is stored about code besides its passages: what files define and use, so that a name can be followed.

use std::sync::Arc;

use wellread_text::{Definition, SymbolKind, Uses};

use crate::Result;
use crate::domain::corpus::{CorpusName, Hash, VaultPath};

/// Definitions and uses of source files. [`super::Index::apply`] changes them, together with the passages.
pub trait Symbols: Send + Sync {
    /// What a file defines and uses; `None` if the file is not in the index, or is not source code.
    fn structure(&self, corpus: &CorpusName, path: &VaultPath) -> Result<Option<StoredStructure>>;

    /// The definitions with exactly this name, sorted by path and line.
    fn find_definitions(&self, corpus: &CorpusName, name: &str) -> Result<Vec<StoredSymbol>>;

    /// Definitions whose names contain this part, ignoring case, shortest names first.
    fn find_definitions_containing(
        &self,
        corpus: &CorpusName,
        part: &str,
        limit: usize,
    ) -> Result<Vec<StoredSymbol>>;

    /// The files that use, import or inherit from something with this name, sorted by path.
    fn find_using_files(&self, corpus: &CorpusName, name: &str) -> Result<Vec<VaultPath>>;

    /// The source files, sorted by path, each with its language.
    fn source_files(&self, corpus: &CorpusName) -> Result<Vec<(VaultPath, String)>>;
}

/// What a file defines and uses, according to its text alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Structure {
    /// The definitions in the order of the text, outer ones before those inside them.
    pub definitions: Vec<Definition>,
    /// The names that the file uses.
    pub uses: Uses,
}

impl Structure {
    /// Every name that the file mentions, imports or inherits from, sorted, each once.
    pub fn names(&self) -> Vec<&str> {
        let uses = &self.uses;
        let mentions = uses.mentions.iter().map(|mention| mention.name.as_str());
        let imports = uses.imports.iter().flat_map(|import| {
            let last = last_part(&import.module);
            [Some(last), import.name.as_deref(), import.known_as.as_deref()].into_iter().flatten()
        });
        let bases = uses.bases.iter().filter_map(|base| base.of.last()).map(String::as_str);
        let mut names: Vec<&str> =
            mentions.chain(imports).chain(bases).filter(|name| !matches!(*name, "" | "*")).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The last part of a module path, without a file extension: `util` of `./lib/util.js`, `b` of `a::b`.
fn last_part(module: &str) -> &str {
    let file = module.rsplit(['/', '\\']).next().unwrap_or(module);
    let stem = ["h", "hpp", "hh", "hxx", "js", "mjs", "cjs", "jsx", "ts", "tsx", "json"]
        .iter()
        .find_map(|ending| file.strip_suffix(ending)?.strip_suffix('.'));
    match stem {
        Some(stem) => stem,
        None => file.rsplit(['.', ':']).next().unwrap_or(file),
    }
}

/// A file's structure, as of the version with this hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredStructure {
    /// The hash of the file's content.
    pub hash: Hash,
    /// The file's language.
    pub language: String,
    /// What the file defines and uses.
    pub structure: Arc<Structure>,
}

/// A definition, found by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSymbol {
    /// The corpus that the file belongs to.
    pub corpus: CorpusName,
    /// The file's path.
    pub path: VaultPath,
    /// Its index among the definitions of its file.
    pub at: usize,
    /// The symbol's name.
    pub name: String,
    /// The name, qualified with the names of the definitions around it.
    pub qualified: String,
    /// The kind of definition.
    pub kind: SymbolKind,
    /// The first and the last line, from 1, both included.
    pub lines: (usize, usize),
}
