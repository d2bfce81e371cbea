//! What a question expects, looked up in the code as it is now.

use super::Question;
use crate::codebase::Codebase;
use crate::research::Citation;
use crate::{Error, Result};

/// One thing that is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// As the suite writes it.
    pub written: String,
    /// Where it is: any of these will do. None is a fact, which may stand anywhere.
    pub regions: Vec<Region>,
}

/// A file, or lines of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    pub path: String,
    pub lines: Option<(usize, usize)>,
    /// Whether a citation must lie in it, and not only touch it.
    pub is_symbol: bool,
}

/// What a question expects, in the order in which it is written.
pub fn expected(codebase: &Codebase, question: &Question) -> Result<Vec<Expected>> {
    let expect = &question.expect;
    let mut all = Vec::new();
    for file in &expect.files {
        codebase
            .read(&codebase.path(file)?)
            .map_err(|_| Error::not_found(format!("there is no file `{file}`")))?;
        let region = Region { path: file.clone(), lines: None, is_symbol: false };
        all.push(Expected { written: file.clone(), regions: vec![region] });
    }
    for range in &expect.lines {
        let path = codebase.path(&range.path)?;
        let source = codebase
            .read(&path)
            .map_err(|_| Error::not_found(format!("there is no file `{}`", range.path)))?;
        let (lines, written) = (range.lines, String::from(range.clone()));
        if lines.1 > source.line_count() {
            return Err(Error::invalid(format!("`{written}`: the file has {} lines", source.line_count())));
        }
        let region = Region { path: path.to_string(), lines: Some(lines), is_symbol: false };
        all.push(Expected { written, regions: vec![region] });
    }
    for symbol in &expect.symbols {
        let found = codebase.symbols(symbol, None)?.found;
        if found.is_empty() {
            return Err(Error::not_found(format!("there is no symbol `{symbol}`")));
        }
        let regions = found
            .into_iter()
            .map(|found| Region { path: found.path.to_string(), lines: Some(found.lines), is_symbol: true })
            .collect();
        all.push(Expected { written: symbol.clone(), regions });
    }
    let facts = expect.facts.iter().map(|fact| Expected { written: fact.clone(), regions: Vec::new() });
    all.extend(facts);
    Ok(all)
}

impl Region {
    /// Whether a citation touches it.
    pub fn touches(&self, citation: &Citation) -> bool {
        self.path == citation.path && self.shared(citation) > 0
    }

    /// Whether a citation leads there: it touches these lines; or it lies in the symbol, more than half of it, or holds all of
    /// the symbol.
    pub fn is_reached(&self, citation: &Citation) -> bool {
        if !self.touches(citation) {
            return false;
        }
        let (Some((first, last)), true) = (self.lines, self.is_symbol) else { return true };
        let cited = (citation.end_line + 1).saturating_sub(citation.start_line);
        let shared = self.shared(citation);
        shared * 2 >= cited || shared == last + 1 - first
    }

    /// How many lines both have.
    fn shared(&self, citation: &Citation) -> usize {
        let (first, last) = self.lines.unwrap_or((1, usize::MAX - 1));
        (last.min(citation.end_line) + 1).saturating_sub(first.max(citation.start_line))
    }
}
