//! Finds symbols by what somebody wrote: a name, `Class.method`, `path::qualified_name`. All matches are returned.

use std::fmt;

use serde::{Deserialize, Serialize};
use wellread_text::{Definition, SymbolKind};

use super::Codebase;
use crate::domain::corpus::VaultPath;
use crate::ports::StoredSymbol;
use crate::{Error, Result};

/// The name of the code of a file that is outside any definition.
pub const MODULE: &str = "<module>";
const LONGEST: usize = 1_000;
/// The most matches that are returned; more would not be read.
const MOST_FOUND: usize = 200;

/// Identifies a symbol: `src/store.rs::Store.open`; if the file has several with that name, with the line:
/// `src/store.rs::Store.open@31`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SymbolId(pub String);

impl SymbolId {
    /// The id of the definition at index `at` of its file. Of several with the same qualified name, the first with a
    /// body that is not a field has an id without a line; the others have one. `None` if there is no such definition.
    pub fn from_definition(path: &VaultPath, definitions: &[Definition], at: usize) -> Option<Self> {
        let own = definitions.get(at)?;
        let twins = definitions.iter().enumerate().filter(|(_, found)| found.qualified == own.qualified);
        let first =
            twins.min_by_key(|(index, found)| (found.kind == SymbolKind::Field, !found.has_body, *index));
        let is_first = first.is_none_or(|(_, first)| first.lines == own.lines);
        let name = format!("{path}::{}", own.qualified);
        Some(Self(if is_first { name } else { format!("{name}@{}", own.lines.0) }))
    }
}

impl fmt::Display for SymbolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A definition in a file, or the file's code outside any definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeSymbol {
    /// The symbol's id.
    pub id: SymbolId,
    /// The file's path.
    pub path: VaultPath,
    /// The index among the file's definitions; `None` for the code outside any definition.
    pub at: Option<usize>,
    /// The symbol's name.
    pub name: String,
    /// The name, qualified with the names of the definitions around it.
    pub qualified: String,
    /// The kind of definition; `Module` for code outside any definition.
    pub kind: SymbolKind,
    /// The first and the last line, from 1, both included.
    pub lines: (usize, usize),
}

/// A parsed query for a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolQuery {
    /// The file, if one was given.
    pub path: Option<String>,
    /// The name, possibly qualified.
    pub qualified: String,
    /// The line, if one was given.
    pub line: Option<usize>,
}

impl SymbolQuery {
    /// Parses a query: a name or a qualified name, with or without a path before it. An error if it has no name.
    pub fn parse(written: &str) -> Result<Self> {
        let written = written.trim().trim_matches('`').trim_end_matches("()").trim();
        if written.is_empty() {
            return Err(Error::invalid("the symbol is empty").hint("give a name, such as `Store.open`"));
        }
        if written.len() > LONGEST || written.contains('\n') {
            return Err(Error::invalid("that is not a symbol's name"));
        }
        let (written, line) = match written.rsplit_once('@') {
            Some((name, line)) => match line.parse() {
                Ok(line) if !name.is_empty() => (name, Some(line)),
                _ => (written, None),
            },
            None => (written, None),
        };
        // A path has a file extension or a folder before the colons; `Store::open` has neither.
        let (path, name) = match written.split_once("::") {
            Some((path, name)) if path.contains(['/', '.']) || name == MODULE => (Some(path), name),
            _ => (None, written),
        };
        // An operator of C++ or a destructor may consist of such characters only.
        let qualified = if name == MODULE { name.to_owned() } else { dotted_name(name) };
        let qualified = qualified.trim_matches('.').to_owned();
        if qualified.is_empty() {
            return Err(Error::invalid("the symbol has no name").hint("give a name, such as `Store.open`"));
        }
        Ok(Self { path: path.map(str::to_owned), qualified, line })
    }

    fn name(&self) -> &str {
        self.qualified.rsplit('.').next().unwrap_or(&self.qualified)
    }

    fn matches(&self, symbol: &StoredSymbol) -> bool {
        let qualified = symbol.qualified == self.qualified
            || symbol.qualified.strip_suffix(&self.qualified).is_some_and(|rest| rest.ends_with('.'));
        qualified && self.line.is_none_or(|line| symbol.lines.0 == line)
    }
}

/// A name with dots between its parts, however they are written: `Store::open`, `Store#open`. A `#` at the beginning of a
/// part belongs to its name: that of a private member.
pub fn dotted_name(written: &str) -> String {
    let mut name = String::with_capacity(written.len());
    for letter in written.replace("::", ".").chars() {
        let separates = letter == '#' && !name.is_empty() && !name.ends_with('.');
        name.push(if separates { '.' } else { letter });
    }
    name
}

/// The symbols that match a query, or similar names if none does.
#[derive(Debug, Clone, Default)]
pub struct SymbolMatches {
    /// The matches; only the first ones if there are very many.
    pub found: Vec<CodeSymbol>,
    /// The total number of matches.
    pub count: usize,
    /// Similar names, if none matches.
    pub near: Vec<String>,
}

impl Codebase {
    /// Every symbol that matches. A qualified query prefers exact matches to names that merely end with it.
    pub fn find_symbols(&self, written: &str, kind: Option<SymbolKind>) -> Result<SymbolMatches> {
        let sought = self.without_foreign_mark(SymbolQuery::parse(written)?)?;
        let paths = sought.path.as_deref().map(|path| self.paths_ending(path)).transpose()?;
        if sought.qualified == MODULE {
            let found =
                paths.unwrap_or_default().iter().map(|path| self.module(path)).collect::<Result<_>>()?;
            let count = Vec::len(&found);
            return Ok(SymbolMatches { found, count, near: Vec::new() });
        }
        let mut stored = self.find_definitions(sought.name())?;
        let is_wanted = |symbol: &StoredSymbol| {
            kind.is_none_or(|kind| symbol.kind == kind)
                && paths.as_ref().is_none_or(|paths| paths.contains(&symbol.path))
        };
        stored.retain(|symbol| sought.matches(symbol) && is_wanted(symbol));
        if stored.is_empty() && sought.qualified.contains('.') {
            stored = self.find_in_modules(&sought.qualified)?;
            let is_at = |symbol: &StoredSymbol| sought.line.is_none_or(|line| symbol.lines.0 == line);
            stored.retain(|symbol| is_at(symbol) && is_wanted(symbol));
        }
        let exact: Vec<StoredSymbol> =
            stored.iter().filter(|symbol| symbol.qualified == sought.qualified).cloned().collect();
        // `open` matches every `open`; `Store.open` matches `Inner.Store.open` only if there is no exact match.
        if !exact.is_empty() && sought.qualified.contains('.') {
            stored = exact;
        }
        let count = stored.len();
        let all = kind.is_none() && sought.line.is_none();
        // A symbol whose qualified name is unique in its file has an id without a line, so its file need not be read.
        let is_alone = |symbol: &StoredSymbol| {
            let own =
                |other: &&StoredSymbol| (&other.path, &other.qualified) == (&symbol.path, &symbol.qualified);
            stored.iter().filter(own).nth(1).is_none()
        };
        let first = stored.iter().take(MOST_FOUND).map(|symbol| match all && is_alone(symbol) {
            true => Ok(symbol_with_id(symbol, SymbolId(format!("{}::{}", symbol.path, symbol.qualified)))),
            false => self.symbol(symbol),
        });
        let found = first.collect::<Result<Vec<_>>>()?;
        let near = if found.is_empty() { self.suggest_names(&sought)? } else { Vec::new() };
        Ok(SymbolMatches { found, count, near })
    }

    /// The one symbol that is meant. If several match, the error lists them.
    pub fn resolve_symbol(&self, written: &str) -> Result<CodeSymbol> {
        let SymbolMatches { mut found, near, .. } = self.find_symbols(written, None)?;
        // An exact id means that very symbol, whatever else has the name.
        if let Some(exact) = found.iter().find(|symbol| symbol.id.0 == written.trim()) {
            return Ok(exact.clone());
        }
        // A declaration and its definition count as one symbol.
        if found.len() > 1 {
            found = self.prefer_bodies(found)?;
        }
        match found.len() {
            1 => Ok(found.remove(0)),
            0 => {
                let error = Error::not_found(format!("there is no symbol `{}`", written.trim()));
                Err(match near.is_empty() {
                    true => error.hint("search for a part of its name"),
                    false => error.hint(format!("similar names: {}", near.join(", "))),
                })
            }
            count => {
                // With the line if necessary, so that each id is unambiguous.
                let written_out = |symbol: &CodeSymbol| {
                    let several = found
                        .iter()
                        .filter(|other| (&other.path, &other.qualified) == (&symbol.path, &symbol.qualified));
                    let id = symbol.id.to_string();
                    if several.count() > 1 && !has_line(&id) {
                        return format!("{id}@{}", symbol.lines.0);
                    }
                    id
                };
                let ids: Vec<String> = found.iter().take(20).map(written_out).collect();
                Err(Error::conflict(format!("`{}` is the name of {count} symbols", written.trim()))
                    .with_detail("candidates", ids.clone())
                    .hint(format!("choose one: {}", ids.join(", "))))
            }
        }
    }

    /// Only the symbols with a body, if any has one.
    fn prefer_bodies(&self, found: Vec<CodeSymbol>) -> Result<Vec<CodeSymbol>> {
        let mut whole = Vec::new();
        for symbol in &found {
            let structure = self.structure(&symbol.path)?;
            let has_body = structure.zip(symbol.at).is_some_and(|(stored, at)| {
                stored.structure.definitions.get(at).is_some_and(|found| found.has_body)
            });
            if has_body {
                whole.push(symbol.clone());
            }
        }
        Ok(if whole.is_empty() { found } else { whole })
    }

    /// Converts a definition from the index to a symbol with its id.
    pub fn symbol(&self, stored: &StoredSymbol) -> Result<CodeSymbol> {
        let structure = self.structure(&stored.path)?;
        let definitions = structure.as_ref().map_or(&[][..], |stored| &stored.structure.definitions);
        let id = SymbolId::from_definition(&stored.path, definitions, stored.at)
            .unwrap_or_else(|| SymbolId(format!("{}::{}", stored.path, stored.qualified)));
        Ok(symbol_with_id(stored, id))
    }

    /// The symbol for a file's code outside any definition.
    pub fn module(&self, path: &VaultPath) -> Result<CodeSymbol> {
        let lines = self.read(path)?.line_count().max(1);
        Ok(CodeSymbol {
            id: SymbolId(format!("{path}::{MODULE}")),
            path: path.clone(),
            at: None,
            name: MODULE.to_owned(),
            qualified: MODULE.to_owned(),
            kind: SymbolKind::Module,
            lines: (1, lines),
        })
    }

    /// The query without the `#` before its name if only a definition without has the name: some write it before any member.
    fn without_foreign_mark(&self, sought: SymbolQuery) -> Result<SymbolQuery> {
        let name = sought.name();
        match name.strip_prefix('#') {
            Some(bare) if !bare.is_empty() && self.find_definitions(name)?.is_empty() => {
                let owner = &sought.qualified[..sought.qualified.len() - name.len()];
                Ok(SymbolQuery { qualified: format!("{owner}{bare}"), ..sought })
            }
            _ => Ok(sought),
        }
    }

    /// The source files whose path is this one or ends with it.
    fn paths_ending(&self, written: &str) -> Result<Vec<VaultPath>> {
        let wanted = self.parse_path(written)?;
        let sources = self.sources()?;
        if sources.iter().any(|(path, _)| *path == wanted) {
            return Ok(vec![wanted]);
        }
        let ends = |path: &VaultPath| {
            path.as_str().strip_suffix(wanted.as_str()).is_some_and(|rest| rest.ends_with('/'))
        };
        Ok(sources.into_iter().map(|(path, _)| path).filter(ends).collect())
    }

    fn suggest_names(&self, sought: &SymbolQuery) -> Result<Vec<String>> {
        let name = sought.name();
        let mut near: Vec<StoredSymbol> = self.find_similar_symbols(name, 5)?;
        // Whatever is wrong with the name, its beginning is probably right.
        let mut length = name.chars().count();
        while near.is_empty() && length > 3 {
            length = length / 2 + 1;
            let begins: String = name.chars().take(length).collect();
            near = self.find_similar_symbols(&begins, 5)?;
        }
        let mut names: Vec<String> = near.iter().map(|symbol| format!("`{}`", symbol.qualified)).collect();
        names.dedup();
        Ok(names)
    }
}

fn symbol_with_id(stored: &StoredSymbol, id: SymbolId) -> CodeSymbol {
    CodeSymbol {
        id,
        path: stored.path.clone(),
        at: Some(stored.at),
        name: stored.name.clone(),
        qualified: stored.qualified.clone(),
        kind: stored.kind,
        lines: stored.lines,
    }
}

/// Whether an id ends with the line of its symbol. Only its last part is checked, since a folder may be called `@app`.
fn has_line(id: &str) -> bool {
    let name = id.rsplit("::").next().unwrap_or(id);
    name.rsplit_once('@').is_some_and(|(_, line)| line.parse::<usize>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_a_name_a_qualified_name_or_a_path_with_one() {
        for (written, path, qualified, line) in [
            ("open", None, "open", None),
            ("`Store.open()`", None, "Store.open", None),
            ("Store::open", None, "Store.open", None),
            ("src/a.rs::Store.open", Some("src/a.rs"), "Store.open", None),
            ("a.rs::Store::open@31", Some("a.rs"), "Store.open", Some(31)),
            ("a.rs::<module>", Some("a.rs"), "<module>", None),
            ("Makefile::<module>", Some("Makefile"), "<module>", None),
            ("Store#open", None, "Store.open", None),
            ("#open", None, "#open", None),
            ("Store.#open", None, "Store.#open", None),
            ("Store##open", None, "Store.#open", None),
            ("a.js::Store.#open@31", Some("a.js"), "Store.#open", Some(31)),
        ] {
            let sought = SymbolQuery::parse(written).unwrap();
            assert_eq!(
                (sought.path.as_deref(), sought.qualified.as_str(), sought.line),
                (path, qualified, line),
                "{written}"
            );
        }
        for written in ["", "  ", "``", "::", &"x".repeat(2_000), "a\nb"] {
            assert!(SymbolQuery::parse(written).is_err(), "{written:?}");
        }
    }
}
