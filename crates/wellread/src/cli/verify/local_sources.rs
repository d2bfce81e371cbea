//! Sources on the command line: what each `--source` names, and the texts of files and folders outside the vault.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use wellread_core::domain::corpus::normalize_address;
use wellread_core::faces::tools::ClaimSource;
use wellread_core::library::vault::Vault;
use wellread_core::{Error, Result};

use crate::app::App;
use crate::platform::canonicalize_existing;
use crate::private_files::PrivateFiles;
use crate::wiring::pages::{self, PageHints};

/// The largest file that is read.
const LARGEST_FILE: u64 = 16 * 1024 * 1024;
/// The most files of a folder.
const MOST_FILES: usize = 5000;
/// How long reading a saved page or a PDF may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Reads what is named on the command line.
pub struct LocalSources<'a> {
    pub app: &'a App,
    /// The vault, or a view of it without private notes.
    pub vault: &'a Vault,
    /// The private files, if they are as if they were not there.
    pub hidden: Option<&'a PrivateFiles>,
}

impl LocalSources<'_> {
    /// What a `--source` names: an address, a note or folder of the vault, a file of a repository, or a file or folder beside
    /// the vault.
    pub fn read_source(&self, named: &str) -> Result<Vec<ClaimSource>> {
        let by_name = || Ok(vec![ClaimSource::Named(named.to_owned())]);
        let vault = self.vault;
        if normalize_address(named).is_some() {
            return by_name();
        }
        let missing = match vault.locate(named) {
            Ok(_) => return by_name(),
            Err(error) => error,
        };
        if let Some((name, text)) = self.read_file_if_seen(named)? {
            return Ok(vec![ClaimSource::Text { name, text }]);
        }
        if !named.trim().is_empty() && vault.find_folder(named, &vault.files.list()?).is_ok() {
            return by_name();
        }
        if Path::new(named).is_dir() {
            return self.read_folder(Path::new(named));
        }
        let is_repository = |name: &str| self.app.library.repositories().any(|known| known == name);
        if named.split_once(": ").is_some_and(|(name, _)| is_repository(name)) {
            return by_name();
        }
        Err(Error::not_found(missing.message()).hint(missing.hint_text().unwrap_or_default()))
    }

    /// The text of a file; `None` if there is none here.
    pub fn read_file_if_seen(&self, named: &str) -> Result<Option<(String, String)>> {
        if !Path::new(named).is_file() {
            return Ok(None);
        }
        let is_hidden = |text: &str| {
            let file = canonicalize_existing(Path::new(named));
            self.hidden.is_some_and(|hidden| hidden.is_ours(&file) && hidden.is_private(&file, text))
        };
        match read_file(named) {
            Ok((_, text)) if is_hidden(&text) => Ok(None),
            Err(_) if is_hidden("") => Ok(None),
            read => read.map(Some),
        }
    }

    /// The text files below a folder. Hidden ones, links, and what is not text are left out.
    fn read_folder(&self, folder: &Path) -> Result<Vec<ClaimSource>> {
        let found = list_folder(folder)?;
        let texts = found.iter().filter_map(|path| self.read_file_if_seen(path.to_str()?).ok().flatten());
        let texts: Vec<ClaimSource> = texts
            .filter(|(_, text)| !text.contains('\0'))
            .map(|(name, text)| ClaimSource::Text { name, text })
            .collect();
        if texts.is_empty() {
            return Err(Error::invalid(format!("`{}` has no text files", folder.display())));
        }
        Ok(texts)
    }
}

/// The text of a file: as it is, or the main content of an HTML page or a PDF.
pub fn read_file(named: &str) -> Result<(String, String)> {
    let unreadable = |why: String| Error::invalid(format!("`{named}` can't be read: {why}")).with_path(named);
    let size = fs::metadata(named).map_err(|error| unreadable(error.to_string()))?.len();
    if size > LARGEST_FILE {
        return Err(unreadable(format!("it is larger than {} MiB", LARGEST_FILE >> 20)));
    }
    let bytes = fs::read(named).map_err(|error| unreadable(error.to_string()))?;
    let name = Path::new(named).file_name().and_then(|name| name.to_str());
    let ending = name.and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending.to_ascii_lowercase());
    if matches!(ending.as_deref(), Some("html" | "htm" | "pdf")) {
        let hints = PageHints { content_type: None, url: None, name };
        let page = pages::read_saved_page(&bytes, hints, PATIENCE)?;
        let page = page.map_err(|why| unreadable(why.message().to_owned()))?;
        return Ok((named.to_owned(), page.markdown));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((named.to_owned(), text)),
        Err(_) => Err(unreadable("it is not UTF-8 text".to_owned())),
    }
}

/// The files below a folder, in order. Hidden ones and links are left out.
fn list_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let shown = folder.display();
    let (mut found, mut folders): (Vec<PathBuf>, Vec<PathBuf>) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder)
            .map_err(|error| Error::invalid(format!("`{}` can't be read: {error}", folder.display())))?;
        for entry in entries.filter_map(std::io::Result::ok) {
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_hidden => folders.push(entry.path()),
                Ok(kind) if kind.is_file() && !is_hidden => found.push(entry.path()),
                _ => {}
            }
        }
        if found.len() > MOST_FILES {
            return Err(Error::invalid(format!("`{shown}` has more than {MOST_FILES} files"))
                .hint("name a smaller folder"));
        }
    }
    found.sort();
    Ok(found)
}
