//! Puts the example vault and code into the binary, so that `wellread demo` needs nothing but itself.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let examples = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../examples");
    println!("cargo::rerun-if-changed={}", examples.display());
    let mut files = Vec::new();
    for part in ["vault", "code"] {
        collect(&examples.join(part), part, &mut files)?;
    }
    files.sort();
    let mut table = String::from("pub static FILES: &[(&str, &[u8])] = &[\n");
    for (name, path) in &files {
        let path = path.canonicalize()?;
        writeln!(table, "    ({name:?}, include_bytes!({:?})),", path.display().to_string())
            .map_err(io::Error::other)?;
    }
    table.push_str("];\n");
    fs::write(PathBuf::from(env::var("OUT_DIR").unwrap_or_default()).join("examples.rs"), table)
}

fn collect(folder: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let file = entry.file_name().to_string_lossy().into_owned();
        if file == "target" || file == "__pycache__" {
            continue;
        }
        let name = format!("{name}/{file}");
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &name, files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}
