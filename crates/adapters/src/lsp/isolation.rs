//! Keeps a server off the network, and from writing anywhere but in a scratch folder, where the system can do that.
//!
//! On Linux, `unshare` gives a program namespaces of its own: an empty network, and a view of the file system in which every
//! mount is read-only. A second user namespace around the program takes from it the right to change that view back.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::program::{find_program, search_folders, search_path};
use crate::platform;

/// An empty network namespace, and a process namespace whose processes all end with the first.
const OFF_THE_NETWORK: [&str; 7] =
    ["--user", "--map-current-user", "--net", "--pid", "--fork", "--kill-child", "--"];

/// The same, with mounts that can be changed.
const WITH_MOUNTS: [&str; 8] =
    ["--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "--kill-child", "--"];

/// Makes every mount read-only but the scratch folder, then runs the rest of its arguments. What is no storage (`/proc`,
/// `/sys`, `/dev`) stays as it is.
const READ_ONLY: &str = r#"
set -e
scratch=$1
shift
mount --make-rprivate /
mount --bind "$scratch" "$scratch"
while read -r _ _ _ _ at how _; do
    case $at in *\\*) at=$(printf '%b' "$(printf '%s' "$at" | sed 's/\\/\\0/g')") ;; esac
    case $at in "$scratch" | /proc | /proc/* | /sys | /sys/* | /dev | /dev/pts) continue ;; esac
    mount -o "remount,bind,ro${how#r[wo]}" "$at"
done </proc/self/mountinfo
exec "$@"
"#;

/// Whether and how programs can be kept off the network, and from writing, here.
#[derive(Debug, Clone)]
pub struct ServerIsolation {
    /// `unshare`, where it works.
    by: Option<PathBuf>,
    /// Where a program may write; `None` where it can't be kept from writing elsewhere.
    scratch: Option<Arc<ScratchFolder>>,
}

impl ServerIsolation {
    /// Tests it with a program that does nothing. `scratch` is the folder that programs may write in; without one, a
    /// temporary folder is made.
    pub fn detect(scratch: Option<&Path>) -> Self {
        let by = cfg!(target_os = "linux").then(|| find_program("unshare", &search_folders(&[]))).flatten();
        let scratch = scratch.map_or_else(ScratchFolder::create, ScratchFolder::open);
        let confined = Self { by: by.clone(), scratch: scratch.map(Arc::new) };
        if confined.by.is_some() && confined.scratch.is_some() && confined.works() {
            return confined;
        }
        let offline = Self { by, scratch: None };
        if offline.by.is_some() && offline.works() { offline } else { Self { by: None, scratch: None } }
    }

    /// Whether servers started here have no network.
    pub fn has_no_network(&self) -> bool {
        self.by.is_some()
    }

    /// Whether servers started here can write nowhere but in their scratch folder.
    pub fn is_read_only(&self) -> bool {
        self.scratch.is_some()
    }

    /// The command that runs a program in isolation, without the program's arguments.
    pub fn command(&self, program: &Path) -> Command {
        let Some(by) = &self.by else { return Command::new(program) };
        let mut command = Command::new(by);
        match &self.scratch {
            None => command.args(OFF_THE_NETWORK),
            Some(scratch) => {
                let user = format!("--map-user={}", platform::user_number());
                command.args(WITH_MOUNTS).args(["sh", "-c", READ_ONLY, "sh"]).arg(&scratch.path);
                command.arg(by).args(["--user", &user, "--"])
            }
        };
        command.arg(program);
        command
    }

    /// The variables by which programs learn where they can write.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let Some(scratch) = &self.scratch else { return Vec::new() };
        let below = |name: &str| scratch.path.join(name).into_os_string();
        vec![
            ("TMPDIR", scratch.path.clone().into_os_string()),
            ("XDG_CACHE_HOME", below("cache")),
            ("GOCACHE", below("go-build")),
            ("CARGO_TARGET_DIR", below("target")),
        ]
    }

    fn works(&self) -> bool {
        let mut command = self.command(Path::new("true"));
        command.env_clear().env("PATH", search_path(&[]));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    #[cfg(test)]
    pub fn unavailable() -> Self {
        Self { by: None, scratch: None }
    }
}

/// A folder that programs may write in. One that we made is removed with all that is in it.
#[derive(Debug)]
struct ScratchFolder {
    path: PathBuf,
    is_temporary: bool,
}

impl ScratchFolder {
    fn create() -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let base = std::env::temp_dir().canonicalize().ok()?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = base.join(format!("wellread-servers-{}-{number}", std::process::id()));
        platform::create_private_folder(&path).ok().map(|()| Self { path, is_temporary: true })
    }

    /// One that is there already, and stays.
    fn open(path: &Path) -> Option<Self> {
        let path = path.canonicalize().ok().filter(|path| path.is_dir())?;
        Some(Self { path, is_temporary: false })
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if self.is_temporary {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn an_isolated_program_writes_in_its_scratch_folder_and_nowhere_else() {
        let apart = ServerIsolation::detect(None);
        if !apart.is_read_only() {
            return wellread_testkit::skip("this system does not let mounts be made read-only");
        }
        let ground = tempfile::tempdir().unwrap();
        let file = ground.path().join("written");
        let script = r#"touch "$1" 2>/dev/null; mount -o remount,bind,rw / 2>/dev/null; touch "$1" 2>/dev/null
            echo x >"$TMPDIR/own" && cat "$TMPDIR/own" && cat /proc/net/dev | wc -l"#;
        let sh = find_program("sh", &search_folders(&[])).unwrap();
        let mut command = apart.command(&sh);
        let run = command.args(["-c", script, "sh"]).arg(&file).envs(apart.environment()).output().unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(said.starts_with('x'), "{run:?}");
        assert!(!file.exists(), "it wrote outside of its folder");
        let scratch = apart.environment()[0].1.clone();
        drop(apart);
        assert!(!Path::new(&scratch).exists());
    }
}
