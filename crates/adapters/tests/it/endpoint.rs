//! The embedder for endpoints against a server that is real down to the socket, and behaves badly in most tests.

use std::io::Write;

use serde_json::{Value, json};
use wellread_adapters::embed::EmbeddingEndpoint;
use wellread_adapters::http::ClientIdentity;
use wellread_core::ports::{Embedder, EmbeddingPurpose};
use wellread_core::{Error, ErrorKind};
use wellread_testkit::scripted_server::{ReplyHandler, ScriptedServer, http_reply};

const KEY: &str = "sk-very-secret";

fn open(base: &str, model: &str, key: Option<&str>) -> Result<EmbeddingEndpoint, Error> {
    EmbeddingEndpoint::new(base, model, key, &ClientIdentity::default())
}

fn vectors(of: &[(usize, [f32; 2])]) -> String {
    let data: Vec<Value> =
        of.iter().map(|(index, vector)| json!({ "index": index, "embedding": vector })).collect();
    json!({ "object": "list", "data": data, "model": "m", "usage": { "total_tokens": 3 } }).to_string()
}

fn good() -> ReplyHandler {
    http_reply(200, "", vectors(&[(0, [3.0, 4.0]), (1, [0.0, 2.0])]))
}

/// Embeds two texts with these replies, and checks that all of them were needed.
fn ask(replies: Vec<ReplyHandler>) -> Result<Vec<Vec<f32>>, Error> {
    let count = replies.len();
    let server = ScriptedServer::start(replies);
    let endpoint = open(&format!("{}/v1", server.base), "m", Some(KEY)).unwrap();
    let answer = endpoint.embed(&["one", "two"], EmbeddingPurpose::Passage);
    assert_eq!(server.into_requests().len(), count);
    if let Err(error) = &answer {
        assert!(!format!("{error:?} {error}").contains(KEY), "{error:?}");
    }
    answer
}

fn failure(replies: Vec<ReplyHandler>) -> Error {
    ask(replies).unwrap_err()
}

#[test]
fn texts_go_out_as_the_protocol_has_it_and_vectors_come_back_with_length_one() {
    let server = ScriptedServer::start(vec![good()]);
    let endpoint = open(&format!("{}/v1/", server.base), "m", Some(KEY)).unwrap();
    assert_eq!(endpoint.embed(&["one", ""], EmbeddingPurpose::Query).unwrap(), [[0.6, 0.8], [0.0, 1.0]]);
    assert_eq!(endpoint.model().unwrap().dimension, 2);
    let address = server.base.clone();
    let request = &server.into_requests()[0];
    assert_eq!(request.first_line(), "POST /v1/embeddings HTTP/1.1");
    assert_eq!(request.header("authorization"), Some("Bearer sk-very-secret"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert!(request.header("user-agent").unwrap().starts_with("wellread/"));
    let body: Value = serde_json::from_str(&request.body).unwrap();
    assert_eq!(body, json!({ "model": "m", "input": ["one", " "], "encoding_format": "float" }));
    assert_eq!(endpoint.model().unwrap().hash, format!("{address}/v1"));
}

#[test]
fn without_a_key_none_is_sent() {
    let server = ScriptedServer::start(vec![http_reply(200, "", vectors(&[(0, [1.0, 0.0])]))]);
    let endpoint = open(&server.base, "e5-small", None).unwrap();
    assert_eq!(endpoint.embed(&["bees"], EmbeddingPurpose::Query).unwrap(), [[1.0, 0.0]]);
    let request = &server.into_requests()[0];
    assert_eq!(request.first_line(), "POST /embeddings HTTP/1.1");
    assert_eq!(request.header("authorization"), None);
    assert!(request.body.contains("query: bees"), "{}", request.body);
}

#[test]
fn many_texts_go_out_in_batches() {
    let replies = [64, 64, 2].map(|count| {
        http_reply(200, "", vectors(&(0..count).map(|at| (at, [at as f32 + 1.0, 0.0])).collect::<Vec<_>>()))
    });
    let server = ScriptedServer::start(replies.into());
    let endpoint = open(&server.base, "m", None).unwrap();
    assert_eq!(endpoint.embed(&["x"; 130], EmbeddingPurpose::Passage).unwrap().len(), 130);
    let counts: Vec<usize> =
        server.into_requests().iter().map(|request| request.body.matches("\"x\"").count()).collect();
    assert_eq!(counts, [64, 64, 2]);
}

#[test]
fn vectors_are_put_in_the_order_of_the_texts() {
    let turned = http_reply(200, "", vectors(&[(1, [0.0, 1.0]), (0, [1.0, 0.0])]));
    assert_eq!(ask(vec![turned]).unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
    let without = r#"{"data":[{"embedding":[1,0]},{"embedding":[0,1]}]}"#;
    assert_eq!(ask(vec![http_reply(200, "", without)]).unwrap(), [[1.0, 0.0], [0.0, 1.0]]);
}

#[test]
fn a_busy_server_is_asked_again() {
    assert!(ask(vec![http_reply(429, "retry-after: 0\r\n", "{}"), good()]).is_ok());
    assert!(
        ask(vec![
            http_reply(500, "retry-after: 0\r\n", ""),
            http_reply(503, "retry-after: 0\r\n", ""),
            good()
        ])
        .is_ok()
    );
    assert!(ask(vec![http_reply(500, "", "oops"), good()]).is_ok());
}

#[test]
fn a_server_that_stays_busy_is_given_up() {
    let busy =
        || http_reply(429, "retry-after: 0\r\n", r#"{"error":{"message":"slow down, sk-very-secret"}}"#);
    let error = failure(vec![busy(), busy(), busy(), busy()]);
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains("status 429, it says: slow down, …"), "{error}");
}

#[test]
fn a_connection_that_is_cut_is_made_again() {
    let cut = || -> ReplyHandler {
        Box::new(|_, stream| {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"data\":[").unwrap();
        })
    };
    let at_once = || -> ReplyHandler { Box::new(|_, _| ()) };
    assert!(ask(vec![cut(), at_once(), good()]).is_ok());
    let error = failure(vec![cut(), cut(), cut(), cut()]);
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains("was cut off"), "{error}");
}

#[test]
fn an_answer_that_comes_byte_by_byte_is_read() {
    let body = vectors(&[(0, [3.0, 4.0]), (1, [0.0, 2.0])]);
    let slowly: ReplyHandler = Box::new(move |_, stream| {
        stream.set_nodelay(true).unwrap();
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        for byte in answer.into_bytes() {
            stream.write_all(&[byte]).unwrap();
        }
    });
    assert_eq!(ask(vec![slowly]).unwrap(), [[0.6, 0.8], [0.0, 1.0]]);
}

#[test]
fn a_server_that_miscounts_is_not_believed() {
    let wrong = [
        (vectors(&[(0, [1.0, 0.0])]), "1 vectors came for 2 texts"),
        (vectors(&[(0, [1.0, 0.0]), (0, [1.0, 0.0])]), "came twice"),
        (vectors(&[(0, [1.0, 0.0]), (7, [1.0, 0.0])]), "was not requested"),
        (
            r#"{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,2,3]}]}"#.to_owned(),
            "3 numbers",
        ),
        (r#"{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}"#.to_owned(), "0 numbers"),
        (r#"{"data":[{"index":0,"embedding":[1,1e99]},{"index":1,"embedding":[1,2]}]}"#.to_owned(), "no"),
        (
            r#"{"data":[{"index":0,"embedding":[1,null]},{"index":1,"embedding":[1,2]}]}"#.to_owned(),
            "not a list of",
        ),
        (r#"{"data":"sk-very-secret"}"#.to_owned(), "not a list of vectors"),
        ("<html>".to_owned(), "not a list of vectors"),
    ];
    for (body, expected) in wrong {
        let error = failure(vec![http_reply(200, "", body)]);
        assert_eq!(error.kind(), ErrorKind::Failed);
        assert!(error.message().contains(expected), "{error}");
    }
}

#[test]
fn a_dimension_that_changes_between_calls_is_an_error() {
    let server = ScriptedServer::start(vec![
        http_reply(200, "", r#"{"data":[{"embedding":[1,0]}]}"#),
        http_reply(200, "", r#"{"data":[{"embedding":[1,0,0]}]}"#),
    ]);
    let endpoint = open(&server.base, "m", None).unwrap();
    assert_eq!(endpoint.model().unwrap().dimension, 2);
    assert!(endpoint.embed(&["x"], EmbeddingPurpose::Passage).unwrap_err().message().contains("3 numbers"));
}

#[test]
fn an_answer_without_end_is_given_up() {
    let endless: ReplyHandler = Box::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{\"data\":[");
        let piece = "0,".repeat(1 << 19);
        while stream.write_all(piece.as_bytes()).is_ok() {}
    });
    assert!(failure(vec![endless]).message().contains("too large"));
}

#[test]
fn a_refused_key_names_the_setting_and_not_the_key() {
    let error = failure(vec![http_reply(401, "", r#"{"error":{"message":"bad key sk-very-secret"}}"#)]);
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.hint_text().unwrap().contains("embedding.api_key"));
    let error = failure(vec![http_reply(400, "", r#"{"error":{"message":"sk-very-secret is odd"}}"#)]);
    assert!(error.message().ends_with("status 400, it says: … is odd"), "{error}");
    let endpoint = open("http://127.0.0.1:1/v1", "m", Some(KEY)).unwrap();
    assert_eq!(
        format!("{endpoint:?}"),
        r#"Endpoint { base: "http://127.0.0.1:1/v1", model: "m", key: "set" }"#
    );
}

#[test]
fn a_redirect_is_not_followed() {
    let error = failure(vec![http_reply(307, "location: http://127.0.0.1:1/\r\n", "")]);
    assert_eq!(error.kind(), ErrorKind::Refused);
}

#[test]
fn a_server_that_is_not_there_names_the_setting() {
    let endpoint = open("http://127.0.0.1:1/v1", "m", None).unwrap();
    let error = endpoint.embed(&["x"], EmbeddingPurpose::Passage).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.hint_text().unwrap().contains("embedding.base_url"), "{error:?}");
    assert_eq!(endpoint.model().unwrap_err().kind(), ErrorKind::Unavailable);
}

#[test]
fn an_address_that_is_none_is_refused() {
    let wrong =
        ["", "localhost:1234", "ftp://x/v1", "http://", "http://x/v1?key=1", "http://u:sk-very-secret@x/v1"];
    for address in wrong {
        let error = open(address, "m", None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{address}");
        assert!(!format!("{error:?}").contains(KEY));
    }
    let error = open("http://x", "m", Some("line\nbreak")).unwrap_err();
    assert!(!format!("{error:?}").contains("break"));
}

#[test]
fn it_can_be_called_from_any_thread_of_an_async_runtime() {
    let server = ScriptedServer::start(vec![good(), good()]);
    let base = server.base.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async move {
        let on_a_blocking_thread = base.clone();
        let embedded = tokio::task::spawn_blocking(move || {
            let endpoint = open(&on_a_blocking_thread, "m", None).unwrap();
            endpoint.embed(&["one", "two"], EmbeddingPurpose::Passage).unwrap()
        });
        assert_eq!(embedded.await.unwrap().len(), 2);
        // Not a thing to do, since it holds up the others; but no reason to panic.
        let endpoint = open(&base, "m", None).unwrap();
        assert_eq!(endpoint.embed(&["one", "two"], EmbeddingPurpose::Passage).unwrap().len(), 2);
    });
    assert_eq!(server.into_requests().len(), 2);
}
