//! How the index is written, whichever database it is in: the numbers of kinds and states, the names of corpora, vectors as
//! bytes, and how passages are ranked by their words.
//!
//! | file | what |
//! | --- | --- |
//! | `ranking` `word_counts` | the score of a passage, and the best passages of all corpora |
//! | `structure_cache` | structures of code that were read lately |
//! | `structures` | what a code file defines and uses, as bytes |
//! | `varint` | numbers in lists of passages |

pub mod ranking;
pub mod structure_cache;
pub mod structures;
pub mod varint;
pub mod word_counts;

use jiff::Timestamp;
use wellread_core::domain::corpus::CorpusName;
use wellread_text::ChunkKind;

/// The version of how text is chunked and stemmed, and of the tables of the SQLite file: a change of either makes an old
/// index wrong, wherever it is.
pub const VERSION: i32 = 11;

/// A passage's id contains its corpus above this bit, so that a corpus is a range of ids.
pub const CORPUS_SHIFT: u32 = 40;

pub const FILE_INDEXED: i64 = 0;
pub const FILE_NAMED: i64 = 1;
pub const FILE_SKIPPED: i64 = 2;

pub const MARK_LINK: i64 = 0;
pub const MARK_TAG: i64 = 1;
pub const MARK_FIELD: i64 = 2;
pub const MARK_USE: i64 = 3;
pub const MARK_NAME: i64 = 4;
pub const MARK_TITLE: i64 = 5;
/// A field of the frontmatter as it is: its exact name, and its value as JSON, or nothing if that is too long.
pub const MARK_VALUE: i64 = 6;

/// Separates the parts of a context. It occurs in no heading and no name.
pub const SEPARATOR: char = '\u{1f}';

/// How many vectors are tolerated that no passage uses.
pub const MOST_UNUSED: i64 = 1000;

/// The stored name of a corpus. The prefix keeps a repository called `vault` apart from the vault.
pub fn stored_name(corpus: &CorpusName) -> String {
    match corpus {
        CorpusName::Vault => "vault".to_owned(),
        CorpusName::Repository(name) => format!("repo:{name}"),
    }
}

/// The corpus that is stored by this name.
pub fn parse_stored_name(name: &str) -> CorpusName {
    match name.strip_prefix("repo:") {
        Some(name) => CorpusName::Repository(name.to_owned()),
        None => CorpusName::Vault,
    }
}

/// The stored number of a kind of passage.
pub fn kind_number(kind: ChunkKind) -> i64 {
    ChunkKind::ALL.iter().position(|known| *known == kind).unwrap_or_default() as i64
}

/// The kind of passage that is stored by this number.
pub fn parse_kind(number: i64) -> ChunkKind {
    let kind = usize::try_from(number).ok().and_then(|number| ChunkKind::ALL.get(number));
    kind.copied().unwrap_or(ChunkKind::Block)
}

/// The parts of a stored context.
pub fn split_context(context: &str) -> Vec<String> {
    context.split(SEPARATOR).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

pub fn nanoseconds(moment: Timestamp) -> i64 {
    i64::try_from(moment.as_nanosecond()).unwrap_or(if moment.as_second() < 0 { i64::MIN } else { i64::MAX })
}

pub fn from_nanoseconds(nanoseconds: i64) -> Timestamp {
    Timestamp::from_nanosecond(nanoseconds.into()).unwrap_or_default()
}

/// Quantizes a vector to bytes; the scale is the value of one step.
pub fn quantize(vector: &[f32]) -> (f32, Vec<i8>) {
    let largest = vector.iter().fold(f32::MIN_POSITIVE, |most, value| most.max(value.abs()));
    let scale = largest / 127.0;
    (scale, vector.iter().map(|value| (value / scale).round().clamp(-127.0, 127.0) as i8).collect())
}
