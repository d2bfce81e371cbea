//! Runs git to read what a repository's objects say, and nothing that the repository says to run.
//!
//! A repository can name programs in its configuration, attributes and hooks: a file watcher, an external difference, a
//! converter, a pager, a way to fetch what is missing. So git never sees them. It runs on an empty git folder of our
//! own that borrows the repository's objects and its index, with an empty environment; what could still be switched on is
//! switched off besides. It has a time limit, and its answer a largest size.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, fs, thread};

use super::git_folder::GitFolder;
use crate::platform;

/// A repository of a million commits takes longer: what was heard until then counts.
const LIMIT: Duration = Duration::from_secs(30);
/// How long a killed program's last words are waited for.
const LAST_WORDS: Duration = Duration::from_secs(2);
const LARGEST_ANSWER: u64 = 64 * 1024 * 1024;

#[derive(Debug)]
pub struct Git {
    program: Option<PathBuf>,
    /// Where our own git folders are kept.
    scratch: PathBuf,
    limit: Duration,
}

/// A folder that git knows something about.
#[derive(Debug)]
pub struct GitRepository {
    pub root: PathBuf,
    /// The folder that has `.git` in it, and the way from there to `root`, with a slash after each part.
    pub top: PathBuf,
    pub below: String,
    pub head: String,
    pub git: GitFolder,
}

impl GitRepository {
    /// Looks in the folder and in those above it.
    pub fn find(root: &Path) -> Option<Self> {
        let root = platform::without_verbatim_prefix(&root.canonicalize().ok()?);
        let (top, git) = root.ancestors().find_map(|top| Some((top.to_path_buf(), GitFolder::find(top)?)))?;
        let below = platform::to_corpus_path(root.strip_prefix(&top).ok()?)?;
        let below = if below.is_empty() { String::new() } else { format!("{below}/") };
        let head = git.resolve_ref("HEAD")?;
        Some(Self { root, top, below, head, git })
    }
}

pub struct GitOutput {
    pub bytes: Vec<u8>,
    /// Whether git said all that it had to say, and found nothing wrong.
    pub is_whole: bool,
}

impl Git {
    /// The program is looked for in `PATH`, but not in the folders that are studied.
    pub fn new(scratch: &Path, studied: &[PathBuf]) -> Self {
        let studied: Vec<PathBuf> = studied.iter().filter_map(|root| root.canonicalize().ok()).collect();
        let path = env::var_os("PATH").unwrap_or_default();
        let names = platform::program_names("git");
        let program = env::split_paths(&path)
            .filter(|folder| folder.is_absolute())
            .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
            .filter_map(|program| program.canonicalize().ok())
            .find(|program| program.is_file() && !studied.iter().any(|root| program.starts_with(root)));
        Self { program, scratch: scratch.to_path_buf(), limit: LIMIT }
    }

    #[cfg(test)]
    pub fn with_program(program: &Path, scratch: &Path, limit: Duration) -> Self {
        Self { program: Some(program.to_path_buf()), scratch: scratch.to_path_buf(), limit }
    }

    /// Reads objects alone.
    pub fn query_objects(&self, of: &GitRepository, arguments: &[&str]) -> Option<GitOutput> {
        let mut command = self.command(of)?;
        command.current_dir(&self.scratch).args(arguments);
        self.run(command)
    }

    /// Looks at the files too, by their times and sizes. The arguments' paths, and the answer's, begin at the root.
    pub fn query_files(&self, of: &GitRepository, arguments: &[&str]) -> Option<GitOutput> {
        let mut command = self.command(of)?;
        command.env("GIT_WORK_TREE", &of.top).current_dir(&of.root).args(arguments);
        self.run(command)
    }

    fn command(&self, of: &GitRepository) -> Option<Command> {
        let own = self.own_folder(of.head.len() == 64).ok()?;
        let mut command = Command::new(self.program.as_ref()?);
        command.env_clear();
        command.env("GIT_DIR", own);
        command.env("GIT_OBJECT_DIRECTORY", of.git.shared.join("objects"));
        command.env("GIT_INDEX_FILE", of.git.own.join("index"));
        let shallow = of.git.shared.join("shallow");
        if shallow.is_file() {
            command.env("GIT_SHALLOW_FILE", shallow);
        }
        for (name, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_SYSTEM", "/dev/null"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_LITERAL_PATHSPECS", "1"),
            ("GIT_ALLOW_PROTOCOL", "none"),
            ("LC_ALL", "C"),
        ] {
            command.env(name, value);
        }
        command.arg("--no-pager");
        for setting in [
            "core.fsmonitor=false",
            "core.hooksPath=/dev/null",
            "core.attributesFile=/dev/null",
            "core.excludesFile=/dev/null",
            "core.pager=cat",
            "core.untrackedCache=false",
            "submodule.recurse=false",
            "gc.auto=0",
        ] {
            command.args(["-c", setting]);
        }
        Some(command)
    }

    /// A git folder without objects, configuration, hooks and attributes.
    fn own_folder(&self, long_hashes: bool) -> io::Result<PathBuf> {
        let folder = self.scratch.join(if long_hashes { "sha256" } else { "sha1" });
        fs::create_dir_all(folder.join("refs"))?;
        let config = if long_hashes {
            "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"
        } else {
            "[core]\n\trepositoryformatversion = 0\n"
        };
        for (name, text) in [("HEAD", "ref: refs/heads/none\n"), ("config", config)] {
            let path = folder.join(name);
            if fs::read_to_string(&path).ok().as_deref() != Some(text) {
                // Somebody else may be about to read it: it is there whole, or not at all.
                let (process, thread) = (std::process::id(), thread::current().id());
                let beside = folder.join(format!("{name}.{process}.{thread:?}"));
                fs::write(&beside, text)?;
                fs::rename(&beside, &path)?;
            }
        }
        Ok(folder)
    }

    fn run(&self, mut command: Command) -> Option<GitOutput> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let answer = child.stdout.take().map(|out| self.read_output(&mut child, out));
        // It has ended, or is ended: a child is never left behind.
        let ended = child.wait().is_ok_and(|status| status.success());
        let (bytes, in_time) = answer?;
        Some(GitOutput { is_whole: ended && in_time, bytes })
    }

    /// What the child says until it ends, says too much or takes too long; in the last two cases it is killed.
    fn read_output(&self, child: &mut Child, out: ChildStdout) -> (Vec<u8>, bool) {
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = out.take(LARGEST_ANSWER).read_to_end(&mut bytes);
            let is_all = read.is_ok() && (bytes.len() as u64) < LARGEST_ANSWER;
            // Whoever asked may have gone.
            let _ = tell.send((bytes, is_all));
        });
        match told.recv_timeout(self.limit) {
            Ok((bytes, true)) => (bytes, true),
            other => {
                // One that has just ended by itself can't be killed, and need not be.
                let _ = child.kill();
                let bytes = other.or_else(|_| told.recv_timeout(LAST_WORDS)).unwrap_or_default().0;
                (bytes, false)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::Mutex;

    use super::*;

    /// A script that is being written while another thread starts a child is busy for a moment: one test at a time.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

    fn known(root: &Path) -> GitRepository {
        let git = GitFolder { own: root.join(".git"), shared: root.join(".git") };
        GitRepository { root: root.into(), top: root.into(), below: String::new(), head: "0".repeat(40), git }
    }

    fn script(folder: &Path, text: &str) -> PathBuf {
        let path = folder.join("program");
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn a_program_that_takes_too_long_is_killed_and_what_it_said_counts() {
        let _turn = ONE_AT_A_TIME.lock();
        let folder = tempfile::tempdir().unwrap();
        let program = script(folder.path(), "echo $$ > pid; echo so far; exec sleep 1000");
        let git = Git::with_program(&program, folder.path(), Duration::from_secs(2));
        let answer = git.query_objects(&known(folder.path()), &[]).unwrap();
        assert!(!answer.is_whole);
        assert_eq!(answer.bytes, b"so far\n");
        let pid = fs::read_to_string(folder.path().join("pid")).unwrap();
        assert!(!Path::new(&format!("/proc/{}", pid.trim())).exists());
    }

    #[test]
    fn an_answer_without_end_is_cut() {
        let _turn = ONE_AT_A_TIME.lock();
        let folder = tempfile::tempdir().unwrap();
        let program = script(folder.path(), "exec cat /dev/zero");
        let git = Git::with_program(&program, folder.path(), LIMIT);
        let answer = git.query_objects(&known(folder.path()), &[]).unwrap();
        assert!(!answer.is_whole);
        assert_eq!(answer.bytes.len() as u64, LARGEST_ANSWER);
    }

    #[test]
    fn the_environment_has_nothing_in_it_that_we_did_not_put_there() {
        let _turn = ONE_AT_A_TIME.lock();
        let folder = tempfile::tempdir().unwrap();
        let program = script(folder.path(), "exec env");
        let git = Git::with_program(&program, folder.path(), LIMIT);
        let answer = git.query_objects(&known(folder.path()), &[]).unwrap();
        let said = String::from_utf8(answer.bytes).unwrap();
        let own = |line: &str| {
            ["GIT_", "LC_ALL=", "PWD=", "_=", "SHLVL=", "OLDPWD="].iter().any(|name| line.starts_with(name))
        };
        assert!(answer.is_whole && said.contains("GIT_NO_LAZY_FETCH=1"), "{said}");
        assert!(said.lines().all(own), "{said}");
    }

    #[test]
    fn a_program_that_is_not_there_says_nothing() {
        let _turn = ONE_AT_A_TIME.lock();
        let folder = tempfile::tempdir().unwrap();
        let git = Git::with_program(&folder.path().join("none"), folder.path(), LIMIT);
        assert!(git.query_objects(&known(folder.path()), &[]).is_none());
    }
}
