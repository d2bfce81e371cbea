//! A vault and a repository on a real disk, with the real index over both.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::VaultFiles;
use wellread_adapters::index::SqliteIndex;
use wellread_adapters::repository::RepositoryFiles;
use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, Place, VaultPath};
use wellread_core::library::indexing::{EmbedSummary, Library, UpdateSummary, embed_pending};
use wellread_core::library::judge::JudgeRules;
use wellread_core::library::search::{Hit, SearchAnswer, SearchMode, SearchRequest, Searcher};
use wellread_core::ports::IndexUpkeep as _;
use wellread_core::ports::{
    Clock, Corpus, Embedder, EmbeddingModel, EmbeddingPurpose, Index, IntegrityCheck, PassageFilter,
};
pub use wellread_testkit::Random;
use wellread_testkit::{FixedClock, WordCountEmbedder};

/// A folder with a vault, a repository and the data beside them.
pub struct Shelf {
    folder: TempDir,
}

impl Shelf {
    /// Paths that begin with `repo/` are the repository's.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
        let shelf = Self { folder };
        for name in ["vault", "repo", "data"] {
            fs::create_dir(shelf.root().join(name)).unwrap();
        }
        for (path, text) in files {
            shelf.save(path, text);
        }
        shelf
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn data(&self) -> PathBuf {
        self.root().join("data")
    }

    pub fn file(&self, path: &str) -> PathBuf {
        file(self.root(), path)
    }

    pub fn save(&self, path: &str, bytes: impl AsRef<[u8]>) {
        save(self.root(), path, bytes);
    }

    pub fn open(&self) -> Opened {
        Opened::at(self.root())
    }

    /// What a new index of the same files comes to.
    pub fn fresh_digest(&self) -> String {
        fresh_digest(self.root())
    }
}

pub fn file(root: &Path, path: &str) -> PathBuf {
    if path.starts_with("repo/") { root.join(path) } else { root.join("vault").join(path) }
}

pub fn save(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = file(root, path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

pub fn fresh_digest(root: &Path) -> String {
    let data = tempfile::tempdir_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
    let fresh = Opened::with(root, data.path(), "shelf");
    fresh.library.update(false, &|_| {}).unwrap();
    fresh.index.digest().unwrap()
}

/// As one process has it open.
pub struct Opened {
    pub index: Arc<SqliteIndex>,
    pub library: Arc<Library>,
}

impl Opened {
    pub fn at(root: &Path) -> Self {
        Self::with(root, &root.join("data"), "shelf")
    }

    pub fn with(root: &Path, data: &Path, vault: &str) -> Self {
        let index = Arc::new(SqliteIndex::new(data, vault));
        let files = VaultFiles::open(&root.join("vault"), &root.join("journal"), &[]).unwrap();
        let repository = RepositoryFiles::open(&root.join("repo")).unwrap();
        let library = Library {
            corpora: vec![(CorpusName::Vault, Arc::new(files)), (hivelog(), Arc::new(repository))],
            away: Vec::new(),
            index: index.clone(),
            passages: index.clone(),
            vectors: index.clone(),
            symbols: index.clone(),
            clock: Arc::new(SystemClock),
            rules: JudgeRules::default(),
            whole: None,
            memory: Default::default(),
        };
        Self { index, library: Arc::new(library) }
    }

    /// The same with another port in place of its own.
    pub fn changed(self, change: impl FnOnce(&mut Library)) -> Self {
        let mut library = (*self.library).clone();
        change(&mut library);
        Self { library: Arc::new(library), ..self }
    }

    /// On a clock that is far ahead: every file was changed long ago, and its date is believed.
    pub fn long_after(self) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(FixedClock::parse("2100-01-01T00:00[+00:00]"));
        self.changed(|library| library.clock = clock)
    }

    pub fn with_corpus(self, wrap: impl Fn(Arc<dyn Corpus>) -> Arc<dyn Corpus>) -> Self {
        self.changed(|library| {
            for (_, corpus) in &mut library.corpora {
                *corpus = wrap(corpus.clone());
            }
        })
    }

    /// As a command brings it level with the files: after a look at it, and once more where it was damaged.
    pub fn update(&self) -> Result<UpdateSummary> {
        self.index.check_integrity(IntegrityCheck::Whole)?;
        self.mended(|| self.library.update(false, &|_| {}))
    }

    pub fn mended<T>(&self, act: impl Fn() -> Result<T>) -> Result<T> {
        match act() {
            Err(error) if self.index.is_damaged() => {
                self.index.begin_anew(error.message())?;
                self.library.update(false, &|_| {})?;
                act()
            }
            done => done,
        }
    }

    pub fn embed(&self, embedder: &dyn Embedder) -> Result<EmbedSummary> {
        embed_pending(&self.library, embedder, &|| {}, &|_| true)
    }

    pub fn search(&self, query: &str, mode: SearchMode) -> Result<SearchAnswer> {
        let request = SearchRequest {
            query: query.to_owned(),
            mode,
            filter: PassageFilter::default(),
            limit: 200,
            per_file: 200,
        };
        let (library, embedder) = (self.library.clone(), Arc::new(WordCountEmbedder));
        Searcher { library, embedder, sync: Arc::default() }.find(&request)
    }

    /// The hits by words.
    pub fn hits(&self, query: &str) -> Vec<Hit> {
        self.search(query, SearchMode::Keyword).unwrap().hits
    }

    /// Where the words stand, as `path:line`, sorted.
    pub fn places(&self, query: &str) -> Vec<String> {
        let mut places: Vec<String> = self.hits(query).iter().map(|hit| place(&hit.place)).collect();
        places.sort();
        places
    }

    pub fn check_digest(&self, root: &Path, when: &str) {
        assert_eq!(self.index.digest().unwrap(), fresh_digest(root), "{when}");
    }
}

fn place(place: &Place) -> String {
    let repository = if place.corpus == CorpusName::Vault { "" } else { "repo/" };
    format!("{repository}{}:{}", place.path, place.lines.0)
}

pub fn hivelog() -> CorpusName {
    CorpusName::Repository("hivelog".to_owned())
}

pub fn vault_path(written: &str) -> VaultPath {
    wellread_testkit::path_rules().parse_file(written).unwrap()
}

/// Remembers what was embedded.
#[derive(Default)]
pub struct Counting {
    texts: Mutex<Vec<String>>,
}

impl Counting {
    pub fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.texts.lock().unwrap())
    }
}

impl Embedder for Counting {
    fn model(&self) -> Result<EmbeddingModel> {
        WordCountEmbedder.model()
    }

    fn embed(&self, texts: &[&str], purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>> {
        self.texts.lock().unwrap().extend(texts.iter().map(|&text| text.to_owned()));
        WordCountEmbedder.embed(texts, purpose)
    }
}

/// The index is asked through this where a test needs the port.
pub fn version(opened: &Opened) -> u64 {
    opened.index.read_state().unwrap().version
}
