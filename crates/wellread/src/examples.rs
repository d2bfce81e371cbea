//! The example vault and code, embedded in the binary.

use std::path::Path;
use std::{fs, io};

include!(concat!(env!("OUT_DIR"), "/examples.rs"));

/// Writes them to a folder: `vault/` and `code/` below it.
pub fn write_to(folder: &Path) -> io::Result<()> {
    for (name, bytes) in FILES {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)?;
    }
    Ok(())
}
