//! Turns a filter into an SQL condition.

use rusqlite::Connection;
use rusqlite::types::Value;
use wellread_core::ports::{PassageFilter, PassageScope, PathPattern};
use wellread_text::QueryTerm;

use super::schema::{PRIVATE_WORDS, word_table};
use crate::index_format::ranking::form_expression;
use crate::index_format::{MARK_FIELD, MARK_TAG, nanoseconds, stored_name};

/// Conditions on `files`, joined by AND, and the values of their placeholders.
pub struct Condition {
    pub sql: String,
    pub values: Vec<Value>,
}

/// The condition of a filter, without its corpora; `None` if it accepts every file.
pub fn file_condition(
    connection: &Connection,
    filter: &PassageFilter,
) -> rusqlite::Result<Option<Condition>> {
    let mut condition = Condition { sql: String::new(), values: Vec::new() };
    if let Some(folder) =
        filter.folder.as_deref().map(|folder| folder.trim_matches('/')).filter(|f| !f.is_empty())
    {
        // `0` follows `/` in ASCII, so everything below the folder sorts between them.
        condition.and("files.path >= ? AND files.path < ?", [format!("{folder}/"), format!("{folder}0")]);
    }
    filter.tags.iter().for_each(|tag| condition.and_tag("", tag));
    filter.excluded.tags.iter().for_each(|tag| condition.and_tag("NOT ", tag));
    filter.paths.iter().for_each(|pattern| condition.and_path("", pattern));
    filter.excluded.paths.iter().for_each(|pattern| condition.and_path("NOT ", pattern));
    if !filter.excluded.terms.is_empty() {
        for table in word_tables(connection)? {
            condition.and_no_word(&table, &filter.excluded.terms);
        }
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
    Ok((!condition.sql.is_empty()).then_some(condition))
}

/// Every table of words.
fn word_tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached("SELECT id FROM corpora ORDER BY id")?;
    let tables = statement.query_map([], |row| row.get(0).map(word_table))?;
    tables.chain([Ok(PRIVATE_WORDS.to_owned())]).collect()
}

/// The stored names of the filter's corpora; `None` for all corpora.
pub fn corpus_names(filter: &PassageFilter) -> Option<Vec<String>> {
    filter.corpora.as_ref().map(|corpora| corpora.iter().map(stored_name).collect())
}

impl Condition {
    fn and_tag(&mut self, not: &str, tag: &str) {
        let tag = tag.trim_start_matches('#');
        self.and(
            &format!(
                "files.id {not}IN (SELECT file FROM marks WHERE kind = {MARK_TAG} AND name = '' \
                 AND (value = ? OR (value >= ? AND value < ?)))"
            ),
            [tag.to_owned(), format!("{tag}/"), format!("{tag}0")],
        );
    }

    /// As [`PathPattern::matches`]. `lower` changes ASCII letters alone.
    fn and_path(&mut self, not: &str, pattern: &PathPattern) {
        let (parts, path) = (pattern.parts(), "lower('/' || files.path)");
        let letters = |text: &str| text.chars().count();
        let below = if pattern.is_from_top() { "= 1" } else { "> 0" };
        let ends = [parts.to_owned(), format!("{parts}.md")].map(|end| match pattern.is_from_top() {
            true => (format!("{path} = ?"), end),
            false => (format!("substr({path}, -{}) = ?", letters(&end)), end),
        });
        let [(whole, own), (note, own_note)] = ends;
        self.and(
            &format!("{not}(instr({path}, ?) {below} OR {whole} OR {note})"),
            [format!("{parts}/"), own, own_note],
        );
    }

    /// No file that has one of the terms in its title, a heading or its text.
    fn and_no_word(&mut self, table: &str, terms: &[QueryTerm]) {
        let forms = terms.iter().flat_map(QueryTerm::whole_forms).map(form_expression);
        let expression = format!("{{title heading body}} : ({})", forms.collect::<Vec<_>>().join(" OR "));
        self.and(
            &format!(
                "files.id NOT IN (SELECT passages.file FROM passages WHERE passages.id IN \
                 (SELECT rowid FROM {table} WHERE {table} MATCH ?))"
            ),
            [expression],
        );
    }

    fn and<V: Into<Value>, const N: usize>(&mut self, sql: &str, values: [V; N]) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql.push_str(sql);
        self.values.extend(values.into_iter().map(Into::into));
    }
}
