//! Our definitions against those of Universal Ctags: name, kind and line.
//!
//! Where the two differ, the reason is one of those in the table; a difference without a reason fails the test. With
//! `WELLREAD_LONG=1` large trees are compared, too: crates that we depend on, and Python's own library.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod reasons;
#[path = "../../../testkit/src/skip.rs"]
mod skip;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use wellread_text::{Language, LineIndex, SymbolKind, SyntaxState, analyze_code};

use reasons::{ONLY_OURS, ONLY_THEIRS, Reason, Seen, bare};
use skip::skip;

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
        let Some(language) = Language::detect(&name, &text) else { continue };
        let read = analyze_code(&text, Some(language));
        let lines = LineIndex::new(&text);
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
        let broken = read.outline.syntax != SyntaxState::Sound;
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
#[track_caller]
fn available() -> bool {
    let version = Command::new("ctags").arg("--version").output();
    let here =
        version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Universal Ctags"));
    assert!(here || std::env::var_os("CI").is_none(), "ctags is missing: install universal-ctags");
    if !here {
        skip("ctags is not installed; the package universal-ctags has it");
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
fn a_tree_that_people_wrote_defines_what_ctags_finds_in_it() {
    if !available() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tally = Tally::default();
    for folder in ["../../tests/samples/wellread", "tests/it/samples", "tests/it/uses"] {
        let root = root.join(folder);
        compare(&root, &sources(&root), &mut tally);
    }
    println!("{}", told("the samples", &tally));
    assert!(tally.unexplained.is_empty(), "{}", tally.unexplained.join("\n"));
    assert!(tally.equal > 5_000, "{}", tally.equal);
}

#[test]
fn large_trees_define_what_ctags_finds_in_them() {
    if std::env::var_os("WELLREAD_LONG").is_none() {
        skip("a long proof: WELLREAD_LONG=1 runs it");
        return;
    }
    if !available() {
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
