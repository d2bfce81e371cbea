//! `wellread service`: the file of each system, and a service manager that is asked for what was said.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;
use wellread_testkit::skip;

use crate::desk::{BINARY, Desk, Ran, tree};

/// A vault whose path has everything that a format could trip over.
fn odd_vault(desk: &Desk) -> PathBuf {
    let vault = desk.folder().join("100% \"my\" notes & $HOME <x>");
    fs::create_dir(&vault).unwrap();
    vault
}

fn render(desk: &Desk, system: &str) -> String {
    let vault = odd_vault(desk);
    let mut command = desk.command();
    command.arg("--vault").arg(&vault).args([
        "service",
        "install",
        "--dry-run",
        "--system",
        system,
        "--port",
        "8123",
    ]);
    let ran = Ran::of(&mut command);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(!desk.home().join(".config").exists(), "nothing is written");
    ran.stdout
}

/// What Python's own parser of a format reads from it.
fn read_in_python(script: &str, text: &str) -> String {
    let mut command = Command::new("python3");
    command.args(["-c", script]);
    let ran = Ran::fed(&mut command, text.as_bytes());
    assert_eq!(ran.status, Some(0), "{ran:?}");
    ran.stdout
}

#[test]
fn a_property_list_has_every_word_of_the_command() {
    let desk = Desk::bare();
    let text = render(&desk, "launchd");
    let read = read_in_python(
        "import plistlib,sys,json; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))",
        &text,
    );
    let list: serde_json::Value = serde_json::from_str(&read).unwrap();
    let vault = desk.folder().join("100% \"my\" notes & $HOME <x>");
    assert_eq!(list["ProgramArguments"], json!([BINARY, "serve", "--vault", vault, "--port", "8123"]));
    assert_eq!((&list["RunAtLoad"], &list["KeepAlive"]["SuccessfulExit"]), (&json!(true), &json!(false)));
}

#[test]
fn a_task_is_xml_with_the_command_line_in_it() {
    let desk = Desk::bare();
    let text = render(&desk, "windows");
    let script = "import sys,xml.etree.ElementTree as E; r=E.fromstring(sys.stdin.buffer.read()); \
                  n='{http://schemas.microsoft.com/windows/2004/02/mit/task}'; x=r.find(f'{n}Actions/{n}Exec'); \
                  print(x.find(f'{n}Command').text); print(x.find(f'{n}Arguments').text)";
    let read = read_in_python(script, &text);
    let vault = desk.folder().join("100% \\\"my\\\" notes & $HOME <x>").display().to_string();
    assert_eq!(read, format!("{BINARY}\nserve --vault \"{vault}\" --port 8123\n"));
}

#[test]
fn systemd_accepts_the_unit() {
    let desk = Desk::bare();
    let text = render(&desk, "systemd");
    assert!(text.contains("/100%% \\\"my\\\" notes & $$HOME <x>\" \"--port\" \"8123\"\n"), "{text}");
    for line in
        ["NoNewPrivileges=yes", "SystemCallFilter=@system-service", "Restart=on-failure", "UMask=0077"]
    {
        assert!(text.contains(&format!("\n{line}\n")), "{line}");
    }
    let file = desk.folder().join("wellread.service");
    fs::write(&file, &text).unwrap();
    let run = desk.folder().join("run");
    fs::create_dir(&run).unwrap();
    let mut verify = Command::new("systemd-analyze");
    verify.env("XDG_RUNTIME_DIR", &run).args(["--user", "verify"]).arg(&file);
    match verify.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success() && !said.contains("wellread.service"), "{said}");
        }
        Err(error) => skip(&format!("systemd-analyze can't be run: {error}")),
    }
}

#[test]
fn a_settings_file_that_a_variable_names_is_passed_on_with_its_full_path() {
    let desk = Desk::new();
    fs::write(desk.folder().join("my.toml"), "").unwrap();
    let mut command = desk.here();
    command.env("WELLREAD_CONFIG", "my.toml");
    let ran = Ran::of(command.args(["service", "install", "--dry-run", "--system", "systemd"]));
    let folder = desk.folder().display().to_string();
    assert!(ran.stdout.contains(&format!("\"--config\" \"{folder}/my.toml\"")), "{ran:?}");
    assert!(ran.stdout.contains(&format!("\nEnvironmentFile=-{folder}/service.env\n")), "{ran:?}");
}

/// A service manager that writes down what it is asked, and fails where it is told to.
fn fake_manager(desk: &Desk, fails: &str) -> (PathBuf, PathBuf) {
    let (folder, log) = (desk.folder().join("bin"), desk.folder().join("asked"));
    fs::create_dir_all(&folder).unwrap();
    for name in ["systemctl", "journalctl"] {
        let script = format!(
            "#!/bin/sh\necho \"{name} $*\" >> '{}'\ncase \"$*\" in {fails}) echo 'no bus' >&2; exit 1;; esac\necho 'a line \\033[2J'\n",
            log.display()
        );
        fs::write(folder.join(name), script).unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    (folder, log)
}

fn service(desk: &Desk, args: &[&str]) -> Ran {
    let mut command = desk.here();
    command.env("PATH", desk.folder().join("bin")).arg("service").args(args);
    Ran::of(&mut command)
}

#[cfg(target_os = "linux")]
#[test]
fn a_service_is_installed_shown_and_removed_and_nothing_else_changes() {
    let desk = Desk::new();
    let (_, log) = fake_manager(&desk, "nothing");
    desk.run(["config", "set", "log.level", "info", "--json"]).done();
    desk.run(["index", "--json"]).done();
    let (settings, data, vault) = (tree(&desk.home()), tree(&desk.data()), desk.tree());
    assert_eq!(service(&desk, &["status"]).status, Some(3));
    assert!(service(&desk, &["uninstall"]).complains(3).contains("not installed"));

    let ran = service(&desk, &["install"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let unit = desk.home().join(".config/systemd/user/wellread.service");
    for said in ["writing ", unit.to_str().unwrap(), "running systemctl --user enable wellread.service"] {
        assert!(ran.stderr.contains(said), "{said}: {ran:?}");
    }
    let asked = fs::read_to_string(&log).unwrap();
    assert_eq!(
        asked,
        "systemctl --user daemon-reload\nsystemctl --user enable wellread.service\nsystemctl --user restart wellread.service\n"
    );
    let text = fs::read_to_string(&unit).unwrap();
    assert!(
        text.contains(&format!(
            "ExecStart=\"{BINARY}\" \"serve\" \"--vault\" \"{}\"",
            desk.vault().display()
        ))
    );
    assert_eq!(service(&desk, &["install", "--json"]).done()["state"], "unchanged");
    assert_eq!(service(&desk, &["status", "--json"]).done()["running"], true);
    let logs = service(&desk, &["logs", "-n", "5"]);
    assert!(logs.status == Some(0) && !logs.stdout.contains('\u{1b}'), "{logs:?}");

    assert_eq!(service(&desk, &["uninstall", "--dry-run"]).status, Some(0));
    assert!(unit.exists());
    let ran = service(&desk, &["uninstall"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("settings and data are as they were"), "{ran:?}");
    fs::remove_dir(unit.parent().unwrap()).unwrap();
    fs::remove_dir(unit.parent().unwrap().parent().unwrap()).unwrap();
    assert_eq!((tree(&desk.home()), tree(&desk.data()), desk.tree()), (settings, data, vault));
}

#[cfg(target_os = "linux")]
#[test]
fn what_can_not_be_started_or_is_not_ours_is_said() {
    let desk = Desk::new();
    fake_manager(&desk, "*enable*|*--no-pager*");
    let unit = desk.home().join(".config/systemd/user/wellread.service");
    let ran = service(&desk, &["install", "--json"]);
    let said = ran.failed(5);
    assert!(said["error"].as_str().unwrap().contains("no bus"), "{said}");
    assert!(said["hint"].as_str().unwrap().contains("systemctl --user enable"), "{said}");
    assert!(unit.exists(), "the file is in place");
    let said = service(&desk, &["logs", "--json"]).failed(5);
    assert!(said["hint"].is_null(), "there is nothing to be put in place: {said}");
    fs::remove_file(&unit).unwrap();
    assert_eq!(service(&desk, &["install", "--no-start"]).status, Some(0));
    assert_eq!(service(&desk, &["install", "--no-start", "--json"]).done()["commands"], json!([]));
    fs::write(&unit, "[Service]\nExecStart=/my/own\n").unwrap();
    for args in [&["install"][..], &["uninstall"], &["status"]] {
        assert!(service(&desk, args).complains(4).contains("was not written by Wellread"), "{args:?}");
    }
    assert_eq!(fs::read_to_string(&unit).unwrap(), "[Service]\nExecStart=/my/own\n");
    assert!(service(&desk, &["install", "--system", "launchd"]).complains(2).contains("launchd"));
    let nowhere = Ran::of(desk.command().args(["--vault", "nowhere", "service", "install", "--dry-run"]));
    assert!(nowhere.complains(3).contains("there is no vault"));
}
