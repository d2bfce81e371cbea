//! What a remote client may not do although it has a token: reach the user's own work, send words elsewhere, or outlive the
//! session in which it was allowed.

use serde_json::json;
use wellread_core::domain::id::RunId;
use wellread_core::ports::RunLogs as _;
use wellread_core::ports::event::RunKind;
use wellread_testkit::run_fixtures::{began_event, record_run};
use wellread_testkit::web_server::{WebServer, WebServerReply};

use crate::desk::Desk;
use crate::remote::{Ask, CALLBACK, MCP, PUBLIC, Remote, redemption, result};
use crate::served::Served;

#[test]
fn the_runs_of_others_are_not_a_clients_tasks() {
    const RUN: &str = "01000000000001";
    let desk = Desk::new();
    let (records, id) = (desk.records(), RunId::parse(RUN).unwrap());
    record_run(&records, &id, RunKind::Ask, "What keeps?", &[began_event(RunKind::Ask, "What keeps?")]);
    let remote = Remote::start(&desk);
    let (_, tokens) = remote.connect(MCP, &["read", "research"]);
    let tasks = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let params = json!({ "taskId": RUN, "inputResponses": {} });
        let reply = remote.say_declaring("/mcp", &tokens.access, method, params, &tasks);
        assert!(reply.body.contains("there is no task"), "{method}: {reply:?}");
        assert!(!reply.body.contains("What keeps?"), "{method}: {reply:?}");
    }
    assert_eq!(records.events(&id).unwrap().len(), 1, "nothing was ended");
    remote.served.end();
}

#[test]
fn a_code_ends_with_the_session_in_which_it_was_allowed() {
    let desk = Desk::new();
    let remote = Remote::start(&desk);
    let client = remote.register(CALLBACK);
    let code = remote.code(&client, MCP, &["read", "decide"]);
    assert!(desk.run(["serve", "--sign-out"]).stdout.contains("signed out 1 browser"));
    let refused = remote.token(&redemption(&client, &code));
    assert_eq!((refused.status, refused.json()["error"].clone()), (400, json!("invalid_grant")));
    remote.served.end();
}

#[test]
fn every_other_scope_needs_to_read() {
    let desk = Desk::new();
    let remote = Remote::start(&desk);
    let query = Ask::new(&remote.register(CALLBACK)).with("scope", "write").query();
    let vaults = remote.vaults(&query);
    let refused = remote.allow(&query, &["write"], &vaults).problem(400);
    assert!(refused.to_string().contains("needs `read`"), "{refused}");
    let allowed = remote.allow(&query, &["read", "write"], &vaults).done();
    assert!(allowed["redirect"].as_str().unwrap().contains("code="), "{allowed}");
    remote.served.end();
}

/// An address that leads here, and is not known to.
fn elsewhere(web: &WebServer) -> String {
    web.base.replace("127.0.0.1", "0.0.0.0")
}

#[test]
fn who_may_only_read_sends_no_words_to_an_embedding_model_elsewhere() {
    let desk = Desk::new();
    let web = WebServer::start().with_reply("/embeddings", WebServerReply::status(500));
    let served = Served::with(&desk, &[], |command| {
        command
            .env("WELLREAD_SERVER_PUBLIC_URL", PUBLIC)
            .env("WELLREAD_EMBEDDING_PROVIDER", "openai")
            .env("WELLREAD_EMBEDDING_NAME", "m1")
            .env("WELLREAD_EMBEDDING_BASE_URL", elsewhere(&web))
    });
    let remote = Remote::new(served);
    let search = |scopes: &[&str], query: &str| {
        let (_, tokens) = remote.connect(MCP, scopes);
        let args = json!({ "query": query, "mode": "semantic" });
        result(&remote.call("/mcp", &tokens.access, "search_notes", &args)).to_string()
    };
    let withheld = "may not send words there";
    let answer = search(&["read"], "zwetschge");
    assert!(answer.contains(withheld), "{answer}");
    assert!(!web.requests().iter().any(|request| request.body.contains("zwetschge")), "{answer}");
    // Who may research is told what the service says.
    let answer = search(&["read", "research"], "mirabelle");
    assert!(!answer.contains(withheld) && answer.contains("0.0.0.0"), "{answer}");
    remote.served.end();
}

#[test]
fn a_page_of_a_paired_origin_is_not_let_in_by_the_public_name() {
    let desk = Desk::new();
    let origin = "https://app.example";
    let served = Served::with(&desk, &[], |command| {
        command.env("WELLREAD_SERVER_PUBLIC_URL", PUBLIC).env("WELLREAD_SERVER_ORIGINS", origin)
    });
    let remote = Remote::new(served);
    let body = format!("token={}", remote.served.token);
    let lines = [&*format!("Origin: {origin}")];
    let refused = remote.post("/open", &lines, "application/x-www-form-urlencoded", &body);
    assert_eq!((refused.status, refused.header("set-cookie")), (401, None), "{refused:?}");
    remote.served.end();
}
