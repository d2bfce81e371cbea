//! Go: `store.(*Store).Open(0xc000)` on one line, `/home/ci/store/store.go:31 +0x1d` on the next.

use super::lines::{parse_function_name, parse_place};
use super::{Frame, ParsedFrame};

pub fn parse_frame(lines: &[&str]) -> Option<ParsedFrame> {
    let called = lines.first()?.trim();
    let at = lines.get(1)?.trim();
    let written = at.split(" +0x").next().unwrap_or(at);
    let (path, line) = parse_place(written).filter(|(path, _)| path.ends_with(".go"))?;
    let called = called.strip_prefix("created by ").unwrap_or(called);
    let called = called.split(" in goroutine").next().unwrap_or(called);
    // The module's address is not part of the name.
    let own =
        called.split('(').next().unwrap_or(called).rfind('/').map_or(called, |slash| &called[slash + 1..]);
    if !own.contains('.') || own.contains(' ') && !own.contains('(') {
        return None;
    }
    Some(ParsedFrame {
        lines: 2,
        ..ParsedFrame::new(Frame { path: Some(path), line: Some(line), function: parse_function_name(own) })
    })
}
