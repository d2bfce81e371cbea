//! What was fetched, kept in files of a folder: one file an address, with what its server said about keeping it.
//!
//! Whatever is wrong with the folder or a file, the worst that happens is that a page is fetched anew.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::WebResponse;
use super::freshness::{self, CachePolicy};
use super::hops::{Hop, HopPermission};
use crate::platform;

const MOST_BYTES: u64 = 64 << 20;
/// What the head of a file may take besides the page.
const LARGEST_HEAD: u64 = 64 << 10;
const HASH_LENGTH: usize = 64;

/// The folder, where there is one.
pub(super) struct PageCache {
    folder: Option<PathBuf>,
    most_bytes: u64,
}

/// A page that was fetched before.
#[derive(Debug, Clone)]
pub(super) struct CachedPage {
    head: CacheHead,
    bytes: Vec<u8>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct CacheHead {
    url: String,
    /// Whether the user named its host: what was fetched with that permission is not shown to others.
    named: bool,
    status: u16,
    content_type: Option<String>,
    etag: Option<String>,
    last_modified: Option<String>,
    /// In seconds since 1970.
    fresh_from: i64,
    fresh_until: i64,
}

impl CachedPage {
    pub(super) fn is_fresh(&self) -> bool {
        // A clock that was set back would make it fresh for ever.
        (self.head.fresh_from..self.head.fresh_until).contains(&Timestamp::now().as_second())
    }

    /// The headers that make a request conditional on a change.
    pub(super) fn conditional_headers(&self) -> HeaderMap {
        let value = |text: &Option<String>| HeaderValue::from_str(text.as_deref()?).ok();
        let both =
            [(IF_NONE_MATCH, value(&self.head.etag)), (IF_MODIFIED_SINCE, value(&self.head.last_modified))];
        both.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    pub(super) fn into_response(self, hop: &Hop) -> WebResponse {
        WebResponse {
            url: hop.url.as_str().to_owned(),
            status: self.head.status,
            content_type: self.head.content_type,
            wait: None,
            bytes: self.bytes,
        }
    }
}

impl PageCache {
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, most_bytes: MOST_BYTES }
    }

    /// What is kept of a page, if it is whole and no longer than `cap`.
    pub(super) async fn find(&self, hop: &Hop, cap: u64) -> Option<CachedPage> {
        let (file, named, url) =
            (self.file(hop)?, hop.permission == HopPermission::Named, url_without_fragment(hop));
        let found = tokio::task::spawn_blocking(move || read(&file, cap)).await.ok().flatten();
        found.filter(|kept| kept.head.url == url && kept.head.named == named)
    }

    /// Keeps a page, where its server allows it.
    pub(super) async fn store(&self, hop: &Hop, headers: &HeaderMap, page: &WebResponse) {
        let now = Timestamp::now();
        let Some(keeping) = CachePolicy::from_headers(headers, now) else { return self.forget(hop).await };
        let head = CacheHead {
            url: url_without_fragment(hop),
            named: hop.permission == HopPermission::Named,
            status: page.status,
            content_type: page.content_type.clone(),
            etag: keeping.etag,
            last_modified: keeping.last_modified,
            fresh_from: now.as_second(),
            fresh_until: freshness_end(now, keeping.fresh_for),
        };
        self.write_page(hop, CachedPage { head, bytes: page.bytes.clone() }).await;
    }

    /// The server says that a page has not changed; what it says about keeping it counts anew.
    pub(super) async fn renew(&self, hop: &Hop, headers: &HeaderMap, kept: &CachedPage) {
        if freshness::forbids_caching(headers) {
            return self.forget(hop).await;
        }
        let now = Timestamp::now();
        let Some(keeping) = CachePolicy::from_headers(headers, now) else { return };
        let mut kept = kept.clone();
        (kept.head.fresh_from, kept.head.fresh_until) =
            (now.as_second(), freshness_end(now, keeping.fresh_for));
        self.write_page(hop, kept).await;
    }

    async fn write_page(&self, hop: &Hop, kept: CachedPage) {
        let Some(file) = self.file(hop) else { return };
        let most = self.most_bytes;
        let write = move || {
            write(&file, &kept).and_then(|()| make_room(file.parent().unwrap_or(Path::new(".")), most))
        };
        if let Ok(Err(error)) = tokio::task::spawn_blocking(write).await {
            tracing::debug!(%error, "a page is not cached");
        }
    }

    async fn forget(&self, hop: &Hop) {
        if let Some(file) = self.file(hop) {
            let _ = tokio::task::spawn_blocking(move || fs::remove_file(file)).await;
        }
    }

    fn file(&self, hop: &Hop) -> Option<PathBuf> {
        let named = if hop.permission == HopPermission::Named { "named" } else { "public" };
        let name = hex(&Sha256::digest(format!("{named} {}", url_without_fragment(hop))));
        Some(self.folder.as_ref()?.join(name))
    }
}

/// Without the place in the page, which is never sent.
fn url_without_fragment(hop: &Hop) -> String {
    let mut url = hop.url.clone();
    url.set_fragment(None);
    url.into()
}

fn freshness_end(now: Timestamp, fresh_for: Duration) -> i64 {
    now.as_second().saturating_add(fresh_for.as_secs().try_into().unwrap_or(i64::MAX))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A file is a hash of all that follows it, a line of JSON, and the page.
fn read(file: &Path, cap: u64) -> Option<CachedPage> {
    let opened = fs::File::open(file).ok()?;
    let length = opened.metadata().ok().filter(fs::Metadata::is_file)?.len();
    if length > cap + LARGEST_HEAD {
        return None;
    }
    let mut all = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(opened, length), &mut all).ok()?;
    let (hash, rest) = all.split_at_checked(HASH_LENGTH)?;
    if hash != hex(&Sha256::digest(rest)).as_bytes() {
        return None;
    }
    let line = rest.iter().position(|byte| *byte == b'\n')?;
    let bytes = rest[line + 1..].to_vec();
    let head = serde_json::from_slice(&rest[..line]).ok()?;
    (bytes.len() as u64 <= cap).then_some(CachedPage { head, bytes })
}

/// As a whole or not at all. Nothing is synced: a page that is lost is fetched again.
fn write(file: &Path, kept: &CachedPage) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    if let Some(folder) = file.parent() {
        platform::create_private_folders(folder)?;
    }
    let mut rest = serde_json::to_vec(&kept.head)?;
    rest.push(b'\n');
    rest.extend_from_slice(&kept.bytes);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let beside = file.with_extension(format!("{}-{number}.part", std::process::id()));
    let mut out = platform::open_private_file(&beside, true)?;
    let written = out.write_all(hex(&Sha256::digest(&rest)).as_bytes()).and_then(|()| out.write_all(&rest));
    let placed = written.and_then(|()| fs::rename(&beside, file));
    placed.inspect_err(|_| drop(fs::remove_file(&beside)))
}

/// Takes away what was not written for the longest time, down to three quarters of what there may be.
fn make_room(folder: &Path, most: u64) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Somebody else may have taken it away already.
        if let Ok(about) = entry.metadata() {
            files.push((about.modified()?, about.len(), entry.path()));
        }
    }
    let mut total: u64 = files.iter().map(|(_, length, _)| length).sum();
    if total <= most {
        return Ok(());
    }
    files.sort();
    for (_, length, path) in files {
        if total <= most / 4 * 3 {
            break;
        }
        let _ = fs::remove_file(path);
        total -= length;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
