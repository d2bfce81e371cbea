//! Reads what code files define and use.

use std::sync::Arc;

use tokio_postgres::Row;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{StoredStructure, StoredSymbol};
use wellread_text::SymbolKind;

use super::damaged_error;
use super::filter::{clean, key, row_limit};
use crate::index_format::stored_name;
use crate::index_format::structure_cache::StructureCache;
use crate::index_format::structures::unpack_structure;
use crate::postgres::failure::PgFailure;
use crate::postgres::session::Session;
use crate::postgres::value::{RowColumns as _, values};

const OF_CORPUS: &str =
    "files.corpus = (SELECT id FROM wellread.index_corpora WHERE space = $1 AND name = $2)";

/// Reads from one snapshot: the connection must be in a transaction.
pub fn read_structure(
    session: &Session,
    cache: &StructureCache,
    corpus: &CorpusName,
    path: &VaultPath,
) -> Result<Option<StoredStructure>, PgFailure> {
    // The structure is not among the columns: it is read, and decoded, only where it is not known.
    let sql = format!(
        "SELECT files.hash, coalesce(files.language, ''), files.id FROM wellread.index_files AS files \
         WHERE files.space = $1 AND {OF_CORPUS} AND files.path_key = $3 AND files.hash IS NOT NULL AND EXISTS \
         (SELECT 1 FROM wellread.index_structures WHERE space = $1 AND file = files.id)"
    );
    let Some(row) = session.find(&sql, values![stored_name(corpus), key(&[path.as_str()])])? else {
        return Ok(None);
    };
    let (hash, language) = (row.hash(0)?, row.text(1)?);
    let cached = (hash, language.clone());
    if let Some(structure) = cache.find(&cached) {
        return Ok(Some(StoredStructure { hash, language, structure }));
    }
    let sql = "SELECT structure FROM wellread.index_structures WHERE space = $1 AND file = $2";
    let Some(row) = session.find(sql, values![row.number(2)?])? else { return Ok(None) };
    let bytes = row.bytes(0)?;
    let structure = unpack_structure(&bytes).ok_or_else(|| damaged_error("the structure of a file"))?;
    let structure = Arc::new(structure);
    cache.keep(cached, &structure, bytes.len());
    Ok(Some(StoredStructure { hash, language, structure }))
}

const SYMBOLS: &str = "SELECT files.path, symbols.at, symbols.name, symbols.qualified, symbols.kind, symbols.first_line, \
    symbols.last_line FROM wellread.index_symbols AS symbols \
    JOIN wellread.index_files AS files ON files.space = $1 AND files.id = symbols.file WHERE symbols.space = $1";

pub fn find_definitions(
    session: &Session,
    corpus: &CorpusName,
    name: &str,
) -> Result<Vec<StoredSymbol>, PgFailure> {
    let sql = format!("{SYMBOLS} AND {OF_CORPUS} AND symbols.name_key = $3 ORDER BY files.path, symbols.at");
    let rows = session.query(&sql, values![stored_name(corpus), key(&[name])])?;
    rows.iter().map(|row| symbol_from_row(corpus, row)).collect()
}

pub fn find_definitions_containing(
    session: &Session,
    corpus: &CorpusName,
    part: &str,
    limit: usize,
) -> Result<Vec<StoredSymbol>, PgFailure> {
    // In the order of bytes, `lower` changes ASCII letters alone.
    let sql = format!(
        "{SYMBOLS} AND {OF_CORPUS} AND strpos(lower(symbols.name), lower($3 COLLATE \"C\")) > 0 \
         ORDER BY length(symbols.name), symbols.name, files.path, symbols.at LIMIT $4"
    );
    let rows = session.query(&sql, values![stored_name(corpus), clean(part), row_limit(limit)])?;
    rows.iter().map(|row| symbol_from_row(corpus, row)).collect()
}

fn symbol_from_row(corpus: &CorpusName, row: &Row) -> Result<StoredSymbol, PgFailure> {
    let line = |column: usize| row.count(column).map(|line| line as usize);
    Ok(StoredSymbol {
        corpus: corpus.clone(),
        path: VaultPath::from_index(row.text(0)?),
        at: line(1)?,
        name: row.text(2)?,
        qualified: row.text(3)?,
        kind: SymbolKind::from_name(&row.text(4)?).unwrap_or(SymbolKind::Variable),
        lines: (line(5)?, line(6)?),
    })
}

pub fn list_source_files(
    session: &Session,
    corpus: &CorpusName,
) -> Result<Vec<(VaultPath, String)>, PgFailure> {
    let sql = format!(
        "SELECT files.path, files.language FROM wellread.index_files AS files WHERE files.space = $1 AND {OF_CORPUS} \
         AND files.language IS NOT NULL AND files.state = 0 ORDER BY files.path"
    );
    let rows = session.query(&sql, values![stored_name(corpus)])?;
    rows.iter().map(|row| Ok((VaultPath::from_index(row.text(0)?), row.text(1)?))).collect()
}
