//! A checksum over the columns of a row, in order.

use wellread_core::domain::corpus::{Hash, Hasher};

#[derive(Default)]
pub struct Checksum(Hasher);

impl Checksum {
    pub fn text(self, part: &str) -> Self {
        self.part(Some(part.as_bytes()))
    }

    pub fn text_or_none(self, part: Option<&str>) -> Self {
        self.part(part.map(str::as_bytes))
    }

    pub fn bytes(self, part: &[u8]) -> Self {
        self.part(Some(part))
    }

    pub fn number(mut self, number: i64) -> Self {
        self.0.add(&number.to_le_bytes());
        self
    }

    pub fn finish(self) -> Hash {
        self.0.finish()
    }

    /// Adds the length first, so that moving text from one part to the next changes the sum.
    fn part(mut self, part: Option<&[u8]>) -> Self {
        self.0.add(&part.map_or(u64::MAX, |part| part.len() as u64).to_le_bytes());
        self.0.add(part.unwrap_or_default());
        self
    }
}
