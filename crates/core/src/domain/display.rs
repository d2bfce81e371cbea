//! Durations and counts as people read them, and text that a terminal can be given. Programs get numbers.

pub use wellread_text::{acts_on_terminal, reveal_controls};

use std::fmt::Display;
use std::time::Duration;

/// `80 ms`, `4.5 s`, `4 min 3 s`, `2 h 5 min 1 s`; a part that is zero is left out.
pub fn render_duration(duration: Duration) -> String {
    let ms = duration.as_millis();
    if ms < 1000 {
        return format!("{ms} ms");
    }
    let tenths = (ms + 50) / 100;
    if tenths < 600 {
        return match tenths % 10 {
            0 => format!("{} s", tenths / 10),
            rest => format!("{}.{rest} s", tenths / 10),
        };
    }
    let seconds = (ms + 500) / 1000;
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")];
    let parts: Vec<_> = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, unit)| format!("{number} {unit}"))
        .collect();
    parts.join(" ")
}

/// A count with its noun: `1 file`, `3 files`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, one: &str, several: &str) -> String {
    let noun = if number == N::from(1) { one } else { several };
    format!("{number} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_given_in_the_units_that_people_use() {
        for (ms, shown) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1000, "1 s"),
            (4540, "4.5 s"),
            (59_960, "1 min"),
            (243_000, "4 min 3 s"),
            (3_600_000, "1 h"),
            (7_501_000, "2 h 5 min 1 s"),
        ] {
            assert_eq!(render_duration(Duration::from_millis(ms)), shown);
        }
    }

    #[test]
    fn a_count_has_its_noun() {
        assert_eq!(counted(1_usize, "agenda is", "agendas are"), "1 agenda is");
        assert_eq!(counted(0_u64, "file", "files"), "0 files");
    }
}
