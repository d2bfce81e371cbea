//! A server's program: how it is found, and which environment it gets.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::isolation::ServerIsolation;
use super::server_kind::ServerKind;
use crate::platform::{is_program, program_names};

/// The environment variables that a server gets: paths and locale, but no keys.
const PASSED_VARIABLES: [&str; 19] = [
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "TERM",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
];

/// What programs on Windows need besides to find the system and the user's folders.
const PASSED_ON_WINDOWS: [&str; 11] = [
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "USERNAME",
    "APPDATA",
    "LOCALAPPDATA",
];

/// Settings of git that override those of a repository.
const GIT_WITHOUT_HOOKS: [(&str, &str); 5] = [
    ("GIT_CONFIG_COUNT", "2"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "core.hooksPath"),
    ("GIT_CONFIG_VALUE_1", "/dev/null"),
];

/// The command that starts a server in this folder; `None` if there is no such program. No program is searched for in
/// the `studied` folders.
pub fn command(
    words: &[String],
    root: &Path,
    studied: &[PathBuf],
    apart: &ServerIsolation,
) -> Option<Command> {
    let (program, arguments) = words.split_first()?;
    let program = find_program(program, &search_folders(studied))?;
    let known = ServerKind::from_command(words);
    let mut command = apart.command(&program);
    command
        .args(arguments)
        .args(known.arguments())
        .current_dir(root)
        .env_clear()
        .envs(filter_environment(env::vars_os()));
    command.env("PATH", search_path(studied));
    // A server may be written in Python or run it: it must not import modules from its working folder.
    command.env("PYTHONSAFEPATH", "1");
    command.envs(known.environment().iter().copied());
    // A server, or a tool that it runs, may ask git: no setting of a repository makes git run a program.
    command.envs(GIT_WITHOUT_HOOKS);
    command.envs(apart.environment());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Some(command)
}

/// The server that a command runs, with all links followed: its known word, or the program itself. The error says why it
/// must not be run: it is a file of a studied repository.
pub fn find_server(words: &[String], studied: &[PathBuf]) -> Result<Option<PathBuf>, String> {
    let folders = search_folders(studied);
    let mut server = None;
    for word in words {
        let file = find_program(word, &folders)
            .or_else(|| Some(PathBuf::from(word)).filter(|path| path.is_absolute() && path.is_file()));
        let Some(file) = file.and_then(|file| file.canonicalize().ok()) else { continue };
        if studied.iter().any(|root| file.starts_with(root)) {
            return Err(format!("`{word}` is a file of a repository that is studied"));
        }
        if server.is_none() || ServerKind::from_command(std::slice::from_ref(word)) != ServerKind::Other {
            server = Some(file);
        }
    }
    Ok(server)
}

/// The path of a program, to show before it is started.
pub fn locate_program(program: &str) -> Option<PathBuf> {
    find_program(program, &search_folders(&[]))
}

/// Finds a program by name; a path must be absolute, since a relative one would mean another program in each folder.
pub(super) fn find_program(program: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    if program.contains(['/', std::path::MAIN_SEPARATOR]) {
        return Some(PathBuf::from(program)).filter(|path| path.is_absolute() && is_program(path));
    }
    let names = program_names(program);
    folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).find(|path| is_program(path))
}

/// The folders of `PATH`, without relative and studied ones: a repository could put a program there.
pub(super) fn search_folders(studied: &[PathBuf]) -> Vec<PathBuf> {
    trusted_folders(&env::var_os("PATH").unwrap_or_default(), studied)
}

fn trusted_folders(path: &OsStr, studied: &[PathBuf]) -> Vec<PathBuf> {
    let is_studied = |folder: &Path| {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        studied.iter().any(|root| real.starts_with(root) || folder.starts_with(root))
    };
    env::split_paths(path).filter(|folder| folder.is_absolute() && !is_studied(folder)).collect()
}

pub(super) fn search_path(studied: &[PathBuf]) -> OsString {
    // They come from such a value, so they can be joined again.
    env::join_paths(search_folders(studied)).unwrap_or_default()
}

fn filter_environment(all: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let of_windows = |name: &OsString| PASSED_ON_WINDOWS.iter().any(|known| name.eq_ignore_ascii_case(known));
    let is_passed = |name: &OsString| PASSED_VARIABLES.iter().any(|known| name == known);
    all.filter(|(name, _)| is_passed(name) || cfg!(windows) && of_windows(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_the_environment_is_not_handed_on() {
        let all =
            ["HOME", "OPENAI_API_KEY", "LD_PRELOAD", "PYTHONPATH", "PATH", "WELLREAD_TOKEN", "LANG", "LC_X"];
        let all = all.map(|name| (OsString::from(name), OsString::from("x")));
        let kept: Vec<_> = filter_environment(all.into_iter()).into_iter().map(|(name, _)| name).collect();
        assert_eq!(kept, ["HOME", "LANG"]);
    }

    #[test]
    fn no_program_is_looked_for_in_a_studied_folder_or_where_we_happen_to_be() {
        let ground = tempfile::tempdir().unwrap();
        let root = ground.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("repo/bin")).unwrap();
        std::os::unix::fs::symlink(root.join("repo/bin"), root.join("innocent")).unwrap();
        let at = |path: &str| root.join(path).display().to_string();
        let path = format!(".::bin:{}:{}:{}:/usr/bin", at("repo/bin"), at("innocent"), at("repo2"));
        let folders = trusted_folders(OsStr::new(&path), &[root.join("repo")]);
        assert_eq!(folders, [root.join("repo2"), PathBuf::from("/usr/bin")]);
    }

    #[test]
    fn a_program_is_a_name_or_an_absolute_path_to_something_that_can_be_run() {
        let folders = [PathBuf::from("/usr/bin"), PathBuf::from("/bin")];
        let sh = find_program("sh", &folders).unwrap();
        assert_eq!(find_program(sh.to_str().unwrap(), &[]), Some(sh));
        for wrong in ["", "no-such-program", "./sh", "bin/sh", "/etc/passwd", "/usr/bin", "../bin/sh"] {
            assert_eq!(find_program(wrong, &folders), None, "{wrong}");
        }
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert!(
            command(&words(&["no-such-program"]), Path::new("/"), &[], &ServerIsolation::unavailable())
                .is_none()
        );
        assert!(command(&[], Path::new("/"), &[], &ServerIsolation::unavailable()).is_none());
        assert!(
            command(&words(&["sh", "-c", "x"]), Path::new("/"), &[], &ServerIsolation::unavailable())
                .is_some()
        );
    }
}
