//! C and C++: gdb and lldb (`#0  0x40 in Store::open (this=0x0) at src/store.cc:31`), the sanitizers
//! (`#0 0x40 in Store::open(char const*) src/store.cc:31:5`) and Valgrind (`by 0x40: open (store.c:31)`).

use super::lines::{function, place};
use super::{Frame, Read};

pub fn frame(lines: &[&str]) -> Option<Read> {
    let line = lines.first()?.trim();
    let (called, written) = numbered(line).or_else(|| of_valgrind(line))?;
    let (path, line) = place(written.trim()).unzip();
    let called = function(called);
    // A library without symbols has neither.
    (path.is_some() || called.is_some()).then(|| Read::one(Frame { path, line, function: called }))
}

fn numbered(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("* ").unwrap_or(line);
    let line = line.strip_prefix("frame ").unwrap_or(line);
    let rest = line.strip_prefix('#')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let rest = rest.get(digits..).filter(|_| digits > 0)?.trim_start_matches(':').trim_start();
    let address = rest.split(' ').next().filter(|word| word.starts_with("0x"));
    let rest = address.map_or(rest, |address| rest[address.len()..].trim_start());
    let rest = rest.strip_prefix("in ").unwrap_or(rest);
    // lldb names the program before the function.
    let rest = rest.split_once('`').map_or(rest, |(_, rest)| rest);
    if let Some((called, written)) = rest.rsplit_once(" at ")
        && place(written).is_some()
    {
        return Some((called, written));
    }
    // The sanitizers write the place behind the function, and the module where they know no place.
    let (called, written) = rest.rsplit_once(' ')?;
    (address.is_some() && (place(written).is_some() || written.starts_with('('))).then_some((called, written))
}

fn of_valgrind(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("==")?.split_once("==")?.1.trim_start();
    let rest = rest.strip_prefix("at 0x").or_else(|| rest.strip_prefix("by 0x"))?;
    let (_, rest) = rest.split_once(": ")?;
    let (called, written) = rest.rsplit_once(" (")?;
    Some((called, written.trim_end_matches(')')))
}
