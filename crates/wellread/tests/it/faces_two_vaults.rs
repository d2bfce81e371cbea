//! Two vaults that differ only in their private notes: a model on another machine is sent the same, byte for byte, by every
//! face that asks one: the command line, the HTTP API, an editor's agent, and the worker behind an approved agenda.

use std::process::Command;

use serde_json::{Value, json};
use wellread_core::domain::id::AgendaId;
use wellread_testkit::two_vaults::{AGENDAS, without_ids};
use wellread_testkit::{ModelServer, Turn};

use crate::agenda_bench::{Bench, Trap, until_ended};
use crate::desk::Ran;
use crate::mcp_two_vaults::{furnish, vaults, without_times};
use crate::partner::Wire;
use crate::served::Served;
use crate::talk::Talk;

/// What a model that does as it is told says, whatever it is asked.
const REPLY: &str = "A hive holds 40,000 bees. See [[Diary]], [[Divorce lawyer]] and [[Bees]].";

/// More turns than any face takes.
const TURNS: usize = 40;

/// A desk with this vault, and a model that counts as one on another machine: an address that leads here, and is not known to.
struct Elsewhere {
    bench: Bench,
    model: ModelServer,
}

impl Elsewhere {
    fn new(script: &str) -> Self {
        let bench = Bench::new(Trap::nowhere());
        furnish(&bench.desk, script);
        let reply = |_: usize| {
            Turn::from_request(|request: &Value| {
                if request.get("response_format").is_some() {
                    Turn::json(&json!([]))
                } else {
                    Turn::says(REPLY)
                }
            })
        };
        Self { bench, model: ModelServer::start((0..TURNS).map(reply)) }
    }

    /// The binary with this vault, a web and the model.
    fn here(&self) -> Command {
        let mut command = self.bench.here();
        command.envs(Wire::OpenAi.variables(&self.model, "sk-1"));
        command.env("OPENAI_BASE_URL", self.model.base_url().replace("127.0.0.1", "0.0.0.0"));
        command
    }

    fn run(&self, args: &[&str], input: &str) -> Ran {
        Ran::fed(self.here().args(args), input.as_bytes())
    }

    fn serve(&self) -> Served {
        Served::of(self.here(), &[])
    }

    /// What the model was sent, without what is drawn at random.
    fn sent(&self) -> Vec<String> {
        let folder = self.bench.desk.folder().display().to_string();
        let clean = |body: &Value| {
            let body = body.to_string().replace(&folder, "FOLDER").replace(&self.bench.web.base, "WEB");
            without_ids(&without_times(&body))
        };
        self.model.requests_so_far().iter().map(|request| clean(&request.body)).collect()
    }
}

/// Has a face do its work in each of the vaults, and compares what the model was sent.
fn compare(face: &str, work: impl Fn(&Elsewhere)) {
    let [first, second, without] = vaults().each_ref().map(|script| {
        let elsewhere = Elsewhere::new(script);
        work(&elsewhere);
        elsewhere.sent()
    });
    assert!(!first.is_empty(), "{face}: the model was asked nothing");
    assert!(first.len() < TURNS, "{face}: the model ran out of turns");
    assert_eq!(first, second, "{face}: other private notes");
    assert_eq!(first, without, "{face}: no private notes");
    let all = first.concat();
    assert!(
        !all.contains("4711.") && !all.contains("77,000") && !all.contains("Divorce lawyer.md"),
        "{face}: {all}"
    );
}

#[test]
fn the_command_line_sends_the_same_whatever_the_private_notes_are() {
    for (args, input) in [
        (&["ask", "What is the hive code?"][..], ""),
        (&["ask", "How many bees does a hive hold?"], ""),
        (&["chat"], "What do my notes say about the hive?\n"),
        (&["chat", "--file", "Bees.md"], "What is it about?\n"),
        (&["note", "Bees", "--dry-run"], ""),
        (&["code", "what is the hive code"], ""),
        (&["agenda", "new"], ""),
    ] {
        compare(&args.join(" "), |elsewhere| {
            elsewhere.run(args, input);
        });
    }
}

#[test]
fn the_http_api_sends_the_same_whatever_the_private_notes_are() {
    for (path, body) in [
        ("/chat", json!({ "message": "What do my notes say about the hive?" })),
        ("/api/ask", json!({ "query": "What is the hive code?" })),
        ("/api/note/research", json!({ "path": "Bees", "dryRun": true })),
        ("/api/code/research", json!({ "question": "what is the hive code" })),
        ("/api/research/trigger", json!({})),
    ] {
        compare(path, |elsewhere| {
            let served = elsewhere.serve();
            let reply = served.post(path, &body);
            // What such a model says may not be enough for an answer; what it was sent is what counts.
            assert!(![400, 401, 404].contains(&reply.status), "{path}: {} {}", reply.status, reply.body);
            served.end();
        });
    }
}

#[test]
fn an_editors_agent_sends_the_same_whatever_the_private_notes_are() {
    compare("acp", |elsewhere| {
        let mut talk = Talk::acp(elsewhere.here());
        talk.ask("initialize", json!({ "protocolVersion": 1 }));
        let folder = elsewhere.bench.desk.vault();
        let opened = talk.ask("session/new", json!({ "cwd": folder, "mcpServers": [] }));
        let prompt = json!([{ "type": "text", "text": "What do my notes say about the hive?" }]);
        talk.ask("session/prompt", json!({ "sessionId": opened["sessionId"], "prompt": prompt }));
        assert_eq!(talk.end().0, Some(0));
    });
}

#[test]
fn the_worker_sends_the_same_whatever_the_private_notes_are() {
    compare("worker", |elsewhere| {
        let (agenda, _) = AGENDAS[0];
        elsewhere.run(&["agenda", "approve", agenda], "").succeeded();
        let served = elsewhere.serve();
        until_ended(&elsewhere.bench.desk.records(), &AgendaId::parse(agenda).unwrap());
        served.end();
    });
}
