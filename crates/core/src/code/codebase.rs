//! One repository under research: its files and what they define and use, within a scope.
//!
//! Every step of code research goes through here, so that nothing outside the repository or the scope is read, named or
//! counted, whatever path is given. Read-only: nothing in a repository is run or changed.

mod modules;
mod scope;
mod selection;
mod symbols;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use wellread_text::LineIndex;

pub use modules::module_names;
pub use scope::Scope;
pub use symbols::{CodeSymbol, MODULE, SymbolId, SymbolMatches, SymbolQuery, dotted_name};

use crate::domain::corpus::{CorpusName, Hash, PathRules, Place, VaultPath};
use crate::library::indexing::Library;
use crate::ports::{StoredStructure, StoredSymbol};
use crate::{Error, Result};

/// A repository, restricted to a scope.
#[derive(Debug, Clone)]
pub struct Codebase {
    /// The library that the repository belongs to.
    pub library: Arc<Library>,
    /// The repository.
    pub corpus: CorpusName,
    /// The files that may be read.
    pub scope: Scope,
    rules: PathRules,
    decoded: Arc<Mutex<StructureCache>>,
}

/// A cache of structures from the index, valid for one version of it.
#[derive(Debug, Default)]
struct StructureCache {
    version: u64,
    files: HashMap<VaultPath, Option<StoredStructure>>,
}

/// The most structures in the cache; it is cleared when it is full.
const MOST_DECODED: usize = 256;

/// The current text of a file.
#[derive(Debug, Clone)]
pub struct SourceText {
    /// The file's path.
    pub path: VaultPath,
    /// The text.
    pub text: String,
    /// The hash of the content.
    pub hash: Hash,
}

impl Codebase {
    /// A repository of the library, restricted to the scope. An error if there is no such repository.
    pub fn new(library: Arc<Library>, repository: &str, scope: Scope) -> Result<Self> {
        let corpus = CorpusName::Repository(repository.to_owned());
        library.corpus(&corpus)?;
        Ok(Self { library, corpus, scope, rules: PathRules::new([], &[]), decoded: Arc::default() })
    }

    /// The name of the repository.
    pub fn name(&self) -> &str {
        self.corpus.repository().unwrap_or_default()
    }

    /// The key of an answer about what is in the scope, in the memory of the library.
    pub(super) fn memory_key(&self, kind: &str, question: &str) -> String {
        [kind, self.name(), self.scope.written(), question].join("\u{1f}")
    }

    /// The commit that is checked out, if the repository is under version control.
    pub fn commit(&self) -> Option<String> {
        self.library.corpus(&self.corpus).ok().and_then(|corpus| corpus.head_commit())
    }

    /// Parses a file's path, with or without the repository's name before it. An error if it is outside the repository
    /// or the scope. The file need not exist.
    pub fn parse_path(&self, written: &str) -> Result<VaultPath> {
        let written = written.trim();
        let own = written.strip_prefix(self.name()).and_then(|rest| rest.strip_prefix(':'));
        let path = self.rules.parse_file(own.map_or(written, str::trim_start)).map_err(|error| {
            Error::new(error.kind(), error.message().replace("the vault", "the repository"))
                .with_path(written.chars().take(200).collect::<String>())
                .hint("give a path relative to the repository")
        })?;
        self.scope.ensure_contains(&path)?;
        Ok(path)
    }

    /// Reads a file. An error if it is outside the scope, does not exist, or is not UTF-8.
    pub fn read(&self, path: &VaultPath) -> Result<SourceText> {
        self.scope.ensure_contains(path)?;
        let content = self.library.read(&self.corpus, path).map_err(|error| {
            let message = error.message().replace("the vault", "the repository");
            Error::new(error.kind(), message).with_path(path.as_str())
        })?;
        let text = String::from_utf8(content.bytes)
            .map_err(|_| Error::invalid(format!("`{path}` is not readable text")).with_path(path.as_str()))?;
        Ok(SourceText { path: path.clone(), text, hash: content.hash })
    }

    /// What a file defines and uses, according to the index; `None` if it is outside the scope or is not indexed code.
    pub fn structure(&self, path: &VaultPath) -> Result<Option<StoredStructure>> {
        if !self.scope.contains(path) {
            return Ok(None);
        }
        let version = self.library.index.read_state()?.version;
        let mut decoded = self.decoded.lock().unwrap_or_else(PoisonError::into_inner);
        if decoded.version != version || decoded.files.len() >= MOST_DECODED {
            *decoded = StructureCache { version, files: HashMap::new() };
        }
        if let Some(known) = decoded.files.get(path) {
            return Ok(known.clone());
        }
        let read = self.library.symbols.structure(&self.corpus, path)?;
        decoded.files.insert(path.clone(), read.clone());
        Ok(read)
    }

    /// The definitions with exactly this name, within the scope.
    pub fn find_definitions(&self, name: &str) -> Result<Vec<StoredSymbol>> {
        Ok(self.retain_in_scope(self.library.symbols.find_definitions(&self.corpus, name)?))
    }

    /// Definitions within the scope whose names contain this part, at most `limit`.
    pub fn find_similar_symbols(&self, part: &str, limit: usize) -> Result<Vec<StoredSymbol>> {
        // The scope may exclude the first ones.
        let most = if self.scope.is_all() { limit } else { limit.saturating_mul(50) };
        let mut found = self.retain_in_scope(self.library.symbols.find_definitions_containing(
            &self.corpus,
            part,
            most,
        )?);
        found.truncate(limit);
        Ok(found)
    }

    /// The files within the scope that use something with this name.
    pub fn files_using(&self, name: &str) -> Result<Vec<VaultPath>> {
        let mut files = self.library.symbols.find_using_files(&self.corpus, name)?;
        files.retain(|path| self.scope.contains(path));
        Ok(files)
    }

    /// The source files within the scope, each with its language.
    pub fn sources(&self) -> Result<Vec<(VaultPath, String)>> {
        let mut files = self.library.symbols.source_files(&self.corpus)?;
        files.retain(|(path, _)| self.scope.contains(path));
        Ok(files)
    }

    fn retain_in_scope(&self, mut found: Vec<StoredSymbol>) -> Vec<StoredSymbol> {
        found.retain(|symbol| self.scope.contains(&symbol.path));
        found
    }
}

impl SourceText {
    /// The number of lines of the text.
    pub fn line_count(&self) -> usize {
        LineIndex::new(&self.text).count()
    }

    /// The lines from `first` to `last`, from 1, both included, without the last one's line ending, and their place. A
    /// `last` beyond the end means the end.
    pub fn lines(&self, corpus: &CorpusName, first: usize, last: usize) -> Result<(Place, String)> {
        let lines = LineIndex::new(&self.text);
        let last = last.min(lines.count());
        let Some(whole) = lines.span(first, last) else {
            return Err(Error::invalid(format!(
                "`{}` has {} lines; there are no lines {first} to {last}",
                self.path,
                lines.count()
            ))
            .with_path(self.path.as_str())
            .hint("lines count from 1, and the last is not before the first"));
        };
        let shown = &self.text[whole.clone()];
        let mark = if shown.starts_with(wellread_text::BOM) { wellread_text::BOM.len_utf8() } else { 0 };
        // Only the last line's own ending is removed, not blank lines before it.
        let end = shown.strip_suffix('\n').map_or(shown, |rest| rest.strip_suffix('\r').unwrap_or(rest));
        let span = whole.start + mark..whole.start + end.len().max(mark);
        let text = self.text[span.clone()].to_owned();
        let place = Place {
            corpus: corpus.clone(),
            path: self.path.clone(),
            lines: (first, last),
            span,
            hash: self.hash,
        };
        Ok((place, text))
    }
}
