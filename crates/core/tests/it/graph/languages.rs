//! No code about code names a language: what differs between languages is a field of the language's own file.

use std::fs;
use std::path::Path;

use wellread_text::Language;

/// Lines outside of tests and comments that name a language, as a word of the type or by its name.
fn naming_lines(text: &str) -> Vec<usize> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default().lines();
    let is_named = |line: &str| {
        let variant = line.split("Language::").skip(1).any(|rest| {
            rest.starts_with(|letter: char| letter.is_ascii_uppercase()) && !rest.starts_with("ALL")
        });
        variant || Language::ALL.iter().any(|language| line.contains(&format!("\"{}\"", language.name())))
    };
    let lines = code.enumerate().filter(|(_, line)| !line.trim_start().starts_with("//") && is_named(line));
    lines.map(|(at, _)| at + 1).collect()
}

fn collect(folder: &Path, wrong: &mut Vec<String>, count: &mut usize) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "languages" {
            collect(&path, wrong, count);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            *count += 1;
            let lines = naming_lines(&fs::read_to_string(&path).unwrap());
            wrong.extend(lines.iter().map(|line| format!("{}:{line}", path.display())));
        }
    }
}

#[test]
fn the_graph_names_no_language() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for folder in ["src/code", "../text/src/code"] {
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut wrong, &mut count);
    }
    assert!(count > 70, "{count} sources");
    assert!(wrong.is_empty(), "a language is named outside its file:\n{}", wrong.join("\n"));
}

#[test]
fn a_language_that_is_named_is_found() {
    let text = "// \"rust\"\nif language == Language::Rust {}\nif language.name() == \"rust\" {}\nLanguage::ALL;\nLanguage::from_path(path);\n#[cfg(test)]\n\"go\"\n";
    assert_eq!(naming_lines(text), [2, 3]);
}
