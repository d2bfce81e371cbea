//! Judges the files of the vault: which are private, which of their text came from outside, and which instruct models.
//!
//! Everything asks here. A file is judged by the path that was written and by every other path that leads to it (the
//! target of a symbolic link, its other names), and the strictest judgment counts. Origin belongs to spans of a note:
//! what a run wrote stays text from outside wherever it is moved or copied.

mod fingerprints;
mod instructions;
mod layout;
mod marks;
mod outside;
mod privacy;

use std::sync::Arc;

pub use fingerprints::{FingerprintedLines, fingerprint_lines, fingerprint_name};
pub(super) use fingerprints::{LONG_LINE, count_words, fingerprint_share};
pub use layout::VaultLayout;
pub use marks::{MARK, find_mark_end, find_marked_sections};
pub use outside::OutsideSpans;
pub use privacy::{PrivateReason, parse_folder_setting, parse_tag_setting};

use wellread_text::fold;

use crate::domain::corpus::{Hash, VaultPath};
use crate::ports::{Corpus, NoOutsideText, OutsideText};

/// To be raised when other marks in a text make a file private: then every file is judged again.
const MARKS_VERSION: u32 = 4;

/// What files are judged by: the settings, and what is remembered about text from outside.
#[derive(Clone)]
pub struct JudgeRules {
    /// Which folders and tags are special.
    pub layout: VaultLayout,
    /// The lines that came from outside.
    pub outside: Arc<dyn OutsideText>,
}

impl Default for JudgeRules {
    fn default() -> Self {
        Self { layout: VaultLayout::default(), outside: Arc::new(NoOutsideText) }
    }
}

impl std::fmt::Debug for JudgeRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JudgeRules").field("layout", &self.layout).finish_non_exhaustive()
    }
}

impl JudgeRules {
    /// A number that changes with the settings by which privacy is judged, with those that say which files there are, and
    /// with the marks that count.
    pub fn fingerprint(&self) -> u64 {
        let VaultLayout { private_folders, private_tags, excluded, .. } = &self.layout;
        let mut first = [0; 8];
        let rules = format!("{MARKS_VERSION} {private_folders:?} {private_tags:?} {excluded:?}");
        first.copy_from_slice(&Hash::compute(rules.as_bytes()).as_bytes()[..8]);
        // Stored as a signed number.
        u64::from_le_bytes(first) >> 1
    }

    /// A judge of these files.
    pub fn judge<'a>(&'a self, files: &'a dyn Corpus) -> FileJudge<'a> {
        FileJudge { layout: &self.layout, outside: &*self.outside, files }
    }
}

/// Judges the files of a vault.
#[derive(Clone, Copy)]
pub struct FileJudge<'a> {
    /// Which folders and tags are special.
    pub layout: &'a VaultLayout,
    /// The lines that came from outside.
    pub outside: &'a dyn OutsideText,
    /// The files.
    pub files: &'a dyn Corpus,
}

/// Every path that leads to a file, the written one first, and whether one of them is below a nested repository.
struct FilePaths {
    paths: Vec<VaultPath>,
    in_nested_repository: bool,
    /// Whether the other paths are unknown: then the file is judged as strictly as possible.
    unknown: bool,
}

impl FileJudge<'_> {
    fn paths(&self, path: &VaultPath) -> FilePaths {
        let mut paths = vec![path.clone()];
        match self.files.identify(path) {
            Ok(identity) => {
                paths.extend(identity.other_paths);
                FilePaths { paths, in_nested_repository: identity.in_nested_repository, unknown: false }
            }
            Err(_) => FilePaths { paths, in_nested_repository: false, unknown: true },
        }
    }
}

/// Whether a path is below a folder; case and Unicode forms do not matter. The empty folder is the vault itself.
fn is_inside(path: &VaultPath, folder: &str) -> bool {
    let (path, folder) = (fold(path.as_str()), fold(folder.trim_matches('/')));
    folder.is_empty() || path.strip_prefix(&folder).is_some_and(|rest| rest.starts_with('/'))
}
