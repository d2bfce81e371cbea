//! The tasks of a running server: its output, input, standard error, and end.

use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::super::framing::{self, NoFrame, encode_frame};
use super::super::replies::Replies;
use super::super::wire::IncomingMessage;
use super::{EndReason, KILL_TIMEOUT, ProcessShared};
use crate::platform::ProcessTree;

/// How many bytes of its standard error are kept.
const COMPLAINTS: usize = 2 * 1024;
/// The most bytes that a server may send between two requests.
const FLOOD: u64 = 1 << 30;

/// Kills the child and what it has started, and reaps the child.
pub(super) async fn kill_and_reap(child: &mut Child, tree: &ProcessTree) {
    tree.kill(child);
    let _ = child.start_kill();
    let _ = timeout(KILL_TIMEOUT, child.wait()).await;
}

pub(super) async fn read_output(
    shared: &ProcessShared,
    output: ChildStdout,
    outgoing: &mpsc::Sender<Vec<u8>>,
    replies: &Replies,
) -> EndReason {
    let mut output = BufReader::new(output);
    loop {
        let message = match framing::read_frame(&mut output).await {
            Ok(message) => message,
            Err(NoFrame::Ended) => return EndReason::Died,
            Err(NoFrame::Broken(why)) => return EndReason::Broken(why),
        };
        if shared.state().count_output(message.len()) > FLOOD {
            return EndReason::Broken("it keeps sending without end");
        }
        let Some(incoming) = IncomingMessage::parse(&message) else {
            return EndReason::Broken("a message is not valid JSON of the protocol");
        };
        match incoming {
            IncomingMessage::Answer { id, error } => {
                let waiting = shared.state().waiting.remove(&id);
                if let Some(waiting) = waiting {
                    // The caller may have gone.
                    let _ = waiting.send(error.map_or(Ok(message), Err));
                }
            }
            IncomingMessage::Question { id, method } => {
                let reply = replies.reply_to(&id, &method, &message);
                // A server that asks but does not read gets no answer, so that nothing piles up.
                let _ = outgoing.try_send(encode_frame(&reply));
            }
            IncomingMessage::News { method } => shared.busy.take_notification(&method, &message),
            IncomingMessage::Nothing => {}
        }
    }
}

pub(super) async fn write_input(mut input: ChildStdin, mut to_send: mpsc::Receiver<Vec<u8>>) -> EndReason {
    while let Some(message) = to_send.recv().await {
        if input.write_all(&message).await.is_err() || input.flush().await.is_err() {
            break;
        }
    }
    // It reads no more input, but may still send output.
    drop((input, to_send));
    std::future::pending().await
}

/// Reads standard error, so that the server never blocks on it, and keeps its end.
pub(super) async fn drain_stderr(shared: Arc<ProcessShared>, mut complaints: ChildStderr) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = complaints.read(&mut buffer).await {
        let mut state = shared.state();
        state.complaints.extend_from_slice(&buffer[..read]);
        let surplus = state.complaints.len().saturating_sub(COMPLAINTS);
        state.complaints.drain(..surplus);
    }
}
