//! What the head of a table says about the numbers below it: the unit of a column, `Price (€)`.

use super::canonical_unit;
use crate::Span;

/// Units that are words of their own above a column, where `Week` or `min` name what stands there.
const BARE: [&str; 13] = ["%", "€", "$", "£", "°c", "°f", "kg", "km", "cm", "mm", "ml", "kwh", "mb"];

/// The unit that the head of a column gives to the numbers below it: `Length (m)`, `Length in m`, `Price €`, `kg`.
pub(crate) fn column_unit(head: &str) -> Option<&'static str> {
    let head = head.trim().trim_matches(['*', '_', '`']);
    let inside = ["(", "["].iter().find_map(|open| {
        let (before, rest) = head.rsplit_once(open)?;
        // `Boat(s)` is a plural.
        before.ends_with([' ', '*', '_']).then(|| rest.trim_end_matches([')', ']', '*', '_']))
    });
    let behind = || head.rsplit_once(" in ").or_else(|| head.rsplit_once(", ")).map(|(_, unit)| unit);
    if let Some(unit) = inside.or_else(behind).and_then(leading_unit) {
        return Some(unit);
    }
    let last = head.rsplit(' ').next().unwrap_or_default();
    let is_sign = last.chars().count() == 1 && "%€$£".contains(last) || last == head;
    leading_unit(last).filter(|unit| is_sign && BARE.contains(unit))
}

/// The unit that a text begins with: `mg m-2 d-1`, `€ per month`, `in cm`.
fn leading_unit(text: &str) -> Option<&'static str> {
    let text = text.trim().trim_start_matches("in ");
    let ends = |letter: char| letter.is_whitespace() || "/,;·*".contains(letter);
    canonical_unit(text.split(ends).next()?).filter(|_| !text.is_empty())
}

/// Where the lines of the head are that stand above a row of a table: its names, and the rule below them. `None` if the line,
/// counted from 1, is no row below a head.
pub fn find_table_head(text: &str, line: usize) -> Option<Span> {
    let lines: Vec<&str> = text.split_inclusive('\n').take(line).collect();
    let mut at = line.checked_sub(1).filter(|at| lines.get(*at).is_some_and(|line| is_row(line)))?;
    while !is_rule(lines[at]) {
        at = at.checked_sub(1).filter(|above| is_row(lines[*above]))?;
    }
    // The rule itself is no row, and stands below the names.
    let head = at.checked_sub(1).filter(|head| at + 1 < line && is_row(lines[*head]))?;
    let start: usize = lines[..head].iter().map(|line| line.len()).sum();
    Some(start..start + lines[head].len() + lines[at].len())
}

/// Whether a line may be a row of a table.
pub(crate) fn is_row(line: &str) -> bool {
    line.trim().trim_start_matches(['>', ' ']).starts_with('|')
}

/// Whether a line is the rule below the head of a table.
pub(crate) fn is_rule(line: &str) -> bool {
    line.contains("--") && line.trim().chars().all(|letter| "|-:> ".contains(letter))
}

/// The cells of a row as it is written.
pub(crate) fn cells(row: &str) -> Vec<&str> {
    let row = row.trim().trim_start_matches(['>', ' ']);
    let row = row.strip_prefix('|').unwrap_or(row);
    row.strip_suffix('|').unwrap_or(row).split('|').map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_gives_its_unit_to_the_numbers_below() {
        for (head, unit) in [
            ("Price (€)", Some("€")),
            ("Flux (mg m-2 d-1)", Some("mg")),
            ("Length in cm", Some("cm")),
            ("Depth, m", Some("m")),
            ("Share %", Some("%")),
            ("kg", Some("kg")),
            ("Boat(s)", None),
            ("Week", None),
            ("min", None),
            ("Price", None),
            ("", None),
        ] {
            assert_eq!(column_unit(head), unit, "{head}");
        }
    }

    #[test]
    fn the_head_above_a_row_is_found() {
        let text =
            "Boats:\n\n| Boat | Price (€) |\n| --- | ---: |\n| Heron | 2300 |\n| Teal | 1750 |\n\n| x |\n";
        for line in [5, 6] {
            let head = find_table_head(text, line).map(|span| &text[span]);
            assert_eq!(head, Some("| Boat | Price (€) |\n| --- | ---: |\n"), "{line}");
        }
        for line in [0, 1, 2, 3, 4, 7, 8, 9] {
            assert_eq!(find_table_head(text, line), None, "{line}");
        }
    }
}
