//! Selects the statements worth comparing: of many thousands, those that can be about the same thing.
//!
//! Two figures can only be about the same thing if they have the same kind and unit, are under the same numbers, have
//! the same qualifiers and share two words. So each statement is filed under what it must share, once for each of its
//! words, and compared with those filed there: no pair is missed.

use std::cell::Cell;
use std::ops::Range;

use wellread_text::Amount;

use super::{Statement, is_different_amount};

/// The most statements that are looked at in all. Only a vault in which thousands of notes have the same sentence
/// exceeds it.
const MAX_COMPARISONS: usize = 20_000_000;

pub struct StatementPairs<'a> {
    all: &'a [Statement<'a>],
    /// The statements by key, those of one key together and in order. Two keys with the same hash merely share a
    /// bucket.
    filed: Vec<(u64, u32)>,
    /// The buckets of each statement, as ranges of `filed`, the smallest first and the largest left out: a statement
    /// that shares two words with it is in one of these.
    of: Vec<Vec<Range<usize>>>,
    left: Cell<usize>,
}

impl<'a> StatementPairs<'a> {
    pub fn new(all: &'a [Statement<'a>]) -> Self {
        let mut filed: Vec<(u64, u32)> = Vec::with_capacity(all.len() * 6);
        for (at, statement) in all.iter().enumerate() {
            let shared = shared_key(statement);
            filed
                .extend(statement.stems().iter().map(|stem| (hash_from(stem.as_bytes(), shared), at as u32)));
        }
        filed.sort_unstable();
        filed.dedup();
        let mut of: Vec<Vec<Range<usize>>> = vec![Vec::new(); all.len()];
        let mut start = 0;
        for bucket in filed.chunk_by(|one, other| one.0 == other.0) {
            let range = start..start + bucket.len();
            start = range.end;
            bucket.iter().for_each(|(_, at)| of[*at as usize].push(range.clone()));
        }
        for own in &mut of {
            own.sort_by_key(|bucket| (bucket.len(), bucket.start));
            own.pop();
        }
        Self { all, filed, of, left: Cell::new(MAX_COMPARISONS) }
    }

    /// The later statements with a different figure, in order.
    pub fn candidates_for(&self, at: usize) -> impl Iterator<Item = usize> {
        let mut found: Vec<usize> = Vec::new();
        for bucket in self.of[at].iter().map(|bucket| &self.filed[bucket.clone()]) {
            let after = &bucket[bucket.partition_point(|(_, other)| *other as usize <= at)..];
            self.left.set(self.left.get().saturating_sub(after.len()));
            if self.left.get() == 0 {
                break;
            }
            let other = after.iter().map(|(_, other)| *other as usize);
            found.extend(
                other.filter(|&other| is_different_amount(&self.all[at].figure, &self.all[other].figure)),
            );
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter()
    }
}

/// What two statements must have in common besides words, as a hash.
fn shared_key(statement: &Statement<'_>) -> u64 {
    let sort = match &statement.figure.amount {
        Amount::Number { unit, .. } => hash_from(unit.as_deref().unwrap_or_default().as_bytes(), 1),
        Amount::Day(date) => hash_from(&date.year.unwrap_or_default().to_le_bytes(), 2),
        Amount::Year(_) => 3,
    };
    let said = statement.figure.qualifiers.iter().map(|said| hash_from(said.as_bytes(), 4));
    let scene = statement.scene.iter().map(|number| hash_from(number.as_bytes(), 5));
    said.chain(scene).fold(sort, |all, one| hash_from(&one.to_le_bytes(), all))
}

/// FNV-1a, continued from a hash.
fn hash_from(bytes: &[u8], from: u64) -> u64 {
    let seed = from.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xcbf2_9ce4_8422_2325;
    bytes.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
