//! Ruby: `store.rb:31:in 'Store#open': no such file (Errno::ENOENT)`, then `from app.rb:7:in '<main>'`.

use super::lines::{parse_function_name, parse_place};
use super::{Frame, Innermost, ParsedFrame};

pub fn parse_frame(lines: &[&str]) -> Option<ParsedFrame> {
    let line = lines.first()?.trim();
    // Some versions number the frames and begin with the outermost.
    let counted = line.split_once(": from ").filter(|(number, _)| number.trim().parse::<usize>().is_ok());
    let rest = counted.map_or(line, |(_, rest)| rest);
    let rest = rest.strip_prefix("from ").unwrap_or(rest);
    let (written, called) = rest.split_once(":in ")?;
    let (path, line) = parse_place(written)?;
    if ![".rb", ".rake", ".ru", ".gemspec"].iter().any(|ending| path.ends_with(ending)) {
        return None;
    }
    let called = called.trim_start_matches(['`', '\'']);
    let called = called.split('\'').next().unwrap_or(called);
    // `block in open` and `rescue in open` are in `open`.
    let called = called.rsplit(" in ").next().filter(|name| !name.starts_with('<'));
    let frame = Frame { path: Some(path), line: Some(line), function: called.and_then(parse_function_name) };
    let innermost = if counted.is_some() { Innermost::Last } else { Innermost::First };
    Some(ParsedFrame { innermost, ..ParsedFrame::new(frame) })
}
