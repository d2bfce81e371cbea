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
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use wellread_core::ports::{BoxFuture, WebFailure};
use wellread_testkit::scripted_server::{ReplyHandler, ScriptedServer};

use super::resolve::{AddressPolicy, PublicOnly, Resolver};
use super::{ClientIdentity, Web, WebResponse, WebSettings};

/// Long enough that no test runs into it by chance.
const LONG: Duration = Duration::from_secs(60);

pub(super) fn settings() -> WebSettings {
    WebSettings {
        allow: Vec::new(),
        identity: identity("Wellread/test", None),
        wire_bytes: 2 << 20,
        decoded_bytes: 5 << 20,
        cache: None,
        offline: false,
    }
}

fn identity(user_agent: &str, ca_file: Option<PathBuf>) -> ClientIdentity {
    ClientIdentity { user_agent: user_agent.to_owned(), ca_file }
}

/// Settings that trust the authority of this file.
fn settings_trusting(ca_file: Option<PathBuf>) -> WebSettings {
    WebSettings { identity: identity("Wellread/test", ca_file), ..settings() }
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
        Web::with_resolver(settings, Box::new(self.clone()), Box::new(self.clone())).unwrap()
    }
}

impl Resolver for Names {
    fn look_up<'a>(&'a self, host: &'a str, _: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        self.asked.lock().unwrap().push(host.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answer =
            answers.get_mut(host).map(|left| if left.len() > 1 { left.remove(0) } else { left[0].clone() });
        Box::pin(async move { answer.ok_or_else(|| io::Error::other("no such host")) })
    }
}

impl AddressPolicy for Names {
    fn refusal_reason(&self, addresses: &[SocketAddr]) -> Option<String> {
        let public = self.public.lock().unwrap();
        let others: Vec<SocketAddr> =
            addresses.iter().filter(|address| !public.contains(address)).copied().collect();
        if others.is_empty() { None } else { PublicOnly.refusal_reason(&others) }
    }
}

fn at(server: &ScriptedServer) -> SocketAddr {
    server.base.strip_prefix("http://").unwrap().parse().unwrap()
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn fetch(web: &Web, url: &str) -> Result<WebResponse, WebFailure> {
    wait(web.fetch_page(url, LONG, u64::MAX))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn answered(head: &str, body: impl Into<Vec<u8>>) -> ReplyHandler {
    let (head, body) = (head.to_owned(), body.into());
    raw(&[format!("HTTP/1.1 200 OK\r\n{head}content-length: {}\r\n\r\n", body.len()).into_bytes(), body]
        .concat())
}

fn raw(bytes: &[u8]) -> ReplyHandler {
    let bytes = bytes.to_vec();
    // A client that has read enough may be gone.
    Box::new(move |_, stream| drop(stream.write_all(&bytes)))
}

fn asked(settings: WebSettings, reply: ReplyHandler) -> Result<WebResponse, WebFailure> {
    let server = ScriptedServer::start(vec![reply]);
    let answer = fetch(&Names::of(&[("x.test", at(&server))]).web(settings), "http://x.test/");
    server.into_requests();
    answer
}

fn broken(reply: ReplyHandler) -> String {
    match asked(settings(), reply) {
        Err(WebFailure::Broken { message }) => message,
        other => panic!("{other:?}"),
    }
}

fn cut_off(reply: ReplyHandler) {
    let answer = asked(settings(), reply);
    assert!(matches!(answer, Err(WebFailure::Unreachable { .. })), "{answer:?}");
}

fn too_large(settings: WebSettings, reply: ReplyHandler) {
    let answer = asked(settings, reply);
    assert!(matches!(answer, Err(WebFailure::TooLarge { .. })), "{answer:?}");
}
