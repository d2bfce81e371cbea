//! A small source in every language, and all that is read from it.
//!
//! What is expected stands beside each source, one line a definition and then one line a chunk. After a change of
//! mind, the failing test shows what to put there.

use std::fmt::Write;

use wellread_text::{Language, SyntaxState, analyze_code};

/// The file's name, its text, and what is expected.
macro_rules! sample {
    ($file:literal) => {
        (
            $file,
            include_str!(concat!("samples/", $file)),
            include_str!(concat!("samples/", $file, ".expected")),
        )
    };
}

pub const SAMPLES: &[(&str, &str, &str)] = &[
    sample!("shapes.sh"),
    sample!("shapes.c"),
    sample!("shapes.cpp"),
    sample!("Shapes.cs"),
    sample!("shapes.go"),
    sample!("Shapes.java"),
    sample!("shapes.js"),
    sample!("shapes.kt"),
    sample!("shapes.lua"),
    sample!("shapes.php"),
    sample!("shapes.py"),
    sample!("shapes.rb"),
    sample!("shapes.rs"),
    sample!("shapes.ts"),
    sample!("shapes.tsx"),
];

/// A language by its name.
pub fn language(name: &str) -> Language {
    Language::from_name(name).unwrap()
}

/// `kind qualified-name first-last [in parent] | signature [| doc]`, and behind a blank line
/// `first-last kind [context]`.
fn rendered(text: &str, language: Language) -> String {
    let code = analyze_code(text, Some(language));
    let definitions = &code.outline.definitions;
    let mut out = String::new();
    for definition in definitions {
        let (first, last) = definition.lines;
        let _ = write!(out, "{} {} {first}-{last}", definition.kind.name(), definition.qualified);
        if let Some(parent) = definition.parent {
            let _ = write!(out, " in {}", definitions[parent].qualified);
        }
        let _ = write!(out, " | {}", one_line(&text[definition.signature.clone()]));
        if let Some(doc) = &definition.doc {
            let _ = write!(out, " | {}", one_line(&text[doc.clone()]));
        }
        out.push('\n');
    }
    out.push('\n');
    for chunk in &code.chunks {
        let (first, last) = chunk.lines;
        let _ = writeln!(out, "{first}-{last} {} {}", chunk.kind.name(), chunk.context.join("."));
    }
    out.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(" / ")
}

#[test]
fn every_language_gives_its_definitions_and_chunks() {
    let mut wrong = String::new();
    for (file, text, expected) in SAMPLES {
        let found = rendered(text, Language::detect(file, text).unwrap());
        if found != *expected {
            let _ = write!(
                wrong,
                "== {file}\n{}",
                wellread_text::unified_diff("expected", "found", expected, &found)
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_sample_is_understood_and_no_language_lacks_one() {
    for (file, text, _) in SAMPLES {
        assert_eq!(
            analyze_code(text, Language::detect(file, text)).outline.syntax,
            SyntaxState::Sound,
            "{file}"
        );
    }
    for language in Language::ALL {
        let has = SAMPLES.iter().any(|(file, text, _)| Language::detect(file, text) == Some(language));
        assert!(has, "{}", language.name());
    }
}

#[test]
fn the_same_is_read_with_other_line_endings_and_a_byte_order_mark() {
    for (file, text, expected) in SAMPLES {
        let language = Language::detect(file, text).unwrap();
        // A mark before `#!` makes it an ordinary comment, or no code at all.
        if !text.starts_with("#!") {
            assert_eq!(rendered(&format!("\u{feff}{text}"), language), *expected, "{file} with a mark");
        }
        assert_eq!(
            rendered(&text.replace('\n', "\r\n"), language),
            *expected,
            "{file} with carriage returns"
        );
    }
}

#[test]
fn languages_are_told_by_path_and_text() {
    for (path, text, name) in [
        ("src/lib.rs", "", Some("rust")),
        ("C:\\a\\B.CS", "", Some("csharp")),
        ("Rakefile", "", Some("ruby")),
        ("home/.bashrc", "", Some("bash")),
        ("a/b.h", "int f(void);\n", Some("c")),
        ("a/b.h", "\nnamespace a {\n}\n", Some("cpp")),
        ("bin/run", "#!/usr/bin/env python3\n", Some("python")),
        ("bin/run", "#!/bin/sh -e\n", Some("bash")),
        ("bin/run", "#!/usr/bin/perl\n", None),
        ("bin/run", "", None),
        (".rs", "", None),
        ("notes.md", "#!/bin/sh\n", None),
        ("", "", None),
    ] {
        assert_eq!(Language::detect(path, text).map(Language::name), name, "{path}");
    }
    for language in Language::ALL {
        assert_eq!(Language::from_name(language.name()), Some(language));
    }
    assert_eq!(Language::from_name("cobol"), None);
}
