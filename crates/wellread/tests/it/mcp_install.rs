//! `wellread mcp install`: an entry in each client's own settings, with everything else left byte for byte, and removed again.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::desk::{BINARY, Desk, Ran};

/// A client, the place of its settings below the home folder, and settings as people have them: with other entries, comments
/// where the format has them, and habits of their own.
const SETTINGS: [(&str, &str, &str); 9] = [
    (
        "claude-code",
        ".claude.json",
        "{\n  \"numStartups\": 41,\n  \"mcpServers\": {\n    \"github\": {\n      \"type\": \"http\",\n      \"url\": \"https://api.example/mcp\"\n    }\n  },\n  \"projects\": {\n    \"/home/me/x\": { \"mcpServers\": { \"wellread\": { \"command\": \"other\" } } }\n  }\n}\n",
    ),
    (
        "claude-desktop",
        ".config/Claude/claude_desktop_config.json",
        "{\"mcpServers\":{\"files\":{\"command\":\"npx\",\"args\":[\"-y\",\"server-files\",\"/tmp\"]}},\"globalShortcut\":\"\"}",
    ),
    (
        "cursor",
        ".cursor/mcp.json",
        "{\n\t\"mcpServers\": {\n\t\t\"db\": {\n\t\t\t\"command\": \"uvx\",\n\t\t\t\"args\": [\"mcp-db\"],\n\t\t\t\"env\": { \"URL\": \"postgres://localhost/x?a={b}\" }\n\t\t}\n\t}\n}\n",
    ),
    (
        "vscode",
        ".config/Code/User/mcp.json",
        "{\r\n  // Shared by all windows\r\n  \"inputs\": [\r\n    { \"id\": \"key\", \"type\": \"promptString\", /* masked */ \"password\": true },\r\n  ],\r\n  \"servers\": { // two so far\r\n    \"a\": { \"type\": \"stdio\", \"command\": \"a\" },\r\n    // \"off\": { \"command\": \"b\" },\r\n    \"c\": { \"type\": \"http\", \"url\": \"https://c.example//mcp\" }, // the last\r\n  },\r\n}\r\n",
    ),
    (
        "codex",
        ".codex/config.toml",
        "# My settings\nmodel = \"gpt\" # the usual\napproval_policy = \"on-request\"\n\n[mcp_servers.docs]\ncommand = \"npx\" # slow\nargs = [\n  \"-y\",\n  \"docs\", # last\n]\n\n[mcp_servers.docs.env]\nKEY = \"[mcp_servers.wellread]\"\n\n# Projects\n[projects.\"/home/me/x\"]\ntrust_level = \"trusted\"\n",
    ),
    (
        "zed",
        ".config/zed/settings.json",
        "// Zed settings\n//\n// For information on how to configure Zed, see the documentation.\n{\n  \"theme\": \"One Dark\",\n  \"context_servers\": {\n    \"other\": { \"source\": \"custom\", \"command\": \"x\", \"args\": [], \"env\": {} }\n  },\n  \"vim_mode\": true,\n}\n",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "{\n    \"theme\": \"Default\",\n    \"selectedAuthType\": \"oauth-personal\"\n}\n",
    ),
    ("windsurf", ".codeium/windsurf/mcp_config.json", "{\n  \"mcpServers\": {}\n}"),
    (
        "opencode",
        ".config/opencode/opencode.json",
        "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  // servers\n  \"mcp\": {\n    \"x\": { \"type\": \"local\", \"command\": [\"x\"], \"enabled\": true }, // ok\n  },\n}\n",
    ),
];

fn install(desk: &Desk, client: &str, more: &[&str]) -> Ran {
    let mut command = desk.here();
    command.args(["mcp", "install", client]).args(more);
    Ran::of(&mut command)
}

fn write(desk: &Desk, path: &str, text: &str) -> PathBuf {
    let file = desk.home().join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    file
}

/// The program and its arguments in the client's settings, as the client itself finds them.
fn entry(client: &str, text: &str) -> Vec<String> {
    let strings = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    if client == "codex" {
        let document: toml_edit::DocumentMut = text.parse().unwrap();
        let entry = &document["mcp_servers"]["wellread"];
        let args = entry["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap().to_owned());
        return [entry["command"].as_str().unwrap().to_owned()].into_iter().chain(args).collect();
    }
    // Without comments and trailing commas: line by line, since these files have them at the ends of lines only.
    let plain: Vec<String> = text
        .lines()
        .map(|line| line.split(" //").next().unwrap().replace("/* masked */", ""))
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let mut plain = plain.join("\n");
    for close in ["}", "]"] {
        while let Some(at) = plain
            .match_indices(',')
            .map(|(at, _)| at)
            .find(|at| plain[at + 1..].trim_start().starts_with(close))
        {
            plain.remove(at);
        }
    }
    let settings: Value = serde_json::from_str(&plain).unwrap_or_else(|error| panic!("{error}: {plain}"));
    let object = match client {
        "vscode" => "servers",
        "zed" => "context_servers",
        "opencode" => "mcp",
        _ => "mcpServers",
    };
    let entry = &settings[object]["wellread"];
    let program = entry["command"].as_str().map(str::to_owned);
    program.into_iter().chain(strings(&entry["command"])).chain(strings(&entry["args"])).collect()
}

#[test]
fn each_client_gets_its_entry_and_loses_it_again_without_another_byte() {
    let desk = Desk::new();
    for (client, path, text) in SETTINGS {
        let file = write(&desk, path, text);
        let shown = install(&desk, client, &["--dry-run"]);
        assert!(shown.status == Some(0) && shown.stdout.contains("+"), "{client}: {shown:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{client}");
        let said = install(&desk, client, &["--read-only", "--tools", "vault,code"]);
        assert_eq!(said.status, Some(0), "{client}: {said:?}");
        assert!(said.stdout.contains("next: ") && said.stdout.contains(".wellread-backup"), "{said:?}");
        let installed = fs::read_to_string(&file).unwrap();
        let vault = desk.vault().display().to_string();
        let data = desk.data().display().to_string();
        let expected =
            [BINARY, "mcp", "--vault", &vault, "--data", &data, "--tools", "vault,code", "--read-only"];
        assert_eq!(entry(client, &installed), expected, "{client}: {installed}");
        // One piece was added, and nothing else is different.
        let before = text.bytes().zip(installed.bytes()).take_while(|(old, new)| old == new).count();
        let after =
            text.bytes().rev().zip(installed.bytes().rev()).take_while(|(old, new)| old == new).count();
        assert!(before + after >= text.len(), "{client}: {installed}");
        // The same again changes nothing; another entry takes its place.
        let again = install(&desk, client, &["--read-only", "--tools", "vault,code", "--json"]).done();
        assert_eq!(
            (&again["state"], fs::read_to_string(&file).unwrap()),
            (&json!("unchanged"), installed.clone())
        );
        assert_eq!(install(&desk, client, &["--remove", "--json"]).done()["state"], "removed", "{client}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{client}");
        assert_eq!(install(&desk, client, &["--remove", "--json"]).done()["state"], "absent", "{client}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{client}");
    }
}

#[test]
fn what_the_user_changed_in_between_stays() {
    let desk = Desk::new();
    for (client, path, text) in SETTINGS {
        let file = write(&desk, path, text);
        install(&desk, client, &["--json"]).done();
        let installed = fs::read_to_string(&file).unwrap();
        let note = if client == "codex" { "# and this\n" } else { "\n// and this\n" };
        fs::write(&file, installed + note).unwrap();
        install(&desk, client, &["--read-only", "--json"]).done();
        install(&desk, client, &["--remove", "--json"]).done();
        let left = fs::read_to_string(&file).unwrap();
        assert!(left.contains("and this") && !left.contains("--vault"), "{client}: {left}");
        // Where an object had to be made for the entry, it stays, empty.
        if !["gemini", "windsurf"].contains(&client) {
            assert_eq!(left.replace(note, ""), text, "{client}");
        }
    }
}

#[test]
fn a_file_is_made_where_there_is_none_and_gone_with_its_only_entry() {
    let desk = Desk::new();
    for (client, path, _) in SETTINGS {
        let file = desk.home().join(path);
        assert_eq!(install(&desk, client, &["--remove", "--json"]).done()["state"], "absent");
        assert!(!file.exists());
        install(&desk, client, &["--json"]).done();
        assert_eq!(entry(client, &fs::read_to_string(&file).unwrap())[0], BINARY);
        install(&desk, client, &["--remove", "--json"]).done();
        assert!(!file.exists(), "{client}");
    }
}

#[test]
fn links_and_permissions_of_the_settings_are_kept() {
    let desk = Desk::new();
    let real = write(&desk, "dotfiles/cursor.json", "{}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
    let link = desk.home().join(".cursor/mcp.json");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&real, &link).unwrap();
    install(&desk, "cursor", &["--json"]).done();
    assert!(link.is_symlink() && fs::read_to_string(&real).unwrap().contains("wellread"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    // The file from before the first entry is kept, however often there is another.
    install(&desk, "cursor", &["--read-only", "--json"]).done();
    let kept = desk.home().join("dotfiles/cursor.json.wellread-backup");
    assert_eq!(fs::read_to_string(kept).unwrap(), "{}\n");
    install(&desk, "cursor", &["--remove", "--json"]).done();
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}\n");
}

#[test]
fn what_can_not_be_understood_is_left_alone() {
    let desk = Desk::new();
    for (client, path, broken) in [
        ("cursor", ".cursor/mcp.json", "{ \"mcpServers\": "),
        ("vscode", ".config/Code/User/mcp.json", "[]"),
        ("zed", ".config/zed/settings.json", "{ \"context_servers\": [] }"),
        ("codex", ".codex/config.toml", "mcp_servers = { a = { command = \"a\" } }\n"),
    ] {
        let file = write(&desk, path, broken);
        let ran = install(&desk, client, &[]);
        assert!(
            ran.complains(2).contains("can't be changed") && ran.stderr.contains("nothing was changed"),
            "{ran:?}"
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), broken);
    }
    install(&desk, "emacs", &[]).complains(2);
    let mut command = desk.command();
    command.args(["mcp", "install", "gemini", "--vault", "/nowhere/at/all"]);
    Ran::of(&mut command).complains(3);
    assert!(!desk.home().join(".gemini/settings.json").exists());
}

/// What the doctor says of the clients.
fn checks(desk: &Desk) -> Vec<(bool, String)> {
    let checks = desk.run(["doctor", "--json"]).json();
    let checks = checks["checks"].as_array().unwrap().clone();
    let ours = checks.iter().filter(|check| check["name"] == "client");
    ours.map(|check| (check["ok"] == true, check["detail"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn the_doctor_says_which_clients_have_it_and_whether_it_works() {
    let desk = Desk::new();
    let [(true, none)] = &checks(&desk)[..] else { panic!("{:?}", checks(&desk)) };
    assert!(none.contains("wellread mcp install"), "{none}");
    install(&desk, "cursor", &["--json"]).done();
    install(&desk, "codex", &["--json"]).done();
    let [(true, cursor), (true, codex)] = &checks(&desk)[..] else { panic!("{:?}", checks(&desk)) };
    assert!(cursor.starts_with("Cursor starts") && codex.starts_with("Codex starts"), "{cursor} {codex}");
    write(
        &desk,
        ".cursor/mcp.json",
        "{\"mcpServers\": {\"wellread\": {\"command\": \"/gone/wellread\", \"args\": [\"mcp\"]}}}",
    );
    let [(false, cursor), (true, _)] = &checks(&desk)[..] else { panic!("{:?}", checks(&desk)) };
    assert!(cursor.contains("there is no program `/gone/wellread`"), "{cursor}");
}

/// The place of Cursor's settings, and of the file that is kept beside them.
const CURSOR: &str = ".cursor/mcp.json";
const KEPT: &str = ".cursor/mcp.json.wellread-backup";

#[test]
fn odd_layouts_get_the_entry_and_lose_it_again_without_another_byte() {
    let desk = Desk::new();
    for (text, comment) in [
        ("{ /* mine,\n do not touch */\n \"theme\": \"dark\" }", "/* mine,\n do not touch */"),
        ("{ \"mcpServers\": { /* two\n lines */ \"a\": { \"command\": \"a\" } } }", "/* two\n lines */"),
        ("{ \"mcpServers\": {\"a\": 1}, \"mcpServers\": { // last\n \"b\": 1 } }\n", "// last"),
        ("// nothing yet", "// nothing yet"),
    ] {
        let file = write(&desk, CURSOR, text);
        install(&desk, "cursor", &["--json"]).done();
        let installed = fs::read_to_string(&file).unwrap();
        let mut settings: Value = serde_json::from_str(&installed.replace(comment, "")).unwrap();
        assert_eq!(settings["mcpServers"]["wellread"]["command"], BINARY, "{installed}");
        if text.contains("mcpServers") {
            settings["mcpServers"].as_object_mut().unwrap().remove("wellread");
            let before: Value = serde_json::from_str(&text.replace(comment, "")).unwrap();
            assert_eq!(settings, before, "{installed}");
            // It is found and removed without the file that was kept, too.
            fs::remove_file(desk.home().join(KEPT)).unwrap();
        }
        install(&desk, "cursor", &["--remove", "--json"]).done();
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn an_entry_goes_without_its_neighbors() {
    let desk = Desk::new();
    for (text, left) in [
        (
            "{\"mcpServers\": { // mine\n \"wellread\": {\"command\": \"w\"}, \"other\": {\"command\": \"o\"}\n }}",
            "{\"mcpServers\": { // mine\n \"other\": {\"command\": \"o\"}\n }}",
        ),
        (
            "{\"mcpServers\": {\"a\": 1, // note\n \"wellread\": {\"command\": \"w\"} }}",
            "{\"mcpServers\": {\"a\": 1 // note\n }}",
        ),
        (
            "{\"mcpServers\": { // mine\r\n \"wellread\": {}, // ours\r\n \"a\": 1 }}",
            "{\"mcpServers\": { // mine\r\n // ours\r\n \"a\": 1 }}",
        ),
    ] {
        let file = write(&desk, CURSOR, text);
        install(&desk, "cursor", &["--remove", "--json"]).done();
        assert_eq!(fs::read_to_string(&file).unwrap(), left);
    }
}

#[test]
fn what_can_not_be_changed_safely_is_refused_with_the_entry_to_add() {
    let desk = Desk::new();
    let twice = "{\"mcpServers\": {\"wellread\": {\"command\": \"a\"}, \"wellread\": {\"command\": \"b\"}}}";
    let in_line = "[mcp_servers]\nwellread = { command = \"x\" }\n";
    for (client, path, text, more, hint) in [
        ("cursor", CURSOR, "{\"x\": [,]}", None, "in \"mcpServers\", \"wellread\": {\"command\""),
        ("cursor", CURSOR, "/* never closed", None, "add the entry by hand"),
        ("cursor", CURSOR, twice, Some("--remove"), "remove the entry `wellread` by hand"),
        ("codex", ".codex/config.toml", "mcp_servers = { }\n", None, "by hand: wellread = { command = "),
        ("codex", ".codex/config.toml", in_line, Some("--remove"), "remove the entry `wellread` by hand"),
    ] {
        let file = write(&desk, path, text);
        let ran = install(&desk, client, more.as_slice());
        let said = ran.complains(2);
        assert!(said.contains("it is laid out in a way that can't be changed safely"), "{text}: {said}");
        assert!(said.contains("nothing was changed") && said.contains(hint), "{text}: {said}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    assert!(!desk.home().join(KEPT).exists());
}

#[test]
fn what_the_user_put_into_the_entry_stays() {
    let desk = Desk::new();
    for (client, path, object, mine) in [
        (
            "cursor",
            CURSOR,
            "mcpServers",
            json!({ "env": { "KEY": "1" }, "timeout": 60, "disabled": true, "alwaysAllow": ["x"] }),
        ),
        ("zed", ".config/zed/settings.json", "context_servers", json!({ "env": { "KEY": "1" } })),
        (
            "opencode",
            ".config/opencode/opencode.json",
            "mcp",
            json!({ "enabled": false, "environment": { "KEY": "1" } }),
        ),
    ] {
        let mut known = mine.clone();
        known["command"] = json!("/old/wellread");
        let file = write(&desk, path, &json!({ object: { "wellread": known } }).to_string());
        assert_eq!(install(&desk, client, &["--json"]).done()["state"], "replaced", "{client}");
        let installed = fs::read_to_string(&file).unwrap();
        assert_eq!(entry(client, &installed)[..2], [BINARY, "mcp"], "{client}");
        let settings: Value = serde_json::from_str(&installed).unwrap();
        for (name, value) in mine.as_object().unwrap() {
            assert_eq!(&settings[object]["wellread"][name], value, "{client}: {installed}");
        }
        assert_eq!(install(&desk, client, &["--json"]).done()["state"], "unchanged", "{client}");
    }
    let text = "[mcp_servers.wellread]\ncommand = \"/old/wellread\" # mine\ntool_timeout_sec = 2.5\n\n[mcp_servers.wellread.env]\nKEY = \"1\"\n";
    let file = write(&desk, ".codex/config.toml", text);
    install(&desk, "codex", &["--json"]).done();
    let installed = fs::read_to_string(&file).unwrap();
    assert_eq!(entry("codex", &installed)[..2], [BINARY, "mcp"], "{installed}");
    for line in text.lines().skip(2) {
        assert!(installed.contains(line) && installed.contains("# mine"), "{installed}");
    }
}

#[test]
fn an_entry_with_an_address_is_good_and_not_overwritten() {
    let desk = Desk::new();
    for (client, path, text) in [
        ("cursor", CURSOR, "{\"mcpServers\": {\"wellread\": {\"url\": \"http://127.0.0.1:1/mcp\"}}}"),
        ("codex", ".codex/config.toml", "[mcp_servers.wellread]\nurl = \"http://127.0.0.1:1/mcp\"\n"),
    ] {
        let file = write(&desk, path, text);
        let ran = install(&desk, client, &[]);
        assert!(ran.complains(4).contains(&format!("mcp install {client} --remove")), "{ran:?}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        let [(true, said)] = &checks(&desk)[..] else { panic!("{:?}", checks(&desk)) };
        assert!(said.contains("by an address"), "{said}");
        install(&desk, client, &["--remove", "--json"]).done();
        assert_eq!(install(&desk, client, &["--json"]).done()["state"], "installed");
        install(&desk, client, &["--remove", "--json"]).done();
    }
}

#[test]
fn links_to_nowhere_and_other_encodings_are_refused() {
    let desk = Desk::new();
    let link = desk.home().join(CURSOR);
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(desk.home().join("gone.json"), &link).unwrap();
    let latin = write(&desk, ".gemini/settings.json", "");
    fs::write(&latin, b"{\"a\": \"\xe9\"}").unwrap();
    for more in [vec![], vec!["--remove"]] {
        let ran = install(&desk, "cursor", &more);
        assert!(ran.complains(2).contains("a link that leads to no file"), "{ran:?}");
        assert!(ran.stderr.contains("hint: nothing was changed"), "{ran:?}");
        let ran = install(&desk, "gemini", &more);
        assert!(ran.complains(2).contains("not text in UTF-8"), "{ran:?}");
        assert!(ran.stderr.contains("hint: nothing was changed"), "{ran:?}");
    }
    assert!(link.is_symlink() && !desk.home().join("gone.json").exists());
    assert_eq!(fs::read(&latin).unwrap(), b"{\"a\": \"\xe9\"}");
}
