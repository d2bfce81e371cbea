//! The links of the vault, from the index.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use wellread_text::Names;

use super::{Followed, Following, Library, ScannedLinks};
use crate::corpus::{CorpusName, VaultPath};
use crate::ports::{FileState, LinkIndex, Mentions, Skipped, Which};
use crate::{Error, Result};

/// Finds links in the index. It is level with the files when it is asked: because somebody follows them, or else by a
/// look at every file's date. Where the index can't be used, the notes are read.
pub struct IndexedLinks {
    library: Arc<Library>,
    following: Arc<Following>,
    otherwise: ScannedLinks,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    level_since: Option<Instant>,
    /// The names, and the version of the index that they are of.
    names: Option<(u64, Arc<Names>)>,
}

/// The questions of one call come closer together than this; one look at the files serves them all.
const ONE_CALL: Duration = Duration::from_millis(100);

impl std::fmt::Debug for IndexedLinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("IndexedLinks")
    }
}

impl IndexedLinks {
    pub fn new(library: Arc<Library>, otherwise: ScannedLinks, following: Arc<Following>) -> Self {
        Self { library, following, otherwise, kept: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn level(&self) -> Result<()> {
        let just_now = self.kept().level_since.is_some_and(|then| then.elapsed() < ONE_CALL);
        match self.following.now() {
            Followed::Level => Ok(()),
            // Nobody waits for an index that is being made: the notes are there.
            Followed::Behind => Err(Error::failed("the index is being made")),
            Followed::Nobody if just_now => Ok(()),
            Followed::Nobody => self.update(),
        }
    }

    fn update(&self) -> Result<()> {
        // To make a whole index takes longer than to read the notes once.
        if !self.library.index.standing()?.complete {
            return Err(Error::failed("there is no index yet"));
        }
        self.library.update_one(&CorpusName::Vault)?;
        self.kept().level_since = Some(Instant::now());
        Ok(())
    }

    fn indexed_names(&self) -> Result<Arc<Names>> {
        self.level()?;
        let version = self.library.index.standing()?.version;
        let mut kept = self.kept();
        if let Some((_, names)) = kept.names.as_ref().filter(|(known, _)| *known == version) {
            return Ok(names.clone());
        }
        let known = self.library.index.known(&CorpusName::Vault, Which::All)?;
        let names = Arc::new(Names::of(known.into_iter().map(|file| file.path.as_str().to_owned())));
        kept.names = Some((version, names.clone()));
        Ok(names)
    }

    fn indexed_named(&self, keys: &[String]) -> Result<Names> {
        self.level()?;
        let files = self.library.passages.named(&CorpusName::Vault, keys)?;
        Ok(Names::of(files.iter().map(VaultPath::as_str)))
    }

    fn indexed_mentions(&self, keys: &[String]) -> Result<Mentions> {
        self.level()?;
        let notes = self.library.passages.linking(&CorpusName::Vault, keys)?;
        let skipped = self.library.index.known(&CorpusName::Vault, Which::Skipped)?;
        let skipped = skipped.into_iter().filter_map(|file| match file.state {
            // Its links are known, if nothing else.
            FileState::Skipped(reason) if !notes.contains(&file.path) => {
                Some(Skipped { path: file.path.to_string(), reason })
            }
            _ => None,
        });
        let skipped = skipped.collect();
        Ok(Mentions { notes, skipped })
    }
}

impl LinkIndex for IndexedLinks {
    fn settle(&self) -> Result<()> {
        if self.following.now() != Followed::Behind {
            // Where this fails, the questions that follow are answered from the notes.
            let _ = self.update();
        }
        Ok(())
    }

    fn names(&self) -> Result<Arc<Names>> {
        self.indexed_names().or_else(|_| self.otherwise.names())
    }

    fn named(&self, keys: &[String]) -> Result<Names> {
        self.indexed_named(keys).or_else(|_| self.otherwise.named(keys))
    }

    fn mentioning(&self, keys: &[String]) -> Result<Mentions> {
        self.indexed_mentions(keys).or_else(|_| self.otherwise.mentioning(keys))
    }
}
