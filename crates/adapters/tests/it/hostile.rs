//! A repository that is studied with a language server which does what a test tells it to.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use wellread_adapters::lsp::LanguageServerPool;
use wellread_core::ports::{ServerAnswer, ServerFailure, ServerQuestion, ServerQuestionKind};

use crate::studied::{Studied, ask, in_venv};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/hostile_server.py");
pub const BEES: &str = "🐝 = 1\nwax = 🐝\n";

pub struct Hostile {
    pub studied: Studied,
}

impl Hostile {
    pub fn new(mode: &str, answers: &Value) -> Self {
        let mut studied = Studied::new(&[("bees.py", BEES), ("more.py", "import bees\n")], &[]);
        let around = studied.around();
        fs::write(around.join("answers"), answers.to_string()).unwrap();
        // The one folder that it can write in.
        fs::create_dir(around.join("scratch")).unwrap();
        studied.settings.scratch = Some(around.join("scratch"));
        let words = [&in_venv("python"), "-I", "-S", SERVER, mode]
            .map(str::to_owned)
            .into_iter()
            .chain(["scratch/log", "answers"].map(|name| around.join(name).display().to_string()));
        studied.settings.commands.insert("python".to_owned(), words.collect());
        Self { studied }
    }

    pub fn question(&self) -> ServerQuestion {
        self.studied.question(ServerQuestionKind::Definition, "bees.py", "= <>🐝")
    }

    pub fn asked(&self, pool: &LanguageServerPool) -> Result<ServerAnswer, ServerFailure> {
        ask(pool, &self.question())
    }

    /// The messages that the server got, and what it said of itself at each start.
    pub fn log(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.studied.around().join("scratch/log")).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub fn starts(&self) -> usize {
        self.log().iter().filter(|line| line.get("cwd").is_some()).count()
    }

    /// That no process of this server is there, whatever it called itself.
    pub fn nothing_is_left(&self) {
        let folder = self.studied.around().display().to_string();
        let until = std::time::Instant::now() + Duration::from_secs(20);
        loop {
            let left: Vec<String> =
                processes().filter(|(_, words)| words.contains(&folder)).map(|(_, words)| words).collect();
            if left.is_empty() {
                return;
            }
            assert!(std::time::Instant::now() < until, "{left:#?}");
            std::thread::yield_now();
        }
    }
}

/// Every process of this machine and its words.
pub fn processes() -> impl Iterator<Item = (PathBuf, String)> {
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    all.filter_map(|process| {
        let words = fs::read(process.join("cmdline")).ok()?;
        Some((process, String::from_utf8_lossy(&words).into_owned()))
    })
}

pub fn place(path: &Path, line: u32, from: u32, to: u32) -> Value {
    let at = |character| json!({"line": line, "character": character});
    json!({"uri": format!("file://{}", path.display()), "range": {"start": at(from), "end": at(to)}})
}
