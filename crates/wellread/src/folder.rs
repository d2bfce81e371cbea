//! Which code a command is about: a given folder, an added repository, or the one that contains the current folder.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use wellread_core::{Error, Result};

use crate::config::{self, Config, RepoSetting};
use crate::platform;
use crate::wiring::system::{to_corpus_path, without_verbatim_prefix};

/// The code that is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeTarget {
    /// A repository that was added, and the folder in it that was named.
    Added { repo: RepoSetting, below: Option<String> },
    /// A folder that was not.
    Alone(RepoSetting),
}

impl CodeTarget {
    /// By a folder or a repository's name; where neither is given, by where we stand, or because there is only one.
    pub fn resolve(config: &Config, dir: Option<&Path>, name: Option<&str>) -> Result<Self> {
        let repos = config.repos()?;
        match (dir, name) {
            (Some(_), Some(_)) => {
                Err(Error::invalid("both a folder and a repository were given").hint("give only one of them"))
            }
            (Some(dir), None) => {
                let path = resolve_folder(dir)?;
                if let Some((repo, below)) = repository_containing(&repos, &path) {
                    return Ok(Self::Added { repo, below });
                }
                check_no_overlap(&path, config)?;
                // By its path, so that what was cited of it can be found again without its having been added.
                Ok(Self::Alone(RepoSetting { name: path.display().to_string(), path }))
            }
            (None, Some(name)) => {
                let repo = find_repository(&repos, name)?;
                Ok(Self::Added { repo, below: None })
            }
            (None, None) => {
                let here = std::env::current_dir().ok().map(|here| platform::canonicalize_existing(&here));
                let added = here.as_ref().and_then(|here| repository_containing(&repos, here));
                if let Some((repo, _)) = added {
                    return Ok(Self::Added { repo, below: None });
                }
                match (here.and_then(|here| git_repository(&here, config)), repos.as_slice()) {
                    (Some(repo), _) => Ok(Self::Alone(repo)),
                    (None, [only]) => Ok(Self::Added { repo: only.clone(), below: None }),
                    (None, []) => Err(Error::invalid("no code was named, and no repository was added")
                        .hint("name a folder, or add one with `wellread repo add DIR`")),
                    (None, several) => {
                        let names: Vec<&str> = several.iter().map(|repo| repo.name.as_str()).collect();
                        Err(Error::invalid(format!(
                            "there are {} repositories, and none was named",
                            names.len()
                        ))
                        .hint(format!("name a folder, or one of them with --repo: {}", names.join(", "))))
                    }
                }
            }
        }
    }
}

/// The git repository that a folder is in, unless notes or the program's own data are in it, too.
fn git_repository(folder: &Path, config: &Config) -> Option<RepoSetting> {
    let root = folder.ancestors().find(|folder| folder.join(".git").exists())?;
    check_no_overlap(root, config).ok()?;
    Some(RepoSetting { name: root.display().to_string(), path: root.to_owned() })
}

/// The repository of that name.
pub fn find_repository(repos: &[RepoSetting], name: &str) -> Result<RepoSetting> {
    repos.iter().find(|repo| repo.is_called(name)).cloned().ok_or_else(|| {
        let error = Error::not_found(format!("there is no repository `{name}`"));
        match config::nearest_repo(repos, name) {
            Some(near) => error.hint(format!("did you mean `{}`?", near.name)),
            None => error.hint("`wellread repo list` shows all of them"),
        }
    })
}

/// The innermost repository that a folder is, or is in, and which of its folders it is.
fn repository_containing(repos: &[RepoSetting], path: &Path) -> Option<(RepoSetting, Option<String>)> {
    let within = repos.iter().filter_map(|repo| {
        let root = platform::canonicalize_existing(&repo.path);
        let below = to_corpus_path(path.strip_prefix(&root).ok()?)?;
        Some((repo, below))
    });
    let (repo, below) = within.min_by_key(|(_, below)| below.len())?;
    Some((repo.clone(), (!below.is_empty()).then_some(below)))
}

/// A folder's own name, as far as a file can be called so.
pub fn folder_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let name: String = name.chars().take(64).map(|letter| if fits(letter) { letter } else { '-' }).collect();
    if name.is_empty() { "code".to_owned() } else { name }
}

/// The folder that somebody wrote, as it really is called.
pub fn resolve_folder(dir: &Path) -> Result<PathBuf> {
    let shown = dir.display();
    let path = match dir.to_str() {
        // A shell expands it already, a script may not.
        Some(text) => platform::expand_home(text)?,
        None => dir.to_owned(),
    };
    let found = path.canonicalize().map(|found| without_verbatim_prefix(&found));
    let found = found.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::not_found(format!("there is no folder `{shown}`")),
        _ => Error::failed(format!("could not inspect `{shown}`: {error}")),
    })?;
    if found.is_dir() { Ok(found) } else { Err(Error::invalid(format!("`{shown}` is not a folder"))) }
}

/// Refuses a folder that a browser may not have read as code: somebody who got one request through could name any. A codebase is
/// under version control, and not hidden: neither itself, nor by a folder of the user's home above it.
pub fn check_is_codebase(dir: &Path) -> Result<()> {
    let path = resolve_folder(dir)?;
    let home = platform::canonicalize_existing(&platform::expand_home("~")?);
    let shown = path.strip_prefix(&home).ok().or_else(|| path.file_name().map(Path::new)).unwrap_or(&path);
    let is_hidden = |part: &OsStr| part.as_encoded_bytes().starts_with(b".");
    let is_of_system = platform::system_folders().iter().any(|root| platform::is_within(&path, root));
    if is_of_system || shown.iter().any(is_hidden) || !path.join(".git").exists() {
        let message = format!(
            "`{}` can't be added from a browser: it is not a git repository, or it is hidden",
            dir.display()
        );
        return Err(
            Error::refused(message).hint("`wellread repo add DIR` on the command line takes any folder")
        );
    }
    Ok(())
}

/// Notes are served with the vault's own rules, private folders included; what is in the data folder is for no tool. Neither
/// may be reached as code.
pub fn check_no_overlap(path: &Path, config: &Config) -> Result<()> {
    let known = config.known_vaults()?;
    let folders = known.iter().map(|vault| Ok(platform::canonicalize_existing(&vault.vault()?)));
    let vaults = folders.collect::<Result<Vec<PathBuf>>>()?;
    // The whole of it, not this vault's part alone.
    let data = config.data_folder()?;
    let data = data.ancestors().nth(2).unwrap_or(&data);
    let file = config.file.as_deref().filter(|file| file.exists()).map(platform::canonicalize_existing);
    let why = if vaults.iter().any(|vault| path == vault) {
        "is the vault itself: its notes are served already"
    } else if vaults.iter().any(|vault| platform::is_within(path, vault)) {
        "is inside the vault: what it holds is served with the notes already"
    } else if vaults.iter().any(|vault| platform::is_within(vault, path)) {
        "holds the vault: notes would be read as code, and those in excluded folders, too"
    } else if platform::is_within(data, path) {
        "holds the data folder, which keeps the old text of every edit"
    } else if platform::is_within(path, data) {
        "is inside the data folder, which keeps the old text of every edit"
    } else if file.is_some_and(|file| platform::is_within(&file, path)) {
        "holds the settings file, which may have keys in it"
    } else {
        return Ok(());
    };
    Err(Error::refused(format!("`{}` {why}", path.display())).hint("add a folder outside of it"))
}
