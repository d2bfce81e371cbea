//! Which text of a file came from outside.

use wellread_text::{Note, Span};

use super::{FileJudge, find_marked_sections, fingerprint_lines, fingerprint_name, is_inside};
use crate::Result;
use crate::domain::corpus::VaultPath;
use crate::domain::untrusted::Origin;
use crate::ports::LineDigest;

/// The text of a file that came from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutsideSpans {
    /// All of it.
    Everything,
    /// These byte ranges; none if the user wrote all of it.
    Some(Vec<Span>),
}

impl OutsideSpans {
    /// The origin of a byte range of the file.
    pub fn origin_of(&self, span: &Span) -> Origin {
        let overlaps = |outside: &Span| outside.start < span.end && span.start < outside.end;
        match self {
            Self::Everything => Origin::Outside,
            Self::Some(spans) if spans.iter().any(overlaps) => Origin::Outside,
            Self::Some(_) => Origin::Notes,
        }
    }

    /// The origin of the whole file.
    pub fn origin(&self) -> Origin {
        match self {
            Self::Some(spans) if spans.is_empty() => Origin::Notes,
            _ => Origin::Outside,
        }
    }
}

impl FileJudge<'_> {
    /// The spans of a file's text that came from outside: all of it if the file is no note, is a clipping, is below a
    /// nested repository, names its source or has a name from outside; otherwise what a run wrote, and every line that is
    /// known from outside.
    pub fn find_outside_spans(&self, path: &VaultPath, text: &str) -> OutsideSpans {
        let note = Note::parse(text);
        if self.is_outside_file(path, &note) {
            return OutsideSpans::Everything;
        }
        let mut spans = find_marked_sections(&note, text);
        let lines = fingerprint_lines(text);
        let digests: Vec<LineDigest> = lines.iter().map(|line| line.digest).collect();
        let names: Vec<LineDigest> = path.parts().filter_map(fingerprint_name).collect();
        // What can't be looked up might be from outside.
        let (Ok(known), Ok(known_names)) = (self.outside.are_known(&digests), self.outside.are_known(&names))
        else {
            return OutsideSpans::Everything;
        };
        // Whoever is shown the text is shown the name, too.
        if known_names.contains(&true) {
            return OutsideSpans::Everything;
        }
        spans.extend(lines.into_iter().zip(known).filter(|(_, known)| *known).map(|(line, _)| line.span));
        spans.sort_by_key(|span| span.start);
        OutsideSpans::Some(spans)
    }

    /// Whether all of a file came from outside, whatever its lines.
    pub fn is_outside_file(&self, path: &VaultPath, note: &Note) -> bool {
        let found = self.paths(path);
        let clipped = |path: &VaultPath| self.layout.clippings.iter().any(|folder| is_inside(path, folder));
        found.unknown
            || found.in_nested_repository
            || found.paths.iter().any(|path| !path.is_note() || clipped(path))
            || has_source_address(note)
    }

    /// Remembers all lines of this text as text from outside.
    pub fn remember_outside(&self, text: &str) -> Result<()> {
        let lines: Vec<LineDigest> = fingerprint_lines(text).into_iter().map(|line| line.digest).collect();
        if lines.is_empty() { Ok(()) } else { self.outside.remember(&lines) }
    }

    /// Remembers the last parts of these paths as names from outside.
    pub fn remember_outside_names(&self, paths: &[&str]) -> Result<()> {
        let last = |path: &&str| fingerprint_name(path.rsplit('/').next().unwrap_or(path));
        let names: Vec<LineDigest> = paths.iter().filter_map(last).collect();
        if names.is_empty() { Ok(()) } else { self.outside.remember(&names) }
    }
}

/// Whether the frontmatter has an address as `source` or `url`. Unreadable frontmatter might have one.
fn has_source_address(note: &Note) -> bool {
    let Some(front) = &note.frontmatter else { return false };
    let address = |value: &serde_json::Value| {
        let written = value.to_string().to_lowercase();
        written.contains("://") || written.contains("www.")
    };
    front.fields.is_err() || front.fields_named(&["source", "url"]).any(address)
}
