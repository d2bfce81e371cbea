//! A small web on this machine, with real sockets: search services and articles by their paths.
//!
//! What was not scripted is refused with status 500, and makes the test fail.

mod reply;
mod services;

use std::collections::{HashMap, VecDeque};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

pub use self::reply::{ReplyGate, WebServerReply};
pub use self::services::{arxiv, arxiv_error, brave, duckduckgo, duckduckgo_puzzle, searxng, tavily};
use crate::scripted_server::{HttpRequest, read_request};

/// When something counts as never to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ends when it is dropped.
pub struct WebServer {
    /// Scheme, host and port.
    pub base: String,
    state: Arc<WebServerState>,
}

/// What is said depends on what is asked.
type PathResponder = Arc<dyn Fn(&HttpRequest) -> WebServerReply + Send + Sync>;

#[derive(Default)]
struct WebServerState {
    /// By path, without the query. The last reply of a path stays.
    script: Mutex<HashMap<String, VecDeque<WebServerReply>>>,
    /// By what a path begins with, where it is not in the script.
    answers: Mutex<Vec<(String, PathResponder)>>,
    asked: Mutex<Vec<HttpRequest>>,
    news: Condvar,
    unscripted: Mutex<Vec<String>>,
    over: Mutex<bool>,
}

impl WebServer {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(WebServerState::default());
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if *lock(&shared.over) {
                    break;
                }
                let state = shared.clone();
                thread::spawn(move || state.serve(stream.unwrap()));
            }
        });
        Self { base, state }
    }

    /// What is at a path. Further replies to the same path come after those that are there, and the last stays.
    #[must_use]
    pub fn with_reply(self, path: &str, reply: WebServerReply) -> Self {
        self.add_reply(path, reply);
        self
    }

    /// Adds a reply while the server runs.
    pub fn add_reply(&self, path: &str, reply: WebServerReply) {
        lock(&self.state.script).entry(path.to_owned()).or_default().push_back(reply);
    }

    /// What is said to everything whose path begins like this and has no reply of its own.
    pub fn add_responder(
        &self,
        beginning: &str,
        answers: impl Fn(&HttpRequest) -> WebServerReply + Send + Sync + 'static,
    ) {
        lock(&self.state.answers).push((beginning.to_owned(), Arc::new(answers)));
    }

    /// The address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Everything that it was asked so far.
    pub fn requests(&self) -> Vec<HttpRequest> {
        lock(&self.state.asked).clone()
    }

    /// `GET /html/?q=hive`, one line for each request.
    pub fn request_lines(&self) -> Vec<String> {
        let line = |request: &HttpRequest| request.first_line().trim_end_matches(" HTTP/1.1").to_owned();
        self.requests().iter().map(line).collect()
    }

    /// Waits until it was asked this often.
    pub fn wait_for_requests(&self, times: usize) {
        let asked = lock(&self.state.asked);
        let fewer = |asked: &mut Vec<HttpRequest>| asked.len() < times;
        let waited = self.state.news.wait_timeout_while(asked, PATIENCE, fewer);
        let (asked, waited) = waited.unwrap_or_else(std::sync::PoisonError::into_inner);
        assert!(!waited.timed_out(), "asked {} times and not {times}", asked.len());
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        *lock(&self.state.over) = true;
        // Wakes up the thread that waits for the next connection.
        let _ = TcpStream::connect(self.base.trim_start_matches("http://"));
        let unscripted = lock(&self.state.unscripted).clone();
        if !unscripted.is_empty() && !thread::panicking() {
            panic!("the web was asked what was not scripted:\n{}", unscripted.join("\n"));
        }
    }
}

impl WebServerState {
    fn serve(&self, mut stream: TcpStream) {
        stream.set_nodelay(true).unwrap();
        while let Some(request) = read_request(&mut stream) {
            let path = request.first_line().split(' ').nth(1).unwrap_or_default();
            let path = path.split('?').next().unwrap_or_default().to_owned();
            lock(&self.asked).push(request.clone());
            self.news.notify_all();
            let reply = {
                let mut script = lock(&self.script);
                match script.get_mut(&path) {
                    Some(replies) if replies.len() > 1 => replies.pop_front(),
                    Some(replies) => replies.front().cloned(),
                    None => None,
                }
            };
            let answers =
                lock(&self.answers).iter().find(|(beginning, _)| path.starts_with(beginning)).cloned();
            let reply = reply.or_else(|| Some(answers?.1(&request))).unwrap_or_else(|| {
                lock(&self.unscripted).push(request.first_line().to_owned());
                WebServerReply::status(500)
            });
            if !reply.send(&mut stream) {
                return;
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
