//! A page that is as it should be, and a service.

use wellread_testkit::scripted_server::{ScriptedServer, http_reply};

use super::*;
use crate::http::ServiceRequest;

#[test]
fn a_page_comes_with_its_type_and_where_it_was() {
    let server = ScriptedServer::start(vec![http_reply(
        200,
        "content-type: text/html; charset=utf-8\r\n",
        "<p>Bees.",
    )]);
    let names = Names::of(&[("x.test", at(&server))]);
    let got = fetch(&names.web(settings()), "http://x.test/bees?q=1#wax").unwrap();
    assert_eq!((got.status, got.url.as_str()), (200, "http://x.test/bees?q=1#wax"));
    assert_eq!(got.content_type.as_deref(), Some("text/html; charset=utf-8"));
    assert_eq!(got.bytes, b"<p>Bees.");
    let request = &server.into_requests()[0];
    assert_eq!(request.first_line(), "GET /bees?q=1 HTTP/1.1");
    let mut sent: Vec<&str> =
        request.head.lines().skip(1).filter_map(|line| Some(line.split_once(':')?.0)).collect();
    sent.sort_unstable();
    assert_eq!(sent, ["accept", "accept-encoding", "host", "user-agent"]);
    assert_eq!(request.header("host"), Some("x.test"));
    assert_eq!(request.header("user-agent"), Some("Wellread/test"));
}

#[test]
fn a_service_is_asked_wherever_it_is_and_answers_with_any_status() {
    let server = ScriptedServer::start(vec![
        http_reply(418, "content-type: application/json\r\nretry-after: 7\r\n", "{}"),
        http_reply(200, "", ""),
    ]);
    let web = Web::new(settings()).unwrap();
    let mut asked = ServiceRequest {
        base: &server.base,
        path: "/search?q=bees".to_owned(),
        headers: vec![("x-key".parse().unwrap(), "secret".parse().unwrap())],
        body: None,
        limit: LONG,
    };
    let got = wait(web.call_service(&asked)).unwrap();
    assert_eq!((got.status, got.bytes.as_slice()), (418, b"{}".as_slice()));
    assert_eq!(got.url, format!("{}/search?q=bees", server.base));
    asked.body = Some(b"{\"q\":1}".to_vec());
    assert!(wait(web.call_service(&asked)).unwrap().bytes.is_empty());
    let requests = server.into_requests();
    assert_eq!(requests[0].first_line(), "GET /search?q=bees HTTP/1.1");
    assert_eq!(requests[0].header("x-key"), Some("secret"));
    assert_eq!(requests[1].first_line(), "POST /search?q=bees HTTP/1.1");
    assert_eq!(requests[1].body, "{\"q\":1}");
}

#[test]
fn offline_nothing_is_sent() {
    let server = ScriptedServer::start(Vec::new());
    let names = Names::of(&[("x.test", at(&server))]);
    let web = names.web(WebSettings { offline: true, ..settings() });
    let refused = WebFailure::Refused { message: "offline: nothing is sent".to_owned() };
    assert_eq!(fetch(&web, "http://x.test/").unwrap_err(), refused);
    let asked =
        ServiceRequest { base: &server.base, path: String::new(), headers: vec![], body: None, limit: LONG };
    assert_eq!(wait(web.call_service(&asked)).unwrap_err(), refused);
    assert!(names.asked().is_empty());
}
