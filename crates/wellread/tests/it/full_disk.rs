//! A data folder on a disk that is full: whatever is tried either works or says so, with the remedy, and no note is touched.
//! Once there is room, the remedy works.
//!
//! The disk is a small one in memory, mounted in a namespace of the test's own.

use std::process::Command;

use serde_json::Value;

use crate::desk::{BINARY, Desk, Ran};

/// Mounts a small disk on the data folder, fills it, and tries one command after the other.
const SCRIPT: &str = r#"
bin=$1 vault=$2 data=$3
mount -t tmpfs -o size=4m tmpfs "$data" || exit 77
"$bin" --vault "$vault" --data "$data" index --json >/dev/null || exit 78
dd if=/dev/zero of="$data/filler" bs=1024 2>/dev/null
try() { echo "$*" | tr '\n' ' '; echo; "$bin" --vault "$vault" --data "$data" "$@" --json | tr '\n' ' '; echo; }
try tool append_to_file '{"path":"Home","content":"more"}'
try tool create_file '{"path":"New","content":"more"}'
try ask "What is a varroa mite?"
try note Home.md
try index --full
try search honey
try status
ask_over_mcp() {
    echo "mcp $1"
    { printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
        '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}"
      for _ in $(seq 300); do grep -q '"id":2' "$said" && break; sleep 0.1; done
    } | "$bin" --vault "$vault" --data "$data" mcp --tools all >"$said" 2>/dev/null
    sed -n 's/.*"id":2.*"text":"\(.*\)"}\].*/\1/p' "$said" | sed 's/\\"/"/g'
}
said=$4/said
: >"$said"
ask_over_mcp research_note '{"path":"Home.md"}'
try tool read_file '{"path":"Home"}'
try doctor
rm "$data/filler"
try runs forget --all
"#;

#[test]
fn a_full_data_disk_is_named_wherever_it_is_met_and_no_note_is_touched() {
    let desk = Desk::new();
    std::fs::create_dir(desk.data()).unwrap();
    let before = desk.tree();
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "--", "sh", "-c", SCRIPT, "sh", BINARY]);
    command.arg(desk.vault()).arg(desk.data()).arg(desk.folder()).current_dir(desk.folder()).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", desk.home());
    let ran = Ran::of(&mut command);
    if ran.status == Some(77) || ran.stderr.contains("unshare: ") {
        return wellread_testkit::skip(&format!("no disk can be mounted here: {}", ran.stderr));
    }
    assert_ne!(ran.status, Some(78), "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let (mut refused, mut worked) = (Vec::new(), Vec::new());
    for [tried, said] in lines.as_chunks().0 {
        let said: Value = serde_json::from_str(said).unwrap_or_else(|_| panic!("{tried}: {said} {ran:?}"));
        if said["success"] == true {
            worked.push(*tried);
            continue;
        }
        let (error, hint) = (said["error"].as_str().unwrap(), said["hint"].as_str().unwrap_or_default());
        assert!(
            error.contains("the disk of the data folder") && error.ends_with("is full"),
            "{tried}: {said}"
        );
        assert!(hint.contains("make room"), "{tried}: {said}");
        refused.push(tried.split(' ').next().unwrap());
    }
    assert_eq!(refused, ["tool", "tool", "ask", "note", "index", "search", "status", "mcp"], "{ran:?}");
    assert_eq!(
        worked.len(),
        3,
        "a note is read, the doctor says what is wrong, and with room again, runs are forgotten: {worked:?}"
    );
    let doctor = lines.iter().rposition(|line| *line == "doctor ").and_then(|at| lines.get(at + 1));
    assert!(doctor.is_some_and(|doctor| doctor.contains("is full")), "{ran:?}");
    assert_eq!(desk.tree(), before);
}
