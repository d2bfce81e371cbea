//! What is known about particular servers: which settings keep them from running a repository's code, and what would
//! make them run it.
//!
//! Other servers are started as they are. What each still reads and runs is in `docs/decisions/0016`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::brought_code;

/// A server by its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerKind {
    RustAnalyzer,
    Jdtls,
    TypeScript,
    Vtsls,
    Gopls,
    Clangd,
    Pyright,
    Pylsp,
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
            "typescript-language-server" => Self::TypeScript,
            "vtsls" => Self::Vtsls,
            "gopls" => Self::Gopls,
            "clangd" => Self::Clangd,
            "pyright-langserver" | "basedpyright-langserver" => Self::Pyright,
            "pylsp" | "pyls" => Self::Pylsp,
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

    /// The settings that it gets at the start, and whenever it asks for them. `compiler` is the TypeScript compiler that
    /// came with the server.
    pub fn settings(self, compiler: Option<&Path>) -> Value {
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
                    "import": {
                        "gradle": { "enabled": false, "wrapper": { "enabled": false } },
                        "maven": { "enabled": false },
                        "generatesMetadataFilesAtProjectRoot": false,
                    },
                    "configuration": { "updateBuildConfiguration": "disabled" },
                    "autobuild": { "enabled": false },
                } },
            }),
            Self::TypeScript => json!({
                "disableAutomaticTypingAcquisition": true,
                "plugins": [],
                "tsserver": compiler.map_or_else(|| json!({}), |path| json!({ "path": path })),
            }),
            Self::Vtsls => json!({
                "typescript": { "disableAutomaticTypeAcquisition": true },
                "vtsls": { "autoUseWorkspaceTsdk": false },
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
            Self::Gopls => &[
                ("GOTOOLCHAIN", "local"),
                ("GOPROXY", "off"),
                ("GOVCS", "*:off"),
                ("GOFLAGS", "-mod=readonly -buildvcs=false"),
                // Loading a package with C in it would run the compiler with flags that the package names.
                ("CGO_ENABLED", "0"),
                ("GOPACKAGESDRIVER", "off"),
            ],
            _ => &[],
        }
    }

    /// Arguments that are added to the user's.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            // A repository's `.clangd` could add flags to the compiler.
            Self::Clangd => &["--enable-config=false"],
            _ => &[],
        }
    }

    /// Whether it reports itself when it has read everything.
    pub fn reports_idle(self) -> bool {
        self == Self::RustAnalyzer
    }

    /// A warning for the user, if there is one.
    pub fn caution(self) -> Option<&'static str> {
        match self {
            Self::Careless => {
                Some("it is never started: it runs build files of the repositories that it reads")
            }
            Self::Other => Some("whether it runs code of the repositories that it reads is not known"),
            _ => None,
        }
    }

    /// The compiler that a TypeScript server uses: the one that was installed with it, wherever a repository has another.
    /// `program` is the server itself.
    pub fn trusted_compiler(self, program: &Path, studied: &[PathBuf]) -> Option<PathBuf> {
        (self == Self::TypeScript).then(|| brought_code::compiler_beside(program, studied)).flatten()
    }

    /// Why it can't be started safely in this repository, as far as that can be seen; `None` if nothing was found.
    pub fn refusal(self, words: &[String], root: &Path, compiler: Option<&Path>) -> Option<String> {
        if let Some(runner) = brought_code::find_package_runner(words) {
            return Some(format!("`{runner}` would run a program that the repository brings along"));
        }
        let brings = |file: PathBuf, what: &str| {
            let shown = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            format!("`{shown}` {what}")
        };
        match self {
            Self::RustAnalyzer => brought_code::find_cargo_settings(root)
                .map(|file| brings(file, "can name programs that rust-analyzer or cargo runs")),
            Self::TypeScript if compiler.is_some() => None,
            Self::TypeScript | Self::Vtsls => brought_code::find_compiler(root).map(|file| {
                brings(file, "would be loaded as the compiler, and the repository may have brought it")
            }),
            Self::Clangd => words
                .iter()
                .find(|word| word.trim_start_matches('-').starts_with("query-driver"))
                .map(|word| format!("`{word}` makes it run the compilers that a repository names"))
                .or_else(|| {
                    let file = brought_code::find_compiler_plugin(root)?;
                    Some(brings(file, "names plugins of the compiler"))
                }),
            Self::Jdtls => brought_code::find_java_processor(root)
                .map(|file| brings(file, "names programs or annotation processors")),
            Self::Pylsp => brought_code::find_python_settings(root)
                .map(|file| brings(file, "is a program, or names plugins that are loaded")),
            Self::Careless => Some("it runs build files of the repositories that it reads".to_owned()),
            Self::Gopls | Self::Pyright | Self::Other => None,
        }
    }
}

#[cfg(test)]
mod tests;
