//! `wellread verify` as a referee: its sources, its exit status, and the hook of the documentation in a real repository.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use wellread_testkit::WebServer;
use wellread_testkit::web_server::WebServerReply;

use crate::desk::{BINARY, Desk, Ran, repository};

const WEIGHED: &str = "The Linden hive weighed 38.5 kg on 1 November 2024.";
const WRONG: &str = "The Linden hive weighed 44 kg on 1 November 2024.";

fn file(desk: &Desk, name: &str, text: &str) -> String {
    let path = desk.folder().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn verdicts(answer: &Value) -> Vec<&str> {
    answer["sentences"].as_array().unwrap().iter().map(|one| one["verdict"].as_str().unwrap()).collect()
}

#[test]
fn the_exit_status_says_how_the_worst_sentence_fared() {
    let desk = Desk::new();
    let with = |first: &str, fail_on: &str| {
        let text = format!("{first}\n\nBees were first kept by the Hittites of Anatolia.\n\nHere it is:\n");
        let draft = file(&desk, "draft.md", &text);
        let ran = desk.run(["verify", &draft, "--json", "--fail-on", fail_on]);
        assert_eq!(ran.json()["passed"], json!(ran.status == Some(0)), "{ran:?}");
        ran.status.unwrap()
    };
    let right = format!("{WEIGHED} ([[Hive weight]])");
    let unknown = "The Linden hive was painted by Karl von Frisch. ([[Hive weight]])";
    let wrong = format!("{WRONG} ([[Hive weight]])");
    for (first, expected) in [(right.as_str(), [0, 0, 6, 0]), (unknown, [0, 6, 6, 0]), (&wrong, [6, 6, 6, 0])]
    {
        let found = ["contradicted", "unknown", "uncited", "never"].map(|fail_on| with(first, fail_on));
        assert_eq!(found, expected, "{first}");
    }
    // Nothing to check is no success, and neither is a wrong word.
    let nothing = file(&desk, "nothing.md", "Bees were first kept by the Hittites of Anatolia.\n");
    desk.run(["verify", &nothing, "--json"]).failed(2);
    assert_eq!(desk.run(["verify", &nothing, "--fail-on", "everything"]).status, Some(2));
    desk.run(["verify", &nothing, "--path", "x.md", "--json"]).failed(2);
    desk.run(["verify", &nothing, "--source", "No such note", "--json"]).failed(3);
}

#[test]
fn a_report_for_others_is_made_as_if_there_were_no_private_notes() {
    let desk = Desk::new();
    desk.save("Secret.md", "---\nprivate: true\n---\nThe vault opens at noon on Mondays.\n");
    let draft = file(&desk, "draft.md", "The vault opens at noon on Mondays. ([[Secret]])\n");
    let check = |more: &[&str]| desk.run(["verify", &draft, "--json"].iter().chain(more));
    let own = check(&[]);
    assert_eq!((own.status, verdicts(&own.json())), (Some(0), vec!["quoted"]));
    let shown = check(&["--without-private"]);
    assert_eq!((shown.status, verdicts(&shown.json())), (Some(6), vec!["unknown"]));
    assert!(!shown.stdout.contains("Secret.md"), "{}", shown.stdout);
    check(&["--without-private", "--source", "Secret"]).failed(3);
    desk.run(["verify", "Secret", "--without-private", "--json"]).failed(3);
}

#[test]
fn a_report_for_others_reads_no_private_note_from_the_disk_either() {
    let desk = Desk::new();
    desk.save("Secret/Code.md", "---\nprivate: true\n---\nThe shed opens with the code 4711.\n");
    desk.save("Open/Shed.md", "The shed stands behind the linden tree.\n");
    let draft = file(&desk, "draft.md", "The shed opens with the code 4711.\n");
    let beside = file(&desk, "beside.md", "---\nprivate: true\n---\nThe shed opens with the code 4711.\n");
    fs::hard_link(desk.vault().join("Secret/Code.md"), desk.folder().join("linked.txt")).unwrap();
    symlink(desk.vault().join("Secret/Code.md"), desk.folder().join("alias.md")).unwrap();
    let check = |what: &str, source: &str, more: &[&str]| {
        desk.run(["verify", what, "--source", source, "--json"].iter().chain(more))
    };
    let absolute = desk.vault().join("Secret/Code.md").to_str().unwrap().to_owned();
    // Named from the folder around the vault.
    for source in ["vault/Secret/Code.md", "vault/Secret", "linked.txt", "alias.md", &absolute, "Secret"] {
        assert_eq!(verdicts(&check(&draft, source, &[]).json()), ["quoted"], "{source}");
        let shown = check(&draft, source, &["--without-private"]);
        assert!(matches!(shown.status, Some(2 | 3)), "{source}: {shown:?}");
        assert!(!shown.stdout.contains("4711"), "{source}: {}", shown.stdout);
    }
    let shown = check(&draft, "vault", &["--without-private"]);
    assert_eq!(verdicts(&shown.json()), ["unknown"], "{}", shown.stdout);
    assert_eq!(verdicts(&check(&draft, &beside, &["--without-private"]).json()), ["quoted"]);
    desk.run(["verify", "vault/Secret/Code.md", "--without-private", "--json"]).failed(3);
}

#[test]
fn sources_are_files_folders_notes_and_addresses() {
    let desk = Desk::new();
    let text = format!("{WEIGHED}\n\n{WRONG}\n");
    let draft = file(&desk, "draft.md", &text);
    let page = format!(
        "<html><head><title>Hives</title></head><body><article><p>{WEIGHED}</p></article></body></html>"
    );
    let single = file(&desk, "one.txt", &format!("{WEIGHED}\n"));
    let saved = file(&desk, "saved.html", &page);
    file(&desk, "many/deep/two.txt", &format!("Another line.\n{WEIGHED}\n"));
    file(&desk, "many/.hidden.txt", WRONG);
    let folder = desk.folder().join("many").to_str().unwrap().to_owned();
    for source in ["Bees/Hive weight", "Bees", &single, &saved, &folder] {
        let ran = desk.run(["verify", &draft, "--source", source, "--json"]);
        assert_eq!(ran.status, Some(6), "{source}: {ran:?}");
        assert_eq!(verdicts(&ran.json()), ["quoted", "contradicted"], "{source}: {}", ran.stdout);
    }
    let shown = desk.run(["verify", &draft, "--source", &single]).stdout;
    let expected = format!("contradicted  {WRONG} (line 3)\n              {single}:1: {WEIGHED}\n");
    assert!(shown.contains(&expected), "{shown}");
}

#[test]
fn a_page_is_fetched_if_the_user_names_it_or_says_so() {
    let desk = Desk::new();
    let body = format!(
        "<html><head><title>Hives</title></head><body><article><p>{WEIGHED}</p></article></body></html>"
    );
    let web = WebServer::start().with_reply("/hives", WebServerReply::html(body));
    let url = web.url("/hives");
    let draft = file(&desk, "draft.md", &format!("{WEIGHED} ([Hives]({url}))\n\n{WRONG} ([Hives]({url}))\n"));
    let here = |args: &[&str]| {
        let mut command = desk.here();
        command.env("WELLREAD_HTTP_ALLOW", web.base.trim_start_matches("http://"));
        Ran::of(command.args(["verify", &draft, "--json"]).args(args))
    };
    assert_eq!(verdicts(&here(&[]).json()), ["unknown", "unknown"]);
    assert_eq!(web.requests().len(), 0, "a cited page is not fetched by itself");
    assert_eq!(verdicts(&here(&["--fetch"]).json()), ["quoted", "contradicted"]);
    assert_eq!(verdicts(&here(&["--source", &url]).json()), ["quoted", "contradicted"]);
    assert_eq!(web.requests().len(), 2, "each page once");
    // The guard holds for the user's addresses, too.
    desk.run(["verify", &draft, "--source", &url, "--json"]).failed(5);
    let offline = Ran::of(desk.here().args(["--offline", "verify", &draft, "--fetch", "--json"]));
    assert_eq!(verdicts(&offline.json()), ["unknown", "unknown"]);
}

/// The first code block of the documentation in this language.
fn documented(language: &str) -> String {
    let text = fs::read_to_string(repository().join("docs/checking-claims.md")).unwrap();
    let (_, rest) = text.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("\n```").unwrap().0.to_owned() + "\n"
}

struct Repository<'a> {
    desk: &'a Desk,
    folder: &'a Path,
}

impl Repository<'_> {
    fn git(&self, args: &[&str]) -> Output {
        let mut command = Command::new("git");
        let binary = Path::new(BINARY).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        command.args(args).current_dir(self.folder).stdin(Stdio::null());
        command.env("PATH", format!("{}:{path}", binary.display())).env("HOME", self.desk.folder());
        for (name, value) in [("GIT_AUTHOR", "A"), ("GIT_COMMITTER", "A")] {
            command.env(format!("{name}_NAME"), value).env(format!("{name}_EMAIL"), "a@bees.example");
        }
        command.env_remove("VAULT_PATH").env_remove("WELLREAD_DATA").output().unwrap()
    }

    fn commits(&self, message: &str) -> (bool, String) {
        assert!(self.git(&["add", "-A"]).status.success());
        let made = self.git(&["commit", "-m", message]);
        (made.status.success(), String::from_utf8_lossy(&made.stderr).into_owned())
    }
}

#[test]
fn the_hook_of_the_documentation_refuses_a_contradicted_sentence() {
    let desk = Desk::new();
    let folder = desk.folder().join("repository");
    fs::create_dir_all(folder.join("docs")).unwrap();
    fs::create_dir_all(folder.join("src")).unwrap();
    let git = Repository { desk: &desk, folder: &folder };
    assert!(git.git(&["init", "--quiet"]).status.success());
    let hook = folder.join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, documented("bash")).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(folder.join("src/limits.py"), "# A jar may weigh at most 12 kg.\nMAX_WEIGHT_KG = 12\n")
        .unwrap();
    fs::write(folder.join("docs/plain notes.md"), "Nothing is cited here.\n").unwrap();
    let report =
        |kilos: u32| format!("# Report\n\nA jar may weigh at most {kilos} kg (`src/limits.py:1`).\n");
    fs::write(folder.join("docs/report.md"), report(12)).unwrap();
    let (done, said) = git.commits("right");
    assert!(done, "{said}");
    fs::write(folder.join("docs/report.md"), report(15)).unwrap();
    let (done, said) = git.commits("wrong");
    assert!(!done && said.contains("docs/report.md:") && said.contains("number differs: 15 / 12"), "{said}");
    assert!(git.git(&["status", "--porcelain"]).stdout.starts_with(b"M  docs/report.md"));
}
