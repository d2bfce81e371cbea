//! Turns a filter into an SQL condition on files.

use wellread_core::ports::{PassageFilter, PassageScope, PathPattern};
use wellread_text::QueryTerm;

use super::matching::{Pattern, WordLists};
use super::state;
use crate::index_format::{MARK_FIELD, MARK_TAG, nanoseconds, stored_name};
use crate::postgres::failure::PgFailure;
use crate::postgres::session::Session;
use crate::postgres::value::SqlValue;

/// The values of a statement, from `$2` on.
#[derive(Default)]
pub struct Parameters(pub Vec<SqlValue>);

impl Parameters {
    /// Adds a value, and returns what stands for it in the statement.
    pub fn bind(&mut self, value: impl Into<SqlValue>) -> String {
        self.0.push(value.into());
        format!("${}", self.0.len() + 1)
    }
}

/// The condition of a filter on `files`, without its corpora; `None` if it accepts every file.
pub fn file_condition(
    session: &Session,
    filter: &PassageFilter,
    parameters: &mut Parameters,
) -> Result<Option<String>, PgFailure> {
    let mut all = Conditions { parameters, sql: Vec::new() };
    let folder = filter.folder.as_deref().map(|folder| folder.trim_matches('/'));
    if let Some(folder) = folder.filter(|folder| !folder.is_empty()) {
        all.and(|bind| format!("starts_with(files.path, {})", bind(clean(&format!("{folder}/")).into())));
    }
    filter.tags.iter().for_each(|tag| all.and_tag("", tag));
    filter.excluded.tags.iter().for_each(|tag| all.and_tag("NOT ", tag));
    filter.paths.iter().for_each(|pattern| all.and_path("", pattern));
    filter.excluded.paths.iter().for_each(|pattern| all.and_path("NOT ", pattern));
    if !filter.excluded.terms.is_empty() {
        let firsts = find_files_with(session, &filter.excluded.terms)?;
        all.and(|bind| format!("files.first_passage <> ALL({})", bind(firsts.into())));
    }
    for (name, value) in &filter.fields {
        all.and_mark("", MARK_FIELD, &[name, value]);
    }
    if let Some(from) = filter.modified_from {
        all.and(|bind| format!("files.modified >= {}", bind(nanoseconds(from).into())));
    }
    if let Some(before) = filter.modified_before {
        all.and(|bind| format!("files.modified < {}", bind(nanoseconds(before).into())));
    }
    if let Some(language) = &filter.language {
        all.and(|bind| format!("files.language = {}", bind(clean(language).into())));
    }
    if let Some((corpus, path)) = &filter.path {
        all.and(|bind| format!("files.path_key = {}", bind(key(&[path.as_str()]).into())));
        all.and(|bind| {
            let name = bind(stored_name(corpus).into());
            format!(
                "files.corpus = (SELECT id FROM wellread.index_corpora WHERE space = $1 AND name = {name})"
            )
        });
    }
    if filter.scope == PassageScope::Public {
        all.and(|_| "files.private = 0".to_owned());
    }
    Ok((!all.sql.is_empty()).then(|| all.sql.join(" AND ")))
}

/// The first 16 bytes of the hash of these texts, by which they are looked up.
pub fn key(texts: &[&str]) -> Vec<u8> {
    let mut hasher = wellread_core::domain::corpus::Hasher::default();
    for text in texts {
        hasher.add(&(text.len() as u64).to_le_bytes());
        hasher.add(text.as_bytes());
    }
    hasher.finish().as_bytes()[..16].to_vec()
}

/// Text for a column that can't hold a NUL.
pub fn clean(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// How many rows a statement returns at most.
pub fn row_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// The tag itself and those above it: a search for one of these finds it.
pub fn tag_and_above(tag: &str) -> impl Iterator<Item = &str> {
    tag.match_indices('/').filter_map(|(at, _)| tag.get(..at)).chain([tag])
}

struct Conditions<'a> {
    parameters: &'a mut Parameters,
    sql: Vec<String>,
}

impl Conditions<'_> {
    fn and(&mut self, make: impl FnOnce(&mut dyn FnMut(SqlValue) -> String) -> String) {
        let parameters = &mut *self.parameters;
        self.sql.push(make(&mut |value| parameters.bind(value)));
    }

    fn and_tag(&mut self, not: &str, tag: &str) {
        self.and_mark(not, MARK_TAG, &[tag.trim_start_matches('#')]);
    }

    fn and_mark(&mut self, not: &str, kind: i64, of: &[&str]) {
        self.and(|bind| {
            let (kind, key) = (bind(kind.into()), bind(key(of).into()));
            format!(
                "{not}EXISTS (SELECT 1 FROM wellread.index_marks WHERE index_marks.space = $1 \
                 AND index_marks.kind = {kind} AND index_marks.key = {key} AND index_marks.file = files.id)"
            )
        });
    }

    /// As [`PathPattern::matches`]. In the order of bytes, `lower` changes ASCII letters alone.
    fn and_path(&mut self, not: &str, pattern: &PathPattern) {
        let (parts, path) = (clean(pattern.parts()), "lower('/' || files.path)");
        self.and(|bind| {
            let below = bind(format!("{parts}/").into());
            let own = [parts.clone(), format!("{parts}.md")].map(|end| {
                let letters = end.chars().count();
                let end = bind(end.into());
                match pattern.is_from_top() {
                    true => format!("{path} = {end}"),
                    false => format!("right({path}, {letters}) = {end}"),
                }
            });
            let where_below = if pattern.is_from_top() { "= 1" } else { "> 0" };
            format!("{not}(strpos({path}, {below}) {where_below} OR {})", own.join(" OR "))
        });
    }
}

/// The first passages of the files that have one of the terms in their title, a heading or their text, in any corpus.
fn find_files_with(session: &Session, terms: &[QueryTerm]) -> Result<Vec<i64>, PgFailure> {
    let patterns: Vec<Pattern> = terms.iter().flat_map(QueryTerm::whole_forms).map(Pattern::new).collect();
    let shelves = state::list_shelves(session)?;
    let lists = WordLists::read(session, &shelves, &patterns)?;
    let mut firsts = Vec::new();
    for (shelf, pattern) in shelves.iter().flat_map(|shelf| patterns.iter().map(move |one| (*shelf, one))) {
        let found = lists.find(shelf, pattern)?;
        firsts.extend(found.iter().filter(|place| place.is_whole_word()).map(|place| place.first));
    }
    firsts.sort_unstable();
    firsts.dedup();
    Ok(firsts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_found_by_those_above_it() {
        assert_eq!(tag_and_above("bee/queen/old").collect::<Vec<_>>(), ["bee", "bee/queen", "bee/queen/old"]);
        assert_eq!(tag_and_above("bee").collect::<Vec<_>>(), ["bee"]);
    }

    #[test]
    fn a_key_depends_on_where_a_text_ends() {
        assert_eq!(key(&["a", "b"]).len(), 16);
        assert_ne!(key(&["ab", ""]), key(&["a", "b"]));
    }
}
