//! Names that say that nobody wrote this by hand: pictures, archives, compiled code, lock files.
//!
//! Only names are looked at. A file that lies about itself is found out when it is read.

/// In lower case, sorted.
const NEVER_TEXT: [&str; 98] = [
    "7z",
    "a",
    "aac",
    "aif",
    "apk",
    "avi",
    "avif",
    "bin",
    "blend",
    "bmp",
    "br",
    "bz2",
    "class",
    "db",
    "dds",
    "dll",
    "dmg",
    "doc",
    "docx",
    "dylib",
    "ear",
    "egg",
    "eot",
    "exe",
    "fbx",
    "flac",
    "gguf",
    "gif",
    "glb",
    "gz",
    "heic",
    "icns",
    "ico",
    "iso",
    "jar",
    "jpeg",
    "jpg",
    "ko",
    "lib",
    "lz4",
    "lzma",
    "m4a",
    "m4v",
    "mdb",
    "mkv",
    "mov",
    "mp3",
    "mp4",
    "mpeg",
    "mpg",
    "npy",
    "npz",
    "o",
    "obj",
    "ods",
    "odt",
    "ogg",
    "onnx",
    "opus",
    "otf",
    "parquet",
    "pdb",
    "pdf",
    "pickle",
    "pkl",
    "png",
    "ppt",
    "pptx",
    "psd",
    "pt",
    "pth",
    "pyc",
    "pyd",
    "pyo",
    "rar",
    "rlib",
    "rmeta",
    "safetensors",
    "so",
    "sqlite",
    "sqlite3",
    "tar",
    "tgz",
    "tif",
    "tiff",
    "ttf",
    "wasm",
    "wav",
    "webm",
    "webp",
    "whl",
    "woff",
    "woff2",
    "xls",
    "xlsx",
    "xz",
    "zip",
    "zst",
];

/// Written by a program, long, and about nothing but versions.
const LOCK_FILES: [&str; 13] = [
    "bun.lock",
    "bun.lockb",
    "cargo.lock",
    "composer.lock",
    "flake.lock",
    "gemfile.lock",
    "go.sum",
    "mix.lock",
    "package-lock.json",
    "pipfile.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "yarn.lock",
];

const MADE: [&str; 4] = [".min.js", ".min.css", ".js.map", ".css.map"];

pub fn may_be_text(name: &str) -> bool {
    let name = name.to_lowercase();
    let binary =
        name.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && NEVER_TEXT.contains(&ending));
    !binary && !LOCK_FILES.contains(&name.as_str()) && !MADE.iter().any(|made| name.ends_with(made))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_archives_and_lock_files_are_no_text() {
        for name in
            ["a.PNG", "b.tar.gz", "libx.so", "Cargo.lock", "package-lock.json", "app.min.js", "x.woff2"]
        {
            assert!(!may_be_text(name), "{name}");
        }
        for name in
            ["main.rs", "Makefile", "png", "LICENSE", "so.py", "index.js", "a.lock.md", "x.svg", "uv.toml"]
        {
            assert!(may_be_text(name), "{name}");
        }
    }
}
