//! Where the lines of an older text are in a newer one.

use similar::DiffOp;

use super::operations;

/// Maps the lines of an older text to those of a newer one, by comparing the two.
#[derive(Debug)]
pub struct LineMap {
    ops: Vec<DiffOp>,
    /// How many lines both texts have in common, if they are equal; otherwise the operations say it.
    equal_lines: usize,
}

/// What became of some lines of the older text. Lines count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowedLines {
    /// All of them are unchanged and still together, from this line on.
    Unchanged {
        /// The first line in the newer text.
        start_line: usize,
    },
    /// Some of them were changed, separated or removed; these lines stand in their place.
    Altered {
        /// The first of these lines.
        start_line: usize,
        /// The last of these lines, included.
        end_line: usize,
    },
    /// Nothing stands in their place.
    Removed,
}

impl LineMap {
    /// Compares two texts.
    pub fn new(old: &str, new: &str) -> Self {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let new: Vec<&str> = new.split_inclusive('\n').collect();
        Self { ops: operations(&old, &new), equal_lines: old.len().min(new.len()) }
    }

    /// Follows the lines from `start_line` to `end_line` of the older text, both included.
    pub fn follow(&self, start_line: usize, end_line: usize) -> FollowedLines {
        let (from, to) = (start_line.saturating_sub(1), end_line);
        if self.ops.is_empty() {
            return if to <= self.equal_lines {
                FollowedLines::Unchanged { start_line }
            } else {
                FollowedLines::Removed
            };
        }
        let mut place: Option<(usize, usize)> = None;
        let mut kept = 0;
        for op in &self.ops {
            let old = op.old_range();
            let (first, last) = (old.start.max(from), old.end.min(to));
            // Lines that were put in between belong to what is there now.
            let is_between = old.is_empty() && from < old.start && old.start < to;
            if first >= last && !is_between {
                continue;
            }
            let new = match *op {
                DiffOp::Equal { old_index, new_index, .. } => {
                    kept += last - first;
                    (new_index + (first - old_index), new_index + (last - old_index))
                }
                _ => (op.new_range().start, op.new_range().end),
            };
            if new.0 < new.1 {
                place = Some(place.map_or(new, |(start, end)| (start.min(new.0), end.max(new.1))));
            }
        }
        match place {
            Some((start, end)) if kept == to - from && end - start == kept => {
                FollowedLines::Unchanged { start_line: start + 1 }
            }
            Some((start, end)) => FollowedLines::Altered { start_line: start + 1, end_line: end },
            None => FollowedLines::Removed,
        }
    }

    /// Whether each of these lines of the newer text was already in the older one, and they stood together there.
    pub fn were_there(&self, start_line: usize, end_line: usize) -> bool {
        let (from, to) = (start_line.saturating_sub(1), end_line);
        if self.ops.is_empty() {
            return to <= self.equal_lines;
        }
        self.ops.iter().any(|op| match *op {
            DiffOp::Equal { new_index, len, .. } => new_index <= from && to <= new_index + len,
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "a\nb\nc\nd\ne\n";

    #[test]
    fn unchanged_lines_are_followed_and_others_are_said_to_be_altered_or_removed() {
        for (new, lines, expected) in [
            (OLD, (2, 3), FollowedLines::Unchanged { start_line: 2 }),
            ("x\ny\na\nb\nc\nd\ne\n", (2, 3), FollowedLines::Unchanged { start_line: 4 }),
            ("a\nB\nc\nd\ne\n", (2, 3), FollowedLines::Altered { start_line: 2, end_line: 3 }),
            ("a\nb\nx\nc\nd\ne\n", (2, 3), FollowedLines::Altered { start_line: 2, end_line: 4 }),
            ("a\nb\nx\nc\nd\ne\n", (1, 2), FollowedLines::Unchanged { start_line: 1 }),
            ("a\nb\nx\nc\nd\ne\n", (3, 4), FollowedLines::Unchanged { start_line: 4 }),
            ("a\nd\ne\n", (2, 3), FollowedLines::Removed),
            ("a\nc\nd\ne\n", (2, 3), FollowedLines::Altered { start_line: 2, end_line: 2 }),
            ("", (2, 3), FollowedLines::Removed),
        ] {
            assert_eq!(LineMap::new(OLD, new).follow(lines.0, lines.1), expected, "{new:?}");
        }
    }

    #[test]
    fn lines_that_were_put_in_are_told_from_those_that_were_there() {
        let map = LineMap::new(OLD, "a\nx\nb\nc\nd\ne\n");
        assert!(map.were_there(3, 6) && map.were_there(1, 1));
        assert!(!map.were_there(1, 2) && !map.were_there(2, 2) && !map.were_there(1, 3));
        assert!(LineMap::new(OLD, OLD).were_there(1, 5));
    }
}
