//! One repository as it is researched: its files, what they define and use, within a scope.
//!
//! Every step of code research goes through here, so that nothing outside the repository or the scope is read, named or
//! counted, whatever path somebody writes. It only looks: nothing of a repository is run or changed.

mod chosen;
mod scope;
mod symbols;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use wellread_text::Lines;

pub use scope::Scope;
pub use symbols::{Definitions, MODULE, Sought, Symbol, SymbolId};

use crate::corpus::{CorpusName, Hash, PathRules, Place, VaultPath};
use crate::indexing::Library;
use crate::ports::{StoredStructure, StoredSymbol};
use crate::{Error, Result};

/// A repository, as far as the scope goes.
#[derive(Debug, Clone)]
pub struct Codebase {
    pub library: Arc<Library>,
    pub corpus: CorpusName,
    pub scope: Scope,
    rules: PathRules,
    decoded: Arc<Mutex<Decoded>>,
}

/// Structures that were read back from the index, as of one version of it.
#[derive(Debug, Default)]
struct Decoded {
    version: u64,
    files: HashMap<VaultPath, Option<StoredStructure>>,
}

/// More than these are not kept in hand.
const MOST_DECODED: usize = 256;

/// A file of the repository as it stands.
#[derive(Debug, Clone)]
pub struct SourceText {
    pub path: VaultPath,
    pub text: String,
    pub hash: Hash,
}

impl Codebase {
    /// A repository of the library. An empty scope is all of it.
    pub fn new(library: Arc<Library>, repository: &str, scope: Scope) -> Result<Self> {
        let corpus = CorpusName::Repository(repository.to_owned());
        library.corpus(&corpus)?;
        Ok(Self { library, corpus, scope, rules: PathRules::new([], &[]), decoded: Arc::default() })
    }

    pub fn name(&self) -> &str {
        self.corpus.repository().unwrap_or_default()
    }

    /// What is checked out, where the repository says so.
    pub fn commit(&self) -> Option<String> {
        self.library.corpus(&self.corpus).ok().and_then(|corpus| corpus.checked_out())
    }

    /// A file by the path that somebody wrote.
    pub fn path(&self, written: &str) -> Result<VaultPath> {
        let written = written.trim();
        let own = written.strip_prefix(self.name()).and_then(|rest| rest.strip_prefix(':'));
        let path = self.rules.file(own.map_or(written, str::trim_start)).map_err(|error| {
            Error::new(error.kind(), error.message().replace("the vault", "the repository"))
                .at(written.chars().take(200).collect::<String>())
                .hint("give a path relative to the repository")
        })?;
        self.scope.allow(&path)?;
        Ok(path)
    }

    pub fn read(&self, path: &VaultPath) -> Result<SourceText> {
        self.scope.allow(path)?;
        let content = self.library.read(&self.corpus, path).map_err(|error| {
            let message = error.message().replace("the vault", "the repository");
            Error::new(error.kind(), message).at(path.as_str())
        })?;
        let text = String::from_utf8(content.bytes)
            .map_err(|_| Error::invalid(format!("`{path}` is no text that can be read")).at(path.as_str()))?;
        Ok(SourceText { path: path.clone(), text, hash: content.hash })
    }

    /// What a file defines and uses, as the index knows it.
    pub fn structure(&self, path: &VaultPath) -> Result<Option<StoredStructure>> {
        if !self.scope.holds(path) {
            return Ok(None);
        }
        let version = self.library.index.standing()?.version;
        let mut decoded = self.decoded.lock().unwrap_or_else(PoisonError::into_inner);
        if decoded.version != version || decoded.files.len() >= MOST_DECODED {
            *decoded = Decoded { version, files: HashMap::new() };
        }
        if let Some(known) = decoded.files.get(path) {
            return Ok(known.clone());
        }
        let read = self.library.symbols.structure(&self.corpus, path)?;
        decoded.files.insert(path.clone(), read.clone());
        Ok(read)
    }

    /// The definitions of exactly this name.
    pub fn defined(&self, name: &str) -> Result<Vec<StoredSymbol>> {
        Ok(self.within(self.library.symbols.defined(&self.corpus, name)?))
    }

    /// Definitions whose names hold this.
    pub fn alike(&self, part: &str, limit: usize) -> Result<Vec<StoredSymbol>> {
        // The scope may leave out the first of them.
        let most = if self.scope.is_all() { limit } else { limit.saturating_mul(50) };
        let mut found = self.within(self.library.symbols.alike(&self.corpus, part, most)?);
        found.truncate(limit);
        Ok(found)
    }

    /// The files that use something of this name.
    pub fn using(&self, name: &str) -> Result<Vec<VaultPath>> {
        let mut files = self.library.symbols.using(&self.corpus, name)?;
        files.retain(|path| self.scope.holds(path));
        Ok(files)
    }

    /// The files of code with their languages.
    pub fn sources(&self) -> Result<Vec<(VaultPath, String)>> {
        let mut files = self.library.symbols.sources(&self.corpus)?;
        files.retain(|(path, _)| self.scope.holds(path));
        Ok(files)
    }

    fn within(&self, mut found: Vec<StoredSymbol>) -> Vec<StoredSymbol> {
        found.retain(|symbol| self.scope.holds(&symbol.path));
        found
    }
}

impl SourceText {
    pub fn line_count(&self) -> usize {
        Lines::of(&self.text).count()
    }

    /// These lines, both included, without the last one's ending: the place and what stands there. A last line beyond the
    /// end is the end.
    pub fn lines(&self, corpus: &CorpusName, first: usize, last: usize) -> Result<(Place, String)> {
        let lines = Lines::of(&self.text);
        let last = last.min(lines.count());
        let Some(whole) = lines.span(first, last) else {
            return Err(Error::invalid(format!(
                "`{}` has {} lines; there are no lines {first} to {last}",
                self.path,
                lines.count()
            ))
            .at(self.path.as_str())
            .hint("lines count from 1, and the last is not before the first"));
        };
        let shown = &self.text[whole.clone()];
        let mark = if shown.starts_with(wellread_text::BOM) { wellread_text::BOM.len_utf8() } else { 0 };
        // The last line's own ending, and no blank lines before it.
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
