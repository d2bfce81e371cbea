//! Several vaults by name: written in the settings, chosen on the command line, each with its own rules.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use wellread_testkit::{ModelServer, Turn};

use crate::desk::{Desk, Ran};
use crate::partner::Wire;
use crate::talk::{Revision, Talk};

/// Two vaults, `garden` and `Work`. In the second, the folder `Clients` is private; in both, what is tagged so.
pub struct TwoVaults(Desk);

impl TwoVaults {
    pub fn new() -> Self {
        let vaults = Self(Desk::bare());
        vaults.save("garden", "Beds.md", "# Beds\n\nThe north bed has leeks. [[Clients]]\n");
        vaults.save("garden", "Clients/Sale.md", "# Sale\n\nLeeks are sold to Marrow and Sons.\n");
        vaults.save("work", "Launch.md", "# Launch\n\nFalcon is launched on 3 March.\n");
        vaults.save("work", "Clients/Acme.md", "# Acme\n\nAcme pays 900 a day for Falcon.\n");
        let settings = format!(
            "[vaults.garden]\npath = \"{}\"\n\n[vaults.Work]\npath = \"{}\"\nprivate_folders = [\"Clients\"]\n",
            vaults.folder("garden").display(),
            vaults.folder("work").display()
        );
        fs::write(vaults.settings(), settings).unwrap();
        vaults
    }

    pub fn folder(&self, name: &str) -> PathBuf {
        self.0.folder().join(name)
    }

    pub fn settings(&self) -> PathBuf {
        self.0.folder().join("settings.toml")
    }

    pub fn save(&self, vault: &str, path: &str, text: &str) {
        let path = self.folder(vault).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn text(&self, vault: &str, path: &str) -> String {
        fs::read_to_string(self.folder(vault).join(path)).unwrap()
    }

    /// The binary with these settings; no vault is named.
    pub fn command(&self) -> Command {
        let mut command = self.0.command();
        command.arg("--config").arg(self.settings()).arg("--data").arg(self.0.data());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.command().args(args))
    }

    /// The notes that a search of a vault finds.
    fn search(&self, vault: &[&str], words: &str) -> Vec<String> {
        let ran = self.run(&[vault, &["search", "--json", "--mode", "keyword", words]].concat());
        paths(&ran.json())
    }

    pub fn talk(&self, revision: Revision, args: &[&str]) -> Talk {
        let mut talk = Talk::of(self.command(), revision, args);
        talk.greet();
        talk
    }
}

pub fn paths(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap();
    let path = |hit: &Value| hit["path"].as_str().or(hit["source"].as_str()).map(str::to_owned).unwrap();
    results.iter().map(path).collect()
}

pub fn found(talk: &mut Talk, args: &Value) -> Vec<String> {
    paths(&talk.call("search_vault", args)["structuredContent"])
}

#[test]
fn a_vault_is_named_listed_chosen_and_removed() {
    let desk = Desk::bare();
    let settings = desk.folder().join("settings.toml");
    let config = settings.display().to_string();
    for name in ["one", "two", "two/inner"] {
        fs::create_dir(desk.folder().join(name)).unwrap();
    }
    fs::write(&settings, "# mine\n[vault]\nprivate_tags = [\"own\"] # kept\n").unwrap();
    let run = |args: &[&str]| {
        Ran::of(desk.command().args(["--config", &config, "--data", "data"]).args(args).arg("--json"))
    };
    let (one, two) = (desk.folder().join("one"), desk.folder().join("two"));
    assert_eq!(
        run(&["vault", "add", "one", "one"]).done(),
        json!({ "success": true, "name": "one", "path": one })
    );
    run(&["vault", "add", "Two", "two"]).done();
    let written = format!(
        "# mine\n[vault]\nprivate_tags = [\"own\"] # kept\n\n[vaults.one]\npath = \"{}\"\n\n[vaults.Two]\npath = \"{}\"\n",
        one.display(),
        two.display()
    );
    assert_eq!(fs::read_to_string(&settings).unwrap(), written);
    let row = |name: &str, path: &PathBuf, is_default: bool| json!({ "name": name, "path": path, "default": is_default, "exists": true });
    let listed = run(&["vault", "list"]).done()["vaults"].clone();
    assert_eq!(listed, json!([row("one", &one, true), row("Two", &two, false)]), "the first is the default");
    let listed = run(&["--vault", "TWO", "vault", "list"]).done()["vaults"].clone();
    assert_eq!(listed, json!([row("one", &one, false), row("Two", &two, true)]));
    for (args, status, said) in [
        (["two", "one"], 4, "there is a vault `two` already"),
        (["three", "two"], 2, "the same folder"),
        (["three", "two/inner"], 2, "the vault `three` is inside the vault `Two`"),
        (["three", "."], 2, "the vault `one` is inside the vault `three`"),
        (["default", "two/inner"], 2, "can't be called `default`"),
        (["a/b", "two/inner"], 2, "not a valid name"),
        ([".", "two/inner"], 2, "not a valid name"),
        (["three", "nowhere"], 3, "there is no folder `nowhere`"),
    ] {
        let refused = run(&["vault", "add", args[0], args[1]]).failed(status);
        assert!(refused["error"].as_str().unwrap().contains(said), "{args:?}: {refused}");
    }
    assert_eq!(fs::read_to_string(&settings).unwrap(), written, "nothing was changed");
    run(&["vault", "remove", "two"]).done();
    run(&["vault", "remove", "one"]).done();
    assert_eq!(fs::read_to_string(&settings).unwrap(), "# mine\n[vault]\nprivate_tags = [\"own\"] # kept\n");
    let unknown = run(&["vault", "remove", "one"]).failed(3);
    assert!(unknown["error"].as_str().unwrap().contains("there is no vault `one`"), "{unknown}");
}

#[test]
fn settings_in_which_vaults_overlap_are_refused_and_can_be_mended() {
    let vaults = TwoVaults::new();
    fs::write(
        vaults.settings(),
        format!(
            "[vaults.all]\npath = \"{}\"\n[vaults.part]\npath = \"{}\"\n",
            vaults.folder("work").display(),
            vaults.folder("work/Clients").display()
        ),
    )
    .unwrap();
    let refused = vaults.run(&["search", "Acme"]);
    assert_eq!(refused.status, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("the vault `part` is inside the vault `all`"), "{refused:?}");
    // A folder that holds a named vault shows what is private there.
    let around = vaults.0.folder();
    fs::write(vaults.settings(), format!("[vaults.work]\npath = \"{}\"\n", vaults.folder("work").display()))
        .unwrap();
    let refused = vaults.run(&["--vault", around.to_str().unwrap(), "search", "Acme"]);
    assert!(refused.stderr.contains("the vault `work` is inside the vault `default`"), "{refused:?}");
    vaults.run(&["vault", "remove", "work"]).succeeded();
}

#[test]
fn a_command_is_about_the_vault_that_it_names() {
    let vaults = TwoVaults::new();
    assert_eq!(vaults.search(&[], "leeks"), ["Beds.md", "Clients/Sale.md"]);
    assert_eq!(vaults.search(&[], "Falcon"), [""; 0]);
    assert_eq!(vaults.search(&["--vault", "work"], "Falcon launched"), ["Launch.md", "Clients/Acme.md"]);
    let mistyped = vaults.run(&["--vault", "wrok", "search", "Falcon"]);
    assert_eq!(mistyped.status, Some(3), "{mistyped:?}");
    assert!(mistyped.stderr.contains("`garden`, `Work`"), "{mistyped:?}");
}

/// Whatever its folder is called by, and whichever way leads to it.
#[test]
fn what_is_private_in_a_vault_is_private_however_it_is_opened() {
    let vaults = TwoVaults::new();
    let folder = vaults.folder("work");
    symlink(&folder, vaults.0.folder().join("elsewhere")).unwrap();
    for named in ["Work", "WORK", folder.to_str().unwrap(), "elsewhere", "./work/../work/"] {
        let mut talk = vaults.talk(Revision::July2026, &["--vault", named]);
        assert_eq!(
            found(&mut talk, &json!({ "query": "Falcon", "mode": "keyword" })),
            ["Launch.md"],
            "{named}"
        );
        let hidden = talk.call("read_file", &json!({ "path": "Clients/Acme" }));
        assert_eq!(hidden["isError"], true, "{named}: {hidden}");
        assert_eq!(talk.end().0, Some(0));
    }
    let mut talk = vaults.talk(Revision::July2026, &["--vault", "garden"]);
    assert_eq!(
        found(&mut talk, &json!({ "query": "Marrow", "mode": "keyword" })),
        ["Clients/Sale.md"],
        "not there"
    );
}

#[test]
fn private_notes_of_another_vault_are_not_read_as_code() {
    let vaults = TwoVaults::new();
    let mut settings = fs::read_to_string(vaults.settings()).unwrap();
    // By hand: `repo add` refuses it.
    settings =
        format!("repos = [{{ name = \"all\", path = \"{}\" }}]\n{settings}", vaults.folder("work").display());
    fs::write(vaults.settings(), settings).unwrap();
    let in_code = ["--vault", "garden", "search", "--repo", "all", "--mode", "keyword", "--json", "Falcon"];
    assert_eq!(paths(&vaults.run(&in_code).json()), ["Launch.md"]);
    let refused = vaults.run(&["repo", "add", vaults.folder("work").to_str().unwrap()]);
    assert_eq!(refused.status, Some(4), "{refused:?}");
}

/// An editor has files of all folders open.
#[test]
fn private_notes_of_another_vault_are_not_attached_either() {
    let vaults = TwoVaults::new();
    let server = ModelServer::start([Turn::says("Yes.")]);
    let mut command = vaults.command();
    command.args(["--vault", "garden"]).envs(Wire::OpenAi.variables(&server, "sk-1"));
    // An address that is not known to be this machine, and leads to it.
    command.env("OPENAI_BASE_URL", server.base_url().replace("127.0.0.1", "0.0.0.0"));
    let mut talk = Talk::acp(command);
    talk.ask("initialize", json!({ "protocolVersion": 1 }));
    let opened = talk.ask("session/new", json!({ "cwd": vaults.folder("garden"), "mcpServers": [] }));
    let mut attach = |uri: String| {
        let resource =
            json!({ "type": "resource", "resource": { "uri": uri, "text": "Acme pays 900 a day." } });
        let blocks = [json!({ "type": "text", "text": "What is it?" }), resource];
        let id =
            talk.request("session/prompt", json!({ "sessionId": opened["sessionId"], "prompt": blocks }));
        talk.answer_to(id)
    };
    let work = vaults.folder("work").display().to_string();
    for uri in [
        format!("file://{work}/Clients/Acme.md"),
        format!("file://{work}/Clients/New.md"),
        format!("zed:///agent/selection?path={work}/Clients/Acme.md#L1:1"),
    ] {
        let refused = attach(uri);
        assert!(refused["error"]["message"].as_str().unwrap().contains("private notes"), "{refused}");
    }
    assert_eq!(attach(format!("file://{work}/Launch.md"))["result"]["stopReason"], "end_turn");
    assert_eq!(talk.end().0, Some(0));
    assert_eq!(server.into_requests().len(), 1);
}

/// The one that `vault.path` names by its folder is a vault like the others.
#[test]
fn private_notes_of_the_vault_without_a_name_are_not_read_as_code_either() {
    let vaults = TwoVaults::new();
    let (work, garden) = (vaults.folder("work"), vaults.folder("garden"));
    let settings = format!(
        "[vault]\npath = \"{0}\"\nprivate_folders = [\"Clients\"]\n[vaults.garden]\npath = \"{1}\"\nprivate_folders = []\n\
         [[vaults.garden.repos]]\nname = \"all\"\npath = \"{0}\"\n",
        work.display(),
        garden.display()
    );
    fs::write(vaults.settings(), settings).unwrap();
    let in_code = ["--vault", "garden", "search", "--repo", "all", "--mode", "keyword", "--json", "Falcon"];
    assert_eq!(paths(&vaults.run(&in_code).json()), ["Launch.md"]);
    let mut talk = vaults.talk(Revision::July2026, &[]);
    let asked = talk.call("research", &json!({ "query": "What does Acme pay a day?", "vault": "garden" }));
    assert!(!asked.to_string().contains("900"), "{asked}");
    let refused = vaults.run(&["--vault", "garden", "code", "what does Acme pay", work.to_str().unwrap()]);
    assert_eq!(refused.status, Some(3), "nothing is found in the repository that was added: {refused:?}");
    assert!(!refused.stdout.contains("900"), "{refused:?}");
}

#[test]
fn a_repository_belongs_to_one_vault_or_to_all() {
    let vaults = TwoVaults::new();
    for name in ["tools", "api"] {
        fs::create_dir(vaults.folder(name)).unwrap();
    }
    vaults.run(&["repo", "add", "tools"]).succeeded();
    vaults.run(&["--vault", "work", "repo", "add", "api"]).succeeded();
    let names = |args: &[&str]| -> Vec<String> {
        let listed = vaults.run(&[args, &["repo", "list", "--json"]].concat()).done()["repos"].clone();
        listed.as_array().unwrap().iter().map(|repo| repo["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&[]), ["tools"]);
    assert_eq!(names(&["--vault", "Work"]), ["tools", "api"]);
    vaults.run(&["--vault", "work", "repo", "remove", "api"]).succeeded();
    let shared = vaults.run(&["--vault", "work", "repo", "remove", "tools"]);
    assert!(shared.status == Some(4) && shared.stderr.contains("belongs to all vaults"), "{shared:?}");
    vaults.run(&["repo", "remove", "tools"]).succeeded();
    assert_eq!(names(&["--vault", "Work"]), [""; 0]);
}

/// Whatever would leave settings that no command can use is refused before it is written.
#[test]
fn what_does_not_fit_the_other_vaults_changes_nothing() {
    let vaults = TwoVaults::new();
    for name in ["a/api", "b/api", "work/Sub", "third"] {
        fs::create_dir_all(vaults.folder(name)).unwrap();
    }
    vaults.run(&["--vault", "work", "repo", "add", "a/api"]).succeeded();
    let before = fs::read_to_string(vaults.settings()).unwrap();
    let inner = vaults.folder("work/Sub").display().to_string();
    for args in [
        &["repo", "add", "b/api"][..],
        &["config", "set", "vault.path", &inner],
        &["--vault", "garden", "vault", "add", "inner", &inner],
    ] {
        let refused = vaults.run(args);
        assert!([Some(2), Some(4)].contains(&refused.status), "{args:?}: {refused:?}");
        assert_eq!(fs::read_to_string(vaults.settings()).unwrap(), before, "{args:?}");
    }
    // A folder of one vault means nothing in another.
    let private = format!("[vault]\nprivate_folders = [\"{}/Private\"]\n", vaults.folder("garden").display());
    let alone = format!("{private}path = \"{}\"\n", vaults.folder("garden").display());
    fs::write(vaults.settings(), &alone).unwrap();
    let refused = vaults.run(&["vault", "add", "third", "third"]);
    assert!(refused.stderr.contains("in the vault `third`"), "{refused:?}");
    assert_eq!(fs::read_to_string(vaults.settings()).unwrap(), alone);
}

#[test]
fn rules_are_not_lost_with_a_name() {
    let vaults = TwoVaults::new();
    let before = fs::read_to_string(vaults.settings()).unwrap();
    let refused = vaults.run(&["vault", "remove", "work"]);
    assert_eq!(refused.status, Some(4), "{refused:?}");
    assert!(refused.stderr.contains("private_folders") && refused.stderr.contains("--force"), "{refused:?}");
    assert_eq!(fs::read_to_string(vaults.settings()).unwrap(), before);
    vaults.run(&["vault", "remove", "work", "--force"]).succeeded();
    let named = format!("[vault]\npath = \"garden\"\n{}", fs::read_to_string(vaults.settings()).unwrap());
    fs::write(vaults.settings(), named).unwrap();
    let refused = vaults.run(&["vault", "remove", "garden"]);
    assert!(refused.stderr.contains("`vault.path` names the vault"), "{refused:?}");
    let relative = "[vaults.near]\npath = \"garden\"\n";
    fs::write(vaults.settings(), relative).unwrap();
    assert!(vaults.run(&["status"]).stderr.contains("is not absolute"));
}

/// A variable names vaults; what the settings file says of them holds.
#[test]
fn vaults_of_a_variable_are_all_served_with_the_rules_of_the_file() {
    let vaults = TwoVaults::new();
    let listed =
        format!("notes={},garden={}", vaults.folder("work").display(), vaults.folder("garden").display());
    let mut command = vaults.command();
    command.env("WELLREAD_VAULTS", &listed);
    let mut talk = Talk::of(command, Revision::July2026, &[]);
    talk.greet();
    assert_eq!(
        found(&mut talk, &json!({ "query": "Falcon", "mode": "keyword", "vault": "notes" })),
        ["Launch.md"]
    );
    assert_eq!(
        found(&mut talk, &json!({ "query": "Marrow", "mode": "keyword", "vault": "garden" })),
        ["Clients/Sale.md"]
    );
    let refused = Ran::of(vaults.command().env("WELLREAD_VAULTS", &listed).args([
        "mcp",
        "install",
        "cursor",
        "--dry-run",
    ]));
    assert!(refused.stderr.contains("WELLREAD_VAULTS"), "{refused:?}");
    let mut command = vaults.0.command();
    command.env("WELLREAD_CONFIG", vaults.settings()).args(["mcp", "install", "cursor", "--dry-run"]);
    let planned = Ran::of(&mut command);
    assert!(planned.stdout.contains("--config") && !planned.stdout.contains("--vault"), "{planned:?}");
}

/// What is set for one vault changes no other.
#[test]
fn a_setting_is_changed_for_the_vault_that_is_named() {
    let vaults = TwoVaults::new();
    vaults.run(&["--vault", "work", "config", "set", "vault.private_folders", "Clients,Staff"]).succeeded();
    let value =
        |vault: &str| vaults.run(&["--vault", vault, "config", "get", "vault.private_folders"]).stdout;
    assert_eq!((value("work").trim(), value("garden").trim()), ("Clients,Staff", ""));
    vaults.run(&["config", "set", "vault.path", "work"]).succeeded();
    let written = fs::read_to_string(vaults.settings()).unwrap();
    assert!(
        written.contains("private_folders = [\"Clients\", \"Staff\"]") && written.contains("path = \"work\""),
        "{written}"
    );
    assert_eq!(vaults.search(&[], "Falcon launched"), ["Launch.md", "Clients/Acme.md"]);
    vaults.run(&["--vault", "work", "config", "unset", "vault.private_folders"]).succeeded();
    assert_eq!(value("work").trim(), "");
}

/// Private folders of a vault mean nothing from above or below it.
#[test]
fn a_folder_above_or_below_the_vault_of_the_settings_is_not_opened() {
    let vaults = TwoVaults::new();
    let settings =
        format!("[vault]\npath = \"{}\"\nprivate_folders = [\"Clients\"]\n", vaults.folder("work").display());
    fs::write(vaults.settings(), settings).unwrap();
    for folder in [vaults.0.folder(), vaults.folder("work/Clients")] {
        let refused = vaults.run(&["--vault", folder.to_str().unwrap(), "search", "Acme"]);
        assert_eq!(refused.status, Some(4), "{refused:?}");
        assert!(refused.stderr.contains("shares files with the vault of the settings"), "{refused:?}");
    }
    assert_eq!(vaults.search(&["--vault", vaults.folder("garden").to_str().unwrap()], "leeks").len(), 2);
}
