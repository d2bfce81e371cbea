//! Where the tests find the embedding model, which is too large for the repository.

use std::path::{Path, PathBuf};

/// The folder of all-MiniLM-L6-v2. It is there once `./check` has run.
pub fn model_folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/models/all-MiniLM-L6-v2");
    assert!(folder.join("model.safetensors").is_file(), "run ./check once: it fetches the embedding model");
    folder
}
