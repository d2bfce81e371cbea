//! Users with accounts, who share a server: what each may do, by every route and every tool, and what ends with a removal.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wellread_adapters::records::RecordStore;
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::RunKind;
use wellread_core::ports::{Sessions as _, StoredSession};
use wellread_testkit::contract::views::user;
use wellread_testkit::run_fixtures::{event_time, events, record_run};

use crate::desk::{Desk, PATIENCE, tree};
use crate::remote::{CALLBACK, MCP, PUBLIC, Remote};
use crate::served::{Reply, Served};
use crate::vaults::TwoVaults;

const FORM: &str = "application/x-www-form-urlencoded";

/// A request with any token.
pub fn send(served: &Served, token: &str, method: &str, path: &str, body: Option<&str>) -> Reply {
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n",
        served.port
    );
    if let Some(body) = body {
        head += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    }
    served.raw(format!("{head}\r\n{}", body.unwrap_or_default()).as_bytes())
}

fn get(served: &Served, token: &str, path: &str) -> Reply {
    send(served, token, "GET", path, None)
}

fn post(served: &Served, token: &str, path: &str, body: &Value) -> Reply {
    send(served, token, "POST", path, Some(&body.to_string()))
}

/// Uses an invitation up, as a program does.
pub fn join(served: &Served, link: &str) -> Reply {
    let code = link.split_once("code=").unwrap().1;
    let body = format!("code={code}");
    let head = format!(
        "POST /join HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nContent-Type: {FORM}\r\nContent-Length: {}\r\n\r\n",
        served.port,
        body.len()
    );
    served.raw(format!("{head}{body}").as_bytes())
}

/// A new user of a desk, by an invitation; their token.
pub fn add_user(desk: &Desk, served: &Served, name: &str, more: &[&str]) -> String {
    let invited = desk.run([&["users", "invite", name, "--json"], more].concat()).done();
    join(served, invited["link"].as_str().unwrap()).done()["token"].as_str().unwrap().to_owned()
}

fn add_to(vaults: &TwoVaults, served: &Served, name: &str, vault: &str, rights: &str) -> String {
    let invited =
        vaults.run(&["users", "invite", name, "--rights", rights, "--vault", vault, "--json"]).done();
    join(served, invited["link"].as_str().unwrap()).done()["token"].as_str().unwrap().to_owned()
}

#[test]
fn an_invitation_gives_one_token_once_and_only_hashes_are_kept() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    let invited = desk.run(["users", "invite", "anna", "--rights", "read,research", "--json"]).done();
    let link = invited["link"].as_str().unwrap().to_owned();
    assert_eq!(invited["user"]["state"], "invited");
    // To look at the page uses nothing up.
    let path = link.split_once("/join").map(|(_, rest)| format!("/join{rest}")).unwrap();
    for _ in 0..2 {
        let page = served.raw(
            format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", served.port)
                .as_bytes(),
        );
        assert!(page.status == 200 && page.body.contains("anna") && page.body.contains("/join"), "{page:?}");
        assert_eq!(page.header("referrer-policy"), Some("same-origin"));
    }
    for wrong in ["", "wri_anna.x", "wri_nobody.0123", "wri_anna.%22%3E%3Cb%3E"] {
        // After some of them, whoever guesses has to wait.
        assert!([401, 429].contains(&join(&served, &format!("code={wrong}")).status), "{wrong}");
    }
    let token = join(&served, &link).done()["token"].as_str().unwrap().to_owned();
    assert!([401, 429].contains(&join(&served, &link).status), "it works once");
    assert!(get(&served, &token, "/api/status").done()["notes"].as_u64().unwrap() > 0);
    let listed = desk.run(["users", "list", "--json"]).done();
    assert_eq!(listed["users"][0]["state"], "active");
    let (secret, code) = (token.rsplit_once('.').unwrap().1, link.rsplit_once('.').unwrap().1);
    for file in ["records.db", "records.db-wal"] {
        let bytes = std::fs::read(desk.data().join(file)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(secret) && !text.contains(code), "{file}");
    }
    let again = desk.run(["users", "invite", "anna"]);
    assert!(again.status == Some(4) && again.stderr.contains("has an account already"), "{again:?}");
    served.end();
}

#[test]
fn a_browser_joins_is_signed_in_as_that_user_and_out_with_them() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    let link = desk.run(["users", "invite", "anna", "--json"]).done()["link"].as_str().unwrap().to_owned();
    let body = format!("code={}", link.split_once("code=").unwrap().1);
    let own = format!("http://127.0.0.1:{}", served.port);
    let page = served.raw(
        format!(
            "POST /join HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nOrigin: {own}\r\nSec-Fetch-Site: same-origin\r\nAccept: text/html\r\n\
             Connection: close\r\nContent-Type: {FORM}\r\nContent-Length: {}\r\n\r\n{body}",
            served.port,
            body.len()
        )
        .as_bytes(),
    );
    assert!(page.status == 200 && page.body.contains("wru_anna."), "{page:?}");
    let cookie = page.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let key = page
        .body
        .split("name=\"wellread-key\" content=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    let ask = |path: &str| {
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nCookie: {cookie}\r\nX-Wellread-Key: {key}\r\nConnection: close\r\n\r\n",
            served.port
        );
        served.raw(head.as_bytes())
    };
    let sign_ins = ask("/api/sign-ins").done();
    assert_eq!(
        (sign_ins["sign_ins"].as_array().unwrap().len(), &sign_ins["sign_ins"][0]["user"]),
        (1, &json!("anna"))
    );
    assert_eq!(ask("/api/settings").status, 403, "she may read, and no more");
    assert_eq!(ask("/").status, 200);
    desk.run(["users", "remove", "anna"]).succeeded();
    assert_eq!((ask("/api/sign-ins").status, ask("/").status), (401, 401));
    served.end();
}

/// What a call of each route may look like; whoever is refused is refused before anybody looks at it.
fn calls(openapi: &Value) -> Vec<(String, String, BTreeSet<String>)> {
    let mut calls = Vec::new();
    for (path, methods) in openapi["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let Some(rights) = operation["x-wellread-rights"].as_array() else { continue };
            let rights = rights.iter().map(|right| right.as_str().unwrap().to_owned()).collect();
            let path = path.replace("{document}", "report.md").replace("{id}", "00000000000000");
            let path = path.replace("{path}", "Beds.md").replace("{name}", "read_file").replace("{key}", "x");
            let path = path.replace("{file}", "js/main.js").replace("{intent}", "ask");
            assert!(!path.contains('{'), "{path}");
            calls.push((method.to_uppercase(), path, rights));
        }
    }
    calls
}

#[test]
fn every_route_and_tool_is_refused_to_whom_it_is_not_allowed() {
    let vaults = TwoVaults::new();
    let mut command = vaults.command();
    // By the protocol, each tool by its own name.
    command.env("WELLREAD_MCP_TOOLS", "all");
    let served = Served::of(command, &[]);
    let all = calls(&get(&served, &served.token, "/api/openapi.json").json());
    assert!(all.len() > 90, "{}", all.len());
    let before = (tree(&vaults.folder("garden")), tree(&vaults.folder("work")));
    let people = [
        ("reader", "read"),
        ("asker", "read,research"),
        ("writer", "read,write"),
        ("decider", "read,decide"),
    ];
    for (name, rights) in people {
        let token = add_to(&vaults, &served, name, "garden", rights);
        let has = |needed: &BTreeSet<String>| {
            needed.iter().all(|right| rights.split(',').any(|known| known == right))
        };
        let mut refused = 0;
        for (method, path, needed) in &all {
            let body = (method != "GET").then_some("{\"no such field\": 1}");
            // In the other vault there is nothing at all, whatever it is.
            let elsewhere = send(&served, &token, method, &format!("/vaults/work{path}"), body);
            assert_eq!(elsewhere.status, 404, "{name} {method} {path}: {elsewhere:?}");
            let nowhere = send(&served, &token, method, &format!("/vaults/nowhere{path}"), body);
            assert_eq!((nowhere.status, &nowhere.body), (404, &elsewhere.body), "{name} {method} {path}");
            if has(needed) {
                continue;
            }
            refused += 1;
            for prefix in ["", "/vaults/garden"] {
                let reply = send(&served, &token, method, &format!("{prefix}{path}"), body);
                let problem = reply.problem(403);
                assert!(
                    problem["detail"].as_str().unwrap().contains("this needs the rights"),
                    "{path} {problem}"
                );
            }
        }
        assert!(refused > 20, "{name}: {refused}");
        // By the protocol the tools are offered that they may call.
        let offered = list_tools(&served, &token);
        for (method, path, needed) in &all {
            let Some(tool) = path.strip_prefix("/api/tools/").filter(|_| method == "POST") else { continue };
            let called = call_tool(&served, &token, tool, &json!({ "no such field": 1 }));
            assert_eq!(offered.contains(tool), has(needed), "{name} {tool}");
            assert!(
                has(needed) || called.contains("no tool") || called.contains("nknown"),
                "{name} {tool}: {called}"
            );
        }
        vaults.run(&["users", "remove", name]).succeeded();
    }
    assert_eq!((tree(&vaults.folder("garden")), tree(&vaults.folder("work"))), before);
    served.end();
}

/// A message of the protocol, as a client of the newest revision says it.
fn say(served: &Served, token: &str, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "tests", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = ["name", "uri"].iter().find_map(|field| params[*field].as_str());
    let name = name.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}Accept: application/json, text/event-stream\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        served.port,
        body.len()
    );
    let reply = served.raw(head.as_bytes());
    let mut data = reply.body.lines().filter_map(|line| line.strip_prefix("data: "));
    let message = data.find_map(|data| {
        serde_json::from_str::<Value>(data).ok().filter(|message| message.get("id").is_some())
    });
    message
        .or_else(|| serde_json::from_str(&reply.body).ok())
        .unwrap_or_else(|| json!({ "body": reply.body }))
}

fn list_tools(served: &Served, token: &str) -> BTreeSet<String> {
    let listed = say(served, token, "tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn call_tool(served: &Served, token: &str, name: &str, arguments: &Value) -> String {
    say(served, token, "tools/call", json!({ "name": name, "arguments": arguments })).to_string()
}

#[test]
fn runs_conversations_and_searches_of_one_user_are_not_anothers() {
    let desk = Desk::new();
    desk.add_code();
    let served = Served::start(&desk);
    let all = ["--rights", "read,research,write,decide,admin"];
    let anna = add_user(&desk, &served, "anna", &all);
    let bob = add_user(&desk, &served, "bob", &["--rights", "read,research,write,decide", "--repos", "none"]);
    let records = desk.records();
    let (run, mine) = (RunId::fresh(), RunId::fresh());
    let word = "Zugunruhe";
    let hers = records.for_viewer(&user("anna"));
    record_run(&hers, &run, RunKind::Ask, word, &events(&run, RunKind::Ask, word));
    record_run(&records, &mine, RunKind::Ask, word, &events(&mine, RunKind::Ask, word));
    let said = StoredSession {
        id: "hers".to_owned(),
        active_file: None,
        last: event_time(1),
        state: json!({ "messages": [word] }),
    };
    hers.keep_session(&said).unwrap();

    let ids = |token: &str| {
        let listed = get(&served, token, "/api/runs").done();
        listed["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| run["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (ids(&anna), ids(&bob), ids(&served.token)),
        (vec![run.to_string()], vec![], vec![mine.to_string()])
    );
    for token in [&bob, &served.token] {
        for path in [
            format!("/api/runs/{run}"),
            format!("/api/runs/{run}/trace.json"),
            format!("/api/runs/{run}/evidence.json"),
            "/api/sessions/hers".to_owned(),
        ] {
            let reply = get(&served, token, &path);
            assert!(reply.status == 404 && !reply.body.contains(word), "{path}: {reply:?}");
        }
        let verified = post(&served, token, "/api/verify", &json!({ "run": run }));
        assert!(verified.status == 404 && !verified.body.contains(word), "{verified:?}");
        let uri = format!("runs://{run}");
        let read = say(&served, token, "resources/read", json!({ "uri": uri })).to_string();
        assert!(!read.contains(word), "{read}");
        let resources = say(&served, token, "resources/list", json!({})).to_string();
        assert!(!resources.contains(run.as_str()), "{resources}");
        assert!(!get(&served, token, "/api/sessions").body.contains("hers"));
        assert_eq!(post(&served, token, &format!("/api/runs/{run}/cancel"), &json!({})).status, 404);
    }
    assert!(get(&served, &anna, &format!("/api/runs/{run}")).body.contains(word));
    // What is asked as a user is recorded as theirs.
    post(&served, &bob, "/api/ask", &json!({ "query": "What is a nectar flow?" })).done();
    assert_eq!((ids(&bob).len(), ids(&anna).len(), ids(&served.token).len()), (1, 1, 1));

    // A repository that he may not read is nowhere.
    let find = |token: &str| get(&served, token, "/api/search?q=detect_swarms&mode=keyword").body;
    assert!(find(&anna).contains("swarm.rs") && !find(&bob).contains("swarm.rs"), "{}", find(&bob));
    assert_eq!(get(&served, &bob, "/api/search?q=detect_swarms&repo=hivelog").status, 404);
    assert_eq!(get(&served, &bob, "/api/search?q=detect_swarms&in=code").status, 404);
    for path in ["/api/repos", "/api/status", "/api/status?files=true"] {
        assert!(!get(&served, &bob, path).body.contains("hivelog"), "{path}");
    }
    assert_eq!(get(&served, &bob, "/api/code/file?repository=hivelog&path=README.md").status, 404);
    for (tool, args) in [
        ("find_symbol", json!({ "name": "detect_swarms" })),
        ("outline", json!({ "path": "hivelog:rust/src/lib.rs" })),
        ("locate", json!({ "query": "detect_swarms" })),
        ("search_vault", json!({ "query": "detect_swarms" })),
    ] {
        let reply = post(&served, &bob, &format!("/api/tools/{tool}"), &args);
        assert!(!reply.body.contains("swarm.rs") && !reply.body.contains("src/lib.rs"), "{tool}: {reply:?}");
    }
    served.end();
}

#[test]
fn what_a_user_decides_and_writes_is_logged_with_their_name() {
    let desk = Desk::new();
    let served = Served::with(&desk, &[], |command| command.env("WELLREAD_MCP_TOOLS", "all"));
    // Without accounts nothing is logged.
    served.post("/api/research/suppressed/forget", &json!({ "topic": "x" }));
    assert_eq!(desk.run(["users", "audit", "--json"]).done()["entries"], json!([]));
    let anna = add_user(&desk, &served, "anna", &["--rights", "read,write,decide"]);
    post(&served, &anna, "/api/tools/create_file", &json!({ "path": "Log.md", "content": "Wax.\n" })).done();
    let called =
        call_tool(&served, &anna, "create_file", &json!({ "path": "Other.md", "content": "Wax.\n" }));
    assert!(desk.vault().join("Other.md").exists(), "{called}");
    post(&served, &anna, "/api/undo", &json!({})).done();
    let topic = post(&served, &anna, "/api/research/suppressed/forget", &json!({ "topic": "x" }));
    assert_eq!(topic.status, 404, "what was not done is not logged");
    desk.run(["users", "rights", "anna", "--rights", "read"]).succeeded();
    desk.run(["users", "remove", "anna"]).succeeded();
    let log = desk.run(["users", "audit", "--json"]).done();
    let rows: Vec<String> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            format!(
                "{} {} {} {}",
                row["who"].as_str().unwrap(),
                row["face"].as_str().unwrap(),
                row["action"].as_str().unwrap(),
                row["target"].as_str().unwrap_or_default()
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            "@ terminal users invite anna",
            "anna api users join anna",
            "anna http create_file Log.md",
            "anna mcp create_file Other.md",
            "anna http undo Other.md",
            "@ terminal users rights anna",
            "@ terminal users remove anna",
        ]
    );
    let shown = desk.run(["users", "audit", "--last", "1"]);
    assert!(shown.stdout.contains("users remove") && shown.stdout.lines().count() == 1, "{shown:?}");
    served.end();
}

/// Reads a stream until it ends.
fn ends_within(stream: std::net::TcpStream, longest: Duration) -> Duration {
    let began = Instant::now();
    let mut lines = BufReader::new(stream).lines();
    while let Some(Ok(_)) = lines.next() {
        assert!(began.elapsed() < longest, "it goes on");
    }
    began.elapsed()
}

#[test]
fn removal_ends_everything_of_a_user_at_once_in_every_process() {
    let desk = Desk::new();
    let (one, two) = (Served::start(&desk), Served::start(&desk));
    let anna = add_user(&desk, &one, "anna", &["--rights", "read,research"]);
    let bob = add_user(&desk, &one, "bob", &["--rights", "read"]);
    for served in [&one, &two] {
        assert_eq!(
            (get(served, &anna, "/api/runs").status, get(served, &bob, "/api/runs").status),
            (200, 200)
        );
    }
    let mut stream = two.connect();
    let head = format!(
        "GET /api/research/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {anna}\r\nConnection: close\r\n\r\n",
        two.port
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    desk.run(["users", "remove", "anna"]).succeeded();
    for served in [&one, &two] {
        assert_eq!(get(served, &anna, "/api/runs").status, 401);
        assert_eq!(get(served, &bob, "/api/runs").status, 200);
    }
    assert!(ends_within(stream, PATIENCE) < Duration::from_secs(10));
    // Somebody else of the same name has nothing of hers.
    let records: RecordStore = desk.records();
    let run = RunId::fresh();
    record_run(&records.for_viewer(&user("anna")), &run, RunKind::Ask, "x", &events(&run, RunKind::Ask, "x"));
    let later = add_user(&desk, &one, "anna", &[]);
    assert_eq!(get(&one, &anna, "/api/runs").status, 401, "the old token does not come back");
    assert_eq!(get(&one, &later, "/api/runs").done()["runs"], json!([]));
    assert_eq!(get(&two, &later, &format!("/api/runs/{run}")).status, 404);
    // A new token ends the old one.
    let renewed = desk.run(["users", "token", "bob", "--json"]).done()["token"].as_str().unwrap().to_owned();
    assert_eq!((get(&two, &bob, "/api/runs").status, get(&two, &renewed, "/api/runs").status), (401, 200));
    // Rights count at once, too.
    desk.run(["users", "rights", "bob", "--none"]).succeeded();
    assert_eq!(get(&two, &renewed, "/api/runs").status, 404);
    one.end();
    two.end();
}

#[test]
fn a_client_never_has_more_than_its_user() {
    let desk = Desk::new();
    let mut served = Served::with(&desk, &[], |command| command.env("WELLREAD_SERVER_PUBLIC_URL", PUBLIC));
    let owner = served.token.clone();
    let anna = add_user(&desk, &served, "anna", &["--rights", "read,research"]);
    // She signs in with her own token.
    served.token.clone_from(&anna);
    let remote = Remote::new(served);
    let client = remote.register(CALLBACK);
    let query = crate::remote::Ask::new(&client).with("resource", MCP).query();
    let asked = remote.as_user("/oauth/consent/request", &json!({ "query": query })).done();
    let offered: Vec<&str> =
        asked["scopes"].as_array().unwrap().iter().map(|scope| scope["name"].as_str().unwrap()).collect();
    assert_eq!(offered, ["read", "research"]);
    let more = remote.allow(&query, &["read", "write"], &remote.vaults(&query));
    assert_eq!(more.status, 400, "{more:?}");
    let (_, tokens) = remote.connect(MCP, &["read", "research"]);
    let write = json!({ "name": "create_file", "arguments": { "path": "x.md", "content": "x" } });
    let listed = remote.say("/mcp", &tokens.access, "tools/list", json!({}));
    assert_eq!(listed.status, 200, "{listed:?}");
    let refused = remote.say("/mcp", &tokens.access, "tools/call", write);
    assert!(
        refused.status != 200 || refused.body.contains("no tool") || refused.body.contains("nknown"),
        "{refused:?}"
    );
    assert!(!desk.vault().join("x.md").exists());
    // With fewer rights, the client has fewer, and without its user nothing.
    desk.run(["users", "rights", "anna", "--rights", "read"]).succeeded();
    let research = json!({ "name": "web_search", "arguments": { "query": "x" } });
    let refused = remote.say("/mcp", &tokens.access, "tools/call", research);
    assert!(
        refused.status == 403 || refused.body.contains("no tool") || refused.body.contains("nknown"),
        "{refused:?}"
    );
    assert_eq!(remote.say("/mcp", &tokens.access, "tools/list", json!({})).status, 200);
    desk.run(["users", "remove", "anna"]).succeeded();
    let ended = remote.say("/mcp", &tokens.access, "tools/list", json!({}));
    assert!(
        ended.status == 401 && ended.header("www-authenticate").unwrap().contains("invalid_token"),
        "{ended:?}"
    );
    let refresh = remote.token(&[
        ("grant_type", "refresh_token"),
        ("refresh_token", &tokens.refresh),
        ("client_id", &client),
    ]);
    assert_eq!(refresh.status, 400, "{refresh:?}");
    assert_eq!(get(&remote.served, &owner, "/api/status").status, 200);
    remote.served.signal(rustix::process::Signal::TERM);
}

#[test]
fn what_is_wrong_with_a_command_is_said_and_changes_nothing() {
    let desk = Desk::new();
    for (args, said) in [
        (&["users", "invite", "Anna"][..], "can't be the name of a user"),
        (&["users", "invite", "anna", "--rights", "all"], "is not a right"),
        (&["users", "invite", "anna", "--repos", "nowhere"], "there is no repository"),
        (&["users", "invite", "anna", "--days", "0"], "--days"),
        (&["users", "remove", "anna"], "there is no user `anna`"),
        (&["users", "token", "anna"], "there is no user `anna`"),
        (&["users", "rights", "anna"], "--rights"),
        (&["users", "rights", "anna", "--rights", "read"], "there is no user `anna`"),
    ] {
        let ran = desk.run(args);
        assert!(ran.status != Some(0) && ran.stderr.contains(said), "{ran:?}");
    }
    assert_eq!(desk.run(["users", "list", "--json"]).done()["users"], json!([]));
    assert!(desk.run(["users", "list"]).stdout.contains("yours alone"));
}
