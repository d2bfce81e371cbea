//! The clients of language models against a server that is real down to the socket: what goes out, in both formats,
//! and what comes back.

use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};
use wellread_adapters::http::ClientIdentity;
use wellread_adapters::llm::{ModelService, ModelWireFormat, NoModel, RemoteModel, RetryPolicy};
use wellread_core::ports::{
    Delta, Message, Model, ModelFailure, ModelRequest, Reply, ReplyFormat, ReplyFormatMode, StopReason,
    TokenUsage, ToolCall, ToolChoice, ToolSpec,
};
use wellread_testkit::model_server::ReceivedRequest;
use wellread_testkit::{ModelServer, Turn};

pub const KEY: &str = "sk-very-secret";
pub const WIRES: [ModelWireFormat; 2] = [ModelWireFormat::OpenAi, ModelWireFormat::Anthropic];

pub fn request() -> ModelRequest {
    ModelRequest {
        system: "Be brief.".to_owned(),
        messages: vec![Message::User { text: "What do bees do?".to_owned() }],
        tools: Vec::new(),
        choice: ToolChoice::Auto,
        shape: None,
        max_tokens: 100,
        temperature: None,
        limit: Duration::from_secs(60),
    }
}

pub fn shaped(by: ReplyFormatMode) -> ModelRequest {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    ModelRequest { shape: Some(ReplyFormat { name: "count".to_owned(), schema, by }), ..request() }
}

fn tools() -> Vec<ToolSpec> {
    let input = json!({ "type": "object", "properties": { "q": { "type": "string" } } });
    vec![ToolSpec { name: "search".to_owned(), about: "Searches.".to_owned(), input }]
}

pub fn model(wire: ModelWireFormat, base_url: &str, key: Option<&str>) -> RemoteModel {
    let service = ModelService {
        wire,
        base_url: base_url.to_owned(),
        model: "m".to_owned(),
        key: key.map(str::to_owned),
        key_hint: "set THE_KEY or `model.api_key`".to_owned(),
        identity: ClientIdentity::default(),
        price: None,
    };
    let at_once = Duration::from_millis(1);
    let pace = RetryPolicy { first_wait: at_once, longest_wait: at_once, ..RetryPolicy::default() };
    RemoteModel::new(service).unwrap().with_retry_policy(pace)
}

pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// What came of a request to a server with this script, all of which must be needed.
pub struct Answered {
    pub result: Result<Reply, ModelFailure>,
    pub heard: Vec<Delta>,
    pub asked: Vec<ReceivedRequest>,
}

impl Answered {
    pub fn reply(&self) -> &Reply {
        self.result.as_ref().unwrap()
    }

    pub fn failure(&self) -> &ModelFailure {
        self.result.as_ref().unwrap_err()
    }

    /// The text as somebody saw it grow.
    pub fn text_heard(&self) -> String {
        let mut text = String::new();
        for delta in &self.heard {
            match delta {
                Delta::Text(piece) => text += piece,
                Delta::Again => text.clear(),
                Delta::Calls(_) => {}
            }
        }
        text
    }
}

pub fn ask_for(wire: ModelWireFormat, request: &ModelRequest, script: Vec<Turn>) -> Answered {
    let server = ModelServer::start(script);
    let model = model(wire, &server.base_url(), Some(KEY));
    let heard = Mutex::new(Vec::new());
    let result = block_on(model.ask(request, &|delta| heard.lock().unwrap().push(delta)));
    let asked = server.into_requests();
    assert!(!format!("{result:?} {model:?}").contains(KEY), "{result:?}");
    Answered { result, heard: heard.into_inner().unwrap(), asked }
}

pub fn ask(wire: ModelWireFormat, script: Vec<Turn>) -> Answered {
    ask_for(wire, &request(), script)
}

#[test]
fn a_question_goes_out_as_the_format_has_it() {
    let answered = ask(ModelWireFormat::OpenAi, vec![Turn::says("They fly.")]);
    let asked = &answered.asked[0];
    assert_eq!(asked.request.first_line(), "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(asked.header("authorization"), Some("Bearer sk-very-secret"));
    assert_eq!(asked.header("content-type"), Some("application/json"));
    assert!(asked.header("user-agent").unwrap().starts_with("wellread/"));
    let expected = json!({
        "model": "m",
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "What do bees do?" },
        ],
        "stream": true,
        "stream_options": { "include_usage": true },
        "max_tokens": 100,
    });
    assert_eq!(asked.body, expected);

    let answered = ask(ModelWireFormat::Anthropic, vec![Turn::says("They fly.")]);
    let asked = &answered.asked[0];
    assert_eq!(asked.request.first_line(), "POST /v1/messages HTTP/1.1");
    assert_eq!(asked.header("x-api-key"), Some(KEY));
    assert_eq!(
        (asked.header("authorization"), asked.header("anthropic-version")),
        (None, Some("2023-06-01"))
    );
    let expected = json!({
        "model": "m",
        "max_tokens": 100,
        "system": "Be brief.",
        "messages": [{ "role": "user", "content": [{ "type": "text", "text": "What do bees do?" }] }],
        "stream": true,
    });
    assert_eq!(asked.body, expected);
}

#[test]
fn a_reply_is_heard_in_pieces_and_given_whole() {
    for wire in WIRES {
        let answered = ask(wire, vec![Turn::says("They fly, and hum.")]);
        let usage = TokenUsage { read: 20, written: 7, estimated: false };
        let text = "They fly, and hum.".to_owned();
        let expected = Reply { text, calls: Vec::new(), stop: StopReason::End, usage, attempts: 1 };
        assert_eq!(*answered.reply(), expected);
        let pieces = ["They ", "fly, ", "and ", "hum."].map(|word| Delta::Text(word.to_owned()));
        assert_eq!(answered.heard, pieces);
    }
}

#[test]
fn a_reply_that_is_no_stream_is_as_good() {
    for wire in WIRES {
        let answered = ask(wire, vec![Turn::says("They fly.").without_stream()]);
        assert_eq!((answered.reply().text.as_str(), &answered.reply().stop), ("They fly.", &StopReason::End));
        assert_eq!(answered.reply().usage, TokenUsage { read: 20, written: 7, estimated: false });
        assert_eq!(answered.text_heard(), "They fly.");
        let answered = ask(wire, vec![Turn::calls(&[("search", json!({ "q": "x" }))]).without_stream()]);
        assert_eq!((answered.reply().calls.len(), &answered.reply().stop), (1, &StopReason::Tools));
    }
}

#[test]
fn a_reply_that_comes_byte_by_byte_is_the_same() {
    for wire in WIRES {
        for turn in
            [Turn::says("Žluťoučký kůň — 蜂 🐝"), Turn::says("Žluťoučký kůň — 蜂 🐝").without_stream()]
        {
            let answered = ask(wire, vec![turn.byte_by_byte()]);
            assert_eq!(answered.reply().text, "Žluťoučký kůň — 蜂 🐝");
            assert_eq!(answered.text_heard(), "Žluťoučký kůň — 蜂 🐝");
        }
    }
}

#[test]
fn calls_of_tools_come_with_their_arguments() {
    let calls =
        [("search", json!({ "q": "bees — 蜂" })), ("search", json!({})), ("why", json!({ "n": [1] }))];
    for wire in WIRES {
        let answered = ask(wire, vec![Turn::calls(&calls)]);
        let call = |number: usize| ToolCall {
            id: format!("call-{}", number + 1),
            name: calls[number].0.to_owned(),
            arguments: calls[number].1.clone(),
        };
        assert_eq!(answered.reply().calls, [call(0), call(1), call(2)]);
        assert_eq!(answered.reply().stop, StopReason::Tools);
        assert_eq!(answered.heard, ["search", "search", "why"].map(|name| Delta::Calls(name.to_owned())));
    }
}

/// A talk in which tools were called and one of them failed.
fn talk() -> ModelRequest {
    let call =
        |id: &str, arguments: Value| ToolCall { id: id.to_owned(), name: "search".to_owned(), arguments };
    let answer = |id: &str, text: &str, failed: bool| Message::Tool {
        call_id: id.to_owned(),
        name: "search".to_owned(),
        text: text.to_owned(),
        failed,
    };
    let messages = vec![
        Message::User { text: "Look.".to_owned() },
        Message::Assistant {
            text: String::new(),
            calls: vec![call("a:1", json!({ "q": "x" })), call("b", json!("no json"))],
        },
        answer("a:1", "found", false),
        answer("b", "what?", true),
        Message::User { text: "Go on.".to_owned() },
        Message::Assistant { text: "So.".to_owned(), calls: vec![] },
    ];
    ModelRequest {
        system: String::new(),
        messages,
        tools: tools(),
        choice: ToolChoice::None,
        temperature: Some(250),
        ..request()
    }
}

#[test]
fn a_talk_with_tools_goes_out_as_the_format_has_it() {
    let answered = ask_for(ModelWireFormat::OpenAi, &talk(), vec![Turn::says("ok")]);
    let call = |id: &str, arguments: &str| {
        let function = json!({ "name": "search", "arguments": arguments });
        json!({ "id": id, "type": "function", "function": function })
    };
    let input = json!({ "type": "object", "properties": { "q": { "type": "string" } } });
    let function = json!({ "name": "search", "description": "Searches.", "parameters": input });
    let expected = json!({
        "model": "m",
        "messages": [
            { "role": "user", "content": "Look." },
            {
                "role": "assistant",
                "content": null,
                "tool_calls": [call("a:1", r#"{"q":"x"}"#), call("b", r#"{"arguments":"no json"}"#)],
            },
            { "role": "tool", "tool_call_id": "a:1", "content": "found" },
            { "role": "tool", "tool_call_id": "b", "content": "what?" },
            { "role": "user", "content": "Go on." },
            { "role": "assistant", "content": "So." },
        ],
        "stream": true,
        "stream_options": { "include_usage": true },
        "max_tokens": 100,
        "temperature": 0.25,
        "tool_choice": "none",
        "tools": [{ "type": "function", "function": function }],
    });
    assert_eq!(answered.asked[0].body, expected);

    let answered = ask_for(ModelWireFormat::Anthropic, &talk(), vec![Turn::says("ok")]);
    let called =
        |id: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": "search", "input": input });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let expected = json!({
        "model": "m",
        "max_tokens": 100,
        "messages": [
            { "role": "user", "content": [text("Look.")] },
            {
                "role": "assistant",
                "content": [called("a_1", json!({ "q": "x" })), called("b", json!({ "arguments": "no json" }))],
            },
            {
                "role": "user",
                "content": [
                    { "type": "tool_result", "tool_use_id": "a_1", "content": "found" },
                    { "type": "tool_result", "tool_use_id": "b", "content": "what?", "is_error": true },
                    text("Go on."),
                ],
            },
            { "role": "assistant", "content": [text("So.")] },
        ],
        "stream": true,
        "temperature": 0.25,
        "tool_choice": { "type": "none" },
        "tools": [{ "name": "search", "description": "Searches.", "input_schema": input }],
    });
    assert_eq!(answered.asked[0].body, expected);
}

#[test]
fn a_shape_is_asked_for_as_the_service_can() {
    let schema = shaped(ReplyFormatMode::Schema).shape.unwrap().schema;
    let answered = ask_for(
        ModelWireFormat::OpenAi,
        &shaped(ReplyFormatMode::Schema),
        vec![Turn::json(&json!({ "n": 3 }))],
    );
    assert_eq!(answered.reply().text, r#"{"n":3}"#);
    let format = json!({
        "type": "json_schema",
        "json_schema": { "name": "count", "schema": schema, "strict": true },
    });
    assert_eq!(answered.asked[0].body["response_format"], format);
    assert_eq!(answered.asked[0].body.get("tools"), None);

    for wire in WIRES {
        let answered = ask_for(wire, &shaped(ReplyFormatMode::Tool), vec![Turn::json(&json!({ "n": 3 }))]);
        let reply = answered.reply();
        assert_eq!(
            (reply.text.as_str(), reply.calls.len(), &reply.stop),
            (r#"{"n":3}"#, 0, &StopReason::End)
        );
        assert_eq!(answered.heard, [], "what is no text for people is not told");
        let body = &answered.asked[0].body;
        let (choice, tool) = match wire {
            ModelWireFormat::OpenAi => {
                assert_eq!(body["tools"][0]["function"]["parameters"], schema);
                (
                    json!({ "type": "function", "function": { "name": "count" } }),
                    &body["tools"][0]["function"],
                )
            }
            ModelWireFormat::Anthropic => {
                assert_eq!(body["tools"][0]["input_schema"], schema);
                (json!({ "type": "tool", "name": "count" }), &body["tools"][0])
            }
        };
        assert_eq!((&body["tool_choice"], &tool["name"]), (&choice, &json!("count")));
        let answered = ask_for(wire, &shaped(ReplyFormatMode::Text), vec![Turn::says("{}")]);
        let body = &answered.asked[0].body;
        assert_eq!(
            (body.get("tools"), body.get("response_format"), body.get("tool_choice")),
            (None, None, None)
        );
    }
    // Anthropic's own constraint is the forced call: it is not even asked for another.
    let answered = ask_for(ModelWireFormat::Anthropic, &shaped(ReplyFormatMode::Schema), vec![]);
    assert_eq!(*answered.failure(), ModelFailure::Unsupported { what: "constrained replies".to_owned() });
}

#[test]
fn a_shape_that_the_model_answers_in_words_is_its_words() {
    for wire in WIRES {
        let answered = ask_for(wire, &shaped(ReplyFormatMode::Tool), vec![Turn::says("I would rather not.")]);
        assert_eq!(answered.reply().text, "I would rather not.");
    }
}

#[test]
fn without_a_key_none_is_sent_and_the_address_may_end_in_many_ways() {
    for (wire, ending, path) in [
        (ModelWireFormat::OpenAi, "/v1", "/v1/chat/completions"),
        (ModelWireFormat::OpenAi, "/inference/v1/", "/inference/v1/chat/completions"),
        (ModelWireFormat::Anthropic, "", "/v1/messages"),
        (ModelWireFormat::Anthropic, "/", "/v1/messages"),
        (ModelWireFormat::Anthropic, "/v1", "/v1/messages"),
        (ModelWireFormat::Anthropic, "/proxy/v1/", "/proxy/v1/messages"),
    ] {
        let server = ModelServer::start([Turn::says("ok")]);
        let model = model(wire, &format!("{}{ending}", server.base), None);
        block_on(model.ask(&request(), &|_| ())).unwrap();
        let asked = &server.into_requests()[0];
        assert_eq!(asked.path(), path);
        assert_eq!((asked.header("authorization"), asked.header("x-api-key")), (None, None));
    }
}

#[test]
fn a_second_question_goes_over_the_same_connection() {
    for wire in WIRES {
        let server =
            ModelServer::start([Turn::says("one"), Turn::says("two").without_stream(), Turn::says("three")]);
        let model = model(wire, &server.base_url(), None);
        block_on(async {
            for expected in ["one", "two", "three"] {
                assert_eq!(model.ask(&request(), &|_| ()).await.unwrap().text, expected);
            }
        });
        assert_eq!(
            server.into_requests().iter().map(|asked| asked.connection).collect::<Vec<_>>(),
            [0, 0, 0]
        );
    }
}

#[test]
fn a_model_outlives_the_runtime_that_it_was_first_asked_in() {
    let server = ModelServer::start([Turn::says("one"), Turn::says("two")]);
    let model = model(ModelWireFormat::OpenAi, &server.base_url(), None);
    assert_eq!(block_on(model.ask(&request(), &|_| ())).unwrap().text, "one");
    assert_eq!(block_on(model.ask(&request(), &|_| ())).unwrap().text, "two");
}

#[test]
fn a_model_knows_itself_and_whether_it_is_on_this_machine() {
    for (base, endpoint, local) in [
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080", true),
        ("http://localhost/v1", "http://localhost", true),
        ("http://[::1]:1/v1", "http://[::1]:1", true),
        ("https://api.example.com/inference/v1", "https://api.example.com", false),
        ("http://192.168.0.3:11434/v1", "http://192.168.0.3:11434", false),
        ("http://localhost.example.com/v1", "http://localhost.example.com", false),
    ] {
        let identity = model(ModelWireFormat::OpenAi, base, None).identity();
        assert_eq!((identity.name.as_str(), identity.endpoint.as_str()), ("m", endpoint));
        assert_eq!(identity.is_local, local, "{base}");
    }
}

#[test]
fn where_no_model_is_set_up_the_answer_says_what_to_do() {
    let failure = block_on(NoModel::not_set_up().ask(&request(), &|_| ())).unwrap_err();
    let ModelFailure::NotSetUp { message, hint } = failure else { panic!("{failure:?}") };
    assert_eq!(message, "no model is set up");
    assert!(hint.contains("OPENAI_API_KEY") && hint.contains("model.base_url"), "{hint}");
}

#[test]
fn an_address_or_a_key_that_is_none_is_refused_without_showing_it() {
    let service = |base_url: &str, key: &str| ModelService {
        wire: ModelWireFormat::OpenAi,
        base_url: base_url.to_owned(),
        model: "m".to_owned(),
        key: Some(key.to_owned()),
        key_hint: "set X".to_owned(),
        identity: ClientIdentity::default(),
        price: None,
    };
    for base in ["", "localhost:1234", "ftp://x/v1", "http://x/v1?key=1", "http://u:sk-very-secret@x/v1"] {
        let error = RemoteModel::new(service(base, KEY)).unwrap_err();
        assert!(!format!("{error:?}").contains(KEY), "{error:?}");
        assert_eq!(error.hint_text(), Some("set `model.base_url`"), "{base}");
    }
    let error = RemoteModel::new(service("http://x", "line\nbreak")).unwrap_err();
    assert!(!format!("{error:?}").contains("break"), "{error:?}");
    assert!(!format!("{:?}", service("http://x", KEY)).contains(KEY));
}
