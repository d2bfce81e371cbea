//! Servers that speak TLS, with certificates of an authority that only a test knows.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::thread::JoinHandle;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;
use wellread_testkit::server::{Reply, says};

use super::*;

pub(super) struct Authority {
    folder: TempDir,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

pub(super) struct SecureServer {
    pub at: SocketAddr,
    thread: JoinHandle<Vec<String>>,
}

impl Authority {
    pub(super) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), issuer.pem()).unwrap();
        Self { folder, issuer }
    }

    pub(super) fn file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// A server for `x.test`, one reply a connection. A client that breaks off counts as one.
    pub(super) fn serve(&self, replies: Vec<Reply>) -> SecureServer {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["x.test".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder().with_no_client_auth();
        let config = Arc::new(config.with_single_cert(vec![certificate.der().clone()], key).unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let serve = move || {
            let answer = |reply: Reply| {
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
        SecureServer { at, thread: std::thread::spawn(serve) }
    }
}

impl SecureServer {
    pub(super) fn requests(self) -> Vec<String> {
        self.thread.join().unwrap()
    }
}

/// What a reply writes to a plain connection.
fn spoken(reply: Reply) -> Vec<u8> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut far, _) = listener.accept().unwrap();
    let request = wellread_testkit::server::Request { head: String::new(), body: String::new() };
    let write = std::thread::spawn(move || reply(&request, &mut far));
    let mut all = Vec::new();
    near.read_to_end(&mut all).unwrap();
    write.join().unwrap();
    all
}

fn page() -> Reply {
    says(200, "content-type: text/plain\r\n", "Bees.")
}

#[test]
fn a_certificate_is_trusted_through_the_users_own_authority_alone() {
    let authority = Authority::new();
    let server = authority.serve(vec![page(), page(), page(), page()]);
    let names = Names::of(&[("x.test", server.at), ("y.test", server.at)]);
    let trusting = names.web(WebSettings { ca_file: Some(authority.file()), ..settings() });
    assert_eq!(fetch(&trusting, "https://x.test/").unwrap().bytes, b"Bees.");
    // Another name, another authority, none.
    let another = Authority::new();
    let wrong = names.web(WebSettings { ca_file: Some(another.file()), ..settings() });
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
        let web = names.web(WebSettings { ca_file: Some(file.clone()), ..settings() });
        let failure = fetch(&web, "https://x.test/").unwrap_err();
        assert!(failure.message().contains("ca.pem` can't be used"), "{failure:?}");
    }
}
