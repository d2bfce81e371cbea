//! Who works on a run: one process at a time, told by a lock that ends with it.
//!
//! A file for each run under way, locked as long as somebody works on it. Whoever leaves takes the file away; whoever comes looks
//! whether what it locked is still the file of that name.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use wellread_core::id::RunId;
use wellread_core::{Error, Result};

const FOLDER: &str = "under-way";
const ATTEMPTS: usize = 16;

/// Held as long as it lives.
struct Held {
    path: PathBuf,
    _file: File,
}

impl Drop for Held {
    fn drop(&mut self) {
        // Still locked: whoever waits for it sees that it is gone.
        let _ = fs::remove_file(&self.path);
    }
}

pub fn claim(data_folder: &Path, run: &RunId) -> Result<Box<dyn Send + Sync>> {
    let trouble =
        |error: io::Error| Error::failed(format!("could not say that the run {run} is under way: {error}"));
    let folder = data_folder.join(FOLDER);
    DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(trouble)?;
    let path = folder.join(run.as_str());
    for _ in 0..ATTEMPTS {
        let open = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = open.map_err(trouble)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(error) if error == rustix::io::Errno::WOULDBLOCK => return Err(taken(run)),
            Err(error) => return Err(trouble(error.into())),
        }
        let same =
            |there: fs::Metadata, ours: fs::Metadata| there.ino() == ours.ino() && there.dev() == ours.dev();
        if fs::metadata(&path).is_ok_and(|there| file.metadata().is_ok_and(|ours| same(there, ours))) {
            return Ok(Box::new(Held { path, _file: file }));
        }
    }
    Err(taken(run))
}

fn taken(run: &RunId) -> Error {
    Error::conflict(format!("the run {run} is under way elsewhere"))
        .hint("wait for it to end, or end that process")
}
