//! The database goes away, comes back, or is cut off at the worst moment.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use wellread_core::ErrorKind;
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::{RunEvent, RunKind};
use wellread_core::ports::{JobQueue, RunLogs};
use wellread_testkit::agenda_fixtures::{agenda, propose_and_approve};
use wellread_testkit::run_fixtures::{began_event, event_time, record_run};

use crate::postgres_server::{OwnServer, TestDatabase, open_url};

#[test]
fn a_database_that_is_gone_is_said_and_used_again_when_it_is_back() {
    let Some(mut server) = OwnServer::start() else { return };
    let database = TestDatabase::create_on(&server.address);
    let records = database.open("ours");
    let run = RunId::fresh();
    record_run(&records, &run, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x")]);
    propose_and_approve(&records, &agenda(1));
    let held = records.lock_run(&run).unwrap();
    let _worker = records.register_worker("w").unwrap();
    let lease = records.take_job("w", event_time(0), event_time(60)).unwrap().unwrap().lease;

    server.order("stop");
    for error in [
        records.runs("", 1).unwrap_err(),
        records.append(&run, 1, event_time(1), &RunEvent::Resumed).unwrap_err(),
        records.events(&run).unwrap_err(),
        records.take_job("v", event_time(1), event_time(61)).unwrap_err(),
        records.lock_run(&RunId::fresh()).err().unwrap(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        assert!(error.message().contains("can't be reached"), "{error}");
        assert!(error.hint_text().unwrap().contains("editing notes goes on"), "{error}");
    }

    server.order("start");
    records.append(&run, 1, event_time(1), &RunEvent::Resumed).unwrap();
    assert_eq!(records.events(&run).unwrap().len(), 2);
    // Nobody takes the job of a worker that could not say yet that it is still there, nor its run once it has.
    let other = database.open("ours");
    assert_eq!(other.take_job("v", event_time(1), event_time(61)).unwrap(), None);
    let taken_again = || other.lock_run(&run).is_err_and(|error| error.kind() == ErrorKind::Conflict);
    while !taken_again() {
        thread::yield_now();
    }
    records.renew_lease(&lease, event_time(2), event_time(62)).unwrap();
    drop(held);
    drop(other.lock_run(&run).unwrap());
}

/// What a proxy does when it is told to commit.
const PASS: u8 = 0;
const LOSE_ANSWER: u8 = 1;
const LOSE_REQUEST: u8 = 2;

/// Stands between the records and the database, and cuts a connection at a commit.
struct Proxy {
    port: u16,
    mode: Arc<AtomicU8>,
}

impl Proxy {
    fn start(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mode = Arc::new(AtomicU8::new(PASS));
        let modes = mode.clone();
        thread::spawn(move || {
            for client in listener.incoming() {
                let modes = modes.clone();
                thread::spawn(move || serve(&client.unwrap(), server, &modes));
            }
        });
        Self { port, mode }
    }
}

fn serve(client: &TcpStream, server: u16, mode: &AtomicU8) {
    let server = TcpStream::connect(("127.0.0.1", server)).unwrap();
    let (back_from, back_to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let back = thread::spawn(move || copy(&back_from, &back_to, |_| true));
    copy(client, &server, |request| {
        // The isolation level has the word in it, too.
        if !request.windows(9).any(|words| words == b"1; COMMIT") {
            return true;
        }
        match mode.swap(PASS, Ordering::SeqCst) {
            LOSE_ANSWER => {
                // The client hears nothing any more; the server does what it was told.
                let _ = client.shutdown(Shutdown::Both);
                true
            }
            LOSE_REQUEST => false,
            _ => true,
        }
    });
    let _ = (client.shutdown(Shutdown::Both), server.shutdown(Shutdown::Write));
    let _ = back.join();
}

fn copy(mut from: &TcpStream, mut to: &TcpStream, pass: impl Fn(&[u8]) -> bool) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if !pass(&buffer[..length]) || to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

#[test]
fn a_commit_whose_answer_was_lost_is_neither_lost_nor_made_twice() {
    let Some(database) = TestDatabase::create() else { return };
    let url = database.url(&database.role());
    let (_, rest) = url.split_once("127.0.0.1:").unwrap();
    let (port, name) = rest.split_once('/').unwrap();
    let proxy = Proxy::start(port.parse().unwrap());
    let records =
        open_url(&format!("postgres://{}@127.0.0.1:{}/{name}", database.role(), proxy.port), "ours");
    let run = RunId::fresh();
    record_run(&records, &run, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x")]);
    let count = || database.open("ours").events(&run).unwrap().len();

    proxy.mode.store(LOSE_ANSWER, Ordering::SeqCst);
    records.append(&run, 1, event_time(1), &RunEvent::Resumed).unwrap();
    assert_eq!((count(), proxy.mode.load(Ordering::SeqCst)), (2, PASS), "it was made, once");

    proxy.mode.store(LOSE_REQUEST, Ordering::SeqCst);
    let error = records.append(&run, 2, event_time(2), &RunEvent::Resumed).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.message().contains("nothing was changed"), "{error}");
    assert_eq!(count(), 2);
    records.append(&run, 2, event_time(2), &RunEvent::Resumed).unwrap();
    assert_eq!(count(), 3);
}
