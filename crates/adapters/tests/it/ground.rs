//! A vault and a data folder in a temporary place.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use wellread_adapters::files::disk::Disk;
use wellread_adapters::files::{SystemDisk, VaultFiles};
use wellread_core::domain::corpus::VaultPath;

pub struct Ground {
    folder: TempDir,
}

impl Ground {
    /// In memory where the system has such a place: thousands of these are made.
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self::with(in_memory(), files)
    }

    pub fn on_disk(files: &[(&str, &str)]) -> Self {
        Self::with(TempDir::new().unwrap(), files)
    }

    fn with(folder: TempDir, files: &[(&str, &str)]) -> Self {
        let ground = Self { folder };
        fs::create_dir(ground.vault()).unwrap();
        for (path, text) in files {
            ground.save(path, text.as_bytes());
        }
        ground
    }

    /// The same again in another place: vault, journal and all.
    pub fn copy(&self) -> Self {
        let copy = Self { folder: in_memory() };
        copy_tree(self.folder.path(), copy.folder.path());
        copy
    }

    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn vault(&self) -> PathBuf {
        self.folder.path().join("vault")
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn open(&self) -> VaultFiles {
        self.open_on(Arc::new(SystemDisk))
    }

    pub fn open_on(&self, disk: Arc<dyn Disk>) -> VaultFiles {
        open(disk, self.folder.path())
    }

    pub fn save(&self, path: &str, bytes: &[u8]) {
        let path = self.vault().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.vault().join(path)).unwrap()
    }

    /// Every file of the vault with its bytes, hidden ones too.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        collect(&self.vault(), "", &mut tree);
        tree
    }

    pub fn pending(&self) -> usize {
        fs::read_dir(self.data().join("journal/pending")).map_or(0, Iterator::count)
    }
}

fn in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| TempDir::new()).unwrap()
}

/// Whether the proofs may take their time: `./check --long`.
pub fn is_long() -> bool {
    std::env::var_os("WELLREAD_LONG").is_some()
}

pub type Tree = BTreeMap<String, Vec<u8>>;

pub fn open(disk: Arc<dyn Disk>, root: &Path) -> VaultFiles {
    VaultFiles::open_with_disk(disk, &root.join("vault"), &root.join("data"), &["node_modules".to_owned()])
        .unwrap()
}

pub fn path(files: &VaultFiles, written: &str) -> VaultPath {
    files.rules().parse_file(written).unwrap()
}

fn collect(folder: &Path, above: &str, tree: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{name}/"), tree);
        } else if entry.file_type().unwrap().is_file() {
            tree.insert(name, fs::read(entry.path()).unwrap());
        }
    }
}

pub fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
