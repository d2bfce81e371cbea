//! Views in the client (MCP Apps): who is offered them, what their document is, and how they work in a real browser, in the page
//! of a host that is made of the official packages (`tests/mcp_apps`).

use std::fs;

use serde_json::{Value, json};
use wellread_core::ports::{AgendaActor, AgendaChange, Agendas as _};
use wellread_testkit::agenda_fixtures;

use crate::browser::drive;
use crate::desk::{BINARY, Desk, repository};
use crate::talk::{Revision, Talk};

const MOST_BYTES: usize = 24_000;
const EXTENSION: &str = "io.modelcontextprotocol/ui";
const MEDIA_TYPE: &str = "text/html;profile=mcp-app";

fn shows_views() -> Value {
    json!({ "extensions": { EXTENSION: { "mimeTypes": [MEDIA_TYPE] } } })
}

/// A client that declares this, and what the server says to its greeting.
fn connect(desk: &Desk, revision: Revision, args: &[&str], capabilities: Value) -> (Talk, Value) {
    let mut talk = Talk::plain(desk.here(), revision, args).declaring(capabilities);
    let greeting = talk.greet();
    (talk, greeting)
}

fn view_of(tool: &Value) -> Option<&str> {
    tool["_meta"]["ui"]["resourceUri"].as_str()
}

#[test]
fn only_a_client_that_declares_the_extension_hears_of_views() {
    let desk = Desk::new();
    for revision in Revision::BOTH {
        let (mut with, greeting) = connect(&desk, revision, &[], shows_views());
        assert_eq!(greeting["capabilities"]["extensions"][EXTENSION], json!({}), "{greeting}");
        let mut offered = with.ask("tools/list", json!({}));
        assert!(offered["tools"].to_string().len() <= MOST_BYTES, "{}", offered["tools"].to_string().len());
        let tools = offered["tools"].as_array_mut().unwrap();
        let views: Vec<&str> = tools.iter().filter_map(view_of).collect();
        let expected = ["edit_note", "research_note", "check_claims", "inbox"];
        assert_eq!(views, expected.map(|tool| format!("ui://wellread/{tool}")));
        let listed = with.ask("resources/list", json!({}));
        let listed = listed["resources"].as_array().unwrap();
        let listed: Vec<&Value> =
            listed.iter().filter(|one| one["uri"].as_str().unwrap().starts_with("ui:")).collect();
        assert_eq!(listed.len(), 4, "{listed:?}");
        assert!(listed.iter().all(|one| one["mimeType"] == MEDIA_TYPE), "{listed:?}");
        assert_eq!(with.end().0, Some(0));

        let other_kind = json!({ "extensions": { EXTENSION: { "mimeTypes": ["text/html"] } } });
        for capabilities in [json!({}), json!({ "extensions": { EXTENSION: {} } }), other_kind] {
            let (mut without, greeting) = connect(&desk, revision, &[], capabilities);
            assert!(greeting["capabilities"]["extensions"].get(EXTENSION).is_none(), "{greeting}");
            let plain = without.ask("tools/list", json!({}));
            tools.iter_mut().for_each(|tool| drop(tool.as_object_mut().unwrap().remove("_meta")));
            assert_eq!(plain["tools"], json!(tools), "the rest is the same");
            let listed = without.ask("resources/list", json!({}));
            assert!(!listed.to_string().contains("ui://"), "{listed}");
            let read = |without: &mut Talk, uri: &str| {
                let id = without.request("resources/read", json!({ "uri": uri }));
                without.answer_to(id)["error"]["message"].as_str().unwrap().replace(uri, "URI")
            };
            let unknown = read(&mut without, "ui://wellread/nothing");
            assert_eq!(read(&mut without, "ui://wellread/inbox"), unknown);
            assert_eq!(without.end().0, Some(0));
        }
    }
}

/// The document of a view, and what it is told of the server.
fn read_view(talk: &mut Talk, tool: &str) -> (String, Value) {
    let read = talk.ask("resources/read", json!({ "uri": format!("ui://wellread/{tool}") }));
    let content = &read["contents"][0];
    assert_eq!(content["mimeType"], MEDIA_TYPE, "{read}");
    let nothing = json!({ "connectDomains": [], "resourceDomains": [] });
    assert_eq!(content["_meta"]["ui"]["csp"], nothing, "{read}");
    let html = content["text"].as_str().unwrap().to_owned();
    let offer =
        html.split_once("id=\"offer\">").and_then(|(_, rest)| rest.split_once("</script>")).unwrap().0;
    let offer = serde_json::from_str(offer).unwrap();
    (html, offer)
}

#[test]
fn a_view_calls_what_its_client_is_offered_and_nothing_else() {
    let desk = Desk::new();
    fs::create_dir(desk.vault().join(".obsidian")).unwrap_or_default();
    let calls = |args: &[&str], tool: &str| {
        let (mut talk, _) = connect(&desk, Revision::June2025, args, shows_views());
        let (html, offer) = read_view(&mut talk, tool);
        assert!(html.contains("default-src 'none'; script-src 'sha256-"), "{html}");
        assert_eq!((&offer["tool"], &offer["obsidian"]), (&json!(tool), &json!("vault")), "{offer}");
        assert_eq!(talk.end().0, Some(0));
        offer["calls"].clone()
    };
    let broad = calls(&[], "inbox");
    assert_eq!(broad["accept_finding"], json!({ "name": "inbox", "arguments": { "op": "accept" } }));
    assert_eq!(broad["check_claims"], json!({ "name": "check_claims", "arguments": {} }));
    let own = calls(&["--tools", "all"], "show_finding");
    assert_eq!(own["accept_finding"], json!({ "name": "accept_finding", "arguments": {} }));
    let read_only = calls(&["--read-only"], "inbox");
    let mut names: Vec<&String> = read_only.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["check_claims", "show_finding"], "{read_only}");

    let (mut talk, _) = connect(&desk, Revision::June2025, &["--read-only"], shows_views());
    for uri in ["ui://wellread/edit_note", "ui://wellread/", "ui://wellread/search_notes", "ui://other/inbox"]
    {
        let id = talk.request("resources/read", json!({ "uri": uri }));
        assert!(talk.answer_to(id)["error"].is_object(), "{uri}");
    }
    assert_eq!(talk.end().0, Some(0));
}

/// Words that would act if anything but text were made of them.
const HOSTILE: &str = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>";

/// An inbox of three: two of bees, and one by somebody who means harm.
fn fill_inbox(desk: &Desk) {
    desk.save("Bees.md", "# Bees\n");
    let records = desk.records();
    let mut agenda = agenda_fixtures::agenda(1);
    agenda.max_findings = 3;
    records.propose(&agenda, None).unwrap();
    let task = agenda.tasks[0].id.clone();
    let add = |change: &mut AgendaChange| {
        let new = |title: &str, words: &str, url: &str| {
            let mut new = agenda_fixtures::new_finding(&agenda.id, &task, url);
            let finding = &mut new.finding;
            (finding.title, finding.summary) = (title.to_owned(), words.to_owned());
            (finding.query, finding.similarity) = ("varroa in winter".to_owned(), 0.3);
            (finding.sentences[0].text, finding.evidence[0].quote) = (words.to_owned(), words.to_owned());
            finding.evidence[0].title = Some(title.to_owned());
            new
        };
        change.findings = vec![
            new(
                "Oxalic acid works best without brood",
                "Treating broodless colonies with oxalic acid removed 93 percent of the varroa mites.",
                "https://mites.example/winter",
            ),
            new(
                "When to treat varroa in August",
                "The treatment threshold for varroa in August is 2 percent of adult bees.",
                "https://mites.example/august",
            ),
            new(HOSTILE, HOSTILE, "https://mites.example/\"><script>document.title='taken'</script>"),
        ];
        Ok(())
    };
    records.change_agenda(&agenda.id, AgendaActor::User, &mut { add }).unwrap();
}

#[test]
fn the_view_shows_evidence_and_puts_every_decision_to_the_user() {
    let host = repository().join("tests/mcp_apps");
    assert!(
        host.join("node_modules").exists(),
        "there is no {}: run `./check` once, which installs the host that this test drives",
        host.join("node_modules").display()
    );
    let desk = Desk::new();
    fs::create_dir(desk.vault().join(".obsidian")).unwrap_or_default();
    fill_inbox(&desk);
    let (vault, data) = (desk.vault(), desk.data());
    let args = [host.join("serve.mjs"), BINARY.into(), vault, data];
    drive("view.py", &args.each_ref().map(|arg| arg.to_str().unwrap()));
}
