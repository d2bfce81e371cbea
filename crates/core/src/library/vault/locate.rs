//! Resolves what a user or a model wrote to an existing file.

use wellread_text::{fold, to_nfc};

use super::Vault;
use crate::domain::corpus::{VaultFolder, VaultPath};
use crate::ports::FileListing;
use crate::{Error, ErrorKind, Result, WayOut};

const NOTE_ENDINGS: [&str; 3] = ["md", "markdown", "txt"];

impl Vault {
    /// The file that a path means. The extension may be left out if only one note matches.
    pub fn locate(&self, written: &str) -> Result<VaultPath> {
        let path = self.rules.parse_file(written)?;
        self.find_existing(&path)?.ok_or_else(|| self.not_found_error(path.as_str()))
    }

    /// The same for a parsed path; `None` if there is no such file. Lists no files to suggest another.
    pub(super) fn find_existing(&self, path: &VaultPath) -> Result<Option<VaultPath>> {
        let exact = match self.files.find(path) {
            Ok(Some(_)) => return Ok(Some(path.clone())),
            Ok(None) => None,
            // A folder of that name does not hide the note of that name.
            Err(error) if error.kind() == ErrorKind::Invalid => Some(error),
            Err(error) => return Err(error),
        };
        let mut fitting = Vec::new();
        let mut refused = None;
        for ending in NOTE_ENDINGS {
            let Ok(path) = self.rules.parse_file(&format!("{path}.{ending}")) else { continue };
            match self.files.find(&path) {
                Ok(Some(_)) => fitting.push(path),
                Err(error) if error.kind() == ErrorKind::Refused => refused = Some(error),
                _ => {}
            }
        }
        // A file that exists and must not be touched is not reported as missing.
        match (fitting.len(), exact.or(refused)) {
            (1, _) => Ok(fitting.pop()),
            (0, Some(error)) => Err(error),
            (0, None) => self.find_other_spelling(path),
            _ => Err(Error::invalid(format!("several files match `{path}`: {}", render_paths(&fitting)))
                .with_path(path.as_str())
                .hint("give the path with its extension")),
        }
    }

    /// A file with the same name in another Unicode form: some file systems store `é` as two characters, which nobody
    /// types.
    fn find_other_spelling(&self, path: &VaultPath) -> Result<Option<VaultPath>> {
        if path.as_str().is_ascii() {
            return Ok(None);
        }
        let wanted = to_nfc(path.as_str());
        let fits = |found: &VaultPath| {
            let found = to_nfc(found.as_str());
            found == wanted || found.strip_suffix(".md") == Some(&wanted)
        };
        let mut fitting = self.files.list()?.files.into_iter().map(|entry| entry.path).filter(fits);
        let only = fitting.next();
        Ok(if fitting.next().is_none() { only } else { None })
    }

    /// The file that a note embeds under a name: one in the attachments folder first, then as any link is resolved.
    pub fn locate_embedded(&self, name: &str, note: &VaultPath) -> Result<VaultPath> {
        let folder = self.layout.attachments.trim_matches('/');
        if !folder.is_empty()
            && let Ok(path) = self.rules.parse_file(&format!("{folder}/{name}"))
            && self.files.find(&path).is_ok_and(|found| found.is_some())
        {
            return Ok(path);
        }
        match self.links.names()?.resolve(name, note.as_str()).path() {
            Some(path) => self.rules.parse_file(path),
            None => Err(Error::not_found(format!("File not found: {name}"))),
        }
    }

    /// The path of a new note: a name without an extension gets that of a note.
    pub fn new_note_path(&self, written: &str) -> Result<VaultPath> {
        let path = self.rules.parse_file(written)?;
        self.with_extension(path, Some("md"), written)
    }

    /// Adds the extension to a path that has none. The bare name of a folder is refused: whoever gives one wants to put
    /// something into the folder, and would get a note with the folder's name.
    pub fn with_extension(&self, path: VaultPath, ending: Option<&str>, written: &str) -> Result<VaultPath> {
        let Some(ending) = ending.filter(|_| path.extension().is_none()) else { return Ok(path) };
        match self.files.find(&path) {
            Err(error) if error.kind() == ErrorKind::Invalid => {
                let error = Error::invalid(format!("`{written}` is a folder, not a file")).with_path(written);
                Err(error
                    .hint(format!("give the file's name too; a note beside the folder is `{path}.{ending}`")))
            }
            _ => self.rules.parse_file(&format!("{path}.{ending}")),
        }
    }

    /// A folder that is in the listing.
    pub fn find_folder(&self, written: &str, listing: &FileListing) -> Result<VaultFolder> {
        let folder = self.rules.parse_folder(written)?;
        let name = folder.as_str();
        if name.is_empty() || listing.folders.iter().any(|known| known == name) {
            return Ok(folder);
        }
        let error = Error::not_found(format!("Folder not found: {name}")).with_path(name);
        let near = listing.folders.iter().find(|known| fold(known) == fold(name));
        Err(match near {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error,
        })
    }

    fn not_found_error(&self, path: &str) -> Error {
        let error = Error::not_found(format!("File not found: {path}")).with_path(path);
        match self.similar_paths(path).as_slice() {
            [] => error
                .hint("paths are relative to the vault; search for the note by words that are in it")
                .with_way_out(WayOut::Search),
            near => error.hint(format!("did you mean {}?", render_paths(near))),
        }
    }

    /// The files whose names are most similar to the wanted one, best first.
    fn similar_paths(&self, wanted: &str) -> Vec<VaultPath> {
        const ALIKE: f64 = 0.8;
        let Ok(listing) = self.files.list() else { return Vec::new() };
        let stem = |path: &str| fold(path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md"));
        let wanted = stem(wanted);
        let likeness = |path: VaultPath| {
            let name = stem(path.as_str());
            let part =
                wanted.len() > 3 && (name.contains(&wanted) || wanted.contains(&name) && name.len() > 3);
            let likeness = strsim::jaro_winkler(&wanted, &name).max(if part { ALIKE } else { 0.0 });
            (likeness >= ALIKE).then_some((likeness, path))
        };
        let mut near: Vec<_> = listing.files.into_iter().filter_map(|entry| likeness(entry.path)).collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        near.into_iter().take(3).map(|(_, path)| path).collect()
    }
}

fn render_paths(paths: &[VaultPath]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}
