//! Which statements are worth comparing: of many thousands, those that can be of the same thing.
//!
//! Two figures are only ever of the same thing where they are of one sort and unit, stand under the same numbers, have the
//! same qualifiers and share two words. So each statement is laid under what it must share, once for each of its words, and is
//! compared with those that lie there: nothing is lost by it.

use std::cell::Cell;
use std::collections::HashMap;

use wellread_text::Amount;

use super::{Statement, apart};

/// How many that lie together are looked at in all. Only a vault in which thousands of notes say the same sentence has more.
const LOOKED_AT: usize = 20_000_000;

pub struct Pairs<'a> {
    all: &'a [Statement<'a>],
    /// What lies under each key, in order.
    piles: Vec<Vec<u32>>,
    /// The piles that each statement lies on, the smallest first and the largest left out: who shares two words with it lies
    /// on one of these.
    of: Vec<Vec<u32>>,
    left: Cell<usize>,
}

impl<'a> Pairs<'a> {
    pub fn of(all: &'a [Statement<'a>]) -> Self {
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        let mut piles: Vec<Vec<u32>> = Vec::new();
        let mut of: Vec<Vec<u32>> = Vec::with_capacity(all.len());
        for (at, statement) in all.iter().enumerate() {
            let shared = shared(statement);
            let own = statement.stems().into_iter().map(|stem| {
                // Two keys that come to one number only lie on one pile.
                let number = *numbers.entry(hashed(stem.as_bytes(), shared)).or_insert_with(|| {
                    piles.push(Vec::new());
                    piles.len() as u32 - 1
                });
                piles[number as usize].push(at as u32);
                number
            });
            of.push(own.collect());
        }
        for own in &mut of {
            own.sort_by_key(|&pile| (piles[pile as usize].len(), pile));
            own.pop();
        }
        Self { all, piles, of, left: Cell::new(LOOKED_AT) }
    }

    /// The statements after this one whose figure is another, in order.
    pub fn with(&self, at: usize) -> impl Iterator<Item = usize> {
        let mut found: Vec<usize> = Vec::new();
        for pile in self.of[at].iter().map(|&pile| &self.piles[pile as usize]) {
            let after = &pile[pile.partition_point(|&other| other as usize <= at)..];
            self.left.set(self.left.get().saturating_sub(after.len()));
            if self.left.get() == 0 {
                break;
            }
            let other = after.iter().map(|&other| other as usize);
            found.extend(other.filter(|&other| apart(&self.all[at].figure, &self.all[other].figure)));
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter()
    }
}

/// What two statements must have in common besides words, as a number.
fn shared(statement: &Statement<'_>) -> u64 {
    let sort = match &statement.figure.amount {
        Amount::Number { unit, .. } => hashed(unit.as_deref().unwrap_or_default().as_bytes(), 1),
        Amount::Day(date) => hashed(&date.year.unwrap_or_default().to_le_bytes(), 2),
        Amount::Year(_) => 3,
    };
    let said = statement.figure.qualifiers.iter().map(|said| hashed(said.as_bytes(), 4));
    let scene = statement.scene.iter().map(|number| hashed(number.as_bytes(), 5));
    said.chain(scene).fold(sort, |all, one| hashed(&one.to_le_bytes(), all))
}

/// FNV-1a, going on from a number.
fn hashed(bytes: &[u8], from: u64) -> u64 {
    let seed = from.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xcbf2_9ce4_8422_2325;
    bytes.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
