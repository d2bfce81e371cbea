//! The inline syntax that may hide a `%%`: code spans, math, HTML comments, escapes.
//!
//! Each search is bounded or its failure is remembered, so that a line of a megabyte costs one pass.

use std::collections::HashMap;

use super::{OpenBlock, Scanner, fence_mark, is_blank, list_mark};
use crate::span::line_end;

impl Scanner<'_> {
    /// Scans to the end of the line, or to the end of the last line that an inline element begun here extends to.
    pub(super) fn inline(&mut self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut end = line_end(self.text, at);
        while at < end {
            at = match bytes[at] {
                b'\\' => at + 2,
                b'`' => self.code_span(at),
                b'$' => self.inline_math(at, end),
                b'%' if bytes.get(at + 1) == Some(&b'%') => self.inline_comment(at),
                b'<' if bytes[at..].starts_with(b"<!--") => self.html_comment(at),
                _ => at + 1,
            };
            if at > end {
                // The element extends to another line; after an escape at the end of the text, `at` may be past it.
                end = line_end(self.text, at.min(bytes.len()));
            }
        }
        end
    }

    /// The end of the code span that these backticks open, or of the backticks if nothing closes them.
    fn code_span(&mut self, at: usize) -> usize {
        let after = at + run_length(self.text, at);
        let limit = self.paragraph_end(at);
        let runs = self.runs.get_or_insert_with(|| backtick_runs(self.text));
        let same = runs.get(&(after - at)).map_or(&[][..], Vec::as_slice);
        match same.get(same.partition_point(|&start| start < after)) {
            Some(&close) if close < limit => close + (after - at),
            _ => after,
        }
    }

    /// The end of `$…$` on this line. Only the next `$` may close it, so that many of them cost no more than few.
    fn inline_math(&self, at: usize, line_end: usize) -> usize {
        let rest = &self.text[at + 1..line_end];
        match rest.find('$') {
            Some(close) if !rest.starts_with([' ', '\t']) && !rest[..close].ends_with([' ', '\t']) => {
                at + close + 2
            }
            _ => at + 1,
        }
    }

    /// The end of a comment inside a paragraph. It must close there; otherwise the `%%` is text.
    fn inline_comment(&mut self, at: usize) -> usize {
        let limit = self.paragraph_end(at);
        let Some(close) = self.text.get(at + 2..limit).and_then(|rest| rest.find("%%")) else {
            return at + 2;
        };
        let end = at + 2 + close + 2;
        self.scan.comments.push(at..end);
        end
    }

    /// The end of `<!-- … -->`. An unclosed one at the start of a line hides everything after it.
    fn html_comment(&mut self, at: usize) -> usize {
        let close = if self.html_comments_are_over { None } else { self.text[at + 4..].find("-->") };
        match close {
            Some(close) => at + 4 + close + 3,
            None if at == 0 || self.text.as_bytes()[at - 1] == b'\n' => {
                self.scan.open = Some(OpenBlock::Html);
                self.text.len()
            }
            None => {
                self.html_comments_are_over = true;
                at + 4
            }
        }
    }

    /// The end of the paragraph that contains this byte: the next line that is blank or begins another block.
    fn paragraph_end(&mut self, at: usize) -> usize {
        if at >= self.paragraph_end {
            let mut end = line_end(self.text, at);
            while end < self.text.len() {
                let next = line_end(self.text, end);
                if begins_block(&self.text[end..next]) {
                    break;
                }
                end = next;
            }
            self.paragraph_end = end;
        }
        self.paragraph_end
    }
}

/// Whether this line cannot continue the paragraph before it.
fn begins_block(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '>']);
    is_blank(line)
        || line.starts_with("# ")
        || line.starts_with("##")
        || list_mark(line).is_some()
        || fence_mark(line).is_some()
}

fn run_length(text: &str, at: usize) -> usize {
    text.as_bytes()[at..].iter().take_while(|&&byte| byte == b'`').count()
}

/// The starts of the backtick runs of each length.
fn backtick_runs(text: &str) -> HashMap<usize, Vec<usize>> {
    let mut runs = HashMap::<usize, Vec<usize>>::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let length = run_length(text, start);
        runs.entry(length).or_default().push(start);
        at = start + length;
    }
    runs
}
