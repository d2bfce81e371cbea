//! The vault and the library as a model on another machine may see them: private notes do not exist there.
//!
//! They are left out of every listing, lookup, ranking and count, so that nothing a model is told depends on them. Edits
//! go through to the real files. A test compares two vaults that differ only in their private notes.

mod files;
mod index;
mod past_names;
mod repository;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use files::{PublicFiles, PublicLinks};
use index::{PublicPassages, PublicVectors};
use past_names::NameChanges;
pub use past_names::{NoteFate, PastNames, ReadPeriod, SharedRepositories};
pub use repository::VaultGuard;
use wellread_text::FileNames;

use crate::Result;
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::library::indexing::{Library, NameCache};
use crate::library::search::Searcher;
use crate::library::vault::Vault;
use crate::ports::{Corpus, FileEntry, FileListing, FileStamp};

/// What of a vault can be seen.
#[derive(Clone, Default)]
pub struct Visibility {
    /// The vault with its private notes, if this is a view without them.
    pub whole: Option<Arc<Vault>>,
    /// The repositories that share files with it.
    pub shared: Arc<SharedRepositories>,
    known: Arc<PrivacyCache>,
}

/// Which files are private, as long as they are unchanged, and the last lists of the others.
#[derive(Default)]
struct PrivacyCache {
    judged: Mutex<HashMap<VaultPath, (FileEntry, bool)>>,
    /// The list of all files, and that of the public ones among them.
    listing: Mutex<Option<(Arc<FileListing>, Arc<FileListing>)>>,
    /// The names in the last list of public files.
    names: NameCache,
    name_changes: Mutex<Option<Arc<NameChanges>>>,
}

impl Visibility {
    /// That of a whole vault which shares files with these repositories.
    pub fn of_whole(shared: SharedRepositories) -> Self {
        Self { shared: Arc::new(shared), ..Self::default() }
    }
}

impl Vault {
    /// This vault without its private notes.
    #[must_use]
    pub fn without_private(&self) -> Self {
        if self.visibility.whole.is_some() {
            return self.clone();
        }
        let whole = Arc::new(self.clone());
        let files = Arc::new(PublicFiles { whole: whole.clone() });
        let links = Arc::new(PublicLinks { whole: whole.clone() });
        let visibility = Visibility { whole: Some(whole), ..self.visibility.clone() };
        Self { files, links, visibility, ..self.clone() }
    }

    /// Whether this is a view without private notes.
    pub fn hides_private(&self) -> bool {
        self.visibility.whole.is_some()
    }

    /// The vault with its private notes.
    pub fn whole(&self) -> &Self {
        self.visibility.whole.as_deref().unwrap_or(self)
    }

    /// Whether a file can be seen here: always, unless this is a view without private notes and it is one.
    pub fn is_visible(&self, path: &VaultPath) -> bool {
        !self.hides_private() || self.files.find(path).is_ok_and(|found| found.is_some())
    }

    /// Whether a listed file is private. The answer is kept until the file changes; that of a file with several paths is
    /// not, as it depends on all of them.
    fn is_private_entry(&self, entry: &FileEntry) -> bool {
        let cache = || self.visibility.known.judged.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, private)) = cache().get(&entry.path).filter(|(known, _)| known == entry) {
            return *private;
        }
        let private = self.is_private(&entry.path);
        if !entry.linked && FileStamp::from_entry(entry, self.clock.now().timestamp()).settled {
            cache().insert(entry.path.clone(), (entry.clone(), private));
        }
        private
    }

    /// The public files of this vault. While its files are the same, so is the list.
    fn list_public(&self) -> Result<Arc<FileListing>> {
        let all = self.files.share_list()?;
        let mut kept = self.visibility.known.listing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, public)) = kept.as_ref().filter(|(known, _)| Arc::ptr_eq(known, &all)) {
            return Ok(public.clone());
        }
        *kept = None;
        let now = self.clock.now().timestamp();
        let can_keep = all.files.iter().all(|entry| FileStamp::from_entry(entry, now).settled);
        let files = all.files.iter().filter(|entry| !self.is_private_entry(entry)).cloned().collect();
        let public = Arc::new(public_listing(files));
        if can_keep {
            *kept = Some((all, public.clone()));
        }
        Ok(public)
    }

    /// Only those of these files that are public.
    fn retain_public(&self, mut paths: Vec<VaultPath>) -> Result<Vec<VaultPath>> {
        let public = self.list_public()?;
        paths.retain(|path| public.files.binary_search_by(|entry| entry.path.cmp(path)).is_ok());
        Ok(paths)
    }

    /// The names of the public files of this vault.
    fn list_public_names(&self) -> Result<Arc<FileNames>> {
        Ok(self.visibility.known.names.names(&self.list_public()?))
    }
}

/// A list of these files. Folders without one of them are left out, and so is what could not be read: it may be private.
fn public_listing(files: Vec<FileEntry>) -> FileListing {
    let parents = |entry: &FileEntry| {
        let path = entry.path.as_str();
        path.match_indices('/').map(|(at, _)| path[..at].to_owned()).collect::<Vec<_>>()
    };
    let folders: BTreeSet<String> = files.iter().flat_map(parents).collect();
    FileListing { files, folders: folders.into_iter().collect(), skipped: Vec::new() }
}

impl Searcher {
    /// This search without the private notes of a vault.
    #[must_use]
    pub fn without_private(&self, vault: &Vault) -> Self {
        let library = Arc::new(self.library.without_private(vault));
        Self { library, ..self.clone() }
    }
}

impl Library {
    /// This library without the private notes of a vault. Updates still go to the whole index.
    fn without_private(self: &Arc<Self>, vault: &Vault) -> Self {
        if self.whole.is_some() {
            return (**self).clone();
        }
        let public = Arc::new(vault.without_private());
        let view = |name: &CorpusName, corpus: &Arc<dyn Corpus>| match name {
            CorpusName::Vault => {
                let whole = public.visibility.whole.clone().unwrap_or_else(|| public.clone());
                Arc::new(PublicFiles { whole }) as Arc<dyn Corpus>
            }
            CorpusName::Repository(_) => corpus.clone(),
        };
        let corpora = self.corpora.iter().map(|(name, corpus)| (name.clone(), view(name, corpus)));
        Self {
            corpora: corpora.collect(),
            passages: Arc::new(PublicPassages { whole: self.passages.clone(), vault: public.clone() }),
            vectors: Arc::new(PublicVectors { whole: self.vectors.clone(), vault: public }),
            whole: Some(self.clone()),
            ..(**self).clone()
        }
    }
}
