//! Files in memory, by the same contract as the real ones.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Mutex;

use jiff::Timestamp;
use wellread_core::domain::corpus::{Action, AppliedAction, ChangeSet, Hash, Operation, VaultPath};
use wellread_core::domain::id::OperationId;
use wellread_core::ports::{Corpus, FileContent, FileEntry, FileIdentity, FileListing, Files};
use wellread_core::{Error, Result};
use wellread_text::apply_splices;

type FileTree = BTreeMap<VaultPath, Vec<u8>>;

/// Runs just before a change is made: here a test lets somebody else save.
type BeforeChangeHook = Box<dyn FnMut(&mut FileTree) + Send>;

pub struct MemoryFiles {
    now: Timestamp,
    state: Mutex<MemoryFilesState>,
}

#[derive(Default)]
struct MemoryFilesState {
    tree: FileTree,
    /// When a file was last changed and created, if that is not now.
    times: HashMap<VaultPath, (Timestamp, Option<Timestamp>)>,
    unreadable: BTreeSet<VaultPath>,
    /// Symbolic links to files and folders, by where they are.
    links: BTreeMap<String, String>,
    /// Folders with a `.git` of their own.
    repositories: Vec<String>,
    operations: Vec<Operation>,
    meanwhile: Option<BeforeChangeHook>,
}

impl MemoryFiles {
    pub fn new(now: Timestamp, files: impl IntoIterator<Item = (VaultPath, Vec<u8>)>) -> Self {
        let state = MemoryFilesState { tree: files.into_iter().collect(), ..MemoryFilesState::default() };
        Self { now, state: Mutex::new(state) }
    }

    /// Writes a file without the vault's knowledge, as an editor does.
    pub fn save(&self, path: &VaultPath, bytes: &[u8]) {
        self.state().tree.insert(path.clone(), bytes.to_vec());
    }

    /// Removes a file without the vault's knowledge.
    pub fn remove(&self, path: &VaultPath) {
        assert!(self.state().tree.remove(path).is_some(), "{path} is not there");
    }

    /// Sets when a file was last changed and, if its file system stores that, created.
    pub fn set_dates(&self, path: &VaultPath, modified: Timestamp, created: Option<Timestamp>) {
        self.state().times.insert(path.clone(), (modified, created));
    }

    /// Adds a symbolic link to a file or a folder.
    pub fn link(&self, link: &str, target: &str) {
        self.state().links.insert(link.to_owned(), target.to_owned());
    }

    /// Makes a folder a repository of its own.
    pub fn make_repository(&self, folder: &str) {
        self.state().repositories.push(folder.to_owned());
    }

    /// From now on, reading this file fails as on a broken disk.
    pub fn make_unreadable(&self, path: &VaultPath) {
        self.state().unreadable.insert(path.clone());
    }

    /// Sets what happens right before each change.
    pub fn before_each_change(&self, act: impl FnMut(&mut FileTree) + Send + 'static) {
        self.state().meanwhile = Some(Box::new(act));
    }

    /// All files with their bytes.
    pub fn tree(&self) -> FileTree {
        self.state().tree.clone()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, MemoryFilesState> {
        self.state.lock().expect("no test panics with the files in hand")
    }

    fn entry(&self, state: &MemoryFilesState, path: &VaultPath, bytes: &[u8]) -> FileEntry {
        let (modified, created) = state.times.get(path).copied().unwrap_or((self.now, Some(self.now)));
        FileEntry {
            path: path.clone(),
            size: bytes.len() as u64,
            modified,
            created,
            changed: modified,
            number: file_number(bytes),
            linked: !state.leading_to(path).is_empty(),
        }
    }
}

impl Corpus for MemoryFiles {
    fn list(&self) -> Result<FileListing> {
        let state = self.state();
        let mut files: Vec<FileEntry> =
            state.tree.iter().map(|(path, bytes)| self.entry(&state, path, bytes)).collect();
        let linked = state.links.keys().map(|link| VaultPath::from_index(link.clone()));
        for link in linked.filter(|link| state.tree.contains_key(&state.resolve(link))) {
            let target = files.iter().find(|entry| entry.path == state.resolve(&link)).cloned();
            files.extend(target.map(|entry| FileEntry { path: link, linked: true, ..entry }));
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let visible = |entry: &FileEntry| !entry.path.as_str().starts_with('.');
        let mut folders: Vec<String> =
            files.iter().filter(|entry| visible(entry)).flat_map(parent_folders).collect();
        folders.sort();
        folders.dedup();
        Ok(FileListing { files: files.into_iter().filter(visible).collect(), folders, skipped: Vec::new() })
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        let state = self.state();
        let real = &state.resolve(path);
        if is_folder(&state.tree, real) {
            return Err(Error::invalid(format!("`{path}` is a folder, not a file")).with_path(path.as_str()));
        }
        let found = state.tree.get(real).map(|bytes| self.entry(&state, real, bytes));
        Ok(found.map(|entry| FileEntry { path: path.clone(), linked: real != path, ..entry }))
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        let found = self.find(path)?;
        let entry = found
            .ok_or_else(|| Error::not_found(format!("File not found: {path}")).with_path(path.as_str()))?;
        let state = self.state();
        let real = &state.resolve(path);
        if state.unreadable.contains(real) {
            return Err(Error::failed(format!("could not read `{path}`: input/output error"))
                .with_path(path.as_str()));
        }
        let bytes = state.tree[real].clone();
        Ok(FileContent { hash: Hash::compute(&bytes), bytes, entry })
    }

    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        let state = self.state();
        let real = state.resolve(path);
        let inside = |folder: &String| {
            real.as_str().strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        let in_nested_repository = state.repositories.iter().any(inside);
        let mut other_paths = state.leading_to(&real);
        other_paths.push(real);
        other_paths.retain(|other| other != path);
        Ok(FileIdentity { other_paths, in_nested_repository })
    }
}

impl MemoryFilesState {
    /// The path behind all links.
    fn resolve(&self, path: &VaultPath) -> VaultPath {
        let behind = |(link, target): (&String, &String)| {
            let rest = path.as_str().strip_prefix(link.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{target}{rest}"))
        };
        self.links.iter().find_map(behind).map_or_else(|| path.clone(), VaultPath::from_index)
    }

    /// The paths by which links lead to a file.
    fn leading_to(&self, real: &VaultPath) -> Vec<VaultPath> {
        let by_link = |(link, target): (&String, &String)| {
            let rest = real.as_str().strip_prefix(target.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| VaultPath::from_index(format!("{link}{rest}")))
        };
        self.links.iter().filter_map(by_link).collect()
    }
}

impl Files for MemoryFiles {
    fn commit(&self, change: &ChangeSet) -> Result<OperationId> {
        let mut state = self.state();
        if let Some(mut meanwhile) = state.meanwhile.take() {
            meanwhile(&mut state.tree);
            state.meanwhile = Some(meanwhile);
        }
        let mut tree = state.tree.clone();
        let done = change
            .actions
            .iter()
            .map(|action| apply_action(&mut tree, &resolve_action(&state, action)))
            .collect::<Result<Vec<_>>>()?;
        let id = OperationId::fresh();
        let operation = Operation {
            id,
            at: self.now,
            label: change.label.clone(),
            group: change.group.clone(),
            undoes: change.undoes,
            folders: Vec::new(),
            done,
        };
        state.tree = tree;
        state.operations.insert(0, operation);
        Ok(id)
    }

    fn operations(&self, at_most: usize) -> Result<Vec<Operation>> {
        Ok(self.state().operations.iter().take(at_most).cloned().collect())
    }
}

/// The action at the place behind all links.
fn resolve_action(state: &MemoryFilesState, action: &Action) -> Action {
    let mut action = action.clone();
    match &mut action {
        Action::Create { path, .. } | Action::Edit { path, .. } => *path = state.resolve(path),
        Action::Move { to, .. } => *to = state.resolve(to),
        Action::Remove { .. } => {}
    }
    action
}

fn apply_action(tree: &mut FileTree, action: &Action) -> Result<AppliedAction> {
    match action {
        Action::Create { path, text } => {
            check_vacant(tree, path)?;
            tree.insert(path.clone(), text.clone().into_bytes());
            Ok(AppliedAction::Created { path: path.clone(), new: Hash::compute(text.as_bytes()) })
        }
        Action::Edit { path, expect, splices } => {
            let old_text = read_unchanged(tree, path, *expect)?;
            let text = apply_splices(&old_text, splices).map_err(|error| Error::failed(error.to_string()))?;
            let new = Hash::compute(text.as_bytes());
            tree.insert(path.clone(), text.into_bytes());
            Ok(AppliedAction::Edited { path: path.clone(), old_text, old: *expect, new })
        }
        Action::Move { from, to } => {
            check_vacant(tree, to)?;
            let bytes = tree.remove(from).ok_or_else(|| file_not_found(from))?;
            tree.insert(to.clone(), bytes);
            Ok(AppliedAction::Moved { from: from.clone(), to: to.clone() })
        }
        Action::Remove { path, expect } => {
            let old_text = read_unchanged(tree, path, *expect)?;
            tree.remove(path);
            Ok(AppliedAction::Removed { path: path.clone(), old_text, old: *expect })
        }
    }
}

fn check_vacant(tree: &FileTree, path: &VaultPath) -> Result<()> {
    if tree.contains_key(path) || is_folder(tree, path) {
        return Err(Error::conflict(format!("a file already exists at `{path}`")).with_path(path.as_str()));
    }
    let above = path.as_str().match_indices('/').map(|(at, _)| &path.as_str()[..at]);
    match above.into_iter().find(|above| tree.keys().any(|known| known.as_str() == *above)) {
        Some(file) => Err(Error::invalid(format!("`{file}` is not a folder")).with_path(path.as_str())),
        None => Ok(()),
    }
}

fn read_unchanged(tree: &FileTree, path: &VaultPath, expect: Hash) -> Result<String> {
    let bytes = tree.get(path).ok_or_else(|| file_not_found(path))?;
    if Hash::compute(bytes) != expect {
        return Err(
            Error::changed(format!("`{path}` changed while it was being edited")).with_path(path.as_str())
        );
    }
    String::from_utf8(bytes.clone()).map_err(|_| {
        Error::refused(format!("`{path}` is not UTF-8 and is never written")).with_path(path.as_str())
    })
}

fn file_not_found(path: &VaultPath) -> Error {
    Error::not_found(format!("File not found: {path}")).with_path(path.as_str())
}

fn is_folder(tree: &FileTree, path: &VaultPath) -> bool {
    let below = format!("{path}/");
    tree.keys().any(|known| known.as_str().starts_with(&below))
}

fn parent_folders(entry: &FileEntry) -> Vec<String> {
    let path = entry.path.as_str();
    path.match_indices('/').map(|(at, _)| path[..at].to_owned()).collect()
}

/// The identity of a file: here its content.
fn file_number(bytes: &[u8]) -> u64 {
    let hash = Hash::compute(bytes).to_string();
    u64::from_str_radix(&hash[..16], 16).expect("a hash is hex")
}
