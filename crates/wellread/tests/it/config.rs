//! Settings from outside: which source wins, what is refused, and what `config set` leaves as it was.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use serde_json::{Value, json};

use crate::desk::{Desk, Ran, mode_of};

/// The settings as a run sees them, with these variables and flags.
fn settings(desk: &Desk, variables: &[(&str, &str)], args: &[&str]) -> Value {
    Ran::of(desk.command().envs(variables.iter().copied()).args(args).args(["config", "show", "--json"]))
        .done()
}

fn fails(desk: &Desk, variables: &[(&str, &str)], status: i32) -> Value {
    Ran::of(desk.command().envs(variables.iter().copied()).args(["config", "show", "--json"])).failed(status)
}

/// Writes the settings file where the platform keeps it.
fn write(desk: &Desk, text: &str) -> String {
    let path = platform_file(desk);
    fs::create_dir_all(std::path::Path::new(&path).parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn platform_file(desk: &Desk) -> String {
    Ran::of(desk.command().args(["config", "path"])).stdout.trim_end().to_owned()
}

#[test]
fn defaults_give_way_to_the_file_the_file_to_the_environment_and_that_to_flags() {
    let desk = Desk::bare();
    let says = |settings: &Value| {
        let vault = &settings["settings"]["vault.path"];
        (vault["value"].as_str().unwrap().to_owned(), vault["from"].as_str().unwrap().to_owned())
    };
    let is = |value: &str, from: &str| (value.to_owned(), from.to_owned());
    assert_eq!(says(&settings(&desk, &[], &[])), is("~/Documents/obsidian-vault", "default"));
    let file = write(&desk, "[vault]\npath = \"/from/file\"\n");
    assert_eq!(says(&settings(&desk, &[], &[])), is("/from/file", &file));
    assert_eq!(says(&settings(&desk, &[("VAULT_PATH", "/from/env")], &[])), is("/from/env", "$VAULT_PATH"));
    let both = [("VAULT_PATH", "/older"), ("WELLREAD_VAULT_PATH", "/own")];
    assert_eq!(says(&settings(&desk, &both, &[])), is("/own", "$WELLREAD_VAULT_PATH"), "our own name wins");
    assert_eq!(says(&settings(&desk, &both, &["--vault", "/from/flag"])), is("/from/flag", "--vault"));
    assert_eq!(
        says(&settings(&desk, &[("VAULT_PATH", "")], &[])),
        is("/from/file", &file),
        "empty means not set"
    );
}

#[test]
fn every_key_is_shown_with_its_origin_and_what_it_is() {
    let desk = Desk::bare().with_built_in_model();
    let shown = settings(&desk, &[], &[]);
    for key in [
        "vault.path",
        "vault.excluded",
        "vault.daily_notes",
        "data.path",
        "repos",
        "index.interval_minutes",
        "embedding.provider",
        "embedding.base_url",
        "embedding.name",
        "embedding.path",
        "embedding.api_key",
        "model.provider",
        "model.base_url",
        "model.name",
        "model.api_key",
        "model.research",
        "model.price_in",
        "model.price_out",
        "log.level",
    ] {
        assert_eq!(shown["settings"][key]["from"], "default", "{key}");
        assert!(shown["settings"][key]["about"].as_str().is_some_and(|about| !about.is_empty()), "{key}");
    }
    let text = Ran::of(desk.command().env("RUST_LOG", "info").args(["config", "show"])).stdout;
    assert!(text.contains("log.level = \"info\"  # $RUST_LOG\n"), "{text}");
    assert!(text.contains("vault.daily_notes = \"Daily Notes\"  # default\n"), "{text}");
    assert!(text.contains("index.interval_minutes = 60  # default\n"), "{text}");
    assert!(text.contains("repos = []  # default\n"), "{text}");
}

#[test]
fn every_key_has_its_variable_and_the_older_names_work() {
    let desk = Desk::bare();
    for (variable, key, written, value) in [
        ("WELLREAD_VAULT_PATH", "vault.path", "/v", json!("/v")),
        ("VAULT_PATH", "vault.path", "/v", json!("/v")),
        (
            "WELLREAD_VAULT_EXCLUDED",
            "vault.excluded",
            " Private, Old Things ,,x",
            json!(["Private", "Old Things", "x"]),
        ),
        ("WELLREAD_VAULT_DAILY_NOTES", "vault.daily_notes", "Journal", json!("Journal")),
        ("WELLREAD_DATA_PATH", "data.path", "/d", json!("/d")),
        ("WELLREAD_DATA", "data.path", "/d", json!("/d")),
        (
            "WELLREAD_REPOS",
            "repos",
            "hive=/code/hive, /code/apiary ,,x.y-z_1=~/z",
            json!([
                { "name": "hive", "path": "/code/hive" },
                { "name": "apiary", "path": "/code/apiary" },
                { "name": "x.y-z_1", "path": "~/z" },
            ]),
        ),
        ("WELLREAD_INDEX_INTERVAL_MINUTES", "index.interval_minutes", "0", json!(0)),
        ("INDEX_INTERVAL", "index.interval_minutes", " 15 ", json!(15)),
        ("WELLREAD_EMBEDDING_PROVIDER", "embedding.provider", "OpenAI", json!("openai")),
        ("WELLREAD_EMBEDDING_BASE_URL", "embedding.base_url", "http://x/v1", json!("http://x/v1")),
        ("WELLREAD_EMBEDDING_NAME", "embedding.name", "bge-small", json!("bge-small")),
        ("WELLREAD_EMBEDDING_PATH", "embedding.path", "/m", json!("/m")),
        ("WELLREAD_EMBEDDING_API_KEY", "embedding.api_key", "sk-1", json!("********")),
        ("WELLREAD_EMBEDDING_API_KEY", "embedding.api_key", "env:KEY", json!("env:KEY")),
        ("WELLREAD_MODEL_PROVIDER", "model.provider", "Anthropic", json!("anthropic")),
        ("WELLREAD_MODEL_BASE_URL", "model.base_url", "http://x/v1", json!("http://x/v1")),
        ("WELLREAD_MODEL_NAME", "model.name", "m", json!("m")),
        ("LLM_MODEL", "model.name", "m", json!("m")),
        ("WELLREAD_MODEL_API_KEY", "model.api_key", "sk-1", json!("********")),
        ("WELLREAD_MODEL_RESEARCH", "model.research", "r", json!("r")),
        ("RESEARCH_MODEL", "model.research", "r", json!("r")),
        ("WELLREAD_MODEL_PRICE_IN", "model.price_in", " 0.15 ", json!("0.15")),
        ("WELLREAD_MODEL_PRICE_OUT", "model.price_out", "3", json!("3")),
        ("WELLREAD_LOG_LEVEL", "log.level", "debug", json!("debug")),
        ("RUST_LOG", "log.level", "trace", json!("trace")),
    ] {
        let found = settings(&desk, &[(variable, written)], &[]);
        assert_eq!(found["settings"][key]["value"], value, "{variable}");
        assert_eq!(found["settings"][key]["from"], format!("${variable}"));
    }
}

#[test]
fn a_filter_that_is_meant_for_other_programs_is_no_error() {
    let desk = Desk::bare();
    for (filter, level, from) in [
        ("info,hyper=warn", "info", "$RUST_LOG"),
        ("hyper=trace", "warn", "default"),
        ("wellread=debug,hyper=trace", "debug", "$RUST_LOG"),
        ("hyper", "warn", "default"),
        ("INFO", "info", "$RUST_LOG"),
    ] {
        let found = settings(&desk, &[("RUST_LOG", filter)], &[]);
        assert_eq!(
            (&found["settings"]["log.level"]["value"], &found["settings"]["log.level"]["from"]),
            (&json!(level), &json!(from)),
            "{filter}"
        );
    }
    let said = fails(&desk, &[("WELLREAD_LOG_LEVEL", "loud")], 2);
    assert!(said["error"].as_str().unwrap().contains("WELLREAD_LOG_LEVEL"), "{said}");
    assert!(said["error"].as_str().unwrap().contains("debug"), "{said}");
}

#[test]
fn an_unknown_key_is_an_error_that_names_the_nearest() {
    let desk = Desk::bare();
    for (text, key, hint) in [
        ("[vault]\npth = \"x\"\n", "vault.pth", "did you mean `vault.path`?"),
        ("vault.exclude = []\n", "vault.exclude", "did you mean `vault.excluded`?"),
        ("vault = { daily_note = \"x\" }\n", "vault.daily_note", "did you mean `vault.daily_notes`?"),
        ("[log]\nlevle = \"warn\"\n", "log.levle", "did you mean `log.level`?"),
        ("[vault.path]\nx = 1\n", "vault.path.x", "did you mean `vault.path`?"),
        ("zzz = 1\n", "zzz", "`wellread config show` lists all of them"),
        ("[[gadgets]]\nname = \"x\"\n", "gadgets", "`wellread config show` lists all of them"),
        ("[[repos]]\npth = \"x\"\n", "repos.pth", "a repository has `name` and `path`"),
        ("[index]\ninterval = 5\n", "index.interval", "did you mean `index.interval_minutes`?"),
    ] {
        let file = write(&desk, text);
        let said = fails(&desk, &[], 2);
        let error = said["error"].as_str().unwrap();
        assert!(error.contains(&format!("there is no setting `{key}`")) && error.contains(&file), "{said}");
        assert_eq!(said["hint"], hint, "{text}");
    }
    fs::remove_file(platform_file(&desk)).unwrap();
    let said = Ran::of(desk.command().args(["config", "set", "vault.pat", "x", "--json"])).failed(2);
    assert_eq!(said["hint"], "did you mean `vault.path`?");
    assert!(!std::path::Path::new(&platform_file(&desk)).exists());
}

#[test]
fn a_value_of_the_wrong_type_is_refused_by_name() {
    let desk = Desk::bare();
    for (text, wanted) in [
        ("[vault]\npath = 3\n", "`vault.path`"),
        ("[vault]\npath = [\"x\"]\n", "must be a string"),
        ("[vault]\nexcluded = \"Private\"\n", "must be a list of strings"),
        ("[vault]\nexcluded = [\"a\", 3]\n", "must be a list of strings"),
        ("[log]\nlevel = true\n", "must be a string"),
        ("[log]\nlevel = \"loud\"\n", "must be one of off, error, warn, info, debug, trace"),
        ("[vault]\nexcluded = { a = 1 }\n", "`vault.excluded"),
        (
            "[index]\ninterval_minutes = \"60\"\n",
            "`index.interval_minutes` must be a whole number from 0 to 10080",
        ),
        ("[index]\ninterval_minutes = -1\n", "must be a whole number"),
        ("[index]\ninterval_minutes = 10081\n", "must be a whole number"),
        ("[index]\ninterval_minutes = 1.5\n", "must be a whole number"),
        ("[embedding]\nprovider = \"magic\"\n", "must be one of builtin, openai, none"),
        ("[embedding]\napi_key = 3\n", "`embedding.api_key` must be a string"),
        ("[model]\nprovider = \"magic\"\n", "must be one of none, openai, anthropic"),
        ("[model]\nprice_in = \"cheap\"\n", "`model.price_in` must be a number such as"),
        ("[model]\nprice_in = \"-1\"\n", "must be a number"),
        ("[model]\nprice_out = nan\n", "must be a number"),
        ("[model]\nprice_out = \"inf\"\n", "must be a number"),
        ("[model]\nprice_out = true\n", "must be a number"),
        ("repos = \"x\"\n", "`repos` must be a list of tables"),
        ("repos = [\"x\"]\n", "`repos` must be a list of tables"),
        ("[[repos]]\nname = \"x\"\n", "needs a `path`"),
        ("[[repos]]\npath = 3\n", "`repos.path` must be a string"),
        ("[[repos]]\nname = \"a b\"\npath = \"/x\"\n", "`a b` is not a valid repository name"),
        ("[[repos]]\npath = \"/a/x\"\n[[repos]]\npath = \"/b/X\"\n", "two repositories are called `X`"),
    ] {
        write(&desk, text);
        let said = fails(&desk, &[], 2);
        assert!(said["error"].as_str().unwrap().contains(wanted), "{text}: {said}");
    }
}

#[test]
fn broken_toml_is_named_with_its_place_and_stops_every_command() {
    let desk = Desk::new();
    let file = write(&desk, "[vault]\npath = \"unclosed\nx = 1\n");
    for command in [
        vec!["status"],
        vec!["undo"],
        vec!["mcp"],
        vec!["config", "show"],
        vec!["config", "set", "log.level", "info"],
    ] {
        let ran = desk.run(&command);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains(&file) && ran.stderr.contains("line 2"), "{ran:?}");
    }
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "[vault]\npath = \"unclosed\nx = 1\n",
        "and it stays as it was"
    );
    fs::write(&file, [0xff, 0xfe, 0x00]).unwrap();
    assert!(desk.run(["status"]).complains(2).contains(&file));
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert!(desk.run(["status"]).complains(2).contains(&file));
}

#[test]
fn tables_can_be_written_in_every_way_that_toml_has() {
    let desk = Desk::bare();
    for text in [
        "[vault]\npath = \"/v\"\nexcluded = [\n  \"a\", # why\n  \"b\",\n]\n",
        "vault.path = \"/v\"\nvault.excluded = ['a', 'b']\n",
        "vault = { path = \"/v\", excluded = [\"a\", \"b\"] }\n",
        "\u{feff}[vault]\r\npath = '''/v'''\r\nexcluded = [\"a\", \"b\"]\r\n",
    ] {
        write(&desk, text);
        let found = settings(&desk, &[], &[]);
        assert_eq!(found["settings"]["vault.path"]["value"], "/v", "{text}");
        assert_eq!(found["settings"]["vault.excluded"]["value"], json!(["a", "b"]), "{text}");
    }
}

#[test]
fn set_changes_one_value_and_keeps_every_comment_and_every_other_line() {
    let desk = Desk::bare();
    let file = write(
        &desk,
        "# my settings\n\n[vault]\n# where the notes are\npath = \"/old\"   # on the big disk\nexcluded = [\"Private\"] # not for eyes\n\n[log]\nlevel = 'warn'\n# the end\n",
    );
    let set =
        |key: &str, value: &str| Ran::of(desk.command().args(["config", "set", key, value, "--json"])).done();
    let answer = set("vault.path", "/new");
    assert_eq!(
        (answer["key"].as_str(), answer["value"].as_str(), answer["file"].as_str()),
        (Some("vault.path"), Some("/new"), Some(file.as_str()))
    );
    set("vault.excluded", "Private, Old things");
    set("data.path", "/data");
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "# my settings\n\n[vault]\n# where the notes are\npath = \"/new\"   # on the big disk\nexcluded = [\"Private\", \"Old things\"] # not for eyes\n\n[log]\nlevel = 'warn'\n\n[data]\npath = \"/data\"\n# the end\n"
    );
    assert_eq!(settings(&desk, &[], &[])["settings"]["vault.path"]["value"], "/new");
}

#[test]
fn set_works_on_a_new_file_an_inline_table_and_dotted_keys() {
    let desk = Desk::bare();
    let set = || Ran::of(desk.command().args(["config", "set", "vault.path", "/new"]));
    assert_eq!(set().status, Some(0));
    let file = platform_file(&desk);
    assert_eq!(fs::read_to_string(&file).unwrap(), "[vault]\npath = \"/new\"\n");
    assert_eq!(mode_of(std::path::Path::new(&file)), 0o600, "it may hold a key one day");
    for (before, after) in [
        ("vault = { path = \"/old\" } # c\n", "vault = { path = \"/new\" } # c\n"),
        ("vault.path = \"/old\"\nlog.level = \"info\"\n", "vault.path = \"/new\"\nlog.level = \"info\"\n"),
        ("log.level = \"info\"\n", "log.level = \"info\"\n\n[vault]\npath = \"/new\"\n"),
    ] {
        write(&desk, before);
        assert_eq!(set().status, Some(0));
        assert_eq!(fs::read_to_string(&file).unwrap(), after);
    }
}

#[test]
fn set_follows_a_link_to_the_file_that_is_meant() {
    let desk = Desk::bare();
    let file = write(&desk, "");
    fs::remove_file(&file).unwrap();
    let real = desk.folder().join("dotfiles.toml");
    fs::write(&real, "# kept\n").unwrap();
    std::os::unix::fs::symlink(&real, &file).unwrap();
    Ran::of(desk.command().args(["config", "set", "log.level", "info", "--json"])).done();
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
    assert!(
        fs::read_to_string(&real).unwrap().contains("# kept\n")
            && fs::read_to_string(&real).unwrap().contains("level = \"info\"")
    );
}

#[test]
fn set_refuses_what_could_not_be_read_back() {
    let desk = Desk::bare();
    let said = Ran::of(desk.command().args(["config", "set", "log.level", "loud", "--json"])).failed(2);
    assert!(said["error"].as_str().unwrap().contains("debug"), "{said}");
    assert!(!std::path::Path::new(&platform_file(&desk)).exists());
    // A file that nothing can read is repaired by hand, or by setting the one bad value anew.
    write(&desk, "[log]\nlevel = \"loud\"\n");
    fails(&desk, &[], 2);
    Ran::of(desk.command().args(["config", "set", "log.level", "info", "--json"])).done();
    settings(&desk, &[], &[]);
}

#[test]
fn set_keeps_a_relative_folder_from_depending_on_where_one_stands() {
    let desk = Desk::new();
    let answer = Ran::of(desk.command().current_dir(desk.vault()).args([
        "config",
        "set",
        "vault.path",
        ".",
        "--json",
    ]))
    .done();
    assert_eq!(answer["value"], json!(desk.vault()));
    let answer = Ran::of(desk.command().args(["config", "set", "vault.path", "~/notes", "--json"])).done();
    assert_eq!(answer["value"], "~/notes");
    let answer = Ran::of(desk.command().args(["config", "set", "data.path", "", "--json"])).done();
    assert_eq!(answer["value"], "");
}

#[test]
fn set_says_where_something_else_still_wins() {
    let desk = Desk::bare();
    let ran =
        Ran::of(desk.command().env("VAULT_PATH", "/env").args(["config", "set", "vault.path", "/file"]));
    assert_eq!(ran.status, Some(0));
    assert!(ran.stderr.contains("$VAULT_PATH still takes precedence"), "{ran:?}");
    let quiet = Ran::of(desk.command().env("VAULT_PATH", "/env").args([
        "-q",
        "config",
        "set",
        "vault.path",
        "/file",
    ]));
    assert_eq!(quiet.stderr, "");
}

#[test]
fn the_settings_file_is_named_by_flag_by_variable_or_by_the_platform() {
    let desk = Desk::bare();
    let path = |variables: &[(&str, &str)], args: &[&str]| {
        let ran = Ran::of(desk.command().envs(variables.iter().copied()).args(args).args(["config", "path"]));
        assert_eq!(ran.status, Some(0), "{ran:?}");
        ran.stdout.trim_end().to_owned()
    };
    let home = desk.home().display().to_string();
    if cfg!(target_os = "linux") {
        assert_eq!(path(&[], &[]), format!("{home}/.config/wellread/config.toml"));
    }
    assert_eq!(path(&[("XDG_CONFIG_HOME", "/xdg")], &[]), "/xdg/wellread/config.toml");
    assert_eq!(path(&[("WELLREAD_CONFIG", "/x/y.toml")], &[]), "/x/y.toml");
    assert_eq!(path(&[("WELLREAD_CONFIG", "~/y.toml")], &[]), format!("{home}/y.toml"));
    assert_eq!(path(&[("WELLREAD_CONFIG", "/x/y.toml")], &["--config", "z.toml"]), "z.toml");
    let there = Ran::of(desk.command().args(["--config", "z.toml", "config", "path", "--json"])).done();
    assert_eq!(there["exists"], false);

    fs::write(desk.folder().join("z.toml"), "log.level = \"info\"\n").unwrap();
    let from = |variables: &[(&str, &str)], args: &[&str]| {
        settings(&desk, variables, args)["settings"]["log.level"]["from"].clone()
    };
    assert_eq!(from(&[("WELLREAD_CONFIG", "z.toml")], &[]), "z.toml");
    assert_eq!(from(&[], &["--config", "z.toml"]), "z.toml");
    let said =
        Ran::of(desk.command().args(["--config", "missing.toml", "config", "show", "--json"])).failed(3);
    assert!(said["error"].as_str().unwrap().contains("missing.toml"));
}

#[test]
fn a_tilde_means_the_home_folder_wherever_a_folder_is_named() {
    let desk = Desk::new();
    fs::rename(desk.vault(), desk.home().join("notes")).unwrap();
    for (variables, args) in [
        (vec![("VAULT_PATH", "~/notes"), ("WELLREAD_DATA", "~/state")], vec![]),
        (vec![], vec!["--vault", "~/notes", "--data", "~/state"]),
    ] {
        let status = Ran::of(desk.command().envs(variables).args(args).args(["status", "--json"])).done();
        assert_eq!(status["vault"], json!(desk.home().join("notes")));
        assert!(
            status["data"].as_str().unwrap().starts_with(desk.home().join("state").to_str().unwrap()),
            "{status}"
        );
    }
    write(&desk, "[vault]\npath = \"~/notes\"\n");
    let status = Ran::of(desk.command().args(["status", "--json"])).done();
    assert!(status["data"].as_str().unwrap().contains("/wellread/vaults/notes-"), "{status}");
}

#[test]
fn without_a_home_folder_what_is_named_still_works() {
    let desk = Desk::new();
    let run = |args: &[&str]| Ran::of(desk.command().env_remove("HOME").args(args));
    run(&["--vault", "vault", "--data", "data", "status", "--json"]).done();
    run(&["--vault", "vault", "--data", "data", "doctor", "--json"]).done();
    assert!(run(&["status"]).complains(1).contains("HOME"));
    assert!(run(&["--vault", "vault", "status"]).complains(1).contains("HOME"));
}

#[test]
fn a_variable_that_is_not_unicode_is_an_error_and_not_passed_over() {
    let desk = Desk::new();
    let ran = Ran::of(desk.command().env("VAULT_PATH", OsStr::from_bytes(b"/v\xff")).arg("status"));
    assert!(ran.complains(2).contains("VAULT_PATH"), "{ran:?}");
}

#[test]
fn excluded_folders_are_added_to_those_that_always_are_and_may_be_paths() {
    let desk = Desk::new();
    desk.save(".obsidian/app.json", "{}");
    let args = |path: &str| json!({ "path": path }).to_string();
    let read = |excluded: &str, path: &str| {
        Ran::of(desk.here().env("WELLREAD_VAULT_EXCLUDED", excluded).args(["tool", "read_file", &args(path)]))
    };
    read("", "Bees/Log").done();
    for excluded in ["Bees", "bees", "Bees/", "/Bees", "Garden,Bees"] {
        read(excluded, "Bees/Log").failed(4);
    }
    read("Bees", ".obsidian/app.json").failed(4);
    read("Bees", "Mead/Log").done();
    desk.save("Mead/Bees/Deep.md", "x");
    read("Mead/Bees", "Bees/Log").done();
    read("Mead/Bees", "Mead/Log").done();
    for excluded in ["Mead/Bees", "mead/BEES/", "/Mead/Bees"] {
        read(excluded, "Mead/Bees/Deep").failed(4);
    }
    let listed = Ran::of(desk.here().env("WELLREAD_VAULT_EXCLUDED", "Mead/Bees").args([
        "tool",
        "search_by_folder",
        "{\"folder\": \"Mead\", \"recursive\": true}",
    ]))
    .done();
    assert!(
        !listed.to_string().contains("Deep.md") && listed.to_string().contains("Mead/Log.md"),
        "{listed}"
    );
}

#[test]
fn nothing_in_a_vault_changes_a_setting() {
    let desk = Desk::new();
    for name in ["config.toml", ".wellread/config.toml", ".config/wellread/config.toml", "wellread.toml"] {
        desk.save(name, "[log]\nlevel = \"trace\"\n[vault]\nexcluded = []\n");
    }
    let ran = Ran::of(desk.here().current_dir(desk.vault()).args(["config", "show", "--json"])).done();
    assert_eq!(ran["settings"]["log.level"]["from"], "default");
}

#[test]
fn a_number_is_written_as_a_number_and_one_that_does_not_fit_is_refused() {
    let desk = Desk::bare();
    let set = |value: &str| {
        Ran::of(desk.command().args(["config", "set", "index.interval_minutes", value, "--json"]))
    };
    for wrong in ["often", "", "-5", "1.5", "10081", "99999999999999999999999"] {
        let said = set(wrong);
        if wrong == "-5" {
            assert_eq!(said.status, Some(2), "{said:?}");
            continue;
        }
        let error = said.failed(2)["error"].as_str().unwrap().to_owned();
        assert_eq!(error, "the setting `index.interval_minutes` must be a whole number from 0 to 10080");
    }
    assert_eq!(set("10080").done()["value"], 10080);
    assert_eq!(fs::read_to_string(platform_file(&desk)).unwrap(), "[index]\ninterval_minutes = 10080\n");
    let said = fails(&desk, &[("INDEX_INTERVAL", "hourly")], 2);
    assert!(said["error"].as_str().unwrap().ends_with("in the variable INDEX_INTERVAL"), "{said}");
}

#[test]
fn a_key_is_written_and_shown_nowhere() {
    let desk = Desk::bare();
    let key = "sk-very-secret";
    let set = Ran::of(desk.command().args(["config", "set", "embedding.api_key", key]));
    let json = Ran::of(desk.command().args(["config", "set", "embedding.api_key", key, "--json"]));
    let shown = Ran::of(desk.command().args(["config", "show"]));
    let shown_json = Ran::of(desk.command().args(["config", "show", "--json", "-vv"]));
    let hidden = Ran::of(desk.command().env("WELLREAD_EMBEDDING_API_KEY", "sk-other").args([
        "config",
        "set",
        "embedding.api_key",
        key,
    ]));
    assert!(hidden.stderr.contains("$WELLREAD_EMBEDDING_API_KEY still takes precedence"), "{hidden:?}");
    for ran in [&set, &json, &shown, &shown_json, &hidden] {
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert!(!ran.stdout.contains("sk-") && !ran.stderr.contains("sk-"), "{ran:?}");
    }
    let file = platform_file(&desk);
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("[embedding]\napi_key = \"{key}\"\n"));
    assert_eq!(mode_of(std::path::Path::new(&file)), 0o600);
    assert!(shown.stdout.contains("embedding.api_key = \"********\"  # "), "{shown:?}");
    // Also where the file is broken right behind it.
    write(&desk, &format!("[embedding]\napi_key = \"{key}\" x\n"));
    assert!(!Ran::of(desk.command().args(["config", "show"])).complains(2).contains("sk-"));
}

#[test]
fn repositories_can_be_written_in_every_way_that_toml_has_but_not_by_set() {
    let desk = Desk::bare();
    let wanted = json!([{ "name": "hive", "path": "/code/hive" }, { "name": "b", "path": "~/b" }]);
    for text in [
        "[[repos]]\nname = \"hive\"\npath = \"/code/hive\"\n\n[[repos]]\npath = \"~/b\"\n",
        "repos = [{ path = \"/code/hive\" }, { name = \"b\", path = \"~/b\" }]\n",
    ] {
        write(&desk, text);
        assert_eq!(settings(&desk, &[], &[])["settings"]["repos"]["value"], wanted, "{text}");
    }
    let said = Ran::of(desk.command().args(["config", "set", "repos", "x=/y", "--json"])).failed(2);
    assert!(said["hint"].as_str().unwrap().contains("wellread repo add"), "{said}");
    let shown = Ran::of(desk.command().args(["config", "show"])).stdout;
    assert!(
        shown.contains(
            "repos = [{ name = \"hive\", path = \"/code/hive\" }, { name = \"b\", path = \"~/b\" }]"
        )
    );
}

#[test]
fn a_key_is_read_from_standard_input_and_one_in_the_command_line_is_warned_of() {
    let desk = Desk::bare();
    let set = |args: &[&str], input: &[u8]| {
        Ran::fed(desk.command().args(["config", "set"]).args(args).arg("--json"), input)
    };
    for args in [&["model.api_key", "-"][..], &["model.api_key"]] {
        let ran = set(args, b"sk-from-a-pipe\n");
        let file = ran.done()["file"].as_str().unwrap().to_owned();
        assert!(fs::read_to_string(file).unwrap().contains("sk-from-a-pipe"), "{ran:?}");
        assert!(!ran.stderr.contains("warning") && !ran.stdout.contains("sk-from"), "{ran:?}");
    }
    assert!(set(&["model.api_key", "sk-typed"], b"").stderr.contains("warning: the shell's history"));
    for args in [&["model.api_key", "env:KEY"][..], &["model.name", "small"]] {
        assert!(!set(args, b"").stderr.contains("warning"), "{args:?}");
    }
    for (args, input) in [
        (&["model.api_key", "-"][..], &b"\n"[..]),
        (&["model.api_key", "-"], b"one\ntwo\n"),
        (&["model.name"], b"small\n"),
    ] {
        set(args, input).failed(2);
    }
    assert_eq!(set(&["model.name", "-"], b"from-a-pipe\n").done()["value"], "from-a-pipe");
}

#[test]
fn no_model_means_none_whatever_is_set_beside_it() {
    let desk = Desk::new();
    let variables = [
        ("WELLREAD_MODEL_PROVIDER", "none"),
        ("WELLREAD_MODEL_BASE_URL", "http://127.0.0.1:9/v1"),
        ("WELLREAD_MODEL_API_KEY", "sk-1"),
        ("WELLREAD_MODEL_NAME", "small"),
        ("OPENAI_API_KEY", "sk-2"),
    ];
    let run = |args: &[&str]| Ran::of(desk.here().envs(variables).args(args).arg("--json"));
    let doctor = run(&["doctor", "--offline"]).json();
    let model = doctor["checks"].as_array().unwrap().iter().find(|check| check["name"] == "model").unwrap();
    assert_eq!(model["ok"], true, "{model}");
    let answer = run(&["ask", "What is the varroa threshold?"]);
    assert_eq!(answer.status, Some(0), "{answer:?}");
}
