//! Lines from standard input, each of a bounded length.

use std::io::{BufRead, Read as _};

use tokio::sync::mpsc;

/// The longest line, in bytes: a prompt with the texts that an editor attaches.
pub const LONGEST_LINE: usize = 8 * 1024 * 1024;
/// How many lines wait at the most: a client that sends faster is kept waiting.
const MOST_WAITING: usize = 16;

/// A line that the client sent.
#[derive(Debug, PartialEq)]
pub enum RpcLine {
    Text(Vec<u8>),
    /// It is longer than a line may be, and was skipped.
    TooLong,
}

/// Reads lines on a thread of its own until the input ends. What stands behind the last line end is no line.
pub fn read_lines(mut input: impl BufRead + Send + 'static) -> mpsc::Receiver<RpcLine> {
    let (sender, receiver) = mpsc::channel(MOST_WAITING);
    std::thread::spawn(move || {
        while let Some(line) = read_line(&mut input, LONGEST_LINE) {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

fn read_line(input: &mut impl BufRead, longest: usize) -> Option<RpcLine> {
    let mut line = Vec::new();
    let limit = longest as u64 + 1;
    input.by_ref().take(limit).read_until(b'\n', &mut line).ok()?;
    if line.pop_if(|last| *last == b'\n').is_some() {
        return Some(RpcLine::Text(line));
    }
    if line.len() <= longest {
        return None;
    }
    // The rest of it is read and forgotten, piece by piece.
    loop {
        line.clear();
        let read = input.by_ref().take(limit).read_until(b'\n', &mut line).ok()?;
        match line.last() {
            Some(b'\n') => return Some(RpcLine::TooLong),
            _ if read == 0 => return None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_the_next_one_is_read() {
        let text = format!("one\n\n{}\ntwo\nthree", "x".repeat(100));
        let mut input = text.as_bytes();
        let mut next = || read_line(&mut input, 10);
        let line = |text: &str| Some(RpcLine::Text(text.into()));
        assert_eq!(
            [next(), next(), next(), next()],
            [line("one"), line(""), Some(RpcLine::TooLong), line("two")]
        );
        assert_eq!(next(), None, "the last line has no end");
        assert_eq!(read_line(&mut &b"0123456789\n"[..], 10), line("0123456789"));
        assert_eq!(read_line(&mut &b"01234567890\n"[..], 10), Some(RpcLine::TooLong));
        assert_eq!(read_line(&mut "x".repeat(50).as_bytes(), 10), None);
    }
}
