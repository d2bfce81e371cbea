//! What no honest client sends: broken, huge, deep, slow and ambiguous requests. Each gets its status, and the server goes on.

use std::io::{BufReader, Read as _, Write as _};
use std::thread;

use serde_json::json;

use crate::desk::Desk;
use crate::served::{Reply, Served, half_close};

const MEGABYTE: usize = 1024 * 1024;
const TOOL: &str = "POST /api/tools/read_file";
const JSON: &str = "Content-Type: application/json\r\n";

#[test]
fn a_body_is_json_and_says_so() {
    let served = Served::new();
    let body = json!({ "path": "Home" }).to_string();
    assert_eq!(
        served.post_text("/api/tools/read_file", "application/json; charset=utf-8", &body).status,
        200
    );
    for media_type in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "x", ""]
    {
        served.post_text("/api/tools/read_file", media_type, &body).problem(415);
        served.post_text("/mcp", media_type, &body).problem(415);
    }
    for broken in
        ["", "{", "nonsense", "{\"path\": \"Home\"} x", "\"\\ud800\"", "{\"path\": 1e999}", "\u{feff}{}"]
    {
        served.post_text("/api/tools/read_file", "application/json", broken).problem(400);
    }
    for misfit in ["[]", "7", "{\"path\": 7}", "{}", "{\"path\": \"Home\", \"more\": 1}"] {
        served.post_text("/api/tools/read_file", "application/json", misfit).problem(400);
    }
    let not_text =
        [served.head(TOOL, &format!("{JSON}Content-Length: 4\r\n")).as_bytes(), b"\"\xff\xfe\""].concat();
    served.raw(&not_text).problem(400);
    served.goes_on();
    served.end();
}

#[test]
fn a_body_is_neither_huge_nor_deep() {
    let served = Served::new();
    for path in ["/api/tools/read_file", "/mcp", "/api/undo"] {
        for deep in
            ["[".repeat(100_000), "{\"a\":".repeat(100_000), format!("{}1{}", "[".repeat(65), "]".repeat(65))]
        {
            assert!(
                served.post_text(path, "application/json", &deep).problem(400)["detail"]
                    .to_string()
                    .contains("deep")
            );
        }
        let request = format!("POST {path}");
        // It says so, and need not be read.
        let said = served.head(&request, &format!("{JSON}Content-Length: 99999999999\r\n"));
        served.raw(said.as_bytes()).problem(413);
        let said =
            served.head(&request, &format!("{JSON}Expect: 100-continue\r\nContent-Length: 2000000\r\n"));
        served.raw(said.as_bytes()).problem(413);
        // It does not say so.
        let mut chunked =
            served.head(&request, &format!("{JSON}Transfer-Encoding: chunked\r\n")).into_bytes();
        for _ in 0..20 {
            chunked.extend(format!("{:x}\r\n{}\r\n", MEGABYTE / 16, " ".repeat(MEGABYTE / 16)).bytes());
        }
        served.raw(&chunked).problem(413);
    }
    let largest = format!("{}{}", " ".repeat(MEGABYTE - 16), "{\"path\":\"Home\"}");
    assert_eq!(served.post_text("/api/tools/read_file", "application/json", &largest).status, 200);
    served.goes_on();
    served.end();
}

#[test]
fn a_head_that_makes_no_sense_is_refused() {
    let served = Served::new();
    let get = |more: &str| served.raw(served.head("GET /api/status", more).as_bytes());
    let many: String = (0..500).map(|n| format!("X-{n}: y\r\n")).collect();
    assert_eq!(get(&many).status, 431);
    assert_eq!(get(&format!("X-Long: {}\r\n", "y".repeat(200_000))).status, 431);
    assert_eq!(get("No colon\r\n").status, 400);
    assert_eq!(get("Bad name: y\r\n").status, 400);
    assert_eq!(get("X: a\u{1}b\r\n").status, 400);
    for nonsense in
        ["\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET /healthz HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\r\n\r\n"]
    {
        assert_eq!(served.raw(nonsense.as_bytes()).status, 400, "{nonsense:?}");
    }
    let long = served.get(&format!("/api/notes/{}", "a".repeat(70_000)));
    assert!(matches!(long.status, 414 | 431), "{long:?}");
    // An older client is served, where it says what the guard asks for.
    let old = |host: &str| {
        let head = format!("GET /healthz HTTP/1.0\r\n{host}\r\n");
        served.raw(head.as_bytes())
    };
    assert_eq!(old(&format!("Host: localhost:{}\r\n", served.port)).status, 200);
    old("").problem(403);
    served.goes_on();
    served.end();
}

#[test]
fn an_ambiguous_length_is_never_read_in_two_ways() {
    let served = Served::new();
    let smuggled = served.head("GET /healthz", "");
    // The length would end the body before what follows; the chunks end after it, or the other way round.
    let both = |first: &str, second: &str, body: &str| {
        let mut stream = served.connect();
        let head = served.head(TOOL, &format!("{JSON}{first}{second}Connection: close\r\n"));
        stream.write_all((head + body).as_bytes()).unwrap();
        let mut replies = BufReader::new(stream);
        let mut statuses = Vec::new();
        loop {
            match Reply::read(&mut replies).status {
                0 => return statuses,
                status => statuses.push(status),
            }
        }
    };
    let (length, chunked) = ("Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n");
    for (one, other) in [(length, chunked), (chunked, length)] {
        assert_eq!(both(one, other, &format!("0\r\n\r\n{smuggled}")), [400], "{one}{other}");
    }
    for (one, other) in [
        (length, "Content-Length: 6\r\n"),
        ("Content-Length: +5\r\n", ""),
        ("Content-Length: -1\r\n", ""),
        ("Content-Length: 5, 6\r\n", ""),
        ("Content-Length: 99999999999999999999999\r\n", ""),
        ("Transfer-Encoding: gzip\r\n", ""),
        ("Transfer-Encoding: chunked, identity\r\n", ""),
    ] {
        assert_eq!(both(one, other, &format!("[1,2]{smuggled}")), [400], "{one}{other}");
    }
    for size in ["zz", "-1", "fffffffffffffffff", "5;\n5"] {
        let statuses = both(chunked, "", &format!("{size}\r\n[1,2]\r\n0\r\n\r\n"));
        assert_eq!(statuses, [400], "{size}");
    }
    served.goes_on();
    served.end();
}

#[test]
fn requests_in_a_row_are_answered_in_their_order() {
    let served = Served::new();
    let requests: Vec<(String, u16)> = (0..30)
        .map(|n| match n % 3 {
            0 => (served.head("GET /api/tools", ""), 200),
            1 => (served.head("GET /nowhere", ""), 404),
            _ => (served.head("DELETE /api/status", ""), 405),
        })
        .collect();
    let mut stream = served.connect();
    let all: String = requests.iter().map(|(request, _)| request.as_str()).collect();
    stream.write_all(all.as_bytes()).unwrap();
    let mut replies = BufReader::new(stream);
    for (n, (_, status)) in requests.iter().enumerate() {
        assert_eq!(Reply::read(&mut replies).status, *status, "number {n}");
    }
    served.end();
}

#[test]
fn a_method_that_an_address_does_not_take_is_refused() {
    let served = Served::new();
    for (request, allow) in [
        ("POST /api/status", "GET,HEAD"),
        ("PUT /api/notes/Home", "GET,HEAD"),
        ("DELETE /api/notes/Home", "GET,HEAD"),
        ("GET /api/tools/read_file", "POST"),
        ("GET /api/undo", "POST"),
        ("HEAD /api/undo", "POST"),
        ("OPTIONS /api/status", "GET,HEAD"),
        ("TRACE /api/status", "GET,HEAD"),
        ("FROB /api/status", "GET,HEAD"),
        ("get /api/status", "GET,HEAD"),
        ("PUT /mcp", "POST,GET,HEAD,DELETE"),
    ] {
        let reply = served.raw(served.head(request, "Connection: close\r\nContent-Length: 0\r\n").as_bytes());
        assert_eq!((reply.status, reply.header("allow")), (405, Some(allow)), "{request}: {reply:?}");
    }
    let connect = served.raw(served.head(&format!("CONNECT 127.0.0.1:{}", served.port), "").as_bytes());
    assert!(matches!(connect.status, 404 | 405), "{connect:?}");
    let mut stream = BufReader::new(served.connect());
    stream.get_mut().write_all(served.head("HEAD /api/status", "").as_bytes()).unwrap();
    let head = Reply::read_for("HEAD", &mut stream);
    assert!(head.status == 200 && head.header("content-length").is_some(), "{head:?}");
    let get = served.get("/api/status");
    assert_eq!(get.status, 200);
    served.end();
}

#[test]
fn no_path_leads_out_of_the_vault() {
    let desk = Desk::new();
    std::fs::write(desk.folder().join("secret.md"), "the secret\n").unwrap();
    let served = Served::start(&desk);
    assert!(served.get("/api/notes/Home.md").done()["text"].as_str().unwrap().contains("# Home"));
    let spelled = served.get("/api/notes/Bees%2FSwarming").done();
    assert_eq!(
        (&spelled["path"], &spelled["frontmatter"]["season"]),
        (&json!("Bees/Swarming.md"), &json!("April to July"))
    );
    assert_eq!(spelled["hash"].as_str().unwrap().len(), 64);
    for path in [
        "..",
        "../..",
        "../secret.md",
        "%2e%2e/secret.md",
        "%2e%2e%2fsecret.md",
        "..%2fsecret.md",
        "Bees/../../secret.md",
        "..%5csecret.md",
        "%2fetc%2fpasswd",
        "/etc/passwd",
        "//etc/passwd",
        "%00",
        "Home.md%00.png",
        "%ff%fe",
        "%c0%ae%c0%ae/secret.md",
        "%252e%252e%252fsecret.md",
        "....//secret.md",
        ".obsidian/app.json",
        "%0d%0aX:%20y",
        "Bees",
        "",
    ] {
        let reply = served.get(&format!("/api/notes/{path}"));
        assert!(matches!(reply.status, 400 | 403 | 404), "{path}: {reply:?}");
        reply.problem(reply.status);
        assert!(!reply.body.contains("the secret") && !reply.body.contains("root:"), "{path}");
    }
    let overlong = served.get(&format!("/api/notes/{}", "a/".repeat(4000)));
    overlong.problem(403);
    for path in [
        "/api/../healthz",
        "/./healthz",
        "//healthz",
        "/healthz/",
        "/api/tools/../status",
        "/HEALTHZ",
        "/%68ealthz",
    ] {
        served.get(path).problem(404);
    }
    served.goes_on();
    served.end();
}

/// The slow ones wait for the server, not for a clock of ours: it ends them by itself.
#[test]
fn who_is_slow_is_dropped() {
    let served = Served::new();
    thread::scope(|scope| {
        let slow = |begun: String| {
            let mut stream = served.connect();
            stream.write_all(begun.as_bytes()).unwrap();
            scope.spawn(move || {
                let mut all = Vec::new();
                let _ = stream.read_to_end(&mut all);
                String::from_utf8(all).unwrap()
            })
        };
        let silent = slow(String::new());
        let head = slow(format!("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", served.port));
        let kept = slow(served.head("GET /healthz", ""));
        let body = slow(served.head(TOOL, &format!("{JSON}Content-Length: 100\r\n")) + "{\"path\":");
        let chunk = slow(served.head(TOOL, &format!("{JSON}Transfer-Encoding: chunked\r\n")) + "5\r\n[1");
        let stranger =
            slow(served.head("POST /mcp", "Content-Length: 100\r\n").replace(&served.token, "x") + "{");
        served.goes_on();
        assert_eq!(silent.join().unwrap(), "");
        // What is late by a head gets no answer, or is told so; it is not kept waiting.
        assert!(!head.join().unwrap().starts_with("HTTP/1.1 200"));
        assert_eq!(kept.join().unwrap().matches("HTTP/1.1 ").count(), 1, "it was answered, then let go");
        assert!(body.join().unwrap().starts_with("HTTP/1.1 408"));
        assert!(chunk.join().unwrap().starts_with("HTTP/1.1 408"));
        assert!(stranger.join().unwrap().starts_with("HTTP/1.1 401"));
    });
    served.goes_on();
    served.end();
}

#[test]
fn who_breaks_off_does_no_harm() {
    let served = Served::new();
    let whole = served.head(TOOL, &format!("{JSON}Content-Length: 15\r\n")) + "{\"path\":\"Home\"}";
    for end in (0..whole.len()).step_by(7) {
        let mut stream = served.connect();
        stream.write_all(&whole.as_bytes()[..end]).unwrap();
        if end % 2 == 0 {
            half_close(&stream);
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest);
            assert!(!rest.starts_with(b"HTTP/1.1 200"), "half a request was served: {end}");
        }
    }
    served.goes_on();
    served.end();
}

/// More than the server takes at once.
const STALLED: usize = 520;

#[test]
fn connections_that_say_nothing_do_not_keep_others_out() {
    let served = Served::new();
    let half = format!("GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", served.port);
    let stalled: Vec<_> = (0..STALLED)
        .map(|number| {
            let mut stream = served.connect();
            if number % 2 == 0 {
                stream.write_all(half.as_bytes()).unwrap();
            }
            stream
        })
        .collect();
    // What was said first may have been given up meanwhile; the others are closed because somebody came.
    for _ in 0..3 {
        served.goes_on();
    }
    let metrics = served.get("/metrics").body;
    let closed =
        metrics.lines().find_map(|line| line.strip_prefix("wellread_http_connections_closed_total "));
    let closed: usize = closed.unwrap().parse().unwrap();
    assert!(closed > STALLED - 512, "{closed} were closed to make room");
    drop(stalled);
    served.end();
}

#[test]
fn a_connection_whose_request_was_not_read_to_its_end_is_said_to_close() {
    let served = Served::new();
    let closes = |reply: &Reply| reply.header("connection") == Some("close");
    // Refused by its head alone, with the body still on its way.
    for head in [
        served
            .head("POST /api/undo", &format!("{JSON}Content-Length: 5\r\n"))
            .replace("Authorization", "X-Other"),
        served.head("POST /api/nowhere", &format!("{JSON}Content-Length: 5\r\n")),
        served.head("GET /api/status", &format!("{JSON}Content-Length: 5\r\n")),
    ] {
        let reply = served.raw(head.as_bytes());
        assert!(closes(&reply), "{head}: {} {:?}", reply.status, reply.headers);
    }
    // Read, or without a body: the connection goes on.
    let body = r#"{"path":"Home"}"#;
    let read = served.head(TOOL, &format!("{JSON}Content-Length: {}\r\n", body.len())) + body;
    for request in [read, served.head("GET /api/status", ""), served.head("GET /api/nowhere", "")] {
        let reply = served.raw(request.as_bytes());
        assert!(reply.status != 0 && !closes(&reply), "{request}: {:?}", reply.headers);
    }
    served.end();
}
