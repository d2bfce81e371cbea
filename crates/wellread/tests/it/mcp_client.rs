//! The Model Context Protocol, spoken by a client that we did not write: `tests/mcp_client.py`.

use std::process::Command;

use wellread_core::domain::id::RunId;
use wellread_core::ports::event::RunKind;
use wellread_testkit::run_fixtures::{events, record_run};

use crate::desk::{BINARY, Desk, Ran, repository};

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
