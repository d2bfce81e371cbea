//! The manifests by which agents, apps and registries find the program: what `packaging/` makes of Cargo's facts, valid by the rules of
//! those who read them, and true.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use wellread_core::faces::broad_tools::BROAD_TOOLS;

use crate::desk::{BINARY, Ran, mode_of, repository};
use crate::packages::{Workshop, build, built, node, prints, python, small_program};

const MANIFESTS: [&str; 3] = [".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", "server.json"];

/// What the linter is asked about, beside the schemas that it has: of the manifests, the hooks and the skills.
const RULES: [&str; 11] = [
    "agentskill-description",
    "agentskill-name",
    "agentskill-valid",
    "claude-hooks-valid",
    "claude-marketplace-json-valid",
    "claude-marketplace-registration",
    "claude-plugin-json-required",
    "claude-plugin-json-valid",
    "claude-plugin-naming",
    "mcp-registry-server-json-valid",
    "mcp-registry-version-semver",
];

fn read_json(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap())
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// What the linter says of a folder with our manifests, hooks and skills in it, after one of them was changed.
fn lint(change: impl FnOnce(&Path)) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let mut copy = Command::new("cp");
    copy.current_dir(repository()).args([
        "-R",
        ".claude-plugin",
        "hooks",
        "skills",
        "AGENTS.md",
        "server.json",
    ]);
    prints(copy.arg(folder.path()));
    change(folder.path());
    let linter = repository().join(".venv/bin/skillsaw");
    assert!(linter.exists(), "there is no {}: run `./check` once, which installs it", linter.display());
    let mut command = Command::new(linter);
    command.args(["lint", "--strict", "--quiet", "--no-plugins", "--no-custom-rules", "--no-progress"]);
    Ran::of(command.args(RULES.iter().flat_map(|rule| ["--rule", rule])).arg(folder.path()))
}

fn rewrite(file: &Path, change: impl FnOnce(&mut Value)) {
    let mut manifest = read_json(file);
    change(&mut manifest);
    fs::write(file, manifest.to_string()).unwrap();
}

/// The tools that a server offers, by their names and descriptions.
fn list_tools(command: &mut Command) -> Vec<(String, String)> {
    let mut server =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
    ];
    let mut input = server.stdin.take().unwrap();
    for message in &messages {
        writeln!(input, "{message}").unwrap();
    }
    let lines = BufReader::new(server.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut said = lines.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    let answer = said.find(|said| said["id"] == 2).expect("an answer");
    drop(input);
    assert!(server.wait().unwrap().success());
    let tools = answer["result"]["tools"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    tools.map(|tool| (text(&tool["name"]), text(&tool["description"]))).collect()
}

#[test]
fn the_manifests_of_the_repository_are_what_cargo_says() {
    let folder = tempfile::tempdir().unwrap();
    let bless = std::env::var_os("WELLREAD_BLESS").is_some();
    let to = if bless { repository() } else { folder.path().to_owned() };
    built(&mut build([OsStr::new("manifests"), to.as_os_str()]));
    for path in MANIFESTS {
        let [made, kept] = [&to, &repository()].map(|root| fs::read_to_string(root.join(path)).unwrap());
        assert_eq!(kept, made, "{path} is not up to date: `packaging/build manifests .` writes it");
    }
}

#[test]
fn manifests_hooks_and_skills_are_valid() {
    let ran = lint(|_| {});
    assert_eq!(ran.status, Some(0), "{ran:?}");
}

/// The linter says something of each kind of manifest that is wrong: what it lets pass was looked at.
#[test]
fn a_manifest_that_is_wrong_is_noticed() {
    type Change = fn(&mut Value);
    let wrong: [(&str, Change); 6] = [
        ("server.json", |server| server["packages"][0]["transport"] = json!({})),
        ("server.json", |server| server["packages"][1]["version"] = json!("latest")),
        ("server.json", |server| server["description"] = json!("x".repeat(101))),
        (".claude-plugin/plugin.json", |plugin| plugin["name"] = json!("Well read")),
        (".claude-plugin/marketplace.json", |market| market["owner"] = json!("somebody")),
        ("hooks/hooks.json", |hooks| hooks["hooks"] = json!({ "AfterWrite": [] })),
    ];
    for (path, change) in wrong {
        let ran = lint(|folder| rewrite(&folder.join(path), change));
        assert_eq!(ran.status, Some(1), "{path}: {ran:?}");
    }
}

/// What the registry compares: a package says which server it is.
#[test]
fn each_package_of_the_registry_says_whose_it_is() {
    let workshop = Workshop::new();
    let bundle = workshop.make("mcpb");
    let (wheel, _) = (workshop.make("wheel"), workshop.make("npm"));
    let main = workshop.make_of_folder("npm-main");
    let made = read_json(&workshop.make_of_folder("registry"));
    let kept = read_json(&repository().join("server.json"));
    let name = kept["name"].as_str().unwrap();
    assert_eq!(name, env!("CARGO_PKG_REPOSITORY").replace("https://github.com/", "io.github."));
    let script = "import json, sys, tarfile, zipfile; wheel = zipfile.ZipFile(sys.argv[1]); \
                  text = next(n for n in wheel.namelist() if n.endswith('METADATA')); \
                  npm = json.load(tarfile.open(sys.argv[2]).extractfile('package/package.json')); \
                  print(npm['name'], npm['mcpName'], f'mcp-name: {npm[\"mcpName\"]} -->' in wheel.read(text).decode())";
    let said = prints(python(script).args([&wheel, &main]));
    assert_eq!(said, format!("wellread {name} True\n"));
    // The release's has the bundle too, at the address of its file, by its hash.
    let packages = made["packages"].as_array().unwrap();
    let bundles: Vec<&Value> = packages.iter().filter(|package| package["registryType"] == "mcpb").collect();
    let file = bundle.file_name().unwrap().to_str().unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let address = format!("{}/releases/download/v{version}/{file}", env!("CARGO_PKG_REPOSITORY"));
    let sha256 = prints(Command::new("sha256sum").arg(&bundle));
    assert_eq!(bundles.len(), 1);
    assert_eq!(bundles[0]["identifier"], address);
    assert_eq!(bundles[0]["fileSha256"], sha256.split_whitespace().next().unwrap());
    assert_eq!(packages[..packages.len() - 1], kept["packages"].as_array().unwrap()[..]);
    let ran = lint(|folder| fs::write(folder.join("server.json"), made.to_string()).unwrap());
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let unhashed = lint(|folder| {
        let mut made = made.clone();
        made["packages"][2].as_object_mut().unwrap().remove("fileSha256");
        fs::write(folder.join("server.json"), made.to_string()).unwrap();
    });
    assert_eq!(unhashed.status, Some(1), "{unhashed:?}");
}

/// A client that takes a package from the registry starts it with these words.
#[test]
fn the_words_of_the_registry_start_the_server() {
    let (home, vault) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = read_json(&repository().join("server.json"));
    for package in server["packages"].as_array().unwrap() {
        let mut command = Command::new(BINARY);
        command.env_clear().env("HOME", home.path());
        for argument in package["packageArguments"].as_array().unwrap() {
            match argument["type"].as_str().unwrap() {
                "positional" => command.arg(argument["value"].as_str().unwrap()),
                "named" => command.arg(argument["name"].as_str().unwrap()).arg(vault.path()),
                other => panic!("{other}"),
            };
        }
        assert_eq!(list_tools(&mut command).len(), BROAD_TOOLS.len());
    }
}

/// Runs a program of the package that defines bundles.
fn mcpb(script: &str, words: &[&OsStr]) -> Ran {
    let script = repository().join("tests/mcpb").join(script);
    assert!(script.exists(), "there is no {}: run `./check` once, which installs it", script.display());
    Ran::of(node(&[], "node").arg(script).args(words))
}

fn unpack(workshop: &Workshop, bundle: &Path) -> PathBuf {
    let folder = workshop.at("unpacked");
    let words = [OsStr::new("unpack"), bundle.as_os_str(), folder.as_os_str()];
    let ran = mcpb("node_modules/@anthropic-ai/mcpb/dist/cli/cli.js", &words);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    folder
}

#[test]
fn a_bundle_is_valid_and_its_server_starts_as_an_app_starts_it() {
    let workshop = Workshop::new();
    let program = small_program(workshop.at("").as_path());
    let words = [OsStr::new("mcpb"), program.as_os_str(), workshop.out().as_os_str()].map(OsStr::to_owned);
    let folder = unpack(&workshop, &built(build(words).arg("--fast")));
    let words = [OsStr::new("validate"), folder.as_os_str()];
    let valid = mcpb("node_modules/@anthropic-ai/mcpb/dist/cli/cli.js", &words);
    assert!(valid.status == Some(0) && valid.stdout.contains("validation passes"), "{valid:?}");
    let manifest = read_json(&folder.join("manifest.json"));
    for (field, fact) in [
        ("name", env!("CARGO_PKG_NAME")),
        ("version", env!("CARGO_PKG_VERSION")),
        ("description", env!("CARGO_PKG_DESCRIPTION")),
        ("homepage", env!("CARGO_PKG_HOMEPAGE")),
        ("license", env!("CARGO_PKG_LICENSE")),
    ] {
        assert_eq!(manifest[field], fact, "{field}");
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "NOTICE", "THIRD-PARTY.txt", "README.md"] {
        assert!(folder.join(file).exists(), "{file}");
    }
    let entry = folder.join(manifest["server"]["entry_point"].as_str().unwrap());
    assert_eq!(mode_of(&entry) & 0o777, 0o755);
    // Its user chose a folder whose name has a blank, and to change nothing, or said nothing about that.
    let (home, vault) = (workshop.at("home"), workshop.at("my notes"));
    fs::create_dir_all(&vault).unwrap();
    let offered = |read_only: &str| {
        let words = [folder.as_os_str(), vault.as_os_str(), OsStr::new(read_only)];
        let ran = mcpb("start.mjs", &words);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let start: Value = serde_json::from_str(&ran.stdout).unwrap();
        let args: Vec<&str> =
            start["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
        let mut command = Command::new(start["command"].as_str().unwrap());
        command.env_clear().env("HOME", &home).args(args);
        for (name, value) in start["env"].as_object().unwrap() {
            command.env(name, value.as_str().unwrap());
        }
        list_tools(&mut command)
    };
    let all = offered("default");
    let listed = manifest["tools"].as_array().unwrap();
    assert_eq!(listed.len(), all.len());
    for (listed, (name, about)) in listed.iter().zip(&all) {
        assert_eq!(listed["name"], *name);
        assert!(about.starts_with(listed["description"].as_str().unwrap()), "{listed}");
    }
    assert_eq!(all.len(), offered("false").len());
    let names: BTreeSet<String> = offered("true").into_iter().map(|(name, _)| name).collect();
    assert!(names.contains("search_notes") && !names.contains("edit_note"), "{names:?}");
}
