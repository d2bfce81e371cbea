//! What stands at a place of a file: the definition of a name, or what a name there means.

use wellread_text::{Lines, Span};

use super::files::Spot;
use super::resolve::Landed;
use super::{Certainty, Graph, Why};
use crate::codebase::Symbol;
use crate::corpus::VaultPath;
use crate::{Error, Result};

/// What a name at a place means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub name: String,
    pub span: Span,
    /// One where it is known; several where it may be each of them; none where nothing of the repository is meant.
    pub symbols: Vec<Symbol>,
    pub certainty: Certainty,
    /// None where the definition itself stands there.
    pub why: Option<Why>,
}

impl Graph<'_> {
    /// What stands at a line and a column, both from 1; a column counts letters. Nothing where no name stands there.
    pub fn at(&self, path: &VaultPath, line: usize, column: usize) -> Result<Option<Standing>> {
        let Some(file) = self.files.at(path.as_str()) else {
            return Err(
                Error::not_found(format!("`{path}` is no file of code that is indexed")).at(path.as_str())
            );
        };
        let source = self.codebase.read(path)?;
        let Some(read) = self.files.read(file)? else { return Ok(None) };
        if read.hash != source.hash {
            return Err(
                Error::conflict(format!("`{path}` has changed since it was indexed")).at(path.as_str())
            );
        }
        let Some(span) = Lines::of(&source.text).span(line, line) else { return Ok(None) };
        let shown = &source.text[span.clone()];
        let within = shown.char_indices().nth(column.saturating_sub(1)).map_or(shown.len(), |(at, _)| at);
        let at = span.start + within;
        let uses = read.uses();
        let mention = uses.mentions.iter().position(|mention| {
            mention.span.start <= at && at < mention.span.end.max(mention.span.start + 1)
        });
        if let Some(index) = mention {
            let mention = &uses.mentions[index];
            let (spots, certainty, why) = match self.landed(file, index)? {
                Landed::On(spot, certainty, why) => (vec![spot], certainty, Some(why)),
                Landed::Among(spots, why) => (spots, Certainty::Unknown, Some(why)),
                Landed::Nowhere => (Vec::new(), Certainty::Unknown, None),
            };
            let symbols = spots.into_iter().map(|spot| self.symbol(spot)).collect::<Result<_>>()?;
            return Ok(Some(Standing {
                name: mention.name.clone(),
                span: mention.span.clone(),
                symbols,
                certainty,
                why,
            }));
        }
        // The name of a definition stands on the line where its signature begins.
        let definitions = read.definitions().iter().enumerate();
        let named = definitions.filter_map(|(index, definition)| {
            let signature = source.text.get(definition.signature.clone())?;
            let start = definition.signature.start + word(signature, &definition.name)?;
            let span = start..start + definition.name.len();
            (span.start <= at && at < span.end).then_some((index, span))
        });
        let Some((index, span)) = named.last() else { return Ok(None) };
        let symbol = self.symbol(Spot::of(file, index))?;
        let name = symbol.name.clone();
        Ok(Some(Standing { name, span, symbols: vec![symbol], certainty: Certainty::Certain, why: None }))
    }
}

/// Where a name stands in a signature as a word of its own.
fn word(signature: &str, name: &str) -> Option<usize> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    signature
        .match_indices(name)
        .map(|(at, _)| at)
        .find(|&at| !signature[..at].ends_with(is_part) && !signature[at + name.len()..].starts_with(is_part))
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn a_name_is_found_as_a_word_of_its_own() {
        assert_eq!(word("fn open_all(open: Open)", "open"), Some(12));
        assert_eq!(word("fn open()", "close"), None);
    }
}
