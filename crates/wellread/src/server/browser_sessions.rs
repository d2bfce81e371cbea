//! The sessions of browsers, which a link or the token begins.
//!
//! Browsers send cookies to every port of a host, and so to other people's servers. So a cookie alone opens nothing but the
//! page's own files, which have nothing of the user's: everything else also needs the key that only pages of our own origin
//! can read. Sessions are files in the data folder, of which each has hashes of both: they outlive a restart, can be listed and
//! ended, also by another process, and end with the token.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::HeaderMap;
use axum::http::header::{COOKIE, HeaderName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::domain::rights::UserName;
use wellread_core::{Error, Result};

use super::browser::random_secret;
use super::listen_address::ListenAddress;
use super::token::AccessToken;
use super::users::UserRef;
use crate::wiring::system::create_private_file;

const SESSION_LASTS: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// When a session was last used is noted this often.
const NOTED_EVERY: Duration = Duration::from_secs(60);
/// Sessions of a user that are kept; the one that was used longest ago makes room.
const MOST_SESSIONS: usize = 100;
/// What of a browser's name is kept, in characters.
const LONGEST_BROWSER: usize = 200;
const FOLDER: &str = "sessions";
/// How many characters of its file's name are a session's id.
const ID_CHARS: usize = 16;

/// The header with the key of the page.
pub const PAGE_KEY: HeaderName = HeaderName::from_static("x-wellread-key");

/// What a browser is given when a session begins.
#[derive(Debug)]
pub struct NewSession {
    /// For `Set-Cookie`.
    pub cookie: String,
    /// For the page, which keeps it for its origin.
    pub key: String,
}

/// How far a request's cookie and key let it in.
#[derive(Debug, PartialEq, Eq)]
pub enum SessionAccess {
    /// There is no cookie of ours, or its session has ended.
    None,
    /// The cookie is right; the key is missing or wrong. Whose the session is goes with it.
    CookieOnly(Option<UserRef>),
    Full(SessionId),
}

/// A session, without what lets anybody in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionId {
    name: String,
    /// Whose it is; the owner's where there is none.
    pub user: Option<UserRef>,
}

/// A session as its file has it.
#[derive(Debug, Serialize, Deserialize)]
struct StoredSession {
    /// The host, with its port, that the page was opened under.
    host: String,
    /// The hash of the page's key.
    key: String,
    /// When it began, in seconds since 1970.
    began: u64,
    /// What the browser calls itself.
    browser: String,
    /// Whose it is; the owner's where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<UserRef>,
}

/// A session as it is listed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SignIn {
    /// Ends it, with `/api/sign-ins/{id}/end`.
    pub id: String,
    /// What the browser calls itself.
    pub browser: String,
    /// The address that the page was opened under.
    pub host: String,
    /// When it began, in seconds since 1970.
    pub began: u64,
    /// When it was last used, within a minute.
    pub last_used: u64,
    /// Whether this request belongs to it.
    pub current: bool,
    /// The user with an account who is signed in; left out for the server's owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub user: Option<UserName>,
}

/// The sessions of browsers, in a folder beside the token.
#[derive(Debug)]
pub struct BrowserSessions {
    folder: PathBuf,
}

impl BrowserSessions {
    /// The sessions in this data folder.
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join(FOLDER) }
    }

    /// Begins a session for a page under this host.
    pub fn begin(
        &self,
        token: &AccessToken,
        place: &ListenAddress,
        host: &str,
        browser: &str,
        user: Option<UserRef>,
    ) -> Result<NewSession> {
        let (secret, key) = (random_secret()?, random_secret()?);
        let browser: String =
            browser.chars().filter(|letter| !letter.is_control()).take(LONGEST_BROWSER).collect();
        let stored = StoredSession {
            host: host.to_ascii_lowercase(),
            key: blake3::hash(key.as_bytes()).to_hex().to_string(),
            began: unix_seconds(SystemTime::now()),
            browser,
            user,
        };
        self.make_room(stored.user.as_ref().map(|user| &user.name));
        self.write(&file_name(token, &secret), &stored)
            .map_err(|error| Error::failed(format!("the session can't be kept: {error}")))?;
        let cookie = format!(
            "{}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age={}",
            cookie_name(place),
            SESSION_LASTS.as_secs()
        );
        Ok(NewSession { cookie, key })
    }

    fn write(&self, name: &str, stored: &StoredSession) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let json = serde_json::to_string(stored)?;
        create_private_file(&self.folder.join(name))?.write_all(json.as_bytes())
    }

    /// What a request's cookie and key are good for, under the host that it names.
    pub fn check(
        &self,
        headers: &HeaderMap,
        token: &AccessToken,
        place: &ListenAddress,
        host: &str,
    ) -> SessionAccess {
        let key = headers.get(PAGE_KEY).map(|key| blake3::hash(key.as_bytes()).to_hex().to_string());
        let mut access = SessionAccess::None;
        for secret in cookies(headers, &cookie_name(place)) {
            let name = file_name(token, secret);
            let Some(stored) = self.read(&name) else { continue };
            if !stored.host.eq_ignore_ascii_case(host) {
                continue;
            }
            if key.as_deref() == Some(stored.key.as_str()) {
                self.note_use(&name);
                return SessionAccess::Full(SessionId { name, user: stored.user });
            }
            access = SessionAccess::CookieOnly(stored.user);
        }
        access
    }

    /// Whether it goes on.
    pub fn is_open(&self, id: &SessionId) -> bool {
        self.read(&id.name).is_some()
    }

    /// Those of a user that go on, or all of them where no user is named; those used last first.
    pub fn list(&self, current: Option<&SessionId>, of: Option<&UserName>) -> Vec<SignIn> {
        let entries = self.names().filter_map(|name| self.entry(&name, current));
        let mut found: Vec<SignIn> =
            entries.filter(|entry| of.is_none() || entry.user.as_ref() == of).collect();
        found.sort_by(|one, other| (other.last_used, &other.id).cmp(&(one.last_used, &one.id)));
        found
    }

    fn entry(&self, name: &str, current: Option<&SessionId>) -> Option<SignIn> {
        let StoredSession { host, began, browser, user, .. } = self.read(name)?;
        let used = fs::metadata(self.folder.join(name)).and_then(|meta| meta.modified());
        Some(SignIn {
            id: name[..ID_CHARS].to_owned(),
            browser,
            host,
            began,
            last_used: used.map_or(began, unix_seconds),
            current: current.is_some_and(|current| current.name == name),
            user: user.map(|user| user.name),
        })
    }

    /// Ends the session with this id; `Err` if there is none, or it is not of the user who is named.
    pub fn end(&self, id: &str, of: Option<&UserName>) -> Result<()> {
        let name = self.names().find(|name| name[..ID_CHARS] == *id && self.is_of(name, of));
        let name = name.ok_or_else(|| {
            Error::not_found(format!("there is no session `{id}`")).hint("it may have ended already")
        })?;
        self.remove(&name)
    }

    /// Ends all of them, or all of a user, and says how many there were.
    pub fn end_all(&self, of: Option<&UserName>) -> Result<usize> {
        let (mut ended, names) = (0, self.names().collect::<Vec<_>>());
        for name in names {
            let is_meant = self.is_of(&name, of);
            ended += usize::from(is_meant);
            if is_meant || of.is_none() {
                self.remove(&name)?;
            }
        }
        Ok(ended)
    }

    /// Whether a session goes on and is of this user, or of anybody where none is named.
    fn is_of(&self, name: &str, of: Option<&UserName>) -> bool {
        let is_theirs = |stored: &StoredSession| of == stored.user.as_ref().map(|user| &user.name);
        self.read(name).is_some_and(|stored| of.is_none() || is_theirs(&stored))
    }

    fn remove(&self, name: &str) -> Result<()> {
        match fs::remove_file(self.folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::failed(format!("the session can't be ended: {error}"))
                    .hint(format!("remove the files in `{}`", self.folder.display())))
            }
            _ => Ok(()),
        }
    }

    /// Removes what is too old, and the one used longest ago where a user has too many: nobody pushes others out.
    fn make_room(&self, of: Option<&UserName>) {
        let (kept, old): (Vec<String>, Vec<String>) =
            self.names().partition(|name| self.read(name).is_some());
        let theirs = self.list(None, None).into_iter().filter(|entry| entry.user.as_ref() == of);
        let too_many: Vec<SignIn> = theirs.skip(MOST_SESSIONS - 1).collect();
        let crowded =
            kept.into_iter().filter(|name| too_many.iter().any(|entry| entry.id == name[..ID_CHARS]));
        for name in crowded.chain(old) {
            let _ = self.remove(&name);
        }
    }

    /// Files that look like sessions.
    fn names(&self) -> impl Iterator<Item = String> {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = files.filter_map(|file| file.file_name().into_string().ok());
        names.filter(|name| blake3::Hash::from_hex(name).is_ok())
    }

    /// A session that goes on.
    fn read(&self, name: &str) -> Option<StoredSession> {
        let stored: StoredSession = serde_json::from_slice(&fs::read(self.folder.join(name)).ok()?).ok()?;
        let age = unix_seconds(SystemTime::now()).checked_sub(stored.began)?;
        (age < SESSION_LASTS.as_secs()).then_some(stored)
    }

    /// Its file's time is when it was last used.
    fn note_use(&self, name: &str) {
        let path = self.folder.join(name);
        let used = fs::metadata(&path).and_then(|meta| meta.modified());
        let recent = used.is_ok_and(|used| used.elapsed().is_ok_and(|since| since < NOTED_EVERY));
        if !recent && let Ok(file) = fs::File::options().append(true).open(&path) {
            // If it can't be noted, the session goes on all the same.
            let _ = file.set_modified(SystemTime::now());
        }
    }
}

/// The values of our cookie: there may be one of an older session beside it.
fn cookies<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(known, _)| *known == name).map(|(_, value)| value)
}

/// By its port, since one host's ports share their cookies.
fn cookie_name(place: &ListenAddress) -> String {
    format!("wellread-{}", place.port())
}

/// The file of the session that a cookie belongs to. With another token, it is another.
fn file_name(token: &AccessToken, secret: &str) -> String {
    token.sign(secret).to_hex().to_string()
}

fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests;
