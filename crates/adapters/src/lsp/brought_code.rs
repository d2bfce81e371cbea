//! What a repository can bring along that a language server would run or load: settings that name programs, plugins,
//! compilers of its own. Files are only looked for and searched for words, so false alarms are possible.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The largest settings file in bytes that is inspected; a larger one counts as unsafe.
const LARGEST_SETTINGS: u64 = 256 * 1024;
/// How many folders below the root are searched for settings.
const MOST_FOLDERS: usize = 2000;

/// The root and two levels of folders below.
fn folders_below(root: &Path) -> Vec<PathBuf> {
    let below = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
    };
    let mut folders = vec![root.to_path_buf()];
    folders.extend(below(root));
    let deeper: Vec<_> = folders[1..].iter().flat_map(|folder| below(folder)).take(MOST_FOLDERS).collect();
    folders.extend(deeper);
    folders.truncate(MOST_FOLDERS);
    folders
}

/// The folders above the root, except the user's own home and what is above that.
fn folders_above(root: &Path) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let above = root.ancestors().skip(1);
    above.take_while(|folder| home.as_deref() != Some(*folder)).map(Path::to_path_buf).collect()
}

/// The first of these names that is in one of the folders and that `counts` accepts.
fn find_file(folders: &[PathBuf], names: &[&str], counts: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let files = folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    files.into_iter().find(|path| counts(path))
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whether a file has one of these words, in lower case. One that can't be read, or is too large, counts as if it had.
fn mentions(path: &Path, largest: u64, words: &[&str]) -> bool {
    match std::fs::metadata(path) {
        Err(error) => return error.kind() != ErrorKind::NotFound && error.kind() != ErrorKind::NotADirectory,
        Ok(found) if !found.is_file() || found.len() > largest => return true,
        Ok(_) => {}
    }
    let Ok(bytes) = std::fs::read(path) else { return true };
    let text = format!("\n{}", String::from_utf8_lossy(&bytes).to_lowercase());
    words.iter().any(|word| text.contains(word))
}

/// A program that runs others, and looks for them in the working folder first.
pub fn find_package_runner(words: &[String]) -> Option<&str> {
    const RUNNERS: [&str; 18] = [
        "npx", "npm", "pnpm", "pnpx", "yarn", "yarnpkg", "bun", "bunx", "deno", "corepack", "uv", "uvx",
        "pipx", "poetry", "pdm", "hatch", "bundle", "bundler",
    ];
    let name = Path::new(words.first()?).file_stem()?.to_str()?;
    RUNNERS.into_iter().find(|runner| *runner == name)
}

/// The TypeScript compiler that was installed with a server. It must not be in a studied folder.
pub fn compiler_beside(program: &Path, studied: &[PathBuf]) -> Option<PathBuf> {
    let program = program.canonicalize().ok()?;
    let beside = program.ancestors().flat_map(|folder| {
        ["node_modules/typescript/lib/tsserver.js", "typescript/lib/tsserver.js"]
            .map(|file| folder.join(file))
    });
    let is_trusted = |file: &PathBuf| !studied.iter().any(|root| file.starts_with(root));
    beside.filter_map(|file| file.canonicalize().ok()).find(is_trusted)
}

/// A TypeScript compiler that a server would take from a repository, or from a folder above it.
pub fn find_compiler(root: &Path) -> Option<PathBuf> {
    const PLACES: [&str; 6] = [
        "node_modules/typescript",
        ".yarn/sdks/typescript",
        ".vscode/pnpify/typescript",
        ".pnp.cjs",
        ".pnp.js",
        ".pnp.loader.mjs",
    ];
    let folders: Vec<PathBuf> = root.ancestors().map(Path::to_path_buf).collect();
    find_file(&folders, &PLACES, exists)
}

/// Settings by which a repository, or a folder above it, could make rust-analyzer, cargo or rustup run a program.
pub fn find_cargo_settings(root: &Path) -> Option<PathBuf> {
    let mut folders = folders_below(root);
    let own = find_file(&folders, &["rust-analyzer.toml", ".rust-analyzer.toml"], exists);
    folders.extend(folders_above(root));
    let names = [".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"];
    own.or_else(|| find_file(&folders, &names, names_programs))
}

/// A list of compiler flags with plugins among them.
pub fn find_compiler_plugin(root: &Path) -> Option<PathBuf> {
    const LARGEST: u64 = 64 * 1024 * 1024;
    let mut folders = folders_below(root);
    folders.extend(folders_above(root));
    let names = ["compile_commands.json", "compile_flags.txt"];
    let plugins = ["-fplugin", "-fpass-plugin", "-load", "-plugin", "\\u", "\"@", " @", "\n@"];
    find_file(&folders, &names, |path| mentions(path, LARGEST, &plugins))
}

/// Settings by which a Java project names programs that are run, or annotation processors that are loaded.
pub fn find_java_processor(root: &Path) -> Option<PathBuf> {
    let folders = folders_below(root);
    let processors = [".factorypath", ".settings/org.eclipse.jdt.apt.core.prefs"];
    find_file(&folders, &processors, exists).or_else(|| {
        find_file(&folders, &[".project"], |path| mentions(path, LARGEST_SETTINGS, &["externaltool"]))
    })
}

/// Settings of Python tools that are programs themselves, or name plugins.
pub fn find_python_settings(root: &Path) -> Option<PathBuf> {
    let mut folders = folders_below(root);
    folders.extend(folders_above(root));
    const NAMES: [&str; 9] = [
        ".pylintrc",
        "pylintrc",
        ".pylintrc.toml",
        "pylintrc.toml",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "mypy.ini",
        ".mypy.ini",
    ];
    let plugins = ["init-hook", "init_hook", "plugins"];
    find_file(&folders, &[".ropeproject/config.py"], exists)
        .or_else(|| find_file(&folders, &NAMES, |path| mentions(path, LARGEST_SETTINGS, &plugins)))
}

/// Whether a settings file of cargo or rustup could make it run something other than the user's installed programs. It
/// is searched for words only, so false alarms are possible.
fn names_programs(path: &Path) -> bool {
    const WORDS: [&str; 12] = [
        "rustc-wrapper",
        "rustc-workspace-wrapper",
        "include",
        "credential",
        "codegen-backend",
        "plugin",
        "-load",
        "ld_",
        "rustup_",
        "rustc_",
        // Escapes that could hide a letter of such a word.
        "\\u",
        "\\x",
    ];
    if mentions(path, LARGEST_SETTINGS, &WORDS) {
        return true;
    }
    let text = std::fs::read_to_string(path).unwrap_or_default().to_lowercase();
    let toolchain = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rust-toolchain"));
    ["rustc", "path"].iter().any(|key| sets_key(&text, key)) || (toolchain && text.contains('/'))
}

/// Whether a key is set, in any notation.
fn sets_key(text: &str, key: &str) -> bool {
    text.match_indices(key).any(|(at, _)| {
        let whole = !text[..at].ends_with(|before: char| before.is_alphanumeric() || "-_".contains(before));
        let after = text[at + key.len()..].trim_start_matches(['"', '\'', ' ', '\t']);
        whole && after.starts_with(['=', '.'])
    })
}
