//! Several vaults in one server, by MCP and HTTP: a call reaches the vault that it names, and nothing else.

use std::collections::BTreeSet;
use std::fs;

use serde_json::json;

use crate::desk::tree;
use crate::served::Served;
use crate::talk::{Revision, Talk};
use crate::vaults::{TwoVaults, found, paths};

/// The most bytes that the list of tools may have where nobody asks for more.
const MOST_BYTES: usize = 24_000;

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
fn the_user_is_asked_about_an_edit_with_the_name_of_its_vault() {
    let vaults = TwoVaults::new();
    vaults.run(&["config", "set", "mcp.confirm_edits", "on"]).succeeded();
    let mut talk = Talk::of(vaults.command(), Revision::July2026, &[])
        .declaring(json!({ "elicitation": { "form": {} } }));
    talk.greet();
    let call = |vault: &str| {
        let args = json!({ "path": "New", "content": "x", "vault": vault });
        json!({ "name": "create_file", "arguments": args })
    };
    let asked = talk.ask("tools/call", call("work"));
    let question =
        asked["inputRequests"]["question"]["params"]["message"].as_str().unwrap_or_else(|| panic!("{asked}"));
    assert!(question.starts_with("In the vault `Work`: "), "{question}");
    // The answer for one vault is none for another.
    let yes = json!({ "question": { "action": "accept", "content": { "agree": true } } });
    let mut elsewhere = call("garden");
    elsewhere["requestState"] = asked["requestState"].clone();
    elsewhere["inputResponses"] = yes;
    let refused = talk.ask("tools/call", elsewhere);
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(!vaults.folder("garden/New.md").exists() && !vaults.folder("work/New.md").exists());
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
    // The watcher may report the save before the subscription, too, so the other note can be named once more.
    let mut named = newest.next();
    if named["params"]["uri"] == "vault://work/Launch.md" {
        named = newest.next();
    }
    assert_eq!(named["params"]["uri"], "vault:///Beds.md");
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
fn what_the_page_of_a_vault_changes_is_changed_for_that_vault() {
    let vaults = TwoVaults::new();
    fs::create_dir_all(vaults.folder("api/.git")).unwrap();
    let served = Served::of(vaults.command(), &[]);
    assert_eq!(
        served.post("/vaults/work/api/settings/vault.daily_notes", &json!({ "value": "Days" })).status,
        200
    );
    let added = served.post("/vaults/work/api/repos", &json!({ "path": vaults.folder("api") }));
    assert_eq!((added.status, &added.json()["repos"][0]["state"]), (200, &json!("added")), "{added:?}");
    assert_eq!(served.get("/api/repos").json()["repos"], json!([]));
    let get = |vault: &str| vaults.run(&["--vault", vault, "config", "get", "vault.daily_notes"]).stdout;
    assert_eq!((get("work").trim(), get("garden").trim()), ("Days", "Daily Notes"));
    let settings = served.get("/vaults/work/api/settings").json();
    assert_eq!(settings["settings"]["vault.daily_notes"]["next"]["value"], "Days", "{settings}");
    assert_eq!(settings["settings"]["vault.path"]["next"], json!(null), "{settings}");
    assert_eq!(served.post("/api/settings/vaults", &json!({ "value": "x=/" })).status, 403);
    served.end();
}

#[test]
fn the_guard_stands_before_every_vault_and_tells_no_names() {
    let vaults = TwoVaults::new();
    let served = Served::of(vaults.command(), &[]);
    let here = format!("Host: 127.0.0.1:{}\r\n", served.port);
    let ask = |vault: &str, path: &str, more: &str| {
        served.raw(format!("GET {vault}{path} HTTP/1.1\r\nConnection: close\r\n{more}\r\n").as_bytes())
    };
    for path in
        ["/api/status", "/healthz", "/readyz", "/open", "/open?code=x", "/", "", "/page/js/main.js", "/mcp"]
    {
        for more in ["", "Accept: text/html\r\n", "Origin: http://evil.example\r\n", "Cookie: wellread=x\r\n"]
        {
            let more = format!("{here}{more}");
            let said = ["/vaults/work", "/vaults/other"].map(|vault| {
                let reply = ask(vault, path, &more);
                (reply.status, reply.header("content-type").map(str::to_owned), reply.body.replace(vault, ""))
            });
            assert_eq!(said[0], said[1], "{path} {more}: a name that there is, and one that there is not");
            assert!([401, 403].contains(&said[0].0), "{path} {more}: {said:?}");
        }
    }
    for vault in ["", "/vaults/garden", "/vaults/work"] {
        assert_eq!(ask(vault, "/api/status", &format!("{here}Authorization: Bearer wrong\r\n")).status, 401);
        assert_eq!(ask(vault, "/healthz", "Host: evil.example\r\n").status, 403, "{vault}: another name");
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
