//! Forgets runs that have become too old while a server runs, not only when one starts.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::select;
use wellread_core::engine::run::StopSignal;

use crate::answers;
use crate::app::App;

/// Ages are in days: an hour sooner or later does not matter.
const EVERY: Duration = Duration::from_secs(60 * 60);

/// Forgets runs older than this, every hour, until it is stopped.
pub async fn forget_old_runs(app: Arc<App>, kept_for: Duration, stop: &StopSignal) {
    let forget = move || match answers::forget_expired(&app, Some(kept_for)) {
        0 => {}
        runs => tracing::info!("forgot {runs} runs older than data.keep_runs_days"),
    };
    repeat(stop, Arc::new(forget)).await;
}

/// Does something at once and every hour, on a thread that may wait for the disk.
async fn repeat(stop: &StopSignal, act: Arc<dyn Fn() + Send + Sync>) {
    while !stop.is_requested() {
        let act = act.clone();
        let _ = tokio::task::spawn_blocking(move || act()).await;
        let _ = select(pin!(tokio::time::sleep(EVERY)), pin!(stop.wait())).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_is_done_every_hour_until_it_is_stopped() {
        let (stop, times) = (StopSignal::default(), Arc::new(AtomicUsize::new(0)));
        let act = {
            let (stop, times) = (stop.clone(), times.clone());
            move || {
                if times.fetch_add(1, Ordering::Relaxed) == 24 {
                    stop.request();
                }
            }
        };
        let begun = tokio::time::Instant::now();
        repeat(&stop, Arc::new(act)).await;
        assert_eq!((times.load(Ordering::Relaxed), begun.elapsed().as_secs() / 3600), (25, 24));
    }
}
