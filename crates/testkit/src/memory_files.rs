//! Files in memory, by the same contract as the real ones.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Mutex;

use jiff::Timestamp;
use wellread_core::domain::corpus::{Action, ChangeSet, Done, Hash, Operation, VaultPath};
use wellread_core::domain::id::OperationId;
use wellread_core::ports::{Corpus, Entry, FileContent, Files, Listing};
use wellread_core::{Error, Result};
use wellread_text::splice;

type Tree = BTreeMap<VaultPath, Vec<u8>>;

/// Runs just before a change is made: where a test lets somebody else save.
type Meanwhile = Box<dyn FnMut(&mut Tree) + Send>;

pub struct MemoryFiles {
    now: Timestamp,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    tree: Tree,
    /// When a file was last changed and when it was made, where that is not now.
    times: HashMap<VaultPath, (Timestamp, Option<Timestamp>)>,
    unreadable: BTreeSet<VaultPath>,
    operations: Vec<Operation>,
    meanwhile: Option<Meanwhile>,
}

impl MemoryFiles {
    pub fn new(now: Timestamp, files: impl IntoIterator<Item = (VaultPath, Vec<u8>)>) -> Self {
        let state = State { tree: files.into_iter().collect(), ..State::default() };
        Self { now, state: Mutex::new(state) }
    }

    /// Puts a file there behind the vault's back, as an editor does.
    pub fn save(&self, path: &VaultPath, bytes: &[u8]) {
        self.state().tree.insert(path.clone(), bytes.to_vec());
    }

    /// Takes a file away behind the vault's back.
    pub fn remove(&self, path: &VaultPath) {
        assert!(self.state().tree.remove(path).is_some(), "{path} is not there");
    }

    /// Says when a file was last changed, and when it was made, where its file system keeps that.
    pub fn date(&self, path: &VaultPath, modified: Timestamp, created: Option<Timestamp>) {
        self.state().times.insert(path.clone(), (modified, created));
    }

    /// From now on, reading this file fails as a broken disk does.
    pub fn break_reading(&self, path: &VaultPath) {
        self.state().unreadable.insert(path.clone());
    }

    /// What somebody does right before each change is made.
    pub fn meanwhile(&self, act: impl FnMut(&mut Tree) + Send + 'static) {
        self.state().meanwhile = Some(Box::new(act));
    }

    /// Every file with its bytes.
    pub fn tree(&self) -> Tree {
        self.state().tree.clone()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("no test panics with the files in hand")
    }

    fn entry(&self, state: &State, path: &VaultPath, bytes: &[u8]) -> Entry {
        let (modified, created) = state.times.get(path).copied().unwrap_or((self.now, Some(self.now)));
        Entry {
            path: path.clone(),
            size: bytes.len() as u64,
            modified,
            created,
            changed: modified,
            number: number(bytes),
        }
    }
}

impl Corpus for MemoryFiles {
    fn list(&self) -> Result<Listing> {
        let state = self.state();
        let files: Vec<Entry> =
            state.tree.iter().map(|(path, bytes)| self.entry(&state, path, bytes)).collect();
        let visible = |entry: &Entry| !entry.path.as_str().starts_with('.');
        let mut folders: Vec<String> =
            files.iter().filter(|entry| visible(entry)).flat_map(folders_of).collect();
        folders.sort();
        folders.dedup();
        Ok(Listing { files: files.into_iter().filter(visible).collect(), folders, skipped: Vec::new() })
    }

    fn find(&self, path: &VaultPath) -> Result<Option<Entry>> {
        let state = self.state();
        if is_folder(&state.tree, path) {
            return Err(
                Error::invalid(format!("`{path}` is a folder where a file is meant")).at(path.as_str())
            );
        }
        Ok(state.tree.get(path).map(|bytes| self.entry(&state, path, bytes)))
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        let found = self.find(path)?;
        let entry =
            found.ok_or_else(|| Error::not_found(format!("File not found: {path}")).at(path.as_str()))?;
        let state = self.state();
        if state.unreadable.contains(path) {
            return Err(
                Error::failed(format!("could not read `{path}`: input/output error")).at(path.as_str())
            );
        }
        let bytes = state.tree[path].clone();
        Ok(FileContent { hash: Hash::of(&bytes), bytes, entry })
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
        let done = change.actions.iter().map(|action| step(&mut tree, action)).collect::<Result<Vec<_>>>()?;
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

fn step(tree: &mut Tree, action: &Action) -> Result<Done> {
    match action {
        Action::Create { path, text } => {
            vacant(tree, path)?;
            tree.insert(path.clone(), text.clone().into_bytes());
            Ok(Done::Created { path: path.clone(), new: Hash::of(text.as_bytes()) })
        }
        Action::Edit { path, expect, splices } => {
            let old_text = unchanged(tree, path, *expect)?;
            let text = splice(&old_text, splices).map_err(|error| Error::failed(error.to_string()))?;
            let new = Hash::of(text.as_bytes());
            tree.insert(path.clone(), text.into_bytes());
            Ok(Done::Edited { path: path.clone(), old_text, old: *expect, new })
        }
        Action::Move { from, to } => {
            vacant(tree, to)?;
            let bytes = tree.remove(from).ok_or_else(|| missing(from))?;
            tree.insert(to.clone(), bytes);
            Ok(Done::Moved { from: from.clone(), to: to.clone() })
        }
        Action::Remove { path, expect } => {
            let old_text = unchanged(tree, path, *expect)?;
            tree.remove(path);
            Ok(Done::Removed { path: path.clone(), old_text, old: *expect })
        }
    }
}

fn vacant(tree: &Tree, path: &VaultPath) -> Result<()> {
    if tree.contains_key(path) || is_folder(tree, path) {
        return Err(Error::conflict(format!("there is a file at `{path}` already")).at(path.as_str()));
    }
    let above = path.as_str().match_indices('/').map(|(at, _)| &path.as_str()[..at]);
    match above.into_iter().find(|above| tree.keys().any(|known| known.as_str() == *above)) {
        Some(file) => Err(Error::invalid(format!("`{file}` is no folder")).at(path.as_str())),
        None => Ok(()),
    }
}

fn unchanged(tree: &Tree, path: &VaultPath, expect: Hash) -> Result<String> {
    let bytes = tree.get(path).ok_or_else(|| missing(path))?;
    if Hash::of(bytes) != expect {
        return Err(Error::changed(format!("`{path}` changed while it was being edited")).at(path.as_str()));
    }
    String::from_utf8(bytes.clone())
        .map_err(|_| Error::refused(format!("`{path}` is not UTF-8 and is never written")).at(path.as_str()))
}

fn missing(path: &VaultPath) -> Error {
    Error::not_found(format!("File not found: {path}")).at(path.as_str())
}

fn is_folder(tree: &Tree, path: &VaultPath) -> bool {
    let below = format!("{path}/");
    tree.keys().any(|known| known.as_str().starts_with(&below))
}

fn folders_of(entry: &Entry) -> Vec<String> {
    let path = entry.path.as_str();
    path.match_indices('/').map(|(at, _)| path[..at].to_owned()).collect()
}

/// Which file it is: here a content is a file.
fn number(bytes: &[u8]) -> u64 {
    let hash = Hash::of(bytes).to_string();
    u64::from_str_radix(&hash[..16], 16).expect("a hash is hex")
}
