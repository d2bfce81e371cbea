//! Finds definitions that the text names.

use wellread_text::is_everyday_word;

use super::code_names::{CodeName, find_code_names};
use super::frames::StackTraces;
use super::signals::{SignalKind, SignalsByFile};
use super::weights;
use crate::Result;
use crate::code::codebase::{self, Codebase};
use crate::ports::StoredSymbol;

/// A name with more definitions than this says nothing about any of them.
const MOST_OF_A_NAME: usize = 20;
/// A name that more files than this use says nothing about any of them.
const MOST_USERS: usize = 10;
/// Shorter names are not searched for in other names, since they are part of too many.
const SHORTEST_ALIKE: usize = 5;
const MOST_ALIKE: usize = 3;

pub fn add_name_signals(
    codebase: &Codebase,
    traces: &StackTraces,
    text: &str,
    signals: &mut SignalsByFile,
) -> Result<()> {
    for spelled in find_code_names(traces.prose(text)) {
        let defined = find_qualified(codebase, &spelled.name)?;
        if !defined.is_empty() {
            let weight = match (spelled.is_plain, spelled.is_marked) {
                (true, _) if is_everyday_word(&spelled.name) => weights::NAME_EVERYDAY,
                (true, _) => weights::NAME_PLAIN,
                (false, true) => weights::NAME_MARKED,
                (false, false) => weights::NAME_SPELLED,
            };
            let weight = weight / (defined.len() as f32).sqrt();
            for symbol in defined {
                let reason = format!("defines `{}`, which the text names", symbol.qualified);
                let path = symbol.path.clone();
                signals.add(&path, (SignalKind::Name, weight), reason, Some(symbol));
            }
        } else if !add_usage_signals(codebase, &spelled, signals)? && spelled.is_marked {
            add_similar_name_signals(codebase, &spelled, signals)?;
        }
    }
    Ok(())
}

/// The definitions that match a name of several parts best: by all of it, by its class, by the file that it is in, or
/// by the last part alone. Empty if too many match, or if only the last part matches several.
pub fn find_qualified(codebase: &Codebase, name: &str) -> Result<Vec<StoredSymbol>> {
    let parts: Vec<&str> = name.split('.').collect();
    let Some(last) = parts.last() else { return Ok(Vec::new()) };
    let mut defined = codebase.find_definitions(last)?;
    // Some write `#` before any member.
    let bare = last.strip_prefix('#').filter(|_| defined.is_empty());
    if let Some(bare) = bare {
        defined = codebase.find_definitions(bare)?;
    }
    let fit = |symbol: &StoredSymbol| {
        let own: Vec<&str> = symbol.qualified.split('.').collect();
        let same = own.iter().rev().zip(parts.iter().rev()).take_while(|(own, part)| own == part).count();
        // The parts before may be the file's own name, and its folders'.
        let modules = codebase::module_names(&symbol.path);
        let before = parts.iter().rev().skip(same);
        let of_file = before.zip(modules.iter().rev()).take_while(|(part, module)| part == module).count();
        (same * 2 + usize::from(of_file > 0), of_file)
    };
    let best = defined.iter().map(fit).max().unwrap_or_default();
    let mut fitting: Vec<StoredSymbol> = defined.into_iter().filter(|symbol| fit(symbol) == best).collect();
    // Only the last part matches: `os.open` is not our `open`.
    let is_stray = parts.len() > 1 && best.0 < 3;
    if fitting.len() > MOST_OF_A_NAME || is_stray && fitting.len() > 1 {
        fitting.clear();
    }
    Ok(fitting)
}

/// Adds signals for files that use a name which the repository does not define. Returns whether there were any.
fn add_usage_signals(codebase: &Codebase, spelled: &CodeName, signals: &mut SignalsByFile) -> Result<bool> {
    let last = spelled.name.rsplit('.').next().unwrap_or(&spelled.name);
    let users = codebase.files_using(last)?;
    if users.is_empty() || users.len() > MOST_USERS {
        return Ok(false);
    }
    let weight = weights::NAME_USED / (users.len() as f32).sqrt();
    for path in users {
        signals.add(&path, (SignalKind::Used, weight), format!("uses `{last}`, which the text names"), None);
    }
    Ok(true)
}

fn add_similar_name_signals(
    codebase: &Codebase,
    spelled: &CodeName,
    signals: &mut SignalsByFile,
) -> Result<()> {
    let last = spelled.name.rsplit('.').next().unwrap_or(&spelled.name);
    if last.chars().count() < SHORTEST_ALIKE {
        return Ok(());
    }
    for symbol in codebase.find_similar_symbols(last, MOST_ALIKE)? {
        let reason = format!("defines `{}`, which is similar to `{last}`", symbol.qualified);
        let path = symbol.path.clone();
        signals.add(&path, (SignalKind::Name, weights::NAME_ALIKE), reason, Some(symbol));
    }
    Ok(())
}
