//! The time of vault operations on 10,000 notes: `cargo bench -p wellread`.
//!
//! Prints a table for `docs/benchmarks.md`. Nothing is asserted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use wellread_adapters::clock::SystemClock;
use wellread_adapters::files::VaultFiles;
use wellread_core::domain::corpus::Splice;
use wellread_core::library::indexing::ScannedLinks;
use wellread_core::library::public_view::Visibility;
use wellread_core::library::vault::{ChangeOptions, EditPolicy, MoveRequest, Turns, Vault, VaultLayout};
use wellread_core::ports::Corpus;
use wellread_core::ports::NoOutsideText;
use wellread_testkit::large_vault;

const NOTES: usize = 10_000;

fn main() {
    // `cargo test --benches` only checks that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (notes, data) = (folder.path().join("vault"), folder.path().join("data"));
    std::fs::create_dir(&notes).unwrap();
    large_vault::write_vault(&notes, NOTES).unwrap();
    let files = Arc::new(VaultFiles::open(&notes, &data, &[]).unwrap());
    let vault = Vault {
        rules: files.rules().clone(),
        links: Arc::new(ScannedLinks::new(files.clone())),
        files: files.clone(),
        clock: Arc::new(SystemClock),
        layout: VaultLayout::default(),
        edits: EditPolicy::default(),
        outside: Arc::new(NoOutsideText),
        visibility: Visibility::default(),
        turns: Turns::default(),
    };
    let bytes: u64 = files.list().unwrap().files.iter().map(|entry| entry.size).sum();
    println!("{} notes, {:.1} MB; median (fastest to slowest) of the runs\n", NOTES + 1, bytes as f64 / 1e6);
    println!("| what | median | range | runs |\n| --- | --- | --- | --- |");

    row("open the vault", 50, |_| drop(VaultFiles::open(&notes, &data, &[]).unwrap()));
    row("list all files", 20, |_| drop(files.list().unwrap()));
    row("read a note", 500, |n| {
        drop(vault.read(&vault.rules.parse_file(&large_vault::note_path(n * 19 % NOTES)).unwrap()).unwrap());
    });
    row("links to a note, by scanning", 10, |_| {
        assert_eq!(vault.backlinks(&vault.rules.parse_file("Hub.md").unwrap()).unwrap().from.len(), 500);
    });
    row("edit a note (synced to disk)", 100, |n| {
        let path = vault.rules.parse_file(&large_vault::note_path(n * 7 % NOTES)).unwrap();
        let change = |note: &wellread_core::library::vault::NoteText| {
            let end = note.text.len();
            Ok(vec![Splice { span: end..end, text: "One line more.\n".to_owned() }])
        };
        drop(vault.edit(ChangeOptions::new("edit", false), &path, change).unwrap());
    });
    row("move a note with 500 links to it", 4, |n| {
        let names = ["Hub.md", "Moved/Centre.md"];
        let request =
            MoveRequest { source: names[n % 2], destination: names[(n + 1) % 2], update_links: true };
        assert_eq!(vault.move_file(ChangeOptions::new("move", false), request).unwrap().updated.len(), 500);
    });
    row("start `wellread mcp` to the first `tools/list` answer", 30, |_| first_answer(&notes, &data));
    row("`wellread tool get_current_date` as a whole process", 30, |_| {
        let mut command = wellread(&notes, &data);
        assert!(command.args(["tool", "get_current_date"]).output().unwrap().status.success());
    });
}

/// Runs a function several times and prints the time. The first run warms up and does not count.
fn row(what: &str, runs: usize, mut run: impl FnMut(usize)) {
    run(0);
    let mut times: Vec<Duration> = (1..=runs)
        .map(|n| {
            let start = Instant::now();
            run(n);
            start.elapsed()
        })
        .collect();
    times.sort();
    let shown = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    println!(
        "| {what} | {} | {} to {} | {runs} |",
        shown(times[runs / 2]),
        shown(times[0]),
        shown(times[runs - 1])
    );
}

fn wellread(vault: &Path, data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wellread"));
    command.arg("--vault").arg(vault).arg("--data").arg(data).stderr(Stdio::null());
    command
}

fn first_answer(vault: &Path, data: &Path) {
    let mut child = wellread(vault, data)
        .args(["mcp", "--tools", "all"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
    writeln!(stdin, "{hello}").unwrap();
    assert!(answers.next().unwrap().unwrap().contains("wellread"));
    writeln!(stdin, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).unwrap();
    writeln!(stdin, r#"{{"jsonrpc":"2.0","id":2,"method":"tools/list"}}"#).unwrap();
    assert!(answers.next().unwrap().unwrap().contains("find_backlinks"));
    drop(stdin);
    child.wait().unwrap();
}
