//! From what a user or a model wrote to a file that is there.

use wellread_text::{composed, fold};

use super::Vault;
use crate::corpus::{VaultFolder, VaultPath};
use crate::ports::Listing;
use crate::{Error, Kind, Result};

const NOTE_ENDINGS: [&str; 3] = ["md", "markdown", "txt"];

impl Vault {
    /// The file that a path means. The ending may be left out where only one note fits.
    pub fn locate(&self, written: &str) -> Result<VaultPath> {
        let path = self.rules.file(written)?;
        let exact = match self.files.find(&path) {
            Ok(Some(_)) => return Ok(path),
            Ok(None) => None,
            // A folder of that name does not hide the note of that name.
            Err(error) if error.kind() == Kind::Invalid => Some(error),
            Err(error) => return Err(error),
        };
        let mut fitting = Vec::new();
        let mut refused = None;
        for ending in NOTE_ENDINGS {
            let Ok(path) = self.rules.file(&format!("{path}.{ending}")) else { continue };
            match self.files.find(&path) {
                Ok(Some(_)) => fitting.push(path),
                Err(error) if error.kind() == Kind::Refused => refused = Some(error),
                _ => {}
            }
        }
        // What is there and must not be touched is not said to be missing.
        match (fitting.len(), exact.or(refused)) {
            (1, _) => Ok(fitting.remove(0)),
            (0, Some(error)) => Err(error),
            (0, None) => self.spelled_otherwise(&path)?.ok_or_else(|| self.not_found(path.as_str())),
            _ => Err(Error::invalid(format!("several files fit `{path}`: {}", list(&fitting)))
                .at(path.as_str())
                .hint("give the path with its ending")),
        }
    }

    /// A file whose name is the same but composed differently: some file systems keep `é` as two characters, and nobody
    /// types it so.
    fn spelled_otherwise(&self, path: &VaultPath) -> Result<Option<VaultPath>> {
        if path.as_str().is_ascii() {
            return Ok(None);
        }
        let wanted = composed(path.as_str());
        let fits = |found: &VaultPath| {
            let found = composed(found.as_str());
            found == wanted || found.strip_suffix(".md") == Some(&wanted)
        };
        let mut fitting = self.files.list()?.files.into_iter().map(|entry| entry.path).filter(fits);
        let only = fitting.next();
        Ok(if fitting.next().is_none() { only } else { None })
    }

    /// Where a new note goes: a name without an ending is a note's.
    pub fn vacancy(&self, written: &str) -> Result<VaultPath> {
        let path = self.rules.file(written)?;
        self.with_ending(path, Some("md"), written)
    }

    /// The path with this ending where it has none. The bare name of a folder is refused: whoever gives one means to put
    /// something into the folder, and would get a note that is called like it.
    pub fn with_ending(&self, path: VaultPath, ending: Option<&str>, written: &str) -> Result<VaultPath> {
        let Some(ending) = ending.filter(|_| path.ending().is_none()) else { return Ok(path) };
        match self.files.find(&path) {
            Err(error) if error.kind() == Kind::Invalid => {
                let error =
                    Error::invalid(format!("`{written}` is a folder where a file is meant")).at(written);
                Err(error
                    .hint(format!("give the file's name too; a note beside the folder is `{path}.{ending}`")))
            }
            _ => self.rules.file(&format!("{path}.{ending}")),
        }
    }

    /// A folder that is in the listing.
    pub fn listed_folder(&self, written: &str, listing: &Listing) -> Result<VaultFolder> {
        let folder = self.rules.folder(written)?;
        let name = folder.as_str();
        if name.is_empty() || listing.folders.iter().any(|known| known == name) {
            return Ok(folder);
        }
        let error = Error::not_found(format!("Folder not found: {name}")).at(name);
        let near = listing.folders.iter().find(|known| fold(known) == fold(name));
        Err(match near {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error,
        })
    }

    fn not_found(&self, path: &str) -> Error {
        let error = Error::not_found(format!("File not found: {path}")).at(path);
        match self.nearest(path).as_slice() {
            [] => error.hint("paths are relative to the vault; search for the note by words that are in it"),
            near => error.hint(format!("did you mean {}?", list(near))),
        }
    }

    /// The files whose names are most like what was asked for, best first.
    fn nearest(&self, wanted: &str) -> Vec<VaultPath> {
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

fn list(paths: &[VaultPath]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}
