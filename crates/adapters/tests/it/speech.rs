//! Recordings sent to an endpoint over a real connection: the form is taken apart again.

use serde_json::json;
use wellread_adapters::http::ClientIdentity;
use wellread_adapters::speech::{SpeechEndpoint, SpeechService};
use wellread_core::ports::{Recording, Speech};
use wellread_core::{ErrorKind, Result};
use wellread_testkit::WebServer;
use wellread_testkit::scripted_server::HttpRequest;
use wellread_testkit::web_server::WebServerReply;

const PATH: &str = "/v1/audio/transcriptions";
const KEY: &str = "sk-very-secret";

fn transcribed(server: &WebServer, key: Option<&str>) -> Result<String> {
    let service = SpeechService {
        base_url: server.url("/v1"),
        model: "whisper-v3".to_owned(),
        key: key.map(str::to_owned),
        key_hint: "set FIREWORKS_API_KEY".to_owned(),
        identity: ClientIdentity::default(),
    };
    let endpoint = SpeechEndpoint::new(service).unwrap();
    assert_eq!(endpoint.endpoint(), (server.base.clone(), true));
    let recording =
        Recording { name: "Größe \"1\".m4a".to_owned(), bytes: b"\x00\xff\r\n--\r\n\r\nsound".to_vec() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let said = runtime.block_on(endpoint.transcribe(&recording)).map(|said| said.expose().to_owned());
    assert!(!format!("{said:?}").contains(KEY));
    said
}

/// The parts of a form: each its head and its bytes.
fn parts(request: &HttpRequest) -> Vec<(String, Vec<u8>)> {
    let kind = request.header("content-type").unwrap();
    let boundary = kind.strip_prefix("multipart/form-data; boundary=").unwrap();
    let (mark, bytes) = (format!("--{boundary}"), &request.bytes);
    let at: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(mark.as_bytes())).collect();
    assert!(bytes.ends_with(format!("{mark}--\r\n").as_bytes()));
    let part = |pair: &[usize]| {
        let part = &bytes[pair[0] + mark.len() + 2..pair[1] - 2];
        let head = part.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        (String::from_utf8(part[..head].to_vec()).unwrap(), part[head + 4..].to_vec())
    };
    at.windows(2).map(part).collect()
}

fn fields(request: &HttpRequest) -> Vec<String> {
    let field = |(head, bytes): &(String, Vec<u8>)| {
        let name = head.split("name=\"").nth(1).unwrap().split('"').next().unwrap();
        format!("{name}={}", String::from_utf8_lossy(bytes))
    };
    parts(request).iter().filter(|(head, _)| !head.contains("filename")).map(field).collect()
}

#[test]
fn a_recording_is_sent_whole_and_its_words_come_back() {
    let server = WebServer::start()
        .with_reply(PATH, WebServerReply::json(&json!({"text": "Buy wax.", "duration": 2})));
    assert_eq!(transcribed(&server, Some(KEY)).unwrap(), "Buy wax.");
    let request = &server.requests()[0];
    assert_eq!(request.header("authorization"), Some(&*format!("Bearer {KEY}")));
    assert_eq!(fields(request), ["model=whisper-v3", "response_format=verbose_json", "diarize=true"]);
    let (head, bytes) = parts(request).pop().unwrap();
    assert_eq!(bytes, b"\x00\xff\r\n--\r\n\r\nsound");
    assert!(
        head.contains("name=\"file\"; filename=\"Größe %221%22.m4a\"") && head.contains("audio/mp4"),
        "{head}"
    );
}

#[test]
fn an_endpoint_that_knows_no_speakers_is_asked_again_without() {
    let server = WebServer::start()
        .with_reply(
            PATH,
            WebServerReply::json(&json!({"error": {"message": "unknown field: diarize"}})).with_status(400),
        )
        .with_reply(PATH, WebServerReply::json(&json!({"text": "Buy wax."})));
    assert_eq!(transcribed(&server, None).unwrap(), "Buy wax.");
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(fields(&requests[1]), ["model=whisper-v3", "response_format=verbose_json"]);
    assert_eq!(requests[0].header("authorization"), None);
}

#[test]
fn trouble_is_told_as_what_it_is() {
    for (reply, kind, why) in [
        (WebServerReply::status(401), ErrorKind::NotSetUp, "rejected the key"),
        (WebServerReply::status(413), ErrorKind::Invalid, "too large"),
        (WebServerReply::status(429), ErrorKind::Unavailable, "rate limit"),
        (WebServerReply::status(500), ErrorKind::Unavailable, "status 500"),
        (WebServerReply::status(400), ErrorKind::Unavailable, "status 400"),
        (WebServerReply::html("<html>"), ErrorKind::Unavailable, "no transcript"),
        (WebServerReply::json(&json!({"text": "half"})).cut_in_half(), ErrorKind::Unavailable, "was cut off"),
    ] {
        let server = WebServer::start().with_reply(PATH, reply);
        let error = transcribed(&server, Some(KEY)).unwrap_err();
        assert!(error.kind() == kind && error.message().contains(why), "{error:?}");
    }
}
