//! Which passages a search considers.

use jiff::Timestamp;
use wellread_text::{QueryTerm, fold};

use super::PassageScope;
use crate::domain::corpus::{CorpusName, VaultPath};

/// Which passages to search. A field that is left out does not restrict the search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PassageFilter {
    /// Only passages of these corpora.
    pub corpora: Option<Vec<CorpusName>>,
    /// Only files below this folder.
    pub folder: Option<String>,
    /// Only files with each of these tags, or one nested below it.
    pub tags: Vec<String>,
    /// Only files whose path has each of these patterns.
    pub paths: Vec<PathPattern>,
    /// Only files whose frontmatter has each of these fields with that value, or a list with it.
    pub fields: Vec<(String, String)>,
    /// Only files modified at this time or later.
    pub modified_from: Option<Timestamp>,
    /// Only files modified before this time.
    pub modified_before: Option<Timestamp>,
    /// Only files in this language.
    pub language: Option<String>,
    /// Only this file.
    pub path: Option<(CorpusName, VaultPath)>,
    /// Whether passages of private files are included.
    pub scope: PassageScope,
    /// Files that are left out.
    pub excluded: Exclusions,
}

/// Files that a search leaves out as a whole: those to which any of this applies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exclusions {
    /// Files that contain one of these terms in their text, headings, title or aliases.
    pub terms: Vec<QueryTerm>,
    /// Files with one of these tags, or one nested below it.
    pub tags: Vec<String>,
    /// Files whose path has one of these patterns.
    pub paths: Vec<PathPattern>,
}

impl Exclusions {
    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.tags.is_empty() && self.paths.is_empty()
    }
}

impl PassageFilter {
    /// A tag as the index stores it, from what a person wrote: `#Bees/` is `bees`. `None` if it is empty.
    pub fn normalize_tag(written: &str) -> Option<String> {
        let tag = fold(written.trim().trim_start_matches('#').trim_end_matches('/'));
        (!tag.is_empty()).then_some(tag)
    }

    /// Whether the filter chooses files by a property of their own, so that listing all of them is an answer.
    pub fn chooses_files(&self) -> bool {
        self.folder.as_deref().is_some_and(|folder| !folder.trim_matches('/').is_empty())
            || !self.tags.is_empty()
            || !self.paths.is_empty()
            || !self.fields.is_empty()
            || self.modified_from.is_some()
            || self.modified_before.is_some()
    }
}

/// A folder or a file by its path, or by the end of it: `Archive` is every folder with this name and what is below it,
/// and a note `Archive.md`; `/Archive` only the one at the top. The case of ASCII letters makes no difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern {
    /// In lower case, with a slash before it and none after it.
    parts: String,
    from_top: bool,
}

impl PathPattern {
    /// The pattern that a person wrote; `None` if it names nothing.
    pub fn parse(written: &str) -> Option<Self> {
        let written = written.trim();
        let parts = written.trim_matches('/');
        let parts = format!("/{}", parts.to_ascii_lowercase());
        (parts.len() > 1).then(|| Self { parts, from_top: written.starts_with('/') })
    }

    /// The parts of the path in lower case, with a slash before them and none after them.
    pub fn parts(&self) -> &str {
        &self.parts
    }

    /// Whether the path must begin with the parts.
    pub fn is_from_top(&self) -> bool {
        self.from_top
    }

    /// Whether a file's path has the pattern.
    pub fn matches(&self, path: &VaultPath) -> bool {
        let path = format!("/{}", path.as_str().to_ascii_lowercase());
        let note = path.strip_suffix(".md").unwrap_or(&path);
        if self.from_top {
            return [path.as_str(), note].contains(&self.parts.as_str())
                || path.starts_with(&format!("{}/", self.parts));
        }
        path.ends_with(&self.parts)
            || note.ends_with(&self.parts)
            || path.contains(&format!("{}/", self.parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(pattern: &str, path: &str) -> bool {
        PathPattern::parse(pattern).expect("a pattern").matches(&VaultPath::from_index(path.to_owned()))
    }

    #[test]
    fn a_pattern_is_a_folder_or_a_file_by_whole_names() {
        assert!(has("Archive", "Archive/Old.md") && has("archive/", "Work/Archive/Old.md"));
        assert!(has("Archive", "Archive.md") && has("Work/Archive", "Old/work/archive/Note.md"));
        assert!(!has("Archive", "Archived/Old.md") && !has("Archive", "My Archive/Old.md"));
        assert!(has("/Archive", "Archive/Old.md") && !has("/Archive", "Work/Archive/Old.md"));
        assert!(has("src/lib.rs", "src/lib.rs") && !has("lib", "src/lib.rs"));
        assert_eq!((PathPattern::parse("/"), PathPattern::parse(" ")), (None, None));
    }
}
