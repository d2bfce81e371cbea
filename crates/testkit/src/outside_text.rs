//! Lines that came from outside, in memory.

use std::collections::HashSet;
use std::sync::Mutex;

use wellread_core::Result;
use wellread_core::ports::{LineDigest, OutsideText};

#[derive(Debug, Default)]
pub struct MemoryOutsideText(Mutex<HashSet<LineDigest>>);

impl OutsideText for MemoryOutsideText {
    fn remember(&self, lines: &[LineDigest]) -> Result<()> {
        self.0.lock().expect("no test panics with the lines in hand").extend(lines);
        Ok(())
    }

    fn are_known(&self, lines: &[LineDigest]) -> Result<Vec<bool>> {
        let known = self.0.lock().expect("no test panics with the lines in hand");
        Ok(lines.iter().map(|line| known.contains(line)).collect())
    }
}
