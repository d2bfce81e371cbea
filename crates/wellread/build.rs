//! Puts files into the binary: the example vault and code, so that `wellread demo` needs nothing but itself, and the web page.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let crate_folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    // In a published package they are inside of it.
    let packed = crate_folder.join("demo");
    let examples = if packed.exists() { packed } else { crate_folder.join("../../examples") };
    write_table("examples.rs", "&[u8]", "include_bytes!", &examples, &["vault", "code"])?;
    write_table(
        "page_files.rs",
        "&str",
        "include_str!",
        &crate_folder.join("web"),
        &["css", "js", "icon.svg"],
    )
}

/// A table of the files below `root` that are `parts` of it, sorted: each with its name and what is in it.
fn write_table(table: &str, kind: &str, include: &str, root: &Path, parts: &[&str]) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    for part in parts {
        collect(&root.join(part), part, &mut files)?;
    }
    files.sort();
    let mut text = format!("pub static FILES: &[(&str, {kind})] = &[\n");
    for (name, path) in &files {
        let path = path.canonicalize()?;
        writeln!(text, "    ({name:?}, {include}({:?})),", path.display().to_string())
            .map_err(io::Error::other)?;
    }
    text.push_str("];\n");
    fs::write(PathBuf::from(env::var("OUT_DIR").unwrap_or_default()).join(table), text)
}

fn collect(path: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    if !path.is_dir() {
        // Cargo would leave out a folder with a manifest: `packaging/crates.py` gives it this ending.
        files.push((name.trim_end_matches(".packed").to_owned(), path.to_owned()));
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let file = entry.file_name().to_string_lossy().into_owned();
        if file != "target" && file != "__pycache__" {
            collect(&entry.path(), &format!("{name}/{file}"), files)?;
        }
    }
    Ok(())
}
