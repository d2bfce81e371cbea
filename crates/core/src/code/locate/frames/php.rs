//! PHP: `#0 /srv/app/src/Store.php(31): Acme\Store->open('x')`, and where an error was thrown: `in Store.php:31`.
//!
//! The function that such a line names is the one that was called there, not the one that contains the line.

use super::lines::{parse_path, parse_place};
use super::{Frame, ParsedFrame};

pub fn parse_frame(lines: &[&str]) -> Option<ParsedFrame> {
    let line = lines.first()?.trim();
    let (path, line) = parse_trace_line(line).or_else(|| parse_thrown_line(line))?;
    let is_php = path.ends_with(".php") || path.ends_with(".phtml") || path.ends_with(".inc");
    is_php.then(|| ParsedFrame::new(Frame { path: Some(path), line: Some(line), function: None }))
}

fn parse_trace_line(line: &str) -> Option<(String, usize)> {
    let (number, rest) = line.strip_prefix('#')?.split_once(' ')?;
    number.parse::<usize>().ok()?;
    let (path, rest) = rest.split_once('(')?;
    Some((parse_path(path)?, rest.split_once(')')?.0.parse().ok()?))
}

fn parse_thrown_line(line: &str) -> Option<(String, usize)> {
    let (_, written) = line.rsplit_once(" in ")?;
    match written.split_once(" on line ") {
        Some((path, line)) => Some((parse_path(path)?, line.trim().parse().ok()?)),
        None => parse_place(written),
    }
}
