//! A repository that a test wrote, and language servers that are asked about it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use wellread_adapters::lsp::{LanguageServerPool, ServerSettings};
use wellread_adapters::repository::RepositoryFiles;
use wellread_core::domain::corpus::PathRules;
use wellread_core::ports::{
    LanguageServers as _, ServerAnswer, ServerFailure, ServerQuestion, ServerQuestionKind,
};
use wellread_text::Language;

/// Far more than anything takes.
pub const AMPLE: Duration = Duration::from_secs(120);

pub struct Studied {
    folder: TempDir,
    pub settings: ServerSettings,
}

impl Studied {
    /// Files by path and text; commands by language.
    pub fn new(files: &[(&str, &str)], commands: &[(&str, &[&str])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let commands: BTreeMap<String, Vec<String>> =
            commands.iter().map(|(language, command)| ((*language).to_owned(), words(command))).collect();
        let studied = Self { folder, settings: ServerSettings::new(commands) };
        fs::create_dir(studied.root()).unwrap();
        for (path, text) in files {
            studied.write(path, text);
        }
        studied
    }

    /// The folder around the repository, links followed.
    pub fn around(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn root(&self) -> PathBuf {
        self.around().join("repo")
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn pool(&self) -> LanguageServerPool {
        let repository = Arc::new(RepositoryFiles::open(&self.root()).unwrap());
        LanguageServerPool::new(self.settings.clone(), vec![("repo".to_owned(), repository)])
    }

    /// A question about the first letter of the word that `<>` stands before in `around`, a part of the file.
    pub fn question(&self, what: ServerQuestionKind, path: &str, around: &str) -> ServerQuestion {
        let text = fs::read_to_string(self.root().join(path)).unwrap();
        let (before, after) = around.split_once("<>").expect("a place");
        let found = text.find(&format!("{before}{after}")).expect("what is asked about is in the file");
        let upto = &text[..found + before.len()];
        ServerQuestion {
            repository: "repo".to_owned(),
            language: Language::detect(path, &text).unwrap().name().to_owned(),
            path: PathRules::new([], &[]).parse_file(path).unwrap(),
            line: upto.matches('\n').count() + 1,
            column: upto.rsplit('\n').next().unwrap().chars().count() + 1,
            text,
            what,
            limit: AMPLE,
        }
    }
}

pub fn ask(pool: &LanguageServerPool, question: &ServerQuestion) -> Result<ServerAnswer, ServerFailure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(pool.ask(question))
}

/// `path line:column` of each place.
pub fn places(answer: &ServerAnswer) -> Vec<String> {
    let shown = |place: &wellread_core::ports::ServerPlace| {
        format!("{} {}:{}", place.path, place.lines.0, place.columns.0)
    };
    answer.places.iter().map(shown).collect()
}

pub fn hover(answer: &ServerAnswer) -> &str {
    answer.hover.as_ref().expect("something to show").expose()
}

/// A program of the tests' Python environment.
pub fn in_venv(program: &str) -> String {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let path = checkout.join(".venv/bin").join(program);
    assert!(path.exists(), "`./check` installs {}", path.display());
    path.to_str().unwrap().to_owned()
}
