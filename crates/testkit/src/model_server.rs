//! A local model server with real sockets: one script, in either wire format.
//!
//! It answers `/chat/completions` and `/v1/messages`, as a stream on request. Requests that are not scripted are
//! refused and make the test fail.

mod turn;
mod wire;

use std::collections::VecDeque;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use serde_json::Value;

pub use self::turn::Turn;
use crate::scripted_server::{HttpRequest, read_request};

/// The reply to a request that is not scripted.
pub const UNSCRIPTED: &str = "this request was not scripted";

/// After this time a request counts as missing.
const PATIENCE: Duration = Duration::from_secs(60);

/// The server, which stops when it is dropped.
pub struct ModelServer {
    /// Scheme, host and port.
    pub base: String,
    state: Arc<ModelServerState>,
}

#[derive(Default)]
struct ModelServerState {
    script: Mutex<VecDeque<Turn>>,
    asked: Mutex<Vec<ReceivedRequest>>,
    news: Condvar,
    unscripted: Mutex<Vec<String>>,
    over: Mutex<bool>,
}

/// A received request.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    pub request: HttpRequest,
    pub body: Value,
    /// The number of the connection, from 0.
    pub connection: usize,
}

impl ReceivedRequest {
    pub fn path(&self) -> &str {
        self.request.first_line().split(' ').nth(1).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.request.header(name)
    }
}

impl ModelServer {
    pub fn start(script: impl IntoIterator<Item = Turn>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(ModelServerState::default());
        lock(&state.script).extend(script);
        let shared = state.clone();
        thread::spawn(move || {
            for (connection, stream) in listener.incoming().enumerate() {
                if *lock(&shared.over) {
                    break;
                }
                let state = shared.clone();
                thread::spawn(move || state.serve(connection, stream.unwrap()));
            }
        });
        Self { base, state }
    }

    /// The address as it appears in settings, with `/v1`.
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.base)
    }

    /// Adds turns after those that are left.
    pub fn push_turns(&self, turns: impl IntoIterator<Item = Turn>) {
        lock(&self.state.script).extend(turns);
    }

    /// The requests so far.
    pub fn requests_so_far(&self) -> Vec<ReceivedRequest> {
        lock(&self.state.asked).clone()
    }

    /// Waits for this number of requests.
    pub fn wait_for_requests(&self, times: usize) {
        let asked = lock(&self.state.asked);
        let fewer = |asked: &mut Vec<ReceivedRequest>| asked.len() < times;
        let (asked, waited) = self
            .state
            .news
            .wait_timeout_while(asked, PATIENCE, fewer)
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        assert!(!waited.timed_out(), "asked {} times and not {times}", asked.len());
    }

    /// The requests, once all turns were used.
    pub fn into_requests(self) -> Vec<ReceivedRequest> {
        let left = lock(&self.state.script).len();
        assert_eq!(left, 0, "turns that were scripted and never asked for");
        self.requests_so_far()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        *lock(&self.state.over) = true;
        // Wakes up the thread that waits for the next connection.
        let _ = TcpStream::connect(self.base.trim_start_matches("http://"));
        let unscripted = lock(&self.state.unscripted).clone();
        if !unscripted.is_empty() && !thread::panicking() {
            panic!("the model was asked what was not scripted:\n{}", unscripted.join("\n"));
        }
    }
}

impl ModelServerState {
    fn serve(&self, connection: usize, mut stream: TcpStream) {
        stream.set_nodelay(true).unwrap();
        while let Some(request) = read_request(&mut stream) {
            let body = serde_json::from_str(&request.body).unwrap_or(Value::Null);
            let asked = ReceivedRequest { request, body, connection };
            let spoken =
                wire::WireFormat::from_path(asked.path()).filter(|_| asked.request.head.starts_with("POST "));
            let turn = spoken.and_then(|spoken| Some((spoken, lock(&self.script).pop_front()?)));
            let goes_on = match turn {
                Some((spoken, turn)) => {
                    lock(&self.asked).push(asked.clone());
                    self.news.notify_all();
                    turn.play(spoken, &asked.body, &mut stream)
                }
                None => {
                    let said = format!("{} {}", asked.request.first_line(), asked.request.body);
                    lock(&self.unscripted).push(said);
                    Turn::status(500, &format!("{{\"error\":{{\"message\":\"{UNSCRIPTED}\"}}}}")).play(
                        wire::WireFormat::Completions,
                        &Value::Null,
                        &mut stream,
                    )
                }
            };
            if !goes_on {
                return;
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
