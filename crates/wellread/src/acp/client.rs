//! The editor's end of the line: what is sent to it, and its answers to what it was asked.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::rpc::RpcError;
use crate::output::Output;

/// The client that started us.
pub struct AcpClient {
    output: Output,
    waiting: Mutex<OpenRequests>,
}

/// The requests that the client has not answered yet.
#[derive(Default)]
struct OpenRequests {
    last_id: u64,
    answers: HashMap<u64, oneshot::Sender<Option<Value>>>,
    /// Whether the client is gone, so that nothing will be answered any more.
    is_over: bool,
}

/// A request that is open as long as somebody waits for its answer.
struct OpenRequest<'a> {
    client: &'a AcpClient,
    id: u64,
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        self.client.lock_waiting().answers.remove(&self.id);
    }
}

impl AcpClient {
    pub fn new(output: Output) -> Self {
        Self { output, waiting: Mutex::default() }
    }

    /// Answers a request of the client.
    pub fn answer(&self, id: &Value, answer: Result<Value, RpcError>) {
        self.send(&match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error.to_json() }),
        });
    }

    /// Tells what happens in a session.
    pub fn update(&self, session: &str, update: &Value) {
        let params = json!({ "sessionId": session, "update": update });
        self.send(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
    }

    /// Asks the client; `None` if it fails, or goes away.
    pub async fn ask(&self, method: &str, params: Value) -> Option<Value> {
        let (sender, answer) = oneshot::channel();
        let request = {
            let mut waiting = self.lock_waiting();
            if waiting.is_over {
                return None;
            }
            waiting.last_id += 1;
            let id = waiting.last_id;
            waiting.answers.insert(id, sender);
            OpenRequest { client: self, id }
        };
        self.send(&json!({ "jsonrpc": "2.0", "id": request.id, "method": method, "params": params }));
        answer.await.ok().flatten()
    }

    /// Takes the client's answer to a request. One that belongs to none, or comes too late, is ignored.
    pub fn take_answer(&self, id: &Value, result: Option<Value>) {
        let sender = id.as_u64().and_then(|id| self.lock_waiting().answers.remove(&id));
        if let Some(sender) = sender {
            let _ = sender.send(result);
        }
    }

    /// Waits for no answer any more: the client is gone.
    pub fn hang_up(&self) {
        let mut waiting = self.lock_waiting();
        waiting.is_over = true;
        waiting.answers.clear();
    }

    fn lock_waiting(&self) -> MutexGuard<'_, OpenRequests> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who has gone away needs to hear nothing.
    fn send(&self, message: &Value) {
        let _ = self.output.line(message);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;
    use crate::output::ColorChoice;

    #[test]
    fn a_question_that_nobody_waits_for_is_forgotten() {
        let client = AcpClient::new(Output::new(false, false, ColorChoice::Never));
        let open = || client.lock_waiting().answers.len();
        {
            let mut asked = pin!(client.ask("session/request_permission", json!({})));
            assert!(asked.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            assert_eq!(open(), 1);
        }
        assert_eq!(open(), 0);
        client.take_answer(&json!(1), Some(json!({})));
    }
}
