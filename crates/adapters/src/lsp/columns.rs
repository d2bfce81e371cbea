//! Converts columns as people count them, in characters from 1, to the protocol's, in code units from 0.

/// The units in which a server counts columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnUnits {
    Utf8,
    /// The protocol's default.
    Utf16,
    Utf32,
}

impl ColumnUnits {
    /// The units that a server chose, by name; `None` if they are unknown.
    pub fn from_name(name: Option<&str>) -> Option<Self> {
        match name {
            Some("utf-8") => Some(Self::Utf8),
            None | Some("utf-16") => Some(Self::Utf16),
            Some("utf-32") => Some(Self::Utf32),
            Some(_) => None,
        }
    }

    fn char_width(self, letter: char) -> usize {
        match self {
            Self::Utf8 => letter.len_utf8(),
            Self::Utf16 => letter.len_utf16(),
            Self::Utf32 => 1,
        }
    }

    /// The server's offset of a column; `None` if the line is shorter.
    pub fn units_at(self, line: &str, column: usize) -> Option<usize> {
        let before = column.checked_sub(1)?;
        let passed = || line.chars().take(before);
        (passed().count() == before).then(|| passed().map(|letter| self.char_width(letter)).sum())
    }

    /// The column of a server's offset. An offset within a character counts as its start, one beyond the line as its
    /// end.
    pub fn column_at(self, line: &str, units: u64) -> usize {
        let mut passed = 0;
        let before = line.chars().take_while(|letter| {
            passed += self.char_width(*letter) as u64;
            passed <= units
        });
        before.count() + 1
    }
}

/// A line of a text, counted from 1, without its line ending.
pub fn line(text: &str, number: usize) -> Option<&str> {
    let line = text.split('\n').nth(number.checked_sub(1)?)?;
    Some(line.strip_suffix('\r').unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_survive_the_way_to_a_server_and_back() {
        let text = "bee = \"🐝ä\" + wax";
        for (column, utf8, utf16) in [(1, 0, 0), (8, 7, 7), (9, 11, 9), (10, 13, 10), (14, 17, 14)] {
            for (units, expected) in
                [(ColumnUnits::Utf8, utf8), (ColumnUnits::Utf16, utf16), (ColumnUnits::Utf32, column - 1)]
            {
                assert_eq!(units.units_at(text, column), Some(expected), "{units:?} {column}");
                assert_eq!(units.column_at(text, expected as u64), column, "{units:?} {column}");
            }
        }
    }

    #[test]
    fn a_column_that_is_not_there_is_none_and_one_that_a_server_makes_up_is_the_nearest() {
        assert_eq!(ColumnUnits::Utf16.units_at("🐝", 0), None);
        assert_eq!(ColumnUnits::Utf16.units_at("🐝", 2), Some(2));
        assert_eq!(ColumnUnits::Utf16.units_at("🐝", 3), None);
        assert_eq!(ColumnUnits::Utf16.column_at("🐝x", 1), 1);
        assert_eq!(ColumnUnits::Utf8.column_at("🐝x", 3), 1);
        assert_eq!(ColumnUnits::Utf16.column_at("🐝x", u64::MAX), 3);
        assert_eq!(ColumnUnits::Utf16.column_at("", 7), 1);
    }

    #[test]
    fn lines_are_counted_from_one_and_lose_their_ends() {
        for (number, expected) in [(0, None), (1, Some("a")), (2, Some("")), (3, Some("b")), (4, None)] {
            assert_eq!(line("a\r\n\nb", number), expected);
        }
        assert_eq!(line("", 1), Some(""));
        assert_eq!(
            (ColumnUnits::from_name(None), ColumnUnits::from_name(Some("utf-7"))),
            (Some(ColumnUnits::Utf16), None)
        );
    }
}
