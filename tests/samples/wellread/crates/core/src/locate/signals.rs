//! The signs that were found, gathered by file, and the order that follows from them.

use std::collections::BTreeMap;

use super::paths::is_test;
use super::{LocatedFile, LocatedSymbol, weights};
use crate::Result;
use crate::codebase::Codebase;
use crate::corpus::VaultPath;
use crate::ports::StoredSymbol;

/// What kind of sign it is. Of one kind a file has its strongest, but for names, each of which is one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Frame,
    Path,
    Name,
    Used,
    Message,
    Words,
}

struct Sign {
    kind: Kind,
    weight: f32,
    reason: String,
}

struct Symbol {
    stored: StoredSymbol,
    weight: f32,
    reason: String,
}

#[derive(Default)]
struct Found {
    signs: Vec<Sign>,
    symbols: Vec<Symbol>,
}

#[derive(Default)]
pub struct Signals {
    files: BTreeMap<VaultPath, Found>,
}

const MOST_REASONS: usize = 5;
const MOST_SYMBOLS: usize = 5;
/// However many names a text and a file share.
const NAMES_AT_MOST: f32 = 0.85;

impl Signals {
    /// A sign for a file, and the definition in it that the sign points to.
    pub fn add(
        &mut self,
        path: &VaultPath,
        (kind, weight): (Kind, f32),
        reason: String,
        symbol: Option<StoredSymbol>,
    ) {
        let found = self.files.entry(path.clone()).or_default();
        if let Some(stored) = symbol {
            match found.symbols.iter_mut().find(|known| known.stored.at == stored.at) {
                Some(known) if known.weight >= weight => {}
                Some(known) => *known = Symbol { stored, weight, reason: reason.clone() },
                None => found.symbols.push(Symbol { stored, weight, reason: reason.clone() }),
            }
        }
        if !found.signs.iter().any(|sign| sign.reason == reason) {
            found.signs.push(Sign { kind, weight, reason });
        }
    }

    /// The files, best first.
    pub fn ranked(self, codebase: &Codebase, limit: usize) -> Result<Vec<LocatedFile>> {
        let mut scored: Vec<(f32, VaultPath, Found)> = self
            .files
            .into_iter()
            .map(|(path, found)| (score(&path, &found.signs), path, found))
            .filter(|(score, ..)| *score >= weights::LEAST)
            .collect();
        scored.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        scored.truncate(limit);
        scored.into_iter().map(|(score, path, found)| listed(codebase, score, &path, found)).collect()
    }
}

fn score(path: &VaultPath, signs: &[Sign]) -> f32 {
    let of = |kind: Kind| signs.iter().filter(move |sign| sign.kind == kind);
    let strongest = |kind: Kind| of(kind).map(|sign| sign.weight).fold(0.0, f32::max);
    let joined = |weights: &mut dyn Iterator<Item = f32>| {
        1.0 - weights.fold(1.0, |left, weight| left * (1.0 - weight))
    };
    let names = joined(&mut of(Kind::Name).map(|sign| sign.weight)).min(NAMES_AT_MOST);
    let others = [Kind::Frame, Kind::Path, Kind::Used, Kind::Message, Kind::Words];
    let whole = joined(&mut others.into_iter().map(strongest).chain([names]));
    let is_named = of(Kind::Path).next().is_some();
    let left = match () {
        () if is_named => 1.0,
        () if is_test(path) => weights::OF_A_TEST,
        () if path.is_note() => weights::OF_PROSE,
        () => 1.0,
    };
    (whole * left).clamp(0.0, 1.0)
}

fn listed(codebase: &Codebase, score: f32, path: &VaultPath, mut found: Found) -> Result<LocatedFile> {
    found.signs.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    found.symbols.sort_by(|one, other| {
        other.weight.total_cmp(&one.weight).then_with(|| one.stored.lines.cmp(&other.stored.lines))
    });
    let symbol = |Symbol { stored, reason, .. }: Symbol| -> Result<LocatedSymbol> {
        let symbol = codebase.symbol(&stored)?;
        Ok(LocatedSymbol {
            id: symbol.id,
            name: symbol.name,
            qualified_name: symbol.qualified,
            kind: symbol.kind,
            start_line: symbol.lines.0,
            end_line: symbol.lines.1,
            reason,
        })
    };
    Ok(LocatedFile {
        path: path.to_string(),
        score: (score * 1000.0).round() / 1000.0,
        reasons: found.signs.into_iter().take(MOST_REASONS).map(|sign| sign.reason).collect(),
        symbols: found.symbols.into_iter().take(MOST_SYMBOLS).map(symbol).collect::<Result<_>>()?,
    })
}
