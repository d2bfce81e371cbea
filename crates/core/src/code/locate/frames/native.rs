//! C and C++: gdb and lldb (`#0  0x40 in Store::open (this=0x0) at src/store.cc:31`), the sanitizers
//! (`#0 0x40 in Store::open(char const*) src/store.cc:31:5`) and Valgrind (`by 0x40: open (store.c:31)`).

use super::lines::{parse_function_name, parse_place};
use super::{Frame, ParsedFrame};

pub fn parse_frame(lines: &[&str]) -> Option<ParsedFrame> {
    let line = lines.first()?.trim();
    let (called, written) = split_numbered_frame(line).or_else(|| split_valgrind_frame(line))?;
    let (path, line) = parse_place(written.trim()).unzip();
    let called = parse_function_name(called);
    // A frame of a library without symbols has neither.
    (path.is_some() || called.is_some()).then(|| ParsedFrame::new(Frame { path, line, function: called }))
}

fn split_numbered_frame(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("* ").unwrap_or(line);
    let line = line.strip_prefix("frame ").unwrap_or(line);
    let rest = line.strip_prefix('#')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let rest = rest.get(digits..).filter(|_| digits > 0)?.trim_start_matches(':').trim_start();
    let address = rest.split(' ').next().filter(|word| word.starts_with("0x"));
    let rest = address.map_or(rest, |address| rest[address.len()..].trim_start());
    let rest = rest.strip_prefix("in ").unwrap_or(rest);
    // lldb writes the program before the function.
    let rest = rest.split_once('`').map_or(rest, |(_, rest)| rest);
    if let Some((called, written)) = rest.rsplit_once(" at ")
        && parse_place(written).is_some()
    {
        return Some((called, written));
    }
    // The sanitizers write the place after the function, or the module if they know no place.
    let (called, written) = rest.rsplit_once(' ')?;
    (address.is_some() && (parse_place(written).is_some() || written.starts_with('(')))
        .then_some((called, written))
}

fn split_valgrind_frame(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("==")?.split_once("==")?.1.trim_start();
    let rest = rest.strip_prefix("at 0x").or_else(|| rest.strip_prefix("by 0x"))?;
    let (_, rest) = rest.split_once(": ")?;
    let (called, written) = rest.rsplit_once(" (")?;
    Some((called, written.trim_end_matches(')')))
}
