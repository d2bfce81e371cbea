//! The files of grants: each is the user's alone, and is replaced whole.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use wellread_core::{Error, Result};

use super::{GRANT_LASTS, GrantId, ListedGrant, VaultRef};
use crate::mcp::AccessScopes;
use crate::server::browser::random_secret;
use crate::server::users::UserRef;
use crate::wiring::system::create_private_file;

const FOLDER: &str = "grants";
const LOCK: &str = "lock";
/// When a grant was last used is noted this often.
const NOTED_EVERY: Duration = Duration::from_secs(60);

/// A grant as its file has it.
#[derive(Debug, Serialize, Deserialize)]
pub struct StoredGrant {
    /// The hash of the client's id.
    pub client: String,
    pub client_name: String,
    pub resource: String,
    pub scopes: AccessScopes,
    pub vaults: Vec<VaultRef>,
    /// Who has allowed it; the owner where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserRef>,
    /// When the user allowed it, in seconds since 1970.
    pub began: u64,
    /// The hash of what all its refresh tokens have in common.
    pub family: String,
    /// The hash of the refresh token that is good.
    pub refresh: String,
    pub access: Vec<StoredAccess>,
}

/// An access token as the grant's file has it.
#[derive(Debug, Serialize, Deserialize)]
pub struct StoredAccess {
    pub hash: String,
    /// In seconds since 1970.
    pub expires: u64,
    /// What the client asked for with it; all that the grant has where that was not recorded.
    #[serde(default)]
    pub scopes: Option<AccessScopes>,
}

#[derive(Debug)]
pub struct GrantFiles {
    folder: PathBuf,
}

impl GrantFiles {
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join(FOLDER) }
    }

    /// Whoever changes a grant by what it was before has this: two requests with one refresh token get one answer, also from two
    /// processes.
    pub fn lock(&self) -> Result<File> {
        let locked = || -> io::Result<File> {
            fs::create_dir_all(&self.folder)?;
            let path = self.folder.join(LOCK);
            let file = match create_private_file(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    File::options().append(true).open(&path)?
                }
                made => made?,
            };
            file.lock()?;
            Ok(file)
        };
        locked().map_err(|error| failed("what was allowed can't be kept", &error))
    }

    /// A grant that goes on.
    pub fn read(&self, grant: &GrantId) -> Option<StoredGrant> {
        let stored: StoredGrant = serde_json::from_slice(&fs::read(self.path(grant)).ok()?).ok()?;
        let age = unix_now().checked_sub(stored.began)?;
        (age < GRANT_LASTS.as_secs()).then_some(stored)
    }

    pub fn write(&self, grant: &GrantId, stored: &StoredGrant) -> Result<()> {
        let beside = self.folder.join(format!(".{}", random_secret()?));
        let written = || -> io::Result<()> {
            let mut file = create_private_file(&beside)?;
            file.write_all(&serde_json::to_vec(stored)?)?;
            file.sync_all()?;
            fs::rename(&beside, self.path(grant))
        };
        written().map_err(|error| {
            let _ = fs::remove_file(&beside);
            failed("what was allowed can't be kept", &error)
        })
    }

    /// All that go on.
    pub fn all(&self) -> impl Iterator<Item = (GrantId, StoredGrant)> {
        self.names().filter_map(|grant| self.read(&grant).map(|stored| (grant, stored)))
    }

    pub fn describe(&self, grant: &GrantId, stored: StoredGrant) -> ListedGrant {
        ListedGrant {
            id: grant.short().to_owned(),
            last_used: self.last_used(grant).map_or(stored.began, unix_seconds),
            client: stored.client_name,
            resource: stored.resource,
            scopes: stored.scopes,
            vaults: stored.vaults.into_iter().map(|vault| vault.name).collect(),
            began: stored.began,
            user: stored.user.map(|user| user.name),
        }
    }

    pub fn remove(&self, grant: &GrantId) -> Result<()> {
        match fs::remove_file(self.path(grant)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(failed("the remote client can't be signed out", &error)
                    .hint(format!("remove the files in `{}`", self.folder.display())))
            }
            _ => Ok(()),
        }
    }

    /// Also of those that have ended, or belong to an earlier token of the server.
    pub fn remove_all(&self) -> Result<()> {
        self.names().collect::<Vec<_>>().iter().try_for_each(|grant| self.remove(grant))
    }

    /// Removes those that have ended, and of the others those used longest ago until one fewer than `most` is left.
    pub fn make_room(&self, most: usize) {
        let (mut kept, ended): (Vec<GrantId>, Vec<GrantId>) =
            self.names().partition(|grant| self.read(grant).is_some());
        kept.sort_by_key(|grant| std::cmp::Reverse(self.last_used(grant)));
        for grant in kept.into_iter().skip(most - 1).chain(ended) {
            let _ = self.remove(&grant);
        }
    }

    /// Its file's time is when it was last used.
    pub fn note_use(&self, grant: &GrantId) {
        let recent = self
            .last_used(grant)
            .and_then(|used| used.elapsed().ok())
            .is_some_and(|since| since < NOTED_EVERY);
        if !recent && let Ok(file) = File::options().append(true).open(self.path(grant)) {
            // If it can't be noted, the grant goes on all the same.
            let _ = file.set_modified(SystemTime::now());
        }
    }

    fn last_used(&self, grant: &GrantId) -> Option<SystemTime> {
        fs::metadata(self.path(grant)).and_then(|meta| meta.modified()).ok()
    }

    fn path(&self, grant: &GrantId) -> PathBuf {
        self.folder.join(&grant.0)
    }

    /// Files that look like grants.
    fn names(&self) -> impl Iterator<Item = GrantId> {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = files.filter_map(|file| file.file_name().into_string().ok());
        names.filter(|name| blake3::Hash::from_hex(name).is_ok()).map(GrantId)
    }
}

pub fn unix_now() -> u64 {
    unix_seconds(SystemTime::now())
}

fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn failed(what: &str, error: &io::Error) -> Error {
    Error::failed(format!("{what}: {error}"))
}
