//! Which language servers are switched on, and what `doctor` says of them.

use std::fs;

use serde_json::{Value, json};

use crate::desk::{Desk, Ran};

const SERVERS: &str = "WELLREAD_CODE_LANGUAGE_SERVERS";

fn with(desk: &Desk, servers: Option<&str>, args: &[&str]) -> Ran {
    Ran::of(desk.here().envs(servers.map(|servers| (SERVERS, servers))).args(args))
}

fn setting(desk: &Desk, servers: Option<&str>) -> (Value, String) {
    let shown = with(desk, servers, &["config", "show", "--json"]).done();
    let setting = &shown["settings"]["code.language_servers"];
    (setting["value"].clone(), setting["from"].as_str().unwrap().to_owned())
}

/// What `doctor` says of servers: whether it is content with each, and why.
fn doctor(desk: &Desk, servers: &str) -> Vec<(bool, String)> {
    let said = with(desk, Some(servers), &["doctor", "--json"]).json();
    let checks = said["checks"].as_array().unwrap().iter().filter(|check| check["name"] == "server");
    let shown = |check: &Value| {
        let remedy = check["remedy"].as_str().map(|remedy| format!(" ({remedy})")).unwrap_or_default();
        (check["ok"] == true, format!("{}{remedy}", check["detail"].as_str().unwrap()))
    };
    checks.map(shown).collect()
}

fn settings(desk: &Desk, text: &str) {
    let folder = desk.home().join(".config/wellread");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

#[test]
fn no_server_is_on_until_the_user_says_so_in_the_file_or_the_environment() {
    let desk = Desk::new();
    assert_eq!(setting(&desk, None), (json!({}), "default".to_owned()));
    let (value, from) = setting(&desk, Some("py=pyright-langserver --stdio,rust=rust-analyzer"));
    let both = json!({"python": ["pyright-langserver", "--stdio"], "rust": ["rust-analyzer"]});
    assert_eq!((value, from), (both, format!("${SERVERS}")));

    let desk = Desk::bare();
    settings(
        &desk,
        "[code]\nsteps = 5\n\n[code.language_servers]\n\"c++\" = \"clangd --log=error\"\nc = [\"clangd\"]\n",
    );
    assert_eq!(setting(&desk, None).0, json!({"c": ["clangd"], "cpp": ["clangd", "--log=error"]}));
    assert_eq!(
        setting(&desk, Some("go=gopls")).0,
        json!({"go": ["gopls"]}),
        "the environment goes before the file"
    );
}

#[test]
fn a_server_can_be_set_by_command_and_the_rest_of_the_file_stays() {
    let desk = Desk::bare();
    settings(&desk, "# Mine.\n[log]\nlevel = \"error\" # quiet\n");
    with(&desk, None, &["config", "set", "code.language_servers", "c=clangd 'a b'", "--json"]).done();
    assert_eq!(setting(&desk, None).0, json!({"c": ["clangd", "a b"]}));
    let file = fs::read_to_string(desk.home().join(".config/wellread/config.toml")).unwrap();
    assert!(file.starts_with("# Mine.\n[log]\nlevel = \"error\" # quiet\n"), "{file}");
    with(&desk, None, &["config", "set", "code.language_servers", "", "--json"]).done();
    assert_eq!(setting(&desk, None).0, json!({}));
}

#[test]
fn a_language_that_there_is_not_is_named_with_the_nearest() {
    let desk = Desk::bare();
    let ran = with(&desk, Some("pyton=x"), &["config", "show", "--json"]);
    let said = ran.json();
    assert_eq!((ran.status != Some(0), &said["hint"]), (true, &json!("did you mean `python`?")), "{said}");
    assert!(said["error"].as_str().unwrap().contains(SERVERS), "{said}");
    settings(&desk, "[code.language_servers]\nrst = \"x\"\n");
    let said = with(&desk, None, &["config", "show", "--json"]).json();
    assert_eq!(said["hint"], "did you mean `rust`?", "{said}");
    settings(&desk, "[code]\nlanguage_servers = 7\n");
    assert_eq!(with(&desk, None, &["config", "show", "--json"]).json()["success"], false);
}

#[test]
fn the_doctor_says_which_servers_are_there_and_whether_they_have_a_network() {
    let desk = Desk::new();
    let [(true, found), (false, missing)] = &doctor(&desk, "c=sh,go=no-such-server")[..] else {
        panic!("two servers")
    };
    assert!(found.starts_with("c: /") && found.contains("network"), "{found}");
    assert!(missing.starts_with("go: there is no program `no-such-server`"), "{missing}");
    assert!(missing.contains("install it"), "{missing}");
    assert_eq!(doctor(&desk, ""), []);
}
