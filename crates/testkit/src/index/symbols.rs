//! The structure of code: what files define and use.

use std::sync::Arc;

use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{IndexedFile, StoredStructure, StoredSymbol, Structure, Symbols};

use super::{MemoryIndex, MemoryIndexState};

impl MemoryIndexState {
    /// A corpus' files of code.
    fn code_files<'a>(
        &'a self,
        corpus: &'a CorpusName,
    ) -> impl Iterator<Item = (&'a VaultPath, &'a IndexedFile, &'a Structure)> {
        self.files.iter().filter_map(move |((name, path), stored)| {
            let file = stored.file.as_ref().filter(|_| name == corpus)?;
            Some((path, file, file.structure.as_ref()?))
        })
    }

    fn find_symbols(&self, corpus: &CorpusName, wanted: impl Fn(&str) -> bool) -> Vec<StoredSymbol> {
        let of = |(path, _, structure): (&VaultPath, &IndexedFile, &Structure)| {
            let definitions = structure.definitions.iter().enumerate();
            let wanted =
                definitions.filter(|(_, found)| wanted(&found.name)).map(|(at, found)| StoredSymbol {
                    corpus: corpus.clone(),
                    path: path.clone(),
                    at,
                    name: found.name.clone(),
                    qualified: found.qualified.clone(),
                    kind: found.kind,
                    lines: found.lines,
                });
            wanted.collect::<Vec<_>>()
        };
        self.code_files(corpus).flat_map(of).collect()
    }
}

impl Symbols for MemoryIndex {
    fn structure(&self, corpus: &CorpusName, path: &VaultPath) -> Result<Option<StoredStructure>> {
        let state = self.state();
        let found = state.code_files(corpus).find(|(known, ..)| *known == path);
        Ok(found.map(|(_, file, structure)| StoredStructure {
            hash: file.hash,
            language: file.language.unwrap_or_default().to_owned(),
            structure: Arc::new(structure.clone()),
        }))
    }

    fn find_definitions(&self, corpus: &CorpusName, name: &str) -> Result<Vec<StoredSymbol>> {
        Ok(self.state().find_symbols(corpus, |known| known == name))
    }

    fn find_definitions_containing(
        &self,
        corpus: &CorpusName,
        part: &str,
        limit: usize,
    ) -> Result<Vec<StoredSymbol>> {
        let part = part.to_ascii_lowercase();
        let mut found = self.state().find_symbols(corpus, |known| known.to_ascii_lowercase().contains(&part));
        found.sort_by(|one, other| {
            let key = |symbol: &StoredSymbol| (symbol.name.chars().count(), symbol.name.clone());
            key(one).cmp(&key(other))
        });
        found.truncate(limit);
        Ok(found)
    }

    fn find_using_files(&self, corpus: &CorpusName, name: &str) -> Result<Vec<VaultPath>> {
        let state = self.state();
        let files = state.code_files(corpus).filter(|(_, _, structure)| structure.names().contains(&name));
        Ok(files.map(|(path, ..)| path.clone()).collect())
    }

    fn source_files(&self, corpus: &CorpusName) -> Result<Vec<(VaultPath, String)>> {
        let state = self.state();
        let files = state
            .code_files(corpus)
            .filter_map(|(path, file, _)| Some((path.clone(), file.language?.to_owned())));
        Ok(files.collect())
    }
}
