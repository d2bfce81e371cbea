//! Completions in the shells themselves, and man pages.

use std::fs;
use std::path::Path;
use std::process::Command;

use wellread_testkit::skip;

use crate::desk::{BINARY, Desk, Ran};
use crate::terminal::on_terminal;

/// The candidates for the last of these words.
fn candidates(desk: &Desk, words: &[&str]) -> Vec<String> {
    let mut command = desk.here();
    command.args(["complete", "--", &(words.len() - 1).to_string()]).args(words);
    let ran = Ran::of(&mut command);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    ran.stdout.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

#[test]
fn notes_runs_settings_and_repositories_are_completed() {
    let desk = Desk::new();
    desk.add_code();
    assert_eq!(candidates(&desk, &["wellread", "note", "bees/varr"]), ["Bees/Varroa mite.md"]);
    assert_eq!(candidates(&desk, &["wellread", "config", "set", "vault.pa"]), ["vault.path"]);
    assert_eq!(candidates(&desk, &["wellread", "search", "--repo", "hi"]), ["hivelog"]);
    assert_eq!(candidates(&desk, &["wellread", "tool", "read_f"]), ["read_file"]);
    assert_eq!(candidates(&desk, &["wellread", "--vault", ""]), [":files"]);
    let run = desk.run(["ask", "--json", "What is the treatment threshold for varroa in August?"]).done();
    let id = run["run_id"].as_str().unwrap();
    assert_eq!(candidates(&desk, &["wellread", "runs", "show", &id[..4]]), [id]);
    // Whoever types is not told what is wrong.
    let nowhere = Desk::bare();
    fs::remove_dir(nowhere.vault()).unwrap();
    assert_eq!(candidates(&nowhere, &["wellread", "note", "x"]), [""; 0]);
}

/// A shell in which the binary is found, and which has the desk's vault. `None` if it is not installed.
fn open_shell(desk: &Desk, shell: &[&str], prompt: &str) -> Option<Command> {
    let known = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .map(|folder| folder.join(shell[0]))
        .find(|path| path.is_file());
    let Some(program) = known else {
        skip(&format!("{} is not installed", shell[0]));
        return None;
    };
    let folder = Path::new(BINARY).parent().unwrap().display().to_string();
    let mut command = Command::new(program);
    command
        .env("PATH", format!("{folder}:{}", std::env::var("PATH").unwrap_or_default()))
        .env("HOME", desk.home())
        .env("TERM", "xterm")
        .env("PS1", prompt)
        .env("VAULT_PATH", desk.vault())
        .env("WELLREAD_DATA", desk.data())
        .env("WELLREAD_EMBEDDING_NAME", "all-MiniLM-L6-v2")
        .args(&shell[1..])
        .current_dir(desk.folder());
    Some(command)
}

/// Types half a word, Tab and the rest in a shell, and gives what the terminal shows by the end.
fn type_in_shell(desk: &Desk, shell: &[&str], setup: &str, prompt: &str) -> Option<String> {
    let command = open_shell(desk, shell, prompt)?;
    let setup = format!("{setup}; echo lo''aded\n");
    let steps = [
        (prompt, setup.as_str()),
        ("loaded", "wellread config get vault.da\t\n"),
        ("Daily Notes", "wellread note Bees/Varroa\\ mi\t --dry-run\n"),
        ("## Research", "exit\n"),
    ];
    Some(on_terminal(&command, 120, &steps).text)
}

#[test]
fn the_name_of_a_note_never_becomes_a_part_of_the_command_in_bash() {
    for name in ["Zoo$(touch run).md", "Zoo`touch run`.md", "Zoo;touch run;.md", "Zoo'$(touch run)\"!.md"] {
        let desk = Desk::bare();
        desk.save(name, "# Zoo\n\nBees.\n");
        let Some(command) = open_shell(&desk, &["bash", "--norc", "-i"], "ready> ") else { return };
        let setup = "eval \"$(wellread completions bash)\"; wellread() { case $1 in complete) command wellread \"$@\";; \
                     *) printf 'got <%s>\\n' \"$2\";; esac; }; echo lo''aded\n";
        for quote in ["", "\"", "'"] {
            let typed = format!("wellread note {quote}Zo\t; echo do''ne\n");
            let steps = [("ready> ", setup), ("loaded", typed.as_str()), ("done", "exit\n")];
            let shown = on_terminal(&command, 200, &steps);
            assert!(shown.text.contains(&format!("got <{name}>")), "{quote}: {shown:?}");
        }
        assert!(!desk.folder().join("run").exists(), "{name}");
    }
}

#[test]
fn bash_completes_settings_and_notes() {
    let desk = Desk::new();
    type_in_shell(&desk, &["bash", "--norc", "-i"], "eval \"$(wellread completions bash)\"", "ready> ");
}

#[test]
fn zsh_completes_settings_and_notes() {
    let desk = Desk::new();
    let setup = "autoload -Uz compinit; compinit -u; eval \"$(wellread completions zsh)\"";
    type_in_shell(&desk, &["zsh", "-f", "-i"], setup, "ready> ");
}

#[test]
fn fish_completes_settings_and_notes() {
    let desk = Desk::new();
    let folder = desk.home().join(".config/fish");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.fish"), "function fish_prompt\n    echo 'ready> '\nend\n").unwrap();
    type_in_shell(&desk, &["fish", "-i"], "wellread completions fish | source", "ready> ");
}

#[test]
fn every_command_has_a_man_page() {
    let desk = Desk::bare();
    let page = Ran::of(desk.command().arg("man"));
    assert_eq!((page.status, page.stderr.as_str()), (Some(0), ""));
    assert!(page.stdout.contains(".TH ") && page.stdout.contains("wellread"), "{page:?}");
    let folder = desk.folder().join("man/man1");
    let written = Ran::of(desk.command().args(["man", "--json", "--out"]).arg(&folder)).done();
    let files = written["files"].as_array().unwrap();
    assert!(files.len() > 40, "{written}");
    for name in ["wellread.1", "wellread-ask.1", "wellread-config-set.1", "wellread-service-install.1"] {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{name}: {text}");
    }
    assert!(!folder.join("wellread-complete.1").exists() && !folder.join("wellread-pdf-text.1").exists());
}
