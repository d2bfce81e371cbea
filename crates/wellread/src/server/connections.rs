//! Which connections can be closed to make room: those on which nobody who may come in is being served.
//!
//! Anybody on this machine can open connections and say nothing. They get room as long as there is some, and lose it to whoever
//! comes later.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::sync::Notify;

/// The connections that are idle, the one that has been so for longest first.
#[derive(Debug, Default)]
pub struct IdleConnections {
    idle: Mutex<BTreeMap<u64, Arc<Notify>>>,
    next: AtomicU64,
    closed: AtomicU64,
}

impl IdleConnections {
    /// Registers a connection, idle at first.
    pub fn register(self: &Arc<Self>) -> Arc<Connection> {
        let connection =
            Connection { idle: self.clone(), turn: Mutex::default(), close: Arc::new(Notify::new()) };
        connection.rest();
        Arc::new(connection)
    }

    /// Closes the connection that has been idle for longest, if there is one.
    pub fn close_oldest(&self) {
        let oldest = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop_first();
        if let Some((_, close)) = oldest {
            self.closed.fetch_add(1, Ordering::Relaxed);
            close.notify_one();
        }
    }

    /// How many were closed to make room.
    pub fn closed_count(&self) -> u64 {
        self.closed.load(Ordering::Relaxed)
    }
}

/// One connection.
#[derive(Debug)]
pub struct Connection {
    idle: Arc<IdleConnections>,
    /// Its place among those that are idle; none while it is busy.
    turn: Mutex<Option<u64>>,
    close: Arc<Notify>,
}

impl Connection {
    /// A request of somebody who may come in is served from now on, until the guard is dropped. Nothing if the connection is
    /// being closed.
    pub fn begin_request(self: &Arc<Self>) -> Option<BusyConnection> {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let was_idle = self.idle.idle.lock().unwrap_or_else(PoisonError::into_inner).remove(&turn);
        was_idle.map(|_| BusyConnection(self.clone()))
    }

    /// Ends when the connection has to be closed.
    pub async fn wait_until_closed(&self) {
        self.close.notified().await;
    }

    fn rest(&self) {
        let turn = self.idle.next.fetch_add(1, Ordering::Relaxed);
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = Some(turn);
        self.idle.idle.lock().unwrap_or_else(PoisonError::into_inner).insert(turn, self.close.clone());
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(turn) = turn {
            self.idle.idle.lock().unwrap_or_else(PoisonError::into_inner).remove(&turn);
        }
    }
}

/// A connection that is not closed to make room.
#[derive(Debug)]
pub struct BusyConnection(Arc<Connection>);

impl Drop for BusyConnection {
    fn drop(&mut self) {
        self.0.rest();
    }
}

/// A body that keeps its connection busy until it is sent.
pub struct ServedBody {
    body: Body,
    _busy: BusyConnection,
}

impl ServedBody {
    pub fn new(body: Body, busy: BusyConnection) -> Self {
        Self { body, _busy: busy }
    }
}

impl HttpBody for ServedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_closed(connection: &Connection) -> bool {
        let mut wait = std::pin::pin!(connection.wait_until_closed());
        wait.as_mut().poll(&mut Context::from_waker(std::task::Waker::noop())).is_ready()
    }

    #[test]
    fn the_one_that_has_been_idle_for_longest_makes_room() {
        let idle = Arc::new(IdleConnections::default());
        let [first, second, third] = [0, 1, 2].map(|_| idle.register());
        let busy = first.begin_request().unwrap();
        idle.close_oldest();
        assert!(!is_closed(&first) && is_closed(&second) && !is_closed(&third));
        assert!(second.begin_request().is_none(), "it is being closed");
        drop(busy);
        drop(third);
        idle.close_oldest();
        assert!(is_closed(&first));
        idle.close_oldest();
        assert_eq!(idle.closed_count(), 2, "nobody is left");
    }

    #[test]
    fn a_body_that_is_being_sent_keeps_its_connection() {
        let idle = Arc::new(IdleConnections::default());
        let connection = idle.register();
        let body = ServedBody::new(Body::from("honey"), connection.begin_request().unwrap());
        assert_eq!(body.size_hint().exact(), Some(5));
        idle.close_oldest();
        assert!(!is_closed(&connection));
        drop(body);
        idle.close_oldest();
        assert!(is_closed(&connection));
    }
}
