//! A clock that does not advance.

use jiff::Zoned;
use wellread_core::ports::Clock;

#[derive(Debug, Clone)]
pub struct FixedClock(pub Zoned);

impl FixedClock {
    /// Stops at a moment with its zone: `2026-03-01T09:30[+00:00]`.
    pub fn parse(moment: &str) -> Self {
        Self(moment.parse().expect("a moment with its zone"))
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Zoned {
        self.0.clone()
    }
}
