//! When notes were created and last changed.

use jiff::civil::Date;
use serde_json::Value;
use wellread_text::Frontmatter;

use super::Vault;
use crate::domain::corpus::VaultPath;
use crate::ports::FileEntry;
use crate::{Error, Result};

const DATE_FIELDS: [&str; 3] = ["Date", "date", "created"];

/// Parses a day that is written `YYYY-MM-DD`.
pub fn parse_day(written: &str) -> Result<Date> {
    let day =
        Some(written.trim()).filter(|day| day.len() == "YYYY-MM-DD".len()).and_then(|day| day.parse().ok());
    day.ok_or_else(|| {
        Error::invalid(format!("`{written}` is not a date"))
            .hint("dates are written YYYY-MM-DD, as in 2026-03-01")
    })
}

impl Vault {
    /// The day a note was created: by its frontmatter, else by the file's birth time, else by its last change.
    pub fn creation_day(&self, entry: &FileEntry) -> Date {
        let by_file = || self.clock.day_of(entry.created.unwrap_or(entry.modified));
        if !entry.path.is_note() {
            return by_file();
        }
        self.read(&entry.path).ok().and_then(|note| frontmatter_day(&note.text)).unwrap_or_else(by_file)
    }

    /// The day a file was last changed.
    pub fn modification_day(&self, entry: &FileEntry) -> Date {
        self.clock.day_of(entry.modified)
    }

    /// The notes created or changed in a range of days, both ends included, sorted by path.
    pub fn notes_in_days(&self, start: Date, end: Date, by_creation: bool) -> Result<Vec<VaultPath>> {
        if end < start {
            return Err(Error::invalid(format!("the end date {end} is before the start date {start}")));
        }
        let day = |entry: &FileEntry| {
            if by_creation { self.creation_day(entry) } else { self.modification_day(entry) }
        };
        let notes = self.files.list()?.files.into_iter().filter(|entry| entry.path.is_note());
        Ok(notes.filter(|entry| (start..=end).contains(&day(entry))).map(|entry| entry.path).collect())
    }
}

/// The day that a note's own frontmatter states.
pub fn frontmatter_day(text: &str) -> Option<Date> {
    let frontmatter = Frontmatter::parse(text)?;
    DATE_FIELDS.iter().find_map(|field| frontmatter.field(field).and_then(parse_day_value))
}

/// Accepts `2023-08-11`, `2023-08-11T10:00` and `[[2023-08-11]]`, the last also unquoted, which YAML parses as lists.
pub(crate) fn parse_day_value(value: &Value) -> Option<Date> {
    match value {
        Value::String(text) => {
            let text = text.trim().trim_start_matches("[[");
            let name = text.split(['|', ']', '#']).next()?.rsplit('/').next()?;
            name.get(..10)?.parse().ok()
        }
        Value::Array(items) if items.len() == 1 => items.first().and_then(parse_day_value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_gives_its_day_in_many_ways() {
        for (field, day) in [
            ("date: 2023-08-11", Some("2023-08-11")),
            ("Date: \"[[2023-08-11]]\"", Some("2023-08-11")),
            ("Date: [[2023-08-11]]", Some("2023-08-11")),
            ("created: 2023-08-11T09:30", Some("2023-08-11")),
            ("created: '[[Daily Notes/2023-08-11|then]]'", Some("2023-08-11")),
            ("date: sometime", None),
            ("date: 2023-13-45", None),
            ("title: x", None),
        ] {
            let written = frontmatter_day(&format!("---\n{field}\n---\ntext\n"));
            assert_eq!(written.map(|day| day.to_string()).as_deref(), day, "{field}");
        }
    }

    #[test]
    fn what_is_no_date_says_how_dates_are_written() {
        assert!(parse_day("2026-02-28").is_ok());
        for written in ["", "today", "2026-02-30", "28.02.2026"] {
            assert!(parse_day(written).unwrap_err().hint_text().unwrap().contains("YYYY-MM-DD"));
        }
    }
}
