//! Services that search, over a real connection: what is asked, and what is made of the answer.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use wellread_adapters::http::{ClientIdentity, Web, WebSettings};
use wellread_adapters::web::{Engine, EngineSettings};
use wellread_core::domain::display::render_duration;
use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{WebAnswer, WebFailure, WebQuery, WebSearchService};
use wellread_testkit::WebServer;
use wellread_testkit::web_server::{
    WebServerReply, arxiv, arxiv_error, brave, duckduckgo, duckduckgo_puzzle, searxng, tavily,
};

const ROWS: &[(&str, &str, &str)] = &[
    ("Old & new hives", "https://a.example/x?y=1&z=ü", "They are <old>."),
    ("Wax", "http://b.example/", "Soft."),
];
const KEY: &str = "sk-very-secret";

fn web() -> Web {
    Web::new(WebSettings {
        allow: Vec::new(),
        identity: ClientIdentity { user_agent: "Wellread/test".to_owned(), ca_file: None },
        wire_bytes: 1 << 20,
        decoded_bytes: 1 << 20,
        cache: None,
        offline: false,
    })
    .unwrap()
}

fn open(engine: &str, base_url: &str) -> Arc<dyn WebSearchService> {
    let engine = Engine::find(engine).unwrap();
    (engine.open)(EngineSettings { base_url, key: KEY }, web()).unwrap()
}

fn query(text: &str) -> WebQuery {
    WebQuery { text: text.to_owned(), limit: 5, offset: 0, answer: false }
}

fn ask(service: &dyn WebSearchService, query: &WebQuery) -> Result<WebAnswer, WebFailure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer = runtime.block_on(service.search(query));
    assert!(!format!("{answer:?}").contains(KEY), "{answer:?}");
    assert!(!service.identity().is_local, "it is on this machine, and passes words on");
    answer
}

/// Every service with the path that it asks, what it says when it finds something, and when it does not.
fn services(base: &str) -> Vec<(Arc<dyn WebSearchService>, &'static str, WebServerReply, WebServerReply)> {
    vec![
        (open("duckduckgo", base), "/html/", duckduckgo(ROWS), duckduckgo(&[])),
        (open("brave", base), "/res/v1/web/search", brave(ROWS), brave(&[])),
        (open("tavily", base), "/search", tavily(None, ROWS), tavily(None, &[])),
        (open("searxng", base), "/search", searxng(ROWS), searxng(&[])),
    ]
}

#[test]
fn every_service_finds_and_finds_nothing() {
    for n in 0..4 {
        let server = WebServer::start();
        let (service, path, found, none) = services(&server.base).remove(n);
        server.add_reply(path, found);
        server.add_reply(path, none);
        let answer = ask(&*service, &query("old hives")).unwrap();
        let shown: Vec<(&str, &str)> =
            answer.results.iter().map(|one| (one.title.as_str(), one.url.as_str())).collect();
        assert_eq!(
            shown,
            [("Old & new hives", "https://a.example/x?y=1&z=%C3%BC"), ("Wax", "http://b.example/")],
            "{}",
            service.identity().name
        );
        assert_eq!(ask(&*service, &query("old hives")).unwrap(), WebAnswer::default());
    }
}

#[test]
fn every_service_is_asked_in_its_own_way() {
    let server = WebServer::start()
        .with_reply("/html/", duckduckgo(ROWS))
        .with_reply("/res/v1/web/search", brave(ROWS))
        .with_reply("/search", tavily(Some("Very old."), ROWS));
    for (service, ..) in services(&server.base) {
        ask(&*service, &WebQuery { answer: true, ..query("old hives & wax") }).unwrap();
    }
    assert_eq!(
        server.request_lines(),
        [
            "GET /html/?q=old%20hives%20%26%20wax",
            "GET /res/v1/web/search?q=old%20hives%20%26%20wax&count=5&offset=0&text_decorations=false",
            "POST /search",
            "GET /search?q=old%20hives%20%26%20wax&format=json",
        ]
    );
    let requests = server.requests();
    assert_eq!(requests[1].header("x-subscription-token"), Some(KEY));
    assert_eq!(requests[2].header("authorization"), Some(&*format!("Bearer {KEY}")));
    assert_eq!(requests[2].header("content-type"), Some("application/json"));
    assert_eq!(
        requests[2].body,
        r#"{"query":"old hives & wax","search_depth":"basic","include_answer":"advanced","max_results":3}"#
    );
    for n in [0, 3] {
        assert!(!requests[n].head.contains(KEY));
    }
    assert!(requests.iter().all(|request| request.header("user-agent") == Some("Wellread/test")));
}

#[test]
fn an_answer_of_the_services_own_is_handed_on() {
    let server = WebServer::start().with_reply("/search", tavily(Some("Very old."), ROWS));
    let service = open("tavily", &server.base);
    let answer = ask(&*service, &WebQuery { answer: true, ..query("x") }).unwrap();
    assert_eq!(answer.answer.as_ref().map(Untrusted::expose), Some("Very old."));
    assert!(service.identity().answers);
}

#[test]
fn trouble_of_every_kind_is_a_failure_and_never_an_answer() {
    type Is = fn(&WebFailure) -> bool;
    let broken: Is = |failure| matches!(failure, WebFailure::Broken { .. } | WebFailure::Unreachable { .. });
    let cases: [(WebServerReply, Is); 6] = [
        (WebServerReply::status(429), |failure| matches!(failure, WebFailure::Busy { .. })),
        (WebServerReply::status(503), |failure| matches!(failure, WebFailure::Busy { .. })),
        (WebServerReply::status(500), |failure| matches!(failure, WebFailure::Unreachable { .. })),
        (WebServerReply::html("<html><h1>Log in to the hotel's network</h1>"), broken),
        (WebServerReply::html("x".repeat(2 << 20)), |failure| matches!(failure, WebFailure::TooLarge { .. })),
        (brave(ROWS).cut_in_half(), broken),
    ];
    for (reply, fits) in cases {
        let server = WebServer::start();
        for path in ["/html/", "/res/v1/web/search", "/search"] {
            server.add_reply(path, reply.clone());
        }
        for (service, ..) in services(&server.base) {
            let failure = ask(&*service, &query("x")).unwrap_err();
            assert!(fits(&failure), "{}: {failure:?}", service.identity().name);
        }
    }
}

#[test]
fn how_long_a_busy_service_asks_to_be_left_alone_is_carried_on() {
    for (status, said, seconds) in
        [(429, "30", Some(30)), (503, "0.5", Some(1)), (429, "0", None), (503, "soon", None)]
    {
        let server = WebServer::start();
        for path in ["/html/", "/res/v1/web/search", "/search", "/api/query"] {
            server.add_reply(path, WebServerReply::status(status).with_header("Retry-After", said));
        }
        let arxiv = open("arxiv", &server.base);
        let services = services(&server.base).into_iter().map(|(service, ..)| service);
        for service in services.chain([arxiv]) {
            let failure = ask(&*service, &query("x")).unwrap_err();
            assert_eq!(failure.wait_seconds(), seconds, "{failure:?}");
            let told =
                format!("asks to wait {}", render_duration(Duration::from_secs(seconds.unwrap_or_default())));
            assert_eq!(failure.message().contains(&told), seconds.is_some(), "{failure:?}");
        }
    }
}

#[test]
fn a_puzzle_a_wrong_key_and_a_redirect_are_each_told_as_what_they_are() {
    let server = WebServer::start()
        .with_reply("/html/", duckduckgo_puzzle())
        .with_reply("/res/v1/web/search", WebServerReply::status(401))
        .with_reply("/search", WebServerReply::status(403));
    let failures: Vec<WebFailure> = services(&server.base)
        .iter()
        .map(|(service, ..)| ask(&**service, &query("x")).unwrap_err())
        .collect();
    assert!(matches!(failures[0], WebFailure::Blocked { .. }), "{failures:?}");
    let WebFailure::Key { hint, .. } = &failures[1] else { panic!("{failures:?}") };
    assert!(hint.contains("BRAVE_API_KEY"), "{hint}");
    let WebFailure::Key { hint, .. } = &failures[2] else { panic!("{failures:?}") };
    assert!(hint.contains("TAVILY_API_KEY"), "{hint}");
    let WebFailure::NotSetUp { hint, .. } = &failures[3] else { panic!("{failures:?}") };
    assert!(hint.contains("json"), "{hint}");

    let elsewhere = WebServer::start();
    let server =
        WebServer::start().with_reply("/res/v1/web/search", WebServerReply::redirect(&elsewhere.url("/x")));
    ask(&*open("brave", &server.base), &query("x")).unwrap_err();
    assert!(elsewhere.requests().is_empty(), "a key does not follow a redirect");
}

#[test]
fn nobody_there_is_a_failure() {
    // A port that was free a moment ago.
    let base = format!("http://{}", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    for (service, ..) in services(&base) {
        assert!(matches!(ask(&*service, &query("x")), Err(WebFailure::Unreachable { .. })));
    }
}

#[test]
fn papers_are_found_in_pages_and_an_empty_page_is_asked_for_once_more() {
    let papers =
        &[("2301.00001v2", "On  hives,\n old", "Where $a < b$."), ("math/0601001v1", "Wax", "Soft.")];
    let server = WebServer::start()
        .with_reply("/api/query", arxiv(30, papers))
        .with_reply("/api/query", arxiv(30, &[]))
        .with_reply("/api/query", arxiv(30, papers))
        .with_reply("/api/query", arxiv(0, &[]));
    let service = open("arxiv", &server.base);
    let answer = ask(&*service, &query("old hives")).unwrap();
    assert_eq!((answer.total, answer.results.len()), (Some(30), 2));
    let first = &answer.results[0];
    assert_eq!((first.title.as_str(), first.snippet.expose()), ("On hives, old", "Where $a < b$."));
    assert_eq!(first.paper.as_ref().unwrap().authors, ["Ann Hive", "Bo Wax"]);
    let again = ask(&*service, &WebQuery { offset: 20, ..query("old hives") }).unwrap();
    assert_eq!(again.results.len(), 2);
    assert_eq!(ask(&*service, &query("nothing")).unwrap().total, Some(0));
    let lines = server.request_lines();
    assert_eq!(lines.len(), 4);
    assert!(lines[1] == lines[2] && lines[1].contains("start=20&max_results=5"), "{lines:?}");
}

#[test]
fn what_arxiv_says_is_wrong_is_told_and_an_empty_page_that_stays_is_no_answer() {
    let server = WebServer::start().with_reply("/api/query", arxiv_error("incorrect id format for abc"));
    let service = open("arxiv", &server.base);
    let Err(WebFailure::Broken { message }) = ask(&*service, &query("id:abc")) else { panic!() };
    assert_eq!(message, "arxiv says: incorrect id format for abc");
    let server = WebServer::start().with_reply("/api/query", arxiv(30, &[]));
    let service = open("arxiv", &server.base);
    assert!(matches!(ask(&*service, &query("x")), Err(WebFailure::Broken { .. })));
    assert_eq!(server.requests().len(), 2);
}
