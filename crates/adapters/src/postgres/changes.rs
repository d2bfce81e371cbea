//! Tells a process that something was changed in its space, by whichever process: whoever changes it says so in the same
//! transaction (`NOTIFY`), and one connection of each process listens.
//!
//! A notification says that there is something to read, and no more: it has no content, and the name of its channel has a hash
//! of the space. One that is lost costs time and nothing else, since whoever waits also looks by itself now and then.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::oneshot;
use tokio_postgres::{AsyncMessage, Client, Connection, NoTls};
use wellread_core::domain::corpus::Hasher;

use super::PostgresRecords;
use super::failure::PgFailure;
use super::options::{DEAD_AFTER, DatabaseOptions};
use super::session::Session;
use super::tls::VerifiedTls;
use super::value::values;

/// How long after a lost connection another one is made.
const PAUSE: Duration = Duration::from_secs(2);
/// How much of the hash is in the name of a channel, in hexadecimal digits.
const DIGITS: usize = 32;

/// What was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordChange {
    /// A job may be taken, or was taken away from its worker.
    Jobs,
    /// Something happened to agendas or findings.
    Events,
}

impl RecordChange {
    const ALL: [Self; 2] = [Self::Jobs, Self::Events];

    /// The channel on which this is told in a space. A transaction may tell it often, which is as good as once.
    pub fn channel(self, space: &str) -> String {
        let name = match self {
            Self::Jobs => "jobs",
            Self::Events => "events",
        };
        let mut hasher = Hasher::default();
        hasher.add(b"wellread changes ");
        hasher.add(space.as_bytes());
        let mut hash = hasher.finish().to_string();
        hash.truncate(DIGITS);
        format!("wellread_{name}_{hash}")
    }
}

/// Is called with each change that is heard of.
pub type ChangeHandler = Arc<dyn Fn(RecordChange) + Send + Sync>;

/// Listens until it is dropped.
#[derive(Debug)]
pub struct ChangeWatch {
    _ends: oneshot::Sender<()>,
}

/// Says that something was changed, when the transaction is committed.
pub fn notify(session: &Session, change: RecordChange) -> Result<(), PgFailure> {
    let sql = "SELECT pg_notify($2, '') WHERE $1 <> ''";
    session.query(sql, values![change.channel(session.space())]).map(drop)
}

impl PostgresRecords {
    /// Calls the handler when something in the space was changed, by this process or another, on a thread that must not wait. It is
    /// also called when listening begins anew after the connection was lost, since something may have been missed. `None` if
    /// there is no thread for it.
    pub fn watch_changes(&self, handler: ChangeHandler) -> Option<ChangeWatch> {
        let (ends, ended) = oneshot::channel();
        let options = self.database.pool.shared_options();
        let work = async move {
            tokio::select! {
                _ = ended => {}
                () = listen(&options, &handler) => {}
            }
        };
        self.database.pool.spawn(work).then_some(ChangeWatch { _ends: ends })
    }
}

/// Listens, and begins anew whenever the connection is lost.
async fn listen(options: &DatabaseOptions, handler: &ChangeHandler) {
    loop {
        let lost = match connect(options, handler).await {
            Ok(()) => "the connection was closed".to_owned(),
            Err(failure) => format!("{failure:?}"),
        };
        tracing::debug!(%lost, "changes of the records are not heard of");
        tokio::time::sleep(PAUSE).await;
    }
}

async fn connect(options: &DatabaseOptions, handler: &ChangeHandler) -> Result<(), PgFailure> {
    options.check_permitted()?;
    let config = options.config();
    match options.trust()? {
        Some(trust) => {
            let (client, connection) = config.connect(VerifiedTls(trust)).await?;
            follow(&client, connection, &options.space, handler).await
        }
        None => {
            let (client, connection) = config.connect(NoTls).await?;
            follow(&client, connection, &options.space, handler).await
        }
    }
}

/// Hears what is told on a connection, until it ends.
async fn follow<S, T>(
    client: &Client,
    mut connection: Connection<S, T>,
    space: &str,
    handler: &ChangeHandler,
) -> Result<(), PgFailure>
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    let channels = RecordChange::ALL.map(|change| (change, change.channel(space)));
    let hear = async {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(told) = message? {
                let heard = channels.iter().filter(|(_, channel)| channel == told.channel());
                heard.for_each(|(change, _)| handler(*change));
            }
        }
        Ok::<(), PgFailure>(())
    };
    let ask = async {
        let seconds = DEAD_AFTER.as_secs();
        let mut sql = format!(
            "SET tcp_keepalives_idle = {}; SET tcp_keepalives_interval = {}; SET tcp_keepalives_count = 4",
            seconds / 3,
            seconds / 6
        );
        for (_, channel) in &channels {
            sql += &format!("; LISTEN {channel}");
        }
        client.batch_execute(&sql).await?;
        // Something may have been told before.
        channels.iter().for_each(|(change, _)| handler(*change));
        std::future::pending::<Result<(), PgFailure>>().await
    };
    tokio::select! {
        ended = hear => ended,
        failed = ask => failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_of_one_space_and_does_not_name_it() {
        let channel = RecordChange::Jobs.channel("team/work");
        assert_ne!(channel, RecordChange::Events.channel("team/work"));
        assert_ne!(channel, RecordChange::Jobs.channel("team/home"));
        assert!(!channel.contains("team") && channel.len() < 63, "{channel}");
        assert!(
            channel
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
        );
    }
}
