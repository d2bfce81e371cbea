//! What the routes answer, that the description says the same, and how it ends.

use std::io::{BufReader, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::desk::{Desk, PATIENCE, column};
use crate::served::{Reply, Served};

/// The answer once the index is level with the files: right after the start it says that it is being updated.
fn search_settled(served: &Served, query: &str) -> Value {
    let begun = Instant::now();
    loop {
        let answer = served.get(&format!("/api/search?{query}")).done();
        let is_behind = answer["notice"].as_str().is_some_and(|notice| notice.contains("being updated"));
        if !is_behind || begun.elapsed() > Duration::from_secs(60) {
            return answer;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_search_answers_as_the_command_line_does() {
    let desk = Desk::new();
    desk.add_code();
    let served = Served::start(&desk);
    let rows: [(&str, &[&str]); 4] = [
        ("q=when%20do%20bees%20swarm&k=3", &["when do bees swarm", "-k", "3"]),
        (
            "q=fermentation&folder=Mead&mode=keyword",
            &["fermentation", "--folder", "Mead", "--mode", "keyword"],
        ),
        ("q=SWARM_DROP_KG&in=code", &["SWARM_DROP_KG", "--in", "code"]),
        ("q=hive+scale&in=notes&k=2", &["hive scale", "--in", "notes", "-k", "2"]),
    ];
    for (query, args) in rows {
        let mut by_command = desk.search(args);
        let mut by_server = search_settled(&served, query);
        for answer in [&mut by_command, &mut by_server] {
            assert!(answer["took_ms"].take().is_u64(), "{answer}");
        }
        assert!(!by_server["results"].as_array().unwrap().is_empty(), "{query}");
        assert_eq!(by_server, by_command, "{query}");
    }
    for (query, status) in [
        ("", 400),
        ("q=", 400),
        ("q=bees&k=0", 400),
        ("q=bees&k=many", 400),
        ("q=bees&mode=guess", 400),
        ("q=bees&q=wax", 400),
        ("q=bees&colour=red", 400),
        ("q=bees&folder=../x", 403),
        ("q=bees&folder=Nowhere", 404),
        ("q=bees&repo=nobody", 404),
    ] {
        served.get(&format!("/api/search?{query}")).problem(status);
    }
    served.end();
}

#[test]
fn status_tools_and_undo_answer_as_the_command_line_does() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    until(|| served.get("/readyz").done()["index"] == "level");
    let command = desk.run(["status", "--json", "--files"]).done();
    assert_eq!(served.get("/api/status?files=true").done(), command);
    assert_eq!(served.get("/api/tools").done(), desk.run(["tool", "--list", "--json"]).done());

    let before = desk.text("Home.md");
    let edit = json!({ "path": "Home", "content": "Written over HTTP." });
    let edited = served.tool("append_to_file", &edit).done();
    assert!(desk.text("Home.md").contains("Written over HTTP."));
    let undone = served.post("/api/undo", &json!({ "operation": edited["operation"] })).done();
    assert_eq!(column(&undone["undone"], "undid"), [edited["operation"].as_str().unwrap()]);
    assert_eq!(desk.text("Home.md"), before);

    // Each kind of error has its status, and what programs need to know of it.
    let missing = served.tool("read_file", &json!({ "path": "Varoa mite" })).problem(404);
    assert!(missing["hint"].as_str().unwrap().contains("Varroa mite"), "{missing}");
    assert!(missing["path"].is_string(), "{missing}");
    served.tool("create_file", &json!({ "path": "Home.md", "content": "over it" })).problem(409);
    served.tool("read_mind", &json!({})).problem(404);
    served.tool("read_fil", &json!({ "path": "Home" })).problem(404);
    served.post("/api/undo", &json!({ "operation": "no such" })).problem(404);
    served.end();
}

#[test]
fn the_description_names_what_there_is() {
    let served = Served::new();
    let described = served.get("/api/openapi.json").json();
    assert_eq!(described["openapi"], "3.1.0");
    for (path, method) in [
        ("/api/search", "get"),
        ("/api/notes/{path}", "get"),
        ("/api/status", "get"),
        ("/api/tools", "get"),
        ("/api/tools/{name}", "post"),
        ("/api/undo", "post"),
        ("/chat", "post"),
        ("/api/sessions", "get"),
        ("/api/sessions/{id}", "get"),
        ("/api/runs", "get"),
        ("/api/runs/{id}", "get"),
        ("/api/runs/{id}/{document}", "get"),
        ("/api/verify", "post"),
        ("/api/recheck", "post"),
        ("/api/kb/health", "get"),
        ("/api/kb/graph", "get"),
        ("/api/openapi.json", "get"),
        ("/healthz", "get"),
        ("/readyz", "get"),
        ("/metrics", "get"),
        ("/mcp", "post"),
        ("/mcp", "get"),
        ("/mcp", "delete"),
    ] {
        assert!(described["paths"][path][method].is_object(), "{method} {path}");
    }
    for (path, methods) in described["paths"].as_object().unwrap() {
        // A stream that ends when the client goes; `agenda_flow` listens to it.
        if path == "/api/research/events" {
            continue;
        }
        let at = path.replace("{path}", "Home").replace("{name}", "read_file");
        for method in methods.as_object().unwrap().keys() {
            let request = format!("{} {at}", method.to_uppercase());
            let reply =
                served.raw(served.head(&request, "Content-Length: 0\r\nConnection: close\r\n").as_bytes());
            // Whatever is wrong with so bare a request, there is somebody who says so; MCP has no stream without a session.
            assert!(!matches!(reply.status, 0 | 500..), "{request}: {reply:?}");
            assert!(!reply.body.contains("nothing at this address"), "{request}: {reply:?}");
            let status = reply.status.to_string();
            assert!(
                reply.status == 405 || methods[method]["responses"][&status].is_object(),
                "{request}: {status}"
            );
        }
    }
    served.end();
}

#[test]
fn every_answer_tells_a_browser_to_be_careful() {
    let served = Served::new();
    let stranger = |path: &str| {
        served.raw(format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes())
    };
    for reply in [
        served.get("/"),
        served.get("/healthz"),
        served.get("/nowhere"),
        served.get("/api/undo"),
        served.get("/mcp"),
        served.post_text("/mcp", "text/plain", ""),
        stranger("/"),
        stranger("/mcp"),
    ] {
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("x-frame-options", "DENY"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            let given: Vec<_> = reply.headers.iter().filter(|(known, _)| known == name).collect();
            assert!(given.len() == 1 && given[0].1 == value, "{name}: {reply:?}");
        }
        assert!(reply.header("content-security-policy").unwrap().contains("default-src 'none'"));
        assert_eq!(reply.header("server"), None);
    }
    served.end();
}

#[test]
fn the_counters_count() {
    let served = Served::new();
    for _ in 0..3 {
        served.get("/api/tools");
    }
    served.get("/api/secret-note-name");
    served.get("/api/notes/Secret%20plans");
    let reply = served.get("/metrics");
    assert!(reply.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    let value = |name: &str| {
        let line = reply.body.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in\n{}", reply.body)).parse::<f64>().unwrap()
    };
    assert_eq!(
        value("wellread_http_requests_total{route=\"/api/tools\",method=\"GET\",status=\"200\"}"),
        3.0
    );
    assert_eq!(value("wellread_http_request_seconds_count{route=\"/api/tools\"}"), 3.0);
    assert_eq!(value("wellread_http_in_flight"), 1.0);
    assert!(value("process_resident_memory_bytes") > 1e6);
    assert!(value("wellread_index_passages") >= 0.0);
    assert!(!reply.body.to_lowercase().contains("secret"), "what was asked for is no label: {}", reply.body);
    for line in reply.body.lines().filter(|line| !line.starts_with('#')) {
        let (_, number) = line.rsplit_once(' ').unwrap();
        assert!(number.parse::<f64>().is_ok(), "{line}");
    }
    served.end();
}

#[test]
fn what_is_being_served_when_the_end_comes_is_finished() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let desk = Desk::new();
        let served = Served::start(&desk);
        let body = json!({ "path": "Home", "content": "The last words." }).to_string();
        let head = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        let (first, rest) = body.split_at(10);
        let mut stream = served.connect();
        stream.write_all((served.head("POST /api/tools/append_to_file", &head) + first).as_bytes()).unwrap();
        let idle = served.connect();
        // It has begun where the counters know of it.
        until(|| served.get("/metrics").body.contains("wellread_http_in_flight 2\n"));
        served.signal(signal);
        // No new ones.
        until(|| TcpStream::connect(("127.0.0.1", served.port)).is_err());
        stream.write_all(rest.as_bytes()).unwrap();
        let reply = Reply::read(&mut BufReader::new(stream));
        reply.done();
        let (status, errors) = served.ended();
        assert_eq!(status, Some(0), "{signal:?}: {errors}");
        assert!(desk.text("Home.md").contains("The last words."));
        drop(idle);
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let served = Served::new();
    let mut stream = served.connect();
    let head = served.head("POST /api/undo", "Content-Type: application/json\r\nContent-Length: 100\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    until(|| served.get("/metrics").body.contains("wellread_http_in_flight 2\n"));
    served.signal(Signal::INT);
    until(|| TcpStream::connect(("127.0.0.1", served.port)).is_err());
    served.signal(Signal::INT);
    let (status, errors) = served.ended();
    assert_eq!(status, Some(130), "{errors}");
}

#[test]
fn it_is_ready_while_the_index_is_made() {
    let desk = Desk::bare();
    for n in 0..2000 {
        desk.save(&format!("{}/{n}.md", n / 100), format!("# Note {n}\n\nHoney and wax, number {n}.\n"));
    }
    let served = Served::start(&desk);
    assert_eq!(served.get("/api/notes/3/301").done()["path"], "3/301.md");
    until(|| served.get("/readyz").done()["index"] == "level");
    let found = served.get("/api/search?q=number%201234&k=1").done();
    assert_eq!(found["results"][0]["path"], Value::from("12/1234.md"), "{found}");
    desk.save("New.md", "A queen cup on the frame.\n");
    until(|| !served.get("/api/search?q=queen%20cup").done()["results"].as_array().unwrap().is_empty());
    served.end();
}

pub fn until(holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "it never came to that");
        thread::sleep(Duration::from_millis(5));
    }
}
