//! Servers that speak TLS, with a certificate of an authority that nobody trusts but who is told to.
//!
//! The samples are good for `x.test` until 2126: two authorities, and a certificate of the first with its key. They guard nothing.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use wellread_testkit::scripted_server::http_reply;

use super::*;
use crate::http::{AsyncClient, BlockingClient};

pub(super) struct SecureServer {
    pub at: SocketAddr,
    thread: JoinHandle<Vec<String>>,
}

fn sample(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/http/tests/samples").join(name)
}

/// The file of whoever signed the servers' certificate.
pub(super) fn authority() -> Option<PathBuf> {
    Some(sample("authority.pem"))
}

impl SecureServer {
    /// For `x.test`, with one reply a connection. A client that breaks off counts as one.
    pub(super) fn start(replies: Vec<ReplyHandler>) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let certificate = include_bytes!("samples/x.test.der").as_slice().into();
        let key = PrivateKeyDer::try_from(include_bytes!("samples/x.test.key.der").as_slice()).unwrap();
        let config = ServerConfig::builder().with_no_client_auth();
        let config = Arc::new(config.with_single_cert(vec![certificate], key).unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let serve = move || {
            let answer = |reply: ReplyHandler| {
                let (stream, _) = listener.accept().unwrap();
                let connection = ServerConnection::new(config.clone()).unwrap();
                let mut stream = StreamOwned::new(connection, stream);
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && stream.read_exact(&mut byte).is_ok() {
                    head.push(byte[0]);
                }
                let head = String::from_utf8(head).unwrap();
                if !head.is_empty() {
                    let _ = stream.write_all(&spoken(reply)).and_then(|()| stream.flush());
                    stream.conn.send_close_notify();
                    let _ = stream.flush();
                }
                head
            };
            replies.into_iter().map(answer).collect()
        };
        Self { at, thread: std::thread::spawn(serve) }
    }

    pub(super) fn requests(self) -> Vec<String> {
        self.thread.join().unwrap()
    }
}

/// What a reply writes to a plain connection.
fn spoken(reply: ReplyHandler) -> Vec<u8> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut far, _) = listener.accept().unwrap();
    let request = wellread_testkit::scripted_server::HttpRequest {
        head: String::new(),
        body: String::new(),
        bytes: Vec::new(),
    };
    let write = std::thread::spawn(move || reply(&request, &mut far));
    let mut all = Vec::new();
    near.read_to_end(&mut all).unwrap();
    write.join().unwrap();
    all
}

fn page() -> ReplyHandler {
    http_reply(200, "content-type: text/plain\r\n", "Bees.")
}

#[test]
fn a_certificate_is_trusted_through_the_users_own_authority_alone() {
    let server = SecureServer::start(vec![page(), page(), page(), page()]);
    let names = Names::of(&[("x.test", server.at), ("y.test", server.at)]);
    let trusting = names.web(settings_trusting(authority()));
    assert_eq!(fetch(&trusting, "https://x.test/").unwrap().bytes, b"Bees.");
    // Another name, another authority, none.
    let wrong = names.web(settings_trusting(Some(sample("another_authority.pem"))));
    for (web, url) in [
        (&trusting, "https://y.test/"),
        (&wrong, "https://x.test/"),
        (&names.web(settings()), "https://x.test/"),
    ] {
        let failure = fetch(web, url).unwrap_err();
        assert!(matches!(failure, WebFailure::Unreachable { .. }), "{url}: {failure:?}");
    }
    let requests = server.requests();
    assert!(requests[0].starts_with("GET / "));
    assert!(requests[1..].iter().all(String::is_empty), "{requests:?}");
}

#[test]
fn clients_of_one_process_share_neither_an_authority_nor_a_name() {
    // The certificate is for another name than this address, and that is said only of one whose signer is trusted.
    let server = SecureServer::start(vec![page(), page(), page()]);
    let base = format!("https://{}", server.at);
    let failure = |ca_file| {
        let client = AsyncClient::new(&base, &identity("Bees/1", ca_file)).unwrap();
        wait(client.get("x")).err().unwrap().to_string()
    };
    let (trusting, distrusting, plain) =
        (failure(authority()), failure(Some(sample("another_authority.pem"))), failure(None));
    assert!(trusting.contains("not valid for name"), "{trusting}");
    assert!(distrusting.contains("UnknownIssuer"), "{distrusting}");
    assert!(plain.contains("UnknownIssuer"), "{plain}");
    assert!(server.requests().iter().all(String::is_empty));

    let server = ScriptedServer::start((0..4).map(|_| page()).collect());
    let (bees, wasps) = (identity("Bees/1", None), identity("Wasps/2", authority()));
    for identity in [&bees, &wasps] {
        wait(AsyncClient::new(&server.base, identity).unwrap().get("x")).unwrap();
        let client = BlockingClient::for_endpoint(&server.base, LONG, identity).unwrap();
        client.post("x", &[], Vec::new(), 100).unwrap();
    }
    let requests = server.into_requests();
    let agents: Vec<_> = requests.iter().map(|request| request.header("user-agent").unwrap()).collect();
    assert_eq!(agents, ["Bees/1", "Bees/1", "Wasps/2", "Wasps/2"]);
}

#[test]
fn a_file_without_certificates_is_said_and_nothing_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    let names = Names::of(&[("x.test", "127.0.0.1:9".parse().unwrap())]);
    for text in [
        None,
        Some(""),
        Some("no certificate"),
        Some("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
    ] {
        if let Some(text) = text {
            std::fs::write(&file, text).unwrap();
        }
        let web = names.web(settings_trusting(Some(file.clone())));
        let failure = fetch(&web, "https://x.test/").unwrap_err();
        assert!(failure.message().contains("ca.pem` can't be used"), "{failure:?}");
    }
}
