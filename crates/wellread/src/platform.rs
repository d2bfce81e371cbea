//! Where this platform keeps settings and data.

use std::env;
use std::path::{Component, Path, PathBuf, is_separator};

use wellread_core::domain::corpus::fold_name;
use wellread_core::{Error, Result};

use crate::wiring::system::without_verbatim_prefix;

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
        Some(rest) if rest.starts_with(is_separator) => Ok(home()?.join(&rest[1..])),
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
    if cfg!(windows) {
        // Settings follow the user from machine to machine; data does not.
        let is_data = variable == "XDG_DATA_HOME";
        return match is_data {
            true => folder_or("LOCALAPPDATA", "AppData/Local"),
            false => folder_or("APPDATA", "AppData/Roaming"),
        };
    }
    Ok(home()?.join(below_home))
}

/// Whether a path is, or is below, a folder. Where the file system does not tell cases apart, this does not either: both are
/// judged by it to be kept apart.
pub fn is_within(path: &Path, folder: &Path) -> bool {
    if !cfg!(any(windows, target_os = "macos")) {
        return path.starts_with(folder);
    }
    is_within_folded(path, folder)
}

fn is_within_folded(path: &Path, folder: &Path) -> bool {
    let fold = |path: &Path| {
        let plain = without_verbatim_prefix(path);
        plain.components().map(|part| fold_name(&part.as_os_str().to_string_lossy())).collect::<Vec<_>>()
    };
    fold(path).starts_with(&fold(folder))
}

/// Whether a folder is named from the root of a disk or from the home folder, so that it means the same from everywhere.
pub fn is_absolute_or_home(written: &str) -> bool {
    written.starts_with('~') || Path::new(written).is_absolute()
}

/// The folders of the operating system, in which nobody keeps code.
pub fn system_folders() -> Vec<PathBuf> {
    if cfg!(windows) {
        let named = ["SystemRoot", "ProgramFiles", "ProgramData", "APPDATA", "LOCALAPPDATA"];
        return named.iter().filter_map(env::var_os).map(PathBuf::from).collect();
    }
    let mut folders: Vec<PathBuf> = ["/proc", "/sys", "/dev", "/etc"].map(PathBuf::from).into();
    if cfg!(target_os = "macos") {
        folders.extend(["/System", "/Library", "/private/etc"].map(PathBuf::from));
        folders.extend(home().map(|home| home.join("Library")));
    }
    folders
}

/// The path with its links resolved as far as it exists, so that two spellings of one folder compare equal. It has no `..`: one
/// behind a name that does not exist takes that name back.
pub fn canonicalize_existing(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (mut missing, mut taken_back) = (Vec::new(), 0);
    let mut known = absolute.as_path();
    loop {
        if let Ok(mut real) = known.canonicalize().map(|real| without_verbatim_prefix(&real)) {
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
    fn a_folder_holds_what_is_below_it_in_any_case_and_form() {
        let within = |path: &str, folder: &str| is_within_folded(Path::new(path), Path::new(folder));
        assert!(
            within("/Vault/a", "/vault") && within("/CAFE\u{301}/a/b", "/caf\u{e9}") && within("/v", "/V")
        );
        assert!(!within("/vaults/a", "/vault") && !within("/v", "/v/a"));
    }

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
