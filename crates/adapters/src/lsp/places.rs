//! Turns a server's locations into places of the repository.
//!
//! A server can name any URI. Anything that, with links resolved, is not a file below the repository's root, or is not
//! indexed, is counted and left out.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use url::Url;
use wellread_core::domain::corpus::VaultPath;
use wellread_core::ports::{Corpus as _, ServerPlace};

use super::columns::{self, ColumnUnits};
use crate::repository::RepositoryFiles;

/// How many places of one answer are read.
pub const MOST: usize = 500;
/// The longest URI in bytes; no real path has a longer one.
const LONGEST_ADDRESS: usize = 16 * 1024;

/// A location in one of the protocol's two forms.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawPlace {
    uri: Option<String>,
    range: Option<Range>,
    target_uri: Option<String>,
    target_range: Option<Range>,
    target_selection_range: Option<Range>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Position {
    line: u32,
    character: u32,
}

/// No, one or many locations; of many, only the first `MOST` are kept.
#[derive(Debug, Default)]
pub struct RawPlaces {
    places: Vec<RawPlace>,
    pub count: usize,
}

impl<'de> Deserialize<'de> for RawPlaces {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct RawPlacesVisitor;

        impl<'de> Visitor<'de> for RawPlacesVisitor {
            type Value = RawPlaces;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a place, a list of places or null")
            }

            fn visit_unit<E>(self) -> Result<RawPlaces, E> {
                Ok(RawPlaces::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawPlaces, A::Error> {
                let place = RawPlace::deserialize(MapAccessDeserializer::new(map))?;
                Ok(RawPlaces { places: vec![place], count: 1 })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<RawPlaces, A::Error> {
                let mut found = RawPlaces::default();
                while let Some(place) = items.next_element::<RawPlace>()? {
                    found.count += 1;
                    if found.places.len() < MOST {
                        found.places.push(place);
                    }
                }
                Ok(found)
            }
        }

        from.deserialize_any(RawPlacesVisitor)
    }
}

/// The `file:` URI of a path.
pub fn file_uri(path: &Path) -> Option<String> {
    Url::from_file_path(path).ok().map(String::from)
}

/// Resolves locations within one repository.
pub struct PlaceReader<'a> {
    pub repository: &'a RepositoryFiles,
    /// The canonical path, with all links resolved.
    pub root: &'a Path,
    pub units: ColumnUnits,
    /// The files read so far, starting with the question's; `None` for one that can't be read.
    pub texts: HashMap<VaultPath, Option<String>>,
}

impl PlaceReader<'_> {
    /// The places within the repository, sorted and without duplicates, and how many others there are.
    pub fn places(&mut self, written: &RawPlaces) -> (Vec<ServerPlace>, usize) {
        let mut places: Vec<ServerPlace> =
            written.places.iter().filter_map(|place| self.place(place)).collect();
        let left_out = written.places.len() - places.len();
        places.sort();
        places.dedup_by(|next, first| {
            (&next.path, next.lines, next.columns) == (&first.path, first.lines, first.columns)
        });
        (places, left_out)
    }

    fn place(&mut self, written: &RawPlace) -> Option<ServerPlace> {
        let uri = written.target_uri.as_ref().or(written.uri.as_ref())?;
        let range = written.target_selection_range.or(written.range).or(written.target_range)?;
        let path = self.path(uri)?;
        let units = self.units;
        let text = self.text(&path)?;
        let (first, last) = (range.start.line as usize + 1, range.end.line as usize + 1);
        let (begins, ends) = (columns::line(text, first)?, columns::line(text, last)?);
        let begin = units.column_at(begins, range.start.character.into());
        let end = units.column_at(ends, range.end.character.into());
        let whole =
            written.target_range.map(|whole| (whole.start.line as usize + 1, whole.end.line as usize + 1));
        let whole = whole.filter(|(from, to)| from <= to && columns::line(text, *to).is_some());
        (first < last || (first == last && begin <= end)).then_some(ServerPlace {
            path,
            lines: (first, last),
            columns: (begin, end),
            whole,
        })
    }

    fn path(&self, uri: &str) -> Option<VaultPath> {
        let url =
            Some(uri).filter(|uri| uri.len() <= LONGEST_ADDRESS).and_then(|uri| Url::parse(uri).ok())?;
        if url.scheme() != "file" {
            return None;
        }
        let path = url.to_file_path().ok()?.canonicalize().ok()?;
        let below = path.strip_prefix(self.root).ok()?.to_str()?;
        self.repository.rules().parse_file(below).ok()
    }

    fn text(&mut self, path: &VaultPath) -> Option<&str> {
        let repository = self.repository;
        let text = self.texts.entry(path.clone()).or_insert_with(|| {
            let content = repository.read(path).ok()?;
            String::from_utf8(content.bytes).ok()
        });
        text.as_deref()
    }
}

#[cfg(test)]
mod tests;
