//! PHP: `#0 /srv/app/src/Store.php(31): Acme\Store->open('x')`, and where it was thrown: `in Store.php:31`.
//!
//! The function that such a line names is the one that was called there, not the one that the line is in.

use super::lines::{path_of, place};
use super::{Frame, Read};

pub fn frame(lines: &[&str]) -> Option<Read> {
    let line = lines.first()?.trim();
    let (path, line) = of_a_trace(line).or_else(|| thrown(line))?;
    let is_php = path.ends_with(".php") || path.ends_with(".phtml") || path.ends_with(".inc");
    is_php.then(|| Read::one(Frame { path: Some(path), line: Some(line), function: None }))
}

fn of_a_trace(line: &str) -> Option<(String, usize)> {
    let (number, rest) = line.strip_prefix('#')?.split_once(' ')?;
    number.parse::<usize>().ok()?;
    let (path, rest) = rest.split_once('(')?;
    Some((path_of(path)?, rest.split_once(')')?.0.parse().ok()?))
}

fn thrown(line: &str) -> Option<(String, usize)> {
    let (_, written) = line.rsplit_once(" in ")?;
    match written.split_once(" on line ") {
        Some((path, line)) => Some((path_of(path)?, line.trim().parse().ok()?)),
        None => place(written),
    }
}
