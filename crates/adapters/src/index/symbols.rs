//! Reads what code files define and use.

use std::sync::Arc;

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{StoredStructure, StoredSymbol};
use wellread_text::SymbolKind;

use super::lookup::hash;
use crate::index_format::structure_cache::StructureCache;
use crate::index_format::structures::unpack_structure;
use crate::index_format::{MARK_USE, stored_name};

/// Reads from one snapshot: the connection must be in a transaction.
pub fn read_structure(
    connection: &Connection,
    cache: &StructureCache,
    corpus: &CorpusName,
    path: &VaultPath,
) -> rusqlite::Result<Option<StoredStructure>> {
    // The structure is not among the columns: it is read, and decoded, only where it is not known.
    let mut statement = connection.prepare_cached(
        "SELECT files.hash, files.language, files.id FROM files \
         JOIN corpora ON corpora.id = files.corpus JOIN structures ON structures.file = files.id \
         WHERE corpora.name = ?1 AND files.path = ?2",
    )?;
    let row = statement.query_row(params![stored_name(corpus), path.as_str()], |row| {
        Ok((hash(row, 0)?, row.get::<_, Option<String>>(1)?.unwrap_or_default(), row.get::<_, i64>(2)?))
    });
    let Some((hash, language, file)) = row.optional()? else { return Ok(None) };
    let key = (hash, language.clone());
    if let Some(structure) = cache.find(&key) {
        return Ok(Some(StoredStructure { hash, language, structure }));
    }
    let mut statement = connection.prepare_cached("SELECT structure FROM structures WHERE file = ?1")?;
    let (structure, bytes) = statement.query_row([file], |row| {
        let bytes = row.get_ref(0)?.as_blob()?;
        let structure = unpack_structure(bytes)
            .ok_or_else(|| rusqlite::Error::InvalidColumnType(0, "structure".to_owned(), Type::Blob))?;
        Ok((Arc::new(structure), bytes.len()))
    })?;
    cache.keep(key, &structure, bytes);
    Ok(Some(StoredStructure { hash, language, structure }))
}

const SYMBOLS: &str = "SELECT files.path, symbols.at, symbols.name, symbols.qualified, symbols.kind, \
                       symbols.first_line, symbols.last_line FROM symbols \
                       JOIN files ON files.id = symbols.file JOIN corpora ON corpora.id = files.corpus \
                       WHERE corpora.name = ?1";

pub fn find_definitions(
    connection: &Connection,
    corpus: &CorpusName,
    name: &str,
) -> rusqlite::Result<Vec<StoredSymbol>> {
    let sql = format!("{SYMBOLS} AND symbols.name = ?2 ORDER BY files.path, symbols.at");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![stored_name(corpus), name], |row| symbol_from_row(corpus, row))?;
    rows.collect()
}

pub fn find_definitions_containing(
    connection: &Connection,
    corpus: &CorpusName,
    part: &str,
    limit: usize,
) -> rusqlite::Result<Vec<StoredSymbol>> {
    let sql = format!(
        "{SYMBOLS} AND instr(lower(symbols.name), lower(?2)) > 0 \
         ORDER BY length(symbols.name), symbols.name, files.path, symbols.at LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement
        .query_map(params![stored_name(corpus), part, limit as i64], |row| symbol_from_row(corpus, row))?;
    rows.collect()
}

fn symbol_from_row(corpus: &CorpusName, row: &Row<'_>) -> rusqlite::Result<StoredSymbol> {
    Ok(StoredSymbol {
        corpus: corpus.clone(),
        path: VaultPath::from_index(row.get(0)?),
        at: row.get(1)?,
        name: row.get(2)?,
        qualified: row.get(3)?,
        kind: SymbolKind::from_name(&row.get::<_, String>(4)?).unwrap_or(SymbolKind::Variable),
        lines: (row.get(5)?, row.get(6)?),
    })
}

pub fn find_using_files(
    connection: &Connection,
    corpus: &CorpusName,
    name: &str,
) -> rusqlite::Result<Vec<VaultPath>> {
    let mut statement = connection.prepare_cached(
        "SELECT files.path FROM marks JOIN files ON files.id = marks.file \
         JOIN corpora ON corpora.id = files.corpus \
         WHERE marks.kind = ?1 AND marks.name = '' AND marks.value = ?2 AND corpora.name = ?3 ORDER BY files.path",
    )?;
    let rows = statement.query_map(params![MARK_USE, name, stored_name(corpus)], |row| {
        row.get(0).map(VaultPath::from_index)
    })?;
    rows.collect()
}

pub fn list_source_files(
    connection: &Connection,
    corpus: &CorpusName,
) -> rusqlite::Result<Vec<(VaultPath, String)>> {
    let mut statement = connection.prepare_cached(
        "SELECT files.path, files.language FROM files JOIN corpora ON corpora.id = files.corpus \
         WHERE corpora.name = ?1 AND files.language IS NOT NULL AND files.state = 0 ORDER BY files.path",
    )?;
    let rows = statement
        .query_map([stored_name(corpus)], |row| Ok((VaultPath::from_index(row.get(0)?), row.get(1)?)))?;
    rows.collect()
}
