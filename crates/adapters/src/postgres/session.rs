//! One connection to the database, as a caller that blocks uses it.
//!
//! A connection belongs to one space: it is set when the connection is made, every statement names it as `$1`, and the
//! database lets it see no other. It works for one viewer at a time, and the database shows it only what is theirs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls, Row, SimpleQueryMessage};

use wellread_core::ports::RecordViewer;

use super::executor::Executor;
use super::failure::PgFailure;
use super::options::{DEAD_AFTER, DatabaseOptions};
use super::tls::VerifiedTls;
use super::value::{SqlParameter, SqlValue, values};
use crate::sqlite::lock;

/// As long as a connection may take to be made.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// As long as a statement may take. The database ends it; the caller waits a little longer for it to say so.
const STATEMENT_LIMIT: Duration = Duration::from_secs(30);
const ANSWER_LIMIT: Duration = Duration::from_secs(35);

/// A connection.
#[derive(Debug)]
pub struct Session {
    client: Arc<Client>,
    executor: Arc<Executor>,
    space: Arc<str>,
    /// For whom it works; nobody yet if it was just made.
    viewer: Mutex<Option<RecordViewer>>,
}

impl Session {
    /// Connects, and says which space the connection is for.
    pub fn connect(executor: &Arc<Executor>, options: &DatabaseOptions) -> Result<Self, PgFailure> {
        options.check_permitted()?;
        let (config, trust) = (options.config(), options.trust()?);
        let space: Arc<str> = options.space.as_str().into();
        let connected = executor.run(CONNECT_LIMIT, async move {
            let client = match trust {
                Some(trust) => {
                    let (client, connection) = config.connect(VerifiedTls(trust)).await?;
                    tokio::spawn(connection);
                    client
                }
                None => {
                    let (client, connection) = config.connect(NoTls).await?;
                    tokio::spawn(connection);
                    client
                }
            };
            Ok::<_, tokio_postgres::Error>(client)
        });
        let late = || PgFailure::Lost(format!("no connection within {} s", CONNECT_LIMIT.as_secs()));
        let client = Arc::new(connected.ok_or_else(late)??);
        let session = Self { client, executor: executor.clone(), space, viewer: Mutex::default() };
        session.set_up()?;
        Ok(session)
    }

    /// The space, and limits by which the database ends what nobody waits for any more: a statement, a transaction whose
    /// process is stuck, and the connection of a machine that is gone.
    fn set_up(&self) -> Result<(), PgFailure> {
        let seconds = |limit: Duration| format!("{}s", limit.as_secs());
        let settings = [
            ("statement_timeout", seconds(STATEMENT_LIMIT)),
            ("lock_timeout", seconds(STATEMENT_LIMIT / 2)),
            ("idle_in_transaction_session_timeout", seconds(2 * STATEMENT_LIMIT)),
            ("tcp_keepalives_idle", (DEAD_AFTER.as_secs() / 3).to_string()),
            ("tcp_keepalives_interval", (DEAD_AFTER.as_secs() / 6).to_string()),
            ("tcp_keepalives_count", "4".to_owned()),
            ("tcp_user_timeout", DEAD_AFTER.as_millis().to_string()),
            ("client_encoding", "UTF8".to_owned()),
            ("default_transaction_isolation", "read committed".to_owned()),
        ];
        let set = settings.map(|(name, value)| format!("set_config('{name}', '{value}', false)")).join(", ");
        self.query(&format!("SELECT set_config('wellread.space', $1, false), {set}"), vec![]).map(drop)
    }

    /// Works for this viewer from now on.
    pub fn set_viewer(&self, viewer: &RecordViewer) -> Result<(), PgFailure> {
        if lock(&self.viewer).as_ref() == Some(viewer) {
            return Ok(());
        }
        let sql = "SELECT set_config('wellread.user', $2, false) WHERE $1 <> ''";
        self.query(sql, values![viewer.as_str()])?;
        *lock(&self.viewer) = Some(viewer.clone());
        Ok(())
    }

    /// Sees everything of the space until the end of the transaction: for what has to be right for all, such as which pages are
    /// still referred to.
    pub fn see_all_in_transaction(&self) -> Result<(), PgFailure> {
        let sql = "SELECT set_config('wellread.user', $2, true) WHERE $1 <> ''";
        self.query(sql, values![RecordViewer::vault().as_str()]).map(drop)
    }

    pub fn space(&self) -> &str {
        &self.space
    }

    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// The rows of a statement. `$1` is the space, `$2` the first of the values.
    pub fn query(&self, sql: &str, values: Vec<SqlValue>) -> Result<Vec<Row>, PgFailure> {
        let (sql, values) = (sql.to_owned(), self.parameters(values));
        self.ask(move |client| async move { client.query_typed(&sql, &borrow(&values)).await })
    }

    /// The first row of a statement, if there is one.
    pub fn find(&self, sql: &str, values: Vec<SqlValue>) -> Result<Option<Row>, PgFailure> {
        Ok(self.query(sql, values)?.into_iter().next())
    }

    /// Executes a statement, and returns how many rows it changed.
    pub fn execute(&self, sql: &str, values: Vec<SqlValue>) -> Result<u64, PgFailure> {
        let (sql, values) = (sql.to_owned(), self.parameters(values));
        self.ask(move |client| async move { client.execute_typed(&sql, &borrow(&values)).await })
    }

    /// Executes statements without values. Returns the first column of the last row, if there was one.
    pub fn run(&self, sql: &str) -> Result<Option<String>, PgFailure> {
        let sql = sql.to_owned();
        let messages = self.ask(move |client| async move { client.simple_query(&sql).await })?;
        Ok(messages.into_iter().rev().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        }))
    }

    fn parameters(&self, values: Vec<SqlValue>) -> Vec<SqlParameter> {
        let space = SqlValue::Text(self.space.as_ref().to_owned());
        std::iter::once(space).chain(values).map(SqlValue::into_parameter).collect()
    }

    fn ask<T, F>(&self, request: impl FnOnce(Arc<Client>) -> F) -> Result<T, PgFailure>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, tokio_postgres::Error>> + Send + 'static,
    {
        let late = || PgFailure::Lost(format!("no answer within {} s", ANSWER_LIMIT.as_secs()));
        Ok(self.executor.run(ANSWER_LIMIT, request(self.client.clone())).ok_or_else(late)??)
    }
}

fn borrow(values: &[SqlParameter]) -> Vec<(&(dyn ToSql + Sync), Type)> {
    values.iter().map(|(value, kind)| (value.as_ref() as &(dyn ToSql + Sync), kind.clone())).collect()
}
