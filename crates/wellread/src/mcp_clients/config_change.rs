//! A change of a client's settings file: made whole or not at all, and never over what somebody else wrote meanwhile.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;

use wellread_core::{Error, Result};

/// What is added to a file's name for its backup.
const BACKUP: &str = ".wellread-backup";

/// What is to become of a client's settings.
#[derive(Debug)]
pub struct ConfigChange {
    /// The file, with links resolved.
    pub file: PathBuf,
    /// Its text now; nothing where there is no file.
    pub old: Option<String>,
    /// Its text after the change; nothing where it is removed again.
    pub new: Option<String>,
    /// Whether it has an entry of ours now.
    pub had_entry: bool,
}

impl ConfigChange {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.old == self.new
    }

    /// The lines that go and come.
    pub fn render_diff(&self) -> String {
        let lines = |text: &Option<String>| -> Vec<String> {
            text.iter().flat_map(|text| text.split_inclusive('\n')).map(str::to_owned).collect()
        };
        let (old, new) = (lines(&self.old), lines(&self.new));
        let same = |pair: &(&String, &String)| pair.0 == pair.1;
        let start = old.iter().zip(&new).take_while(same).count();
        let (old, new) = (&old[start..], &new[start..]);
        let end = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
        let shown = |mark: char, line: &String| format!("{mark}{}\n", line.trim_end_matches(['\n', '\r']));
        let gone = old[..old.len() - end].iter().map(|line| shown('-', line));
        gone.chain(new[..new.len() - end].iter().map(|line| shown('+', line))).collect()
    }

    /// Makes the change: whole or not at all. A file without an entry of ours is kept beside the new one: returns that path.
    pub fn apply(&self) -> Result<Option<PathBuf>> {
        self.check_unchanged()?;
        let permissions = fs::metadata(&self.file).ok().map(|found| found.permissions());
        let mut kept = None;
        if let Some(old) = self.old.as_deref().filter(|_| !self.had_entry) {
            let backup = backup_of(&self.file);
            replace(&backup, old, permissions.clone(), || Ok(()))?;
            kept = Some(backup);
        }
        match &self.new {
            Some(new) => replace(&self.file, new, permissions, || self.check_unchanged())?,
            None => {
                self.check_unchanged()?;
                fs::remove_file(&self.file).map_err(|error| write_error(&self.file, &error))?;
            }
        }
        Ok(kept)
    }

    /// Somebody may have saved in between.
    fn check_unchanged(&self) -> Result<()> {
        if read(&self.file)? == self.old {
            return Ok(());
        }
        Err(Error::conflict(format!("`{}` was changed at the same moment", self.file.display()))
            .hint("nothing was changed; try again"))
    }
}

/// The place of a file's backup.
pub fn backup_of(file: &Path) -> PathBuf {
    beside(file, BACKUP)
}

fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// The file that a path leads to; the path itself where there is no file yet.
pub fn follow_links(file: PathBuf) -> Result<PathBuf> {
    match fs::canonicalize(&file) {
        Ok(found) => Ok(found),
        Err(error) if file.is_symlink() => {
            Err(Error::invalid(format!("`{}` is a link that leads to no file: {error}", file.display()))
                .with_path(file.display().to_string())
                .hint("nothing was changed; make the file that it leads to, or remove the link"))
        }
        Err(_) => Ok(file),
    }
}

/// A file's text; `None` where there is no file.
pub fn read(file: &Path) -> Result<Option<String>> {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(Error::failed(format!("`{}` can't be read: {error}", file.display()))
                .hint("nothing was changed; check the file's permissions"));
        }
    };
    String::from_utf8(bytes).map(Some).map_err(|_| {
        Error::invalid(format!("`{}` is not text in UTF-8", file.display()))
            .with_path(file.display().to_string())
            .hint("nothing was changed; save the file as UTF-8, or add the entry by hand")
    })
}

/// Puts a text in a file's place, if a last check, directly before, allows it.
fn replace(
    file: &Path,
    text: &str,
    permissions: Option<Permissions>,
    check: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let failed = |error: io::Error| write_error(file, &error);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let made = beside(file, &format!(".{}", process::id()));
    // A file of that name that is there already is not ours: it stays.
    let new = File::create_new(&made).map_err(failed)?;
    let written = fill(new, text, permissions)
        .map_err(failed)
        .and_then(|()| check())
        .and_then(|()| fs::rename(&made, file).map_err(failed));
    if written.is_err() {
        let _ = fs::remove_file(&made);
    }
    written
}

fn fill(mut file: File, text: &str, permissions: Option<Permissions>) -> io::Result<()> {
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn write_error(file: &Path, error: &io::Error) -> Error {
    Error::failed(format!("could not write `{}`: {error}", file.display()))
        .hint("nothing was changed; check the permissions of the file and its folder")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(file: &Path, old: &str, new: Option<&str>) -> ConfigChange {
        ConfigChange {
            file: file.to_owned(),
            old: Some(old.to_owned()),
            new: new.map(str::to_owned),
            had_entry: false,
        }
    }

    fn list(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_foreign_file_of_the_same_name_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        let foreign = beside(&file, &format!(".{}", process::id()));
        fs::write(&file, "old").unwrap();
        fs::write(&foreign, "foreign").unwrap();
        change(&file, "old", Some("new")).apply().unwrap_err();
        assert_eq!(fs::read_to_string(&foreign).unwrap(), "foreign");
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    }

    #[test]
    fn what_was_saved_in_between_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        fs::write(&file, "saved").unwrap();
        for new in [Some("new"), None] {
            let error = change(&file, "old", new).apply().unwrap_err();
            assert!(error.message().contains("changed at the same moment"), "{error}");
        }
        // Even where it was saved while the new file was written.
        let late = change(&file, "old", Some("new"));
        replace(&file, "new", None, || late.check_unchanged()).unwrap_err();
        assert_eq!(fs::read_to_string(&file).unwrap(), "saved");
        assert_eq!(list(folder.path()), ["mcp.json"]);
    }

    #[test]
    fn the_first_file_without_our_entry_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        fs::write(&file, "mine").unwrap();
        let kept = change(&file, "mine", Some("ours")).apply().unwrap().unwrap();
        let again = ConfigChange { had_entry: true, ..change(&file, "ours", Some("ours, too")) };
        assert_eq!(again.apply().unwrap(), None);
        assert_eq!(fs::read_to_string(&kept).unwrap(), "mine");
        assert_eq!(fs::read_to_string(&file).unwrap(), "ours, too");
    }
}
