//! The languages that code is read in, and how a file's language is told from its name.

use std::sync::OnceLock;

use tree_sitter::{Language as Grammar, Query};

use super::capture::Captures;
use super::uses::UseMarks;

/// A language whose definitions are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    Bash,
    C,
    Cpp,
    CSharp,
    Go,
    Java,
    JavaScript,
    Kotlin,
    Lua,
    Php,
    Python,
    Ruby,
    Rust,
    Tsx,
    TypeScript,
}

/// What there is to know of a language without its grammar.
struct Facts {
    language: Language,
    name: &'static str,
    endings: &'static [&'static str],
    /// Files that have their name instead of an ending.
    files: &'static [&'static str],
}

const fn facts(language: Language, name: &'static str, endings: &'static [&'static str]) -> Facts {
    Facts { language, name, endings, files: &[] }
}

/// In the order of the variants, so that a variant is its row's index.
const FACTS: [Facts; 15] = [
    Facts {
        files: &[".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", "PKGBUILD"],
        ..facts(Language::Bash, "bash", &["sh", "bash", "zsh", "ksh", "bats"])
    },
    facts(Language::C, "c", &["c", "h"]),
    facts(Language::Cpp, "cpp", &["cpp", "cc", "cxx", "hpp", "hh", "hxx", "ipp", "inl", "cu", "cuh"]),
    facts(Language::CSharp, "csharp", &["cs", "csx"]),
    facts(Language::Go, "go", &["go"]),
    facts(Language::Java, "java", &["java"]),
    facts(Language::JavaScript, "javascript", &["js", "jsx", "mjs", "cjs"]),
    facts(Language::Kotlin, "kotlin", &["kt", "kts"]),
    facts(Language::Lua, "lua", &["lua"]),
    facts(Language::Php, "php", &["php", "phtml"]),
    Facts {
        files: &["SConstruct", "SConscript"],
        ..facts(Language::Python, "python", &["py", "pyi", "pyw"])
    },
    Facts {
        files: &["Rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"],
        ..facts(Language::Ruby, "ruby", &["rb", "rake", "gemspec", "ru"])
    },
    facts(Language::Rust, "rust", &["rs"]),
    facts(Language::Tsx, "tsx", &["tsx"]),
    facts(Language::TypeScript, "typescript", &["ts", "mts", "cts"]),
];

impl Language {
    pub const ALL: [Self; 15] = {
        let mut all = [Self::Bash; 15];
        let mut index = 0;
        while index < all.len() {
            all[index] = FACTS[index].language;
            index += 1;
        }
        all
    };

    /// The language of the file at this path, by the path alone.
    pub fn from_path(path: &str) -> Option<Self> {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        if let Some(facts) = FACTS.iter().find(|facts| facts.files.contains(&file)) {
            return Some(facts.language);
        }
        let (stem, ending) = file.rsplit_once('.')?;
        let ending = ending.to_ascii_lowercase();
        let known = FACTS.iter().find(|facts| facts.endings.contains(&ending.as_str()))?;
        (!stem.is_empty()).then_some(known.language)
    }

    /// The language of the file at this path with this text: a header may be one of C or of C++, and a script
    /// without an ending says on its first line what runs it.
    pub fn detect(path: &str, text: &str) -> Option<Self> {
        match Self::from_path(path) {
            Some(Self::C) if path.ends_with(".h") && looks_like_cpp(text) => Some(Self::Cpp),
            None if !path.rsplit(['/', '\\']).next().unwrap_or(path).contains('.') => {
                language_from_shebang(text)
            }
            known => known,
        }
    }

    /// The language that [`name`](Self::name) gives this name.
    pub fn from_name(name: &str) -> Option<Self> {
        FACTS.iter().find(|facts| facts.name == name).map(|facts| facts.language)
    }

    pub fn name(self) -> &'static str {
        FACTS[self as usize].name
    }

    pub(super) fn grammar(self) -> Grammar {
        match self {
            Self::Bash => tree_sitter_bash::LANGUAGE.into(),
            Self::C => tree_sitter_c::LANGUAGE.into(),
            Self::Cpp => tree_sitter_cpp::LANGUAGE.into(),
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
            Self::Java => tree_sitter_java::LANGUAGE.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::Kotlin => tree_sitter_kotlin_ng::LANGUAGE.into(),
            Self::Lua => tree_sitter_lua::LANGUAGE.into(),
            Self::Php => tree_sitter_php::LANGUAGE_PHP.into(),
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::Ruby => tree_sitter_ruby::LANGUAGE.into(),
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        }
    }

    /// The query for this language's definitions, which is made when it is first asked for: that takes
    /// milliseconds, and most vaults hold few languages. `None` would be a mistake in a query, which a test
    /// looks for.
    pub(super) fn query(self) -> Option<&'static (Query, Captures)> {
        static MADE: [OnceLock<Option<(Query, Captures)>>; 15] = [const { OnceLock::new() }; 15];
        let made = MADE[self as usize].get_or_init(|| {
            let query = Query::new(&self.grammar(), &self.query_text()).ok()?;
            let captures = Captures::from_query(&query)?;
            Some((query, captures))
        });
        made.as_ref()
    }

    /// The marks for what is used in this language, made like the query.
    pub(super) fn marks(self) -> Option<&'static UseMarks> {
        static MADE: [OnceLock<Option<UseMarks>>; 15] = [const { OnceLock::new() }; 15];
        MADE[self as usize].get_or_init(|| UseMarks::parse(&self.grammar(), &self.marks_text())).as_ref()
    }

    pub(super) fn marks_text(self) -> String {
        let script = include_str!("queries/javascript_uses.scm");
        let pages = include_str!("queries/jsx_uses.scm");
        let parts: &[&str] = match self {
            Self::Bash => &[include_str!("queries/bash_uses.scm")],
            Self::C => &[include_str!("queries/c_uses.scm")],
            Self::Cpp => &[include_str!("queries/c_uses.scm"), include_str!("queries/cpp_uses.scm")],
            Self::CSharp => &[include_str!("queries/csharp_uses.scm")],
            Self::Go => &[include_str!("queries/go_uses.scm")],
            Self::Java => &[include_str!("queries/java_uses.scm")],
            Self::JavaScript => &[script, pages, include_str!("queries/javascript_own_uses.scm")],
            Self::Tsx => &[script, pages, include_str!("queries/typescript_uses.scm")],
            Self::TypeScript => &[script, include_str!("queries/typescript_uses.scm")],
            Self::Kotlin => &[include_str!("queries/kotlin_uses.scm")],
            Self::Lua => &[include_str!("queries/lua_uses.scm")],
            Self::Php => &[include_str!("queries/php_uses.scm")],
            Self::Python => &[include_str!("queries/python_uses.scm")],
            Self::Ruby => &[include_str!("queries/ruby_uses.scm")],
            Self::Rust => &[include_str!("queries/rust_uses.scm")],
        };
        parts.join("\n")
    }

    pub(super) fn query_text(self) -> String {
        let script = include_str!("queries/javascript.scm");
        let parts: &[&str] = match self {
            Self::Bash => &[include_str!("queries/bash.scm")],
            Self::C => &[include_str!("queries/c.scm"), include_str!("queries/c_fields.scm")],
            Self::Cpp => &[include_str!("queries/c.scm"), include_str!("queries/cpp.scm")],
            Self::CSharp => &[include_str!("queries/csharp.scm")],
            Self::Go => &[include_str!("queries/go.scm")],
            Self::Java => &[include_str!("queries/java.scm")],
            Self::JavaScript => &[script, include_str!("queries/javascript_fields.scm")],
            Self::Kotlin => &[include_str!("queries/kotlin.scm")],
            Self::Lua => &[include_str!("queries/lua.scm")],
            Self::Php => &[include_str!("queries/php.scm")],
            Self::Python => &[include_str!("queries/python.scm")],
            Self::Ruby => &[include_str!("queries/ruby.scm")],
            Self::Rust => &[include_str!("queries/rust.scm")],
            Self::Tsx | Self::TypeScript => &[script, include_str!("queries/typescript.scm")],
        };
        parts.join("\n")
    }
}

/// Whether a header has what C has not.
fn looks_like_cpp(text: &str) -> bool {
    const STARTS: &[&str] =
        &["class ", "namespace ", "template<", "template <", "public:", "private:", "protected:", "using "];
    text.lines().any(|line| {
        let line = line.trim_start();
        STARTS.iter().any(|start| line.starts_with(start)) || line.contains("std::")
    })
}

/// The language of the program that a script's first line names.
fn language_from_shebang(text: &str) -> Option<Language> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = words.find(|word| *word != "env" && !word.starts_with('-'))?;
    match program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.') {
        "sh" | "bash" | "zsh" | "dash" | "ksh" => Some(Language::Bash),
        "python" => Some(Language::Python),
        "ruby" => Some(Language::Ruby),
        "node" => Some(Language::JavaScript),
        "lua" => Some(Language::Lua),
        "php" => Some(Language::Php),
        _ => None,
    }
}
