//! Names whose answer changes, or is not all public; and an answer that comes from somewhere else.

use std::net::TcpListener;

use reqwest::Method;
use reqwest::header::HeaderMap;
use wellread_testkit::scripted_server::http_reply;

use super::*;
use crate::http::dial::{DialRequest, Dialer};

/// A socket that nobody may connect to.
struct Canary(TcpListener);

impl Canary {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn at(&self) -> SocketAddr {
        self.0.local_addr().unwrap()
    }

    fn is_untouched(&self) -> bool {
        self.0.accept().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}

fn refused(answer: Result<WebResponse, WebFailure>) -> String {
    match answer {
        Err(WebFailure::Refused { message }) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_checked_is_what_is_dialled_whatever_the_name_says_next() {
    let (server, canary) = (ScriptedServer::start(vec![http_reply(200, "", "Bees.")]), Canary::new());
    let names = Names::of(&[("x.test", at(&server))]);
    names.add("x.test", &[&[at(&server)], &[canary.at()]]);
    assert_eq!(fetch(&names.web(settings()), "http://x.test/").unwrap().bytes, b"Bees.");
    assert_eq!(names.asked(), ["x.test"]);
    assert_eq!(server.into_requests().len(), 1);
    assert!(canary.is_untouched());
}

#[test]
fn a_redirect_to_the_same_name_looks_it_up_again_and_judges_it_again() {
    let server = ScriptedServer::start(vec![http_reply(302, "location: /again\r\n", "")]);
    let canary = Canary::new();
    let names = Names::of(&[("x.test", at(&server))]);
    names.add("x.test", &[&[at(&server)], &[canary.at()]]);
    let message = refused(fetch(&names.web(settings()), "http://x.test/"));
    assert!(message.contains("x.test is an address of this machine"), "{message}");
    assert_eq!(names.asked(), ["x.test", "x.test"]);
    assert!(canary.is_untouched());
    server.into_requests();
}

#[test]
fn one_address_inside_among_many_outside_is_enough_to_refuse() {
    let (open, canary) = (Canary::new(), Canary::new());
    let names = Names::of(&[("x.test", open.at())]);
    for answer in [vec![open.at(), canary.at()], vec![canary.at(), open.at()], {
        let mut many = vec![open.at(); 99];
        many.push("[::ffff:10.0.0.1]:80".parse().unwrap());
        many
    }] {
        names.add("mixed.test", &[&answer]);
        refused(fetch(&names.web(settings()), "http://mixed.test/"));
    }
    assert!(open.is_untouched() && canary.is_untouched());
}

#[test]
fn this_machines_own_address_is_none_to_fetch_from_however_public_it_looks() {
    // Loopback is no public address in the first place; what a public-looking one does is shown in `canaries`.
    let canary = Canary::new();
    let names = Names::default();
    names.add("me.test", &[&[canary.at()]]);
    refused(fetch(&names.web(settings()), "http://me.test/"));
    assert!(canary.is_untouched());
}

#[test]
fn an_answer_from_another_address_is_refused() {
    let server = ScriptedServer::start(vec![http_reply(200, "", "Bees.")]);
    // An address in numbers is dialled as it is written, whatever was checked.
    let url = format!("{}/", server.base).parse().unwrap();
    let request = DialRequest { url: &url, method: Method::GET, headers: HeaderMap::new(), body: None };
    let checked = SocketAddr::from(([127, 0, 0, 2], at(&server).port()));
    let failure = wait(Dialer::default().send(request, &[checked], &settings())).unwrap_err();
    assert!(
        matches!(&failure, WebFailure::Refused { message } if message.contains("a different address")),
        "{failure:?}"
    );
    server.into_requests();
}

#[test]
fn the_endpoint_of_a_service_is_no_page() {
    let canary = Canary::new();
    let web = Web::new(settings()).unwrap();
    for url in [format!("http://{}/", canary.at()), format!("http://localhost:{}/", canary.at().port())] {
        refused(fetch(&web, &url));
    }
    assert!(canary.is_untouched());
}
