//! Python: `File "a.py", line 31, in open`, and the short form of pytest: `a.py:31: in open`.

use super::lines::{function, path_of, place};
use super::{Frame, Read};

pub fn frame(lines: &[&str]) -> Option<Read> {
    let line = lines.first()?.trim();
    let read = long(line).or_else(|| short(line))?;
    Some(Read::outermost_first(read))
}

fn long(line: &str) -> Option<Frame> {
    let (_, rest) = line.split_once("File \"")?;
    let (path, rest) = rest.split_once('"')?;
    let rest = rest.strip_prefix(", line ")?;
    let (number, rest) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
    let called = rest.strip_prefix(", in ").filter(|name| !name.starts_with("<module>"));
    Some(Frame { path: path_of(path), line: number.parse().ok(), function: called.and_then(function) })
}

fn short(line: &str) -> Option<Frame> {
    let (written, called) = line.split_once(": in ")?;
    let (path, line) = place(written)?;
    path.ends_with(".py").then(|| Frame { path: Some(path), line: Some(line), function: function(called) })
}
