//! The page in a real browser: Debian's Chromium, driven by the scripts in `tests/browser/`.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use wellread_testkit::web_server::duckduckgo;
use wellread_testkit::{ModelServer, Turn, WebServer};

use crate::desk::{Desk, repository};
use crate::oauth_clients;
use crate::partner::{Wire, reads};
use crate::remote::{Ask, VERIFIER, form, parameter};
use crate::served::Served;
use crate::study::{article, with_web};
use crate::vaults::TwoVaults;

const NOTE: &str = "Bees/Varroa mite.md";
/// What a note could try to do to the page that shows it.
const HOSTILE: &str = "# Hostile\n\n<script>document.title = 'taken'</script> <img src=x onerror=\"document.title = 'taken'\">\n\n\
    [run](javascript:alert(1)) ![picture](http://192.0.2.1/p.png) [[Home|home]] [out](https://example.org/a_(b))\n\n\
    <iframe src=\"/\"></iframe>\n\n- [ ] **bold** and `code`\n  1. deep\n\n| a | b |\n| --- | --- |\n| 1 | [[Home\\|h]] |\n";
/// A note whose words run from the right, among words that do not.
const FROM_THE_RIGHT: &str = "# From the right\n\nالنحل يعيش في الخلية طوال الشتاء.\n\n- العسل\n- الشمع\n\n> الملكة تضع البيض\n\nHoney and wax.\n";

/// Runs a script, which says `all good` at its end.
pub fn drive(script: &str, args: &[&str]) -> String {
    let root = repository();
    let python = root.join(".venv/bin/python");
    assert!(
        python.exists() && Path::new("/usr/bin/chromium").exists(),
        "run `./check` once, which installs the browser and what drives it"
    );
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(python);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", home.path());
    if let Some(shots) = std::env::var_os("WELLREAD_SHOTS") {
        command.env("WELLREAD_SHOTS", shots);
    }
    // Each step in it has a limit of its own, so that it ends.
    let ran = command.arg(root.join("tests/browser").join(script)).args(args).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && stdout.ends_with("all good\n"), "{script}:\n{stdout}\n{stderr}");
    stdout.into_owned()
}

fn link(served: &Served) -> String {
    served.post("/api/link", &json!({})).done()["url"].as_str().unwrap().to_owned()
}

/// A web that knows of mites.
fn web() -> WebServer {
    let web = WebServer::start();
    let pages = [
        (
            "/winter",
            "Oxalic acid works best without brood",
            [
                "A trial in forty colonies compared the dribble of oxalic acid in December with one in March.",
                "Treating broodless colonies with oxalic acid removed 93 percent of the varroa mites.",
                "Where brood was present, the same treatment removed only 41 percent of the mites.",
            ],
        ),
        (
            "/thresholds",
            "When to treat varroa in August",
            [
                "Advisers in three countries agree that late summer decides whether a colony sees the spring.",
                "The treatment threshold for varroa in August is 2 percent of adult bees in the new guideline.",
                "The varroa threshold was lowered because viruses now spread at smaller numbers of mites.",
            ],
        ),
        (
            "/life",
            "The life of the varroa mite",
            [
                "Researchers filmed the varroa mite inside of capped cells for the first time last year.",
                "A varroa mite feeds on the fat body of the bee and not on its blood, as was long believed.",
                "Every female mite lays her first egg about seventy hours after the cell is capped.",
            ],
        ),
    ];
    let found: Vec<(&str, String, &str)> =
        pages.iter().map(|(path, title, text)| (*title, web.url(path), text[1])).collect();
    let results: Vec<(&str, &str, &str)> =
        found.iter().map(|(title, url, said)| (*title, url.as_str(), *said)).collect();
    web.add_reply("/html/", duckduckgo(&results));
    for (path, title, text) in &pages {
        web.add_reply(path, article(title, text));
    }
    web
}

fn served(desk: &Desk, web: &WebServer) -> Served {
    desk.save("Hostile.md", HOSTILE);
    desk.save("From the right.md", FROM_THE_RIGHT);
    Served::with(desk, &[], |command| with_web(command, web).env("WELLREAD_RESEARCH_SOURCES", "web"))
}

#[test]
fn the_whole_flow_and_then_every_view() {
    let (desk, web) = (Desk::new(), web());
    let served = served(&desk, &web);
    let vault = desk.vault();
    drive("flow.py", &[&link(&served), vault.to_str().unwrap(), NOTE]);
    let links: Vec<String> = (0..4).map(|_| link(&served)).collect();
    drive("views.py", &links.iter().map(String::as_str).collect::<Vec<_>>());
    served.end();
}

#[test]
fn the_inbox_with_the_keyboard_alone() {
    let (desk, web) = (Desk::new(), web());
    let served = served(&desk, &web);
    let agenda = served.post("/api/research/trigger", &json!({ "sourceNoteId": NOTE }));
    assert_eq!(agenda.status, 201, "{agenda:?}");
    let id = agenda.json()["id"].as_str().unwrap().to_owned();
    let approved =
        served.post(&format!("/api/research/agenda/{id}/approve"), &json!({ "blockedTaskIds": [] }));
    assert_eq!(approved.status, 202, "{approved:?}");
    drive("keyboard.py", &[&link(&served)]);
    served.end();
}

#[test]
fn drafts_stay_and_nothing_is_decided_by_accident() {
    let served = Served::new();
    drive("deciding.py", &[&link(&served), &link(&served)]);
    served.end();
}

#[test]
fn settings_and_codebases_are_changed_in_the_page() {
    let desk = Desk::new();
    let code = desk.folder().join("apiary");
    std::fs::create_dir_all(code.join(".git")).unwrap();
    let served = Served::start(&desk);
    let file = desk.run(["config", "path"]).stdout.trim_end().to_owned();
    let links: Vec<String> = (0..3).map(|_| link(&served)).collect();
    let args = links.iter().map(String::as_str).chain([file.as_str(), code.to_str().unwrap()]);
    drive("settings.py", &args.collect::<Vec<_>>());
    served.end();
}

/// A picture of one point.
const POINT: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;";

#[test]
fn notes_with_pictures_and_code_are_read_in_the_page() {
    let desk = Desk::new();
    desk.add_code();
    desk.save(
        "Bees/Pictures.md",
        "# Pictures\n\n![A hive](../Attachments/hive%20one.gif)\n\n![[plan.svg]]\n\n![[small.gif|50]]\n\n![[talk.pdf]]\n\n\
         ![elsewhere](http://192.0.2.1/p.png) ![[none.png]] ![[broken.png]]\n",
    );
    desk.save("Attachments/hive one.gif", POINT);
    desk.save("Attachments/small.gif", POINT);
    desk.save("Attachments/talk.pdf", "%PDF-1.4\n");
    desk.save("Attachments/broken.png", "<html><script>document.title = 'taken'</script></html>");
    desk.save(
        "Drawings/plan.svg",
        "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30' onload=\"document.title = 'taken'\">\
         <script>document.title = 'taken'; parent.document.title = 'taken'</script>\
         <image href='http://192.0.2.1/p.png' width='9' height='9'/><rect width='40' height='30'/></svg>",
    );
    let served = Served::start(&desk);
    drive("reading.py", &[&link(&served), &link(&served)]);
    served.end();
}

#[test]
fn a_conversation_is_told_as_it_comes_and_its_edits_wait() {
    let desk = Desk::new();
    let edit = |words: &str| ("append_to_file", json!({ "path": NOTE, "content": words }));
    let words = "**First part**.\n\n<img src=x onerror=\"document.title = 'taken'\"> ![x](http://192.0.2.1/p.png) \
        <script>document.title = 'taken'</script>\n\nAnd this is the last word.";
    let server = ModelServer::start([
        reads("Clippings/Mite thresholds in late summer"),
        Turn::says(words),
        Turn::calls(&[edit("the first line"), edit("the second line")]),
        Turn::says("Both wait."),
        Turn::status(401, "{\"error\":{\"message\":\"no\"}}"),
        Turn::says("Here again."),
    ]);
    let served = Served::with(&desk, &[], |command| command.envs(Wire::OpenAi.variables(&server, "sk-1")));
    let vault = desk.vault();
    drive("talk.py", &[&link(&served), vault.to_str().unwrap(), NOTE]);
    server.into_requests();
    served.end();
}

#[test]
#[allow(clippy::print_stderr, reason = "how long frames took, for whoever wants to know")]
fn the_graph_of_ten_thousand_notes_is_drawn_and_moved() {
    let served = Served::new();
    // How fast this machine is proves nothing.
    eprintln!("{}", drive("graph.py", &[&link(&served), &link(&served)]));
    served.end();
}

#[test]
fn the_scripts_of_the_page_are_sound_and_make_no_html() {
    let web = repository().join("crates/wellread/web");
    drive("modules.py", &[web.to_str().unwrap()]);
}

#[test]
fn what_others_wrote_is_rendered_in_time_that_grows_with_it_and_no_faster() {
    let web = repository().join("crates/wellread/web");
    drive("rendering.py", &[web.to_str().unwrap()]);
}

#[test]
fn more_tabs_than_connections_work_and_hear_the_same() {
    let served = Served::new();
    drive("tabs.py", &[&link(&served), &served.token]);
    served.end();
}

#[test]
fn a_vault_is_chosen_in_the_bar() {
    let vaults = TwoVaults::new();
    let served = Served::of(vaults.command(), &[]);
    drive("vaults.py", &[&link(&served)]);
    served.end();
}

#[test]
fn a_browser_signs_in_with_the_token_and_is_signed_out() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    let url = served.announced["url"].as_str().unwrap().to_owned();
    drive("signing_in.py", &[&url, &served.token, &link(&served)]);
    served.end();
}

#[test]
fn a_client_elsewhere_is_allowed_something_on_the_page_of_consent() {
    let desk = Desk::new();
    let (served, url) = oauth_clients::serve(&desk);
    let remote = |path: &str, media_type: &str, body: &str| {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            served.port,
            body.len()
        );
        served.raw((head + body).as_bytes()).json()
    };
    let callback = "http://127.0.0.1:4711/callback";
    let about = json!({ "client_name": "<b>Bee</b> client", "redirect_uris": [callback] }).to_string();
    let client =
        remote("/oauth/register", "application/json", &about)["client_id"].as_str().unwrap().to_owned();
    let ask = Ask::new(&client).with("redirect_uri", callback).with("resource", &format!("{url}/mcp"));
    // One that is connected already, to be signed out.
    let terms = served.post("/oauth/consent/request", &json!({ "query": ask.query() })).done();
    let vaults = terms["vaults"].clone();
    let said = json!({ "query": ask.query(), "allow": true, "scopes": ["read"], "vaults": vaults });
    let redirect = served.post("/oauth/consent", &said).done()["redirect"].as_str().unwrap().to_owned();
    let code = parameter(&redirect, "code");
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", &client),
        ("code", &code),
        ("redirect_uri", callback),
        ("code_verifier", VERIFIER),
    ];
    let tokens = remote("/oauth/token", "application/x-www-form-urlencoded", &form(&fields));
    assert_eq!(tokens["scope"], "read", "{tokens}");
    drive("consent.py", &[&url, &served.token, &ask.query(), callback]);
    served.end();
}
