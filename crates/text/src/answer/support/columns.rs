//! The units that the heads of tables give to the numbers below them.

use std::collections::HashMap;

use crate::prose::claims::{cells, column_unit, is_row, is_rule};

/// The units of the columns, by line, counted from 1.
#[derive(Debug, Default)]
pub(super) struct ColumnUnits(HashMap<usize, Vec<Option<&'static str>>>);

impl ColumnUnits {
    /// Reads the tables of a text. `head` is the one above its first line, if that is a row.
    pub fn read(lines: &[&str], head: Option<&str>) -> Self {
        let units =
            |head: &str| -> Vec<Option<&'static str>> { cells(head).into_iter().map(column_unit).collect() };
        let mut open = head.and_then(|head| head.lines().next()).map(units);
        let mut found = HashMap::new();
        for (index, line) in lines.iter().enumerate() {
            if !is_row(line) {
                open = None;
            } else if lines.get(index + 1).is_some_and(|next| is_rule(next)) {
                open = Some(units(line));
            } else if let Some(units) = open.as_ref().filter(|units| units.iter().any(Option::is_some)) {
                found.insert(index + 1, units.clone());
            }
        }
        Self(found)
    }

    /// The unit of the column in which a place is; `before` is the line up to there.
    pub fn unit(&self, line: usize, before: &str) -> Option<&'static str> {
        let units = self.0.get(&line)?;
        *units.get(before.matches('|').count().checked_sub(1)?)?
    }
}
