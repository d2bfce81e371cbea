//! Telling a client that a run got events or a note changed.
//!
//! Another process may do either, so it is looked from time to time; what is told is only that something changed.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;
use wellread_core::{Error, Result};

use super::client_scope::ClientScope;
use super::resource_uri::ResourceUri;

const EVERY: Duration = Duration::from_millis(500);
/// As many as one client may follow.
const MOST: usize = 1000;

/// What each followed resource looked like when it was last looked at.
pub type ResourceFingerprints = HashMap<String, String>;

/// The subscriptions of one connection.
#[derive(Debug, Default)]
pub struct Subscriptions {
    /// Those made one by one, as older revisions do.
    single: Mutex<HashMap<String, AbortHandle>>,
    /// How things stood when a listener was accepted, until it begins: nothing in between goes unnoticed.
    accepted: Mutex<ResourceFingerprints>,
}

impl Subscriptions {
    /// Keeps a task that follows one resource. It takes the place of an earlier one.
    pub fn add(&self, uri: String, task: AbortHandle) {
        if let Some(earlier) = lock(&self.single).insert(uri, task) {
            earlier.abort();
        }
    }

    pub fn is_full(&self) -> bool {
        lock(&self.single).len() >= MOST
    }

    pub fn remove(&self, uri: &str) {
        if let Some(task) = lock(&self.single).remove(uri) {
            task.abort();
        }
    }

    /// Those of the wanted resources that there are, as they stand now.
    pub fn accept(&self, scope: &ClientScope, wanted: &[String]) -> Vec<String> {
        let mut accepted = Vec::new();
        for uri in wanted.iter().take(MOST) {
            if let Ok(mark) = fingerprint(scope, uri) {
                lock(&self.accepted).insert(uri.clone(), mark);
                accepted.push(uri.clone());
            }
        }
        accepted
    }

    /// How they stood when they were accepted.
    pub fn take_accepted(&self, uris: &[String]) -> ResourceFingerprints {
        let mut accepted = lock(&self.accepted);
        uris.iter().filter_map(|uri| accepted.remove_entry(uri)).collect()
    }
}

impl Drop for Subscriptions {
    fn drop(&mut self) {
        for (_, task) in lock(&self.single).drain() {
            task.abort();
        }
    }
}

/// What tells two states of a resource apart. One that is not there is an error.
pub fn fingerprint(scope: &ClientScope, uri: &str) -> Result<String> {
    match ResourceUri::parse(uri, scope.notes())? {
        ResourceUri::Run(run, _) => {
            let header = scope.app.records.runs(run.as_str(), 1)?.into_iter().next();
            let header = header.filter(|header| scope.shows_run(header));
            let header = header.ok_or_else(|| Error::not_found(format!("there is no run `{run}`")))?;
            Ok(header.events.to_string())
        }
        ResourceUri::Note(written) => {
            let vault = &scope.ctx.vault;
            let path = vault.rules.parse_file(&written)?;
            let entry = vault.files.find(&path)?;
            let entry = entry.ok_or_else(|| Error::not_found(format!("File not found: {path}")))?;
            Ok(format!("{} {} {:?}", entry.size, entry.modified, entry.changed))
        }
    }
}

/// Tells of each change, until it is told that nobody listens any more. What is gone is told once.
pub async fn watch_changes(
    scope: ClientScope,
    mut marks: ResourceFingerprints,
    tell: impl AsyncFn(&str) -> bool,
) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let looked = tokio::task::spawn_blocking({
            let (scope, uris) = (scope.clone(), marks.keys().cloned().collect::<Vec<_>>());
            move || -> Vec<(String, String)> {
                let now = |uri: String| {
                    let mark = fingerprint(&scope, &uri).unwrap_or_default();
                    (uri, mark)
                };
                uris.into_iter().map(now).collect()
            }
        });
        let Ok(looked) = looked.await else { return };
        for (uri, now) in looked {
            if marks.get(&uri) != Some(&now) {
                if !tell(&uri).await {
                    return;
                }
                marks.insert(uri, now);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
