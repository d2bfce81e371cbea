//! Python: `File "a.py", line 31, in open`, and the short form of pytest: `a.py:31: in open`.

use super::lines::{parse_function_name, parse_path, parse_place};
use super::{Frame, ParsedFrame};

pub fn parse_frame(lines: &[&str]) -> Option<ParsedFrame> {
    let line = lines.first()?.trim();
    let read = parse_long_form(line).or_else(|| parse_short_form(line))?;
    Some(ParsedFrame::outermost_first(read))
}

fn parse_long_form(line: &str) -> Option<Frame> {
    let (_, rest) = line.split_once("File \"")?;
    let (path, rest) = rest.split_once('"')?;
    let rest = rest.strip_prefix(", line ")?;
    let (number, rest) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
    let called = rest.strip_prefix(", in ").filter(|name| !name.starts_with("<module>"));
    Some(Frame {
        path: parse_path(path),
        line: number.parse().ok(),
        function: called.and_then(parse_function_name),
    })
}

fn parse_short_form(line: &str) -> Option<Frame> {
    let (written, called) = line.split_once(": in ")?;
    let (path, line) = parse_place(written)?;
    path.ends_with(".py").then(|| Frame {
        path: Some(path),
        line: Some(line),
        function: parse_function_name(called),
    })
}
