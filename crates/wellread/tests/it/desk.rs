//! A folder of its own for each test, and the binary run in it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use wellread_adapters::records::RecordStore;

/// When a run counts as hung. Nothing is asserted about time below that.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub const BINARY: &str = env!("CARGO_BIN_EXE_wellread");

/// The checkout's root.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A temporary folder with `vault`, `home` and `data`.
///
/// Search is by words, and so is the gate: the settings name a model that is not installed, and the verifier is off. A test
/// of meaning asks for them.
pub struct Desk {
    folder: TempDir,
    model: &'static str,
}

impl Desk {
    /// With a copy of the example vault.
    pub fn new() -> Self {
        let desk = Self::bare();
        copy(&repository().join("examples/vault"), &desk.vault());
        desk
    }

    /// With an empty vault.
    pub fn bare() -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap(), model: "all-MiniLM-L6-v2" };
        fs::create_dir(desk.vault()).unwrap();
        fs::create_dir(desk.home()).unwrap();
        desk
    }

    /// With the embedding model, as if it had been installed.
    pub fn with_model(self) -> Self {
        let model = wellread_testkit::model_folder().canonicalize().unwrap();
        fs::create_dir_all(self.data().join("models")).unwrap();
        symlink(&model, self.data().join("models").join(model.file_name().unwrap())).unwrap();
        self
    }

    /// With the embedding model that is part of the program, as a user has it.
    pub fn with_built_in_model(mut self) -> Self {
        self.model = "";
        self
    }

    pub fn folder(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn vault(&self) -> PathBuf {
        self.folder().join("vault")
    }

    pub fn home(&self) -> PathBuf {
        self.folder().join("home")
    }

    pub fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    /// Saves a note, folders included.
    pub fn save(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.vault().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.vault().join(path)).unwrap()
    }

    /// The binary with a clean environment and nothing said.
    pub fn command(&self) -> Command {
        let mut command = Command::new(BINARY);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home());
        if !self.model.is_empty() {
            command.env("WELLREAD_EMBEDDING_NAME", self.model).env("WELLREAD_GATE_VERIFIER", "off");
        }
        command.current_dir(self.folder());
        command
    }

    /// The binary on this desk's vault and data folder.
    pub fn here(&self) -> Command {
        let mut command = self.command();
        command.arg("--vault").arg(self.vault()).arg("--data").arg(self.data());
        command
    }

    pub fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        Ran::of(self.here().args(args))
    }

    pub fn tool(&self, name: &str, args: &Value) -> Ran {
        self.run(["tool", name, &args.to_string()])
    }

    /// The answer of `wellread search`.
    pub fn search(&self, args: &[&str]) -> Value {
        let ran = self.run(["search", "--json"].iter().chain(args));
        let answer = ran.json();
        assert_eq!(answer["success"], true, "{answer}");
        let nothing = answer["results"].as_array().is_some_and(Vec::is_empty);
        assert_eq!(ran.status, Some(if nothing { 3 } else { 0 }), "{ran:?}");
        answer
    }

    /// The records of this vault, where the binary keeps them.
    pub fn records(&self) -> RecordStore {
        let status = self.run(["status", "--json"]).done();
        RecordStore::new(Path::new(status["data"].as_str().unwrap()))
    }

    /// Adds the example code base as `hivelog`.
    pub fn add_code(&self) {
        copy(&repository().join("examples/code/hivelog"), &self.code());
        self.run([OsStr::new("repo"), OsStr::new("add"), self.code().as_os_str(), OsStr::new("--json")])
            .done();
    }

    pub fn code(&self) -> PathBuf {
        self.folder().join("hivelog")
    }

    /// The vault's files, folders and links, with their bytes and modes.
    pub fn tree(&self) -> Tree {
        tree(&self.vault())
    }
}

/// What a run left behind.
#[derive(Debug, Clone)]
pub struct Ran {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(command: &mut Command) -> Self {
        Self::fed(command, b"")
    }

    /// Runs it with this on standard input, and ends it when it takes too long.
    pub fn fed(command: &mut Command, input: &[u8]) -> Self {
        Self::within(PATIENCE, command, input)
    }

    /// The same with another patience.
    pub fn within(patience: Duration, command: &mut Command, input: &[u8]) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // It may end without reading all of it.
        let feeder = thread::spawn(move || drop(stdin.write_all(&input)));
        let stdout = read_whole(child.stdout.take().unwrap());
        let stderr = read_whole(child.stderr.take().unwrap());
        let hung = |child: &mut Child| -> ! {
            let _ = child.kill();
            panic!("{command:?} did not end within {patience:?}");
        };
        let Ok(stdout) = stdout.recv_timeout(patience) else { hung(&mut child) };
        let Ok(stderr) = stderr.recv_timeout(patience) else { hung(&mut child) };
        let status = child.wait().unwrap().code();
        feeder.join().unwrap();
        let ran = Self { status, stdout, stderr };
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
        ran
    }

    /// Standard output is one JSON object and nothing else.
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value @ Value::Object(_)) => value,
            _ => panic!("standard output is not one JSON object: {self:?}"),
        }
    }

    /// The answer of a run that did what it was asked.
    pub fn done(&self) -> Value {
        assert_eq!(self.status, Some(0), "{self:?}");
        let answer = self.json();
        assert_eq!(answer["success"], true, "{answer}");
        answer
    }

    /// The answer of a run that did what it was asked, and found nothing.
    pub fn found_nothing(&self) -> Value {
        assert_eq!(self.status, Some(3), "{self:?}");
        let answer = self.json();
        assert_eq!(answer["success"], true, "{answer}");
        answer
    }

    /// A run that did what it was asked, whatever it says.
    pub fn succeeded(&self) {
        assert_eq!(self.status, Some(0), "{self:?}");
    }

    /// The answer of a run that ended with this status and says why, in one line.
    pub fn failed(&self, status: i32) -> Value {
        assert_eq!(self.status, Some(status), "{self:?}");
        let answer = self.json();
        assert_eq!(answer["success"], false, "{answer}");
        one_clear_line(answer["error"].as_str().unwrap_or_default());
        answer
    }

    /// The same for a person: nothing on standard output, `error: …` on standard error.
    pub fn complains(&self, status: i32) -> &str {
        assert_eq!(self.status, Some(status), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        let line = self.stderr.lines().next().unwrap_or_default();
        one_clear_line(line.strip_prefix("error: ").unwrap_or_else(|| panic!("no error line: {self:?}")));
        &self.stderr
    }
}

/// A message that a person can read: not empty, one line, of bounded length, without control characters.
pub fn one_clear_line(message: &str) {
    assert!(!message.trim().is_empty(), "an empty message");
    assert!(!message.contains(char::is_control), "control characters in {message:?}");
    assert!(message.chars().count() < 1500, "a message of {} bytes: {:.200}…", message.len(), message);
    assert!(!message.contains("bug in Wellread"), "{message}");
}

fn read_whole(mut from: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        let _ = send.send(String::from_utf8(bytes).expect("output is UTF-8"));
    });
    receive
}

/// Path → what stands there. A file with its bytes and mode, a link with its target, a folder with its mode.
pub type Tree = BTreeMap<PathBuf, (String, Vec<u8>)>;

pub fn tree(folder: &Path) -> Tree {
    let mut found = Tree::new();
    collect(folder, folder, &mut found);
    found
}

fn collect(root: &Path, folder: &Path, found: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        let mode = format!("{:o}", meta.mode());
        let bytes = match meta.file_type() {
            kind if kind.is_symlink() => fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes(),
            kind if kind.is_file() && meta.len() < 1024 * 1024 => fs::read(&path).unwrap(),
            _ => Vec::new(),
        };
        if meta.is_dir() {
            collect(root, &path, found);
        }
        found.insert(path.strip_prefix(root).unwrap().to_owned(), (mode, bytes));
    }
}

pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// How many sentences of a coverage are quoted or supported.
pub fn borne_out(coverage: &Value) -> Value {
    let count = |name: &str| coverage[name].as_u64().unwrap();
    json!(count("quoted") + count("supported"))
}

/// What is in a list under this name, as text.
pub fn column(list: &Value, name: &str) -> Vec<String> {
    let rows = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    rows.iter().map(|row| row[name].as_str().unwrap_or_else(|| panic!("{row}")).to_owned()).collect()
}

pub fn mode_of(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

pub fn fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
}
