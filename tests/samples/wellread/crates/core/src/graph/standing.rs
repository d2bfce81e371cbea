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
        let definitions = read.definitions().iter().enumerate();
        let mut named = definitions.filter(|(_, definition)| definition.name_span.contains(&at));
        let Some((index, definition)) = named.next_back() else { return Ok(None) };
        let symbol = self.symbol(Spot::of(file, index))?;
        let (name, span) = (symbol.name.clone(), definition.name_span.clone());
        Ok(Some(Standing { name, span, symbols: vec![symbol], certainty: Certainty::Certain, why: None }))
    }
}
