//! What a question expects, looked up in the current code.

use super::SuiteQuestion;
use crate::code::codebase::Codebase;
use crate::research::Citation;
use crate::{Error, Result};

/// One expectation of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedExpectation {
    /// As the suite writes it.
    pub written: String,
    /// The places that satisfy it, any one of them. Empty for a fact, which may occur anywhere.
    pub regions: Vec<Region>,
}

/// A file, or lines of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The file's path.
    pub path: String,
    /// The first and the last line, from 1; `None` for the whole file.
    pub lines: Option<(usize, usize)>,
    /// Whether it is a symbol: then a citation has to be mostly within it or contain all of it.
    pub is_symbol: bool,
}

/// The expectations of a question, in the order in which they are written; `Err` if one does not exist.
pub fn resolve_expectations(
    codebase: &Codebase,
    question: &SuiteQuestion,
) -> Result<Vec<ResolvedExpectation>> {
    let expect = &question.expect;
    let mut all = Vec::new();
    for file in &expect.files {
        codebase
            .read(&codebase.parse_path(file)?)
            .map_err(|_| Error::not_found(format!("there is no file `{file}`")))?;
        let region = Region { path: file.clone(), lines: None, is_symbol: false };
        all.push(ResolvedExpectation { written: file.clone(), regions: vec![region] });
    }
    for range in &expect.lines {
        let path = codebase.parse_path(&range.path)?;
        let source = codebase
            .read(&path)
            .map_err(|_| Error::not_found(format!("there is no file `{}`", range.path)))?;
        let (lines, written) = (range.lines, String::from(range.clone()));
        if lines.1 > source.line_count() {
            return Err(Error::invalid(format!("`{written}`: the file has {} lines", source.line_count())));
        }
        let region = Region { path: path.to_string(), lines: Some(lines), is_symbol: false };
        all.push(ResolvedExpectation { written, regions: vec![region] });
    }
    for symbol in &expect.symbols {
        let found = codebase.find_symbols(symbol, None)?.found;
        if found.is_empty() {
            return Err(Error::not_found(format!("there is no symbol `{symbol}`")));
        }
        let regions = found
            .into_iter()
            .map(|found| Region { path: found.path.to_string(), lines: Some(found.lines), is_symbol: true })
            .collect();
        all.push(ResolvedExpectation { written: symbol.clone(), regions });
    }
    let facts =
        expect.facts.iter().map(|fact| ResolvedExpectation { written: fact.clone(), regions: Vec::new() });
    all.extend(facts);
    Ok(all)
}

impl Region {
    /// Whether a citation shares a line with it.
    pub fn touches(&self, citation: &Citation) -> bool {
        self.path == citation.path && self.shared_lines(citation) > 0
    }

    /// Whether a citation satisfies it: it shares a line or, for a symbol, at least half of the cited lines are within
    /// it or it is cited whole.
    pub fn is_reached(&self, citation: &Citation) -> bool {
        if !self.touches(citation) {
            return false;
        }
        let (Some((first, last)), true) = (self.lines, self.is_symbol) else { return true };
        let cited = (citation.end_line + 1).saturating_sub(citation.start_line);
        let shared = self.shared_lines(citation);
        shared * 2 >= cited || shared == last + 1 - first
    }

    /// How many lines the region and the citation share.
    fn shared_lines(&self, citation: &Citation) -> usize {
        let (first, last) = self.lines.unwrap_or((1, usize::MAX - 1));
        (last.min(citation.end_line) + 1).saturating_sub(first.max(citation.start_line))
    }
}
