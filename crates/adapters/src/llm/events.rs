//! Server-sent events from bytes that come in any pieces.
//!
//! Lines may end in LF, CRLF or CR; comments and every field but `data` are passed over.

/// One line of a stream.
const LONGEST_LINE: usize = 1 << 20;

#[derive(Default)]
pub struct EventParser {
    line: Vec<u8>,
    data: Option<String>,
    after_return: bool,
}

/// A line that has no end.
#[derive(Debug, PartialEq, Eq)]
pub struct LineTooLong;

impl EventParser {
    /// The data of every event that is complete with these bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, LineTooLong> {
        let mut found = Vec::new();
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let feed_of_return = self.after_return && at == 0 && rest[0] == b'\n';
            self.after_return = rest[at] == b'\r';
            if !feed_of_return {
                self.extend(&rest[..at])?;
                found.extend(self.finish_line());
            }
            rest = &rest[at + 1..];
        }
        if !rest.is_empty() {
            self.after_return = false;
            self.extend(rest)?;
        }
        Ok(found)
    }

    /// What was left without its end: better heard than lost.
    pub fn finish(&mut self) -> Option<String> {
        if !self.line.is_empty() {
            self.finish_line();
        }
        self.data.take()
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), LineTooLong> {
        self.line.extend_from_slice(bytes);
        let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if held > LONGEST_LINE { Err(LineTooLong) } else { Ok(()) }
    }

    /// An empty line ends an event; a line of data adds to it.
    fn finish_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
        if line.is_empty() {
            return self.data.take();
        }
        if let Some(data) = line.strip_prefix(b"data:") {
            let data = String::from_utf8_lossy(data.strip_prefix(b" ").unwrap_or(data));
            match &mut self.data {
                Some(all) => *all = format!("{all}\n{data}"),
                None => self.data = Some(data.into_owned()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(pieces: &[&[u8]]) -> Vec<String> {
        let mut events = EventParser::default();
        let mut found: Vec<String> = pieces.iter().flat_map(|piece| events.push(piece).unwrap()).collect();
        found.extend(events.finish());
        found
    }

    #[test]
    fn every_way_to_write_a_stream_is_read() {
        let expected = ["{\"a\":\"é\"}", "two\nlines", "[DONE]"];
        for ending in ["\n", "\r\n", "\r"] {
            let text = "\u{feff}: hello|event: x|data: {\"a\":\"é\"}|id: 3||:|||data:two|data:lines||retry: 3|data: [DONE]"
                .replace('|', ending);
            assert_eq!(all(&[text.as_bytes()]), expected, "{ending:?}");
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(all(&bytes), expected, "{ending:?}, byte by byte");
        }
    }

    #[test]
    fn a_line_without_end_is_given_up() {
        let mut events = EventParser::default();
        let piece = vec![b'x'; LONGEST_LINE];
        assert_eq!(events.push(&piece), Ok(vec![]));
        assert_eq!(events.push(b"x"), Err(LineTooLong));
        let mut events = EventParser::default();
        let lines = format!("data: {}\n", "x".repeat(LONGEST_LINE / 4)).repeat(5);
        assert_eq!(events.push(lines.as_bytes()), Err(LineTooLong), "nor may an event be endless");
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_the_bytes_are_cut(
            text in "(data: ?[a-z{}é]{0,6}|:[a-z]{0,3}|event: x|)(\n|\r\n|\r)(data:[a-z]{0,3}(\n|\r\n)\n)?",
            repeat in 1usize..4,
            cuts in prop::collection::vec(0usize..200, 0..6),
        ) {
            let text = text.repeat(repeat);
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < text.len()).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for cut in cuts {
                pieces.push(&text.as_bytes()[from..cut]);
                from = cut;
            }
            pieces.push(&text.as_bytes()[from..]);
            prop_assert_eq!(all(&pieces), all(&[text.as_bytes()]));
        }
    }
}
