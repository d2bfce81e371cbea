//! What the file held when it was last closed: damage that changes no structure shows here.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use wellread_core::domain::corpus::Hasher;

pub enum SealState {
    Same,
    Differs,
    /// Nobody closed it after the last change, or somebody has it open.
    Unsealed,
}

/// Writes the seal of a file that nobody has open. Where that fails, the file counts as never closed.
pub fn write_seal(index: &Path) {
    let sealed = || -> io::Result<()> {
        let before = stamp(index)?;
        let seal = format!("{} {before}\n", hash(index)?);
        // Somebody may have opened it meanwhile.
        if wal(index).exists() || stamp(index)? != before {
            return Ok(());
        }
        fs::write(path(index), seal)
    };
    if sealed().is_err() {
        let _ = fs::remove_file(path(index));
    }
}

pub fn exists(index: &Path) -> bool {
    path(index).exists()
}

pub fn compare(index: &Path) -> SealState {
    let open = fs::metadata(wal(index)).is_ok_and(|data| data.len() > 0);
    let (false, Ok(seal)) = (open, fs::read_to_string(path(index))) else { return SealState::Unsealed };
    let sealed = seal.split(' ').next().unwrap_or_default();
    match hash(index) {
        Ok(now) if now == sealed => SealState::Same,
        Ok(_) => SealState::Differs,
        Err(_) => SealState::Unsealed,
    }
}

/// Whether a file that was sealed has lost its end. The cheapest of looks.
pub fn is_truncated(index: &Path) -> bool {
    let sealed = fs::read_to_string(path(index)).ok();
    let size = sealed.and_then(|seal| seal.split(' ').nth(1)?.parse::<u64>().ok());
    let now = fs::metadata(index).map(|data| data.len());
    matches!((size, now), (Some(size), Ok(now)) if now < size && !wal(index).exists())
}

fn path(index: &Path) -> PathBuf {
    index.with_extension("db.seal")
}

fn wal(index: &Path) -> PathBuf {
    index.with_extension("db-wal")
}

fn stamp(index: &Path) -> io::Result<String> {
    let data = fs::metadata(index)?;
    Ok(format!("{} {} {}", data.len(), data.mtime(), data.mtime_nsec()))
}

fn hash(index: &Path) -> io::Result<String> {
    let mut file = fs::File::open(index)?;
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finish().to_string()),
            read => hasher.add(&buffer[..read]),
        }
    }
}
