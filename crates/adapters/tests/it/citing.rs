//! A vault and a repository with a past, out of which texts are cited and rechecked.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use wellread_adapters::files::VaultFiles;
use wellread_adapters::repository::{GitHistory, RepositoryFiles, git_commit};
use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, Hash, Place};
use wellread_core::domain::evidence::{Evidence, Provenance, Source};
use wellread_core::domain::id::{EvidenceId, RunId};
use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{Corpus, History, NoHistory, Snapshots};
use wellread_core::trust::recheck::{RecheckState, Rechecker};
use wellread_text::LineIndex;

/// Where a case plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// A repository of code that git knows.
    Code,
    /// The same files without git.
    Plain,
    /// A vault that git knows nothing of.
    Vault,
    /// A vault that is a git repository.
    GitVault,
}

pub struct Past {
    folder: TempDir,
    pub at: Where,
}

impl Past {
    pub fn new(at: Where, files: &[(&str, &str)]) -> Self {
        let past = Self { folder: TempDir::new().unwrap(), at };
        fs::create_dir(past.root()).unwrap();
        if past.has_git() {
            past.git(&["init", "--quiet", "--initial-branch=main"]);
        }
        for (path, text) in files {
            past.save(path, text);
        }
        past.commit();
        past
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("here")
    }

    /// Beside the studied files.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn has_git(&self) -> bool {
        matches!(self.at, Where::Code | Where::GitVault)
    }

    pub fn corpus(&self) -> CorpusName {
        match self.at {
            Where::Code | Where::Plain => CorpusName::Repository("code".to_owned()),
            Where::Vault | Where::GitVault => CorpusName::Vault,
        }
    }

    pub fn vault(&self) -> VaultFiles {
        VaultFiles::open(&self.root(), &self.beside("data"), &[]).unwrap()
    }

    pub fn open(&self) -> Arc<dyn Corpus> {
        match self.corpus() {
            CorpusName::Vault => Arc::new(self.vault()),
            CorpusName::Repository(_) => Arc::new(RepositoryFiles::open(&self.root()).unwrap()),
        }
    }

    pub fn history(&self) -> GitHistory {
        let rules = self.vault().rules().clone();
        GitHistory::new(&self.beside("scratch"), vec![(self.corpus(), self.root(), rules)])
    }

    pub fn git(&self, arguments: &[&str]) {
        let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
        let mut command = Command::new("git");
        command.arg("-C").arg(self.root()).args(who).args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").stdout(Stdio::null());
        assert!(command.status().unwrap().success(), "{arguments:?}");
    }

    /// What is there now is committed, where there is git.
    pub fn commit(&self) {
        if self.has_git() {
            self.git(&["add", "--all"]);
            self.git(&["commit", "--quiet", "--allow-empty", "--message=more"]);
        }
    }

    pub fn save(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// Replaces what has to be there.
    pub fn replace(&self, path: &str, old: &str, new: &str) {
        let text = self.text(path);
        assert!(text.contains(old), "{path} has no {old:?}");
        self.save(path, text.replacen(old, new, 1));
    }

    pub fn rename(&self, from: &str, to: &str) {
        fs::create_dir_all(self.root().join(to).parent().unwrap()).unwrap();
        fs::rename(self.root().join(from), self.root().join(to)).unwrap();
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    /// Cites the text where it stands first.
    pub fn cite(&self, path: &str, text: &str) -> Evidence {
        let whole = self.text(path);
        let start = whole.find(text).unwrap_or_else(|| panic!("{path} has no {text:?}"));
        self.cite_at(path, start, text)
    }

    pub fn cite_at(&self, path: &str, start: usize, text: &str) -> Evidence {
        let whole = self.text(path);
        let span = start..start + text.len();
        assert_eq!(whole.get(span.clone()), Some(text));
        let lines = LineIndex::new(&whole);
        let place = Place {
            corpus: self.corpus(),
            path: self.vault().rules().parse_file(path).unwrap(),
            lines: (lines.line_of(start), lines.line_of(span.end.saturating_sub(1).max(start))),
            span,
            hash: Hash::compute(whole.as_bytes()),
        };
        evidence(1, Source::from_place(&place, git_commit(&self.root())), text)
    }

    pub fn recheck(&self, cited: &[Evidence]) -> Vec<RecheckState> {
        let history: Box<dyn History> =
            if self.has_git() { Box::new(self.history()) } else { Box::new(NoHistory) };
        recheck(&[(self.corpus(), self.open())], &*history, cited)
    }
}

pub fn evidence(number: u32, source: Source, text: &str) -> Evidence {
    let run = RunId::parse("00000000000000").unwrap();
    Evidence {
        id: EvidenceId::new(&run, number),
        source,
        text: Untrusted::from_outside(text),
        reason: String::new(),
        provenance: Provenance::Manual,
        score: None,
        symbol: None,
    }
}

pub fn recheck(
    corpora: &[(CorpusName, Arc<dyn Corpus>)],
    history: &dyn History,
    cited: &[Evidence],
) -> Vec<RecheckState> {
    let told = Mutex::new(Vec::new());
    let rechecker = Rechecker { corpora, snapshots: &Kept::default(), history };
    let rechecked = rechecker.recheck(cited, &|done| told.lock().unwrap().push(done)).unwrap();
    assert_eq!(*told.lock().unwrap(), (1..=cited.len()).collect::<Vec<_>>());
    for (one, evidence) in rechecked.iter().zip(cited) {
        assert_eq!((&one.evidence, &one.source), (&evidence.id, &evidence.source));
    }
    rechecked.into_iter().map(|one| one.state).collect()
}

/// Kept pages.
#[derive(Default)]
pub struct Kept(pub Mutex<HashMap<Hash, String>>);

impl Snapshots for Kept {
    fn keep(&self, text: &str) -> Result<Hash> {
        let hash = Hash::compute(text.as_bytes());
        self.0.lock().unwrap().insert(hash, text.to_owned());
        Ok(hash)
    }

    fn load(&self, hash: Hash) -> Result<Option<String>> {
        match self.0.lock().unwrap().get(&hash).cloned() {
            Some(text) if text == "damaged" => Err(wellread_core::Error::failed("the kept page is damaged")),
            kept => Ok(kept),
        }
    }
}

/// What a standing says, in a line; and that it is true of the files under `root`.
pub fn said(standing: &RecheckState, evidence: &Evidence, root: &Path) -> String {
    let read = |spot: &wellread_core::trust::recheck::CurrentPlace| {
        let text = fs::read_to_string(root.join(spot.path.as_str())).unwrap();
        let lines = LineIndex::new(&text);
        let last = spot.span.end.saturating_sub(1).max(spot.span.start);
        assert_eq!((spot.start_line, spot.end_line), (lines.line_of(spot.span.start), lines.line_of(last)));
        text[spot.span.clone()].to_owned()
    };
    match standing {
        RecheckState::Holds => "holds".to_owned(),
        RecheckState::Moved { to, how } => {
            assert_eq!(read(to), evidence.text.expose(), "{to:?}");
            let how = format!("{how:?}").to_lowercase();
            format!("moved {how} {}:{}-{}", to.path, to.start_line, to.end_line)
        }
        RecheckState::Ambiguous { places } => {
            assert!(places.len() > 1, "{places:?}");
            let shown = places.iter().enumerate().map(|(number, spot)| {
                assert_eq!(read(spot), evidence.text.expose(), "{spot:?}");
                assert!(!places[..number].contains(spot), "{places:?}");
                format!(" {}:{}-{}", spot.path, spot.start_line, spot.end_line)
            });
            format!("ambiguous{}", shown.collect::<String>())
        }
        RecheckState::Changed { to, now, diff, only } => {
            assert_eq!(read(to), now.expose());
            assert_ne!(now.expose(), evidence.text.expose());
            assert!(diff.expose().starts_with("--- "), "{}", diff.expose());
            let only = only.map(|only| format!(", {} only", only.name())).unwrap_or_default();
            format!("changed {}:{}-{}{only}", to.path, to.start_line, to.end_line)
        }
        RecheckState::Gone { reason } => format!("gone: {reason}"),
        RecheckState::Unreachable { reason } => format!("unreachable: {reason}"),
    }
}
