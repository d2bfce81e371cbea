//! Values on their way to the database, and columns on their way back.

use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};
use wellread_core::domain::corpus::Hash;

use super::failure::PgFailure;
use crate::record_format::damaged_error;

/// A value of a statement.
#[derive(Debug, Clone)]
pub enum SqlValue {
    Number(i64),
    Numbers(Vec<i64>),
    Text(String),
    Texts(Vec<Option<String>>),
    Bytes(Vec<u8>),
    ByteStrings(Vec<Option<Vec<u8>>>),
    NoNumber,
    NoText,
    NoBytes,
}

impl SqlValue {
    /// The value with its type, so that a statement is sent in one go.
    pub fn into_parameter(self) -> SqlParameter {
        match self {
            Self::Number(number) => (Box::new(number), Type::INT8),
            Self::Numbers(numbers) => (Box::new(numbers), Type::INT8_ARRAY),
            Self::Text(text) => (Box::new(text), Type::TEXT),
            Self::Texts(texts) => (Box::new(texts), Type::TEXT_ARRAY),
            Self::Bytes(bytes) => (Box::new(bytes), Type::BYTEA),
            Self::ByteStrings(all) => (Box::new(all), Type::BYTEA_ARRAY),
            Self::NoNumber => (Box::new(None::<i64>), Type::INT8),
            Self::NoText => (Box::new(None::<String>), Type::TEXT),
            Self::NoBytes => (Box::new(None::<Vec<u8>>), Type::BYTEA),
        }
    }
}

/// A value as the driver takes it.
pub type SqlParameter = (Box<dyn ToSql + Sync + Send>, Type);

impl From<i64> for SqlValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for SqlValue {
    fn from(number: u64) -> Self {
        Self::Number(number.cast_signed())
    }
}

impl From<u32> for SqlValue {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<bool> for SqlValue {
    fn from(is_so: bool) -> Self {
        Self::Number(is_so.into())
    }
}

impl From<&str> for SqlValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for SqlValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<u8>> for SqlValue {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<Vec<i64>> for SqlValue {
    fn from(numbers: Vec<i64>) -> Self {
        Self::Numbers(numbers)
    }
}

impl From<Vec<String>> for SqlValue {
    fn from(texts: Vec<String>) -> Self {
        Self::Texts(texts.into_iter().map(Some).collect())
    }
}

impl From<Vec<Vec<u8>>> for SqlValue {
    fn from(all: Vec<Vec<u8>>) -> Self {
        Self::ByteStrings(all.into_iter().map(Some).collect())
    }
}

impl From<Hash> for SqlValue {
    fn from(hash: Hash) -> Self {
        Self::Bytes(hash.as_bytes().to_vec())
    }
}

/// Text that may have a NUL, for a column of bytes.
pub fn any_text(text: &str) -> SqlValue {
    SqlValue::Bytes(text.as_bytes().to_vec())
}

pub fn any_text_or_null(text: Option<&str>) -> SqlValue {
    text.map_or(SqlValue::NoBytes, any_text)
}

pub fn text_or_null(text: Option<&str>) -> SqlValue {
    text.map_or(SqlValue::NoText, SqlValue::from)
}

pub fn number_or_null(number: Option<i64>) -> SqlValue {
    number.map_or(SqlValue::NoNumber, SqlValue::from)
}

/// The values of a statement after its first one, which is always the space.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::postgres::value::SqlValue::from($value)),*] };
}
pub(super) use values;

/// The columns of a row. What has another type than it was written with is damage.
pub trait RowColumns {
    fn number(&self, column: usize) -> Result<i64, PgFailure>;
    fn text(&self, column: usize) -> Result<String, PgFailure>;
    fn bytes(&self, column: usize) -> Result<Vec<u8>, PgFailure>;
    fn hash(&self, column: usize) -> Result<Hash, PgFailure>;

    /// A number that was never negative.
    fn count(&self, column: usize) -> Result<u64, PgFailure> {
        u64::try_from(self.number(column)?).map_err(|_| damaged_error("a number").into())
    }

    /// Text in a column of bytes.
    fn any_text(&self, column: usize) -> Result<String, PgFailure> {
        into_text(self.bytes(column)?)
    }
}

impl RowColumns for Row {
    fn number(&self, column: usize) -> Result<i64, PgFailure> {
        Ok(self.try_get(column)?)
    }

    fn text(&self, column: usize) -> Result<String, PgFailure> {
        Ok(self.try_get(column)?)
    }

    fn bytes(&self, column: usize) -> Result<Vec<u8>, PgFailure> {
        Ok(self.try_get(column)?)
    }

    fn hash(&self, column: usize) -> Result<Hash, PgFailure> {
        let bytes: [u8; 32] = self.bytes(column)?.try_into().map_err(|_| damaged_error("a checksum"))?;
        Ok(Hash::from_bytes(bytes))
    }
}

/// Text in a column of bytes that may be null.
pub fn optional_any_text(row: &Row, column: usize) -> Result<Option<String>, PgFailure> {
    row.try_get::<_, Option<Vec<u8>>>(column)?.map(into_text).transpose()
}

fn into_text(bytes: Vec<u8>) -> Result<String, PgFailure> {
    String::from_utf8(bytes).map_err(|_| damaged_error("a text").into())
}
