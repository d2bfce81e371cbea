//! Services of models that are busy, broken, hostile or gone: what is tried again, what is told, and that no key is.

use std::time::Duration;

use serde_json::{Value, json};
use wellread_adapters::llm::{ModelWireFormat, RetryPolicy};
use wellread_core::ports::{Delta, Model, ModelFailure, ModelRequest, ReplyFormatMode, ToolSpec};
use wellread_testkit::{ModelServer, Turn};

use crate::language_models::{Answered, KEY, WIRES, ask, ask_for, block_on, model, request, shaped};

fn said(message: &str) -> String {
    json!({ "error": { "message": message, "type": "x" } }).to_string()
}

fn message(failure: &ModelFailure) -> &str {
    match failure {
        ModelFailure::NotSetUp { message, .. }
        | ModelFailure::Key { message, .. }
        | ModelFailure::Unreachable { message }
        | ModelFailure::Busy { message }
        | ModelFailure::TooLong { message }
        | ModelFailure::Rejected { message, .. }
        | ModelFailure::Broken { message } => message,
        ModelFailure::Unsupported { what } => what,
    }
}

#[test]
fn a_busy_service_is_asked_again_and_says_how_often() {
    for wire in WIRES {
        for status in [408, 409, 429, 500, 502, 503, 504, 529] {
            let script = vec![Turn::status(status, &said("later")), Turn::says("ok")];
            let answered = ask(wire, script);
            assert_eq!((answered.reply().text.as_str(), answered.reply().attempts), ("ok", 2), "{status}");
            assert_eq!(answered.asked[0].body, answered.asked[1].body);
        }
        let busy = || Turn::status(429, "").with_header("retry-after", "0");
        let date = Turn::status(503, "<html>").with_header("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT");
        let answered = ask(wire, vec![busy(), date, busy(), Turn::says("ok")]);
        assert_eq!(answered.reply().attempts, 4);
    }
}

#[test]
fn a_service_that_stays_busy_is_given_up_after_four_attempts() {
    for wire in WIRES {
        let busy = || Turn::status(429, &said("slow down, sk-very-secret\u{7}\n please"));
        let answered = ask(wire, vec![busy(), busy(), busy(), busy()]);
        let ModelFailure::Busy { message } = answered.failure() else { panic!("{:?}", answered.result) };
        assert!(
            message.ends_with("has reached its rate limit: status 429; it says: slow down, … please"),
            "{message}"
        );
    }
}

#[test]
fn no_wait_goes_beyond_the_limit() {
    for wire in WIRES {
        let server = ModelServer::start([Turn::status(429, "").with_header("retry-after", "3600")]);
        let model = model(wire, &server.base_url(), None).with_retry_policy(RetryPolicy::default());
        let request = ModelRequest { limit: Duration::from_secs(20), ..request() };
        let failure = block_on(model.ask(&request, &|_| ())).unwrap_err();
        assert!(message(&failure).contains("asks to wait 1 h"), "{failure:?}");
        assert_eq!(server.into_requests().len(), 1);
    }
}

#[test]
fn what_money_alone_can_mend_is_not_tried_again() {
    let body = json!({ "error": { "message": "pay", "code": "insufficient_quota" } }).to_string();
    let answered = ask(ModelWireFormat::OpenAi, vec![Turn::status(429, &body)]);
    assert!(matches!(answered.failure(), ModelFailure::Busy { .. }), "{:?}", answered.result);
}

#[test]
fn a_connection_that_is_cut_is_made_again() {
    for wire in WIRES {
        let cut = || Turn::says("They fly.").cut_after(40);
        let answered = ask(
            wire,
            vec![Turn::cut(), cut(), Turn::says("They fly.").without_stream().cut_after(9), Turn::says("ok")],
        );
        assert_eq!((answered.reply().text.as_str(), answered.reply().attempts), ("ok", 4));
        let answered = ask(wire, vec![cut(), cut(), Turn::cut(), cut()]);
        let ModelFailure::Unreachable { message } = answered.failure() else {
            panic!("{:?}", answered.result)
        };
        assert!(message.contains("was cut off"), "{message}");
    }
}

#[test]
fn what_was_told_of_an_answer_that_was_cut_is_taken_back() {
    for wire in WIRES {
        // Far enough for some words, not for the last.
        let length = if wire == ModelWireFormat::OpenAi { 400 } else { 700 };
        let cut = Turn::says("They swarm in early summer, mostly.").cut_after(length);
        let answered = ask(wire, vec![cut, Turn::says("They fly.")]);
        let again = answered.heard.iter().position(|delta| *delta == Delta::Again).unwrap();
        assert!(again > 0 && answered.heard[0] == Delta::Text("They ".to_owned()), "{:?}", answered.heard);
        assert_eq!(answered.text_heard(), "They fly.");
        assert_eq!(answered.reply().text, "They fly.");
    }
}

#[test]
fn an_answer_that_only_the_end_of_the_connection_ends_must_say_that_it_was_all() {
    for wire in WIRES {
        let open = Turn::says("They fly.").without_length();
        assert_eq!(ask(wire, vec![open]).reply().text, "They fly.");
        let length = if wire == ModelWireFormat::OpenAi { 400 } else { 500 };
        let cut = Turn::says("They swarm in early summer, mostly.").without_length().cut_after(length);
        assert_eq!(ask(wire, vec![cut, Turn::says("ok")]).reply().attempts, 2);
    }
}

#[test]
fn a_service_that_falls_silent_in_the_middle_is_asked_again() {
    for wire in WIRES {
        let server = ModelServer::start([Turn::says("They fly.").stalls_after(60), Turn::says("ok")]);
        let pace = RetryPolicy {
            first_wait: Duration::from_millis(1),
            idle: Duration::from_millis(500),
            ..RetryPolicy::default()
        };
        let model = model(wire, &server.base_url(), None).with_retry_policy(pace);
        assert_eq!(block_on(model.ask(&request(), &|_| ())).unwrap().attempts, 2);
    }
}

#[test]
fn a_service_that_never_answers_is_given_up_at_the_limit() {
    for wire in WIRES {
        let server = ModelServer::start([Turn::hangs()]);
        let request = ModelRequest { limit: Duration::from_millis(50), ..request() };
        let failure = block_on(model(wire, &server.base_url(), None).ask(&request, &|_| ())).unwrap_err();
        let ModelFailure::Unreachable { message } = &failure else { panic!("{failure:?}") };
        assert!(message.contains("within 50 ms"), "{message}");
    }
}

#[test]
fn nobody_there_is_told_with_the_address() {
    for wire in WIRES {
        let failure =
            block_on(model(wire, "http://127.0.0.1:1/v1", Some(KEY)).ask(&request(), &|_| ())).unwrap_err();
        let ModelFailure::Unreachable { message } = &failure else { panic!("{failure:?}") };
        assert!(message.contains("http://127.0.0.1:1") && message.contains("can't be reached"), "{message}");
    }
}

#[test]
fn a_refused_key_names_the_variable_and_never_the_key() {
    for wire in WIRES {
        for status in [401, 403] {
            let answered =
                ask(wire, vec![Turn::status(status, &said("bad key sk-very-secret, sk-very-secret"))]);
            let ModelFailure::Key { message, hint } = answered.failure() else {
                panic!("{:?}", answered.result)
            };
            assert!(message.ends_with("rejected the key; it says: bad key …, …"), "{message}");
            assert_eq!(hint, "set THE_KEY or `model.api_key`");
        }
        let server = ModelServer::start([Turn::status(401, "")]);
        let failure = block_on(model(wire, &server.base_url(), None).ask(&request(), &|_| ())).unwrap_err();
        assert!(message(&failure).ends_with("asks for a key"), "{failure:?}");
    }
}

#[test]
fn a_key_is_masked_wherever_a_service_repeats_it() {
    // Also where the cut of a long message would leave half of it.
    let long = format!("{}{KEY}", "x".repeat(292));
    for wire in WIRES {
        for status in [400, 401, 402, 404, 413, 418, 422, 429] {
            for body in
                [said(&long), format!("<title>{KEY}</title>"), KEY.to_owned(), json!([KEY]).to_string()]
            {
                let script =
                    (0..if status == 429 { 4 } else { 1 }).map(|_| Turn::status(status, &body)).collect();
                let answered = ask(wire, script);
                let shown = format!("{:?}", answered.failure());
                assert!(!shown.contains("sk-v"), "{shown}");
            }
        }
        let inside = format!("data: {}\n\n", json!({ "error": { "message": KEY, "code": 400 } }));
        assert!(!format!("{:?}", ask(wire, vec![Turn::stream(&inside)]).failure()).contains("sk-v"));
        let wrong = format!("{{ {KEY}");
        assert!(!format!("{:?}", ask(wire, vec![Turn::status(200, &wrong)]).failure()).contains("sk-v"));
    }
}

#[test]
fn what_a_service_says_is_short_and_on_one_line() {
    let answered = ask(ModelWireFormat::OpenAi, vec![Turn::status(400, &said(&"b\u{1b}[31m\n".repeat(200)))]);
    let text = message(answered.failure());
    assert!(!text.contains(char::is_control), "{text}");
    let own = text.split_once("it says: ").unwrap().1;
    assert_eq!(own.chars().count(), 300);
    for (body, expected) in [
        (r#"{"error":"plain"}"#, "it says: plain"),
        (r#"{"message":"mistral"}"#, "it says: mistral"),
        (r#"{"detail":[{"loc":["body"],"msg":"pydantic"}]}"#, "it says: pydantic"),
        (r#"[{"error":{"message":"google"}}]"#, "it says: google"),
        ("<html><head><TITLE>Bad\n gateway</TITLE></head>", "it says: Bad gateway"),
        ("<html>", "status 400"),
        ("just words", "it says: just words"),
        ("", "status 400"),
    ] {
        let answered = ask(ModelWireFormat::OpenAi, vec![Turn::status(400, body)]);
        assert!(message(answered.failure()).ends_with(expected), "{body}: {:?}", answered.result);
    }
}

#[test]
fn a_request_that_is_refused_is_not_sent_again() {
    for wire in WIRES {
        for status in [400, 402, 404, 418, 422, 451] {
            let answered = ask(wire, vec![Turn::status(status, &said("no"))]);
            let ModelFailure::Rejected { status: told, message } = answered.failure() else {
                panic!("{:?}", answered.result)
            };
            assert!(*told == status && message.ends_with("it says: no"), "{message}");
        }
        let answered = ask(wire, vec![Turn::status(404, "")]);
        let text = message(answered.failure());
        assert!(text.contains("no model `m`") && text.contains("http://127.0.0.1:"), "{text}");
    }
}

#[test]
fn a_redirect_is_not_followed_and_the_key_stays_here() {
    for wire in WIRES {
        let elsewhere = ModelServer::start([]);
        let there = format!("{}/v1/chat/completions", elsewhere.base);
        for status in [301, 302, 307, 308] {
            let answered = ask(wire, vec![Turn::status(status, "").with_header("location", &there)]);
            assert!(matches!(answered.failure(), ModelFailure::Rejected { .. }), "{:?}", answered.result);
        }
        assert_eq!(elsewhere.into_requests().len(), 0);
    }
}

#[test]
fn a_request_that_is_too_long_is_told_as_that() {
    for wire in WIRES {
        for (status, words) in [
            (400, "This model's maximum context length is 8192 tokens"),
            (400, "prompt is too long: 210000 tokens > 200000 maximum"),
            (400, "the request exceeds the available context size"),
            (422, "Input is too long for this model"),
            (413, "request entity too large"),
        ] {
            let answered = ask(wire, vec![Turn::status(status, &said(words))]);
            assert!(matches!(answered.failure(), ModelFailure::TooLong { .. }), "{:?}", answered.result);
        }
    }
    let code = json!({ "error": { "message": "no", "code": "context_length_exceeded" } }).to_string();
    let answered = ask(ModelWireFormat::OpenAi, vec![Turn::status(400, &code)]);
    assert!(matches!(answered.failure(), ModelFailure::TooLong { .. }), "{:?}", answered.result);
}

fn with_tools() -> ModelRequest {
    let tool =
        ToolSpec { name: "search".to_owned(), about: "x".to_owned(), input: json!({ "type": "object" }) };
    ModelRequest { tools: vec![tool], ..request() }
}

#[test]
fn what_a_service_can_not_do_is_told_as_that() {
    let cases: [(ModelRequest, u16, &str, &str); 8] = [
        (
            shaped(ReplyFormatMode::Schema),
            400,
            "'response_format' of type 'json_schema' is not supported with this model",
            "constrained replies",
        ),
        (
            shaped(ReplyFormatMode::Schema),
            400,
            "Invalid schema for response_format 'count'",
            "constrained replies",
        ),
        (
            shaped(ReplyFormatMode::Schema),
            422,
            "response_format: Extra inputs are not permitted",
            "constrained replies",
        ),
        (shaped(ReplyFormatMode::Tool), 400, "tool_choice: unknown value", "tools"),
        (with_tools(), 400, "library/tiny does not support tools", "tools"),
        (with_tools(), 404, "No endpoints found that support tool use.", "tools"),
        (with_tools(), 500, "tools param requires --jinja flag", "tools"),
        (with_tools(), 501, "function calling is not implemented", "tools"),
    ];
    for (request, status, words, what) in cases {
        let answered = ask_for(ModelWireFormat::OpenAi, &request, vec![Turn::status(status, &said(words))]);
        assert_eq!(*answered.failure(), ModelFailure::Unsupported { what: what.to_owned() }, "{words}");
    }
    // Where nothing of the sort was asked for, or the talk is wrong, it is another matter.
    for (request, words) in [
        (request(), "response_format is not supported"),
        (request(), "tools are not supported"),
        (with_tools(), "messages with role 'tool' must follow a message with tool_calls"),
    ] {
        let answered = ask_for(ModelWireFormat::OpenAi, &request, vec![Turn::status(400, &said(words))]);
        assert!(
            matches!(answered.failure(), ModelFailure::Rejected { .. }),
            "{words}: {:?}",
            answered.result
        );
    }
}

#[test]
fn what_a_server_dislikes_is_left_out_from_then_on() {
    let server = ModelServer::start([
        Turn::status(
            422,
            r#"{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#,
        ),
        Turn::status(400, &said("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")),
        Turn::status(400, &said("'temperature' does not support 0 with this model")),
        Turn::says("ok"),
        Turn::says("ok"),
    ]);
    let model = model(ModelWireFormat::OpenAi, &server.base_url(), None);
    let request = ModelRequest { temperature: Some(0), ..request() };
    assert_eq!(block_on(model.ask(&request, &|_| ())).unwrap().attempts, 4);
    assert_eq!(block_on(model.ask(&request, &|_| ())).unwrap().attempts, 1);
    let asked = server.into_requests();
    let has = |at: usize| {
        let names = ["stream_options", "max_tokens", "max_completion_tokens", "temperature"];
        names.map(|name| asked[at].body.get(name).is_some())
    };
    assert_eq!(has(0), [true, true, false, true]);
    assert_eq!(has(1), [false, true, false, true]);
    assert_eq!(has(2), [false, false, true, true]);
    assert_eq!(has(3), [false, false, true, false]);
    assert_eq!(has(4), [false, false, true, false]);
    // It is no endless game.
    let again = || Turn::status(400, &said("I dislike stream_options"));
    let answered = ask(ModelWireFormat::OpenAi, vec![again(), again()]);
    assert!(
        matches!(answered.failure(), ModelFailure::Rejected { status: 400, .. }),
        "{:?}",
        answered.result
    );
}

/// A stream that begins well and then tells of an error.
fn error_inside(wire: ModelWireFormat, error: &Value) -> Turn {
    let begun = match wire {
        ModelWireFormat::OpenAi => r#"{"choices":[{"delta":{"content":"They "}}]}"#,
        ModelWireFormat::Anthropic => {
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"They "}}"#
        }
    };
    Turn::stream(&format!(
        "data: {begun}\n\nevent: error\ndata: {}\n\n",
        json!({ "type": "error", "error": error })
    ))
}

#[test]
fn an_error_inside_a_stream_counts_as_it_would_outside() {
    for wire in WIRES {
        for error in [
            json!({ "type": "overloaded_error", "message": "busy" }),
            json!({ "type": "rate_limit_error", "message": "busy" }),
            json!({ "code": 503, "message": "busy" }),
            json!({ "code": "502", "message": "busy" }),
            json!("something"),
            json!({}),
        ] {
            let answered = ask(wire, vec![error_inside(wire, &error), Turn::says("ok")]);
            assert_eq!(answered.reply().attempts, 2, "{error}");
            assert_eq!(answered.text_heard(), "ok");
            assert!(answered.heard.contains(&Delta::Again));
        }
        let fails = |error: Value| -> Answered { ask(wire, vec![error_inside(wire, &error)]) };
        let answered = fails(json!({ "code": 400, "type": "exceed_context_size_error", "message": "long" }));
        assert!(matches!(answered.failure(), ModelFailure::TooLong { .. }), "{:?}", answered.result);
        let answered = fails(json!({ "type": "invalid_request_error", "message": "odd" }));
        assert!(matches!(answered.failure(), ModelFailure::Rejected { .. }), "{:?}", answered.result);
        let answered = fails(json!({ "type": "authentication_error", "message": "who?" }));
        assert!(matches!(answered.failure(), ModelFailure::Key { .. }), "{:?}", answered.result);
    }
}

#[test]
fn an_answer_that_holds_no_reply_is_none() {
    for wire in WIRES {
        for (turn, expected) in [
            (Turn::status(200, ""), "holds no reply"),
            (Turn::status(200, "{}"), "holds no reply"),
            (Turn::status(200, r#"{"choices":[]}"#), "holds no reply"),
            (Turn::status(200, r#"{"choices":null,"usage":{}}"#), "holds no reply"),
            (Turn::status(200, r#"{"choices": [{"mess"#), "is not JSON"),
            (Turn::status(200, "<html><title>Log in</title>"), "is not JSON; it says: Log in"),
            (Turn::stream("data: {\"choices\":[]}\n\ndata: [DONE]\n\n"), "holds no reply"),
            (Turn::stream("data: what?\n\n"), "holds no reply"),
            (Turn::stream("nothing of the sort"), "holds no reply"),
        ] {
            let answered = ask(wire, vec![turn]);
            let ModelFailure::Broken { message } = answered.failure() else {
                panic!("{:?}", answered.result)
            };
            assert!(message.contains(expected), "{message}");
        }
    }
}

#[test]
fn an_answer_without_end_is_given_up() {
    let word = "w".repeat(1000);
    let piece = json!({ "choices": [{ "delta": { "content": word } }] });
    let long = format!("data: {piece}\n\n").repeat(5000);
    let answered = ask(ModelWireFormat::OpenAi, vec![Turn::stream(&long)]);
    assert!(message(answered.failure()).contains("the answer is too large"));
    let line = format!("data: \"{}\"\n\n", "x".repeat(2 << 20));
    assert!(
        message(ask(ModelWireFormat::OpenAi, vec![Turn::stream(&line)]).failure())
            .contains("line of the answer")
    );
    let calls: Vec<(&str, Value)> = vec![("search", json!({})); 65];
    for wire in WIRES {
        assert!(message(ask(wire, vec![Turn::calls(&calls)]).failure()).contains("more than 64 tools"));
    }
    let many = ": alive\n\n".repeat(4 << 20);
    assert!(
        message(ask(ModelWireFormat::Anthropic, vec![Turn::stream(&many)]).failure()).contains("too large")
    );
}

#[test]
fn whoever_stops_waiting_can_ask_again() {
    let server = ModelServer::start([Turn::hangs(), Turn::says("ok")]);
    let model = model(ModelWireFormat::OpenAi, &server.base_url(), None);
    block_on(async {
        let asked = async {
            while server.requests_so_far().is_empty() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let request = request();
        tokio::select! {
            reply = model.ask(&request, &|_| ()) => panic!("{reply:?}"),
            () = asked => {}
        }
        assert_eq!(model.ask(&request, &|_| ()).await.unwrap().text, "ok");
    });
}
