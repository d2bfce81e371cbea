//! How often `recheck` follows a citation to a wrong place: `cargo bench -p wellread-adapters --bench recheck -- FOLDER`.
//!
//! The folder has a folder for each project, and in it one for each release, in the order of their names. The releases are
//! committed one after another. Passages of each but the last are cited, from files that have changed since, and
//! rechecked against the last: with git's history and without any.
//!
//! The right places come from git (`git blame --reverse`, which goes from commit to commit, as `recheck` does not), and where
//! git has lost the lines, from the text with the lines around it, if that occurs once in either release.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use wellread_adapters::files::VaultFiles;
use wellread_adapters::repository::{GitHistory, RepositoryFiles};
use wellread_core::domain::corpus::{CorpusName, Hash, Place};
use wellread_core::domain::evidence::{Evidence, Provenance, Source};
use wellread_core::domain::id::{EvidenceId, RunId};
use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{Corpus, History, NoHistory, Snapshots};
use wellread_core::trust::recheck::{CurrentPlace, RecheckState, Rechecker};
use wellread_text::{Language, LineIndex, chunk_code};

const ENDINGS: &[&str] = &["py", "md", "rst", "txt", "js", "ts", "rs"];
/// Citations of each release.
const CITED: usize = 120;
/// The longest passage, in lines.
const LONGEST: usize = 60;

type Tree = BTreeMap<String, String>;

/// The lines of a file, from 1, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Lines {
    path: String,
    first: usize,
    last: usize,
}

/// Where a cited passage is in the last release.
enum Truth {
    /// There, unchanged.
    At(Lines),
    /// Some of its lines are among these.
    PartOf(Lines),
    /// Its lines are gone.
    Gone,
}

#[derive(Default)]
struct Tally {
    counts: BTreeMap<(&'static str, &'static str), usize>,
    /// Citations that were said to hold, or to have moved, where the text is not the cited one.
    wrong: Vec<String>,
    /// Citations that were said to have changed, at lines that git knows nothing of: the label is weak, since git may have
    /// kept nothing but a closing brace.
    off: Vec<String>,
    cited: usize,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.find(|argument| !argument.starts_with('-')).map(PathBuf::from) else {
        return;
    };
    let folder = if folder.exists() { folder } else { Path::new("../..").join(folder) };
    let (mut with_git, mut without) = (Tally::default(), Tally::default());
    for project in folders(&folder) {
        measure(&project, &mut with_git, &mut without);
    }
    for (name, tally) in [("with git's history", with_git), ("without a history", without)] {
        println!("\n{name}: {} citations", tally.cited);
        for ((truth, state), count) in &tally.counts {
            println!("  {truth:<10} {state:<16} {count}");
        }
        for (what, all) in
            [("wrong place", &tally.wrong), ("changed, off the lines that git kept", &tally.off)]
        {
            let share = 100.0 * all.len() as f64 / tally.cited as f64;
            println!("  {what}: {} ({share:.2} %)", all.len());
            for one in all {
                println!("    {one}");
            }
        }
    }
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

fn measure(project: &Path, with_git: &mut Tally, without: &mut Tally) {
    let temporary = tempfile::tempdir().unwrap();
    let base = temporary.path().canonicalize().unwrap();
    let root = base.join("here");
    fs::create_dir(&root).unwrap();
    git(&root, &["init", "--quiet", "--initial-branch=main"]);
    let mut releases: Vec<(String, Tree)> = Vec::new();
    for release in folders(project) {
        let tree = read_tree(&release);
        for old in releases.last().map(|(_, tree)| tree.keys()).into_iter().flatten() {
            fs::remove_file(root.join(old)).unwrap();
        }
        for (path, text) in &tree {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        git(&root, &["add", "--all"]);
        git(&root, &["commit", "--quiet", "--allow-empty", "--message=release"]);
        releases.push((git(&root, &["rev-parse", "HEAD"]).trim().to_owned(), tree));
    }
    let (_, last) = releases.pop().unwrap();
    let name = CorpusName::Repository("code".to_owned());
    let rules = VaultFiles::open(&root, &base.join("data"), &[]).unwrap().rules().clone();
    let corpus: Arc<dyn Corpus> = Arc::new(RepositoryFiles::open(&root).unwrap());
    let history = GitHistory::new(&base.join("scratch"), vec![(name.clone(), root.clone(), rules.clone())]);
    let mut random = Random(releases.len() as u64);
    for (commit, tree) in &releases {
        let chosen = choose(tree, &last, &mut random);
        let mut maps = HashMap::new();
        let truths: Vec<Truth> =
            chosen.iter().map(|lines| find_truth(&root, commit, tree, &last, lines, &mut maps)).collect();
        let cited = |commit: Option<&str>| -> Vec<Evidence> {
            let one = |lines: &Lines| {
                let text = &tree[&lines.path];
                let span = LineIndex::new(text).span(lines.first, lines.last).unwrap();
                let place = Place {
                    corpus: name.clone(),
                    path: rules.parse_file(&lines.path).unwrap(),
                    lines: (lines.first, lines.last),
                    span: span.clone(),
                    hash: Hash::compute(text.as_bytes()),
                };
                evidence(Source::from_place(&place, commit.map(str::to_owned)), &text[span])
            };
            chosen.iter().map(one).collect()
        };
        let corpora = [(name.clone(), corpus.clone())];
        for (tally, history, cited) in [
            (&mut *with_git, &history as &dyn History, cited(Some(commit))),
            (&mut *without, &NoHistory, cited(None)),
        ] {
            let rechecker = Rechecker { corpora: &corpora, snapshots: &NoPages, history };
            let states = rechecker.recheck(&cited, &|_| {}).unwrap();
            for ((lines, truth), state) in chosen.iter().zip(&truths).zip(states) {
                let at = format!("{} {}", project.file_name().unwrap().display(), &commit[..7]);
                tally.add(&at, lines, truth, &state.state, tree);
            }
        }
    }
    println!("{}: {} releases", project.file_name().unwrap().display(), releases.len() + 1);
}

impl Tally {
    fn add(&mut self, at: &str, lines: &Lines, truth: &Truth, state: &RecheckState, tree: &Tree) {
        let kind = match truth {
            Truth::At(right) if right == lines => "in place",
            Truth::At(_) => "moved",
            Truth::PartOf(_) => "changed",
            Truth::Gone => "gone",
        };
        let said = match state {
            RecheckState::Holds => Some((lines.clone(), None)),
            RecheckState::Moved { to, .. } => Some((place(to), None)),
            RecheckState::Changed { to, now, .. } => Some((place(to), Some(now.expose()))),
            _ => None,
        };
        let is_right = said.as_ref().is_none_or(|(said, now)| match (truth, now) {
            (Truth::At(right), None) => said == right,
            (Truth::At(_), Some(_)) => false,
            (Truth::PartOf(right), Some(_)) => {
                said.path == right.path && said.first <= right.last && right.first <= said.last
            }
            // A passage that was already there beside the cited one is another one.
            (Truth::Gone, Some(now)) => !tree.values().any(|text| text.contains(now)),
            (Truth::PartOf(_) | Truth::Gone, None) => false,
        });
        self.cited += 1;
        *self.counts.entry((kind, state.name())).or_default() += 1;
        if !is_right {
            let right = match truth {
                Truth::At(right) | Truth::PartOf(right) => {
                    format!("{}:{}-{}", right.path, right.first, right.last)
                }
                Truth::Gone => "gone".to_owned(),
            };
            let off = matches!(state, RecheckState::Changed { .. });
            let said = said.map(|(said, _)| format!("{}:{}-{}", said.path, said.first, said.last));
            let all = if off { &mut self.off } else { &mut self.wrong };
            all.push(format!(
                "{at} {}:{}-{} {kind}: {} {} instead of {right}",
                lines.path,
                lines.first,
                lines.last,
                state.name(),
                said.unwrap_or_default()
            ));
        }
    }
}

fn place(to: &CurrentPlace) -> Lines {
    Lines { path: to.path.to_string(), first: to.start_line, last: to.end_line }
}

/// Passages of files that are not the same in the last release: half of them as search returns them, half any lines.
fn choose(tree: &Tree, last: &Tree, random: &mut Random) -> Vec<Lines> {
    let changed: Vec<&String> =
        tree.iter().filter(|(path, text)| last.get(*path) != Some(text)).map(|(path, _)| path).collect();
    let mut chosen: Vec<Lines> = Vec::new();
    let mut tries = 0;
    while chosen.len() < CITED && tries < 20 * CITED && !changed.is_empty() {
        tries += 1;
        let path = changed[random.below(changed.len())];
        let text = &tree[path];
        let count = LineIndex::new(text).count();
        let (first, end) = if tries % 2 == 0 {
            let chunks = chunk_code(text, Language::from_path(path));
            let Some(chunk) = chunks.get(random.below(chunks.len().max(1))) else { continue };
            chunk.lines
        } else {
            let first = 1 + random.below(count.max(1));
            (first, first + random.below(5))
        };
        if end > count || end - first >= LONGEST {
            continue;
        }
        let span = LineIndex::new(text).span(first, end).unwrap();
        let lines = Lines { path: path.clone(), first, last: end };
        let letters = text[span].chars().filter(|letter| letter.is_alphanumeric()).count();
        if letters >= 8 && !chosen.contains(&lines) {
            chosen.push(lines);
        }
    }
    chosen
}

/// For each line of a file: where it is in the last release.
type LineTruth = Vec<Option<(String, usize)>>;

fn find_truth(
    root: &Path,
    commit: &str,
    tree: &Tree,
    last: &Tree,
    lines: &Lines,
    maps: &mut HashMap<String, LineTruth>,
) -> Truth {
    let map = maps.entry(lines.path.clone()).or_insert_with(|| blame(root, commit, &lines.path));
    let followed: Vec<&(String, usize)> = map[lines.first - 1..lines.last].iter().flatten().collect();
    let wanted = lines.last - lines.first + 1;
    if let Some((path, first)) = followed.first() {
        let here: Vec<usize> =
            followed.iter().filter(|(other, _)| other == path).map(|(_, line)| *line).collect();
        let is_together = here.iter().enumerate().all(|(number, line)| *line == first + number);
        let (low, high) = (here.iter().min().unwrap(), here.iter().max().unwrap());
        let there = Lines { path: path.clone(), first: *low, last: *high };
        if here.len() == wanted && is_together {
            return Truth::At(there);
        }
        if let Some(moved) = find_unique(tree, last, lines) {
            return Truth::At(moved);
        }
        return Truth::PartOf(there);
    }
    find_unique(tree, last, lines).map_or(Truth::Gone, Truth::At)
}

/// The place of the text in the last release, if it occurs once in either, alone or with the lines around it.
fn find_unique(tree: &Tree, last: &Tree, lines: &Lines) -> Option<Lines> {
    let text = &tree[&lines.path];
    let index = LineIndex::new(text);
    [0, 1, 3].into_iter().find_map(|around| {
        let first = lines.first.saturating_sub(around).max(1);
        let end = (lines.last + around).min(index.count());
        let wanted = &text[index.span(first, end)?];
        let once = |tree: &Tree| {
            let mut places = tree.iter().flat_map(|(path, text)| {
                text.match_indices(wanted)
                    .map(move |(at, _)| (path.clone(), LineIndex::new(text).line_of(at)))
            });
            places.next().filter(|_| places.next().is_none())
        };
        let (_, (path, line)) = (once(tree)?, once(last)?);
        let start = line + (lines.first - first);
        Some(Lines { path, first: start, last: start + (lines.last - lines.first) })
    })
}

fn blame(root: &Path, commit: &str, path: &str) -> LineTruth {
    let head = git(root, &["rev-parse", "HEAD"]).trim().to_owned();
    let said =
        git(root, &["blame", "--reverse", "--line-porcelain", &format!("{commit}..{head}"), "--", path]);
    let mut lines: LineTruth = Vec::new();
    let mut at: Option<(bool, usize)> = None;
    let mut name = String::new();
    for line in said.lines() {
        if line.starts_with('\t') {
            let (is_there, number) = at.take().unwrap();
            lines.push(is_there.then(|| (name.clone(), number)));
        } else if let Some(file) = line.strip_prefix("filename ") {
            file.clone_into(&mut name);
        } else if at.is_none() {
            let mut fields = line.split(' ');
            let is_there = fields.next() == Some(&head);
            at = Some((is_there, fields.next().unwrap().parse().unwrap()));
        }
    }
    lines
}

fn read_tree(folder: &Path) -> Tree {
    let (mut tree, mut open) = (Tree::new(), vec![folder.to_path_buf()]);
    while let Some(inside) = open.pop() {
        for entry in fs::read_dir(inside).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            if let (true, Ok(text)) = (ENDINGS.contains(&ending), fs::read_to_string(&path)) {
                // Git and the product count lines by `\n` alone; a file with other line breaks has no common numbers.
                if !text.contains('\r') && !text.contains('\0') {
                    tree.insert(name, text);
                }
            }
        }
    }
    tree
}

fn git(root: &Path, arguments: &[&str]) -> String {
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(who).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn evidence(source: Source, text: &str) -> Evidence {
    Evidence {
        id: EvidenceId::new(&RunId::parse("00000000000000").unwrap(), 1),
        source,
        text: Untrusted::from_outside(text),
        reason: String::new(),
        provenance: Provenance::Manual,
        score: None,
        symbol: None,
    }
}

struct NoPages;

impl Snapshots for NoPages {
    fn keep(&self, text: &str) -> wellread_core::Result<Hash> {
        Ok(Hash::compute(text.as_bytes()))
    }

    fn load(&self, _: Hash) -> wellread_core::Result<Option<String>> {
        Ok(None)
    }
}

/// A small generator, so that the same passages are chosen each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}
