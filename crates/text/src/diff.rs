//! Unified diffs of two texts.
//!
//! Lines are compared with their endings: a changed line ending is a changed line. A carriage return is written as it
//! is.

mod line_map;

use std::collections::HashMap;
use std::fmt::Write as _;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

pub use self::line_map::{FollowedLines, LineMap};

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// Above this many changed lines, counted on both sides, an exact comparison could take minutes: everything between
/// the first and the last change is then shown as one replacement.
const FINE_LINES: usize = 20_000;

/// Renders the unified diff of two texts, with three lines of context. It is empty for equal texts.
pub fn unified_diff(old_name: &str, new_name: &str, old: &str, new: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let mut out = String::new();
    for group in group_diff_ops(operations(&old, &new), CONTEXT) {
        if out.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(out, "--- {}\n+++ {}\n", terminate_name(old_name), terminate_name(new_name));
        }
        hunk(&mut out, &group, &old, &new);
    }
    out
}

/// Ends a name that contains a space with a tab; otherwise `patch` takes the first word for the name.
fn terminate_name(name: &str) -> String {
    if name.contains(' ') { format!("{name}\t") } else { name.to_owned() }
}

/// The operations that turn the old lines into the new ones; empty if nothing changes.
fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_len, new_len) = (old.len() - head - tail, new.len() - head - tail);
    if old_len == 0 && new_len == 0 {
        return vec![];
    }
    let mut ops = vec![];
    if head > 0 {
        ops.push(DiffOp::Equal { old_index: 0, new_index: 0, len: head });
    }
    if old_len == 0 {
        ops.push(DiffOp::Insert { old_index: head, new_index: head, new_len });
    } else if new_len == 0 {
        ops.push(DiffOp::Delete { old_index: head, old_len, new_index: head });
    } else if old_len + new_len > FINE_LINES {
        ops.push(DiffOp::Replace { old_index: head, old_len, new_index: head, new_len });
    } else {
        // Lines become numbers, so that comparing long lines costs no more than comparing short ones.
        let mut numbers = HashMap::new();
        let mut numbered = |lines: &[&'_ str]| -> Vec<usize> {
            lines
                .iter()
                .map(|&line| {
                    let next = numbers.len();
                    *numbers.entry(line.to_owned()).or_insert(next)
                })
                .collect()
        };
        let before = numbered(&old[head..head + old_len]);
        let after = numbered(&new[head..head + new_len]);
        let fine = capture_diff_slices(Algorithm::Myers, &before, &after);
        ops.extend(fine.into_iter().map(|op| shift_op(op, head)));
    }
    if tail > 0 {
        ops.push(DiffOp::Equal { old_index: head + old_len, new_index: head + new_len, len: tail });
    }
    ops
}

fn shift_op(op: DiffOp, by: usize) -> DiffOp {
    match op {
        DiffOp::Equal { old_index, new_index, len } => {
            DiffOp::Equal { old_index: old_index + by, new_index: new_index + by, len }
        }
        DiffOp::Delete { old_index, old_len, new_index } => {
            DiffOp::Delete { old_index: old_index + by, old_len, new_index: new_index + by }
        }
        DiffOp::Insert { old_index, new_index, new_len } => {
            DiffOp::Insert { old_index: old_index + by, new_index: new_index + by, new_len }
        }
        DiffOp::Replace { old_index, old_len, new_index, new_len } => {
            DiffOp::Replace { old_index: old_index + by, old_len, new_index: new_index + by, new_len }
        }
    }
}

fn hunk(out: &mut String, group: &[DiffOp], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let old_range = first.old_range().start..last.old_range().end;
    let new_range = first.new_range().start..last.new_range().end;
    let _ = writeln!(out, "@@ -{} +{} @@", position(&old_range), position(&new_range));
    for op in group {
        if let DiffOp::Equal { .. } = op {
            lines(out, ' ', &old[op.old_range()]);
        } else {
            lines(out, '-', &old[op.old_range()]);
            lines(out, '+', &new[op.new_range()]);
        }
    }
}

/// Formats the line range of a hunk on one side: lines count from 1, a single line has no length, and an empty range
/// names the line before it.
fn position(range: &std::ops::Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        len => format!("{},{len}", range.start + 1),
    }
}

fn lines(out: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        out.push(sign);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_three_lines_of_context() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        let shown = "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(unified_diff("a", "b", old, new), shown);
    }

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(unified_diff("a", "b", "x\n", "x\n"), "");
        assert_eq!(unified_diff("a", "b", "", ""), "");
    }

    #[test]
    fn a_missing_last_newline_is_said_on_its_side() {
        assert_eq!(
            unified_diff("a", "b", "x", "x\n"),
            "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"
        );
        assert_eq!(unified_diff("a", "b", "", "x\ny\n"), "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+x\n+y\n");
    }

    #[test]
    fn a_carriage_return_is_part_of_its_line() {
        assert_eq!(
            unified_diff("a", "b", "x\r\ny\rz\n", "x\ny\rz\n"),
            "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x\r\n+x\n y\rz\n"
        );
    }

    #[test]
    fn far_changes_are_two_hunks() {
        let old: String = (0..40).map(|n| format!("{n}\n")).collect();
        let new = old.replace("2\n3\n", "2\nx\n3\n").replace("30\n", "");
        assert_eq!(unified_diff("a", "b", &old, &new).matches("@@ -").count(), 2);
    }

    #[test]
    fn a_huge_change_is_shown_coarsely() {
        let old: String = (0..30_000).map(|n| format!("{n}\n")).collect();
        let new: String = (0..30_000).rev().map(|n| format!("{n}\n")).collect();
        let shown = unified_diff("a", "b", &old, &new);
        assert_eq!(shown.matches("@@ -").count(), 1);
        assert_eq!(shown.lines().filter(|line| line.starts_with('-')).count(), 30_001);
    }
}
