//! Documents that are generated from the code: compared with their file in the repository, or written anew.

use std::fs;
use std::path::{Path, PathBuf};

/// Compares a generated document with its file, named from the repository's root. With `WELLREAD_BLESS` in the environment, the
/// file is written instead.
#[track_caller]
pub fn check_generated(path: &str, made: &str) {
    let file: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let kept = fs::read_to_string(&file).unwrap_or_default();
    if kept == made {
        return;
    }
    if std::env::var_os("WELLREAD_BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, made).unwrap();
        return;
    }
    let differs = kept.lines().zip(made.lines()).find(|(kept, made)| kept != made);
    let (kept, made) = differs.unwrap_or(("another number of lines", "another number of lines"));
    panic!(
        "{path} has\n  {kept}\nand the code says\n  {made}\nwrite it anew: set WELLREAD_BLESS=1 and run this test again"
    );
}
