//! The commands of a page, run by a shell in a home folder with the example vault as `~/notes` and the example code.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::pages::Block;
use crate::desk::{BINARY, Desk, Ran, copy, repository};

/// Where the reader's home is, in the book.
const HOME: &str = "/home/you";
const PATIENCE: Duration = Duration::from_secs(600);

/// A home folder in which Wellread is set up and the index is built, kept as it is for each page.
pub struct BookHome {
    desk: Desk,
}

/// What a command printed, with the home folder as the book names it.
#[derive(Debug)]
pub struct Printed {
    pub status: i32,
    pub stdout: Vec<String>,
    stderr: Vec<String>,
}

impl Printed {
    /// Standard output, or if there is nothing on it, standard error.
    pub fn in_short(&self) -> Vec<String> {
        if self.stdout.is_empty() { self.stderr.clone() } else { self.stdout.clone() }
    }

    pub fn in_full(&self) -> Vec<String> {
        self.stdout.iter().chain(&self.stderr).cloned().collect()
    }
}

impl BookHome {
    pub fn prepare() -> Self {
        let home = Self { desk: Desk::bare().with_built_in_model() };
        fs::create_dir(home.programs()).unwrap();
        fs::create_dir(home.desk.folder().join("tmp")).unwrap();
        symlink(BINARY, home.programs().join("wellread")).unwrap();
        copy(&repository().join("examples/vault"), &home.desk.home().join("notes"));
        copy(&repository().join("examples/code/hivelog"), &home.desk.home().join("code/hivelog"));
        let set_up =
            "wellread config set vault.path ~/notes && wellread repo add ~/code/hivelog && wellread index";
        let ran = home.shell(set_up);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        home.copy_home("home", "kept");
        home
    }

    fn programs(&self) -> PathBuf {
        self.desk.folder().join("programs")
    }

    fn copy_home(&self, from: &str, to: &str) {
        let folder = self.desk.folder();
        let _ = fs::remove_dir_all(folder.join(to));
        let mut copies = Command::new("cp");
        copies.arg("-a").arg(folder.join(from)).arg(folder.join(to));
        assert!(copies.status().unwrap().success());
    }

    fn shell(&self, script: &str) -> Ran {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut shell = Command::new("bash");
        shell.arg("-c").arg(script).current_dir(self.desk.home()).env_clear();
        shell.env("HOME", self.desk.home()).env("PATH", format!("{}:{path}", self.programs().display()));
        shell.env("TMPDIR", self.desk.folder().join("tmp"));
        Ran::within(PATIENCE, &mut shell, b"")
    }

    /// Runs the commands of a page in one shell, one after the other.
    pub fn run(&self, blocks: &[Block]) -> Vec<Vec<Printed>> {
        self.copy_home("kept", "home");
        let answers = self.desk.folder().join("answers");
        let _ = fs::remove_dir_all(&answers);
        fs::create_dir(&answers).unwrap();
        let mut script = String::new();
        let mut number = 0;
        for command in blocks.iter().flat_map(|block| &block.commands) {
            let file = answers.join(number.to_string()).display().to_string();
            script += &format!(
                "{{\n{}\n}} >{file}.out 2>{file}.err\nstatus=$?; echo $status >{file}.status; (exit $status)\n",
                command.text
            );
            number += 1;
        }
        let ran = self.shell(&format!("{script}true"));
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let read = |number: usize, what: &str| -> Vec<String> {
            let text = fs::read_to_string(answers.join(format!("{number}.{what}"))).unwrap();
            let text = text.replace(&self.desk.home().display().to_string(), HOME);
            let text = text.replace(BINARY, "/usr/local/bin/wellread");
            text.trim_end().lines().map(str::to_owned).collect()
        };
        let mut next = 0..number;
        let mut printed = || {
            let number = next.next().unwrap();
            let status = read(number, "status").concat().parse().unwrap();
            Printed { status, stdout: read(number, "out"), stderr: read(number, "err") }
        };
        blocks.iter().map(|block| block.commands.iter().map(|_| printed()).collect()).collect()
    }
}
