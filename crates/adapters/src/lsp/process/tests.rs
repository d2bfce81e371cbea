//! A server that can't be set apart, and what it starts.

use std::path::Path;

use super::super::isolation::ServerIsolation;
use super::super::program;
use super::super::server_kind::ServerKind;
use super::*;

/// How many processes have this among their words.
fn running(word: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let words = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    words.filter(|words| words.split(|byte| *byte == 0).any(|found| found == word.as_bytes())).count()
}

#[tokio::test]
async fn where_a_server_can_not_be_set_apart_its_group_ends_with_it() {
    // As seconds, which `sleep` adds up.
    let mark = format!("0.{:09}77", std::process::id());
    // `cat` sends our own question back, which is one to us.
    let script = format!("sleep 3600 {mark} & echo ready >&2; exec cat");
    let words = ["sh", "-c", &script].map(str::to_owned);
    let command = program::command(&words, Path::new("/"), &[], &ServerIsolation::unavailable()).unwrap();
    let replies = Replies { known: ServerKind::Other, folder: Value::Null };
    let (alive, mut all_gone) = mpsc::channel(1);
    let process = ServerProcess::start(command, replies, BusyTracker::new(false), alive).unwrap();
    let soon = Instant::now() + Duration::from_secs(60);
    let answer = process.request("anything", &Value::Null, soon).await;
    assert!(matches!(answer, Err(NoReply::Error(-32601))), "{answer:?}");
    // The shell has forked by now; that the child has become `sleep` may take a moment.
    while running(&mark) == 0 && Instant::now() < soon {
        tokio::task::yield_now().await;
    }
    assert_eq!(running(&mark), 1);
    process.kill(EndReason::Asked);
    assert_eq!(process.wait_until_ended().await, EndReason::Asked);
    assert_eq!(all_gone.recv().await, None);
    assert_eq!(process.last_complaint().as_deref(), Some("ready"));
    // What was killed in a group is the system's to bury.
    while running(&mark) > 0 {
        tokio::task::yield_now().await;
    }
}
