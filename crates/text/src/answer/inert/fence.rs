//! Languages of code blocks that are only displayed. Plugins run, render or fetch the contents of their own blocks,
//! and there are too many plugins to list; so the harmless languages are listed.

use super::edit::{InertEdit, RemovedKind};
use crate::Span;
use crate::span::line_end;

const SHOWN: &[&str] = &[
    "ada",
    "apache",
    "apex",
    "applescript",
    "arduino",
    "asm",
    "assembly",
    "awk",
    "bash",
    "basic",
    "bat",
    "batch",
    "bibtex",
    "c",
    "c#",
    "c++",
    "cairo",
    "cc",
    "clj",
    "clojure",
    "cmake",
    "cmd",
    "cobol",
    "coffee",
    "coffeescript",
    "console",
    "cpp",
    "crystal",
    "cs",
    "csharp",
    "css",
    "csv",
    "cuda",
    "cxx",
    "cython",
    "d",
    "dart",
    "diff",
    "docker",
    "dockerfile",
    "dos",
    "dotenv",
    "elisp",
    "elixir",
    "elm",
    "env",
    "erb",
    "erl",
    "erlang",
    "ex",
    "f90",
    "fish",
    "forth",
    "fortran",
    "fs",
    "fsharp",
    "gdscript",
    "git",
    "gitignore",
    "glsl",
    "go",
    "golang",
    "gql",
    "gradle",
    "graphql",
    "groovy",
    "h",
    "haskell",
    "hcl",
    "hlsl",
    "hpp",
    "hs",
    "html",
    "http",
    "hxx",
    "ini",
    "java",
    "javascript",
    "jl",
    "js",
    "json",
    "json5",
    "jsonc",
    "jsonl",
    "jsx",
    "julia",
    "kotlin",
    "kt",
    "kts",
    "less",
    "lisp",
    "llvm",
    "log",
    "lua",
    "m",
    "make",
    "makefile",
    "markdown",
    "matlab",
    "md",
    "ml",
    "mojo",
    "nasm",
    "nginx",
    "nim",
    "nix",
    "none",
    "objc",
    "objective-c",
    "objectivec",
    "ocaml",
    "odin",
    "pascal",
    "patch",
    "perl",
    "php",
    "pl",
    "plain",
    "plaintext",
    "postgres",
    "postgresql",
    "powershell",
    "proto",
    "protobuf",
    "prolog",
    "ps1",
    "psql",
    "py",
    "py3",
    "python",
    "python3",
    "qml",
    "r",
    "racket",
    "rb",
    "regex",
    "rego",
    "rs",
    "rst",
    "ruby",
    "rust",
    "sas",
    "sass",
    "scala",
    "scheme",
    "scss",
    "sh",
    "shell",
    "smalltalk",
    "solidity",
    "sql",
    "sqlite",
    "ssh",
    "stata",
    "svelte",
    "sv",
    "svg",
    "swift",
    "systemverilog",
    "tcl",
    "terminal",
    "terraform",
    "tex",
    "text",
    "tf",
    "thrift",
    "toml",
    "traceback",
    "ts",
    "tsv",
    "tsx",
    "txt",
    "typescript",
    "v",
    "vala",
    "vb",
    "vba",
    "vbnet",
    "verilog",
    "vhdl",
    "vim",
    "vue",
    "wasm",
    "wat",
    "wgsl",
    "wkt",
    "xml",
    "xslt",
    "yaml",
    "yml",
    "zig",
    "zsh",
];

/// The edit that turns a code block into plain text if its language may mean something to a plugin, and the start of
/// its content. `span` is the whole block.
pub(super) fn fence(text: &str, span: &Span) -> (Option<InertEdit>, usize) {
    let first_line = line_end(text, span.start).min(span.end);
    let line = text[span.start..first_line].trim_end();
    let mark = line.find(['`', '~']).unwrap_or(0);
    let letter = line[mark..].chars().next().unwrap_or('`');
    let after = line[mark..].trim_start_matches(letter);
    let info = after.trim_start();
    if info.is_empty() {
        return (None, first_line);
    }
    let length = info.find(|c: char| c.is_whitespace() || ",{".contains(c)).unwrap_or(info.len());
    let word = info[..length].to_lowercase();
    let shown = SHOWN.contains(&word.as_str())
        || (word == "mermaid" && is_plain_diagram(&text[first_line..span.end]));
    let start = span.start + line.len() - info.len();
    let edit =
        (!shown).then(|| InertEdit::new(start..start + info.len(), "text").with_kind(RemovedKind::Plugin));
    (edit, first_line)
}

/// Whether a diagram has only names and arrows: no click actions, no HTML except line breaks, no addresses, no
/// settings.
fn is_plain_diagram(content: &str) -> bool {
    let content = content.to_lowercase().replace("<br>", "").replace("<br/>", "").replace("<br />", "");
    let tag = content.match_indices('<').any(|(at, _)| {
        content[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?' | '%'))
    });
    let words =
        ["click", "href", "callback", "link", "//", "%%{", "script", "@{", "&", "\\", "url", "img", "import"];
    !tag && !words.iter().any(|word| content.contains(word))
}

/// Whether a plugin would run a code span with this content.
pub(super) fn runs_inline(content: &str) -> bool {
    let content = content.trim();
    let rest = content.strip_prefix('=').map(str::trim_start);
    let query = rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['=', '>', '~', '<', '!']));
    const PREFIXES: [&str; 7] = ["$=", "INPUT[", "VIEW[", "BUTTON[", "dice:", "button-", "dice-mod:"];
    query || PREFIXES.iter().any(|prefix| content.starts_with(prefix))
}
