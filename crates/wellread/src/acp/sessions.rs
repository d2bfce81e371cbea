//! The sessions that the editor has open, and which of them have a turn.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wellread_core::engine::run::StopSignal;
use wellread_core::faces::chat::Session;

use super::rpc::RpcError;

/// The most sessions that may be open at once.
const MOST_SESSIONS: usize = 1000;
static TURNS: AtomicU64 = AtomicU64::new(0);

/// The open sessions, by their ids. A session is a conversation of the chat, and has its id.
#[derive(Clone, Default)]
pub struct OpenSessions(Arc<Mutex<HashMap<String, OpenSession>>>);

struct OpenSession {
    /// The conversation as it was when it was opened. It is stored after its first turn.
    conversation: Session,
    /// What the user should know, until it was said.
    notice: Option<String>,
    /// The turn that it has now, by its number.
    turn: Option<(u64, StopSignal)>,
}

/// A turn that has begun. The session is free for another one when this is dropped.
pub struct SessionTurn {
    pub conversation: Session,
    pub notice: Option<String>,
    /// Requested if the user cancels.
    pub stop: StopSignal,
    number: u64,
    sessions: OpenSessions,
}

impl OpenSessions {
    /// Opens a session.
    pub fn open(&self, conversation: Session, notice: Option<String>) -> Result<(), RpcError> {
        let mut open = self.lock();
        let id = conversation.id.clone();
        if open.len() >= MOST_SESSIONS && !open.contains_key(&id) {
            return Err(RpcError::invalid_request(format!(
                "{MOST_SESSIONS} sessions are open; `session/close` closes one"
            )));
        }
        if open.get(&id).is_some_and(|session| session.turn.is_some()) {
            return Err(has_turn());
        }
        open.insert(id, OpenSession { conversation, notice, turn: None });
        Ok(())
    }

    /// `Err` if there is no such session, or if it has a turn.
    pub fn check_free(&self, id: &str) -> Result<(), RpcError> {
        find_free(&mut self.lock(), id).map(|_| ())
    }

    /// Begins a turn of a session, which has no other.
    pub fn begin_turn(&self, id: &str) -> Result<SessionTurn, RpcError> {
        let mut open = self.lock();
        let session = find_free(&mut open, id)?;
        let (number, stop) = (TURNS.fetch_add(1, Ordering::Relaxed), StopSignal::default());
        session.turn = Some((number, stop.clone()));
        let (conversation, notice) = (session.conversation.clone(), session.notice.take());
        Ok(SessionTurn { conversation, notice, stop, number, sessions: self.clone() })
    }

    /// Cancels the turn of a session, if it has one.
    pub fn cancel(&self, id: &str) {
        let turn = self.lock().get(id).and_then(|session| session.turn.clone());
        if let Some((_, stop)) = turn {
            stop.request();
        }
    }

    /// Cancels every turn.
    pub fn cancel_all(&self) {
        let turns: Vec<_> = self.lock().values().filter_map(|session| session.turn.clone()).collect();
        turns.iter().for_each(|(_, stop)| stop.request());
    }

    /// Closes a session; its turn is cancelled.
    pub fn close(&self, id: &str) -> Result<(), RpcError> {
        let closed = self.lock().remove(id).ok_or_else(|| RpcError::unknown_session(id))?;
        if let Some((_, stop)) = closed.turn {
            stop.request();
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, OpenSession>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SessionTurn {
    fn drop(&mut self) {
        // A session that was closed and opened again may have another turn.
        if let Some(session) = self.sessions.lock().get_mut(&self.conversation.id)
            && session.turn.as_ref().is_some_and(|(number, _)| *number == self.number)
        {
            session.turn = None;
        }
    }
}

fn find_free<'a>(
    open: &'a mut HashMap<String, OpenSession>,
    id: &str,
) -> Result<&'a mut OpenSession, RpcError> {
    let session = open.get_mut(id).ok_or_else(|| RpcError::unknown_session(id))?;
    if session.turn.is_some() { Err(has_turn()) } else { Ok(session) }
}

fn has_turn() -> RpcError {
    RpcError::invalid_request("the session has a prompt already; wait for its end, or send `session/cancel`")
}
