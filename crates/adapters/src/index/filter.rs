//! Turns a filter into an SQL condition.

use rusqlite::types::Value;
use wellread_core::ports::{PassageFilter, PassageScope};

use super::schema::{MARK_FIELD, MARK_TAG};
use super::write::{nanoseconds, stored_name};

/// Conditions on `files`, joined by AND, and the values of their placeholders.
pub struct Condition {
    pub sql: String,
    pub values: Vec<Value>,
}

/// The condition of a filter, without its corpora; `None` if it accepts every file.
pub fn file_condition(filter: &PassageFilter) -> Option<Condition> {
    let mut condition = Condition { sql: String::new(), values: Vec::new() };
    if let Some(folder) =
        filter.folder.as_deref().map(|folder| folder.trim_matches('/')).filter(|f| !f.is_empty())
    {
        // `0` follows `/` in ASCII, so everything below the folder sorts between them.
        condition.and("files.path >= ? AND files.path < ?", [format!("{folder}/"), format!("{folder}0")]);
    }
    if let Some(tag) = &filter.tag {
        let tag = tag.trim_start_matches('#');
        condition.and(
            &format!(
                "files.id IN (SELECT file FROM marks WHERE kind = {MARK_TAG} AND name = '' \
                 AND (value = ? OR (value >= ? AND value < ?)))"
            ),
            [tag.to_owned(), format!("{tag}/"), format!("{tag}0")],
        );
    }
    for (name, value) in &filter.fields {
        condition.and(
            &format!(
                "files.id IN (SELECT file FROM marks WHERE kind = {MARK_FIELD} AND name = ? AND value = ?)"
            ),
            [name.clone(), value.clone()],
        );
    }
    if let Some(from) = filter.modified_from {
        condition.and("files.modified >= ?", [nanoseconds(from)]);
    }
    if let Some(before) = filter.modified_before {
        condition.and("files.modified < ?", [nanoseconds(before)]);
    }
    if let Some(language) = &filter.language {
        condition.and("files.language = ?", [language.clone()]);
    }
    if let Some((corpus, path)) = &filter.path {
        let name = stored_name(corpus);
        condition.and(
            "files.path = ? AND files.corpus = (SELECT id FROM corpora WHERE name = ?)",
            [path.as_str().to_owned(), name],
        );
    }
    if filter.scope == PassageScope::Public {
        condition.and::<Value, 0>("files.private = 0", []);
    }
    (!condition.sql.is_empty()).then_some(condition)
}

/// The stored names of the filter's corpora; `None` for all corpora.
pub fn corpus_names(filter: &PassageFilter) -> Option<Vec<String>> {
    filter.corpora.as_ref().map(|corpora| corpora.iter().map(stored_name).collect())
}

impl Condition {
    fn and<V: Into<Value>, const N: usize>(&mut self, sql: &str, values: [V; N]) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql.push_str(sql);
        self.values.extend(values.into_iter().map(Into::into));
    }
}
