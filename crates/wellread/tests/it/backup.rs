//! A backup by PostgreSQL's own programs, with the commands of the book: restored on another server, everything is as it was, with
//! accounts, the log of decisions, the index and the rights of the role.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::book::commands_below;
use crate::deploy_run::postgres_programs;
use crate::desk::{Desk, Ran};
use crate::postgres_server::{OwnServer, run_sql};
use crate::served::Served;
use crate::shared_index::{here, run};
use crate::users::{join, send};

const ROLE_SQL: &str = include_str!("../../../../docs/postgresql/role.sql");

/// The address of the database `wellread` on a server, for a role.
fn url(server: &OwnServer, role: &str) -> String {
    let (_, place) = server.address.split_once('@').unwrap();
    format!("postgres://{role}@{}/wellread", place.split_once('/').unwrap().0)
}

/// Commands in a shell whose PostgreSQL is this server, as its superuser unless they say otherwise.
fn shell(server: &OwnServer, folder: &Path, script: &str) -> Ran {
    let (_, place) = server.address.split_once('@').unwrap();
    let (host, port) = place.split_once('/').unwrap().0.split_once(':').unwrap();
    let path = format!("{}:{}", postgres_programs().display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("bash");
    command.args(["-euc", script]).current_dir(folder).env("PATH", path);
    Ran::of(command.env("PGHOST", host).env("PGPORT", port).env("PGUSER", "postgres"))
}

/// What there is to be compared: the digest of the records, the accounts, the log, and what is found.
fn summary(desk: &Desk, url: &str) -> Value {
    let done = |args: &[&str]| run(desk, url, args).done();
    let check = done(&["db", "check", "--json"]);
    assert_eq!(check["ok"], true, "{check}");
    let found = done(&["search", "--mode", "keyword", "--json", "honey"]);
    assert!(found["results"].as_array().is_some_and(|hits| hits.len() > 2), "{found}");
    json!({
        "digest": check["digest"],
        "counts": check["counts"],
        "index": check["database"]["index_schema"],
        "users": done(&["users", "list", "--json"])["users"],
        "log": done(&["users", "audit", "--json"])["entries"],
        "found": found["results"],
    })
}

/// Fills a database as it is used: roles with few rights, an index, a user with runs and an edit of her own. Returns her token.
fn fill(desk: &Desk, server: &OwnServer) -> String {
    run_sql(&server.address, "CREATE ROLE wellread_owner LOGIN; CREATE ROLE wellread LOGIN");
    run_sql(&server.address, "CREATE DATABASE wellread OWNER wellread_owner");
    let owner = url(server, "wellread_owner");
    run_sql(&url(server, "postgres"), "CREATE EXTENSION vector");
    run(desk, &owner, &["db", "migrate", "--json"]).done();
    run_sql(&owner, ROLE_SQL);
    let role = url(server, "wellread");
    run(desk, &role, &["index", "--no-vectors"]).succeeded();
    let api = Served::of(here(desk, &role), &["--role", "api"]);
    let invited =
        run(desk, &role, &["users", "invite", "anna", "--rights", "read,research,write", "--json"]).done();
    let token = join(&api, invited["link"].as_str().unwrap()).done()["token"].as_str().unwrap().to_owned();
    let asked = json!({ "query": "What is a nectar flow?" }).to_string();
    send(&api, &token, "POST", "/api/ask", Some(&asked)).done();
    let note = json!({ "path": "Backup.md", "content": "Honey keeps.\n" }).to_string();
    let written = send(&api, &token, "POST", "/api/tools/create_file", Some(&note));
    assert_eq!(written.status, 200, "{written:?}");
    api.end();
    token
}

#[test]
fn a_backup_has_everything_and_is_restored_on_another_server() {
    let (Some(server), Some(other)) = (OwnServer::start(), OwnServer::start()) else { return };
    let desk = Desk::new();
    let token = fill(&desk, &server);
    let before = summary(&desk, &url(&server, "wellread"));
    assert!(before["log"].as_array().is_some_and(|log| log.len() > 2), "{before}");

    let commands = commands_below("teams.md", "## Backup");
    assert_eq!(commands.len(), 2, "what makes one, and what restores it: {commands:?}");
    let made = shell(&server, &desk.folder(), &commands[0].join("\n"));
    assert_eq!(made.status, Some(0), "{made:?}");
    // What is checked afterwards is checked below, with the address of this test.
    let restored: Vec<&String> =
        commands[1].iter().filter(|command| !command.starts_with("wellread ")).collect();
    assert_eq!(restored.len() + 1, commands[1].len());
    for command in restored {
        let ran = shell(&other, &desk.folder(), command);
        assert_eq!(ran.status, Some(0), "{command}: {ran:?}");
    }
    let role = url(&other, "wellread");
    assert_eq!(summary(&desk, &role), before);
    // Her token counts there, what was hers is hers, and rows are protected as before.
    let api = Served::of(here(&desk, &role), &["--role", "api"]);
    let runs = |token: &str| send(&api, token, "GET", "/api/runs", None).done()["runs"].clone();
    assert_eq!((runs(&token).as_array().map(Vec::len), runs(&api.token)), (Some(1), json!([])));
    api.end();
    let delete = "DELETE FROM wellread.runs";
    assert!(crate::postgres_server::try_sql(&role, delete).is_err(), "the role still may not");
}

/// Row-level security applies to the owner, too: a backup by that role would be of nothing.
#[test]
fn a_backup_by_the_owner_of_the_tables_is_refused() {
    let Some(server) = OwnServer::start() else { return };
    let desk = Desk::new();
    fill(&desk, &server);
    let ran = shell(&server, &desk.folder(), "pg_dump --username wellread_owner --dbname wellread --file x");
    assert!(ran.status != Some(0) && ran.stderr.contains("row-level security"), "{ran:?}");
}
