//! What is known about particular servers: which settings keep them from running a repository's code, and what would
//! make them run it.
//!
//! Other servers are started as they are. What each still reads and runs is in `docs/decisions/0016`.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::{Value, json};

/// The largest settings file in bytes that is inspected; a larger one counts as unsafe.
const LARGEST_SETTINGS: u64 = 256 * 1024;
/// How many folders below the root are searched for settings.
const MOST_FOLDERS: usize = 2000;

/// A server by its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerKind {
    RustAnalyzer,
    Jdtls,
    TypeScript,
    Gopls,
    /// Runs a repository's code whatever its settings.
    Careless,
    Other,
}

impl ServerKind {
    /// Recognizes a server by the first known word of the command, since it may be run by another program.
    pub fn from_command(words: &[String]) -> Self {
        words
            .iter()
            .map(|word| Self::from_program(word))
            .find(|known| *known != Self::Other)
            .unwrap_or(Self::Other)
    }

    fn from_program(program: &str) -> Self {
        let name = Path::new(program).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        match name {
            "rust-analyzer" => Self::RustAnalyzer,
            "jdtls" => Self::Jdtls,
            "typescript-language-server" | "vtsls" => Self::TypeScript,
            "gopls" => Self::Gopls,
            "kotlin-language-server"
            | "kotlin-lsp"
            | "OmniSharp"
            | "omnisharp"
            | "csharp-ls"
            | "ruby-lsp"
            | "solargraph"
            | "metals" => Self::Careless,
            _ => Self::Other,
        }
    }

    /// The settings that it gets at the start, and whenever it asks for them.
    pub fn settings(self) -> Value {
        match self {
            Self::RustAnalyzer => json!({
                "cargo": {
                    "buildScripts": { "enable": false },
                    "noDeps": false,
                    "sysroot": "discover",
                    "extraEnv": { "CARGO_NET_OFFLINE": "true" },
                },
                "procMacro": { "enable": false },
                "checkOnSave": false,
                "check": { "workspace": false },
                "cachePriming": { "enable": true },
                "files": { "watcher": "server" },
            }),
            Self::Jdtls => json!({
                "settings": { "java": {
                    "import": { "gradle": { "enabled": false }, "maven": { "enabled": false } },
                    "autobuild": { "enabled": false },
                } },
            }),
            Self::TypeScript => json!({
                "disableAutomaticTypingAcquisition": true,
                "plugins": [],
            }),
            _ => Value::Null,
        }
    }

    /// Additional environment variables, which a repository's own settings can't override.
    pub fn environment(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::RustAnalyzer => {
                &[("CARGO_NET_OFFLINE", "true"), ("RUSTC_WRAPPER", ""), ("RUSTC_WORKSPACE_WRAPPER", "")]
            }
            Self::Gopls => &[("GOTOOLCHAIN", "local"), ("GOPROXY", "off"), ("GOFLAGS", "-mod=readonly")],
            _ => &[],
        }
    }

    /// Whether it reports itself when it has read everything.
    pub fn reports_idle(self) -> bool {
        self == Self::RustAnalyzer
    }

    /// A warning for the user, if there is one.
    pub fn caution(self) -> Option<&'static str> {
        (self == Self::Careless).then_some("it runs build files of the repositories that it reads")
    }

    /// Why it can't be started safely in this repository, as far as that can be seen; `None` if nothing was found.
    pub fn refusal(self, root: &Path) -> Option<String> {
        match self {
            Self::RustAnalyzer => settings_files(root).find_map(|path| {
                let named = || path.strip_prefix(root).unwrap_or(&path).display().to_string();
                names_programs(&path).then(|| format!("`{}` can name programs that cargo runs", named()))
            }),
            Self::TypeScript => root
                .join("node_modules/typescript")
                .exists()
                .then(|| "it would load the repository's own `node_modules/typescript`".to_owned()),
            _ => None,
        }
    }
}

/// The places where cargo and rustup look for settings: in the root and two levels of folders below.
fn settings_files(root: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    let below = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
    };
    let mut folders = vec![root.to_path_buf()];
    folders.extend(below(root));
    let deeper: Vec<_> = folders[1..].iter().flat_map(|folder| below(folder)).take(MOST_FOLDERS).collect();
    folders.extend(deeper);
    folders.truncate(MOST_FOLDERS);
    let names = [".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"];
    folders.into_iter().flat_map(move |folder| names.map(|name| folder.join(name)))
}

/// Whether a settings file of cargo or rustup could make it run something other than the user's installed programs. It
/// is searched for words only, so false alarms are possible.
fn names_programs(path: &Path) -> bool {
    match std::fs::metadata(path) {
        Err(error) => return error.kind() != std::io::ErrorKind::NotFound && !is_below_a_file(&error),
        Ok(found) if !found.is_file() || found.len() > LARGEST_SETTINGS => return true,
        Ok(_) => {}
    }
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST_SETTINGS).read_to_string(&mut text));
    if read.is_err() {
        return true;
    }
    let text = text.to_lowercase();
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
    let toolchain = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rust-toolchain"));
    WORDS.iter().any(|word| text.contains(word))
        || ["rustc", "path"].iter().any(|key| sets_key(&text, key))
        || (toolchain && text.contains('/'))
}

/// Whether a key is set, in any notation.
fn sets_key(text: &str, key: &str) -> bool {
    text.match_indices(key).any(|(at, _)| {
        let whole = !text[..at].ends_with(|before: char| before.is_alphanumeric() || "-_".contains(before));
        let after = text[at + key.len()..].trim_start_matches(['"', '\'', ' ', '\t']);
        whole && after.starts_with(['=', '.'])
    })
}

/// `.cargo` may be a file.
fn is_below_a_file(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotADirectory
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(known: ServerKind, files: &[(&str, &str)]) -> Option<String> {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        known.refusal(root.path())
    }

    #[test]
    fn a_server_is_known_by_its_program() {
        for (program, known) in [
            ("/home/ada/.cargo/bin/rust-analyzer", ServerKind::RustAnalyzer),
            ("rustup run stable rust-analyzer", ServerKind::RustAnalyzer),
            ("node /opt/typescript-language-server.mjs --stdio", ServerKind::TypeScript),
            ("ruby-lsp", ServerKind::Careless),
            ("clangd --background-index", ServerKind::Other),
            ("", ServerKind::Other),
        ] {
            let words: Vec<String> = program.split(' ').map(str::to_owned).collect();
            assert_eq!(ServerKind::from_command(&words), known, "{program}");
        }
        let settings = ServerKind::RustAnalyzer.settings();
        for (path, expected) in
            [("/cargo/buildScripts/enable", false), ("/procMacro/enable", false), ("/checkOnSave", false)]
        {
            assert_eq!(settings.pointer(path), Some(&Value::Bool(expected)), "{path}");
        }
    }

    #[test]
    fn cargo_settings_that_name_programs_keep_rust_analyzer_from_starting() {
        for (path, text) in [
            (".cargo/config.toml", "[build]\nrustc-wrapper = \"./evil\"\n"),
            (".cargo/config", "[build]\nrustc = \"./evil\"\n"),
            ("below/.cargo/config.toml", "[build]\n\"rustc\" = \"./evil\"\n"),
            ("below/further/.cargo/config.toml", "build.rustc=\"./evil\"\n"),
            (".cargo/config.toml", "[env]\nLD_PRELOAD = { value = \"evil.so\", relative = true }\n"),
            (".cargo/config.toml", "[env]\nPATH = \"bin\"\n"),
            (".cargo/config.toml", "env.PATH = \"bin\"\n"),
            (".cargo/config.toml", "env = { 'PATH' = \"bin\" }\n"),
            (".cargo/config.toml", "[env.PATH]\nvalue = \"bin\"\nrustc.x = 1\n"),
            (".cargo/config.toml", "build = {rustc= \"./evil\"}\n"),
            (".cargo/config.toml", "[build]\nrustflags = \"-Zcodegen-backend=evil.so\"\n"),
            (".cargo/config.toml", "include = [\"other.toml\"]\n"),
            (".cargo/config.toml", "[build]\n\"rustc\\u002dwrapper\" = \"./evil\"\n"),
            ("rust-toolchain.toml", "[toolchain]\npath = \"./evil\"\n"),
            ("rust-toolchain", "./evil\n"),
        ] {
            let why = refused(ServerKind::RustAnalyzer, &[(path, text)]);
            assert!(why.as_ref().is_some_and(|why| why.contains(path)), "{text}: {why:?}");
            assert_eq!(refused(ServerKind::Other, &[(path, text)]), None);
        }
    }

    #[test]
    fn harmless_settings_are_no_reason_to_refuse() {
        for (path, text) in [
            (
                ".cargo/config.toml",
                "[build]\nrustflags = [\"-C\", \"target-cpu=native\"]\n[net]\noffline = true\n",
            ),
            (
                ".cargo/config.toml",
                "[env]\nLIBSQLITE3_FLAGS = \"-DX=0\"\n[alias]\nxtask = \"run -p xtask\"\n",
            ),
            (".cargo", "a file\n"),
            ("rust-toolchain.toml", "[toolchain]\nchannel = \"stable\"\n"),
            ("src/main.rs", "fn main() {}\n"),
        ] {
            assert_eq!(refused(ServerKind::RustAnalyzer, &[(path, text)]), None, "{text}");
        }
        assert_eq!(refused(ServerKind::TypeScript, &[("package.json", "{}")]), None);
        assert!(
            refused(ServerKind::TypeScript, &[("node_modules/typescript/lib/tsserver.js", "")]).is_some()
        );
    }
}
