//! Collects the signals by file, and ranks the files.

use std::collections::BTreeMap;

use wellread_text::FileRole;

use super::{LocatedFile, LocatedSymbol, weights};
use crate::Result;
use crate::code::codebase::Codebase;
use crate::domain::corpus::VaultPath;
use crate::ports::StoredSymbol;

/// The kind of a signal. Only the strongest signal of a kind counts for a file, except for names, which add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignalKind {
    Frame,
    Path,
    Name,
    Used,
    Message,
    Words,
}

struct FileSignal {
    kind: SignalKind,
    weight: f32,
    reason: String,
}

struct SignalSymbol {
    stored: StoredSymbol,
    weight: f32,
    reason: String,
}

#[derive(Default)]
struct FileSignals {
    signs: Vec<FileSignal>,
    symbols: Vec<SignalSymbol>,
}

#[derive(Default)]
pub struct SignalsByFile {
    files: BTreeMap<VaultPath, FileSignals>,
}

const MOST_REASONS: usize = 5;
const MOST_SYMBOLS: usize = 5;
/// The highest joint weight of names, however many a text and a file share.
const NAMES_AT_MOST: f32 = 0.85;

impl SignalsByFile {
    /// Adds a signal for a file, with the definition in it that the signal points to, if any.
    pub fn add(
        &mut self,
        path: &VaultPath,
        (kind, weight): (SignalKind, f32),
        reason: String,
        symbol: Option<StoredSymbol>,
    ) {
        let found = self.files.entry(path.clone()).or_default();
        if let Some(stored) = symbol {
            match found.symbols.iter_mut().find(|known| known.stored.at == stored.at) {
                Some(known) if known.weight >= weight => {}
                Some(known) => *known = SignalSymbol { stored, weight, reason: reason.clone() },
                None => found.symbols.push(SignalSymbol { stored, weight, reason: reason.clone() }),
            }
        }
        if !found.signs.iter().any(|sign| sign.reason == reason) {
            found.signs.push(FileSignal { kind, weight, reason });
        }
    }

    /// The files, best first, at most `limit`. Tests, documents and examples come behind sources, unless the text is about
    /// them.
    pub fn into_ranked_files(
        self,
        codebase: &Codebase,
        text: &str,
        limit: usize,
    ) -> Result<Vec<LocatedFile>> {
        let about = roles_in_title(text);
        let mut scored: Vec<(f32, VaultPath, FileSignals)> = self
            .files
            .into_iter()
            .map(|(path, found)| (score(&path, &found.signs, &about), path, found))
            .filter(|(score, ..)| *score >= weights::LEAST)
            .collect();
        scored.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        scored.truncate(limit);
        scored
            .into_iter()
            .map(|(score, path, found)| build_located_file(codebase, score, &path, found))
            .collect()
    }
}

fn score(path: &VaultPath, signs: &[FileSignal], about: &[FileRole]) -> f32 {
    let of = |kind: SignalKind| signs.iter().filter(move |sign| sign.kind == kind);
    let strongest = |kind: SignalKind| of(kind).map(|sign| sign.weight).fold(0.0, f32::max);
    let joined = |weights: &mut dyn Iterator<Item = f32>| {
        1.0 - weights.fold(1.0, |left, weight| left * (1.0 - weight))
    };
    let names = joined(&mut of(SignalKind::Name).map(|sign| sign.weight)).min(NAMES_AT_MOST);
    let others =
        [SignalKind::Frame, SignalKind::Path, SignalKind::Used, SignalKind::Message, SignalKind::Words];
    let whole = joined(&mut others.into_iter().map(strongest).chain([names]));
    let is_named = of(SignalKind::Path).next().is_some();
    let left = match FileRole::from_path(path.as_str()) {
        role if is_named || about.contains(&role) => 1.0,
        FileRole::Source => 1.0,
        FileRole::Test => weights::OF_A_TEST,
        FileRole::Prose => weights::OF_PROSE,
        FileRole::Extra => weights::OF_AN_EXTRA,
    };
    (whole * left).clamp(0.0, 1.0)
}

/// The roles of files that the first line of a text is about.
fn roles_in_title(text: &str) -> Vec<FileRole> {
    let title = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_lowercase();
    let words: Vec<&str> = title.split(|letter: char| !letter.is_alphanumeric()).collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    let roles = [
        (FileRole::Test, has(&["test", "tests", "testsuite", "flaky"])),
        (FileRole::Prose, has(&["doc", "docs", "documentation", "readme", "typo", "changelog"])),
        (FileRole::Extra, has(&["example", "examples", "script", "scripts", "benchmark", "benchmarks"])),
    ];
    roles.into_iter().filter(|(_, is_about)| *is_about).map(|(role, _)| role).collect()
}

fn build_located_file(
    codebase: &Codebase,
    score: f32,
    path: &VaultPath,
    mut found: FileSignals,
) -> Result<LocatedFile> {
    found.signs.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    found.symbols.sort_by(|one, other| {
        other.weight.total_cmp(&one.weight).then_with(|| one.stored.lines.cmp(&other.stored.lines))
    });
    let symbol = |SignalSymbol { stored, reason, .. }: SignalSymbol| -> Result<LocatedSymbol> {
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
