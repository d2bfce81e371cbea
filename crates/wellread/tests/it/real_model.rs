//! The clients of language models against a real one, which is too small to be right: what is asserted is how it is
//! spoken to, never what it says. `./check --real-model` starts it and runs these.

use std::sync::Mutex;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use wellread_adapters::http::ClientIdentity;
use wellread_adapters::llm::{ModelService, ModelWireFormat, RemoteModel};
use wellread_core::engine::llm::{ask_structured, ask_structured_from};
use wellread_core::ports::{
    Delta, Message, Model, ModelFailure, ModelRequest, Reply, ReplyFormatMode, StopReason, ToolCall,
    ToolChoice, ToolSpec,
};

use crate::desk::{Desk, PATIENCE, Ran};
use crate::partner::last_run;
use crate::served::Served;

const WIRES: [ModelWireFormat; 2] = [ModelWireFormat::OpenAi, ModelWireFormat::Anthropic];

/// The address of a model that is running.
fn base_url() -> String {
    std::env::var("WELLREAD_REAL_MODEL").expect("`./check --real-model` says where the model is")
}

fn model(wire: ModelWireFormat) -> RemoteModel {
    let service = ModelService {
        wire,
        base_url: base_url(),
        model: "smollm2".to_owned(),
        key: None,
        key_hint: String::new(),
        identity: ClientIdentity::default(),
        price: None,
    };
    RemoteModel::new(service).unwrap()
}

fn request(text: &str, max_tokens: u32) -> ModelRequest {
    ModelRequest {
        system: "You answer in one short sentence.".to_owned(),
        messages: vec![Message::User { text: text.to_owned() }],
        tools: Vec::new(),
        choice: ToolChoice::Auto,
        shape: None,
        max_tokens,
        temperature: Some(0),
        limit: Duration::from_secs(300),
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn ask(wire: ModelWireFormat, request: &ModelRequest) -> (Result<Reply, ModelFailure>, Vec<Delta>) {
    let heard = Mutex::new(Vec::new());
    let reply = block_on(model(wire).ask(request, &|delta| heard.lock().unwrap().push(delta)));
    (reply, heard.into_inner().unwrap())
}

#[test]
#[ignore = "needs a real model: ./check --real-model"]
fn a_real_model_answers_in_pieces_that_are_its_reply() {
    for wire in WIRES {
        let (reply, heard) = ask(wire, &request("What do bees make?", 24));
        let reply = reply.unwrap();
        assert!(!reply.text.trim().is_empty(), "{reply:?}");
        assert!(matches!(reply.stop, StopReason::End | StopReason::Length), "{reply:?}");
        assert_eq!((reply.attempts, reply.calls.len()), (1, 0));
        assert!(reply.usage.read > 10 && reply.usage.written > 1 && !reply.usage.estimated, "{reply:?}");
        assert!(heard.len() > 2, "{heard:?}");
        let told: String = heard
            .iter()
            .map(|delta| match delta {
                Delta::Text(text) => text.as_str(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(told, reply.text);
    }
}

#[test]
#[ignore = "needs a real model: ./check --real-model"]
fn a_real_model_is_stopped_where_its_reply_would_be_too_long() {
    for wire in WIRES {
        let reply = ask(wire, &request("Count from one to a hundred.", 5)).0.unwrap();
        assert_eq!((&reply.stop, reply.usage.written), (&StopReason::Length, 5));
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Insect {
    legs: u32,
    can_fly: bool,
    #[schemars(length(min = 1, max = 3))]
    colours: Vec<Colour>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Colour {
    Black,
    Yellow,
    Red,
}

#[test]
#[ignore = "needs a real model: ./check --real-model"]
fn a_real_model_is_held_to_a_schema() {
    let model = model(ModelWireFormat::OpenAi);
    let request = request("Describe a honeybee.", 120);
    let model: &dyn Model = &model;
    let found = block_on(ask_structured::<Insect>(&model, request, "insect")).unwrap();
    assert_eq!((found.by, found.reply.attempts), (ReplyFormatMode::Schema, 1));
    let Insect { legs, can_fly, colours } = &found.value;
    assert!((1..=3).contains(&colours.len()), "{legs} {can_fly} {colours:?}");
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Query {
    query: String,
}

/// A talk that shows how it is done: so small a model goes on as it was begun.
fn searching(last: &str) -> Vec<Message> {
    let mut messages = Vec::new();
    for word in ["bees", "wax"] {
        let id = format!("call-{word}");
        let arguments = json!({ "query": word });
        let call = ToolCall { id: id.clone(), name: "search".to_owned(), arguments };
        let found = Message::Tool {
            call_id: id,
            name: "search".to_owned(),
            text: "Found.".to_owned(),
            failed: false,
        };
        messages.push(Message::User { text: format!("Search for {word}.") });
        messages.push(Message::Assistant { text: String::new(), calls: vec![call] });
        messages.push(found);
        messages.push(Message::Assistant { text: "Done.".to_owned(), calls: Vec::new() });
    }
    messages.push(Message::User { text: last.to_owned() });
    messages
}

#[test]
#[ignore = "needs a real model: ./check --real-model"]
fn a_real_model_answers_by_a_call_that_is_forced() {
    for wire in WIRES {
        let model = model(wire);
        let request = ModelRequest { messages: searching("Search for hives."), ..request("", 60) };
        let model: &dyn Model = &model;
        let found =
            block_on(ask_structured_from::<Query>(&model, request, "search", ReplyFormatMode::Tool)).unwrap();
        assert_eq!((found.by, found.reply.calls.len()), (ReplyFormatMode::Tool, 0));
        assert!(!found.value.query.is_empty(), "{found:?}");
    }
}

#[test]
#[ignore = "needs a real model: ./check --real-model"]
fn a_real_server_takes_tools_and_what_they_answered() {
    let input =
        json!({ "type": "object", "properties": { "query": { "type": "string" } }, "required": ["query"] });
    let tool = ToolSpec { name: "search".to_owned(), about: "Searches the notes.".to_owned(), input };
    for wire in WIRES {
        let messages = searching("Search for hives.");
        let request = ModelRequest { messages, tools: vec![tool.clone()], ..request("", 60) };
        let (reply, heard) = ask(wire, &request);
        let reply = reply.unwrap();
        // Whether it calls is up to it; if it does, then properly.
        for call in &reply.calls {
            assert!(!call.id.is_empty() && call.arguments["query"].is_string(), "{reply:?}");
        }
        assert_eq!(reply.calls.is_empty(), !heard.contains(&Delta::Calls("search".to_owned())), "{heard:?}");
        assert!(!reply.text.is_empty() || reply.stop == StopReason::Tools, "{reply:?}");
    }
}

#[test]
#[ignore = "needs a real model: ./check --real-model"]
fn a_real_server_says_that_a_request_is_too_long() {
    for wire in WIRES {
        let failure = ask(wire, &request(&"bees and ".repeat(5000), 5)).0.unwrap_err();
        assert!(matches!(failure, ModelFailure::TooLong { .. }), "{failure:?}");
    }
}

#[test]
#[ignore = "needs a real model: ./check --real-model"]
fn doctor_finds_a_real_model() {
    let desk = Desk::bare();
    for provider in ["openai", "anthropic"] {
        let mut command = desk.here();
        command.env("WELLREAD_MODEL_BASE_URL", base_url()).env("WELLREAD_MODEL_PROVIDER", provider);
        command.env("LLM_MODEL", "smollm2").args(["--offline", "doctor", "--try", "--json"]);
        let said = Ran::of(&mut command).done();
        let last = said["checks"].as_array().unwrap().last().unwrap();
        assert!(last["detail"].as_str().unwrap().ends_with("it answers"), "{last}");
    }
}

/// The binary's settings for the real model, which reads little and may call for tools without end.
fn talks(desk: &Desk, provider: &str) -> [(&'static str, String); 5] {
    let config = desk.folder().join("config.toml");
    std::fs::write(&config, "").unwrap();
    std::fs::write(desk.folder().join("system_prompt.txt"), "You answer in one short sentence.\n").unwrap();
    [
        ("WELLREAD_MODEL_BASE_URL", base_url()),
        ("WELLREAD_MODEL_PROVIDER", provider.to_owned()),
        ("LLM_MODEL", "smollm2".to_owned()),
        ("WELLREAD_CHAT_ROUNDS", "1".to_owned()),
        ("WELLREAD_CONFIG", config.to_str().unwrap().to_owned()),
    ]
}

#[test]
#[ignore = "needs a real model: ./check --real-model"]
fn a_real_model_is_talked_with_and_its_run_can_be_run_again() {
    let desk = Desk::bare();
    desk.save("Bees.md", "Bees make honey.\n");
    let mut command = desk.here();
    command.envs(talks(&desk, "anthropic")).args(["--offline", "chat", "What do bees make?", "--json"]);
    let answer = Ran::within(5 * PATIENCE, &mut command, b"").done();
    assert!(!answer["response"].as_str().unwrap().trim().is_empty(), "{answer}");
    let run = last_run(&desk);
    assert_eq!((&run["id"], &run["ended"]), (&answer["run_id"], &json!("done")));
    let replayed = desk.run(["--offline", "replay", run["id"].as_str().unwrap(), "--json"]).done();
    assert_eq!(replayed, answer);
}

#[test]
#[ignore = "needs a real model: ./check --real-model"]
fn a_real_model_is_heard_as_it_speaks() {
    let desk = Desk::bare();
    desk.save("Bees.md", "Bees make honey.\n");
    let variables = talks(&desk, "openai");
    let served = Served::with(&desk, &[], |command| command.envs(variables));
    let body = json!({ "message": "What do bees make?" }).to_string();
    let more = format!(
        "Connection: close\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    let mut stream = served.connect();
    stream.set_read_timeout(Some(5 * PATIENCE)).unwrap();
    std::io::Write::write_all(&mut stream, (served.head("POST /chat", &more) + &body).as_bytes()).unwrap();
    let reply = crate::served::Reply::read(&mut std::io::BufReader::new(stream));
    let heard = crate::served::events(&reply);
    let done = heard.last().unwrap();
    assert_eq!(done.0, "done", "{heard:?}");
    let from = heard.iter().rposition(|(name, _)| name == "again").map_or(0, |at| at + 1);
    let pieces = heard[from..].iter().filter(|(name, _)| name == "text");
    let told: String = pieces.map(|(_, data)| data["text"].as_str().unwrap()).collect();
    assert_eq!((told.as_str(), told.is_empty()), (done.1["response"].as_str().unwrap(), false));
    served.end();
}
