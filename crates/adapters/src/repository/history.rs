//! What git knows of the past of files: what they were called, and which have changed.
//!
//! Where there is no git, no repository, or one that can't be read, there is no history, and that is no error.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, Hash, PathRules, VaultPath};
use wellread_core::ports::{FileVersion, History};

use super::git::{Git, GitRepository};

/// Commits that are looked through for renames.
const MOST_COMMITS: &str = "--max-count=50000";
/// A name that is changed more often is not followed further.
const MOST_RENAMES: usize = 1000;
/// The latest versions of a file among which a cited one is looked for.
const MOST_VERSIONS: &str = "--max-count=32";

/// The history of these folders, each asked for once.
#[derive(Debug)]
pub struct GitHistory {
    git: Git,
    folders: Vec<(CorpusName, PathBuf, PathRules)>,
    read: Mutex<HashMap<RenamesKey, Arc<Renames>>>,
}

/// A corpus, and since which commit, as it was written.
type RenamesKey = (CorpusName, Option<String>);

impl GitHistory {
    /// `scratch` is a folder of our own, made when it is needed. Of each corpus the folder that it is in, and the rules for its
    /// paths.
    pub fn new(scratch: &Path, folders: Vec<(CorpusName, PathBuf, PathRules)>) -> Self {
        let studied: Vec<PathBuf> = folders.iter().map(|(_, root, _)| root.clone()).collect();
        Self { git: Git::new(scratch, &studied), folders, read: Mutex::default() }
    }

    fn find_repository(&self, corpus: &CorpusName) -> Option<(GitRepository, &PathRules)> {
        let (_, root, rules) = self.folders.iter().find(|(name, _, _)| name == corpus)?;
        Some((GitRepository::find(root)?, rules))
    }

    /// Git is asked once for each commit, not for each file.
    fn renames(&self, corpus: &CorpusName, of: &GitRepository, since: Option<&str>) -> Arc<Renames> {
        let asked = (corpus.clone(), since.map(str::to_owned));
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(&asked) {
            return known.clone();
        }
        // One that was rebased away says nothing.
        let since = since.and_then(|since| self.resolve_commit(of, since));
        let renames = Arc::new(self.read_renames(of, since.as_deref()));
        read.insert(asked, renames.clone());
        renames
    }

    fn read_renames(&self, of: &GitRepository, since: Option<&str>) -> Renames {
        let relative = format!("--relative={}", of.below);
        let range = since.map_or_else(|| of.head.clone(), |since| format!("{since}..{}", of.head));
        let shared = ["-z", "--name-status", "--diff-filter=DR", "-l1000", "--no-ext-diff", &relative];
        let mut renames = Renames { is_since: since.is_some(), ..Renames::default() };
        // In the index already, and not committed: the newest there is.
        let staged = ["diff-index", "--cached", "-M"].iter().chain(&shared).copied();
        let staged = staged.chain([of.head.as_str(), "--"]).collect::<Vec<_>>();
        if let Some(answer) = self.git.query_objects(of, &staged).filter(|answer| answer.is_whole) {
            renames.add(&answer.bytes);
        }
        // A clone without the contents of files still knows of those that were renamed as they were.
        for alike in ["-M", "-M100%"] {
            let log = ["log", "--format=format:%x01", "--no-textconv", "--no-color", MOST_COMMITS, alike];
            let log = log.iter().chain(&shared).copied().chain([range.as_str(), "--"]).collect::<Vec<_>>();
            if let Some(answer) = self.git.query_objects(of, &log) {
                // The newest come first, so what was cut off at the end is the oldest.
                if answer.is_whole || !answer.bytes.is_empty() {
                    renames.add(&answer.bytes);
                    break;
                }
            }
        }
        renames
    }

    /// What a commit has at this path: a file's content, and nothing else.
    fn read_blob(&self, of: &GitRepository, path: &VaultPath, commit: &str) -> Option<Vec<u8>> {
        let named = format!("{commit}:{}{path}", of.below);
        let answer = self.git.query_objects(of, &["cat-file", "blob", &named])?;
        answer.is_whole.then_some(answer.bytes)
    }

    /// The commits that changed the file at this path, the latest first.
    fn latest_versions(&self, of: &GitRepository, path: &VaultPath) -> Vec<String> {
        let named = format!("{}{path}", of.below);
        let answer = self.git.query_objects(of, &["rev-list", MOST_VERSIONS, &of.head, "--", &named]);
        let said = answer.and_then(|answer| String::from_utf8(answer.bytes).ok()).unwrap_or_default();
        said.lines().filter(|line| line.len() >= 40).map(str::to_owned).collect()
    }

    /// The whole name of a commit: of one that is in the objects.
    fn resolve_commit(&self, of: &GitRepository, written: &str) -> Option<String> {
        let (base, steps) = written.split_at(written.find(['~', '^']).unwrap_or(written.len()));
        if !steps.bytes().all(|byte| matches!(byte, b'~' | b'^' | b'0'..=b'9')) {
            return None;
        }
        let is_hash = (4..=64).contains(&base.len()) && base.bytes().all(|byte| byte.is_ascii_hexdigit());
        let by_name = || {
            let among = ["refs/tags/", "refs/heads/", "refs/remotes/", "refs/"];
            among.iter().find_map(|folder| of.git.resolve_ref(&format!("{folder}{base}")))
        };
        let base = match base {
            "HEAD" | "@" => of.head.clone(),
            _ => by_name().or_else(|| is_hash.then(|| base.to_owned()))?,
        };
        let named = format!("{base}{steps}^{{commit}}");
        let answer =
            self.git.query_objects(of, &["rev-parse", "--verify", "--quiet", "--end-of-options", &named]);
        let answer = answer.filter(|answer| answer.is_whole)?;
        // Some versions repeat the option.
        let said = String::from_utf8(answer.bytes).ok()?;
        said.lines().last().map(|line| line.trim().to_owned()).filter(|hash| hash.len() >= 40)
    }
}

impl History for GitHistory {
    fn current_path(
        &self,
        corpus: &CorpusName,
        path: &VaultPath,
        since: Option<&str>,
    ) -> Result<Option<VaultPath>> {
        let Some((of, rules)) = self.find_repository(corpus) else { return Ok(None) };
        let now = self.renames(corpus, &of, since).follow(path.as_str());
        Ok(now.and_then(|now| rules.parse_file(&now).ok()))
    }

    fn changed_since(&self, corpus: &CorpusName, commit: &str) -> Result<Option<Vec<VaultPath>>> {
        let Some((of, rules)) = self.find_repository(corpus) else { return Ok(None) };
        let Some(commit) = self.resolve_commit(&of, commit) else { return Ok(None) };
        let differs = ["diff-index", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--relative"];
        let differs = differs.iter().copied().chain(["--ignore-submodules=all", &commit, "--"]);
        let new = ["ls-files", "-z", "--others", "--exclude-standard", "--"];
        let mut changed = BTreeSet::new();
        for arguments in [differs.collect::<Vec<_>>(), new.to_vec()] {
            let answer = self.git.query_files(&of, &arguments).filter(|answer| answer.is_whole);
            // Half an answer would leave out what changed.
            let Some(answer) = answer else { return Ok(None) };
            let paths = fields(&answer.bytes).filter_map(|path| rules.parse_file(path).ok());
            changed.extend(paths);
        }
        Ok(Some(changed.into_iter().collect()))
    }

    fn find_version(
        &self,
        corpus: &CorpusName,
        path: &VaultPath,
        commit: Option<&str>,
        hash: Hash,
    ) -> Result<Option<FileVersion>> {
        let Some((of, _)) = self.find_repository(corpus) else { return Ok(None) };
        let version = |commit: String| {
            let bytes = self.read_blob(&of, path, &commit)?;
            (Hash::compute(&bytes) == hash).then_some(FileVersion { commit, bytes })
        };
        let cited = commit.and_then(|written| self.resolve_commit(&of, written));
        Ok(cited.and_then(version).or_else(|| self.latest_versions(&of, path).into_iter().find_map(version)))
    }

    fn read_at(&self, corpus: &CorpusName, path: &VaultPath, commit: &str) -> Result<Option<Vec<u8>>> {
        let Some((of, _)) = self.find_repository(corpus) else { return Ok(None) };
        let commit = self.resolve_commit(&of, commit);
        Ok(commit.and_then(|commit| self.read_blob(&of, path, &commit)))
    }
}

/// What a git command says with `-z`. A name that is not Unicode is not one of ours.
fn fields(bytes: &[u8]) -> impl Iterator<Item = &str> {
    bytes.split(|byte| *byte == 0).map(|field| std::str::from_utf8(field).unwrap_or_default())
}

/// When which name was taken away, and by what other.
#[derive(Debug, Default)]
pub struct Renames {
    /// By the old name, newest first: how many commits ago, and the new name, where there is one.
    taken: HashMap<String, Vec<(usize, Option<String>)>>,
    commits: usize,
    /// Whether it begins with the commit at which the file had its old name.
    is_since: bool,
}

impl Renames {
    /// Adds what is older than everything before.
    pub fn add(&mut self, said: &[u8]) {
        let mut fields = fields(said);
        while let Some(field) = fields.next() {
            if field.contains('\u{1}') {
                self.commits += 1;
            }
            match field.trim_start_matches(['\u{1}', '\n']).bytes().next() {
                Some(b'D') => self.record_rename(fields.next(), None),
                Some(b'R') => {
                    let old = fields.next();
                    self.record_rename(old, fields.next());
                }
                _ => {}
            }
        }
    }

    fn record_rename(&mut self, old: Option<&str>, new: Option<&str>) {
        if let Some(old) = old.filter(|old| !old.is_empty()) {
            let new = new.filter(|new| !new.is_empty()).map(str::to_owned);
            self.taken.entry(old.to_owned()).or_default().push((self.commits, new));
        }
    }

    /// The last name of the file that had this one when the history begins, or else of the one that had it last.
    pub fn follow(&self, path: &str) -> Option<String> {
        let taken = self.taken.get(path)?;
        let (at, to) = if self.is_since { taken.last()? } else { taken.first()? };
        let (mut ago, mut name) = (*at, to.as_deref()?);
        for _ in 0..MOST_RENAMES {
            let later = self.taken.get(name).and_then(|taken| taken.iter().rev().find(|(at, _)| *at < ago));
            match later {
                None => return Some(name.to_owned()),
                Some((at, to)) => (ago, name) = (*at, to.as_deref()?),
            }
        }
        None
    }
}
