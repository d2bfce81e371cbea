//! Who gets in, and who does not: by name, by page, by token.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufReader, Write as _};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::desk::{Desk, Ran, mode_of};
use crate::served::{Reply, Served};

/// Asks with exactly these lines after the request line.
pub fn ask(served: &Served, request: &str, lines: &[&str]) -> Reply {
    let port = served.port.to_string();
    let lines: String = lines
        .iter()
        .map(|line| line.replace("PORT", &port).replace("TOKEN", &served.token) + "\r\n")
        .collect();
    served.raw(format!("{request} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n").as_bytes())
}

pub const HOST: &str = "Host: 127.0.0.1:PORT";
pub const TOKEN: &str = "Authorization: Bearer TOKEN";

/// One that an app with pages of its own is paired with.
pub fn paired(desk: &Desk) -> Served {
    Served::with(desk, &[], |command| command.env("WELLREAD_SERVER_ORIGINS", "app://obsidian.md"))
}

#[test]
fn no_origin_is_let_in_that_was_not_paired() {
    let served = Served::new();
    for origin in
        ["Origin: app://obsidian.md", "Origin: http://evil.example", "Origin: http://localhost:PORT"]
    {
        for request in ["GET /api/status", "GET /healthz", "OPTIONS /api/status", "POST /open"] {
            let preflight = "Access-Control-Request-Method: POST";
            let refused =
                ask(&served, request, &[HOST, TOKEN, origin, "Sec-Fetch-Site: cross-site", preflight]);
            refused.problem(403);
            assert!(
                !refused.headers.iter().any(|(name, _)| name.starts_with("access-control")),
                "{refused:?}"
            );
        }
    }
    served.end();
    let desk = Desk::new();
    let wrong = Ran::of(desk.here().args(["serve", "--port", "0"]).env("WELLREAD_SERVER_ORIGINS", "*"));
    assert!(wrong.complains(2).contains("app://obsidian.md"), "{wrong:?}");
}

#[test]
fn a_request_is_let_in_by_its_name_its_page_and_its_token() {
    let desk = Desk::new();
    let served = paired(&desk);
    // Every kind of address: one that needs the token, one that does not, one that is nowhere, and MCP.
    let addresses =
        [("GET /api/status", 200), ("GET /healthz", 200), ("GET /nowhere", 404), ("GET /mcp", 406)];
    let let_in: &[&[&str]] = &[
        &[HOST, TOKEN],
        &["Host: localhost:PORT", TOKEN],
        &["host: LOCALHOST:PORT", "authorization: bearer TOKEN"],
        &["Host: [::1]:PORT", TOKEN],
        &[HOST, TOKEN, "Origin: http://127.0.0.1:PORT"],
        &["Host: localhost:PORT", TOKEN, "Origin: http://localhost:PORT", "Sec-Fetch-Site: same-origin"],
        &[HOST, TOKEN, "Sec-Fetch-Site: none"],
        &[HOST, TOKEN, "Origin: app://obsidian.md", "Sec-Fetch-Site: cross-site"],
    ];
    for lines in let_in {
        for (request, status) in addresses {
            let reply = ask(&served, request, lines);
            assert_eq!(reply.status, status, "{request} {lines:?}: {reply:?}");
            let plugin = lines.contains(&"Origin: app://obsidian.md");
            let allowed = reply.header("access-control-allow-origin");
            assert_eq!(allowed, plugin.then_some("app://obsidian.md"), "{request} {lines:?}");
        }
    }
    let kept_out: &[&[&str]] = &[
        &[TOKEN],
        &["Host:", TOKEN],
        &["Host: 127.0.0.1", TOKEN],
        &["Host: localhost", TOKEN],
        &["Host: 127.0.0.1:1", TOKEN],
        &["Host: evil.example", TOKEN],
        &["Host: evil.example:PORT", TOKEN],
        &["Host: localhost.evil.example:PORT", TOKEN],
        &["Host: 127.0.0.1.nip.io:PORT", TOKEN],
        &["Host: 0.0.0.0:PORT", TOKEN],
        &["Host: 127.0.0.1:PORT.evil.example", TOKEN],
        &[HOST, HOST, TOKEN],
        &[HOST, "Host: evil.example", TOKEN],
        &["Host: evil.example", "X-Forwarded-Host: 127.0.0.1:PORT", TOKEN],
        &[HOST, TOKEN, "Origin: http://evil.example"],
        &[HOST, TOKEN, "Origin: http://evil.example:PORT"],
        &[HOST, TOKEN, "Origin: https://127.0.0.1:PORT"],
        &[HOST, TOKEN, "Origin: http://127.0.0.1:1"],
        &[HOST, TOKEN, "Origin: http://127.0.0.1"],
        &[HOST, TOKEN, "Origin: null"],
        // Another name of ours is another origin.
        &[HOST, TOKEN, "Origin: http://localhost:PORT"],
        &["Host: localhost:PORT", TOKEN, "Origin: http://127.0.0.1:PORT"],
        &[HOST, TOKEN, "Origin: app://obsidian.md:1"],
        &[HOST, TOKEN, "Origin:"],
        &[HOST, TOKEN, "Origin: http://127.0.0.1:PORT", "Origin: http://evil.example"],
        &[HOST, TOKEN, "Origin: app://evil.md"],
        &[HOST, TOKEN, "Origin: app://obsidian.md.evil.example"],
        &[HOST, TOKEN, "Sec-Fetch-Site: cross-site"],
        &[HOST, TOKEN, "Sec-Fetch-Site: same-site"],
        &[HOST, TOKEN, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
    ];
    for lines in kept_out {
        for (request, _) in addresses {
            let reply = ask(&served, request, lines);
            assert_eq!(reply.status, 403, "{request} {lines:?}: {reply:?}");
            reply.problem(403);
            assert_eq!(reply.header("access-control-allow-origin"), None);
        }
    }
    let elsewhere = format!("GET http://evil.example:{}/healthz", served.port);
    ask(&served, &elsewhere, &[HOST, TOKEN]).problem(403);
    let here = format!("GET http://localhost:{}/healthz", served.port);
    assert_eq!(ask(&served, &here, &[HOST, TOKEN]).status, 200);
    served.goes_on();
    served.end();
}

#[test]
fn every_route_but_two_needs_the_token() {
    let served = Served::new();
    let described = served.get("/api/openapi.json").json();
    let mut open = Vec::new();
    for (path, methods) in described["paths"].as_object().unwrap() {
        let at = path.replace("{path}", "Home").replace("{name}", "read_file");
        for method in methods.as_object().unwrap().keys().map(|method| method.to_uppercase()) {
            let reply = ask(&served, &format!("{method} {at}"), &[HOST]);
            match reply.status {
                401 => assert!(reply.header("www-authenticate").unwrap().starts_with("Bearer"), "{reply:?}"),
                _ => open.push((path.as_str(), reply.status)),
            }
        }
    }
    // The door asks for a form with the token, and that of an invitation for its code.
    assert_eq!(open, [("/healthz", 200), ("/readyz", 200), ("/open", 415), ("/join", 400), ("/join", 415)]);
    for request in
        ["GET /nowhere", "POST /healthz/x", "OPTIONS /api/status", "FROB /api/status", "GET /api/notes/.."]
    {
        ask(&served, request, &[HOST]).problem(401);
    }
    for wrong in
        ["Bearer", "Bearer ", "Basic TOKEN", "TOKEN", "Bearer TOKENx", "Bearer xTOKEN", "BearerTOKEN"]
    {
        let reply = ask(&served, "GET /api/status", &[HOST, &format!("Authorization: {wrong}")]);
        reply.problem(401);
    }
    ask(&served, "GET /api/status", &[HOST, TOKEN, TOKEN]).problem(401);
    served.end();
    // The page of a paired app has to have it everywhere.
    let desk = Desk::new();
    let served = paired(&desk);
    ask(&served, "GET /healthz", &[HOST, "Origin: app://obsidian.md"]).problem(401);
    served.end();
}

#[test]
fn the_right_token_is_served_however_many_wrong_ones_came() {
    let served = Served::new();
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    let wrong = format!(
        "GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer wrong\r\n\r\n",
        served.port
    );
    let mut stream = served.connect();
    let mut replies = BufReader::new(stream.try_clone().unwrap());
    let mut told_when = 0;
    for _ in 0..1000 {
        stream.write_all(wrong.as_bytes()).unwrap();
        let reply = Reply::read(&mut replies);
        told_when += usize::from(reply.status == 429 && reply.header("retry-after").is_some());
        *statuses.entry(reply.status).or_default() += 1;
    }
    assert_eq!(statuses.keys().copied().collect::<Vec<_>>(), [401, 429], "{statuses:?}");
    assert!(statuses[&429] > 900 && told_when == statuses[&429], "{statuses:?}");
    for _ in 0..50 {
        served.goes_on();
    }
    served.end();
}

#[test]
fn a_preflight_is_answered_for_a_paired_origin_alone() {
    let desk = Desk::new();
    let served = paired(&desk);
    let asks = ["Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization"];
    let from = |origin: &str| {
        let lines = [&[HOST, origin, "Sec-Fetch-Site: cross-site"], asks.as_slice()].concat();
        ask(&served, "OPTIONS /api/tools/read_file", &lines)
    };
    let allowed = from("Origin: app://obsidian.md");
    assert_eq!(allowed.status, 204);
    assert_eq!(allowed.header("access-control-allow-origin"), Some("app://obsidian.md"));
    assert!(allowed.header("access-control-allow-headers").unwrap().contains("authorization"));
    assert_eq!(allowed.header("access-control-allow-credentials"), None);
    for origin in ["Origin: http://evil.example", "Origin: null"] {
        let refused = from(origin);
        refused.problem(403);
        assert!(!refused.headers.iter().any(|(name, _)| name.starts_with("access-control")), "{refused:?}");
    }
    served.end();
}

#[test]
fn a_restart_keeps_the_token() {
    let desk = Desk::new();
    let first = Served::start(&desk);
    let file = desk.data().join("token");
    assert_eq!(first.announced["token_file"].as_str(), file.to_str());
    assert_eq!((mode_of(&file), first.token.len()), (0o600, 64));
    let token = first.token.clone();
    first.end();
    let second = Served::start(&desk);
    assert_eq!(second.token, token);
    second.goes_on();
    // No tool reads what is not in the vault.
    for path in ["../data/token", "../../data/token", file.to_str().unwrap()] {
        let reply = second.tool("read_file", &json!({ "path": path }));
        assert!(matches!(reply.status, 400 | 403 | 404), "{reply:?}");
        assert!(!reply.body.contains(&token));
    }
    second.end();
}

#[test]
fn what_lets_a_client_in_is_never_logged() {
    let desk = Desk::new();
    let served = Served::with(&desk, &["-vvv"], |command| command);
    let link = served.post("/api/link", &json!({})).done()["url"].as_str().unwrap().to_owned();
    let code = link.split_once("code=").unwrap().1.to_owned();
    let opened = ask(&served, &format!("GET /open?code={code}"), &[HOST]);
    let cookie = opened.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let key = opened.body.split("content=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let lines = [HOST, &format!("Cookie: {cookie}"), &format!("X-Wellread-Key: {key}")];
    assert_eq!(ask(&served, "GET /api/status", &lines).status, 200);
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "tests", "version": "1" },
        },
    })
    .to_string();
    let more = format!(
        "Cookie: {cookie}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n",
        hello.len()
    );
    let greeted = served.raw((served.head("POST /mcp", &more) + &hello).as_bytes());
    assert!(greeted.status == 200 && greeted.header("mcp-session-id").is_some(), "{greeted:?}");
    let token = served.token.clone();
    served.signal(Signal::TERM);
    let (status, log) = served.ended();
    assert!(status == Some(0) && log.len() > 500, "it is talkative: {log}");
    for secret in [token.as_str(), code.as_str(), key.as_str(), cookie.split_once('=').unwrap().1] {
        assert!(!log.contains(secret), "{log}");
    }
}

#[test]
fn a_token_that_is_set_is_not_written() {
    let desk = Desk::new();
    let mut served = Served::with(&desk, &[], |command| command.env("WELLREAD_TOKEN", "of-my-own-making"));
    assert_eq!(served.announced["token_file"], Value::Null);
    assert!(!desk.data().join("token").exists());
    served.token = "of-my-own-making".to_owned();
    served.goes_on();
    served.end();
}

#[test]
fn what_is_wrong_with_a_start_is_said() {
    let desk = Desk::new();
    let serve = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = desk.here();
        command.args(["serve", "--port", "0"]).args(args).envs(variables.iter().copied());
        Ran::of(&mut command)
    };
    let everywhere = ("WELLREAD_SERVER_BIND", "0.0.0.0");
    let strong = ("WELLREAD_SERVER_TOKEN", "a-long-enough-token");
    for (args, variables) in [
        (&[] as &[&str], vec![everywhere]),
        (&["--allow-remote"], vec![everywhere]),
        (&[], vec![everywhere, strong]),
        (&["--allow-remote"], vec![everywhere, ("WELLREAD_TOKEN", "short")]),
    ] {
        assert!(serve(args, &variables).complains(4).contains("--allow-remote"), "{args:?} {variables:?}");
    }
    serve(&[], &[("WELLREAD_SERVER_BIND", "the moon")]).complains(2);
    serve(&[], &[("WELLREAD_TOKEN", "two words")]).complains(2);

    let running = Served::start(&desk);
    let port = running.port.to_string();
    let taken = Ran::of(desk.here().args(["serve", "--port", &port]));
    assert!(taken.complains(4).contains("--port 0"), "{taken:?}");
    running.end();

    fs::write(desk.data().join("token"), "not one\n").unwrap();
    assert!(serve(&[], &[]).complains(4).contains("a new one will be created"));
    fs::remove_file(desk.data().join("token")).unwrap();
    // The data folder is read for code: the token would be found.
    let settings = desk.folder().join("settings.toml");
    let repos = format!("[[repos]]\nname = \"all\"\npath = {:?}\n", desk.data());
    fs::write(&settings, repos).unwrap();
    let reachable = serve(&["--config", settings.to_str().unwrap()], &[]);
    assert!(reachable.complains(4).contains("the token would be stored in"), "{reachable:?}");
}

#[test]
fn a_server_for_others_is_called_by_its_address() {
    let desk = Desk::new();
    let mut served = Served::with(&desk, &["--allow-remote"], |command| {
        command.env("WELLREAD_SERVER_BIND", "0.0.0.0").env("WELLREAD_TOKEN", "a-long-enough-token")
    });
    served.token = "a-long-enough-token".to_owned();
    served.goes_on();
    assert_eq!(ask(&served, "GET /api/status", &["Host: 10.1.2.3:PORT", TOKEN]).status, 200);
    ask(&served, "GET /api/status", &["Host: evil.example:PORT", TOKEN]).problem(403);
    ask(&served, "GET /api/status", &["Host: 10.1.2.3:PORT"]).problem(401);
    served.end();
}
