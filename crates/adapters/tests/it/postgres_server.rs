//! A PostgreSQL server for tests: the one that `./check` started, with a database for each test, or one of a test's own.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use tokio_postgres::NoTls;
use wellread_adapters::postgres::{DatabaseAddress, DatabaseOptions, PostgresIndex, PostgresRecords};

/// The address of the server, with a user who may create databases and roles.
const SERVER: &str = "WELLREAD_TEST_POSTGRES";
const ROLE_SQL: &str = include_str!("../../../../docs/postgresql/role.sql");

/// A database of a test, with the tables of the records, and a role with the least rights.
pub struct TestDatabase {
    server: String,
    name: String,
}

impl TestDatabase {
    /// A new database; `None` if there is no server here, which is said.
    #[track_caller]
    pub fn create() -> Option<Self> {
        let Ok(server) = std::env::var(SERVER) else {
            wellread_testkit::skip(&format!("there is no PostgreSQL: {SERVER} is not set"));
            return None;
        };
        Some(Self::create_on(&server))
    }

    pub fn create_on(server: &str) -> Self {
        let database = Self::create_empty_on(server);
        database.open_as("postgres", "x").migrate().unwrap();
        database.create_role();
        database
    }

    /// One with the tables of the index, too.
    #[track_caller]
    pub fn create_with_index() -> Option<Self> {
        let Ok(server) = std::env::var(SERVER) else {
            wellread_testkit::skip(&format!("there is no PostgreSQL: {SERVER} is not set"));
            return None;
        };
        Some(Self::create_with_index_on(&server))
    }

    pub fn create_with_index_on(server: &str) -> Self {
        let database = Self::create_empty_on(server);
        let records = database.open_as("postgres", "x");
        records.migrate().unwrap();
        records.migrate_index().unwrap();
        database.create_role();
        database
    }

    /// One without tables.
    pub fn create_empty_on(server: &str) -> Self {
        static CREATED: AtomicU32 = AtomicU32::new(0);
        let number = CREATED.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{number}", std::process::id());
        run_sql(server, &format!("CREATE DATABASE {name}"));
        Self { server: server.to_owned(), name }
    }

    pub fn create_role(&self) {
        self.run_sql(&format!("CREATE ROLE {} LOGIN", self.role()));
        self.run_sql(&ROLE_SQL.replace("TO wellread;", &format!("TO {};", self.role())));
    }

    /// The role with the least rights.
    pub fn role(&self) -> String {
        format!("role_{}", self.name)
    }

    pub fn url(&self, user: &str) -> String {
        let (_, rest) = self.server.split_once('@').unwrap();
        let (host, _) = rest.split_once('/').unwrap();
        format!("postgres://{user}@{host}/{}", self.name)
    }

    /// The records of a space, as the role with the least rights.
    pub fn open(&self, space: &str) -> PostgresRecords {
        self.open_as(&self.role(), space)
    }

    pub fn open_as(&self, user: &str, space: &str) -> PostgresRecords {
        open_url(&self.url(user), space)
    }

    /// The index of a space, as the role with the least rights; `data` has the id of the place.
    pub fn open_index(&self, space: &str, data: &Path) -> PostgresIndex {
        open_index_url(&self.url(&self.role()), space, data)
    }

    /// Executes statements as the owner; the first column of the last row, if there was one.
    pub fn run_sql(&self, sql: &str) -> Option<String> {
        run_sql(&self.url("postgres"), sql)
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let _ = try_sql(&self.server, &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
        let _ = try_sql(&self.server, &format!("DROP ROLE IF EXISTS {}", self.role()));
    }
}

pub fn open_url(url: &str, space: &str) -> PostgresRecords {
    let address = DatabaseAddress::parse(url).unwrap();
    PostgresRecords::new(DatabaseOptions::new(address, None, None, space).unwrap())
}

pub fn open_index_url(url: &str, space: &str, data: &Path) -> PostgresIndex {
    let address = DatabaseAddress::parse(url).unwrap();
    PostgresIndex::new(DatabaseOptions::new(address, None, None, space).unwrap(), data)
}

pub fn run_sql(url: &str, sql: &str) -> Option<String> {
    try_sql(url, sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

/// Executes statements on a connection of its own.
pub fn try_sql(url: &str, sql: &str) -> Result<Option<String>, tokio_postgres::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(connection);
        let messages = client.simple_query(sql).await?;
        Ok(messages.into_iter().rev().find_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        }))
    })
}

/// A server of a test's own, which it can stop and start.
pub struct OwnServer {
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    pub address: String,
    /// The folder of its certificates, if it speaks TLS.
    pub certificates: Option<PathBuf>,
}

impl OwnServer {
    /// `None` if there is no PostgreSQL here, which is said.
    #[track_caller]
    pub fn start() -> Option<Self> {
        Self::start_with(None)
    }

    /// One that speaks TLS; `None` if there is none here, which is said.
    #[track_caller]
    pub fn start_with_tls() -> Option<Self> {
        Self::start_with(Some("--tls"))
    }

    #[track_caller]
    fn start_with(option: Option<&str>) -> Option<Self> {
        let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let python = root.join(".venv/bin/python");
        let mut command = Command::new(&python);
        command.args(["-W", "ignore"]).arg(root.join("tests/postgres_server.py")).args(option);
        if std::env::var_os(SERVER).is_none() || !python.exists() {
            wellread_testkit::skip(&format!("there is no PostgreSQL: {SERVER} is not set"));
            return None;
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let orders = child.stdin.take();
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        let mut next_line = || {
            let mut line = String::new();
            answers.read_line(&mut line).unwrap();
            line.trim().to_owned()
        };
        let address = next_line();
        if option.is_some() && address.starts_with("there is no PostgreSQL") {
            wellread_testkit::skip(&address);
            let _ = child.wait();
            return None;
        }
        assert!(address.starts_with("postgres://"), "{address}");
        let certificates = option.map(|_| PathBuf::from(next_line()));
        Some(Self { child, orders, answers, address, certificates })
    }

    /// `stop` or `start`; with TLS also `certificate NAME`.
    pub fn order(&mut self, what: &str) {
        writeln!(self.orders.as_mut().unwrap(), "{what}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        assert_eq!(answer.trim(), "done");
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        // It ends when nobody can give it orders any more.
        self.orders.take();
        let _ = self.child.wait();
    }
}
