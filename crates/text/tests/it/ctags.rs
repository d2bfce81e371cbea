//! Our definitions against those of Universal Ctags: name, kind and line.
//!
//! Where the two differ, the reason is one of those in the table; a difference without a reason fails the test. With
//! `WELLREAD_LONG=1` large trees are compared, too: crates that we depend on, and Python's own library.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use wellread_text::{Definition, Language, Lines, SymbolKind, Syntax, code};

/// What a kind is to both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Callable,
    Type,
    Data,
    Macro,
    Module,
}

/// A definition, by one of the two.
#[derive(Debug, Clone)]
struct Tag {
    name: String,
    class: Class,
    line: usize,
    /// As its maker calls it.
    kind: String,
}

/// A file as both read it.
struct Seen<'a> {
    language: Language,
    text: &'a str,
    lines: &'a Lines,
    definitions: &'a [Definition],
    broken: bool,
    theirs: &'a [Tag],
    ours: &'a [Tag],
}

impl Seen<'_> {
    fn line(&self, tag: &Tag) -> &str {
        self.lines.span(tag.line, tag.line).map_or("", |span| &self.text[span])
    }

    /// Whether it stands in the body of one of our functions.
    fn in_function(&self, tag: &Tag) -> bool {
        self.definitions.iter().any(|definition| {
            matches!(definition.kind, SymbolKind::Function | SymbolKind::Method)
                && definition.lines.0 <= tag.line
                && tag.line <= definition.lines.1
                && self.lines.line_of(definition.name_span.start) != tag.line
        })
    }

    fn parent_kind(&self, tag: &Tag) -> Option<SymbolKind> {
        Some(self.definitions[self.own(tag)?.parent?].kind)
    }

    fn own(&self, tag: &Tag) -> Option<&Definition> {
        self.definitions.iter().find(|definition| {
            bare(&definition.name) == tag.name && self.lines.line_of(definition.name_span.start) == tag.line
        })
    }

    /// The definitions around it, and itself.
    fn around(&self, tag: &Tag) -> impl Iterator<Item = &Definition> {
        self.definitions
            .iter()
            .filter(|definition| definition.lines.0 <= tag.line && tag.line <= definition.lines.1)
    }

    /// Whether it stands behind an `#else` or an `#elif` whose condition is still open.
    fn in_other_branch(&self, tag: &Tag) -> bool {
        if !matches!(self.language, Language::C | Language::Cpp) {
            return false;
        }
        let mut open: Vec<bool> = Vec::new();
        for line in self.text.lines().take(tag.line) {
            let Some(word) = line.trim_start().strip_prefix('#').map(str::trim_start) else { continue };
            if word.starts_with("if") {
                open.push(word.starts_with("if 0"));
            } else if word.starts_with("el") {
                if let Some(last) = open.last_mut() {
                    *last = true;
                }
            } else if word.starts_with("endif") {
                open.pop();
            }
        }
        open.contains(&true)
    }

    /// Whether one of these is the same by another kind.
    fn has(&self, others: &[Tag], tag: &Tag, class: Class) -> bool {
        others.iter().any(|other| other.line == tag.line && other.name == tag.name && other.class == class)
    }

    fn both(&self, tag: &Tag) -> bool {
        self.has(self.theirs, tag, tag.class)
    }

    /// The lines from the last definition that both know to this one.
    fn since(&self, tag: &Tag) -> impl Iterator<Item = &str> {
        let before = self.ours.iter().filter(|other| other.line < tag.line && self.both(other));
        let from = before.map(|other| other.line).max().unwrap_or(0);
        self.text.lines().take(tag.line).skip(from.saturating_sub(1))
    }

    /// Whether there is nothing more that both know, from here to the end of what is around it.
    fn lost(&self, tag: &Tag) -> bool {
        let around = self.definitions.iter().filter(|definition| {
            definition.lines.0 < tag.line && tag.line <= definition.lines.1 && definition.name != tag.name
        });
        let end = around.map(|definition| definition.lines.1).min().unwrap_or(usize::MAX);
        !self.ours.iter().any(|other| tag.line < other.line && other.line <= end && self.both(other))
    }

    fn in_macro(&self, tag: &Tag) -> bool {
        self.definitions.iter().any(|definition| {
            definition.kind == SymbolKind::Macro
                && definition.lines.0 <= tag.line
                && tag.line <= definition.lines.1
                && definition.name != tag.name
        })
    }
}

/// A macro that stands before a declaration looks like its type.
const BEHIND_MACROS: &str = "C that is not understood without its macros";

const NOT_UNDERSTOOD: &str = "source that our parser does not understand";

type Reason = (&'static str, fn(&Seen, &Tag) -> bool);

/// Why they have what we have not.
const ONLY_THEIRS: &[Reason] = &[
    (BEHIND_MACROS, |seen, _| seen.broken && matches!(seen.language, Language::C | Language::Cpp)),
    (NOT_UNDERSTOOD, |seen, _| seen.broken),
    ("C++'s operators that convert", |seen, tag| {
        tag.name.starts_with("operator") && seen.language == Language::Cpp
    }),
    ("a word of the language, which they take for a name", |_, tag| {
        ["else", "finally", "try"].contains(&tag.name.as_str())
    }),
    ("names that they made up for what has none", |_, tag| {
        ["__anon", "AnonymousClass", "AnonymousFunction", "anonymous"]
            .iter()
            .any(|made| tag.name.contains(made))
    }),
    ("data, types and declarations in a function, which are the function's own", |seen, tag| {
        let own = tag.class == Class::Data
            || (tag.class == Class::Callable
                && ["fn ", "lambda"].iter().any(|word| seen.line(tag).contains(word)))
            || ["typedef", "alias"].contains(&tag.kind.as_str());
        own && seen.in_function(tag)
    }),
    ("in a macro's pattern or in what it makes", |seen, tag| seen.in_macro(tag)),
    ("the lifetime 'static, which they take for a variable", |seen, tag| {
        seen.language == Language::Rust && seen.line(tag).contains(&format!("'static {}", tag.name))
            || seen.line(tag).contains("'static [&'static")
    }),
    ("a function that is held by a variable, and data to them", |seen, tag| {
        tag.class == Class::Data && seen.has(seen.ours, tag, Class::Callable)
    }),
    ("macros without a value", |seen, tag| {
        let line = seen.line(tag).split("/*").next().unwrap_or_default();
        tag.class == Class::Macro && line.split_whitespace().last().is_some_and(|last| last == tag.name)
    }),
    ("the outer names of a namespace that is opened with several", |seen, tag| {
        tag.class == Class::Module && seen.line(tag).contains(&format!("{}::", tag.name))
    }),
    ("properties of an object, and objects that they take for classes", |seen, tag| {
        seen.language == Language::JavaScript && ["property", "field", "class"].contains(&tag.kind.as_str())
    }),
    ("Java's records, which they take for methods", |seen, tag| {
        seen.language == Language::Java && seen.line(tag).contains("record ")
    }),
];

/// Why we have what they have not.
const ONLY_OURS: &[Reason] = &[
    (BEHIND_MACROS, |seen, _| seen.broken && matches!(seen.language, Language::C | Language::Cpp)),
    (NOT_UNDERSTOOD, |seen, _| seen.broken),
    ("another branch of a condition of the preprocessor, where they follow the first", |seen, tag| {
        seen.in_other_branch(tag)
    }),
    ("behind C's alignas", |seen, tag| seen.line(tag).contains("alignas")),
    ("Rust's unions, which they do not know", |seen, tag| {
        seen.language == Language::Rust
            && seen.around(tag).any(|definition| seen.text[definition.signature.clone()].contains("union "))
    }),
    ("braces or paths in the head of a Rust function, where they expect none", |seen, tag| {
        seen.language == Language::Rust
            && tag.class == Class::Callable
            && seen.own(tag).is_some_and(|own| {
                let head = &seen.text[own.signature.clone()];
                head.contains('{') || head.contains("pub(in")
            })
    }),
    ("C++'s names for namespaces", |seen, tag| {
        seen.language == Language::Cpp
            && seen.line(tag).trim_start().starts_with("namespace ")
            && tag.kind == "type"
    }),
    ("TypeScript that they do not know: arrows with types, overloads, modules", |seen, tag| {
        let before = |other: &&Tag| other.line < tag.line && other.name == tag.name;
        seen.language == Language::TypeScript
            && (seen.line(tag).contains("=>")
                || tag.kind == "module"
                || seen.ours.iter().any(|other| before(&other)))
    }),
    ("Rust's constants, for which they have no kind", |seen, tag| {
        seen.language == Language::Rust && tag.kind == "constant" && seen.line(tag).contains("const ")
    }),
    ("fields of Rust's variants", |seen, tag| {
        seen.language == Language::Rust
            && tag.kind == "field"
            && seen.parent_kind(tag) == Some(SymbolKind::Constant)
    }),
    ("what methods give their objects", |seen, tag| {
        tag.kind == "field" && ["self.", "this."].iter().any(|own| seen.line(tag).contains(own))
    }),
    ("Python's fields and names that are declared without a value", |seen, tag| {
        let declared = |own: &Definition| !seen.text[own.span.clone()].contains('=');
        seen.language == Language::Python && tag.class == Class::Data && seen.own(tag).is_some_and(declared)
    }),
    ("Python's names that are set under a condition, where they see but the first branch", |seen, tag| {
        seen.language == Language::Python
            && tag.class == Class::Data
            && [" ", "\t", "try:", "if "].iter().any(|start| seen.line(tag).starts_with(start))
    }),
    ("Python's statement for a type, which is new to them", |seen, tag| {
        seen.language == Language::Python && tag.kind == "type"
    }),
    ("a function that is held by a variable, and data to them", |seen, tag| {
        tag.class == Class::Callable && seen.has(seen.theirs, tag, Class::Data)
    }),
    ("what is exported without a name", |_, tag| tag.name == "default"),
    ("an object that they take for a class", |seen, tag| {
        seen.language == Language::JavaScript && seen.has(seen.theirs, tag, Class::Type)
    }),
    ("Java's records and classes without a name", |seen, tag| {
        seen.language == Language::Java && (seen.line(tag).contains("record ") || seen.in_function(tag))
    }),
    ("C++'s operators that convert", |seen, tag| seen.language == Language::Cpp && tag.name == "operator"),
    ("they lost the thread in a string that ends with a backslash", |seen, tag| {
        seen.language == Language::Rust
            && seen.since(tag).any(|line| line.contains("\\\\\"") || line.contains("'\"'"))
    }),
    ("they lost the thread, and find nothing more in what is around it", |seen, tag| {
        seen.language != Language::Rust && seen.lost(tag)
    }),
];

/// The class of a kind of ctags, if we have such a kind.
fn class_of(language: &str, kind: &str) -> Option<Class> {
    Some(match (language, kind) {
        // Scopes, imports and embedded types are no definitions of ours.
        ("Rust", "implementation") | ("Go", "package" | "packageName" | "anonMember") => return None,
        ("Python", "namespace" | "module" | "unknown") | ("Java", "package") => return None,
        ("C" | "C++", "header") => return None,
        (
            _,
            "function" | "func" | "method" | "methodSpec" | "generator" | "getter" | "setter" | "prototype",
        ) => Class::Callable,
        ("Python", "member") => Class::Callable,
        (
            _,
            "class" | "struct" | "enum" | "interface" | "union" | "typedef" | "type" | "alias" | "trait"
            | "talias" | "annotation",
        ) => Class::Type,
        (
            _,
            "variable" | "constant" | "const" | "var" | "field" | "member" | "enumerator" | "property"
            | "enumConstant" | "externvar",
        ) => Class::Data,
        (_, "macro") => Class::Macro,
        (_, "module" | "namespace") => Class::Module,
        _ => return None,
    })
}

fn our_class(kind: SymbolKind, line: &str) -> Class {
    match kind {
        SymbolKind::Function | SymbolKind::Method => Class::Callable,
        SymbolKind::Class
        | SymbolKind::Struct
        | SymbolKind::Enum
        | SymbolKind::Interface
        | SymbolKind::Trait
        | SymbolKind::Type => Class::Type,
        // C's constants are macros to them.
        SymbolKind::Constant if line.trim_start().starts_with('#') => Class::Macro,
        SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Field => Class::Data,
        SymbolKind::Macro => Class::Macro,
        SymbolKind::Module => Class::Module,
    }
}

fn bare(name: &str) -> String {
    name.trim_start_matches("r#").trim_start_matches('#').replace(' ', "")
}

/// What was found in a tree.
#[derive(Default)]
struct Tally {
    lines: usize,
    equal: usize,
    theirs: BTreeMap<&'static str, usize>,
    ours: BTreeMap<&'static str, usize>,
    unexplained: Vec<String>,
}

fn compare(root: &Path, files: &[PathBuf], tally: &mut Tally) {
    let mut theirs = tags(root, files);
    for file in files {
        let Ok(text) = fs::read_to_string(root.join(file)) else { continue };
        let name = file.to_string_lossy().into_owned();
        let Some(language) = Language::of(&name, &text) else { continue };
        let read = code(&text, Some(language));
        let lines = Lines::of(&text);
        let theirs = theirs.remove(&name).unwrap_or_default();
        let line_of = |line: usize| lines.span(line, line).map_or("", |span| &text[span]);
        let ours: Vec<Tag> = read
            .outline
            .definitions
            .iter()
            .map(|definition| {
                let line = lines.line_of(definition.name_span.start);
                Tag {
                    name: bare(&definition.name),
                    class: our_class(definition.kind, line_of(line)),
                    line,
                    kind: definition.kind.name().to_owned(),
                }
            })
            .collect();
        tally.lines += lines.count();
        let definitions = &read.outline.definitions;
        let broken = read.outline.syntax != Syntax::Sound;
        let seen =
            Seen { language, text: &text, lines: &lines, definitions, broken, theirs: &theirs, ours: &ours };
        let same = |one: &Tag, other: &Tag| {
            one.line == other.line && one.class == other.class && one.name == other.name
        };
        for tag in &ours {
            if theirs.iter().any(|other| same(tag, other)) {
                tally.equal += 1;
                continue;
            }
            sort(tag, &seen, ONLY_OURS, &mut tally.ours, &mut tally.unexplained, "ours", &name);
        }
        for tag in &theirs {
            if !ours.iter().any(|other| same(tag, other)) {
                sort(tag, &seen, ONLY_THEIRS, &mut tally.theirs, &mut tally.unexplained, "theirs", &name);
            }
        }
    }
}

fn sort(
    tag: &Tag,
    seen: &Seen,
    reasons: &[Reason],
    counts: &mut BTreeMap<&'static str, usize>,
    unexplained: &mut Vec<String>,
    whose: &str,
    file: &str,
) {
    match reasons.iter().find(|(_, holds)| holds(seen, tag)) {
        Some((reason, _)) => *counts.entry(reason).or_default() += 1,
        None => unexplained.push(format!(
            "only {whose}: {file}:{} {} {} | {}",
            tag.line,
            tag.kind,
            tag.name,
            seen.line(tag).trim()
        )),
    }
}

/// What ctags says of the files, by file.
fn tags(root: &Path, files: &[PathBuf]) -> HashMap<String, Vec<Tag>> {
    let mut child = Command::new("ctags")
        .args(["--options=NONE", "--languages=C,C++,Go,Java,JavaScript,Python,Rust,TypeScript"])
        .args(["--output-format=json", "--fields=+nKlZ", "--sort=no"])
        .args(["--kinds-C=+px", "--kinds-C++=+px", "--langmap=C++:+.h.inl", "-f", "-", "-L", "-"])
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let list: String = files.iter().map(|file| format!("{}\n", file.display())).collect();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(list.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let mut tags: HashMap<String, Vec<Tag>> = HashMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let tag: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| tag[key].as_str().unwrap_or_default().to_owned();
        if tag["_type"] != "tag" {
            continue;
        }
        let Some(class) = class_of(&text("language"), &text("kind")) else { continue };
        tags.entry(text("path")).or_default().push(Tag {
            // A name is the same with a sign before it, or with a space in it.
            name: text("name").replace(' ', ""),
            class,
            line: tag["line"].as_u64().unwrap() as usize,
            kind: text("kind"),
        });
    }
    tags
}

/// The source files under a folder that both can read.
fn sources(root: &Path) -> Vec<PathBuf> {
    const ENDINGS: &[&str] = &["rs", "py", "c", "h", "cc", "cpp", "hpp", "go", "java", "js", "ts"];
    /// What is made, and what others put there.
    const OTHERS: &[&str] = &["target", "site-packages", "dist-packages"];
    let (mut files, mut left) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir()
                && !path.is_symlink()
                && !name.starts_with('.')
                && !OTHERS.contains(&name.as_str())
            {
                left.push(path);
            } else if path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
                files.push(path.strip_prefix(root).unwrap().to_owned());
            }
        }
    }
    files.sort();
    files
}

/// Whether ctags is here. Where changes are checked it must be.
fn available() -> bool {
    let version = Command::new("ctags").arg("--version").output();
    let here =
        version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Universal Ctags"));
    assert!(here || std::env::var_os("CI").is_none(), "ctags is missing: install universal-ctags");
    if !here {
        eprintln!("skipped: there is no ctags here; the package universal-ctags has it");
    }
    here
}

fn told(what: &str, tally: &Tally) -> String {
    let mut out = format!("{what}: {} lines, {} definitions equal\n", tally.lines, tally.equal);
    for (whose, counts) in [("only ours", &tally.ours), ("only theirs", &tally.theirs)] {
        for (reason, count) in counts {
            let _ = writeln!(out, "  {whose}: {count} {reason}");
        }
    }
    out
}

#[test]
fn our_own_source_defines_what_ctags_finds_in_it() {
    if !available() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut tally = Tally::default();
    compare(&root, &sources(&root), &mut tally);
    println!("{}", told("this repository", &tally));
    assert!(tally.unexplained.is_empty(), "{}", tally.unexplained.join("\n"));
    assert!(tally.equal > 5_000, "{}", tally.equal);
}

#[test]
fn large_trees_define_what_ctags_finds_in_them() {
    if std::env::var_os("WELLREAD_LONG").is_none() || !available() {
        return;
    }
    let mut trees: Vec<(String, PathBuf)> = ["tokio", "syn", "regex-automata", "rustix", "zstd-sys", "ring"]
        .iter()
        .filter_map(|name| unpacked(name))
        .collect();
    let python =
        Command::new("python3").args(["-c", "import os; print(os.path.dirname(os.__file__))"]).output();
    if let Ok(output) = python {
        let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        trees.push(("Python's library".to_owned(), PathBuf::from(folder)));
    }
    let (mut lines, mut unexplained) = (0, Vec::new());
    for (name, root) in trees {
        let mut tally = Tally::default();
        compare(&root, &sources(&root), &mut tally);
        println!("{}", told(&name, &tally));
        lines += tally.lines;
        if !tally.unexplained.is_empty() {
            unexplained.push(format!("{name}: {} differences", tally.unexplained.len()));
            unexplained.extend(tally.unexplained.into_iter().take(400));
        }
    }
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
    assert!(lines > 100_000, "{lines}");
}

/// Where the source of a crate lies that we depend on.
fn unpacked(name: &str) -> Option<(String, PathBuf)> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    let sources = fs::read_dir(home.join("registry/src")).ok()?;
    let mut found: Vec<PathBuf> = sources
        .flatten()
        .flat_map(|registry| fs::read_dir(registry.path()).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| {
            let file = path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
            let version = file.strip_prefix(name).and_then(|rest| rest.strip_prefix('-')).unwrap_or_default();
            version.starts_with(|letter: char| letter.is_ascii_digit())
        })
        .collect();
    found.sort();
    Some((name.to_owned(), found.pop()?))
}
