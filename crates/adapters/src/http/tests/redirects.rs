//! Hosts that send on.

use wellread_testkit::scripted_server::http_reply;

use super::secure::{SecureServer, authority};
use super::*;
use crate::http::ServiceRequest;

fn on(status: u16, to: &str) -> ReplyHandler {
    let head = format!("location: {to}\r\n");
    Box::new(move |request, stream| {
        http_reply(status, Box::leak(head.into_boxed_str()), "x")(request, stream);
    })
}

fn page() -> ReplyHandler {
    http_reply(200, "content-type: text/plain\r\n", "Bees.")
}

/// Fetches the first page of a host with these replies, of which all have to be needed.
fn through(replies: Vec<ReplyHandler>) -> Result<WebResponse, WebFailure> {
    let count = replies.len();
    let server = ScriptedServer::start(replies);
    let names = Names::of(&[("x.test", at(&server)), ("y.test", at(&server))]);
    let answer = fetch(&names.web(settings()), "http://x.test/a/b?c");
    assert_eq!(server.into_requests().len(), count);
    answer
}

#[test]
fn every_code_that_sends_on_is_followed() {
    for code in [301, 302, 303, 307, 308] {
        assert_eq!(
            through(vec![on(code, "http://y.test/z"), page()]).unwrap().url,
            "http://y.test/z",
            "{code}"
        );
    }
}

#[test]
fn other_codes_of_that_family_are_failures() {
    for code in [300, 304, 305, 306, 309, 399] {
        let failure = through(vec![on(code, "http://y.test/z")]).unwrap_err();
        assert_eq!(failure, WebFailure::Broken { message: format!("status {code}") });
    }
}

#[test]
fn a_way_may_have_five_steps_and_not_six() {
    let chain = |steps: usize| (0..steps).map(|step| on(302, &format!("/{step}"))).collect::<Vec<_>>();
    let mut five = chain(5);
    five.push(page());
    assert_eq!(through(five).unwrap().url, "http://x.test/4");
    // The sixth is asked for where to go and not followed.
    let failure = through(chain(6)).unwrap_err();
    assert_eq!(failure, WebFailure::Refused { message: "there are more than 5 redirects".to_owned() });
    let failure = through((0..6).map(|_| on(301, "/a/b?c")).collect()).unwrap_err();
    assert!(matches!(failure, WebFailure::Refused { .. }), "{failure:?}");
}

#[test]
fn a_way_may_be_told_relatively() {
    for (told, meant) in [
        ("/z", "http://x.test/z"),
        ("z", "http://x.test/a/z"),
        ("../../../z", "http://x.test/z"),
        ("?d", "http://x.test/a/b?d"),
        ("//y.test/z", "http://y.test/z"),
        ("http:z", "http://x.test/a/z"),
        ("", "http://x.test/a/b?c"),
        ("/%7e/\u{e4}", "http://x.test/%7e/%C3%A4"),
    ] {
        assert_eq!(through(vec![on(302, told), page()]).unwrap().url, meant, "{told:?}");
    }
}

#[test]
fn a_way_that_leads_inside_or_elsewhere_is_refused() {
    for to in [
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://0x7f.1/",
        "http://169.254.169.254/latest",
        "//10.0.0.1/",
        "http://localhost/",
        "http://user@y.test/",
        "http://user:sesame@y.test/",
        "file:///etc/passwd",
        "ftp://y.test/",
        "data:text/html,x",
        "javascript:1",
        "gopher://y.test:70/",
        "http://y.test:22/",
        "http://y.test:8080/",
        "http://y.te\tst/",
        "http://nowhere.test\t/",
        "http://[::1%25lo]/",
        "http:///",
        "http://",
        "about:blank",
        "\\\\127.0.0.1\\x",
    ] {
        let failure = through(vec![on(302, to)]).unwrap_err();
        let local = matches!(&failure, WebFailure::Unreachable { message } if message.contains("localhost"));
        assert!(local || matches!(failure, WebFailure::Refused { .. }), "{to:?}: {failure:?}");
        assert!(!failure.message().contains("sesame"), "{to:?}");
    }
    let long = format!("/{}", "a".repeat(9 << 10));
    assert!(matches!(through(vec![on(302, &long)]).unwrap_err(), WebFailure::Refused { .. }));
}

#[test]
fn a_way_that_leads_nowhere_is_a_failure() {
    let broken = |replies| assert!(matches!(through(replies), Err(WebFailure::Broken { .. })));
    broken(vec![http_reply(302, "", "x")]);
    broken(vec![http_reply(301, "location: /a\r\nlocation: /b\r\n", "x")]);
    let raw: ReplyHandler = Box::new(|_, stream| {
        io::Write::write_all(stream, b"HTTP/1.1 302 X\r\nlocation: /\xff\xfe\r\ncontent-length: 0\r\n\r\n")
            .unwrap();
    });
    broken(vec![raw]);
    assert!(matches!(through(vec![on(302, "http://nowhere.test/")]), Err(WebFailure::Unreachable { .. })));
}

#[test]
fn nothing_crosses_from_one_origin_to_another() {
    let first = ScriptedServer::start(vec![http_reply(
        302,
        "location: http://y.test/z\r\nset-cookie: a=b\r\nwww-authenticate: Basic\r\n",
        "x",
    )]);
    let second = ScriptedServer::start(vec![page()]);
    let names = Names::of(&[("x.test", at(&first)), ("y.test", at(&second))]);
    fetch(&names.web(settings()), "http://x.test/secret?token=7").unwrap();
    let heads = [first.into_requests().remove(0).head, second.into_requests().remove(0).head];
    let names_of = |head: &str| -> Vec<String> {
        head.lines().skip(1).filter_map(|line| Some(line.split_once(':')?.0.to_owned())).collect()
    };
    assert_eq!(names_of(&heads[0]), names_of(&heads[1]));
    let lower = heads[1].to_lowercase();
    for word in ["cookie", "referer", "authorization", "token", "x.test", "origin"] {
        assert!(!lower.contains(word), "{word} in {lower}");
    }
}

#[test]
fn a_service_that_sends_on_is_not_followed() {
    let server = ScriptedServer::start(vec![on(302, "http://127.0.0.1/")]);
    let asked = ServiceRequest {
        base: &server.base,
        path: "/s".to_owned(),
        headers: vec![],
        body: None,
        limit: LONG,
    };
    assert_eq!(wait(Web::new(settings()).unwrap().call_service(&asked)).unwrap().status, 302);
    server.into_requests();
}

#[test]
fn a_path_does_not_lead_away_from_its_service() {
    let web = Web::new(settings()).unwrap();
    for path in
        ["@127.0.0.1:1/", ":1@127.0.0.1/", "1/", ".evil.test/", "/../x", "/a/../../x", "/a\r\nb", "x", "\t/a"]
    {
        let asked = ServiceRequest {
            base: "http://127.0.0.1:9/v1",
            path: path.to_owned(),
            headers: vec![],
            body: None,
            limit: LONG,
        };
        let failure = wait(web.call_service(&asked)).unwrap_err();
        assert!(matches!(failure, WebFailure::Refused { .. }), "{path:?}: {failure:?}");
    }
}

#[test]
fn only_a_named_host_leads_to_a_named_host() {
    let named = ScriptedServer::start(vec![on(302, "/moved"), page()]);
    let other = ScriptedServer::start(vec![on(302, &format!("http://{}/", at(&named)))]);
    let names = Names::of(&[("x.test", at(&other))]);
    let web = names.web(WebSettings { allow: vec![at(&named).to_string()], ..settings() });
    assert!(matches!(fetch(&web, "http://x.test/"), Err(WebFailure::Refused { .. })));
    assert_eq!(fetch(&web, &format!("http://{}/", at(&named))).unwrap().bytes, b"Bees.");
    named.into_requests();
    other.into_requests();
}

#[test]
fn from_an_encrypted_host_none_that_is_not_encrypted_is_reached() {
    let open = ScriptedServer::start(vec![on(302, "https://x.test/2")]);
    let secret = SecureServer::start(vec![
        on(302, "https://x.test/3"),
        page(),
        on(302, "http://y.test/"),
        on(307, "//y.test/"),
    ]);
    let names = Names::of(&[("x.test", secret.at), ("y.test", at(&open))]);
    let web = names.web(settings_trusting(authority()));
    // Up, and on among encrypted ones.
    assert_eq!(fetch(&web, "http://y.test/").unwrap().url, "https://x.test/3");
    let down = fetch(&web, "https://x.test/").unwrap_err();
    assert_eq!(
        down,
        WebFailure::Refused { message: "x.test redirects to an address that is not encrypted".to_owned() }
    );
    // Without a scheme it stays encrypted: y.test has another name than its certificate's, and does not speak so at all.
    assert!(matches!(
        fetch(&web, "https://x.test/"),
        Err(WebFailure::Unreachable { .. } | WebFailure::Broken { .. })
    ));
    assert_eq!(secret.requests().len(), 4);
    assert_eq!(open.into_requests().len(), 1);
}
