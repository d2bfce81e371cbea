//! Where this platform keeps settings and data.

use std::env;
use std::path::{Component, Path, PathBuf};

use wellread_core::{Error, Result};

pub fn home() -> Result<PathBuf> {
    let home = env::var_os("HOME").or_else(|| env::var_os("USERPROFILE")).filter(|home| !home.is_empty());
    home.map(PathBuf::from).ok_or_else(|| {
        Error::failed("there is no home folder: HOME is not set").hint("set HOME, or give --vault and --data")
    })
}

/// `~` and `~/x` mean the home folder, as in a shell.
pub fn expand_home(path: &str) -> Result<PathBuf> {
    match path.strip_prefix('~') {
        Some("") => home(),
        Some(rest) if rest.starts_with('/') => Ok(home()?.join(&rest[1..])),
        _ => Ok(PathBuf::from(path)),
    }
}

pub fn config_file() -> Result<PathBuf> {
    Ok(folder_from_env("XDG_CONFIG_HOME", ".config")?.join("wellread").join("config.toml"))
}

pub fn data_folder() -> Result<PathBuf> {
    Ok(folder_from_env("XDG_DATA_HOME", ".local/share")?.join("wellread"))
}

/// Where programs with a window keep their settings.
pub fn app_settings_folder() -> Result<PathBuf> {
    folder_from_env("XDG_CONFIG_HOME", ".config")
}

/// The folder that a variable names, or else one below the home folder.
pub fn folder_or(variable: &str, below_home: &str) -> Result<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.map_or_else(|| Ok(home()?.join(below_home)), Ok)
}

fn folder_from_env(variable: &str, below_home: &str) -> Result<PathBuf> {
    if let Some(named) = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute()) {
        return Ok(named);
    }
    if cfg!(target_os = "macos") {
        return Ok(home()?.join("Library/Application Support"));
    }
    Ok(home()?.join(below_home))
}

/// The path with its links resolved as far as it exists, so that two spellings of one folder compare equal. It has no `..`: one
/// behind a name that does not exist takes that name back.
pub fn canonicalize_existing(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (mut missing, mut taken_back) = (Vec::new(), 0);
    let mut known = absolute.as_path();
    loop {
        if let Ok(mut real) = known.canonicalize() {
            (0..taken_back).for_each(|_| _ = real.pop());
            return missing.iter().rev().fold(real, |path, name| path.join(name));
        }
        match known.components().next_back() {
            Some(Component::ParentDir) => taken_back += 1,
            Some(Component::Normal(_)) if taken_back > 0 => taken_back -= 1,
            Some(Component::Normal(name)) => missing.push(name.to_owned()),
            _ => return absolute,
        }
        let Some(parent) = known.parent() else { return absolute };
        known = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_resolved_also_where_it_leads_back_from_what_does_not_exist() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("notes")).unwrap();
        for (path, real) in [
            ("new/../notes", "notes"),
            ("new/../notes/a/../b", "notes/b"),
            ("new/a/../../notes/../notes", "notes"),
            ("notes/../new", "new"),
            ("new/./a", "new/a"),
        ] {
            assert_eq!(canonicalize_existing(&root.join(path)), root.join(real), "{path}");
        }
        assert_eq!(canonicalize_existing(Path::new("/no/../../../such")), Path::new("/such"));
    }
}
