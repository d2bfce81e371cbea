//! Ruby: `store.rb:31:in 'Store#open': no such file (Errno::ENOENT)`, then `from app.rb:7:in '<main>'`.

use super::lines::{function, place};
use super::{Frame, Innermost, Read};

pub fn frame(lines: &[&str]) -> Option<Read> {
    let line = lines.first()?.trim();
    // Some versions count the frames and begin with the outermost.
    let counted = line.split_once(": from ").filter(|(number, _)| number.trim().parse::<usize>().is_ok());
    let rest = counted.map_or(line, |(_, rest)| rest);
    let rest = rest.strip_prefix("from ").unwrap_or(rest);
    let (written, called) = rest.split_once(":in ")?;
    let (path, line) = place(written)?;
    if ![".rb", ".rake", ".ru", ".gemspec"].iter().any(|ending| path.ends_with(ending)) {
        return None;
    }
    let called = called.trim_start_matches(['`', '\'']);
    let called = called.split('\'').next().unwrap_or(called);
    // `block in open` and `rescue in open` are in `open`.
    let called = called.rsplit(" in ").next().filter(|name| !name.starts_with('<'));
    let frame = Frame { path: Some(path), line: Some(line), function: called.and_then(function) };
    let innermost = if counted.is_some() { Innermost::Last } else { Innermost::First };
    Some(Read { innermost, ..Read::one(frame) })
}
