//! Several vaults by name: chosen on the command line, served together by MCP and HTTP, each with its own rules.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::desk::{Desk, Ran, tree};
use crate::served::Served;
use crate::talk::{Revision, Talk};

/// The most bytes that the list of tools may have where nobody asks for more.
const MOST_BYTES: usize = 24_000;

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

    fn folder(&self, name: &str) -> PathBuf {
        self.0.folder().join(name)
    }

    fn settings(&self) -> PathBuf {
        self.0.folder().join("settings.toml")
    }

    fn save(&self, vault: &str, path: &str, text: &str) {
        let path = self.folder(vault).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, vault: &str, path: &str) -> String {
        fs::read_to_string(self.folder(vault).join(path)).unwrap()
    }

    /// The binary with these settings; no vault is named.
    pub fn command(&self) -> Command {
        let mut command = self.0.command();
        command.arg("--config").arg(self.settings()).arg("--data").arg(self.0.data());
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.command().args(args))
    }

    /// The notes that a search of a vault finds.
    fn search(&self, vault: &[&str], words: &str) -> Vec<String> {
        let ran = self.run(&[vault, &["search", "--json", "--mode", "keyword", words]].concat());
        paths(&ran.json())
    }

    fn talk(&self, revision: Revision, args: &[&str]) -> Talk {
        let mut talk = Talk::of(self.command(), revision, args);
        talk.greet();
        talk
    }
}

fn paths(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().unwrap();
    let path = |hit: &Value| hit["path"].as_str().or(hit["source"].as_str()).map(str::to_owned).unwrap();
    results.iter().map(path).collect()
}

fn found(talk: &mut Talk, args: &Value) -> Vec<String> {
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
    vaults.run(&["--vault", "work", "repo", "remove", "tools"]).succeeded();
    assert_eq!(names(&["--vault", "Work"]), [""; 0]);
}

#[test]
fn a_client_reaches_each_vault_by_its_name_and_nothing_else() {
    let vaults = TwoVaults::new();
    for revision in Revision::BOTH {
        let mut talk = vaults.talk(revision, &[]);
        assert_eq!(found(&mut talk, &json!({ "query": "Falcon" })), [""; 0]);
        assert_eq!(found(&mut talk, &json!({ "query": "Falcon", "vault": "work" })), ["Launch.md"]);
        assert_eq!(found(&mut talk, &json!({ "query": "leeks", "vault": null })).len(), 2);
        let before = (tree(&vaults.folder("garden")), tree(&vaults.folder("work")));
        for (name, said) in
            [(json!("wrok"), "there is no vault `wrok`"), (json!(7), "must be the name of a vault")]
        {
            let args = json!({ "path": "New", "content": "x", "vault": name });
            let refused = talk.call("create_file", &args);
            assert!(refused["failure"]["error"].as_str().unwrap().contains(said), "{refused}");
        }
        assert_eq!((tree(&vaults.folder("garden")), tree(&vaults.folder("work"))), before);
        assert_eq!(talk.end().0, Some(0));
    }
    let mut talk = vaults.talk(Revision::July2026, &[]);
    let created =
        talk.call("create_file", &json!({ "path": "New", "content": "Of work.\n", "vault": "Work" }));
    assert_eq!(created["isError"], false, "{created}");
    assert_eq!(vaults.text("work", "New.md"), "Of work.\n");
    assert!(!vaults.folder("garden/New.md").exists());
    let nothing = talk.call("undo", &json!({ "op": "undo" }));
    assert!(vaults.folder("work/New.md").exists(), "it was made in the other vault: {nothing}");
}

#[test]
fn every_tool_takes_the_vault_where_there_are_several_and_only_there() {
    let vaults = TwoVaults::new();
    for tools in ["default", "all"] {
        let mut talk = vaults.talk(Revision::July2026, &["--tools", tools]);
        let listed = talk.ask("tools/list", json!({}));
        for tool in listed["tools"].as_array().unwrap() {
            let vault = &tool["inputSchema"]["properties"]["vault"];
            assert_eq!(vault["enum"], json!(["garden", "Work"]), "{tool}");
        }
        assert!(tools == "all" || listed.to_string().len() <= MOST_BYTES, "{}", listed.to_string().len());
        let mut one = vaults.talk(Revision::July2026, &["--tools", tools, "--vault", "work"]);
        let listed = one.ask("tools/list", json!({}));
        assert!(!listed.to_string().contains("\"garden\""), "{listed}");
    }
}

#[test]
fn notes_of_each_vault_are_resources_of_their_own() {
    let vaults = TwoVaults::new();
    let mut talk = vaults.talk(Revision::June2025, &[]);
    let (mut listed, mut cursor) = (BTreeSet::new(), json!({}));
    loop {
        let page = talk.ask("resources/list", cursor);
        listed.extend(
            page["resources"].as_array().unwrap().iter().map(|row| row["uri"].as_str().unwrap().to_owned()),
        );
        if page["nextCursor"].is_null() {
            break;
        }
        cursor = json!({ "cursor": page["nextCursor"] });
    }
    let all = ["vault:///Beds.md", "vault:///Clients/Sale.md", "vault://work/Launch.md"];
    assert_eq!(listed, all.map(str::to_owned).into_iter().collect());
    for uri in &listed {
        let read = talk.ask("resources/read", json!({ "uri": uri }));
        assert_eq!(read["contents"][0]["uri"], **uri);
    }
    for uri in [
        "vault://work/Beds.md",
        "vault://work/Clients/Acme.md",
        "vault://other/Beds.md",
        "vault://work/../garden/Beds.md",
    ] {
        let refused = talk.refused("resources/read", json!({ "uri": uri }));
        assert_eq!(refused["code"], -32002, "{uri}: {refused}");
    }
    assert_eq!(talk.refused("resources/list", json!({ "cursor": "nobody/" }))["code"], -32602);
    talk.ask("resources/subscribe", json!({ "uri": "vault://work/Launch.md" }));
    vaults.save("work", "Launch.md", "Later.\n");
    assert_eq!(talk.next()["params"]["uri"], "vault://work/Launch.md");
    let mut newest = vaults.talk(Revision::July2026, &[]);
    let wanted = ["vault:///Beds.md", "vault://work/Launch.md", "vault://work/Beds.md"];
    newest.request("subscriptions/listen", json!({ "notifications": { "resourceSubscriptions": wanted } }));
    let accepted = newest.next();
    assert_eq!(
        accepted["params"]["notifications"]["resourceSubscriptions"],
        json!(&wanted[..2]),
        "{accepted}"
    );
    vaults.save("work", "Launch.md", "Even later.\n");
    assert_eq!(newest.next()["params"]["uri"], "vault://work/Launch.md");
    vaults.save("garden", "Beds.md", "Dug over.\n");
    assert_eq!(newest.next()["params"]["uri"], "vault:///Beds.md");
}

#[test]
fn a_run_is_found_in_the_vault_that_it_was_made_in() {
    let vaults = TwoVaults::new();
    let mut talk = vaults.talk(Revision::July2026, &[]);
    let answer = talk.call("research", &json!({ "query": "When is Falcon launched?", "vault": "work" }));
    let run = answer["structuredContent"]["run_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    let uri = format!("research://runs/{run}/report.md");
    let report = talk.ask("resources/read", json!({ "uri": uri }));
    assert!(report["contents"][0]["text"].as_str().unwrap().contains("Falcon"), "{report}");
    let mut one = vaults.talk(Revision::July2026, &["--vault", "garden"]);
    let unknown = one.refused("resources/read", json!({ "uri": uri }));
    assert!(unknown["message"].as_str().unwrap().contains("no run"), "{unknown}");
}

#[test]
fn a_server_serves_each_vault_at_its_own_address() {
    let vaults = TwoVaults::new();
    let served = Served::of(vaults.command(), &[]);
    let listed = served.get("/api/vaults").json();
    let row = |name: &str, current: bool| {
        let folder = vaults.folder(&name.to_lowercase());
        json!({ "name": name, "path": folder, "address": format!("/vaults/{name}"), "current": current })
    };
    assert_eq!(listed["vaults"], json!([row("garden", true), row("Work", false)]));
    assert_eq!(
        served.get("/vaults/work/api/vaults").json()["vaults"],
        json!([row("garden", false), row("Work", true)])
    );
    assert_eq!(paths(&served.get("/vaults/Work/api/search?q=launched&mode=keyword").json()), ["Launch.md"]);
    assert_eq!(paths(&served.get("/api/search?q=launched&mode=keyword").json()), [""; 0]);
    assert_eq!(served.get("/vaults/garden/api/notes/Beds").status, 200);
    assert_eq!(served.get("/vaults/work/api/notes/Beds").status, 404);
    let args = json!({ "path": "New", "content": "Of work.\n" });
    assert_eq!(served.post("/vaults/work/api/tools/create_file", &args).status, 200);
    assert!(vaults.folder("work/New.md").exists() && !vaults.folder("garden/New.md").exists());
    for path in [
        "/vaults/other/api/status",
        "/vaults/work",
        "/vaults/work/vaults/garden/api/status",
        "/vaults/work/../garden/api/status",
        "/vaults/work//api/status",
        "/vaults/wor%6b/api/status",
        "/vaults//api/status",
    ] {
        assert_eq!(served.get(path).status, 404, "{path}");
    }
    served.end();
}

#[test]
fn the_guard_stands_before_every_vault() {
    let vaults = TwoVaults::new();
    let served = Served::of(vaults.command(), &[]);
    let port = served.port;
    for vault in ["", "/vaults/garden", "/vaults/work", "/vaults/other"] {
        let ask = |path: &str, more: &str| {
            served
                .raw(format!("GET {vault}{path} HTTP/1.1\r\nConnection: close\r\n{more}\r\n").as_bytes())
                .status
        };
        let here = format!("Host: 127.0.0.1:{port}\r\n");
        assert_eq!(ask("/api/status", &here), 401, "{vault}: no token");
        assert_eq!(ask("/api/status", &format!("{here}Authorization: Bearer wrong\r\n")), 401, "{vault}");
        assert_eq!(ask("/healthz", "Host: evil.example\r\n"), 403, "{vault}: another name");
        assert_eq!(
            ask("/healthz", &format!("{here}Origin: http://evil.example\r\n")),
            403,
            "{vault}: another page"
        );
        let is_known = vault != "/vaults/other";
        assert_eq!(
            ask("/healthz", &here),
            if is_known { 200 } else { 401 },
            "{vault}: who is not let in learns no names"
        );
    }
    served.end();
}

#[test]
fn a_vault_that_is_gone_does_not_stop_the_others() {
    let vaults = TwoVaults::new();
    fs::remove_dir_all(vaults.folder("work")).unwrap();
    let mut talk = vaults.talk(Revision::July2026, &[]);
    assert_eq!(found(&mut talk, &json!({ "query": "leeks" })).len(), 2);
    let (status, _, errors) = talk.end();
    assert!(status == Some(0) && errors.contains("the vault `Work` is not served"), "{errors}");
}
