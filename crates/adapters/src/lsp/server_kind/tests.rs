//! What keeps a server from being started, and what it is told.

use super::*;

fn refused(known: ServerKind, files: &[(&str, &str)]) -> Option<String> {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    known.refusal(&[], root.path(), None)
}

#[test]
fn a_server_is_known_by_its_program() {
    for (program, known) in [
        ("/home/ada/.cargo/bin/rust-analyzer", ServerKind::RustAnalyzer),
        ("rustup run stable rust-analyzer", ServerKind::RustAnalyzer),
        ("node /opt/typescript-language-server.mjs --stdio", ServerKind::TypeScript),
        ("ruby-lsp", ServerKind::Careless),
        ("clangd --background-index", ServerKind::Clangd),
        ("/opt/vtsls --stdio", ServerKind::Vtsls),
        ("my-server", ServerKind::Other),
        ("", ServerKind::Other),
    ] {
        let words: Vec<String> = program.split(' ').map(str::to_owned).collect();
        assert_eq!(ServerKind::from_command(&words), known, "{program}");
    }
    let settings = ServerKind::RustAnalyzer.settings(None);
    for (path, expected) in
        [("/cargo/buildScripts/enable", false), ("/procMacro/enable", false), ("/checkOnSave", false)]
    {
        assert_eq!(settings.pointer(path), Some(&Value::Bool(expected)), "{path}");
    }
}

#[test]
fn no_build_is_imported_and_no_compiler_of_the_workspace_is_used() {
    let java = ServerKind::Jdtls.settings(None);
    for build in ["import/gradle", "import/gradle/wrapper", "import/maven", "autobuild"] {
        let path = format!("/settings/java/{build}/enabled");
        assert_eq!(java.pointer(&path), Some(&Value::Bool(false)), "{path}");
    }
    let vtsls = ServerKind::Vtsls.settings(None);
    assert_eq!(vtsls.pointer("/vtsls/autoUseWorkspaceTsdk"), Some(&Value::Bool(false)));
    assert_eq!(vtsls.pointer("/typescript/disableAutomaticTypeAcquisition"), Some(&Value::Bool(true)));
}

#[test]
fn go_and_clang_take_no_program_and_no_flag_from_a_repository() {
    let environment = ServerKind::Gopls.environment();
    for (name, value) in [
        ("GOTOOLCHAIN", "local"),
        ("GOPROXY", "off"),
        ("GOVCS", "*:off"),
        ("CGO_ENABLED", "0"),
        ("GOPACKAGESDRIVER", "off"),
    ] {
        assert!(environment.contains(&(name, value)), "{name}");
    }
    assert_eq!(ServerKind::Clangd.arguments(), ["--enable-config=false"]);
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
        (".cargo/config.toml", "[env]\nLIBSQLITE3_FLAGS = \"-DX=0\"\n[alias]\nxtask = \"run -p xtask\"\n"),
        (".cargo", "a file\n"),
        ("rust-toolchain.toml", "[toolchain]\nchannel = \"stable\"\n"),
        ("src/main.rs", "fn main() {}\n"),
    ] {
        assert_eq!(refused(ServerKind::RustAnalyzer, &[(path, text)]), None, "{text}");
    }
    assert_eq!(refused(ServerKind::TypeScript, &[("package.json", "{}")]), None);
    assert!(refused(ServerKind::TypeScript, &[("node_modules/typescript/lib/tsserver.js", "")]).is_some());
}

#[test]
fn what_a_repository_brings_for_a_server_keeps_it_from_starting() {
    for (known, path, text) in [
        (ServerKind::TypeScript, ".yarn/sdks/typescript/lib/tsserver.js", ""),
        (ServerKind::TypeScript, ".vscode/pnpify/typescript/lib/tsserver.js", ""),
        (ServerKind::TypeScript, "node_modules/typescript/lib/tsserver.js", ""),
        (ServerKind::TypeScript, ".pnp.cjs", ""),
        (ServerKind::Vtsls, ".yarn/sdks/typescript/lib/tsserver.js", ""),
        (
            ServerKind::RustAnalyzer,
            "rust-analyzer.toml",
            "[cargo.buildScripts]\noverrideCommand = [\"./evil\"]\n",
        ),
        (ServerKind::RustAnalyzer, "below/.rust-analyzer.toml", ""),
        (ServerKind::Clangd, "compile_commands.json", "[{\"command\": \"cc -fplugin=./evil.so a.c\"}]"),
        (
            ServerKind::Clangd,
            "build/compile_commands.json",
            "[{\"command\": \"cc -Xclang -load -Xclang e.so\"}]",
        ),
        (ServerKind::Clangd, "compile_flags.txt", "@more\n"),
        (ServerKind::Jdtls, ".factorypath", "<factorypath/>"),
        (ServerKind::Jdtls, "app/.settings/org.eclipse.jdt.apt.core.prefs", ""),
        (ServerKind::Jdtls, ".project", "org.eclipse.ui.externaltools.ExternalToolBuilder"),
        (ServerKind::Pylsp, ".ropeproject/config.py", ""),
        (ServerKind::Pylsp, "pylintrc", "[MAIN]\ninit-hook='import evil'\n"),
        (ServerKind::Pylsp, "mypy.ini", "[mypy]\nplugins = ./evil.py\n"),
        (ServerKind::Careless, "a.txt", ""),
    ] {
        assert!(refused(known, &[(path, text)]).is_some(), "{known:?} {path}");
        assert_eq!(refused(ServerKind::Pyright, &[(path, text)]), None, "{path}");
    }
    for (known, path, text) in [
        (ServerKind::Clangd, "compile_commands.json", "[{\"command\": \"cc -Iinclude -c a.c\"}]"),
        (ServerKind::Jdtls, ".project", "org.eclipse.jdt.core.javabuilder"),
        (ServerKind::Pylsp, "pyproject.toml", "[project]\nname = \"x\"\n"),
    ] {
        assert_eq!(refused(known, &[(path, text)]), None, "{known:?} {path}");
    }
}

#[test]
fn what_is_above_the_repository_counts_too() {
    let ground = tempfile::tempdir().unwrap();
    let root = ground.path().join("repo/packages/app");
    std::fs::create_dir_all(&root).unwrap();
    for (known, path, text) in [
        (ServerKind::TypeScript, "repo/node_modules/typescript/lib/tsserver.js", ""),
        (ServerKind::RustAnalyzer, "repo/.cargo/config.toml", "[build]\nrustc-wrapper = \"./evil\"\n"),
    ] {
        assert_eq!(known.refusal(&[], &root, None), None, "{known:?}");
        let path = ground.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        assert!(known.refusal(&[], &root, None).is_some(), "{known:?}");
    }
}

#[test]
fn a_typescript_server_gets_the_compiler_that_came_with_it() {
    let ground = tempfile::tempdir().unwrap();
    let at = |path: &str| ground.path().canonicalize().unwrap().join(path);
    for file in [
        "opt/node_modules/typescript-language-server/lib/cli.mjs",
        "opt/node_modules/typescript/lib/tsserver.js",
        "repo/.yarn/sdks/typescript/lib/tsserver.js",
        "repo/node_modules/typescript-language-server/cli.mjs",
        "repo/node_modules/typescript/lib/tsserver.js",
    ] {
        std::fs::create_dir_all(at(file).parent().unwrap()).unwrap();
        std::fs::write(at(file), "").unwrap();
    }
    let (known, root) = (ServerKind::TypeScript, at("repo"));
    let program = at("opt/node_modules/typescript-language-server/lib/cli.mjs");
    let compiler = known.trusted_compiler(&program, std::slice::from_ref(&root)).unwrap();
    assert_eq!(compiler, at("opt/node_modules/typescript/lib/tsserver.js"));
    assert_eq!(known.refusal(&[], &root, Some(&compiler)), None);
    let settings = known.settings(Some(&compiler));
    assert_eq!(settings["tsserver"]["path"], compiler.to_str().unwrap());
    let own = at("repo/node_modules/typescript-language-server/cli.mjs");
    assert_eq!(known.trusted_compiler(&own, std::slice::from_ref(&root)), None);
    assert!(known.refusal(&[], &root, None).is_some());
}

#[test]
fn programs_that_run_what_a_repository_brings_are_refused() {
    let root = tempfile::tempdir().unwrap();
    for command in
        ["npx typescript-language-server --stdio", "/usr/bin/yarn vtsls", "bundle exec x", "uvx pylsp"]
    {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let known = ServerKind::from_command(&words);
        assert!(known.refusal(&words, root.path(), None).is_some(), "{command}");
    }
    let words = ["clangd", "--query-driver=/**/cc"].map(str::to_owned);
    assert!(ServerKind::Clangd.refusal(&words, root.path(), None).is_some());
}

#[test]
fn a_file_of_a_studied_folder_is_not_run_as_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let studied = folder.path().canonicalize().unwrap().join("studied");
    std::fs::create_dir(&studied).unwrap();
    std::fs::write(studied.join("server.py"), "").unwrap();
    let link = folder.path().join("linked.py");
    std::os::unix::fs::symlink(studied.join("server.py"), &link).unwrap();
    for file in [studied.join("server.py"), link] {
        let words = ["sh".to_owned(), file.display().to_string()];
        assert!(
            crate::lsp::program::find_server(&words, std::slice::from_ref(&studied)).is_err(),
            "{words:?}"
        );
        assert!(crate::lsp::program::find_server(&words, &[]).unwrap().is_some(), "{words:?}");
    }
}
