//! Where the programs are that other programs and the settings name.

use std::env;
use std::path::{MAIN_SEPARATOR, PathBuf};

use crate::wiring::system::{is_program, program_names};

/// The program of this name or path, if there is one that can be run.
pub fn find_program(program: &str) -> Option<PathBuf> {
    if program.contains(['/', MAIN_SEPARATOR]) {
        return Some(PathBuf::from(program)).filter(|path| is_program(path));
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    let names = program_names(program);
    env::split_paths(&folders)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|path| is_program(path))
}
