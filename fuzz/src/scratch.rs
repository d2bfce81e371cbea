//! Folders for what can only be read from files, in memory where the system has room for files there.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder of this process alone, gone when it is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let shared = Path::new("/dev/shm");
        let above = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
        let folder = above.join(format!("wellread-fuzz-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, with the folders that it is in.
    pub fn write(&self, path: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, bytes).expect("a file");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
