//! What is kept of pages, who is asked about them, and how busy hosts are treated.

use std::net::TcpListener;

use wellread_testkit::server::says;

use super::*;

fn page(head: &'static str, body: &'static str) -> Reply {
    says(200, head, body)
}

struct Shelf {
    folder: tempfile::TempDir,
    server: Server,
    names: Names,
}

impl Shelf {
    fn new(replies: Vec<Reply>) -> Self {
        let server = Server::start(replies);
        let names = Names::of(&[("x.test", at(&server))]);
        Self { folder: tempfile::tempdir().unwrap(), server, names }
    }

    /// A client of its own each time: what is kept is kept beyond a process.
    fn fetch(&self, url: &str) -> String {
        let settings = WebSettings { cache: Some(self.folder.path().join("pages")), ..settings() };
        String::from_utf8(fetch(&self.names.web(settings), url).unwrap().bytes).unwrap()
    }
}

#[test]
fn a_fresh_page_is_not_asked_for_again() {
    let shelf =
        Shelf::new(vec![page("cache-control: max-age=3600\r\ncontent-type: text/plain\r\n", "Bees.")]);
    for url in ["http://x.test/a", "http://x.test/a", "http://x.test/a#b"] {
        assert_eq!(shelf.fetch(url), "Bees.");
    }
    assert_eq!(shelf.names.asked(), ["x.test"]);
    assert_eq!(shelf.server.requests().len(), 1);
}

#[test]
fn a_stale_page_is_asked_about_and_kept_where_it_has_not_changed() {
    let tags =
        "etag: \"one\"\r\nlast-modified: Sun, 06 Nov 1994 08:49:37 GMT\r\ncontent-type: text/plain\r\n";
    let shelf = Shelf::new(vec![
        page(tags, "Bees."),
        says(304, "", ""),
        says(304, "etag: \"one\"\r\ncache-control: max-age=3600\r\n", ""),
    ]);
    for _ in 0..5 {
        assert_eq!(shelf.fetch("http://x.test/a"), "Bees.");
    }
    let requests = shelf.server.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[0].header("if-none-match"), None);
    for request in &requests[1..] {
        assert_eq!(request.header("if-none-match"), Some("\"one\""));
        assert_eq!(request.header("if-modified-since"), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
    }
}

#[test]
fn a_page_that_has_changed_takes_the_place_of_the_old_one() {
    let shelf = Shelf::new(vec![
        page("etag: \"one\"\r\n", "Bees."),
        page("etag: \"two\"\r\n", "Wax."),
        says(304, "", ""),
        page("cache-control: no-store\r\n", "Honey."),
        page("", "Hives."),
    ]);
    for text in ["Bees.", "Wax.", "Wax.", "Honey.", "Hives."] {
        assert_eq!(shelf.fetch("http://x.test/a"), text);
    }
    let requests = shelf.server.requests();
    let asked: Vec<_> = requests.iter().map(|request| request.header("if-none-match")).collect();
    assert_eq!(asked, [None, Some("\"one\""), Some("\"two\""), Some("\"two\""), None]);
}

#[test]
fn what_fails_is_not_kept_and_validators_stay_with_their_page() {
    let shelf = Shelf::new(vec![
        page("etag: \"one\"\r\n", "Bees."),
        page("etag: \"two\"\r\ncache-control: max-age=60\r\n", "Wax."),
        says(404, "cache-control: max-age=60\r\n", "Gone."),
        says(302, "location: /b\r\ncache-control: max-age=60\r\n", "x"),
        page("", "Bees again."),
    ]);
    assert_eq!(shelf.fetch("http://x.test/a"), "Bees.");
    assert_eq!(shelf.fetch("http://x.test/b"), "Wax.");
    let settings = WebSettings { cache: Some(shelf.folder.path().join("pages")), ..settings() };
    assert!(fetch(&shelf.names.web(settings), "http://x.test/c").is_err());
    assert_eq!(shelf.fetch("http://x.test/c"), "Wax.");
    assert_eq!(shelf.fetch("http://x.test/a"), "Bees again.");
    let requests = shelf.server.requests();
    let asked: Vec<_> = requests.iter().map(|request| request.header("if-none-match")).collect();
    assert_eq!(asked, [None, None, None, None, Some("\"one\"")]);
}

#[test]
fn what_was_fetched_because_the_user_named_the_host_is_not_shown_to_another_page() {
    let folder = tempfile::tempdir().unwrap();
    // A host on a usual port, so that nothing but its address speaks against it.
    let named = Server::start(vec![page("cache-control: max-age=3600\r\n", "Inside.")]);
    let other = Server::start(vec![says(302, "location: http://wiki.test/\r\n", "x")]);
    let names = Names::of(&[("x.test", at(&other))]);
    names.add("wiki.test", &[&[at(&named)]]);
    let settings = WebSettings {
        allow: vec!["wiki.test:80".to_owned()],
        cache: Some(folder.path().to_owned()),
        ..settings()
    };
    let web = names.web(settings.clone());
    assert_eq!(fetch(&web, "http://wiki.test/").unwrap().bytes, b"Inside.");
    assert_eq!(fetch(&web, "http://wiki.test/").unwrap().bytes, b"Inside.");
    assert!(matches!(fetch(&web, "http://x.test/"), Err(WebFailure::Refused { .. })));
    let strict = names.web(WebSettings { allow: Vec::new(), ..settings });
    assert!(matches!(fetch(&strict, "http://wiki.test/"), Err(WebFailure::Refused { .. })));
    named.requests();
    other.requests();
}

#[test]
fn a_folder_that_can_not_be_used_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages");
    std::fs::write(&file, "a file").unwrap();
    let server = Server::start(vec![page("etag: \"a\"\r\n", "Bees."), page("etag: \"a\"\r\n", "Bees.")]);
    let web =
        Names::of(&[("x.test", at(&server))]).web(WebSettings { cache: Some(file.clone()), ..settings() });
    for _ in 0..2 {
        assert_eq!(fetch(&web, "http://x.test/").unwrap().bytes, b"Bees.");
    }
    assert_eq!(std::fs::read(file).unwrap(), b"a file");
    server.requests();
}

#[test]
fn a_busy_host_is_asked_once_more_if_it_says_when() {
    let busy = |status| says(status, "retry-after: 0\r\n", "Slow down.");
    for status in [429, 503] {
        let server = Server::start(vec![busy(status), page("", "Bees.")]);
        let web = Names::of(&[("x.test", at(&server))]).web(settings());
        assert_eq!(fetch(&web, "http://x.test/").unwrap().bytes, b"Bees.");
        server.requests();
        let server = Server::start(vec![busy(status), busy(status)]);
        let web = Names::of(&[("x.test", at(&server))]).web(settings());
        assert_eq!(fetch(&web, "http://x.test/").unwrap_err(), WebFailure::busy(format!("status {status}")));
        server.requests();
        // Longer than there is time, or not said: once is all.
        for (head, wait) in [("retry-after: 3600\r\n", Some(3600)), ("", None)] {
            let server = Server::start(vec![says(status, head, "")]);
            let web = Names::of(&[("x.test", at(&server))]).web(settings());
            let failure = fetch(&web, "http://x.test/").unwrap_err();
            assert!(matches!(failure, WebFailure::Busy { wait_s, .. } if wait_s == wait), "{failure:?}");
            server.requests();
        }
    }
    let server = Server::start(vec![says(500, "retry-after: 0\r\n", "x")]);
    let web = Names::of(&[("x.test", at(&server))]).web(settings());
    assert!(matches!(fetch(&web, "http://x.test/"), Err(WebFailure::Unreachable { .. })));
    server.requests();
}

#[test]
fn nobody_there_is_unreachable() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let web = Names::of(&[("x.test", gone)]).web(settings());
    assert!(matches!(fetch(&web, "http://x.test/"), Err(WebFailure::Unreachable { .. })));
}
