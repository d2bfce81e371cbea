//! Browsers: how they sign in, what a session needs, and how it ends.

use std::io::{BufRead as _, BufReader, Write as _};

use serde_json::json;

use crate::desk::{Desk, mode_of};
use crate::served::{Reply, Served};
use crate::server_guard::{HOST, TOKEN, ask, paired};

/// A session as a browser holds it: lines for the head.
struct SignedIn {
    cookie: String,
    key: String,
}

impl SignedIn {
    fn from_reply(opened: &Reply) -> Self {
        assert_eq!(
            (opened.status, opened.header("content-type")),
            (200, Some("text/html; charset=utf-8")),
            "{opened:?}"
        );
        let set = opened.header("set-cookie").unwrap();
        for word in ["HttpOnly", "SameSite=Strict", "Path=/"] {
            assert!(set.contains(word), "{set}");
        }
        let key = opened.body.split("content=\"").nth(1).unwrap().split('"').next().unwrap();
        assert!(key.len() == 64 && !set.contains(key), "{set}");
        Self {
            cookie: format!("Cookie: theme=dark; {}", set.split(';').next().unwrap()),
            key: format!("X-Wellread-Key: {key}"),
        }
    }

    fn by_link(served: &Served) -> Self {
        Self::from_reply(&ask(served, &link(served, "GET"), &[HOST, "User-Agent: Tester/1"]))
    }

    fn get(&self, served: &Served, path: &str) -> Reply {
        ask(served, &format!("GET {path}"), &[HOST, &self.cookie, &self.key])
    }
}

fn link(served: &Served, how: &str) -> String {
    let url = served.post("/api/link", &json!({})).done()["url"].as_str().unwrap().to_owned();
    format!("{how} /{}", url.splitn(4, '/').nth(3).unwrap())
}

/// What the form on the door sends.
fn enter(served: &Served, token: &str, more: &[&str]) -> Reply {
    let body = format!("token={token}");
    let lines: String =
        more.iter().map(|line| line.replace("PORT", &served.port.to_string()) + "\r\n").collect();
    let head = format!(
        "POST /open HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: text/html\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n{lines}\r\n{body}",
        served.port,
        body.len()
    );
    served.raw(head.as_bytes())
}

#[test]
fn a_browser_comes_by_a_link_that_works_once() {
    let served = Served::new();
    let request = link(&served, "GET");
    // Who only looks at what would come does not use it up.
    assert_eq!(ask(&served, &request.replace("GET", "HEAD"), &[HOST]).status, 405);
    let opened = ask(&served, &request, &[HOST, "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate"]);
    let browser = SignedIn::from_reply(&opened);
    assert!(!opened.body.contains(&served.token) && !browser.cookie.contains(&served.token));
    ask(&served, &request, &[HOST]).problem(401);

    let page = ask(&served, "GET /", &[HOST, &browser.cookie, "Sec-Fetch-Site: same-origin"]);
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    // Nothing in line: each script and each style is a file of ours.
    for page in [&page, &opened] {
        assert_eq!(page.body.matches("<script").count(), page.body.matches(" src=\"/page/js/").count());
        assert!(!page.body.contains("<style") && !page.body.contains("style=") && !page.body.contains(" on"));
        let policy = page.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    }
    assert_eq!(browser.get(&served, "/api/status").status, 200);
    // A session does not speak for another page, and a wrong token is not made good by it.
    let with = |line: &str| ask(&served, "GET /api/status", &[HOST, &browser.cookie, &browser.key, line]);
    with("Sec-Fetch-Site: same-site").problem(403);
    with("Origin: app://obsidian.md").problem(403);
    with("Authorization: Bearer wrong").problem(401);

    // Clicked on another page, it works; loaded by another page as a picture, it does not.
    let navigates = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
    SignedIn::from_reply(&ask(&served, &link(&served, "GET"), &[&[HOST], navigates.as_slice()].concat()));
    ask(&served, &link(&served, "GET"), &[HOST, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"])
        .problem(403);
    served.end();
}

#[test]
fn a_cookie_that_another_port_has_seen_opens_nothing() {
    let served = Served::new();
    let (browser, other) = (SignedIn::by_link(&served), SignedIn::by_link(&served));
    let described = served.get("/api/openapi.json").json();
    // Every cell: each route with the cookie alone, and with the key of another session.
    let mut cells = 0;
    for (path, methods) in described["paths"].as_object().unwrap() {
        let at =
            path.replace("{path}", "Home").replace("{name}", "read_file").replace("{file}", "js/main.js");
        for method in methods.as_object().unwrap().keys().map(|method| method.to_uppercase()) {
            if ["/healthz", "/readyz", "/open", "/join"].contains(&path.as_str()) {
                continue;
            }
            for lines in [vec![HOST, &browser.cookie], vec![HOST, &browser.cookie, &other.key]] {
                let status = ask(&served, &format!("{method} {at}"), &lines).status;
                // The page's own files have nothing of the user's.
                let expected = if path == "/" || path == "/page/{file}" { 200 } else { 401 };
                assert_eq!(status, expected, "{method} {at} {lines:?}");
                cells += 1;
            }
        }
    }
    assert!(cells > 100, "{cells}");
    // The key alone is nothing, and neither is the session under another name of ours.
    ask(&served, "GET /api/status", &[HOST, &browser.key]).problem(401);
    ask(&served, "GET /api/status", &["Host: localhost:PORT", &browser.cookie, &browser.key]).problem(401);
    ask(&served, "GET /", &["Host: localhost:PORT", &browser.cookie]).problem(401);
    ask(&served, "GET /api/status", &[HOST, &format!("{}0", browser.cookie), &browser.key]).problem(401);
    assert_eq!(browser.get(&served, "/api/status").status, 200);
    served.end();
}

/// An app has the token; what a browser signed in to is not for its pages.
#[test]
fn a_session_opens_nothing_for_a_page_of_a_paired_origin() {
    let desk = Desk::new();
    let served = paired(&desk);
    let browser = SignedIn::by_link(&served);
    let app = "Origin: app://obsidian.md";
    for lines in [vec![HOST, app, &browser.cookie], vec![HOST, app, &browser.cookie, &browser.key]] {
        ask(&served, "GET /api/status", &lines).problem(401);
    }
    assert_eq!(ask(&served, "GET /api/status", &[HOST, app, TOKEN]).status, 200);
    served.end();
}

#[test]
fn who_has_no_link_enters_the_token() {
    let served = Served::new();
    for address in ["GET /", "GET /open"] {
        let door = ask(&served, address, &[HOST, "Accept: text/html,*/*;q=0.8"]);
        assert_eq!((door.status, door.header("content-type")), (401, Some("text/html; charset=utf-8")));
        assert!(door.body.contains("the link that `wellread serve` prints"), "{}", door.body);
        assert!(
            door.body.contains("name=\"token\"") && door.body.contains("action=\"/open\""),
            "{}",
            door.body
        );
        // Otherwise a browser would send `Origin: null` with the form.
        assert_eq!(door.header("referrer-policy"), Some("same-origin"));
        ask(&served, address, &[HOST]).problem(401);
    }
    let token = served.token.clone();
    let browser = SignedIn::from_reply(&enter(&served, &token, &["Origin: http://127.0.0.1:PORT"]));
    assert_eq!(browser.get(&served, "/api/status").status, 200);
    enter(&served, &token, &["Origin: http://evil.example"]).problem(403);
    enter(&served, &token, &["Origin: null"]).problem(403);
    for wrong in ["", "wrong", &token[1..], "%00"] {
        let door = enter(&served, wrong, &[]);
        assert!(door.status == 401 && door.header("set-cookie").is_none(), "{door:?}");
        assert!(door.body.contains("wrong token") && door.body.contains("name=\"token\""), "{}", door.body);
    }
    assert_eq!(
        served.post_text("/open", "application/json", &json!({ "token": token }).to_string()).status,
        415
    );
    assert_eq!(served.post_text("/open", "application/x-www-form-urlencoded", "code=x").status, 400);
    let mut told = 0;
    for _ in 0..40 {
        told += usize::from(enter(&served, "wrong", &[]).status == 429);
    }
    assert!(told > 10, "{told}");
    assert_eq!(enter(&served, &token, &[]).status, 200, "the right one never waits");
    served.end();
}

#[test]
fn sessions_are_listed_and_ended_by_the_page_and_by_the_command() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    let (one, other) = (SignedIn::by_link(&served), SignedIn::by_link(&served));
    let listed = one.get(&served, "/api/sign-ins").done();
    let all = listed["sign_ins"].as_array().unwrap();
    assert_eq!(all.len(), 2, "{listed}");
    assert!(all.iter().all(|entry| entry["browser"] == "Tester/1"), "{listed}");
    let own = all.iter().find(|entry| entry["current"] == true).unwrap();
    let theirs = all.iter().find(|entry| entry["current"] == false).unwrap();
    for secret in [&one.cookie, &one.key, &other.cookie, &other.key] {
        let secret = secret.rsplit(['=', ' ']).next().unwrap();
        assert!(!listed.to_string().contains(secret), "{listed}");
    }
    let end = |id: &serde_json::Value| {
        served.post(&format!("/api/sign-ins/{}/end", id.as_str().unwrap()), &json!({}))
    };
    end(&theirs["id"]).done();
    end(&theirs["id"]).problem(404);
    other.get(&served, "/api/status").problem(401);
    other.get(&served, "/").problem(401);
    assert_eq!(one.get(&served, "/api/status").status, 200);
    // A restart keeps the other.
    served.end();
    let port = served_port(&one);
    let served = Served::with(&desk, &["--port", &port], |command| command);
    assert_eq!(one.get(&served, "/api/status").status, 200, "{own}");

    // A line that is open ends with its session.
    let mut stream = served.connect();
    let lines = format!("{}\r\n{}\r\n", one.cookie, one.key);
    let head = format!("GET /api/research/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{lines}\r\n", served.port);
    stream.write_all(head.as_bytes()).unwrap();
    let mut line = BufReader::new(stream);
    let mut first = String::new();
    line.read_line(&mut first).unwrap();
    assert!(first.contains(" 200 "), "{first}");
    assert_eq!(desk.run(["serve", "--sign-out"]).stdout, "signed out 1 browser\n");
    let mut rest = String::new();
    while line.read_line(&mut rest).unwrap() > 0 {}
    assert!(rest.ends_with("0\r\n\r\n"), "it ends by itself: {rest}");
    one.get(&served, "/api/status").problem(401);
    assert_eq!(desk.run(["serve", "--sign-out", "--json"]).done()["ended"], 0);
    served.goes_on();
    served.end();
    desk.run(["serve", "--sign-out", "--port", "0"]).complains(2);
}

/// The port that a session's cookie names.
fn served_port(session: &SignedIn) -> String {
    session.cookie.split("wellread-").nth(1).unwrap().split('=').next().unwrap().to_owned()
}

#[test]
fn the_files_of_sessions_let_nobody_in() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    let browser = SignedIn::by_link(&served);
    let folder = desk.data().join("sessions");
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        assert_eq!(mode_of(&path), 0o600);
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let kept: serde_json::Value = serde_json::from_str(&text).unwrap();
        let cookie = format!("Cookie: wellread-{}={name}", served.port);
        let key = format!("X-Wellread-Key: {}", kept["key"].as_str().unwrap());
        ask(&served, "GET /api/status", &[HOST, &cookie, &key]).problem(401);
        ask(&served, "GET /api/status", &[HOST, &browser.cookie, &key]).problem(401);
    }
    assert_eq!(ask(&served, "GET /api/sign-ins", &[HOST, TOKEN]).done()["sign_ins"][0]["current"], false);
    served.end();
}
