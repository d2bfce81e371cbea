//! Follows citations by the history of their file's lines: the version that was cited is compared with the current one.

use std::collections::HashMap;
use std::rc::Rc;

use wellread_text::{FollowedLines, FuzzySearch, LineIndex, LineMap};

use super::candidates::{SimilarPlace, current_place};
use super::cited_file::{CitedFile, CitedFileText};
use super::{CurrentPlace, FileCitation};
use crate::domain::corpus::{CorpusName, Hash, VaultPath};
use crate::ports::{Corpus, History};

/// The history of one cited file. Each version of it is read and compared once.
pub struct FileHistory<'a> {
    pub name: &'a CorpusName,
    pub corpus: &'a dyn Corpus,
    pub history: &'a dyn History,
    pub path: &'a VaultPath,
    known: HashMap<(Option<String>, Hash), Option<Rc<FilePast>>>,
}

/// A version of a file that was cited, and what the file is now.
pub struct FilePast {
    /// The commit that has the cited version.
    pub commit: String,
    /// The file's new path, if it was renamed.
    pub renamed: Option<VaultPath>,
    /// The file as it is now, if it can be read.
    pub now: Option<FileNow>,
    text: String,
    lines: LineIndex,
}

/// The current text of a file, and where the lines of the cited version are in it.
pub struct FileNow {
    pub file: Rc<CitedFileText>,
    pub map: LineMap,
}

impl<'a> FileHistory<'a> {
    pub fn new(
        name: &'a CorpusName,
        corpus: &'a dyn Corpus,
        history: &'a dyn History,
        path: &'a VaultPath,
    ) -> Self {
        Self { name, corpus, history, path, known: HashMap::new() }
    }

    /// The version that was cited; `there` is the text that is at its path now. `None` if no history has the version.
    pub fn find_past(
        &mut self,
        quoted: &FileCitation<'_>,
        there: Option<&Rc<CitedFileText>>,
    ) -> Option<Rc<FilePast>> {
        let key = (quoted.commit.map(str::to_owned), quoted.place.hash);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let past = self.read_past(quoted, there).map(Rc::new);
        self.known.insert(key, past.clone());
        past
    }

    fn read_past(&self, quoted: &FileCitation<'_>, there: Option<&Rc<CitedFileText>>) -> Option<FilePast> {
        let version = self.history.find_version(self.name, self.path, quoted.commit, quoted.place.hash);
        let version = version.ok().flatten()?;
        let text = String::from_utf8(version.bytes).ok()?;
        let renamed = self.history.current_path(self.name, self.path, Some(&version.commit));
        let renamed = renamed.ok().flatten().filter(|new| new != self.path);
        let file = match &renamed {
            Some(new) => match CitedFile::read(self.corpus, new) {
                CitedFile::Text(file) => Some(file),
                _ => None,
            },
            None => there.cloned(),
        };
        let now = file.map(|file| FileNow { map: LineMap::new(&text, &file.text), file });
        Some(FilePast { commit: version.commit, renamed, now, lines: LineIndex::new(&text), text })
    }
}

impl FilePast {
    /// The lines of the citation in the cited version.
    fn cited_lines(&self, quoted: &FileCitation<'_>) -> Option<(usize, usize)> {
        let span = &quoted.place.span;
        if self.text.get(span.clone()) != Some(quoted.text.expose()) || span.is_empty() {
            return None;
        }
        Some((self.lines.line_of(span.start), self.lines.line_of(span.end - 1)))
    }

    /// Where the cited lines are now, if each of them is unchanged.
    pub fn follow(&self, quoted: &FileCitation<'_>) -> Option<CurrentPlace> {
        let (now, (first, last)) = (self.now.as_ref()?, self.cited_lines(quoted)?);
        let FollowedLines::Unchanged { start_line } = now.map.follow(first, last) else { return None };
        let column = quoted.place.span.start - self.lines.span(first, last)?.start;
        let start = now.file.lines.span(start_line, start_line)?.start + column;
        let span = start..start + quoted.text.expose().len();
        (now.file.text.get(span.clone())? == quoted.text.expose())
            .then(|| current_place(&now.file.path, &now.file.lines, span))
    }

    /// The passage that stands where the cited lines were, if they were changed.
    pub fn follow_altered(&self, quoted: &FileCitation<'_>) -> Option<SimilarPlace> {
        let (now, (first, last)) = (self.now.as_ref()?, self.cited_lines(quoted)?);
        let FollowedLines::Altered { start_line, end_line } = now.map.follow(first, last) else {
            return None;
        };
        let within = now.file.lines.span(start_line, end_line)?;
        let search = FuzzySearch::new(&now.file.text[within.clone()]);
        let mut nearest = search.find_nearest(quoted.text.expose(), 0)?;
        nearest.span = within.start + nearest.span.start..within.start + nearest.span.end;
        Some(SimilarPlace::new(&now.file.path, &now.file.text, &now.file.lines, nearest))
    }
}
