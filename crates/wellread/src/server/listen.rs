//! Connections: taken as long as there is room, each within bounds of size and time, and let go at the end.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use super::sites::Sites;
use super::stall::StallGuard;
use super::state::ServerState;
use super::user_sites::watch_accounts;

/// With more than these, the one that has been idle for longest is closed; where none is, the next waits until one ends.
const MOST_CONNECTIONS: usize = 512;
/// For a whole head, and for the next request on a connection that is kept.
const LONGEST_HEAD: Duration = Duration::from_secs(10);
/// In bytes: the request line and all headers.
const LARGEST_HEAD: usize = 64 * 1024;
const MOST_HEADERS: usize = 100;
/// For what is being served when the end comes.
const LONGEST_GOODBYE: Duration = Duration::from_secs(10);
/// Of that, for telling those who can't be waited for.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Before trying again where the system gives no more connections.
const AFTER_TROUBLE: Duration = Duration::from_millis(100);

/// Serves until `end`, and then what is being served, for a while. Says how much of that while is left.
pub async fn listen(
    listener: TcpListener,
    state: Arc<ServerState>,
    sites: Sites,
    end: impl Future<Output = ()>,
) -> Duration {
    let sites = Arc::new(sites);
    let watched = tokio::spawn(watch_accounts(state.clone(), sites.clone()));
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let open = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(LONGEST_HEAD)
        .max_buf_size(LARGEST_HEAD)
        .max_headers(MOST_HEADERS);
    let mut end = std::pin::pin!(end);
    loop {
        let (slot, accepted) = tokio::select! {
            () = &mut end => break,
            accepted = async {
                let accepted = listener.accept().await;
                (make_room(&room, &state).await, accepted)
            } => accepted,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(AFTER_TROUBLE).await;
            continue;
        };
        let registered = state.connections.register();
        let _ = stream.set_nodelay(true);
        let serve = {
            let (state, sites, registered) = (state.clone(), sites.clone(), registered.clone());
            service_fn(move |request| {
                let (state, sites, registered) = (state.clone(), sites.clone(), registered.clone());
                async move { Ok::<_, Infallible>(super::handle_request(state, sites, registered, request).await) }
            })
        };
        let connection = http.serve_connection(TokioIo::new(StallGuard::new(stream)), serve);
        let connection = open.watch(connection);
        let state = state.clone();
        tokio::spawn(async move {
            state.metrics.connections.fetch_add(1, Ordering::Relaxed);
            // A client that breaks off or talks nonsense has been told so, or can't be.
            tokio::select! {
                _ = connection => {}
                () = registered.wait_until_closed() => {}
            }
            state.metrics.connections.fetch_sub(1, Ordering::Relaxed);
            drop(slot);
        });
    }
    drop(listener);
    watched.abort();
    // What waits for events is told that none will come.
    state.begin_shutdown();
    sites.contexts().iter().for_each(|site| site.mcp.end());
    let asked = Instant::now();
    finish(&sites, open).await;
    LONGEST_GOODBYE.saturating_sub(asked.elapsed())
}

/// Waits for what is being served, and for those who can't be waited for calls it off.
async fn finish(sites: &Sites, open: GracefulShutdown) {
    let idle = async {
        for site in sites.contexts() {
            site.turns.wait_until_idle().await;
        }
    };
    let mut finished = std::pin::pin!(async { tokio::join!(open.shutdown(), idle) });
    if tokio::time::timeout(LONGEST_GOODBYE - LAST_WORDS, &mut finished).await.is_err() {
        sites.contexts().iter().for_each(|site| site.turns.abort_all());
        let _ = tokio::time::timeout(LAST_WORDS, finished).await;
    }
}

/// Room for a connection that has come. Whoever says nothing does not keep it out.
async fn make_room(room: &Arc<Semaphore>, state: &ServerState) -> Result<OwnedSemaphorePermit, AcquireError> {
    if room.available_permits() == 0 {
        state.connections.close_oldest();
    }
    // Never closed, so it is always granted in the end.
    room.clone().acquire_owned().await
}
