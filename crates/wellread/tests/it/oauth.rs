//! Clients elsewhere, by OAuth: who gets a token, what it is good for, and everything that must be refused.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};

use serde_json::{Value, json};

use crate::desk::{Desk, Ran, mode_of};
use crate::remote::{
    Ask, CALLBACK, CHALLENGE, MCP, PUBLIC, Remote, Tokens, form, parameter, read_tokens, redemption, result,
};
use crate::served::{Reply, Served};
use crate::vaults::TwoVaults;

/// An error of the protocol.
fn error(reply: &Reply, code: &str) {
    assert_eq!((reply.status, reply.json()["error"].as_str()), (400, Some(code)), "{reply:?}");
    assert!(!reply.json()["error_description"].as_str().unwrap().is_empty());
}

/// A refusal that says where a token is to be had.
fn challenged(reply: &Reply, status: u16, parts: &[&str]) {
    reply.problem(status);
    let challenge = reply.header("www-authenticate").unwrap_or_else(|| panic!("{reply:?}"));
    for part in parts {
        assert!(challenge.contains(part), "{part}: {challenge}");
    }
}

const METADATA: &str =
    "resource_metadata=\"https://wellread.example/.well-known/oauth-protected-resource/mcp\"";

#[test]
fn a_client_finds_its_way_and_works_within_what_was_allowed() {
    let desk = Desk::new();
    let remote = Remote::start(&desk);
    let asked = remote.send("POST /mcp", &["Host: wellread.example"], Some(("application/json", "{}")));
    challenged(&asked, 401, &[METADATA, "Bearer "]);
    assert!(!asked.header("www-authenticate").unwrap().contains("error="), "it had none: {asked:?}");
    for path in ["", "/mcp"] {
        let about = remote.get(&format!("/.well-known/oauth-protected-resource{path}")).json();
        assert_eq!((&about["resource"], &about["authorization_servers"]), (&json!(MCP), &json!([PUBLIC])));
    }
    let about = remote.get("/.well-known/oauth-authorization-server").json();
    assert_eq!(
        (&about["issuer"], &about["code_challenge_methods_supported"]),
        (&json!(PUBLIC), &json!(["S256"]))
    );
    assert_eq!(about["token_endpoint_auth_methods_supported"], json!(["none"]));
    assert_eq!(about["authorization_response_iss_parameter_supported"], true);

    let client = remote.register(CALLBACK);
    let query = Ask::new(&client).query();
    let page = remote.ask(
        &format!("GET /oauth/authorize?{query}"),
        &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
    );
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.header("content-security-policy").unwrap().contains("frame-ancestors 'none'"));
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    for file in page.body.split('"').filter(|part| part.starts_with("/page/")) {
        assert_eq!(remote.get(file).status, 200, "{file} is there before the user has signed in");
    }
    let terms = remote.as_user("/oauth/consent/request", &json!({ "query": query })).done();
    assert_eq!(
        (&terms["client"], &terms["redirect"]),
        (&json!("Bee client"), &json!("https://client.example"))
    );
    let chosen: Vec<&Value> =
        terms["scopes"].as_array().unwrap().iter().map(|scope| &scope["chosen"]).collect();
    assert_eq!(chosen, [true, true, false, false], "what changes something takes a click");
    let answer = remote.allow(&query, &["read"], &remote.vaults(&query)).done();
    let redirect = answer["redirect"].as_str().unwrap();
    assert!(redirect.starts_with("https://client.example/callback?tenant=7&code="), "{redirect}");
    assert_eq!(
        (parameter(redirect, "state").as_str(), parameter(redirect, "iss").as_str()),
        ("a state&=#", PUBLIC)
    );
    let granted = remote.token(&redemption(&client, &parameter(redirect, "code")));
    assert_eq!(granted.json()["scope"], "read");
    let tokens = read_tokens(&granted);

    let tools = remote.tools("/mcp", &tokens.access);
    assert!(tools.contains(&"read_note".to_owned()) && !tools.contains(&"edit_note".to_owned()), "{tools:?}");
    let read = result(&remote.call("/mcp", &tokens.access, "read_note", &json!({ "path": "Home" })));
    assert_eq!(read["structuredContent"]["content"], desk.text("Home.md"));
    let fresh = read_tokens(&remote.token(&[
        ("grant_type", "refresh_token"),
        ("client_id", &client),
        ("refresh_token", &tokens.refresh),
        ("resource", MCP),
    ]));
    assert_eq!(remote.tools("/mcp", &fresh.access), tools);
    remote.served.end();
}

/// The matrix: each of these is refused, with its own status, and nothing is changed by it.
#[test]
fn a_token_is_good_for_its_address_its_time_and_its_scopes() {
    let desk = Desk::new();
    let remote = Remote::start(&desk);
    let (_, Tokens { access, refresh }) = remote.connect(MCP, &["read"]);
    let before = desk.tree();
    // Nothing, nonsense, and tokens that are none of its kind.
    let own = remote.served.token.clone();
    for wrong in ["", "x", &access[..access.len() - 1], &refresh, &own, &format!("{access} {access}")] {
        challenged(
            &remote.say("/mcp", wrong, "tools/list", json!({})),
            401,
            &[METADATA, "error=\"invalid_token\""],
        );
    }
    let twice = format!("Authorization: Bearer {access}");
    challenged(&remote.ask("GET /mcp", &[&twice, &twice]), 401, &["error=\"invalid_token\""]);
    // Another audience: the address of a vault is not that of all, a name that there is not is no different.
    for other in ["example-vault", "vault", "nowhere"] {
        let there = format!("/vaults/{other}/mcp");
        let metadata = format!("oauth-protected-resource{there}\"");
        challenged(
            &remote.say(&there, &access, "tools/list", json!({})),
            401,
            &["error=\"invalid_token\"", &metadata],
        );
    }
    // Under a name of this machine it is no token at all.
    let local = format!("Host: 127.0.0.1:{}", remote.served.port);
    let bearer = format!("Authorization: Bearer {access}");
    for path in ["/mcp", "/api/status", "/api/notes/Home", "/"] {
        assert_eq!(remote.send(&format!("GET {path}"), &[&local, &bearer], None).status, 401, "{path}");
    }
    // Too few scopes: the answer names those that are needed, with those that it has.
    for (name, args, scope) in [
        ("edit_note", json!({ "op": "append", "path": "Home", "content": "x" }), "scope=\"read write\""),
        ("ask", json!({ "query": "x" }), "scope=\"read research\""),
        ("research_note", json!({ "path": "Home" }), "scope=\"read research write\""),
        ("inbox", json!({ "op": "dismiss", "id": "1" }), "scope=\"read decide\""),
    ] {
        let refused = remote.call("/mcp", &access, name, &args);
        challenged(&refused, 403, &["error=\"insufficient_scope\"", scope, METADATA]);
    }
    challenged(
        &remote.say("/mcp", &access, "tasks/get", json!({ "taskId": "x" })),
        403,
        &["scope=\"read research\""],
    );
    // Expired.
    let folder = desk.data().join("grants");
    let grant = fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .find(|path| !path.ends_with("lock"))
        .unwrap();
    assert_eq!(mode_of(&grant), 0o600);
    let mut stored: Value = serde_json::from_slice(&fs::read(&grant).unwrap()).unwrap();
    stored["access"][0]["expires"] = json!(1);
    fs::write(&grant, stored.to_string()).unwrap();
    challenged(&remote.say("/mcp", &access, "tools/list", json!({})), 401, &["error=\"invalid_token\""]);
    assert_eq!(desk.tree(), before);
    remote.served.end();
}

#[test]
fn a_code_is_good_once_for_its_client_and_its_verifier() {
    let desk = Desk::new();
    let remote = Remote::start(&desk);
    let client = remote.register(CALLBACK);
    let other = remote.register(CALLBACK);
    // Each of these uses the code up.
    for (field, value, code) in [
        ("client_id", other.as_str(), "invalid_grant"),
        ("redirect_uri", "https://client.example/callback", "invalid_grant"),
        ("code_verifier", "wrongwrongwrongwrongwrongwrongwrongwrongwrong", "invalid_grant"),
        ("code_verifier", "", "invalid_grant"),
        ("code_verifier", CHALLENGE, "invalid_grant"),
        ("resource", "https://wellread.example/vaults/other/mcp", "invalid_target"),
    ] {
        let issued = remote.code(&client, MCP, &["read"]);
        let mut fields = redemption(&client, &issued);
        fields.iter_mut().filter(|(name, _)| *name == field).for_each(|pair| pair.1 = value);
        error(&remote.token(&fields), code);
        error(&remote.token(&redemption(&client, &issued)), "invalid_grant");
    }
    error(&remote.token(&redemption(&client, "made-up")), "invalid_grant");
    error(&remote.token(&[("grant_type", "password"), ("client_id", &client)]), "unsupported_grant_type");
    error(&remote.token(&[("grant_type", "client_credentials")]), "unsupported_grant_type");
    let doubled = format!("{}&code=x", form(&redemption(&client, "x")));
    error(
        &remote.post("/oauth/token", &[], "application/x-www-form-urlencoded", &doubled),
        "invalid_request",
    );
    // Used a second time: what came of the first ends.
    let issued = remote.code(&client, MCP, &["read"]);
    let tokens = read_tokens(&remote.token(&redemption(&client, &issued)));
    assert!(!remote.tools("/mcp", &tokens.access).is_empty());
    error(&remote.token(&redemption(&client, &issued)), "invalid_grant");
    challenged(&remote.say("/mcp", &tokens.access, "tools/list", json!({})), 401, &["invalid_token"]);
    remote.served.end();
}

#[test]
fn a_refresh_token_is_good_once_and_its_second_use_ends_everything() {
    let desk = Desk::new();
    let remote = Remote::start(&desk);
    let (client, first) = remote.connect(MCP, &["read"]);
    let refresh = |client: &str, token: &str, more: &[(&str, &str)]| {
        let fields = [("grant_type", "refresh_token"), ("client_id", client), ("refresh_token", token)];
        remote.token(&[&fields, more].concat())
    };
    error(&refresh(&remote.register(CALLBACK), &first.refresh, &[]), "invalid_grant");
    error(&refresh(&client, &first.refresh, &[("scope", "read write")]), "invalid_scope");
    error(
        &refresh(&client, &first.refresh, &[("resource", "https://wellread.example/vaults/x/mcp")]),
        "invalid_target",
    );
    let second = read_tokens(&refresh(&client, &first.refresh, &[]));
    assert!(!remote.tools("/mcp", &second.access).is_empty());
    error(&refresh(&client, &first.refresh, &[]), "invalid_grant");
    for access in [&first.access, &second.access] {
        challenged(&remote.say("/mcp", access, "tools/list", json!({})), 401, &["invalid_token"]);
    }
    error(&refresh(&client, &second.refresh, &[]), "invalid_grant");
    remote.served.end();
}

/// Nothing that a client writes sends the user's browser anywhere by itself.
#[test]
fn a_browser_is_sent_nowhere_but_where_the_client_has_registered() {
    let desk = Desk::new();
    let remote = Remote::start(&desk);
    let client = remote.register(CALLBACK);
    let wrong = [
        ("client_id", "wrc_e30"),
        ("client_id", ""),
        ("redirect_uri", "https://evil.example/callback"),
        ("redirect_uri", "https://client.example/callback?tenant=8"),
        ("redirect_uri", "https://client.example.evil.example/callback?tenant=7"),
        ("redirect_uri", "https://client.example@evil.example/callback?tenant=7"),
        ("redirect_uri", "//evil.example"),
        ("redirect_uri", "javascript:alert(1)"),
        ("redirect_uri", ""),
        ("response_type", "token"),
        ("code_challenge", ""),
        ("code_challenge", "short"),
        ("code_challenge_method", "plain"),
        ("code_challenge_method", ""),
        ("scope", "admin"),
        ("resource", ""),
    ];
    for (field, value) in wrong {
        let query = Ask::new(&client).with(field, value).query();
        let page = remote.get(&format!("/oauth/authorize?{query}"));
        assert_eq!((page.status, page.header("location")), (400, None), "{field} {value}: {page:?}");
        assert!(page.header("content-type").unwrap().starts_with("text/html"));
        for path in ["/oauth/consent/request", "/oauth/consent"] {
            let mut body = json!({ "query": query });
            if path == "/oauth/consent" {
                body["allow"] = json!(false);
            }
            let refused = remote.as_user(path, &body).problem(400);
            assert!(refused.get("redirect").is_none(), "{refused}");
        }
    }
    let doubled = format!("{}&redirect_uri=https%3A%2F%2Fevil.example", Ask::new(&client).query());
    assert_eq!(remote.get(&format!("/oauth/authorize?{doubled}")).status, 400);
    // For another server, or for a vault that there is not: the user is told, and nobody else.
    for resource in [
        "https://other.example/mcp",
        "https://wellread.example",
        "https://wellread.example/vaults/nowhere/mcp",
    ] {
        let query = Ask::new(&client).with("resource", resource).query();
        assert_eq!(
            remote.get(&format!("/oauth/authorize?{query}")).status,
            200,
            "who is not signed in learns nothing"
        );
        remote
            .as_user(
                "/oauth/consent",
                &json!({ "query": query, "allow": true, "scopes": ["read"], "vaults": [] }),
            )
            .problem(400);
    }
    // A denial goes to the client, and says who it comes from.
    let denied = remote
        .as_user("/oauth/consent", &json!({ "query": Ask::new(&client).query(), "allow": false }))
        .done();
    let redirect = denied["redirect"].as_str().unwrap();
    assert!(
        redirect.starts_with("https://client.example/callback?tenant=7&error=access_denied"),
        "{redirect}"
    );
    assert_eq!(parameter(redirect, "iss"), PUBLIC);
    // A program on the user's computer is answered at whatever port it has.
    let local = remote.register("http://127.0.0.1/callback");
    let at = |uri: &str| {
        remote.get(&format!("/oauth/authorize?{}", Ask::new(&local).with("redirect_uri", uri).query()))
    };
    assert_eq!(at("http://127.0.0.1:4711/callback").status, 200);
    assert_eq!(at("http://127.0.0.1:4711/other").status, 400);
    for uri in ["http://client.example/callback", "client://callback", "https://client.example/#x"] {
        let request = json!({ "redirect_uris": [uri] }).to_string();
        error(&remote.post("/oauth/register", &[], "application/json", &request), "invalid_redirect_uri");
    }
    let huge = json!({ "redirect_uris": [CALLBACK], "client_name": "x".repeat(20_000) }).to_string();
    error(&remote.post("/oauth/register", &[], "application/json", &huge), "invalid_client_metadata");
    assert!(!desk.data().join("grants").exists(), "who registers takes up no room");
    remote.served.end();
}

/// A page of another site can't allow anything in the user's name.
#[test]
fn only_the_user_on_our_own_page_allows_something() {
    let desk = Desk::new();
    let remote = Remote::start(&desk);
    let query = Ask::new(&remote.register(CALLBACK)).query();
    let said = json!({ "query": query, "allow": true, "scopes": ["read"], "vaults": remote.vaults(&query) })
        .to_string();
    let token = format!("Authorization: Bearer {}", remote.served.token);
    let (_, tokens) = remote.connect(MCP, &["read", "decide"]);
    let access = format!("Authorization: Bearer {}", tokens.access);
    let own = format!("Origin: {PUBLIC}");
    for (lines, status) in [
        (vec![], 401),
        (vec![own.as_str()], 401),
        (vec![remote.cookie(), &own], 401),
        (vec![remote.cookie(), "Origin: https://evil.example"], 403),
        (vec![remote.cookie(), "Sec-Fetch-Site: cross-site"], 403),
        (vec!["Origin: http://wellread.example"], 403),
        (vec![token.as_str()], 401),
        (vec![access.as_str()], 401),
    ] {
        for path in ["/oauth/consent", "/oauth/consent/request"] {
            let reply = remote.post(path, &lines, "application/json", &said);
            assert_eq!(reply.status, status, "{path} {lines:?}: {reply:?}");
        }
    }
    // More than the client asked for, nothing, or a vault that is not at the address.
    let asked = Ask::new(&remote.register(CALLBACK)).with("scope", "read").query();
    let vaults = remote.vaults(&asked);
    for (scopes, vaults) in [
        (vec!["read", "write"], vaults.clone()),
        (vec![], vaults),
        (vec!["read"], vec!["other".to_owned()]),
        (vec!["read"], vec![]),
    ] {
        remote.allow(&asked, &scopes, &vaults).problem(400);
    }
    remote.served.end();
}

#[test]
fn under_the_public_name_there_is_the_protocol_and_nothing_else() {
    let desk = Desk::new();
    let remote = Remote::start(&desk);
    let token = format!("Authorization: Bearer {}", remote.served.token);
    for path in [
        "/",
        "/api/status",
        "/api/notes/Home",
        "/healthz",
        "/metrics",
        "/api/openapi.json",
        "/page/js/main.js",
        "/api/link",
        "/nowhere",
    ] {
        for request in [format!("GET {path}"), format!("POST {path}")] {
            assert_eq!(remote.ask(&request, &[&token]).status, 404, "{request}");
        }
    }
    for host in
        ["wellread.example.evil.example", "wellread.example:8000", "evil.example", "www.wellread.example", ""]
    {
        for request in ["GET /.well-known/oauth-authorization-server", "GET /mcp", "GET /oauth/authorize"] {
            let refused =
                remote.send(request, &[&format!("Host: {host}"), "X-Forwarded-Host: wellread.example"], None);
            assert_eq!(refused.status, 403, "{request} {host}");
        }
    }
    let elsewhere = remote.send(
        "GET http://evil.example/.well-known/oauth-authorization-server",
        &["Host: wellread.example"],
        None,
    );
    assert_eq!(elsewhere.status, 403);
    for origin in ["https://evil.example", "http://wellread.example", "null"] {
        let refused = remote.ask("POST /oauth/token", &[&format!("Origin: {origin}")]);
        assert_eq!(refused.status, 403, "{origin}");
    }
    // A name of this machine has everything else, as ever, and none of this.
    let local = format!("Host: 127.0.0.1:{}", remote.served.port);
    for path in [
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-protected-resource",
        "/oauth/authorize",
        "/oauth/register",
    ] {
        assert_eq!(remote.send(&format!("GET {path}"), &[&local], None).status, 401, "{path}");
    }
    remote.served.goes_on();
    let listed = remote.served.get("/api/remote-clients").done();
    assert_eq!((&listed["address"], &listed["clients"]), (&json!(MCP), &json!([])));
    remote.served.end();
}

#[test]
fn without_a_public_address_there_is_no_oauth() {
    let served = Served::new();
    for request in [
        "GET /.well-known/oauth-protected-resource",
        "GET /.well-known/oauth-protected-resource/mcp",
        "GET /.well-known/oauth-authorization-server",
        "GET /oauth/authorize",
        "POST /oauth/register",
        "POST /oauth/token",
        "POST /oauth/revoke",
        "POST /oauth/consent",
    ] {
        let head = served.head(request, "Connection: close\r\n");
        assert_eq!(served.raw(head.as_bytes()).status, 404, "{request}");
    }
    let unknown =
        format!("GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", served.port);
    let asked = served.raw(unknown.as_bytes());
    assert_eq!((asked.status, asked.header("www-authenticate")), (401, Some("Bearer realm=\"wellread\"")));
    assert_eq!(served.get("/api/remote-clients").done()["address"], Value::Null);
    served.end();
}

#[test]
fn a_grant_covers_the_vaults_that_the_user_chose() {
    let vaults = TwoVaults::new();
    let mut command = vaults.command();
    command.env("WELLREAD_SERVER_PUBLIC_URL", PUBLIC);
    let remote = Remote::new(Served::of(command, &[]));
    let one = "https://wellread.example/vaults/Work/mcp";
    let (_, work) = remote.connect(one, &["read", "write"]);
    let find = |path: &str, access: &str, words: &str, vault: Option<&str>| {
        let mut args = json!({ "query": words });
        if let Some(vault) = vault {
            args["vault"] = json!(vault);
        }
        result(&remote.call(path, access, "search_notes", &args)).to_string()
    };
    assert!(find("/vaults/work/mcp", &work.access, "Falcon", None).contains("Launch.md"));
    assert!(
        !find("/vaults/Work/mcp", &work.access, "Acme", None).contains("Acme.md"),
        "private notes do not exist for it"
    );
    for other in ["/mcp", "/vaults/garden/mcp", "/vaults/other/mcp"] {
        challenged(&remote.say(other, &work.access, "tools/list", json!({})), 401, &["invalid_token"]);
    }
    // At the address of all vaults, only one was chosen.
    let client = remote.register(CALLBACK);
    let query = Ask::new(&client).query();
    assert_eq!(remote.vaults(&query), ["garden", "Work"]);
    let redirect = remote.allow(&query, &["read", "write"], &["Work".to_owned()]).done()["redirect"].clone();
    let some =
        read_tokens(&remote.token(&redemption(&client, &parameter(redirect.as_str().unwrap(), "code"))));
    let listed = result(&remote.say("/mcp", &some.access, "tools/list", json!({}))).to_string();
    assert!(!listed.contains("garden"), "{listed}");
    assert!(find("/mcp", &some.access, "Falcon", None).contains("Launch.md"));
    assert!(!find("/mcp", &some.access, "leeks", None).contains("Beds.md"));
    let args = json!({ "op": "create", "path": "New", "content": "x", "vault": "garden" });
    let refused = result(&remote.call("/mcp", &some.access, "edit_note", &args));
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(!vaults.folder("garden/New.md").exists() && !vaults.folder("work/New.md").exists());
    // The first vault's own address leads to that vault alone.
    let (_, garden) = remote.connect("https://wellread.example/vaults/garden/mcp", &["read"]);
    assert!(find("/vaults/garden/mcp", &garden.access, "leeks", None).contains("Beds.md"));
    let refused = remote.call(
        "/vaults/garden/mcp",
        &garden.access,
        "search_notes",
        &json!({ "query": "x", "vault": "Work" }),
    );
    assert_eq!(result(&refused)["isError"], true, "{refused:?}");
    // Both: the vault is an argument.
    let (_, both) = remote.connect(MCP, &["read"]);
    assert!(find("/mcp", &both.access, "Falcon", Some("Work")).contains("Launch.md"));
    assert!(find("/mcp", &both.access, "leeks", None).contains("Beds.md"));
    remote.served.end();
}

#[test]
fn a_session_of_the_protocol_belongs_to_its_client() {
    let desk = Desk::new();
    let remote = Remote::start(&desk);
    let ((_, one), (_, other)) = (remote.connect(MCP, &["read"]), remote.connect(MCP, &["read"]));
    let say = |access: &str, session: Option<&str>, message: &Value| {
        let bearer = format!("Authorization: Bearer {access}");
        let session = session.map(|session| format!("Mcp-Session-Id: {session}"));
        let lines: Vec<&str> = [bearer.as_str(), "Accept: application/json, text/event-stream"]
            .into_iter()
            .chain(session.as_deref())
            .collect();
        remote.post("/mcp", &lines, "application/json", &message.to_string())
    };
    let info = json!({ "name": "tests", "version": "1" });
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info },
    });
    let greeted = say(&one.access, None, &hello);
    let session = greeted.header("mcp-session-id").unwrap_or_else(|| panic!("{greeted:?}"));
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    assert_eq!(say(&other.access, Some(session), &list).status, 404, "it is not theirs");
    let local = remote.served.head(
        "DELETE /mcp",
        &format!("Mcp-Session-Id: {session}\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\n"),
    );
    assert_ne!(remote.served.raw(local.as_bytes()).status, 200);
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(say(&one.access, Some(session), &ready).status, 202);
    assert!(result(&say(&one.access, Some(session), &list)).to_string().contains("read_note"));
    // A stream that stands open ends once the user has signed the client out.
    let mut stream = remote.served.connect();
    let head = format!(
        "GET /mcp HTTP/1.1\r\nHost: wellread.example\r\nAuthorization: Bearer {}\r\nMcp-Session-Id: {session}\r\n\
         Accept: text/event-stream\r\nConnection: close\r\n\r\n",
        one.access
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    assert!(line.contains(" 200 "), "{line}");
    assert_eq!(desk.run(["serve", "--sign-out"]).stdout, "signed out 1 browser and 2 remote clients\n");
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("text/event-stream"), "{rest}");
    remote.served.end();
}

#[test]
fn remote_clients_are_listed_outlive_a_restart_and_are_signed_out() {
    let desk = Desk::new();
    let remote = Remote::start(&desk);
    let (_, first) = remote.connect(MCP, &["read", "write"]);
    let (_, second) = remote.connect(MCP, &["read"]);
    let (_, third) = remote.connect(MCP, &["read"]);
    remote.served.end();
    let remote = Remote::start(&desk);
    let clients = remote.served.get("/api/remote-clients").done()["clients"].clone();
    assert_eq!(clients.as_array().unwrap().len(), 3, "{clients}");
    let writes = clients
        .as_array()
        .unwrap()
        .iter()
        .find(|client| client["scopes"] == json!(["read", "write"]))
        .unwrap();
    assert_eq!(writes["client"], "Bee client");
    assert!(!remote.tools("/mcp", &first.access).is_empty());
    let id = writes["id"].as_str().unwrap();
    remote.served.post(&format!("/api/remote-clients/{id}/end"), &json!({})).done();
    remote.served.post(&format!("/api/remote-clients/{id}/end"), &json!({})).problem(404);
    challenged(&remote.say("/mcp", &first.access, "tools/list", json!({})), 401, &["invalid_token"]);
    // A client ends its own by any of its tokens; who asks with anything else hears the same.
    for token in ["made-up", &second.refresh, &second.refresh] {
        assert_eq!(
            remote
                .post("/oauth/revoke", &[], "application/x-www-form-urlencoded", &form(&[("token", token)]))
                .status,
            200
        );
    }
    challenged(&remote.say("/mcp", &second.access, "tools/list", json!({})), 401, &["invalid_token"]);
    assert!(!remote.tools("/mcp", &third.access).is_empty());
    assert_eq!(desk.run(["serve", "--sign-out"]).stdout, "signed out 2 browsers and 1 remote client\n");
    challenged(&remote.say("/mcp", &third.access, "tools/list", json!({})), 401, &["invalid_token"]);
    remote.served.end();
}

/// What a client may write is what the user allows; what is a decision takes a scope of its own.
#[test]
fn what_a_client_may_do_is_what_the_user_allows() {
    let desk = Desk::new();
    desk.save("AGENTS.md", "Be kind.\n");
    // What assistants on this machine may decide is not for others.
    let remote = Remote::new(Served::with(&desk, &[], |command| {
        command.env("WELLREAD_SERVER_PUBLIC_URL", PUBLIC).env("WELLREAD_MCP_DECIDES", "on")
    }));
    let (_, writes) = remote.connect(MCP, &["read", "write"]);
    let append = |path: &str| json!({ "op": "append", "path": path, "content": "written elsewhere" });
    let done = result(&remote.call("/mcp", &writes.access, "edit_note", &append("Home")));
    assert_eq!(done["isError"], false, "{done}");
    assert!(desk.text("Home.md").contains("written elsewhere"));
    challenged(
        &remote.call("/mcp", &writes.access, "ask", &json!({ "query": "x" })),
        403,
        &["scope=\"read research write\""],
    );
    // Models take instructions from this file: to change it is a decision.
    let refused = result(&remote.call("/mcp", &writes.access, "edit_note", &append("AGENTS.md")));
    assert!(refused["isError"] == true && refused.to_string().contains("to bring decisions"), "{refused}");
    assert_eq!(desk.text("AGENTS.md"), "Be kind.\n");
    remote.served.end();
}

#[test]
fn what_is_wrong_with_the_public_address_is_said() {
    let desk = Desk::new();
    for wrong in ["http://wellread.example", "wellread.example", "https://wellread.example/notes"] {
        let refused =
            Ran::of(desk.here().args(["serve", "--port", "0"]).env("WELLREAD_SERVER_PUBLIC_URL", wrong));
        assert!(refused.complains(2).contains("server.public_url"), "{wrong}: {refused:?}");
        let examined =
            Ran::of(desk.here().args(["doctor", "--json"]).env("WELLREAD_SERVER_PUBLIC_URL", wrong));
        let check = find_check(&examined, "remote").unwrap_or_else(|| panic!("{examined:?}"));
        assert_eq!(check["ok"], false, "{check}");
        assert!(check["remedy"].as_str().unwrap().contains("https://"), "{check}");
    }
    let mut short = desk.here();
    short
        .args(["serve", "--port", "0"])
        .env("WELLREAD_SERVER_PUBLIC_URL", PUBLIC)
        .env("WELLREAD_TOKEN", "short");
    assert!(Ran::of(&mut short).complains(4).contains("server.token"));
    let well = Ran::of(desk.here().args(["doctor", "--json"]).env("WELLREAD_SERVER_PUBLIC_URL", PUBLIC));
    let check = find_check(&well, "remote").unwrap();
    assert!(check["ok"] == true && check["detail"].as_str().unwrap().contains(MCP), "{check}");
    assert!(
        find_check(&desk.run(["doctor", "--json"]), "remote").is_none(),
        "nothing is said of what is off"
    );
}

fn find_check(examined: &Ran, name: &str) -> Option<Value> {
    let report: Value = serde_json::from_str(&examined.stdout).unwrap_or_else(|_| panic!("{examined:?}"));
    report["checks"].as_array().unwrap().iter().find(|check| check["name"] == name).cloned()
}
