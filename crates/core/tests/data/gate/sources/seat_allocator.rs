//! Seat allocation for the community theatre.
//! 18 rows (A to R) of 24 seats; row R is kept for wheelchair users and companions.

use std::collections::BTreeMap;

pub const ROWS: usize = 18;
pub const SEATS_PER_ROW: usize = 24;
pub const MAX_GROUP: usize = 12;
/// A hold lapses after this many seconds.
pub const HOLD_SECS: u64 = 600;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Price {
    Full,      // 22.00
    Reduced,   // 14.00, students and pensioners
    Child,     // 8.00, up to 12 years
    Free,      // companions of wheelchair users
}

impl Price {
    pub fn cents(self) -> u32 {
        match self {
            Price::Full => 2200,
            Price::Reduced => 1400,
            Price::Child => 800,
            Price::Free => 0,
        }
    }
}

#[derive(Debug, PartialEq)]
pub enum AllocError {
    GroupTooLarge,
    SoldOut,
    AccessibleOnly,
}

pub struct House {
    taken: BTreeMap<(usize, usize), u64>, // seat -> time of the hold, 0 = sold
}

impl House {
    /// Finds neighbouring seats in one row, from the front backwards.
    /// A group is never split over two rows.
    pub fn find(&self, n: usize, now: u64, accessible: bool) -> Result<Vec<(usize, usize)>, AllocError> {
        if n > MAX_GROUP {
            return Err(AllocError::GroupTooLarge);
        }
        let rows = if accessible { ROWS - 1..ROWS } else { 0..ROWS - 1 };
        for r in rows {
            let mut run = Vec::new();
            for s in 0..SEATS_PER_ROW {
                if self.is_free(r, s, now) {
                    run.push((r, s));
                    if run.len() == n {
                        return Ok(run);
                    }
                } else {
                    run.clear();
                }
            }
        }
        Err(AllocError::SoldOut)
    }

    fn is_free(&self, r: usize, s: usize, now: u64) -> bool {
        match self.taken.get(&(r, s)) {
            None => true,
            Some(0) => false,
            Some(&held) => now - held > HOLD_SECS,
        }
    }
}
