//! The vault's files: beneath one open folder, and changed by a protocol that never loses what somebody saved.
//!
//! | file | what |
//! | --- | --- |
//! | `disk` `system` `lease` | the calls to the file system, as a trait; the real one, for each system; who is writing |
//! | `backup_exchange` | an exchange in several steps, where the system has none in one |
//! | `walk` `listing` | from a path to a place in the vault; all places |
//! | `intent` `journal` `known_operations` | what a change is about to do; kept on disk before, and as history after |
//! | `plan` `commit` `swap` `staging` | the protocol: plan, journal, stage, exchange, check, clear away |
//! | `recover` | after a crash or a failure: complete it or take it back |
//! | `removed` | what was taken away, looked at once more for a save that came late |
//! | `creation_times` | when notes were made whose files are younger |
//! | `identity` `links` | what a path really leads to; the symbolic links that lead to a file |

pub mod backup_exchange;
mod commit;
mod creation_times;
pub mod disk;
mod identity;
mod intent;
mod journal;
mod known_operations;
mod lease;
mod links;
pub(crate) mod listing;
mod plan;
mod recover;
mod removed;
mod staging;
mod swap;
mod system;
pub(crate) mod walk;

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use wellread_core::domain::corpus::{ChangeSet, Hash, Operation, PathRules, VaultPath};
use wellread_core::domain::id::OperationId;
use wellread_core::ports::{
    Corpus, CorpusPaths, FileContent, FileEntry, FileIdentity, FileListing, Files, FilesUpkeep,
    RecoveryReport, SaveGuarantee,
};
use wellread_core::{Error, ErrorKind, Result};

use crate::full_disk;
use crate::platform::{to_corpus_path, without_verbatim_prefix};

use self::creation_times::CreationTimes;
use self::disk::{Dir, Disk, Stat, Writers, is_link_error};
use self::identity::HardLinks;
use self::journal::Journal;
use self::links::SymbolicLinks;
use self::removed::RemovedFiles;
pub use self::system::SystemDisk;
use self::walk::Walker;

/// How the names of files begin that stand in the vault only while a change is made.
const TEMP_PREFIX: &str = ".wellread-";

/// Larger than any note; what is larger is refused rather than read into memory.
pub const LARGEST_FILE: u64 = 32 * 1024 * 1024;

/// A vault, open as a folder handle.
#[derive(Debug)]
pub struct VaultFiles {
    disk: Arc<dyn Disk>,
    root: Dir,
    roots: Vec<String>,
    rules: PathRules,
    /// Where it could not be opened, notes can be read and not changed.
    journal: Result<Journal>,
    births: CreationTimes,
    hard_links: HardLinks,
    links: SymbolicLinks,
    removed: RemovedFiles,
    /// Held while a change is made.
    at_work: Mutex<()>,
}

impl VaultFiles {
    /// Opens the vault, keeping the journal in `data`. Nothing is read yet, and nothing recovered.
    pub fn open(vault: &Path, data: &Path, excluded: &[String]) -> Result<Self> {
        Self::open_with_disk(Arc::new(SystemDisk), vault, data, excluded)
    }

    pub fn open_with_disk(
        disk: Arc<dyn Disk>,
        vault: &Path,
        data: &Path,
        excluded: &[String],
    ) -> Result<Self> {
        let root = disk.open_root(vault).map_err(|error| open_vault_error(&error, vault))?;
        let mut roots = vec![vault.to_path_buf()];
        roots.extend(vault.canonicalize());
        let roots: Vec<String> = roots.iter().filter_map(|root| path_to_string(root)).collect();
        let rules = PathRules::new(roots.clone(), excluded);
        let journal = Journal::open(disk.clone(), data);
        let births = CreationTimes::new(data);
        let (hard_links, links) = (HardLinks::default(), SymbolicLinks::default());
        let (removed, at_work) = (RemovedFiles::default(), Mutex::default());
        Ok(Self { disk, root, roots, rules, journal, births, hard_links, links, removed, at_work })
    }

    /// What a path of the vault may be.
    pub fn rules(&self) -> &PathRules {
        &self.rules
    }

    fn journal(&self) -> Result<&Journal> {
        self.journal.as_ref().map_err(Clone::clone)
    }

    fn entry(&self, path: &VaultPath, real: &VaultPath, stat: &Stat) -> FileEntry {
        let entry = listing::entry_from_stat(path.clone(), real, stat, self.births.created_at(stat));
        FileEntry { linked: entry.linked || self.is_led_to(real), ..entry }
    }

    /// Whether a symbolic link leads to a file, by its true path. Where that can't be known, it does. Before anybody asked by which
    /// links, nothing was concluded from them that a new one could change.
    fn is_led_to(&self, real: &VaultPath) -> bool {
        self.links.were_asked_for()
            && self.links.find(&self.walker()).map_or(true, |links| links.lead_to(real))
    }

    fn walker(&self) -> Walker<'_> {
        let mut walker = Walker::new(&*self.disk, &self.root, &self.roots, &self.rules);
        walker.removed = Some(&self.removed);
        walker
    }
}

impl Corpus for VaultFiles {
    fn list(&self) -> Result<FileListing> {
        self.births.refresh();
        let mut listing = listing::list(&self.walker(), &self.births)?;
        // A list may be kept, so what is marked in it is as new as the list.
        self.links.expire();
        let links = self.links.find(&self.walker())?;
        for entry in listing.files.iter_mut().filter(|entry| !entry.linked) {
            entry.linked = links.lead_to(&entry.path);
        }
        Ok(listing)
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        self.births.refresh();
        // The index may know it from a time when it was not excluded.
        if self.rules.excludes_file(path) {
            return Ok(None);
        }
        let place = self.walker().find_file(path)?;
        Ok(place.and_then(|place| Some(self.entry(path, &place.real, place.stat.as_ref()?))))
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        if self.rules.excludes_file(path) {
            return Err(Error::not_found(format!("File not found: {path}")).with_path(path.as_str()));
        }
        let (place, stat) = self.walker().find_existing(path)?;
        let bytes =
            read_settled(&*self.disk, &place.dir, &place.name).map_err(|error| read_error(&error, path))?;
        Ok(FileContent { hash: Hash::compute(&bytes), entry: self.entry(path, &place.real, &stat), bytes })
    }

    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        let links = (&self.hard_links, &self.links);
        identity::identify(&self.walker(), links, || self.list(), path)
    }
}

impl Files for VaultFiles {
    fn commit(&self, change: &ChangeSet) -> Result<OperationId> {
        let _at_work = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        let journal = self.journal()?;
        let _lock = journal.lock()?;
        recover::recover_pending(&self.walker(), journal)?;
        let walker = self.walker();
        self.births.refresh();
        let committed = commit::commit(&walker, journal, &self.births, change);
        self.links.expire();
        committed
    }

    fn operations(&self, at_most: usize) -> Result<Vec<Operation>> {
        self.journal()?.operations(at_most)
    }
}

impl CorpusPaths for VaultFiles {
    fn rules(&self) -> &PathRules {
        &self.rules
    }

    fn excludes(&self, path: &str, _: bool) -> bool {
        self.rules.parse_file(path).is_err()
    }
}

impl FilesUpkeep for VaultFiles {
    fn recover(&self) -> Result<RecoveryReport> {
        // What could not be opened has nothing to recover; whoever wants to change something is told.
        let Ok(journal) = &self.journal else { return Ok(RecoveryReport::default()) };
        if journal.is_clean()? {
            return Ok(RecoveryReport::default());
        }
        // Where another process is at work, what is pending is its own.
        let Some(_lock) = journal.try_lock()? else { return Ok(RecoveryReport::default()) };
        recover::recover_pending(&self.walker(), journal)
    }

    fn run_when_idle(&self, wait: bool, act: &mut dyn FnMut()) -> bool {
        let idle = if wait {
            Some(self.at_work.lock().unwrap_or_else(PoisonError::into_inner))
        } else {
            self.at_work.try_lock().ok()
        };
        idle.map(|_idle| {
            self.removed.settle();
            act();
        })
        .is_some()
    }

    fn forget_operations(&self, which: Option<&[OperationId]>) -> Result<usize> {
        let _at_work = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        let journal = self.journal()?;
        let _lock = journal.lock()?;
        journal.forget(which)
    }

    /// By exchanging two files that are gone again afterwards.
    fn probe_guarantee(&self) -> Result<SaveGuarantee> {
        let names =
            ["one", "other"].map(|name| format!("{TEMP_PREFIX}{}-{name}.probe", OperationId::fresh()));
        let probe = || {
            for name in &names {
                self.disk.create(&self.root, name, None)?;
            }
            self.disk.exchange(&self.root, &names[0], &names[1])
        };
        let outcome = probe();
        for name in &names {
            match self.disk.unlink(&self.root, name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(io_error(&error, "could not remove", name));
                }
                _ => {}
            }
        }
        match outcome {
            Ok(()) => Ok(SaveGuarantee::Exchange),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(SaveGuarantee::CheckAndRename),
            Err(error) => Err(io_error(&error, "could not write in", "the vault")),
        }
    }
}

/// Reads a file when nobody is in the middle of saving it: a program that writes in place empties the file first.
/// A file that stays open for writing is read as it is after a short wait.
pub(crate) fn read_settled(disk: &dyn Disk, dir: &Dir, name: &str) -> io::Result<Vec<u8>> {
    const WAIT: std::time::Duration = std::time::Duration::from_millis(1);
    let mut file = disk.open(dir, name)?;
    for _ in 0..40 {
        if disk.writers(&file) != Writers::Some {
            break;
        }
        std::thread::sleep(WAIT);
        file = disk.open(dir, name)?;
    }
    disk.read(&file, LARGEST_FILE)
}

pub(crate) fn read_error(error: &io::Error, path: &VaultPath) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound => {
            Error::not_found(format!("File not found: {path}")).with_path(path.as_str())
        }
        io::ErrorKind::FileTooLarge => Error::refused(format!(
            "`{path}` is larger than {} MiB and is not read",
            LARGEST_FILE / (1024 * 1024)
        ))
        .with_path(path.as_str()),
        _ => io_error(error, "could not read", path.as_str()),
    }
}

/// An error of the system in our words.
pub(crate) fn io_error(failed: &io::Error, what: &str, path: &str) -> Error {
    let error = failed;
    let kind = match error.kind() {
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        io::ErrorKind::InvalidInput => ErrorKind::Refused,
        io::ErrorKind::PermissionDenied => ErrorKind::Denied,
        _ if is_link_error(error) => ErrorKind::Refused,
        _ => ErrorKind::Failed,
    };
    let error = match error.kind() {
        _ if is_link_error(error) => "it was replaced by a link".to_owned(),
        _ if full_disk::is_full(error) => "the disk is full".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    };
    let is_full = full_disk::is_full(failed);
    let error = Error::new(kind, format!("{what} `{path}`: {error}")).with_path(path);
    if is_full {
        error.hint("nothing was changed; make room on the disk that it is on, and try again")
    } else {
        error
    }
}

fn open_vault_error(error: &io::Error, vault: &Path) -> Error {
    let shown = vault.display();
    let error = match error.kind() {
        io::ErrorKind::NotFound => Error::not_found(format!("there is no vault at `{shown}`")),
        io::ErrorKind::NotADirectory => Error::invalid(format!("`{shown}` is not a folder")),
        _ => Error::failed(format!("could not open the vault at `{shown}`: {error}")),
    };
    error.hint(
        "`wellread init` finds your vault; or name it with --vault or VAULT_PATH, or permanently with `wellread config set \
         vault.path DIR`",
    )
}

/// An absolute path as the rules and the targets of links have it.
pub(crate) fn path_to_string(path: &Path) -> Option<String> {
    to_corpus_path(&without_verbatim_prefix(path))
}
