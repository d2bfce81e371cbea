//! Keeping the index level with the files: what changed is read, cut up and put in; nothing else is touched.
//!
//! Dates and sizes only say what may be left alone; what a file holds is told by its hash. An update can be ended at
//! any moment: a file is in the index as a whole or not at all, and the next update goes on from there.

mod following;
mod heard;
mod links;
mod prepare;
mod scanned;
mod update;
mod vectors;

use std::sync::Arc;

pub use following::{Followed, Following};
pub use heard::HeardFiles;
pub use links::IndexedLinks;
pub use prepare::embedded_text;
pub use scanned::ScannedLinks;
pub use update::{Progress, Updated};
pub use vectors::{Embedded, embed_pending};

use crate::corpus::{CorpusName, VaultPath};
use crate::ports::{Clock, Corpus, FileContent, Index, Passages, Symbols, Vectors};
use crate::{Error, Result};

/// All that can be searched, and the index over it.
#[derive(Clone)]
pub struct Library {
    pub corpora: Vec<(CorpusName, Arc<dyn Corpus>)>,
    /// Corpora that can't be reached now. What is known of them is kept for when they can.
    pub away: Vec<CorpusName>,
    pub index: Arc<dyn Index>,
    pub passages: Arc<dyn Passages>,
    pub vectors: Arc<dyn Vectors>,
    pub symbols: Arc<dyn Symbols>,
    pub clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&CorpusName> = self.corpora.iter().map(|(name, _)| name).collect();
        f.debug_struct("Library").field("corpora", &names).finish_non_exhaustive()
    }
}

impl Library {
    pub fn corpus(&self, name: &CorpusName) -> Result<&Arc<dyn Corpus>> {
        self.corpora.iter().find(|(known, _)| known == name).map(|(_, corpus)| corpus).ok_or_else(|| {
            let known: Vec<&str> = self.repositories().collect();
            let error = Error::not_found(format!("there is no repository `{name}`"));
            if known.is_empty() {
                error.hint("`wellread repo add DIR` adds one")
            } else {
                error.hint(format!("there are: {}", known.join(", ")))
            }
        })
    }

    pub fn repositories(&self) -> impl Iterator<Item = &str> {
        self.corpora.iter().filter_map(|(name, _)| name.repository())
    }

    pub fn read(&self, corpus: &CorpusName, path: &VaultPath) -> Result<FileContent> {
        self.corpus(corpus)?.read(path)
    }
}
