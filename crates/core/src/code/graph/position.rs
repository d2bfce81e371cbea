//! Resolves the name at a position of a file.

use wellread_text::{LineIndex, Span};

use super::files::NodeKey;
use super::resolve::MentionTarget;
use super::{Certainty, EdgeReason, Graph};
use crate::code::codebase::CodeSymbol;
use crate::domain::corpus::VaultPath;
use crate::{Error, Result};

/// What the name at a position refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameResolution {
    /// The name.
    pub name: String,
    /// The range of the name in bytes.
    pub span: Span,
    /// One symbol if it is known, several candidates if it is not; empty if nothing in the repository is meant.
    pub symbols: Vec<CodeSymbol>,
    /// How certain the resolution is.
    pub certainty: Certainty,
    /// How the name was resolved; `None` if the position is the definition itself, or nothing was found.
    pub why: Option<EdgeReason>,
}

impl Graph<'_> {
    /// Resolves the name at a line and a column, both from 1; columns count characters. `None` if there is no name
    /// there. An error if the file is not indexed code, or changed since it was indexed.
    pub fn resolve_position(
        &self,
        path: &VaultPath,
        line: usize,
        column: usize,
    ) -> Result<Option<NameResolution>> {
        let Some(file) = self.files.find_path(path.as_str()) else {
            return Err(
                Error::not_found(format!("`{path}` is not an indexed code file")).with_path(path.as_str())
            );
        };
        let source = self.codebase.read(path)?;
        let Some(read) = self.files.read(file)? else { return Ok(None) };
        if read.hash != source.hash {
            return Err(Error::conflict(format!("`{path}` has changed since it was indexed"))
                .with_path(path.as_str()));
        }
        let Some(span) = LineIndex::new(&source.text).span(line, line) else { return Ok(None) };
        let shown = &source.text[span.clone()];
        let within = shown.char_indices().nth(column.saturating_sub(1)).map_or(shown.len(), |(at, _)| at);
        let at = span.start + within;
        let uses = read.uses();
        let mention = uses.mentions.iter().position(|mention| {
            mention.span.start <= at && at < mention.span.end.max(mention.span.start + 1)
        });
        if let Some(index) = mention {
            let mention = &uses.mentions[index];
            let (spots, certainty, why) = match self.resolve_mention(file, index)? {
                MentionTarget::On(spot, certainty, why) => (vec![spot], certainty, Some(why)),
                MentionTarget::Among(spots, why) => (spots, Certainty::Unknown, Some(why)),
                MentionTarget::Nowhere => (Vec::new(), Certainty::Unknown, None),
            };
            let symbols = spots.into_iter().map(|spot| self.symbol(spot)).collect::<Result<_>>()?;
            return Ok(Some(NameResolution {
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
        let symbol = self.symbol(NodeKey::definition(file, index))?;
        let (name, span) = (symbol.name.clone(), definition.name_span.clone());
        Ok(Some(NameResolution {
            name,
            span,
            symbols: vec![symbol],
            certainty: Certainty::Certain,
            why: None,
        }))
    }
}
