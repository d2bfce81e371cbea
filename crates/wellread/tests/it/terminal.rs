//! The binary on a terminal: a pseudo-terminal of a given width, driven by `tests/terminal/drive.py`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::desk::repository;

/// What a terminal was given, and how the program ended.
#[derive(Debug)]
pub struct Shown {
    pub status: i64,
    pub text: String,
}

/// Runs a command on a terminal of so many columns. Each step is a text to wait for, and what is typed then.
pub fn on_terminal(command: &Command, columns: u16, steps: &[(&str, &str)]) -> Shown {
    let words = [command.get_program()].into_iter().chain(command.get_args());
    let argv: Vec<&str> = words.map(|word| word.to_str().unwrap()).collect();
    let env: serde_json::Map<String, Value> = command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), json!(value?.to_str()?))))
        .collect();
    let task = json!({
        "argv": argv, "env": env, "cwd": command.get_current_dir(), "columns": columns, "steps": steps,
    });
    let mut driver = Command::new("python3")
        .arg(repository().join("tests/terminal/drive.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python 3 is installed");
    driver.stdin.take().unwrap().write_all(task.to_string().as_bytes()).unwrap();
    let output = driver.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).expect("the driver answers with JSON");
    assert_eq!(answer["unasked"], json!([]), "these were never asked: {answer}");
    let shown = Shown {
        status: answer["status"].as_i64().unwrap(),
        text: answer["shown"].as_str().unwrap().to_owned(),
    };
    assert!(!shown.text.contains("panicked"), "{shown:?}");
    shown
}
