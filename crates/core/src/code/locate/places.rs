//! Finds files that the text names: in the frames of a stack trace, or by a path in a sentence.

use std::collections::BTreeSet;

use wellread_text::Definition;

use super::frames::{Frame, StackTraces, path_and_line};
use super::names;
use super::paths::{PathMatch, SourcePaths};
use super::signals::{SignalKind, SignalsByFile};
use super::weights;
use crate::Result;
use crate::code::codebase::Codebase;
use crate::domain::corpus::VaultPath;
use crate::ports::StoredSymbol;

/// The most paths that are taken from one text.
const MOST_PATHS: usize = 100;

/// Adds signals for the frames of stack traces: the innermost one in the repository counts most.
pub fn add_trace_signals(
    codebase: &Codebase,
    sources: &SourcePaths<'_>,
    traces: &StackTraces,
    signals: &mut SignalsByFile,
) -> Result<()> {
    for trace in &traces.traces {
        let mut ours = 0;
        for (at, frame) in trace.frames.iter().enumerate() {
            let weight = (weights::FRAME * weights::FRAME_OUTWARD.powi(ours)).max(weights::FRAME_LEAST);
            let is_ours = match &frame.path {
                Some(path) => {
                    add_file_frame(codebase, &sources.find_matches(path), frame, (at, weight), signals)?
                }
                None => add_fileless_frame(codebase, frame, (at, weight), signals)?,
            };
            ours += i32::from(is_ours);
        }
    }
    Ok(())
}

fn add_file_frame(
    codebase: &Codebase,
    fits: &[PathMatch],
    frame: &Frame,
    (at, weight): (usize, f32),
    signals: &mut SignalsByFile,
) -> Result<bool> {
    for fit in fits {
        // Of a built file, only the name of the function leads into its source.
        let line = frame.line.filter(|_| !fit.is_built);
        let within = find_frame_definition(codebase, &fit.path, &Frame { line, ..frame.clone() })?;
        let line = line.map(|line| format!("line {line}")).unwrap_or_default();
        let name = within.as_ref().map(|symbol| format!("`{}`", symbol.qualified)).unwrap_or_default();
        let place = [line, name].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" in ");
        let doubt = if fit.is_namesake { ", where a file of this name is in another folder" } else { "" };
        let reason = format!("named in the stack trace, frame {}: {place}{doubt}", at + 1);
        let weight = weight * fit.share.sqrt() * if fit.is_namesake { weights::NAMESAKE } else { 1.0 };
        signals.add(&fit.path, (SignalKind::Frame, weight), reason.trim_end_matches(": ").to_owned(), within);
    }
    Ok(!fits.is_empty())
}

/// Adds a signal for a frame without a file, if its function has a qualified name that the repository defines.
fn add_fileless_frame(
    codebase: &Codebase,
    frame: &Frame,
    (at, weight): (usize, f32),
    signals: &mut SignalsByFile,
) -> Result<bool> {
    let Some(function) = frame.function.as_deref().filter(|name| name.contains('.')) else {
        return Ok(false);
    };
    let found = names::find_qualified(codebase, function)?;
    let share = 1.0 / (found.len().max(1) as f32).sqrt();
    for symbol in &found {
        let reason = format!("named in the stack trace, frame {}: defines `{}`", at + 1, symbol.qualified);
        let weight = weight * weights::FRAME_WITHOUT_FILE * share;
        signals.add(&symbol.path, (SignalKind::Frame, weight), reason, Some(symbol.clone()));
    }
    Ok(!found.is_empty())
}

/// The definition that a frame is in. The name counts more than the line, since lines move with every edit.
fn find_frame_definition(
    codebase: &Codebase,
    path: &VaultPath,
    frame: &Frame,
) -> Result<Option<StoredSymbol>> {
    let at_line = match frame.line {
        Some(line) => definition_at(codebase, path, line)?,
        None => None,
    };
    let Some(name) = frame.function.as_deref().and_then(|function| function.rsplit('.').next()) else {
        return Ok(at_line);
    };
    if at_line.as_ref().is_some_and(|symbol| symbol.name == name) {
        return Ok(at_line);
    }
    let mut named = codebase.find_definitions(name)?;
    named.retain(|symbol| symbol.path == *path);
    // A function nested in the named one is more precise.
    let holds = |outer: &StoredSymbol| {
        at_line.as_ref().is_some_and(|inner| outer.lines.0 <= inner.lines.0 && inner.lines.1 <= outer.lines.1)
    };
    Ok(match named.len() {
        0 => at_line,
        _ if named.iter().any(holds) => at_line,
        _ => named.into_iter().next(),
    })
}

/// The innermost definition that contains a line.
pub fn definition_at(codebase: &Codebase, path: &VaultPath, line: usize) -> Result<Option<StoredSymbol>> {
    find_shortest_definition(codebase, path, |found| (found.lines.0..=found.lines.1).contains(&line))
}

/// The definition with this qualified name that overlaps these lines.
pub fn definition_named(
    codebase: &Codebase,
    path: &VaultPath,
    qualified: &str,
    (first, last): (usize, usize),
) -> Result<Option<StoredSymbol>> {
    find_shortest_definition(codebase, path, |found| {
        found.qualified == qualified && found.lines.0 <= last && first <= found.lines.1
    })
}

/// The shortest of the definitions that match.
fn find_shortest_definition(
    codebase: &Codebase,
    path: &VaultPath,
    wanted: impl Fn(&Definition) -> bool,
) -> Result<Option<StoredSymbol>> {
    let Some(stored) = codebase.structure(path)? else { return Ok(None) };
    let definitions = stored.structure.definitions.iter().enumerate().filter(|(_, found)| wanted(found));
    let shortest = definitions.min_by_key(|(at, found)| (found.lines.1 - found.lines.0, usize::MAX - at));
    Ok(shortest.map(|(at, found)| StoredSymbol {
        corpus: codebase.corpus.clone(),
        path: path.clone(),
        at,
        name: found.name.clone(),
        qualified: found.qualified.clone(),
        kind: found.kind,
        lines: found.lines,
    }))
}

/// Adds signals for paths in sentences: `store.rs`, `src/store.rs:31`, `src/store.rs#L31`.
pub fn add_path_signals(
    codebase: &Codebase,
    sources: &SourcePaths<'_>,
    traces: &StackTraces,
    text: &str,
    signals: &mut SignalsByFile,
) -> Result<()> {
    let mut seen = BTreeSet::new();
    for (path, line) in traces.prose(text).flat_map(extract_paths) {
        if seen.len() == MOST_PATHS {
            break;
        }
        if !seen.insert((path.clone(), line)) {
            continue;
        }
        let mut fits = sources.find_matches(&path);
        // A file that is not code is found only by its whole path.
        if fits.is_empty()
            && let Ok(whole) = codebase.parse_path(&path)
            && codebase.read(&whole).is_ok()
        {
            fits.push(PathMatch::sole(whole));
        }
        for fit in fits {
            let within = match line {
                Some(line) => definition_at(codebase, &fit.path, line)?,
                None => None,
            };
            let at = line.map(|line| format!(", line {line}")).unwrap_or_default();
            let weight = if fit.is_namesake { weights::NAMESAKE } else { weights::PATH } * fit.share.sqrt();
            signals.add(
                &fit.path,
                (SignalKind::Path, weight),
                format!("the text names `{path}`{at}"),
                within,
            );
        }
    }
    Ok(())
}

/// The paths on a line, each with the line number after it, if there is one.
fn extract_paths(line: &str) -> Vec<(String, Option<usize>)> {
    let words = line
        .split(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | ',' | ';' | '|'));
    words.filter_map(path_and_line).collect()
}
