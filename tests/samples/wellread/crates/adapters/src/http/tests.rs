//! The guarded client against servers on this machine that behave badly, in a world whose names and addresses are scripted.

#![allow(clippy::print_stdout)]

mod bodies;
mod caching;
mod canaries;
mod classifier;
mod packed;
mod pages;
mod proxies;
mod rebinding;
mod redirects;
mod secure;
mod spelling;

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use wellread_core::ports::{Waiting, WebFailure};
use wellread_testkit::server::{Reply, Server};

use super::resolve::{Judge, PublicOnly, Resolver};
use super::{Got, Web, WebSettings};

/// Long enough that no test runs into it by chance.
const LONG: Duration = Duration::from_secs(60);

pub(super) fn settings() -> WebSettings {
    WebSettings {
        allow: Vec::new(),
        ca_file: None,
        wire_bytes: 2 << 20,
        decoded_bytes: 5 << 20,
        user_agent: "Wellread/test".to_owned(),
        cache: None,
        offline: false,
    }
}

/// Names with what they resolve to, one answer after the other; the last one stays. Other names are nowhere.
#[derive(Clone, Default)]
struct Names {
    answers: Arc<Mutex<HashMap<String, Vec<Vec<SocketAddr>>>>>,
    asked: Arc<Mutex<Vec<String>>>,
    /// Sockets of this machine that stand for public ones.
    public: Arc<Mutex<Vec<SocketAddr>>>,
}

impl Names {
    fn of(names: &[(&str, SocketAddr)]) -> Self {
        let all = Self::default();
        for (name, at) in names {
            all.add(name, &[&[*at]]);
            all.public.lock().unwrap().push(*at);
        }
        all
    }

    fn add(&self, name: &str, answers: &[&[SocketAddr]]) {
        let answers = answers.iter().map(|answer| answer.to_vec()).collect();
        self.answers.lock().unwrap().insert(name.to_owned(), answers);
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn web(&self, settings: WebSettings) -> Web {
        Web::in_a_world(settings, Box::new(self.clone()), Box::new(self.clone())).unwrap()
    }
}

impl Resolver for Names {
    fn look_up<'a>(&'a self, host: &'a str, _: u16) -> Waiting<'a, io::Result<Vec<SocketAddr>>> {
        self.asked.lock().unwrap().push(host.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answer =
            answers.get_mut(host).map(|left| if left.len() > 1 { left.remove(0) } else { left[0].clone() });
        Box::pin(async move { answer.ok_or_else(|| io::Error::other("no such host")) })
    }
}

impl Judge for Names {
    fn why_not(&self, addresses: &[SocketAddr]) -> Option<String> {
        let public = self.public.lock().unwrap();
        let others: Vec<SocketAddr> =
            addresses.iter().filter(|address| !public.contains(address)).copied().collect();
        if others.is_empty() { None } else { PublicOnly.why_not(&others) }
    }
}

fn at(server: &Server) -> SocketAddr {
    server.base.strip_prefix("http://").unwrap().parse().unwrap()
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn fetch(web: &Web, url: &str) -> Result<Got, WebFailure> {
    wait(web.page(url, LONG, u64::MAX))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn answered(head: &str, body: impl Into<Vec<u8>>) -> Reply {
    let (head, body) = (head.to_owned(), body.into());
    raw(&[format!("HTTP/1.1 200 OK\r\n{head}content-length: {}\r\n\r\n", body.len()).into_bytes(), body]
        .concat())
}

fn raw(bytes: &[u8]) -> Reply {
    let bytes = bytes.to_vec();
    // A client that has read enough may be gone.
    Box::new(move |_, stream| drop(stream.write_all(&bytes)))
}

fn asked(settings: WebSettings, reply: Reply) -> Result<Got, WebFailure> {
    let server = Server::start(vec![reply]);
    let answer = fetch(&Names::of(&[("x.test", at(&server))]).web(settings), "http://x.test/");
    server.requests();
    answer
}

fn broken(reply: Reply) -> String {
    match asked(settings(), reply) {
        Err(WebFailure::Broken { message }) => message,
        other => panic!("{other:?}"),
    }
}

fn cut_off(reply: Reply) {
    let answer = asked(settings(), reply);
    assert!(matches!(answer, Err(WebFailure::Unreachable { .. })), "{answer:?}");
}

fn too_large(settings: WebSettings, reply: Reply) {
    let answer = asked(settings, reply);
    assert!(matches!(answer, Err(WebFailure::TooLarge { .. })), "{answer:?}");
}
