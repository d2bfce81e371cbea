//! Servers that others wrote, asked about a small project each: definitions and uses across files, and what they show.

use wellread_adapters::lsp::{LanguageServerPool, server_states};
use wellread_core::ports::{ServerAnswer, ServerQuestionKind};
use wellread_testkit::skip;

use crate::studied::{Studied, ask, hover, in_venv, places};

const HIVE: &str = "\"\"\"Hives.\"\"\"\n\n\nclass Hive:\n    \"\"\"Where bees live.\"\"\"\n\n    def weigh(self, frames: int) -> float:\n        return frames * 1.5\n\n\ndef queen(hive: Hive) -> str:\n    return \"Beatrix\"\n";
const YARD: &str =
    "from bees.hive import Hive, queen\n\nname = \"🐝🐝\" + queen(Hive())\nweight = Hive().weigh(10)\n";

fn answered(
    pool: &LanguageServerPool,
    studied: &Studied,
    what: ServerQuestionKind,
    path: &str,
    around: &str,
) -> ServerAnswer {
    let answer = ask(pool, &studied.question(what, path, around)).unwrap_or_else(|failure| {
        panic!("{what:?} of {around}: {}", failure.message());
    });
    assert_eq!(answer.partial, None);
    answer
}

#[test]
fn pyright_finds_definitions_and_uses_across_files() {
    let server = in_venv("pyright-langserver");
    let studied = Studied::new(
        &[("bees/__init__.py", ""), ("bees/hive.py", HIVE), ("yard.py", YARD)],
        &[("python", &[&server, "--stdio"])],
    );
    let pool = studied.pool();
    let definition = answered(&pool, &studied, ServerQuestionKind::Definition, "yard.py", "+ <>queen(");
    assert_eq!(places(&definition), ["bees/hive.py 11:5"]);
    assert_eq!(definition.places[0].columns, (5, 10));
    let method = answered(&pool, &studied, ServerQuestionKind::Definition, "yard.py", ".<>weigh(10)");
    assert_eq!(places(&method), ["bees/hive.py 7:9"]);
    let uses = answered(&pool, &studied, ServerQuestionKind::References, "bees/hive.py", "class <>Hive");
    assert_eq!(places(&uses), ["bees/hive.py 11:17", "yard.py 1:23", "yard.py 3:21", "yard.py 4:10"]);
    let shown = answered(&pool, &studied, ServerQuestionKind::Hover, "yard.py", "+ <>queen(");
    assert!(hover(&shown).contains("def queen(hive: Hive) -> str"), "{}", hover(&shown));
    let nothing = answered(&pool, &studied, ServerQuestionKind::Definition, "yard.py", "<>\nname");
    assert_eq!((places(&nothing).len(), nothing.hover), (0, None));

    // What is asked about is what was read, whatever the server has seen before.
    studied.write("bees/hive.py", &HIVE.replace("\"\"\"Hives.\"\"\"\n", "\"\"\"Hives.\"\"\"\n\n\n"));
    let moved = answered(&pool, &studied, ServerQuestionKind::Definition, "bees/hive.py", "hive: <>Hive");
    assert_eq!(places(&moved), ["bees/hive.py 6:7"]);
    let moved = answered(&pool, &studied, ServerQuestionKind::Definition, "yard.py", "+ <>queen(");
    assert_eq!(places(&moved), ["bees/hive.py 13:5"]);
}

#[test]
fn what_the_standard_library_defines_is_outside_the_repository_and_left_out() {
    let server = in_venv("pyright-langserver");
    let studied =
        Studied::new(&[("a.py", "import json\n\njson.dumps(1)\n")], &[("python", &[&server, "--stdio"])]);
    let question = studied.question(ServerQuestionKind::Definition, "a.py", ".<>dumps");
    let answer = ask(&studied.pool(), &question).unwrap();
    assert_eq!(places(&answer).len(), 0);
    assert!(answer.partial.unwrap().contains("not among the repository's files"));
}

#[test]
fn pyright_runs_nothing_of_the_repository() {
    let server = in_venv("pyright-langserver");
    let evil = "open('ran', 'w')\n\nstolen = 1\n";
    let names =
        ["sitecustomize", "usercustomize", "json", "os", "re", "site", "encodings/__init__", "conftest"];
    let mut files: Vec<(String, &str)> = names.iter().map(|name| (format!("{name}.py"), evil)).collect();
    files.push(("a.py".to_owned(), "import conftest\n\nprint(conftest.stolen)\n"));
    files.push((
        "pyrightconfig.json".to_owned(),
        r#"{"venvPath": ".", "venv": "evil", "pythonPath": "./evil/bin/python"}"#,
    ));
    files.push(("evil/bin/python".to_owned(), "#!/bin/sh\ntouch ran\n"));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let studied = Studied::new(&files, &[("python", &[&server, "--stdio"])]);
    let evil = studied.root().join("evil/bin/python");
    std::fs::set_permissions(evil, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let answer =
        ask(&studied.pool(), &studied.question(ServerQuestionKind::Definition, "a.py", ".<>stolen")).unwrap();
    assert_eq!(places(&answer), ["conftest.py 3:1"]);
    assert!(!studied.root().join("ran").exists(), "code of the repository was run");
}

#[test]
fn clangd_finds_definitions_and_uses_across_files_of_two_languages() {
    let studied = Studied::new(
        &[
            (
                "hive.h",
                "#pragma once\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n/// Weighs all frames.\nint weigh(int frames);\n#ifdef __cplusplus\n}\n#endif\n",
            ),
            ("hive.c", "#include \"hive.h\"\n\nint weigh(int frames) { return frames * 2; }\n"),
            ("yard.c", "#include \"hive.h\"\n\nint main(void) { return weigh(3); }\n"),
            ("apiary.cpp", "#include \"hive.h\"\n\nconst char *name = \"🐝\"; int all = weigh(7);\n"),
        ],
        &[("c", &["clangd", "--background-index"]), ("cpp", &["clangd", "--background-index"])],
    );
    let root = studied.root();
    let compiled = ["hive.c", "yard.c", "apiary.cpp"]
        .map(|file| serde_json::json!({"directory": root, "file": file, "arguments": ["cc", "-c", file]}));
    studied.write("compile_commands.json", &serde_json::Value::from(compiled.to_vec()).to_string());
    let pool = studied.pool();
    let uses = answered(&pool, &studied, ServerQuestionKind::References, "hive.c", "int <>weigh");
    assert_eq!(places(&uses), ["apiary.cpp 3:35", "yard.c 3:25"]);
    let definition = answered(&pool, &studied, ServerQuestionKind::Definition, "apiary.cpp", "= <>weigh");
    assert_eq!(places(&definition), ["hive.c 3:5"]);
    let shown = answered(&pool, &studied, ServerQuestionKind::Hover, "yard.c", "return <>weigh");
    assert!(hover(&shown).contains("Weighs all frames"), "{}", hover(&shown));
}

/// Where it is installed; a machine that has only rustup's stand-in for it has none.
#[test]
fn rust_analyzer_finds_definitions_across_files() {
    let works = std::process::Command::new("rust-analyzer").arg("--version").output();
    if !works.is_ok_and(|output| output.status.success()) {
        skip("rust-analyzer is not installed");
        return;
    }
    let studied = Studied::new(
        &[
            ("Cargo.toml", "[package]\nname = \"yard\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
            ("build.rs", "fn main() { std::fs::write(\"built\", \"\").unwrap(); }\n"),
            ("src/main.rs", "mod hive;\n\nfn main() {\n    hive::weigh(3);\n}\n"),
            ("src/hive.rs", "pub fn weigh(frames: u32) -> u32 {\n    frames * 2\n}\n"),
        ],
        &[("rust", &["rust-analyzer"])],
    );
    let pool = studied.pool();
    let definition = answered(&pool, &studied, ServerQuestionKind::Definition, "src/main.rs", "::<>weigh");
    assert_eq!(places(&definition), ["src/hive.rs 1:8"]);
    assert_eq!(definition.places[0].whole, Some((1, 3)));
    let uses = answered(&pool, &studied, ServerQuestionKind::References, "src/hive.rs", "fn <>weigh");
    assert_eq!(places(&uses), ["src/main.rs 4:11"]);
    let shown = answered(&pool, &studied, ServerQuestionKind::Hover, "src/main.rs", "::<>weigh");
    assert!(hover(&shown).contains("pub fn weigh(frames: u32) -> u32"), "{}", hover(&shown));
    drop(pool);
    assert!(!studied.root().join("built").exists(), "a build script was run");
}

#[test]
fn how_servers_stand_is_told_without_starting_them() {
    let studied =
        Studied::new(&[], &[("c", &["clangd", "--x"]), ("ruby", &["ruby-lsp"]), ("go", &["/no/gopls"])]);
    let states = server_states(&studied.settings);
    let shown: Vec<_> =
        states.iter().map(|state| (state.language.as_str(), state.command.as_str())).collect();
    assert_eq!(shown, [("c", "clangd"), ("go", "/no/gopls"), ("ruby", "ruby-lsp")]);
    assert!(states[0].program.as_ref().unwrap().is_absolute() && states[1].program.is_none());
    assert!(states[2].caution.is_some() && states[0].caution.is_none());
}
