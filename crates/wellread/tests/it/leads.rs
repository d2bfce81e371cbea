//! A model that leads an investigation of code as a test says, one action a turn, in whichever shape it is asked for it.

use std::process::{Child, Stdio};

use serde_json::{Value, json};
use wellread_testkit::{ModelServer, Turn};

use crate::desk::{Desk, Ran};
use crate::partner::with;

pub const QUESTION: &str = "How far must the weight drop for a swarm?";
/// What the lines bear that are opened, `@` being their id.
pub const ANSWER: &str = "`SWARM_DROP_KG` is 1.5: a hive that loses at least this much may have swarmed @.";

/// A desk with the example code as `hivelog`.
pub fn desk() -> Desk {
    let desk = Desk::bare();
    desk.add_code();
    desk
}

pub fn does(action: &str, input: &Value) -> Turn {
    Turn::json(&json!({ "action": action, "reasoning": "to see", "input": input }))
}

pub fn opens(path: &str, first: usize, last: usize) -> Turn {
    does("open_span", &json!({ "file_path": path, "start_line": first, "end_line": last }))
}

/// The lines that bear the answer.
pub fn opens_them() -> Turn {
    opens("rust/src/swarm.rs", 7, 8)
}

/// Ends with this answer, `@` being the id of the lines that were opened first.
pub fn ends(answer: &'static str) -> Turn {
    Turn::from_request(move |body| {
        let answer = answer.replace('@', &format!("[{}]", opened(body)));
        Turn::json(&json!({
            "action": "finalize", "reasoning": "enough", "input": { "answer": answer, "confidence": 0.9 },
        }))
    })
}

/// The id of the lines that were opened first.
pub fn opened(body: &Value) -> String {
    let shown = body.to_string();
    let since = shown.split_once("What `open_span` gave").expect("lines were opened").1;
    let id = since.split("ev-01").nth(1).expect("evidence is shown");
    let end = id.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').unwrap();
    format!("ev-01{}", &id[..end])
}

/// Several steps of every kind, to the end.
pub fn script() -> Vec<Turn> {
    vec![
        does("hybrid_search", &json!({ "query": "weight drop of a swarm", "k": 4 })),
        opens_them(),
        does("graph_expand", &json!({ "symbol": "detect_swarms", "depth": 1, "direction": "in" })),
        ends(ANSWER),
    ]
}

/// `wellread code` with this model and these words more.
pub fn code(desk: &Desk, server: &ModelServer, args: &[&str]) -> Ran {
    Ran::of(with(desk.here().args(["code", QUESTION, "--json"]), server).args(args))
}

/// The same without waiting for its end.
pub fn begun(desk: &Desk, server: &ModelServer) -> Child {
    let mut command = desk.here();
    with(command.args(["code", QUESTION, "--json"]), server);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// What a run says it sent, and where to.
pub fn sent(desk: &Desk, run: &Value) -> Vec<Value> {
    let trace = desk.run(["runs", "show", run.as_str().unwrap(), "trace", "--json"]).done();
    trace["summary"]["left_the_machine"].as_array().unwrap().clone()
}
