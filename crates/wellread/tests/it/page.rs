//! What the page is served with: its files, the settings and the doctor. How it behaves is seen in `browser`.

use serde_json::Value;

use crate::desk::{Desk, column};
use crate::served::Served;

#[test]
fn the_page_names_only_files_that_are_served_each_as_what_it_is() {
    let served = Served::new();
    let page = served.get("/").body;
    let names: Vec<&str> =
        page.split("\"/page/").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(names.len() > 5, "{names:?}");
    for name in names.into_iter().chain(["js/graph/worker.js", "js/views/inbox.js", "js/engine_labels.js"]) {
        let reply = served.get(&format!("/page/{name}"));
        let media_type = match name.rsplit_once('.').unwrap().1 {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            _ => "image/svg+xml",
        };
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(media_type)), "{name}");
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.contains("worker-src 'self'") && !policy.contains("unsafe"), "{policy}");
    }
    for name in ["", "js/nothing.js", "index.html", "../Cargo.toml", "..%2fCargo.toml", "js"] {
        assert!(matches!(served.get(&format!("/page/{name}")).status, 400 | 404), "{name}");
    }
    let stranger = format!(
        "GET /page/js/main.js HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n",
        served.port
    );
    served.raw(stranger.as_bytes()).problem(401);
    served.end();
}

#[test]
fn settings_and_doctor_answer_as_the_command_line_does() {
    let desk = Desk::new();
    let before = desk.tree();
    let served = Served::with(&desk, &[], |command| command.env("BRAVE_API_KEY", "not-to-be-seen"));
    let reply = served.get("/api/settings");
    assert!(
        !reply.body.contains("not-to-be-seen") && !reply.body.contains(&served.token),
        "a secret is shown"
    );
    let settings = reply.done();
    let set = &settings["settings"]["search.brave.api_key"];
    assert_eq!(set["from"], "$BRAVE_API_KEY", "{set}");
    let mut command = desk.here();
    let command = command.env("BRAVE_API_KEY", "not-to-be-seen").args(["config", "show", "--json"]);
    assert_eq!(settings, crate::desk::Ran::of(command).done());

    let by_server = served.get("/api/doctor").done();
    let by_command = desk.run(["doctor", "--json"]).done();
    assert_eq!(column(&by_server["checks"], "name"), column(&by_command["checks"], "name"));
    assert_eq!((&by_server["healthy"], &by_command["healthy"]), (&Value::Bool(true), &Value::Bool(true)));
    assert_eq!(desk.tree(), before, "it takes away what it made");
    served.end();
}
