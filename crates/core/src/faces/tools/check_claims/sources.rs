//! Reads sources: notes, folders, files of repositories, and pages.

use std::collections::HashMap;

use super::super::Ctx;
use super::{ClaimSource, ReadOrigins};
use crate::domain::corpus::{CorpusName, PathRules, VaultPath, normalize_address};
use crate::domain::decision::UserDecision;
use crate::domain::evidence::{Ledger, Source};
use crate::engine::log;
use crate::ports::{FetchableUrl, PageLimits};
use crate::{Error, ErrorKind, Result};

/// The most files of a folder, and the most bytes of all sources together.
const MOST_FILES: usize = 5000;
const MOST_BYTES: usize = 64 << 20;
/// The most characters of a page.
const PAGE_CHARS: usize = 1_000_000;
const NOT_READ: &str =
    "the page was not read: name it as a source, or allow fetching cited pages (`--fetch`)";
/// How many runs are searched for a page, newest first.
const SEARCHED_RUNS: usize = 500;

/// Reads sources, each once.
pub(super) struct SourceReader<'a> {
    ctx: &'a Ctx,
    /// The user's decision that cited pages are fetched.
    fetches: Option<UserDecision>,
    /// What was read: each a name and a text.
    pub documents: Vec<(String, String)>,
    /// The numbers of documents by what was asked for, or why there is none.
    known: HashMap<String, Result<usize, String>>,
    pub origins: ReadOrigins,
}

impl<'a> SourceReader<'a> {
    /// An error if pages are to be fetched and the user did not ask for it.
    pub fn new(ctx: &'a Ctx, fetch: bool) -> Result<Self> {
        let fetches = if fetch { Some(ctx.user_decision().map_err(|_| only_user_fetches())?) } else { None };
        let (documents, known) = (Vec::new(), HashMap::new());
        Ok(Self { ctx, fetches, documents, known, origins: ReadOrigins::default() })
    }

    /// Reads the sources that were named.
    pub async fn read_given(&mut self, sources: &[ClaimSource]) -> Result<Vec<(String, String)>> {
        let mut given: Vec<(String, String)> = Vec::new();
        for source in sources {
            match source {
                ClaimSource::Text { name, text } => given.push((name.clone(), text.clone())),
                ClaimSource::Named(name) if normalize_address(name).is_some() => {
                    given.push(self.read_named_page(name).await?);
                }
                ClaimSource::Named(name) => given.extend(self.read_named(name)?),
            }
            if given.iter().map(|(_, text)| text.len()).sum::<usize>() > MOST_BYTES {
                return Err(Error::invalid(format!("the sources have more than {} MiB", MOST_BYTES >> 20))
                    .hint("name fewer files"));
            }
        }
        Ok(given)
    }

    /// A page that the caller names: fetched for the user, otherwise as earlier research read it.
    async fn read_named_page(&mut self, url: &str) -> Result<(String, String)> {
        self.origins.is_outside = true;
        if let Ok(by) = self.ctx.user_decision() {
            let fetched = self.fetch(url, by).await;
            return fetched
                .map(|text| (url.to_owned(), text))
                .map_err(|why| Error::new(ErrorKind::Unavailable, format!("`{url}` can't be read: {why}")));
        }
        self.find_stored_page(url)?.map(|text| (url.to_owned(), text)).ok_or_else(only_user_fetches)
    }

    /// A note, the notes and other texts of a folder, or a file of a repository.
    fn read_named(&mut self, name: &str) -> Result<Vec<(String, String)>> {
        let vault = &self.ctx.vault;
        let missing = match vault.locate(name) {
            Ok(path) => {
                self.origins.files.push(path.to_string());
                return Ok(vec![(path.to_string(), vault.read(&path)?.text)]);
            }
            Err(error) => error,
        };
        let listing = vault.files.list()?;
        if let Ok(folder) = vault.find_folder(name, &listing) {
            let inside = format!("{}/", folder.as_str());
            let is_inside =
                |path: &VaultPath| folder.as_str().is_empty() || path.as_str().starts_with(&inside);
            let files: Vec<VaultPath> =
                listing.files.into_iter().map(|entry| entry.path).filter(is_inside).collect();
            if files.len() > MOST_FILES {
                let message =
                    format!("the folder `{name}` has {} files, more than {MOST_FILES}", files.len());
                return Err(Error::invalid(message).hint("name a smaller folder"));
            }
            // What is not text is no source.
            let texts = files.iter().filter_map(|path| Some((path.to_string(), vault.read(path).ok()?.text)));
            let texts: Vec<(String, String)> = texts.collect();
            self.origins.files.extend(texts.iter().map(|(path, _)| path.clone()));
            return Ok(texts);
        }
        let (repository, path) =
            name.split_once(": ").map_or((None, name), |(name, path)| (Some(name), path));
        match self.read_repository_file(repository, path) {
            Some(found) => Ok(vec![found]),
            None => Err(missing),
        }
    }

    /// The number of the file that a text cites; `None` if there is none. Paths are relative to the text or to a root.
    pub fn read_file(&mut self, repository: Option<&str>, path: &str, from: &str) -> Result<Option<usize>> {
        let key = format!("{}\n{path}", repository.unwrap_or_default());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone().ok());
        }
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = wellread_text::join_path(path, folder);
        let candidates = beside.iter().map(String::as_str).chain([path]);
        let vault = &self.ctx.vault;
        let in_vault = repository
            .is_none()
            .then(|| {
                candidates.filter_map(|path| vault.locate(path).ok()).find_map(|path| vault.read(&path).ok())
            })
            .flatten();
        let found = match in_vault {
            Some(note) => {
                self.origins.files.push(note.path.to_string());
                Some((note.path.to_string(), note.text))
            }
            None => self.read_repository_file(repository, path),
        };
        Ok(self.keep(key, found.ok_or_else(String::new)).ok())
    }

    fn keep(&mut self, key: String, found: Result<(String, String), String>) -> Result<usize, String> {
        let number = found.map(|document| {
            self.documents.push(document);
            self.documents.len() - 1
        });
        self.known.insert(key, number.clone());
        number
    }

    /// A text file of the named repository, or of the first that has one at this path.
    fn read_repository_file(&mut self, repository: Option<&str>, path: &str) -> Option<(String, String)> {
        let path = PathRules::new([], &[]).parse_file(path).ok()?;
        let found = self.ctx.search.library.corpora.iter().find_map(|(name, corpus)| {
            let CorpusName::Repository(name) = name else { return None };
            let content =
                corpus.read(&path).ok().filter(|_| repository.is_none_or(|wanted| wanted == name))?;
            Some((format!("{name}: {path}"), String::from_utf8(content.bytes).ok()?))
        });
        self.origins.is_outside |= found.is_some();
        found
    }

    /// The number of the page that a text cites, or why it can't be read.
    pub async fn read_cited_page(&mut self, url: &str) -> Result<Result<usize, String>> {
        let Some(key) = normalize_address(url) else { return Ok(Err("it is no web address".to_owned())) };
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        self.origins.is_outside = true;
        let text = match self.fetches {
            Some(by) => self.fetch(url, by).await,
            None => self.find_stored_page(url)?.ok_or_else(|| NOT_READ.to_owned()),
        };
        Ok(self.keep(key, text.map(|text| (url.to_owned(), text))))
    }

    async fn fetch(&self, url: &str, by: UserDecision) -> Result<String, String> {
        if self.ctx.reach.offline {
            return Err("nothing is fetched offline".to_owned());
        }
        let limits =
            PageLimits { time: self.ctx.research.settings.page_time, bytes: u64::MAX, chars: PAGE_CHARS };
        let page = self.ctx.reach.pages.fetch(&FetchableUrl::from_user(url, by), limits).await;
        page.map(|page| page.text.expose().to_owned()).map_err(|failure| failure.message().to_owned())
    }

    /// The text of a page as the newest run that read it stored it.
    fn find_stored_page(&self, url: &str) -> Result<Option<String>> {
        let wanted = normalize_address(url);
        let research = &self.ctx.research;
        for run in research.runs.records.runs("", SEARCHED_RUNS)? {
            let events = log::read_shown_run(&*research.runs.records, &self.ctx.vault, &run.id);
            let Ok(events) = events else { continue };
            let ledger = log::ledger(&run.id, &events);
            let pages = ledger.entries().iter().filter_map(|entry| entry.source.page());
            let found = pages.filter(|page| normalize_address(&page.url) == wanted);
            for page in found {
                if let Some(text) = research.snapshots.load(page.snapshot)? {
                    return Ok(Some(text));
                }
            }
        }
        Ok(None)
    }

    /// Notes whose words evidence repeats.
    pub fn note_origins(&mut self, ledger: &Ledger) {
        for entry in ledger.entries() {
            match &entry.source {
                Source::Note(place) => self.origins.files.push(place.path.to_string()),
                _ => self.origins.is_outside = true,
            }
        }
    }
}

fn only_user_fetches() -> Error {
    Error::refused("only the user can have a page fetched").hint(
        "without that, a page counts that earlier research has read; the user can run `wellread verify --source URL`",
    )
}
